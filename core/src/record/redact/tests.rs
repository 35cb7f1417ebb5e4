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
        ("DB_PASSWORD=hunter2;ls", "DB_PASSWORD=[redacted]"),
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
fn values_are_taken_as_far_as_they_may_reach() {
    let rules = usual();
    for (given, wanted) in [
        // What a value begins with.
        ("AWS_SECRET_ACCESS_KEY=/hunter2abc ls", "AWS_SECRET_ACCESS_KEY=[redacted] ls"),
        ("PASSWORD==hunter2", "PASSWORD==[redacted]"),
        ("PASSWORD=<hunter2>", "PASSWORD=[redacted]"),
        ("PASSWORD=&hunter2", "PASSWORD=[redacted]"),
        ("PASSWORD=\\&hunter2 x", "PASSWORD=[redacted] x"),
        ("PASSWORD=,hunter2", "PASSWORD=[redacted]"),
        ("PASSWORD=;hunter2", "PASSWORD=[redacted]"),
        ("PASSWORD=$(echo hunter2) x", "PASSWORD=[redacted] x"),
        ("PASSWORD=$'hunter2' x", "PASSWORD=$'[redacted]' x"),
        ("password={hunter2} x", "password=[redacted] x"),
        ("{password: `hunter2`}", "{password: `[redacted]`}"),
        ("password = \"\"\"hunter2\n\"hunter2\"\n\"\"\" x", "password = \"\"\"[redacted]\"\"\" x"),
        // How it goes on.
        ("TOKEN=abc,hunter2 x", "TOKEN=[redacted] x"),
        ("PASSWORD=abc\"hunter2\" x", "PASSWORD=[redacted] x"),
        ("PASSWORD=a\\ hunter2 x", "PASSWORD=[redacted] x"),
        ("x --password 'a'hunter2 y", "x --password [redacted] y"),
        ("password: correct hunter2\nnext", "password: [redacted]\nnext"),
        ("password = correct hunter2\nnext", "password = [redacted]\nnext"),
        ("say \"password: correct hunter2\" x", "say \"password: [redacted]\" x"),
        ("password: \"hunter2", "password: \"[redacted]"),
        // Names and signs.
        ("PASSWORD+=hunter2", "PASSWORD+=[redacted]"),
        ("password := \"hunter2\" x", "password := \"[redacted]\" x"),
        ("os.environ['TOKEN'] = 'hunter2' x", "os.environ['TOKEN'] = '[redacted]' x"),
        ("define(\"DB_PASSWORD\", \"hunter2\");", "define(\"DB_PASSWORD\", \"[redacted]\");"),
        ("<password>hunter2</password>", "<password>[redacted]</password>"),
        ("x?password%3Dhunter2", "x?password%3D[redacted]"),
        ("x --password \\\n  hunter2 y", "x --password \\\n  [redacted] y"),
        ("x -token hunter2 y", "x -token [redacted] y"),
        ("x --password -hunter2 y", "x --password [redacted] y"),
        ("set -x API_TOKEN hunter2", "set -x API_TOKEN [redacted]"),
        ("curl -u me:hunter2 x", "curl -u me:[redacted] x"),
        (
            "{\\\\\\\"password\\\\\\\":\\\\\\\"hunter2\\\\\\\"}",
            "{\\\\\\\"password\\\\\\\":\\\\\\\"[redacted]\\\\\\\"}",
        ),
        // Values on the next lines.
        ("password:\n  hunter2\nuser: u", "password:\n  [redacted]\nuser: u"),
        ("password: |\n  hunter2\n  hunter2\nuser: u", "password: |\n  [redacted]\nuser: u"),
        ("tokens:\n- hunter2\n- hunter2\nuser: u", "tokens:\n[redacted]\nuser: u"),
        // Headers.
        ("Authorization: Custom hunter2 hunter2\nnext", "Authorization: [redacted]\nnext"),
        ("curl -H \"Authorization: AWS4 C=hunter2, S=hunter2\" x", "curl -H \"Authorization: [redacted]\" x"),
        ("Authorization: token=hunter2", "Authorization: [redacted]"),
        ("curl -H 'Cookie: sid=hunter2; a=hunter2' x", "curl -H 'Cookie: [redacted]' x"),
        ("X-Auth: hunter2", "X-Auth: [redacted]"),
        ("Auth: Bearer hunter2", "Auth: Bearer [redacted]"),
        // Addresses.
        ("git clone https://hunter2@host/x", "git clone https://[redacted]@host/x"),
        ("git clone https://:hunter2@host/x", "git clone https://:[redacted]@host/x"),
        ("psql postgres://u:a/hunter2@h/db", "psql postgres://u:[redacted]@h/db"),
        ("u:hunter2@host", "u:[redacted]@host"),
        ("http://localhost:8080/a@b", "http://localhost:8080/a@b"),
        ("http://p/?u=https://u:hunter2@h/", "http://p/?u=https://u:[redacted]@h/"),
        // Keys.
        (
            "x\n-----BEGIN PGP PRIVATE KEY BLOCK-----\nhunter2\n-----END PGP PRIVATE KEY BLOCK-----\ny",
            "x\n[redacted]\ny",
        ),
        ("PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\nhunter2", "[redacted]"),
    ] {
        assert_eq!(text(&rules, given), wanted, "{given}");
    }
}

#[test]
fn json_with_other_text_around_it_loses_all_below_a_secret_key() {
    let rules = usual();
    for (given, wanted) in [
        ("{\"secrets\":[\"hunter2\"]} trailing", "{\"secrets\":[\"[redacted]\"]} trailing"),
        ("{\"secrets\":[\"hunter2\"]}\ndone\n", "{\"secrets\":[\"[redacted]\"]}\ndone\n"),
        ("result: {\"secrets\":[\"hunter2\",1]}", "result: {\"secrets\":[\"[redacted]\",0]}"),
        (
            "{\"credentials\":{\"pin\":\"hunter2\"}}\n{\"a\":1}",
            "{\"credentials\":{\"pin\":\"[redacted]\"}}\n{\"a\":1}",
        ),
        ("\u{feff}{\"secrets\":[\"hunter2\"]}", "\u{feff}{\"secrets\":[\"[redacted]\"]}"),
        (
            "curl -d '{\"credentials\":{\"a\":\"hunter2\"}}' x",
            "curl -d '{\"credentials\":{\"a\":\"[redacted]\"}}' x",
        ),
        // No JSON: the whole list or object goes.
        ("{\"secrets\":[\"hunter2\"],}", "{\"secrets\":[redacted],}"),
        ("{'credentials':{'u':'u','pin':'hunter2'}, 'a': 1}", "{'credentials':[redacted], 'a': 1}"),
        // Cut off: all that follows goes.
        ("{\"a\":1,\"secrets\":[\"hunter2\",\"x\", y", "{\"a\":1,\"secrets\":[redacted]"),
        (
            "log: {\n \"secrets\": [\n{\"pin\":\"hunter2\",\"n\":7},\n{\"pin\":\"hunter2\"},\nhunter2",
            "log: {\n \"secrets\": [redacted]{\"pin\":\"[redacted]\",\"n\":0}[redacted]\n{\"pin\":\"[redacted]\"}[redacted]",
        ),
        (
            "password: {\"a\":\"hunter2\"} {\"b\":\"stays\"}",
            "password: {\"a\":\"[redacted]\"} {\"b\":\"stays\"}",
        ),
        // A text in a JSON string.
        ("\"{\\\"secrets\\\":[\\\"hunter2\\\"]}\"", "\"{\\\"secrets\\\":[\\\"[redacted]\\\"]}\""),
        // It was no JSON and does not become JSON.
        ("{\"m\":\"password=a\\qb\",\"n\":1}", "{\"m\":\"password=[redacted]"),
    ] {
        assert_eq!(text(&rules, given), wanted, "{given}");
    }
    let out = Redactor::new(&rules).bytes(b"{\"secrets\":[\"hunter2\"],\"x\":\"\xff\"}");
    assert_eq!(out, b"{\"secrets\":[\"[redacted]\"],\"x\":\"\xff\"}");
    let out = Redactor::new(&rules).bytes(b"password=\xffhunter2 x");
    assert_eq!(out, b"password=[redacted]\xff x");
    let out = Redactor::new(&rules).bytes(b"x password='hunter2\xe2\x82");
    assert_eq!(out, b"x password='[redacted]\xe2\x82");
}

#[test]
fn long_texts_take_time_by_their_length() {
    let rules = usual();
    for piece in [
        "{}",
        "[",
        "{\"a\":1}\n",
        "?token=a&",
        "a:",
        "token='",
        "<password>\n",
        "-----BEGIN ",
        "token=\"\"",
        "a://a@",
        "--token ",
        "token:\n",
        "token: |",
        "{\"token\":",
        "bearer ",
        "-u ",
        "\\",
        "token\\\\",
    ] {
        let time = |times: usize| {
            let given = piece.repeat(times);
            let best = (0..2).map(|_| {
                let start = std::time::Instant::now();
                text(&rules, &given);
                start.elapsed()
            });
            best.min().unwrap()
        };
        let (short, long) = (time(2_000), time(32_000));
        // 16 times as much; were it quadratic, it would take 256 times as long.
        assert!(long < short * 100 + std::time::Duration::from_millis(50), "{piece:?}: {short:?} {long:?}");
    }
}

#[test]
fn keys_that_are_secrets_are_taken_out_and_pointers_reach_changed_inputs() {
    let given = r#"{"ghp_0123456789abcdefghij":1,"Authorization: Bearer abc":{"hookSpecificOutput":"x"}}"#;
    let wanted = r#"{"[redacted]":1,"Authorization: Bearer [redacted]":{"hookSpecificOutput":"x"}}"#;
    assert_eq!(json(&usual(), given), (wanted.to_owned(), 2));
    let given = r#"{"args":["--token","x","--user","me","-password","-xy","--token","--user"],"a":["--token",["y"]]}"#;
    let wanted = r#"{"args":["--token","[redacted]","--user","me","-password","[redacted]","--token","--user"],"a":["--token",["y"]]}"#;
    assert_eq!(json(&usual(), given), (wanted.to_owned(), 2));
    let rules = Rules::new(false, &[RedactRule::Pointer("/tool_input/content".into())]).unwrap();
    for (given, wanted) in [
        (r#"{"toolInput":{"content":"x"}}"#, r#"{"toolInput":{"content":"[redacted]"}}"#),
        (
            r#"{"hookSpecificOutput":{"updatedInput":{"content":"x","a":"b"}}}"#,
            r#"{"hookSpecificOutput":{"updatedInput":{"content":"[redacted]","a":"b"}}}"#,
        ),
        (
            r#"{"hookSpecificOutput":{"decision":{"updatedInput":{"content":"x"}},"modifiedInput":{"content":1}}}"#,
            r#"{"hookSpecificOutput":{"decision":{"updatedInput":{"content":"[redacted]"}},"modifiedInput":{"content":0}}}"#,
        ),
        (r#"{"hookSpecificOutput":{"content":"x"}}"#, r#"{"hookSpecificOutput":{"content":"x"}}"#),
    ] {
        assert_eq!(json(&rules, given).0, wanted);
    }
}

#[test]
fn rules_hold_for_all_names_that_an_argument_has() {
    let pairs: Vec<(String, String)> = vec![("cmd".into(), "command".into())];
    let aliases = || vec![Arguments::new(pairs.iter().map(|(own, other)| (own, other)))];
    let given = r#"{"tool_input":{"command":"x","a":"b"},"command":"stays","cmd":"stays"}"#;
    for rule in [RedactRule::Pointer("/tool_input/cmd".into()), RedactRule::Key("c-md".into())] {
        let is_key = matches!(rule, RedactRule::Key(_));
        let rules = Rules::new(false, &[rule]).unwrap();
        let out = Redactor::new(&rules).with_aliases(aliases()).json(given, Document::ANSWER);
        let own = if is_key { "[redacted]" } else { "stays" };
        let wanted =
            format!(r#"{{"tool_input":{{"command":"[redacted]","a":"b"}},"command":"stays","cmd":"{own}"}}"#);
        assert_eq!(out, wanted);
        let roots: &[&[&str]] = &[&["tool_input"], &["updated_input"]];
        let document = Document { roots, ..Document::ANSWER };
        let out =
            Redactor::new(&rules).with_aliases(aliases()).json(r#"{"command":"x","cmd":"y"}"#, document);
        assert_eq!(out, r#"{"command":"[redacted]","cmd":"[redacted]"}"#);
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
        (RedactRule::Pointer(String::new()), "no JSON pointer"),
        (RedactRule::Key(String::new()), "an empty key takes nothing out"),
        (RedactRule::Key("_-".into()), "an empty key takes nothing out"),
        (RedactRule::Pattern(String::new()), "an empty pattern takes nothing out"),
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
