use super::*;
use crate::record::RedactRule;

fn usual() -> Rules {
    Rules::new(true, &[]).unwrap()
}

/// The JSON text without its secrets, and how many there were.
fn json(rules: &Rules, text: &str) -> (String, usize) {
    let redactor = Redactor::new(rules);
    let out = redactor.json(text, Document::ANSWER);
    (out, redactor.count())
}

fn text(rules: &Rules, text: &str) -> String {
    Redactor::new(rules).text(text)
}

#[test]
fn keys_that_name_secrets_lose_their_values_and_nothing_else_does() {
    let given = r#"{ "a": {"API_Key": "k", "x-api-key":"", "max_tokens": 5, "accessToken": ["t", 7, {"deep": "u"}]},
        "password": 12.5, "client-secret": {"n": 1, "b": true, "z": null}, "plain": "text", "list": [1, "two"] }"#;
    let wanted = r#"{"a":{"API_Key":"[redacted]","x-api-key":"","max_tokens":5,"accessToken":["[redacted]",7,{"deep":"[redacted]"}]},"password":0,"client-secret":{"n":0,"b":true,"z":null},"plain":"text","list":[1,"two"]}"#;
    assert_eq!(json(&usual(), given), (wanted.to_owned(), 5));
}

#[test]
fn what_was_redacted_once_stays_as_it_is() {
    let once = json(&usual(), r#"{"token":"abc","m":"password=hunter2 and Bearer abcdefghijklmnopqrst"}"#).0;
    assert_eq!(once, r#"{"token":"[redacted]","m":"password=[redacted] and Bearer [redacted]"}"#);
    assert_eq!(json(&usual(), &once).0, once);
}

#[test]
fn pointers_lead_to_one_place_and_stars_to_all() {
    let rules = Rules::new(
        false,
        &[RedactRule::Pointer("/tool_input/content".into()), RedactRule::Pointer("/list/*/a~1b".into())],
    )
    .unwrap();
    let given = r#"{"tool_input":{"content":{"x":"y","n":3},"token":"stays"},"content":"stays","list":[{"a/b":"s"},{"a/b":2}]}"#;
    let wanted = r#"{"tool_input":{"content":{"x":"[redacted]","n":0},"token":"stays"},"content":"stays","list":[{"a/b":"[redacted]"},{"a/b":0}]}"#;
    assert_eq!(json(&rules, given), (wanted.to_owned(), 4));
}

#[test]
fn patterns_count_in_every_string_and_not_in_keys() {
    let rules = Rules::new(false, &[RedactRule::Pattern("ACME-[0-9]+".into())]).unwrap();
    let given = r#"{"ACME-1":"see ACME-22, ACME-333","n":["\u0041CME-4"]}"#;
    let wanted = r#"{"ACME-1":"see [redacted], [redacted]","n":["[redacted]"]}"#;
    assert_eq!(json(&rules, given), (wanted.to_owned(), 3));
}

#[test]
fn secrets_in_text_are_told_by_what_stands_before_them() {
    let rules = usual();
    for (given, wanted) in [
        ("curl -H 'Authorization: Bearer abc.def' x", "curl -H 'Authorization: Bearer [redacted]' x"),
        ("Authorization: Basic dXNlcjpw\nnext", "Authorization: Basic [redacted]\nnext"),
        ("DB_PASSWORD=hunter2;ls", "DB_PASSWORD=[redacted];ls"),
        ("export API_KEY=\"a b \\\" c\" && x", "export API_KEY=\"[redacted]\" && x"),
        ("login --token abc --user me", "login --token [redacted] --user me"),
        ("login --token --user me", "login --token --user me"),
        (
            "https://u:p@ss@host/path?access_token=abc&n=1",
            "https://u:[redacted]@host/path?access_token=[redacted]&n=1",
        ),
        ("key AKIAABCDEFGHIJKLMNOP.", "key [redacted]"),
        ("use ghp_0123456789abcdefghij now", "use [redacted] now"),
        ("{'secret': 'x', \"n\": 1", "{'secret': '[redacted]', \"n\": 1"),
        ("say {\\\"token\\\": \\\"abc\\\"} there", "say {\\\"token\\\": \\\"[redacted]\\\"} there"),
        ("token::new == token:: and a token is a word", "token::new == token:: and a token is a word"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nrest", "[redacted]\nrest"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE", "[redacted]"),
        ("-----BEGIN CERTIFICATE-----\nMIIE", "-----BEGIN CERTIFICATE-----\nMIIE"),
        ("é password: é", "é password: [redacted]"),
    ] {
        assert_eq!(text(&rules, given), wanted);
    }
}

#[test]
fn json_in_a_text_keeps_its_form() {
    let rules = usual();
    let given = "log token=abc\n {\"a\": {\"secrets\": [\"x\"]},\n  \"b\": 1}\n";
    assert_eq!(
        text(&rules, given),
        "log token=[redacted]\n {\"a\": {\"secrets\": [\"[redacted]\"]},\n  \"b\": 1}\n"
    );
    let logged = "[info] a\n{oops\n[debug] b\n{\"secrets\":{\"a\":\"x\"}}";
    assert_eq!(text(&rules, logged), "[info] a\n{oops\n[debug] b\n{\"secrets\":{\"a\":\"[redacted]\"}}");
    let within = r#"{"result":"{\"password\":\"p\",\"n\":1}"}"#;
    assert_eq!(json(&rules, within).0, r#"{"result":"{\"password\":\"[redacted]\",\"n\":1}"}"#);
}

#[test]
fn bytes_that_are_no_text_stay() {
    let rules = usual();
    let out = Redactor::new(&rules).bytes(b"password=abc \xff\xfe token=x");
    assert_eq!(out, b"password=[redacted] \xff\xfe token=[redacted]");
}

#[test]
fn depth_and_surrogates_are_no_obstacle() {
    let rules = usual();
    let deep = format!("{}{}{}", "[".repeat(50_000), r#"{"token":"x"}"#, "]".repeat(50_000));
    let (out, count) = json(&rules, &deep);
    assert_eq!((count, out.len()), (1, deep.len() + MARK.len() - 1));
    assert_eq!(
        json(&rules, r#"{"a":"\ud800 b","token":"\ud800"}"#).0,
        r#"{"a":"\ud800 b","token":"[redacted]"}"#
    );
}

#[test]
fn rules_that_are_none_are_named_with_their_place() {
    for (rule, wanted) in [
        (RedactRule::Pattern("(".into()), "the pattern `(` cannot be used"),
        (RedactRule::Pointer("tool_input".into()), "no JSON pointer"),
    ] {
        let error = Rules::new(true, &[RedactRule::Key("x".into()), rule]).unwrap_err().to_string();
        assert!(error.contains(wanted) && error.contains("/record/redact/1"), "{error}");
    }
}

#[test]
fn names_have_stars_anywhere() {
    for (pattern, hits, misses) in [
        ("*pin*", vec!["PIN", "my_pin_2", "s-p-i-n"], vec!["pn"]),
        ("*key", vec!["key", "API-key"], vec!["keys"]),
        ("nick*", vec!["nick", "Nick_Name"], vec!["anick"]),
        ("a*z", vec!["az", "A_b_Z"], vec!["azb"]),
        ("exact", vec!["Exact", "ex_act"], vec!["exactly"]),
        ("*", vec!["", "x"], vec![]),
    ] {
        let rules = Rules::new(false, &[RedactRule::Key(pattern.into())]).unwrap();
        let covered = |key: &&str| rules.covers(key).is_some();
        assert!(hits.iter().all(covered) && !misses.iter().any(covered), "{pattern}");
    }
}
