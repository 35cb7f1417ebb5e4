use super::*;

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

fn answer(line: &str) -> Result<(u8, String, Option<String>), String> {
    read(line.as_bytes(), 7).map(|it| (it.code, text(it.stdout), it.stderr.map(text)))
}

fn objects(heard: &str) -> Option<(u8, String, Option<String>)> {
    objection(heard.as_bytes(), 7).map(|it| (it.code, text(it.stdout), it.stderr.map(text)))
}

#[test]
fn the_member_crosshook_says_how_the_command_would_have_ended() {
    for (line, code, stdout, stderr) in [
        (r#"{"crosshook":{"id":7}}"#, 0, "", None),
        (r#"{"crosshook":{"id":7,"exit_code":2,"stderr":"no\n"}}"#, 2, "", Some("no\n")),
        (r#"{"a": 1, "crosshook": {"id": 7}, "b": [2]}"#, 0, "{\"a\":1,\"b\":[2]}\n", None),
        (r#"{"crosshook":{"id":7,"stdout":"two\nlines"}}"#, 0, "two\nlines", None),
        (r#"{"crosshook":{"id":7.0,"exit_code":2.0,"stdout":null}}"#, 2, "", None),
        ("\u{feff}{\"cross\\u0068ook\":{\"i\\u0064\":7,\"exit_code\":20e-1}}\u{a0}\r", 2, "", None),
        // Inside of others it is their text.
        (
            r#"{"x":{"crosshook":{"exit_code":2}},"crosshook":{"id":7}}"#,
            0,
            "{\"x\":{\"crosshook\":{\"exit_code\":2}}}\n",
            None,
        ),
    ] {
        assert_eq!(answer(line).unwrap(), (code, stdout.to_owned(), stderr.map(str::to_owned)), "{line}");
    }
}

#[test]
fn a_line_that_does_not_name_the_event_is_no_answer() {
    for line in ["", " ", "remember this", "[1]", "{broken", "crosshook", "7", r#"[{"crosshook":{"id":7}}]"#]
    {
        assert!(answer(line).unwrap_err().contains("no JSON object that names the event"), "{line}");
    }
    let prefixed = r#"INFO {"crosshook":{"id":7,"exit_code":2}}"#;
    assert!(answer(prefixed).unwrap_err().contains("no JSON object"));
    for line in [
        "{}",
        r#"{"decision":"approve"}"#,
        r#"{"crosshook":{}}"#,
        r#"{"crosshook":{"exit_code":0}}"#,
        r#"{"crosshook":{"id":null}}"#,
        r#"{"id":7}"#,
        r#"{"x":{"crosshook":{"id":7}}}"#,
    ] {
        assert!(answer(line).unwrap_err().contains("does not name event 7"), "{line}");
    }
    for (id, shown) in [("6", "6"), ("8", "8"), ("0", "0"), ("7.5", "7.5"), ("-7", "-7"), ("70", "70")] {
        let why = answer(&format!(r#"{{"crosshook":{{"id":{id}}}}}"#)).unwrap_err();
        assert_eq!(why, format!("its worker answered event {shown}, not event 7"));
    }
}

#[test]
fn an_unusable_member_says_what_is_wrong_with_it() {
    for (line, why) in [
        (
            r#"{"crosshook":{"id":7,"exit_code":"2"}}"#,
            "`exit_code` is `\"2\"`, not a whole number from 0 to 255",
        ),
        (r#"{"crosshook":{"id":7,"exit_code":256}}"#, "`exit_code` is `256`"),
        (r#"{"crosshook":{"id":7,"exit_code":-1}}"#, "`exit_code` is `-1`"),
        (r#"{"crosshook":{"id":7,"exit_code":1.5}}"#, "`exit_code` is `1.5`"),
        (r#"{"crosshook":{"id":7,"exitcode":2}}"#, "`exitcode` is unknown"),
        (r#"{"crosshook":{"id":"7"}}"#, "`id` is `\"7\"`, not the number 7"),
        (r#"{"crosshook":{"id":7,"stderr":5}}"#, "`stderr` is `5`, not a string"),
        (r#"{"crosshook":{"id":7,"exit_code":2,"exit_code":0}}"#, "`exit_code` more than once"),
        (r#"{"crosshook":null}"#, "it is null"),
        (r#"{"crosshook":true}"#, "it is a boolean"),
        (r#"{"crosshook":[{"id":7}]}"#, "it is an array"),
        (r#"{"crosshook":{"id":7},"crosshook":{"id":7}}"#, "the member `crosshook` more than once"),
        (r#"{"crosshook":{"id":7,"stdout":""},"decision":"block"}"#, "and members beside `crosshook`"),
    ] {
        let found = answer(line).unwrap_err();
        assert!(found.contains(why), "{line}: {found}");
    }
}

#[test]
fn what_unicode_cannot_hold_loses_nothing_else() {
    let garbled =
        read(b"{\"crosshook\":{\"id\":7,\"exit_code\":2,\"stderr\":\"caf\xe9\"},\"\xff\":1}", 7).unwrap();
    assert!(garbled.garbled);
    assert_eq!((garbled.code, garbled.stderr.map(text).as_deref()), (2, Some("caf\u{fffd}")));
    assert_eq!(text(garbled.stdout), "{\"\u{fffd}\":1}\n");
    let lone = r#"{"crosshook":{"id":7,"exit_code":2,"stderr":"a\udcff"},"\ud800":1}"#;
    assert_eq!(answer(lone).unwrap(), (2, "{\"\u{fffd}\":1}\n".to_owned(), Some("a\u{fffd}".to_owned())));
    // A value stays as it came.
    let value = r#"{"crosshook":{"id":7},"reason":"\udcff"}"#;
    assert_eq!(answer(value).unwrap().1, "{\"reason\":\"\\udcff\"}\n");
}

#[test]
fn an_objection_counts_in_whatever_form() {
    let code = |raw: &str| {
        let found = objects(&format!(r#"{{"crosshook":{{"exit_code":{raw}}}}}"#));
        found.unwrap().0
    };
    for (raw, wanted) in [
        ("2", 2),
        ("\"2\"", 2),
        ("\" 2.0 \"", 2),
        ("1", 1),
        ("256", 2),
        ("-1", 2),
        ("true", 2),
        ("\"deny\"", 2),
        ("[]", 2),
        ("0", 0),
        ("\"0\"", 0),
        ("-0.0", 0),
        ("null", 0),
        ("false", 0),
        ("\"\"", 0),
    ] {
        assert_eq!(code(raw), wanted, "{raw}");
    }
    let block = "{\"decision\":\"block\"}\n".to_owned();
    for line in [
        r#"{"decision":"block"}"#,
        r#"{"crosshook":{"id":"7"},"decision":"block"}"#,
        r#"{"crosshook":7,"decision":"block"}"#,
        "{\"decision\":\"block\"}\nlog",
        "log\n{\"decision\":\"block\"}\n",
        "{\"crosshook\":{\"id\":6},\"decision\":\"approve\"}\n{\"decision\":\"block\"}\n",
    ] {
        assert_eq!(objects(line), Some((0, block.clone(), None)), "{line}");
    }
    assert_eq!(
        objects("{}\n{\"crosshook\":{\"exit_code\":2,\"stderr\":\"no\"}}"),
        Some((2, "\n".to_owned(), Some("no".to_owned())))
    );
    for equal in [r#"{"exit_code":2,"exit_code":0}"#, r#"{"exit_code":0,"exit_code":2}"#] {
        assert_eq!(objects(&format!(r#"{{"crosshook":{equal}}}"#)).unwrap().0, 2, "{equal}");
    }
    assert_eq!(objects(r#"{"crosshook":{"exit_code":2},"crosshook":{}}"#).unwrap().0, 2);
    // Another event's is that event's.
    for line in
        [r#"{"crosshook":{"id":6,"exit_code":2}}"#, "log", "", "INFO {\"decision\":\"block\"}", "[{}]"]
    {
        assert_eq!(objects(line), None, "{line}");
    }
}
