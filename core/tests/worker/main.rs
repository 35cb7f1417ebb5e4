//! Worker hooks: started once, asked for each event.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
#![cfg(unix)]

mod faults;
mod life;
#[path = "../support/mod.rs"]
mod support;

use crosshook::{Code, Decision, Engine, Options, Outcome, Status};
use serde_json::{Value, json};
use support::TempDir;

/// For workers in sh: `said` answers the event in `$line` with these members of `crosshook`, `answer` with an object.
const SAYING: &str = r#"said() { i=${line##*'"id":'}; printf '{"crosshook":{"id":%s%s}}\n' "${i%%\}*}" "${1:+,$1}"; }
answer() { i=${line##*'"id":'}; printf '{"crosshook":{"id":%s},%s\n' "${i%%\}*}" "${1#\{}"; }"#;

/// A worker in sh, in a folder of its own, that writes down its process id and every line it is given.
struct Bench {
    dir: TempDir,
}

impl Bench {
    /// `each` is what it does with `$line`.
    fn new(each: &str) -> Self {
        let bench = Self { dir: TempDir::new() };
        bench.script(each);
        bench
    }

    fn script(&self, each: &str) {
        let here = self.dir.path().display();
        let text = format!(
            "cd '{here}'\necho $$ >> starts\n{SAYING}\nwhile IFS= read -r line; do\nprintf '%s\\n' \"$line\" >> seen\n{each}\ndone\n\
             echo $$ >> ends\n"
        );
        self.dir.file("worker.sh", text);
    }

    fn hook(&self, more: Value) -> Value {
        let mut hook = json!({"type": "command", "worker": true, "timeout": 20,
            "command": format!("sh '{}'", self.dir.path().join("worker.sh").display())});
        for (key, value) in more.as_object().unwrap() {
            hook[key] = value.clone();
        }
        hook
    }

    fn engine(&self, more: Value) -> Engine {
        engine("claude", json!({"PreToolUse": [{"hooks": [self.hook(more)]}]}))
    }

    fn lines(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.dir.path().join(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.dir.path().join(name)
    }
}

fn engine(dialect: &str, events: Value) -> Engine {
    let settings = match dialect {
        "zcode" => json!({"hooks": {"enabled": true, "events": events}}),
        _ => json!({"hooks": events}),
    };
    Engine::new(Options::new(dialect).settings_text(None, settings.to_string())).unwrap()
}

fn event(tool: &str) -> String {
    json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "tool_name": tool, "tool_input": {}}).to_string()
}

fn ask(engine: &Engine, tool: &str) -> Outcome {
    engine.dispatch_blocking(event(tool)).unwrap()
}

fn codes(outcome: &Outcome) -> Vec<Code> {
    outcome.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

/// What a worker says when it has nothing against it, and for `Deny`.
const GUARD: &str = r#"case $line in
*'"tool_name":"Deny"'*) said '"exit_code":2,"stderr":"not that"' ;;
*) answer '{"systemMessage":"seen"}' ;;
esac"#;

#[test]
fn one_process_answers_all_events() {
    let bench = Bench::new(GUARD);
    let engine = bench.engine(json!({}));
    assert_eq!(bench.lines("starts").len(), 0, "not before it is needed");
    let first = ask(&engine, "Read");
    assert_eq!((first.decision, &first.system_messages[..]), (Decision::None, &["seen".to_owned()][..]));
    assert_eq!(first.hooks[0].exit_code, Some(0));
    let second = ask(&engine, "Deny");
    assert_eq!((second.decision, second.reason.as_deref()), (Decision::Deny, Some("not that")));
    assert_eq!((second.hooks[0].status, second.hooks[0].exit_code), (Status::Blocked, Some(2)));
    assert_eq!(ask(&engine, "Write").system_messages, ["seen"]);
    assert_eq!(bench.lines("starts").len(), 1);
    let seen: Vec<Value> =
        bench.lines("seen").iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let wanted = |tool: &str, id: u64| {
        let mut event: Value = serde_json::from_str(&event(tool)).unwrap();
        event["crosshook"] = json!({"id": id});
        event
    };
    assert_eq!(seen, [wanted("Read", 1), wanted("Deny", 2), wanted("Write", 3)]);
}

#[test]
fn it_is_one_line_whatever_the_event_looks_like() {
    let bench = Bench::new("said");
    let engine = bench.engine(json!({}));
    let large = "x y\\n".repeat(200_000);
    let text = format!(
        "{{\n \"hook_event_name\": \"PreToolUse\",\r\n\"tool_name\" : \"A\\nB\", \"cwd\": \"/\",\n\n\"tool_input\": {{ \"a\":\n\"{large}\"\n}} }}\n"
    );
    assert_eq!(codes(&engine.dispatch_blocking(text.clone()).unwrap()), []);
    let seen = bench.lines("seen");
    assert_eq!(seen.len(), 1);
    let seen: Value = serde_json::from_str(&seen[0]).unwrap();
    let mut wanted: Value = serde_json::from_str(&text).unwrap();
    wanted["crosshook"] = json!({"id": 1});
    assert_eq!(seen, wanted);
}

#[test]
fn hooks_of_one_command_share_it() {
    let bench = Bench::new("answer '{\"systemMessage\":\"seen\"}'");
    let group = json!([{"hooks": [bench.hook(json!({}))]}]);
    let engine = engine("claude", json!({"PreToolUse": group, "PostToolUse": group}));
    assert_eq!(ask(&engine, "Read").system_messages, ["seen"]);
    let post = event("Read").replace("PreToolUse", "PostToolUse");
    assert_eq!(engine.dispatch_blocking(post).unwrap().system_messages, ["seen"]);
    assert_eq!(bench.lines("starts").len(), 1);
    // In another folder, it is another one: a worker sees the folder that its command would.
    let elsewhere = event("Read").replace("\"/\"", &json!(bench.dir.path()).to_string());
    assert_eq!(engine.dispatch_blocking(elsewhere).unwrap().system_messages, ["seen"]);
    assert_eq!(bench.lines("starts").len(), 2);
}

#[test]
fn without_blocking_it_is_the_same() {
    let bench = Bench::new(GUARD);
    let engine = bench.engine(json!({}));
    for (tool, decision) in [("Read", Decision::None), ("Deny", Decision::Deny), ("Read", Decision::None)] {
        let outcome = support::block_on(engine.dispatch(event(tool))).unwrap();
        assert_eq!((outcome.decision, outcome.hooks[0].error.as_deref()), (decision, None), "{tool}");
    }
    assert_eq!(ask(&engine, "Deny").decision, Decision::Deny);
    assert_eq!(bench.lines("starts").len(), 1);
}

/// What the command would have left behind: exit code, standard output, standard error.
const LEFT: [(u8, &str, &str); 13] = [
    (0, "", ""),
    (0, "plain text", ""),
    (0, "two\nlines\n", ""),
    (0, r#"{"decision":"block","reason":"r"}"#, ""),
    (0, r#"{"decision":"deny","reason":"r"}"#, ""),
    (0, r#"{"continue":false,"stopReason":"halt"}"#, ""),
    (
        0,
        r#"{"systemMessage":"m","hookSpecificOutput":{"hookEventName":"EVENT","additionalContext":"c"}}"#,
        "",
    ),
    (
        0,
        r#"{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"deny","permissionDecisionReason":"r"}}"#,
        "",
    ),
    (
        0,
        r#"{"hookSpecificOutput":{"hookEventName":"EVENT","permissionDecision":"allow","updatedInput":{"a":2}}}"#,
        "",
    ),
    (0, "{broken", "said on the side"),
    (2, "", "because"),
    (2, r#"{"decision":"allow"}"#, ""),
    (1, r#"{"decision":"block"}"#, "Traceback\nError: x"),
];

/// All of an outcome that does not depend on the time it took.
fn told(outcome: &Outcome) -> Value {
    let mut told: Value = serde_json::to_value(outcome).unwrap();
    for hook in told["hooks"].as_array_mut().unwrap() {
        for key in ["duration_ms", "label"] {
            hook.as_object_mut().unwrap().remove(key);
        }
    }
    let text = told.to_string();
    // Messages name the command.
    let mut parts = text.split("hook `");
    let first = parts.next().unwrap().to_owned();
    let rest: Vec<&str> = parts.map(|part| part.split_once('`').unwrap().1).collect();
    serde_json::from_str(&[vec![&*first], rest].concat().join("hook ")).unwrap()
}

/// A time limit in the unit of the dialect.
fn minute(dialect: &str) -> Value {
    json!({"timeout": if dialect == "gemini" { 60_000 } else { 60 }})
}

#[test]
fn in_every_dialect_its_answer_reads_as_the_commands() {
    for dialect in crosshook::dialect_names() {
        let names = match dialect {
            "gemini" => ["BeforeTool", "AfterAgent", "BeforeAgent"],
            _ => ["PreToolUse", "Stop", "UserPromptSubmit"],
        };
        for name in names {
            let bench =
                Bench::new("if [ -e said ]; then said \"$(cat said)\"; else answer \"$(cat answer)\"; fi");
            let here = bench.dir.path().display();
            let once = json!({"type": "command", "command": format!("cat '{here}/stdout'; cat '{here}/stderr' >&2; exit $(cat '{here}/code')")});
            let (once, lasting) = (
                engine(dialect, json!({name: [{"hooks": [once]}]})),
                engine(dialect, json!({name: [{"hooks": [bench.hook(minute(dialect))]}]})),
            );
            for (code, stdout, stderr) in LEFT {
                let stdout = stdout.replace("EVENT", name);
                bench.dir.file("stdout", &stdout);
                bench.dir.file("stderr", stderr);
                bench.dir.file("code", code.to_string());
                let said = json!({"exit_code": code, "stdout": stdout, "stderr": stderr}).to_string();
                bench.dir.file("said", said.trim_matches(['{', '}']));
                let event =
                    json!({"hook_event_name": name, "session_id": "s", "cwd": "/", "tool_name": "Bash",
                    "tool_input": {"a": 1}, "prompt": "p", "stop_hook_active": false})
                    .to_string();
                let wanted = once.dispatch_blocking(event.clone()).unwrap();
                let found = lasting.dispatch_blocking(event.clone()).unwrap();
                assert_eq!(told(&found), told(&wanted), "{dialect} {name} {code} {stdout} {stderr}");
                std::fs::remove_file(bench.path("said")).unwrap();
                if code == 0 && stdout.starts_with('{') && stdout.ends_with('}') {
                    // Said plainly, it is the same.
                    bench.dir.file("answer", stdout.as_bytes());
                    let plain = lasting.dispatch_blocking(event).unwrap();
                    let (plain, wanted) = (told(&plain), told(&wanted));
                    for key in [
                        "decision",
                        "reason",
                        "updated_input",
                        "additional_context",
                        "system_messages",
                        "stop",
                    ] {
                        assert_eq!(plain[key], wanted[key], "{dialect} {name} {stdout}: {key}");
                    }
                }
            }
            assert_eq!(bench.lines("starts").len(), 1, "{dialect} {name}");
        }
    }
}

/// Whoever writes the call must not be able to make the reason of its denial too long.
#[test]
fn a_denial_with_a_longer_reason_than_its_dialect_keeps_denies_as_the_commands_does() {
    for dialect in crosshook::dialect_names() {
        let name = if dialect == "gemini" { "BeforeTool" } else { "PreToolUse" };
        let long = "refused $(head -c 3000000 /dev/zero | tr '\\0' x)";
        let bench = Bench::new(&format!("said \"\\\"exit_code\\\":2,\\\"stderr\\\":\\\"{long}\\\"\""));
        let once = json!({"type": "command", "command": format!("printf %s \"{long}\" >&2; exit 2")});
        let event = json!({"hook_event_name": name, "session_id": "s", "cwd": "/", "tool_name": "Bash", "tool_input": {}});
        let outcome = |hook: Value| {
            let engine = engine(dialect, json!({name: [{"hooks": [hook]}]}));
            engine.dispatch_blocking(event.to_string()).unwrap()
        };
        let (wanted, found) = (outcome(once), outcome(bench.hook(minute(dialect))));
        assert_eq!(found.decision, Decision::Deny, "{dialect}: {:?}", found.diagnostics);
        assert_eq!(told(&found), told(&wanted), "{dialect}");
        let kept = |outcome: &Outcome| (outcome.hooks[0].stderr_bytes, outcome.hooks[0].truncated);
        assert_eq!(kept(&found), kept(&wanted), "{dialect}");
        assert_eq!(found.hooks[0].stderr_bytes, 3_000_008, "{dialect}");
    }
}

#[test]
fn a_worker_is_told_that_it_is_one_and_a_command_is_not() {
    let bench = Bench::new("answer \"{\\\"systemMessage\\\":\\\"worker $CROSSHOOK_WORKER\\\"}\"");
    assert_eq!(ask(&bench.engine(json!({})), "Read").system_messages, ["worker 1"]);
    let once = json!({"type": "command", "command": "echo \"{\\\"systemMessage\\\":\\\"worker ${CROSSHOOK_WORKER-none}\\\"}\""});
    let settings = json!({"hooks": {"PreToolUse": [{"hooks": [once]}]}}).to_string();
    let mut options = Options::new("claude").settings_text(None, settings);
    options.env = Some(std::env::vars().chain([("CROSSHOOK_WORKER".into(), "1".into())]).collect());
    assert_eq!(ask(&Engine::new(options).unwrap(), "Read").system_messages, ["worker none"]);
}

#[test]
fn it_is_listed_and_explained() {
    let bench = Bench::new("said");
    let hooks = json!([bench.hook(json!({})), {"type": "command", "command": "exit 0"}]);
    let engine = engine("claude", json!({"PreToolUse": [{"hooks": hooks}]}));
    assert_eq!(engine.list().iter().map(|hook| hook.worker).collect::<Vec<_>>(), [true, false]);
    let why: Vec<bool> = engine
        .explain(event("Read"))
        .unwrap()
        .iter()
        .map(|hook| hook.why.ends_with("; its worker is asked"))
        .collect();
    assert_eq!(why, [true, false]);
    assert!(!bench.path("starts").exists());
}

#[test]
fn the_key_is_checked() {
    let found = |worker: Value| {
        let bench = Bench::new("said");
        let engine = bench.engine(json!({"worker": worker}));
        let codes: Vec<Code> = engine.diagnostics().iter().map(|found| found.code).collect();
        (engine.list()[0].worker, codes)
    };
    for (worker, wanted) in [
        (json!(true), (true, vec![])),
        (json!(false), (false, vec![])),
        (json!(null), (false, vec![])),
        (json!({}), (true, vec![])),
        (json!({"maxConcurrent": 2, "idleSeconds": 0.5, "queue": 0}), (true, vec![])),
        (json!({"max_concurrent": 2, "idle_seconds": 1}), (true, vec![])),
        (json!("yes"), (false, vec![Code::WrongType])),
        (json!({"max_concurrent": 0}), (true, vec![Code::WrongType])),
        (json!({"max_concurrent": 1.5}), (true, vec![Code::WrongType])),
        (json!({"idleSeconds": "5"}), (true, vec![Code::WrongType])),
        (json!({"workers": 5}), (true, vec![Code::IgnoredKey])),
    ] {
        assert_eq!(found(worker.clone()), wanted, "{worker}");
    }
    let http = json!({"type": "http", "url": "https://example.com/", "worker": true});
    let engine = engine("claude", json!({"PreToolUse": [{"hooks": [http]}]}));
    let found: Vec<Code> = engine.diagnostics().iter().map(|found| found.code).collect();
    assert_eq!((found, engine.list()[0].worker), (vec![Code::IgnoredKey], false));
}
