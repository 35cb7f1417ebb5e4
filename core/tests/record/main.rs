//! Recording dispatches: what is written, what is left out, and what happens to the file.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod again;
mod live;
#[path = "../support/mod.rs"]
mod support;
mod today;

use std::fs;
use std::path::{Path, PathBuf};

use crosshook::{
    Code, Decision, Engine, ErrorKind, Field, Options, RecordOptions, RedactRule, Replay, Status,
};
use serde_json::{Value, json};
use support::TempDir;

const STOP: &str = r#"{"hook_event_name":"Stop","session_id":"s","cwd":"/"}"#;
const WRITE: &str = r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_name":"Write","tool_input":{"file_path":"/a","content":"x"}}"#;

fn command(line: &str) -> Value {
    json!({"type": "command", "command": line})
}

fn settings(event: &str, hooks: Value) -> String {
    json!({"hooks": {event: [{"matcher": "Write", "hooks": hooks}]}}).to_string()
}

fn options(dialect: &str, settings: &str, file: &Path) -> Options {
    let mut options = Options::new(dialect).settings_text(None, settings);
    options.record = Some(RecordOptions::new(file));
    options
}

struct Recording {
    _tmp: TempDir,
    file: PathBuf,
}

impl Recording {
    fn new() -> Self {
        let tmp = TempDir::new();
        let file = tmp.path().join("hooks.jsonl");
        Self { _tmp: tmp, file }
    }

    fn lines(&self) -> Vec<String> {
        fs::read_to_string(&self.file).unwrap().lines().map(str::to_owned).collect()
    }

    fn values(&self) -> Vec<Value> {
        self.lines().iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn last(&self) -> String {
        self.lines().pop().unwrap()
    }
}

fn same(replay: Replay) {
    assert!(replay.same && replay.differences.is_empty(), "{:?}", replay.differences);
}

fn whats(replay: &Replay) -> Vec<(&str, Option<&str>)> {
    replay.differences.iter().map(|one| (one.what, one.hook.as_deref())).collect()
}

fn engine_of(dialect: &str, settings: &str) -> Engine {
    Engine::new(Options::new(dialect).settings_text(None, settings)).unwrap()
}

#[test]
fn a_line_holds_what_was_decided_and_why() {
    let recording = Recording::new();
    let settings = settings("PreToolUse", json!([command("echo said; echo no >&2; exit 2")]));
    let engine = Engine::new(options("claude", &settings, &recording.file)).unwrap();
    let outcome = engine.dispatch_blocking(WRITE).unwrap();
    assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Deny, Some("no")));
    let line = &recording.values()[0];
    assert_eq!((&line["format"], &line["crosshook"]), (&json!(2), &json!(crosshook::VERSION)));
    assert_eq!(
        (&line["dialect"], &line["version"], &line["fail_mode"]),
        (&json!("claude"), &json!(null), &json!("open"))
    );
    assert_eq!(line["event"], serde_json::from_str::<Value>(WRITE).unwrap());
    let hook = &line["hooks"][0];
    assert_eq!((&hook["id"], &hook["matcher"]), (&json!(outcome.hooks[0].id), &json!("Write")));
    assert_eq!(hook["action"]["command"]["line"], "echo said; echo no >&2; exit 2");
    assert_eq!(
        (&hook["result"]["end"], &hook["result"]["stdout"]["text"]),
        (&json!({"exited": 2}), &json!("said\n"))
    );
    assert_eq!(hook["result"]["stderr"], json!({"text": "no\n", "total": 3, "kept": 3}));
    assert_eq!(line["outcome"], serde_json::from_str::<Value>(&outcome.to_json()).unwrap());
    assert!(
        line["time"].as_str().unwrap().starts_with("20") && line["time"].as_str().unwrap().ends_with('Z')
    );
}

#[test]
fn every_event_is_recorded_also_one_that_fires_nothing() {
    let recording = Recording::new();
    let engine = Engine::new(options("claude", "{}", &recording.file)).unwrap();
    assert!(engine.selection_fields("PostToolUse").is_none(), "a host would not hand the event over");
    let asked = engine.dispatch_by_fields(|key| match key {
        "hook_event_name" => Field::Text("PostToolUse".into()),
        _ => Field::Missing,
    });
    assert!(asked.is_none() && recording.lines().is_empty());
    engine.dispatch_blocking(WRITE).unwrap();
    let line = &recording.values()[0];
    assert_eq!((&line["hooks"], &line["outcome"]["decision"]), (&json!([]), &json!("none")));
    same(crosshook::replay(recording.last()).unwrap());
    let stricter = engine_of("claude", &settings("PreToolUse", json!([command("exit 2")])));
    let again = stricter.replay(recording.last()).unwrap();
    assert_eq!(whats(&again), [("not_recorded", Some(again.outcome.hooks[0].id.as_str()))]);
    assert_eq!(again.outcome.hooks[0].status, Status::Skipped);
}

#[test]
fn rules_hold_for_the_names_of_the_host() {
    let answer = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow",
        "updatedInput": {"command": "S3CRET-b", "timeout": 1}}});
    let mut execute = crosshook::ToolName::new("Bash");
    for (own, other) in [("cmd", "command"), ("api_token", "description")] {
        execute.arguments.insert(own.to_owned(), other.to_owned());
    }
    let rules = ["/tool_input/cmd", "/tool_input/command"].map(|at| RedactRule::Pointer(at.into()));
    for rule in rules.into_iter().chain([RedactRule::Key("cmd".into())]) {
        let recording = Recording::new();
        // The answer comes from a file: the hook's own command is no input.
        fs::write(recording.file.with_extension("answer"), answer.to_string()).unwrap();
        let hook = command(&format!("cat '{}'", recording.file.with_extension("answer").display()));
        let settings = json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}).to_string();
        let mut options = options("claude", &settings, &recording.file);
        options.tools.insert("execute".to_owned(), execute.clone());
        options.record.as_mut().unwrap().redact = vec![rule];
        let event = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "tool_name": "execute",
            "tool_input": {"cmd": "S3CRET-a", "api_token": "S3CRET-c"}});
        let outcome = Engine::new(options).unwrap().dispatch_blocking(event.to_string()).unwrap();
        assert!(outcome.to_json().contains(r#"{"cmd":"S3CRET-b""#), "{}", outcome.to_json());
        let line = recording.last();
        assert!(!line.contains("S3CRET"), "{line}");
        let value: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["event"]["tool_input"], json!({"cmd": "[redacted]", "api_token": "[redacted]"}));
        assert_eq!(value["outcome"]["updated_input"]["cmd"], "[redacted]");
        same(crosshook::replay(line).unwrap());
    }
}

#[test]
fn a_digest_tells_no_secret_and_hooks_are_found_again() {
    let recording = Recording::new();
    let hooks = |secret: &str| settings("PreToolUse", json!([command(&format!("TOKEN={secret} && exit 2"))]));
    let mut digests = Vec::new();
    for secret in ["S3CRET-a", "S3CRET-b"] {
        let engine = Engine::new(options("claude", &hooks(secret), &recording.file)).unwrap();
        engine.dispatch_blocking(WRITE).unwrap();
        let line: Value = serde_json::from_str(&recording.last()).unwrap();
        assert_eq!(line["hooks"][0]["action"]["command"]["line"], "TOKEN=[redacted] && exit 2");
        digests.push(line["hooks"][0]["digest"].clone());
        same(engine_of("claude", &hooks("S3CRET-c")).replay(recording.last()).unwrap());
        let other = settings("PreToolUse", json!([command("TOKEN=S3CRET-a && exit 0")]));
        let changed = engine_of("claude", &other).replay(recording.last()).unwrap();
        assert_eq!(whats(&changed).iter().filter(|(what, _)| *what == "not_run").count(), 1);
    }
    assert_eq!(digests[0], digests[1]);
}

#[test]
fn secrets_are_in_no_place_of_the_line_and_the_decision_stays() {
    let recording = Recording::new();
    let answer = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow",
        "updatedInput": {"file_path": "/a", "api_key": "S3CRET-a", "n": 1, "note": "PIN-S3CRET"}},
        "systemMessage": "used Authorization: Bearer S3CRET-b1234567890"});
    let line = format!("printf '%s' '{answer}'; echo 'password=S3CRET-c' >&2; : --token S3CRET-d");
    let env_hook = json!({"type": "command", "command": line});
    let hooks = json!([env_hook, {"type": "http", "url": "http://u:S3CRET-e@127.0.0.1:9/", "headers": {"X-Api-Key": "S3CRET-f"}}]);
    let mut options = options("claude", &settings("PreToolUse", hooks), &recording.file);
    let record = options.record.as_mut().unwrap();
    record.redact = vec![
        RedactRule::Pattern("PIN-[A-Z0-9]+".into()),
        RedactRule::Pointer("/tool_input/content".into()),
        RedactRule::Key("nick*".into()),
    ];
    let engine = Engine::new(options).unwrap();
    let event = json!({"hook_event_name": "PreToolUse", "session_id": "secret-token=S", "cwd": "/", "tool_name": "Write",
        "tool_input": {"file_path": "/a", "content": "S3CRET-g", "auth": {"access_token": ["S3CRET-h"], "max_tokens": 7},
                       "nickName": "S3CRET-i", "text": "see PIN-S3CRET and https://x/?sig=1&secret=S3CRET-j"}});
    let outcome = engine.dispatch_blocking(event.to_string()).unwrap();
    assert!(outcome.to_json().contains("S3CRET-a"), "the host gets all of it");
    let text = recording.last();
    assert!(!text.contains("S3CRET"), "{text}");
    let value: Value = serde_json::from_str(&text).unwrap();
    let input = &value["event"]["tool_input"];
    assert_eq!((&input["content"], &input["nickName"]), (&json!("[redacted]"), &json!("[redacted]")));
    assert_eq!(input["auth"], json!({"access_token": ["[redacted]"], "max_tokens": 7}));
    assert_eq!(input["text"], "see [redacted] and https://x/?sig=1&secret=[redacted]");
    assert_eq!(
        (&value["event"]["tool_name"], &value["event"]["session_id"]),
        (&json!("Write"), &json!("secret-token=S"))
    );
    assert_eq!(value["hooks"][0]["result"]["stderr"]["text"], "password=[redacted]\n");
    assert_eq!(value["hooks"][1]["action"]["http"]["headers"], json!([["X-Api-Key", "[redacted]"]]));
    let updated = json!({"file_path": "/a", "api_key": "[redacted]", "n": 1, "note": "[redacted]"});
    assert_eq!(value["outcome"]["updated_input"], updated);
    assert_eq!(value["outcome"]["system_messages"], json!(["used Authorization: Bearer [redacted]"]));
    assert!(value["redacted"].as_u64().unwrap() >= 12, "{}", value["redacted"]);
    same(crosshook::replay(&text).unwrap());
    same(engine.replay(&text).unwrap());
}

#[test]
fn without_the_usual_rules_only_those_of_the_host_count() {
    let recording = Recording::new();
    let mut options = options("claude", "{}", &recording.file);
    let record = options.record.as_mut().unwrap();
    (record.usual_rules, record.redact) = (false, vec![RedactRule::Key("pin".into())]);
    let event = r#"{"hook_event_name":"Setup","token":"stays","pin":"1"}"#;
    Engine::new(options).unwrap().dispatch_blocking(event).unwrap();
    assert_eq!(
        recording.values()[0]["event"],
        json!({"hook_event_name": "Setup", "token": "stays", "pin": "[redacted]"})
    );
}

#[test]
fn two_engines_record_in_one_file_at_once() {
    let recording = Recording::new();
    let text = settings("PreToolUse", json!([command("exit 2")]));
    std::thread::scope(|scope| {
        for session in ["one", "two"] {
            let (text, file) = (&text, &recording.file);
            scope.spawn(move || {
                let engine = Engine::new(options("claude", text, file)).unwrap();
                let filler = session.repeat(30_000);
                for _ in 0..15 {
                    let event = WRITE
                        .replace(r#""s""#, &format!(r#""{session}""#))
                        .replace(r#""x""#, &format!(r#""{filler}""#));
                    assert_eq!(engine.dispatch_blocking(event).unwrap().decision, Decision::Deny);
                }
            });
        }
    });
    let lines: Vec<String> = recording.lines().into_iter().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines.len(), 30);
    for session in ["one", "two"] {
        let own = lines
            .iter()
            .filter(|line| serde_json::from_str::<Value>(line).unwrap()["event"]["session_id"] == session);
        assert_eq!(own.count(), 15);
    }
    lines.iter().for_each(|line| same(crosshook::replay(line).unwrap()));
}

#[test]
fn an_event_of_sixteen_mebibytes_is_recorded_whole() {
    let recording = Recording::new();
    let engine =
        Engine::new(options("claude", &settings("PreToolUse", json!([command("exit 2")])), &recording.file))
            .unwrap();
    let content = "line of text\\n".repeat((16 << 20) / 14);
    let event = WRITE.replace(r#""x""#, &format!(r#""{content}""#));
    assert_eq!(engine.dispatch_blocking(event.clone()).unwrap().decision, Decision::Deny);
    let line = recording.last();
    assert!(line.contains(&event), "the event is not in the line as it came");
    same(crosshook::replay(&line).unwrap());
}

#[test]
fn what_cannot_be_recorded_is_said_once_and_nothing_is_lost() {
    let recording = Recording::new();
    let settings = settings("PreToolUse", json!([command("exit 2")]));
    Engine::new(options("claude", &settings, &recording.file)).unwrap().dispatch_blocking(WRITE).unwrap();
    let one_line = fs::metadata(&recording.file).unwrap().len();
    fs::remove_file(&recording.file).unwrap();
    let mut options = options("claude", &settings, &recording.file);
    options.record.as_mut().unwrap().max_bytes = one_line + one_line / 2;
    let engine = Engine::new(options).unwrap();
    let outcomes: Vec<_> = (0..4).map(|_| engine.dispatch_blocking(WRITE).unwrap()).collect();
    assert!(outcomes.iter().all(|outcome| outcome.decision == Decision::Deny));
    let said: Vec<bool> = outcomes
        .iter()
        .map(|outcome| outcome.diagnostics.iter().any(|one| one.code == Code::RecordFailed))
        .collect();
    assert_eq!(said, [false, true, false, false]);
    assert_eq!(recording.lines().len(), 1);
    // Moved away, it goes on; and what goes wrong then is said anew.
    fs::rename(&recording.file, recording.file.with_extension("1")).unwrap();
    assert!(engine.dispatch_blocking(WRITE).unwrap().diagnostics.is_empty());
    assert_eq!(recording.lines().len(), 1);
    fs::remove_file(&recording.file).unwrap();
    fs::create_dir(&recording.file).unwrap();
    let outcome = engine.dispatch_blocking(WRITE).unwrap();
    assert_eq!((outcome.decision, outcome.diagnostics[0].code), (Decision::Deny, Code::RecordFailed));
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_at_once() {
    let recording = Recording::new();
    let error = Engine::new(options("claude", "{}", &recording.file.join("below/nothing"))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.to_string().contains("dispatches cannot be recorded there"), "{error}");
}

#[test]
fn output_that_is_no_text_is_recorded_byte_by_byte() {
    let recording = Recording::new();
    let engine = Engine::new(options(
        "claude",
        &settings("PreToolUse", json!([command("printf '\\377no'; exit 0")])),
        &recording.file,
    ))
    .unwrap();
    let outcome = engine.dispatch_blocking(WRITE).unwrap();
    assert!(outcome.diagnostics.iter().any(|one| one.code == Code::InvalidOutput));
    assert_eq!(
        recording.values()[0]["hooks"][0]["result"]["stdout"],
        json!({"hex": "ff6e6f", "total": 3, "kept": 3})
    );
    same(crosshook::replay(recording.last()).unwrap());
}
