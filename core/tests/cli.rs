//! The command line as its users meet it: options, output forms, exit codes, messages.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod support;

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use support::{TempDir, gone, wait_until};

const STOP: &str = r#"{"hook_event_name":"Stop","session_id":"s","cwd":"/tmp"}"#;

fn crosshook(args: &[&str], stdin: impl AsRef<[u8]>) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_crosshook"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses its arguments does not read its input.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_ref());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn blocking(tmp: &TempDir) -> String {
    let hook = json!({"type": "command", "command": "echo not yet >&2; exit 2"});
    let settings = json!({"hooks": {"Stop": [{"hooks": [hook]}]}});
    tmp.file("settings.json", settings.to_string()).display().to_string()
}

/// Exit code and standard error of a run that must not print an outcome.
fn refused(args: &[&str], stdin: impl AsRef<[u8]>) -> (i32, String) {
    let output = crosshook(args, stdin);
    assert_eq!(text(&output.stdout), "", "{args:?}");
    (output.status.code().unwrap(), text(&output.stderr))
}

#[test]
fn several_events_give_one_outcome_a_line_and_exit_zero() {
    let tmp = TempDir::new();
    let args = ["dispatch", "--dialect", "codebuddy", "--settings", &blocking(&tmp)];
    let output = crosshook(&args, format!("{STOP} {STOP}\n\n{STOP}"));
    assert_eq!(output.status.code(), Some(0));
    let outcomes = lines(&output);
    assert_eq!(outcomes.len(), 3);
    for outcome in outcomes {
        assert_eq!((&outcome["decision"], &outcome["reason"]), (&json!("block"), &json!("not yet")));
    }
}

#[test]
fn an_outcome_has_all_keys_of_the_contract() {
    let tmp = TempDir::new();
    let output = crosshook(&["dispatch", "--dialect", "codebuddy", "--settings", &blocking(&tmp)], STOP);
    let outcome = lines(&output).remove(0);
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut wanted = vec![
        "event",
        "decision",
        "reason",
        "updated_input",
        "updated_output",
        "additional_context",
        "system_messages",
        "stop",
        "suppress_output",
        "updated_permissions",
        "interrupt",
        "extra",
        "hooks",
        "diagnostics",
    ];
    wanted.sort_unstable();
    assert_eq!(keys(&outcome), wanted);
    let mut wanted = vec![
        "id",
        "dialect",
        "origin",
        "type",
        "label",
        "matcher",
        "status",
        "exit_code",
        "duration_ms",
        "decision",
        "reason",
        "stdout_bytes",
        "stderr_bytes",
        "truncated",
        "error",
    ];
    wanted.sort_unstable();
    assert_eq!(keys(&outcome["hooks"][0]), wanted);
}

#[test]
fn pretty_indents_and_a_file_can_hold_the_event() {
    let tmp = TempDir::new();
    let event = tmp.file("event.json", STOP);
    let args = [
        "dispatch",
        "--dialect",
        "codebuddy",
        "--settings",
        &blocking(&tmp),
        "--pretty",
        event.to_str().unwrap(),
    ];
    let output = crosshook(&args, "");
    assert!(text(&output.stdout).starts_with("{\n  \"event\": \"Stop\""));
}

#[test]
fn bad_usage_is_two() {
    let (code, message) = refused(&["dispatch", "--dialect", "klingon"], STOP);
    assert_eq!(code, 2);
    assert!(message.contains("codebuddy, zcode, qwen, claude"), "{message}");
    let (code, message) = refused(&["dispatch", "--dialect", "qwen", "--settings", "mine=x.json"], STOP);
    assert_eq!(code, 2);
    assert!(message.contains("no scope `mine`"), "{message}");
    assert_eq!(refused(&["dispatch", "--dialect", "qwen", "--what"], STOP).0, 2);
    assert_eq!(refused(&["dispatch"], STOP).0, 2);
}

#[test]
fn bad_events_are_one_and_say_why() {
    let tmp = TempDir::new();
    let settings = blocking(&tmp);
    let args = ["dispatch", "--dialect", "codebuddy", "--settings", &settings];
    let cases: [(&[u8], &str); 9] = [
        (b"", "there is no event"),
        (b"not json", "the event is not JSON"),
        (b"[1]", "not a JSON object"),
        (b"{}", "no `hook_event_name`"),
        (br#"{"hook_event_name":5}"#, "is a number, not a string"),
        (br#"{"hook_event_name":"Stop""#, "the event is not JSON"),
        (b"{\"hook_event_name\":\"St\xffop\"}", "the event is not JSON"),
        (br#"{"hook_event_name":"Stop",}"#, "the event is not JSON"),
        (b"{\"hook_event_name\":\"St\0op\"}", "the event is not JSON"),
    ];
    for (event, wanted) in cases {
        let (code, message) = refused(&args, event);
        assert_eq!(code, 1, "{message}");
        assert!(message.contains(wanted), "{message}");
    }
    let (code, message) =
        refused(&["dispatch", "--dialect", "qwen", "--settings", &settings, "/no/such/event"], "");
    assert_eq!(code, 1);
    assert!(message.contains("/no/such/event"), "{message}");
}

#[test]
fn outcomes_before_a_bad_event_are_printed() {
    let tmp = TempDir::new();
    let args = ["dispatch", "--dialect", "codebuddy", "--settings", &blocking(&tmp)];
    let output = crosshook(&args, format!("{STOP}\n{{}}"));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(lines(&output).len(), 1);
}

#[test]
fn bad_settings_files_are_one_and_name_file_and_line() {
    let tmp = TempDir::new();
    let cases: [(&[u8], &str); 4] = [
        (b"{\n\"hooks\": ", "bad.json:2"),
        (b"[]", "the settings are an array, not an object"),
        (b"", "the settings are empty"),
        (b"{\"a\":\"\xff\"}", "not UTF-8"),
    ];
    for (content, wanted) in cases {
        let file = tmp.file("bad.json", content);
        for command in ["dispatch", "explain", "list"] {
            let args = [command, "--dialect", "zcode", "--settings", file.to_str().unwrap()];
            let (code, message) = refused(&args, STOP);
            assert_eq!(code, 1, "{message}");
            assert!(message.contains(wanted) && message.contains("bad.json"), "{message}");
        }
    }
    let dir = tmp.path().display().to_string();
    for missing in ["/no/such/settings.json", &dir] {
        let (code, message) = refused(&["dispatch", "--dialect", "zcode", "--settings", missing], STOP);
        assert_eq!(code, 1);
        assert!(message.contains(missing) && message.contains("cannot be read"), "{message}");
    }
}

#[test]
fn odd_events_still_decide() {
    let tmp = TempDir::new();
    let args = ["dispatch", "--dialect", "codebuddy", "--settings", &blocking(&tmp)];
    let deep = format!(r#"{{"hook_event_name":"Stop","x":{}{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
    let surrogate = r#"{"hook_event_name":"Stop","prompt":"\ud800","\udc00":"\u0000"}"#.to_owned();
    let bom = format!("\u{feff}{STOP}");
    let large = format!(r#"{{"hook_event_name":"Stop","x":"{}"}}"#, "y".repeat(64 << 20));
    let wrong_types = r#"{"hook_event_name":"Stop","cwd":7,"session_id":null,"tool_input":"x"}"#.to_owned();
    for event in [deep, surrogate, bom, large, wrong_types] {
        let output = crosshook(&args, event);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(lines(&output)[0]["decision"], "block");
    }
}

#[test]
fn explain_says_why_for_every_hook() {
    let tmp = TempDir::new();
    let hook = |command: &str| json!({"type": "command", "command": command});
    let settings = json!({"hooks": {
        "PreToolUse": [
            {"matcher": "Bash", "hooks": [hook("one"), hook("one")]},
            {"matcher": "^Write$", "hooks": [hook("two")]},
            {"matcher": "(", "hooks": [hook("three")]},
        ],
        "Stop": [{"hooks": [hook("four")]}],
        "PreToolUsed": [{"hooks": [hook("five")]}],
    }});
    let file = tmp.file("s.json", settings.to_string());
    let event = r#"{"hook_event_name":"PreToolUse","tool_name":"Bash"}"#;
    let output = crosshook(
        &["explain", "--json", "--dialect", "codebuddy", "--settings", file.to_str().unwrap()],
        event,
    );
    let rows: Vec<(bool, String)> = lines(&output)
        .iter()
        .map(|line| (line["runs"].as_bool().unwrap(), line["why"].as_str().unwrap().to_owned()))
        .collect();
    let wanted = [
        (true, "`Bash` matches `Bash`"),
        (false, "it is the same hook as user/PreToolUse/0/0, which runs"),
        (false, "`^Write$` does not match `Bash`"),
        (false, "the matcher `(` is no valid pattern"),
        (false, "CodeBuddy Code has no event `PreToolUsed`"),
        (false, "it is for Stop, not PreToolUse"),
    ];
    assert_eq!(rows.len(), wanted.len());
    for ((runs, why), (wanted_runs, wanted_why)) in rows.iter().zip(wanted) {
        assert_eq!(*runs, wanted_runs, "{why}");
        assert!(why.starts_with(wanted_why), "{why}");
    }
    let table =
        crosshook(&["explain", "--dialect", "codebuddy", "--settings", file.to_str().unwrap()], event);
    assert!(text(&table.stdout).contains("does not run"));
}

#[test]
fn check_finds_errors_with_their_place() {
    let tmp = TempDir::new();
    let good = blocking(&tmp);
    let output = crosshook(&["check", "--dialect", "codebuddy", "--settings", &good], "");
    assert_eq!(
        (output.status.code(), text(&output.stdout).as_str()),
        (Some(0), "nothing to complain about\n")
    );
    let bad = tmp.file(
        "s.json",
        "{\"hooks\": {\n \"PreToolUse\": [\n  {\"matcher\": \"[\", \"hooks\": []},\n  {\"hooks\": [\n   {\"type\": \"comand\"},\n   {\"type\": \"command\", \"command\": \"x\", \"timeout\": \"9\"}]}]}}",
    );
    let output =
        crosshook(&["check", "--json", "--dialect", "codebuddy", "--settings", bad.to_str().unwrap()], "");
    assert_eq!(output.status.code(), Some(1));
    let found: Vec<Value> = lines(&output);
    let place = |code: &str| {
        let one =
            found.iter().find(|line| line["code"] == code).unwrap_or_else(|| panic!("{code}: {found:?}"));
        (
            one["level"].as_str().unwrap(),
            one["origin"]["line"].as_u64().unwrap(),
            one["origin"]["pointer"].as_str().unwrap(),
        )
    };
    assert_eq!(place("invalid_matcher"), ("error", 3, "/hooks/PreToolUse/0/matcher"));
    assert_eq!(place("unknown_hook_type"), ("error", 5, "/hooks/PreToolUse/1/hooks/0"));
    assert_eq!(place("timeout_ignored"), ("warning", 6, "/hooks/PreToolUse/1/hooks/1/timeout"));
    let unreadable = tmp.file("broken.json", "{");
    let output = crosshook(&["check", "--dialect", "qwen", "--settings", unreadable.to_str().unwrap()], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("broken.json:1"), "{}", text(&output.stdout));
}

#[test]
fn list_shows_what_a_panel_needs() {
    let tmp = TempDir::new();
    let hook = json!({"type": "command", "command": "x", "async": true, "timeoutMs": 1500, "statusMessage": "m", "enabled": false});
    let settings = json!({"hooks": {"enabled": true, "events": {"Stop": [{"hooks": [hook]}]}}});
    let file = tmp.file("s.json", settings.to_string());
    let output =
        crosshook(&["list", "--json", "--dialect", "zcode", "--settings", file.to_str().unwrap()], "");
    let listed = lines(&output).remove(0);
    assert_eq!(listed["timeout"], json!(1.5));
    assert_eq!(
        (&listed["async"], &listed["once"], &listed["enabled"]),
        (&json!(true), &json!(false), &json!(false))
    );
    assert_eq!(
        (&listed["status_message"], &listed["why_not"]),
        (&json!("m"), &json!("its `enabled` is false"))
    );
    assert_eq!(listed["origin"]["scope"], "user");
    let table = crosshook(&["list", "--dialect", "zcode", "--settings", file.to_str().unwrap()], "");
    assert!(text(&table.stdout).lines().next().unwrap().starts_with("EVENT"));
}

#[test]
fn an_interrupted_run_leaves_no_hook_behind() {
    let tmp = TempDir::new();
    let marker = tmp.path().join("alive");
    let command = format!("echo $$ > {}; sleep 30", marker.display());
    let settings = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}});
    let file = tmp.file("s.json", settings.to_string());
    let mut child = Command::new(env!("CARGO_BIN_EXE_crosshook"))
        .args(["dispatch", "--dialect", "codebuddy", "--settings", file.to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(STOP.as_bytes()).unwrap();
    wait_until(|| std::fs::read_to_string(&marker).is_ok_and(|text| text.ends_with('\n')));
    let hook = std::fs::read_to_string(&marker).unwrap().trim().to_owned();
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(128 + 15));
    wait_until(|| gone(&hook));
}

#[test]
fn hooks_that_run_in_the_background_are_started_and_outlive_the_command() {
    let tmp = TempDir::new();
    // The output would kill them, were it a pipe that nobody reads any more.
    let command = "sleep 0.2; echo out; echo err >&2; : > \"$MARK\"";
    for dialect in ["codebuddy", "zcode", "qwen"] {
        for run in 0..10 {
            let mark = tmp.path().join(format!("{dialect}-{run}"));
            let command = command.replace("$MARK", mark.to_str().unwrap());
            let hook = json!({"type": "command", "command": command, "async": true});
            let events = json!({"Stop": [{"hooks": [hook]}]});
            let settings = match dialect {
                "zcode" => json!({"hooks": {"enabled": true, "events": events}}),
                _ => json!({"hooks": events}),
            };
            let settings = settings.to_string();
            let settings = tmp.file("settings.json", settings).display().to_string();
            let output = crosshook(&["dispatch", "--dialect", dialect, "--settings", &settings], STOP);
            let outcome = lines(&output).remove(0);
            assert_eq!(outcome["hooks"][0]["status"], "background", "{outcome}");
            assert!(!mark.exists(), "it was waited for");
            wait_until(|| mark.exists());
        }
    }
}

#[test]
fn schema_prints_what_editors_take() {
    let output = crosshook(&["schema", "--dialect", "qwen"], "");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), crosshook::settings_schema("qwen").unwrap());
    let (code, said) = refused(&["schema", "--dialect", "pascal"], "");
    assert_eq!(code, 2);
    assert!(said.contains("it is one of"), "{said}");
}

#[test]
fn a_recording_is_decided_again_and_an_incomplete_line_is_left_out() {
    let tmp = TempDir::new();
    let (settings, file) = (blocking(&tmp), tmp.path().join("r.jsonl"));
    let file = file.to_str().unwrap();
    let record = ["dispatch", "--dialect", "codebuddy", "--settings", &settings, "--record", file];
    let output =
        crosshook(&[&record[..], &["--redact", "key:mood"]].concat(), STOP.replace('}', r#","mood":"bad"}"#));
    assert_eq!(output.status.code(), Some(0));
    crosshook(&record, STOP);
    let written = std::fs::read_to_string(file).unwrap();
    assert!(written.contains(r#""mood":"[redacted]""#) && written.lines().count() == 2, "{written}");
    // Somebody died in the middle of a line: at the end, and before a line of somebody else.
    let half = written.split_at(100).0;
    std::fs::write(file, format!("{written}{half}")).unwrap();
    crosshook(&record, STOP);
    std::fs::write(file, format!("{}{half}", std::fs::read_to_string(file).unwrap())).unwrap();
    let output = crosshook(&["replay", file], "");
    assert_eq!(
        (output.status.code(), text(&output.stdout).as_str()),
        (Some(0), "3 as recorded, 0 otherwise\n"),
        "an incomplete line is no fault"
    );
    let told = text(&output.stderr);
    for number in [3, 5] {
        assert!(told.contains(&format!(":{number}: the line is not complete and is left out")), "{told}");
    }
    let output = crosshook(&["replay"], format!("{written}no line\n"));
    assert_eq!(
        (output.status.code(), text(&output.stdout).as_str()),
        (Some(1), "2 as recorded, 0 otherwise, 1 not usable\n")
    );
    let told = text(&output.stderr);
    assert!(
        told.contains("standard input:3: the recorded dispatch cannot be decided again: it is no JSON"),
        "{told}"
    );
    let output = crosshook(&["replay", "--json"], &written);
    assert_eq!(output.status.code(), Some(0));
    let found = lines(&output);
    assert_eq!((found.len(), &found[1]["line"], &found[1]["same"]), (2, &json!(2), &json!(true)));
}

#[test]
fn a_recording_is_compared_with_the_settings_of_today() {
    let tmp = TempDir::new();
    let (settings, file) = (blocking(&tmp), tmp.path().join("r.jsonl"));
    let file = file.to_str().unwrap();
    crosshook(&["dispatch", "--dialect", "codebuddy", "--settings", &settings, "--record", file], STOP);
    let replay = ["replay", "--dialect", "codebuddy", "--settings"];
    let output = crosshook(&[&replay[..], &[&settings, file]].concat(), "");
    assert_eq!(
        (output.status.code(), text(&output.stdout).as_str()),
        (Some(0), "1 as recorded, 0 otherwise\n")
    );
    let empty = tmp.file("empty.json", "{}").display().to_string();
    let output = crosshook(&[&replay[..], &[&empty, file]].concat(), "");
    let table = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    for wanted in [
        "decision was `block` and would be `none`",
        "user/Stop/0/0 ran and would not run: it is not configured any more",
        "\n0 as recorded, 1 otherwise\n",
    ] {
        assert!(table.contains(wanted), "{table}");
    }
    let output = crosshook(&[&replay[..], &[&empty, "--json", file]].concat(), "");
    let difference = &lines(&output)[0]["differences"][0];
    assert_eq!(
        (&difference["what"], &difference["recorded"], &difference["now"]),
        (&json!("decision"), &json!("block"), &json!("none"))
    );
}

#[test]
fn what_replay_and_record_cannot_use_is_refused() {
    let tmp = TempDir::new();
    let (status, told) = refused(&["replay", tmp.path().join("none").to_str().unwrap()], "");
    assert!(status == 1 && told.contains("the recording cannot be read"), "{told}");
    let folder = tmp.path().to_str().unwrap();
    let (status, told) = refused(&["replay", folder], "");
    assert!(status == 1 && told.contains(&format!("{folder}: the recording cannot be read: ")), "{told}");
    for (args, wanted) in [
        (&["replay", "--settings", "x"][..], "--dialect"),
        (&["dispatch", "--dialect", "qwen", "--record", "r", "--redact", "pin"], "write key:NAME"),
        (&["dispatch", "--dialect", "qwen", "--record", "r", "--redact", "key:"], "an empty key"),
        (&["dispatch", "--dialect", "qwen", "--record", "r", "--redact", "pattern:"], "an empty pattern"),
        (&["dispatch", "--dialect", "qwen", "--record", "r", "--redact", "pointer:"], "no JSON pointer"),
        (&["dispatch", "--dialect", "qwen", "--record", "r", "--redact", "pattern:("], "cannot be used"),
        (&["dispatch", "--dialect", "qwen", "--redact", "key:pin"], "--record"),
    ] {
        let (status, told) = refused(args, "");
        assert!(status == 2 && told.contains(wanted), "{told}");
    }
    let args = ["dispatch", "--dialect", "qwen", "--record", tmp.path().to_str().unwrap()];
    let (status, told) = refused(&args, STOP);
    assert!(status == 1 && told.contains("cannot be recorded there"), "{told}");
}

/// A write past what the system allows would end the process with a signal, before it has printed the decision.
#[cfg(unix)]
#[test]
fn a_recording_that_the_system_does_not_let_grow_loses_no_decision() {
    let tmp = TempDir::new();
    let event = tmp.file("event.json", STOP.replace('}', &format!(r#","text":"{}"}}"#, "x".repeat(20_000))));
    let record = tmp.path().join("r.jsonl");
    let line = r#"ulimit -f 4; exec "$0" dispatch --dialect codebuddy --settings "$1" --record "$2" "$3""#;
    let output = Command::new("sh")
        .args(["-c", line, env!("CARGO_BIN_EXE_crosshook"), &blocking(&tmp)])
        .args([&record, &event])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let outcome = lines(&output).remove(0);
    assert_eq!(
        (&outcome["decision"], &outcome["diagnostics"][0]["code"]),
        (&json!("block"), &json!("record_failed"))
    );
    assert_eq!(std::fs::read(record).unwrap(), b"");
}

#[test]
fn grants_are_listed_given_and_taken_back() {
    let tmp = TempDir::new();
    let hook = json!({"type": "command", "command": "exit 2"});
    let on = json!({"hooks": {"enabled": true, "events": {"Stop": [{"hooks": [hook]}]}}});
    tmp.file("project/.zcode/config.json", on.to_string());
    tmp.file("home/.zcode/cli/config.json", json!({"hooks": {"enabled": true}}).to_string());
    let path = |name: &str| tmp.path().join(name).display().to_string();
    let (project, home, store) = (path("project"), path("home"), path("grants.json"));
    let places = ["--dialect", "zcode", "--project-dir", &project, "--home", &home];
    let trust = |action: &[&str], with_store: bool| {
        let store = if with_store { vec!["--trust-store", store.as_str()] } else { Vec::new() };
        crosshook(&[&["trust"], action, &places[..], &store].concat(), "")
    };
    let listed = || lines(&trust(&["list", "--json"], true));
    let found = listed();
    assert_eq!((found.len(), &found[0]["granted"]), (1, &json!(false)), "{found:?}");
    assert_eq!(found[0]["hooks"][0]["label"], "exit 2");
    let digest = found[0]["digest"].as_str().unwrap().to_owned();
    let table = text(&trust(&["list"], true).stdout);
    assert!(table.contains("waits") && table.contains("Stop: exit 2") && table.contains(&digest), "{table}");

    let stop = |more: &[&str]| {
        let args = [&["dispatch", "--untrusted"], &places[..], &["--trust-store", &store], more].concat();
        lines(&crosshook(&args, STOP))[0]["decision"].clone()
    };
    assert_eq!(stop(&[]), "none");
    let refused = trust(&["grant", &digest], false);
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(1), 0));
    assert!(text(&refused.stderr).contains("--trust-store FILE"), "{}", text(&refused.stderr));
    let unknown = trust(&["grant", "sha256:00"], true);
    assert!(unknown.status.code() == Some(1) && text(&unknown.stderr).contains("sha256:00"));

    assert_eq!(text(&trust(&["grant", &digest], true).stdout), format!("granted {digest}\n"));
    assert_eq!(stop(&[]), "block");
    let found = listed();
    assert_eq!((found.len(), &found[0]["granted"], &found[0]["digest"]), (1, &json!(true), &json!(digest)));
    assert_eq!(text(&trust(&["revoke", &digest], true).stdout), format!("revoked {digest}\n"));
    assert_eq!((stop(&[]), &listed()[0]["granted"]), (json!("none"), &json!(false)));
    let again = trust(&["revoke", &digest], true);
    assert!(again.status.code() == Some(1) && text(&again.stderr).contains("no grant"), "{again:?}");
}
