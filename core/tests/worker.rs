//! Worker hooks: started once, asked for each event.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
#![cfg(unix)]

mod support;

use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use crosshook::{Code, Decision, Engine, Options, Outcome, Status};
use serde_json::{Value, json};
use support::{TempDir, gone, wait_until};

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
            "cd '{here}'\necho $$ >> starts\nwhile IFS= read -r line; do\nprintf '%s\\n' \"$line\" >> seen\n{each}\ndone\n\
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
*'"tool_name":"Deny"'*) echo '{"crosshook":{"exit_code":2,"stderr":"not that"}}' ;;
*) echo '{"systemMessage":"seen"}' ;;
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
    let bench = Bench::new("echo ok");
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
    let bench = Bench::new("echo '{\"systemMessage\":\"seen\"}'");
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

#[test]
fn in_every_dialect_its_answer_reads_as_the_commands() {
    for dialect in crosshook::dialect_names() {
        let names = match dialect {
            "gemini" => ["BeforeTool", "AfterAgent", "BeforeAgent"],
            _ => ["PreToolUse", "Stop", "UserPromptSubmit"],
        };
        for name in names {
            let bench = Bench::new("answer=$(cat answer); printf '%s\\n' \"$answer\"");
            let here = bench.dir.path().display();
            let once = json!({"type": "command", "command": format!("cat '{here}/stdout'; cat '{here}/stderr' >&2; exit $(cat '{here}/code')")});
            let (once, lasting) = (
                engine(dialect, json!({name: [{"hooks": [once]}]})),
                engine(dialect, json!({name: [{"hooks": [bench.hook(json!({"timeout": 60}))]}]})),
            );
            for (code, stdout, stderr) in LEFT {
                let stdout = stdout.replace("EVENT", name);
                bench.dir.file("stdout", &stdout);
                bench.dir.file("stderr", stderr);
                bench.dir.file("code", code.to_string());
                let said = json!({"crosshook": {"exit_code": code, "stdout": stdout, "stderr": stderr}});
                bench.dir.file("answer", format!("{said}\n"));
                let event =
                    json!({"hook_event_name": name, "session_id": "s", "cwd": "/", "tool_name": "Bash",
                    "tool_input": {"a": 1}, "prompt": "p", "stop_hook_active": false})
                    .to_string();
                let wanted = once.dispatch_blocking(event.clone()).unwrap();
                let found = lasting.dispatch_blocking(event.clone()).unwrap();
                assert_eq!(told(&found), told(&wanted), "{dialect} {name} {code} {stdout} {stderr}");
                if code == 0 && !stdout.contains('\n') && !stdout.is_empty() {
                    // Said plainly, it is the same.
                    bench.dir.file("answer", format!("{stdout}\n"));
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

#[test]
fn a_worker_that_ends_before_it_answers_has_failed() {
    for (each, why) in [
        ("exit 0", "its worker ended before it had answered"),
        ("echo 'no idea' >&2; exit 1", "its worker ended with exit code 1 before it had answered: no idea"),
        ("printf '{\"decision\":'; exit 0", "its worker ended before it had answered"),
        ("kill -9 $$", "its worker was killed by signal 9 before it had answered"),
        ("exec >&-; sleep 60", "its worker closed its standard output; it was ended"),
    ] {
        let bench = Bench::new(each);
        let open = bench.engine(json!({}));
        for round in 1..3 {
            let outcome = ask(&open, "Read");
            let hook = &outcome.hooks[0];
            assert_eq!((outcome.decision, hook.status), (Decision::None, Status::Error), "{each}");
            let error = hook.error.clone().unwrap();
            // Where a shell stays as its parent, that reports the signal as a code.
            assert!(error == why || each.starts_with("kill") && error.contains("exit code 137"), "{error}");
            assert_eq!(codes(&outcome), [Code::WorkerFailed], "{each}");
            assert_eq!(bench.lines("starts").len(), round, "{each}: another one for each event");
        }
        let closed = bench.engine(json!({"failMode": "closed"}));
        let outcome = ask(&closed, "Read");
        assert_eq!(outcome.decision, Decision::Deny, "{each}");
        assert!(outcome.reason.unwrap().contains("its worker "), "{each}");
    }
}

#[test]
fn a_worker_that_ends_with_the_code_that_denies_has_denied() {
    let bench = Bench::new("echo 'no way' >&2; exit 2");
    let outcome = ask(&bench.engine(json!({})), "Read");
    assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Deny, Some("no way")));
}

#[test]
fn a_worker_that_crashed_after_its_answer_is_replaced_and_that_is_said() {
    let bench = Bench::new("echo '{\"systemMessage\":\"seen\"}'; exit 3");
    let engine = bench.engine(json!({}));
    assert_eq!(ask(&engine, "Read").system_messages, ["seen"]);
    let pid = bench.lines("starts")[0].clone();
    wait_until(|| gone(&pid));
    let outcome = ask(&engine, "Read");
    assert_eq!(
        (&outcome.system_messages[..], codes(&outcome)),
        (&["seen".to_owned()][..], vec![Code::WorkerFailed])
    );
    assert!(outcome.diagnostics[0].message.contains("exit code 3"), "{}", outcome.diagnostics[0].message);
    // Whoever ends content needs no words.
    bench.script("echo '{\"systemMessage\":\"seen\"}'; exit 0");
    let _ = ask(&engine, "Read");
    let pid = bench.lines("starts").last().unwrap().clone();
    wait_until(|| gone(&pid));
    let _ = ask(&engine, "Read");
    let pid = bench.lines("starts").last().unwrap().clone();
    wait_until(|| gone(&pid));
    assert_eq!(codes(&ask(&engine, "Read")), []);
}

#[test]
fn one_that_takes_too_long_is_killed_with_its_group_and_replaced() {
    let bench = Bench::new("case $line in *Slow*) sleep 600 & echo $! > child; wait ;; *) echo ok ;; esac");
    let engine = bench.engine(json!({"timeout": 1}));
    let outcome = ask(&engine, "Slow");
    assert_eq!((outcome.hooks[0].status, codes(&outcome)), (Status::Timeout, vec![Code::HookTimeout]));
    let (pid, child) = (bench.lines("starts")[0].clone(), bench.lines("child")[0].clone());
    wait_until(|| gone(&pid) && gone(&child));
    let engine = bench.engine(json!({"timeout": 60}));
    let outcome = ask(&engine, "Read");
    assert_eq!((outcome.hooks[0].status, codes(&outcome)), (Status::Ok, vec![]));
    assert_eq!(bench.lines("starts").len(), 2);
}

#[test]
fn a_cancelled_one_is_killed() {
    let bench = Bench::new("sleep 600");
    let engine = bench.engine(json!({"timeout": 600}));
    let (sender, receiver) = mpsc::channel();
    let run = engine.start(event("Read"), move |outcome| sender.send(outcome).unwrap());
    wait_until(|| bench.lines("seen").len() == 1);
    run.cancel();
    let outcome = receiver.recv_timeout(Duration::from_secs(20)).unwrap().unwrap();
    assert_eq!(outcome.hooks[0].status, Status::Cancelled);
    let pid = bench.lines("starts")[0].clone();
    wait_until(|| gone(&pid));
}

#[test]
fn whatever_is_not_one_line_is_no_answer() {
    let long = "head -c 20000000 /dev/zero | tr '\\0' x; echo";
    for (each, why) in [
        ("printf 'log\\n{\"decision\":\"block\"}\\n'", "more than one line"),
        (long, "longer than"),
        ("yes | tr -d '\\n'", "longer than"),
        ("echo '{\"crosshook\":{\"exit_code\":-1}}'", "not usable"),
        ("echo '{\"crosshook\":{\"id\":0}}'", "answered event 0, not event 1"),
    ] {
        let bench = Bench::new(each);
        let outcome = ask(&bench.engine(json!({})), "Read");
        let error = outcome.hooks[0].error.clone().unwrap();
        assert_eq!((outcome.decision, outcome.hooks[0].status), (Decision::None, Status::Error), "{each}");
        assert!(
            error.contains(why) && error.ends_with("was ended") || error.contains("`crosshook.stdout`"),
            "{error}"
        );
        assert_eq!(codes(&outcome), [Code::WorkerFailed]);
        let pid = bench.lines("starts")[0].clone();
        wait_until(|| gone(&pid));
        let closed = ask(&bench.engine(json!({"failMode": "closed"})), "Read");
        assert_eq!(closed.decision, Decision::Deny, "{each}");
    }
}

#[test]
fn what_it_says_unasked_is_never_an_answer() {
    // It goes on talking after its answer; the second line is not taken for that of the next event.
    let bench = Bench::new(
        "case $line in *Late*) echo ok; sleep 0.2; echo '{\"systemMessage\":\"stale\"}'; touch said ;; *) echo '{\"systemMessage\":\"fresh\"}' ;; esac",
    );
    let engine = bench.engine(json!({}));
    assert_eq!(codes(&ask(&engine, "Late")), []);
    wait_until(|| bench.path("said").exists());
    let outcome = ask(&engine, "Read");
    assert_eq!(
        (&outcome.system_messages[..], codes(&outcome)),
        (&["fresh".to_owned()][..], vec![Code::WorkerFailed])
    );
    assert!(outcome.diagnostics[0].message.contains("unasked"), "{}", outcome.diagnostics[0].message);
    let pid = bench.lines("starts")[0].clone();
    wait_until(|| gone(&pid));
    assert_eq!(codes(&ask(&engine, "Read")), []);
}

#[test]
fn who_names_events_is_held_to_it() {
    let bench = Bench::new(
        "case $line in *Stray*) echo '{\"systemMessage\":\"stray\"}' ;; *) echo '{\"crosshook\":{\"id\":1}}' ;; esac",
    );
    let engine = bench.engine(json!({}));
    assert_eq!(ask(&engine, "Read").hooks[0].status, Status::Ok);
    let outcome = ask(&engine, "Stray");
    assert_eq!((outcome.hooks[0].status, outcome.system_messages.len()), (Status::Error, 0));
    assert!(outcome.hooks[0].error.as_deref().unwrap().contains("does not name event 2"));
}

#[test]
fn a_flood_on_standard_error_harms_nobody() {
    let bench = Bench::new("head -c 8000000 /dev/zero | tr '\\0' x >&2; echo '{\"systemMessage\":\"seen\"}'");
    let outcome = ask(&bench.engine(json!({})), "Read");
    assert_eq!(outcome.system_messages, ["seen"]);
    assert_eq!((outcome.hooks[0].stderr_bytes, outcome.hooks[0].truncated), (8_000_000, false));
}

#[test]
fn a_changed_script_is_started_anew() {
    let bench = Bench::new("echo '{\"systemMessage\":\"old\"}'");
    let engine = bench.engine(json!({}));
    assert_eq!(ask(&engine, "Read").system_messages, ["old"]);
    bench.script("echo '{\"systemMessage\":\"brand new\"}'");
    let outcome = ask(&engine, "Read");
    assert_eq!((&outcome.system_messages[..], codes(&outcome)), (&["brand new".to_owned()][..], vec![]));
    let pid = bench.lines("starts")[0].clone();
    wait_until(|| gone(&pid));
    assert_eq!(bench.lines("ends")[0], pid, "it ended by itself, at the end of its input");
}

fn parallel(engine: &Engine, tool: &str) -> mpsc::Receiver<Outcome> {
    let (sender, receiver) = mpsc::channel();
    engine.start(event(tool), move |outcome| sender.send(outcome.unwrap()).unwrap());
    receiver
}

fn soon(receiver: &mpsc::Receiver<Outcome>) -> Outcome {
    receiver.recv_timeout(Duration::from_secs(60)).unwrap()
}

/// Waits until the test says so.
const GATED: &str = "while [ ! -e gate ]; do sleep 0.05; done; echo '{\"systemMessage\":\"seen\"}'";

#[test]
fn events_wait_for_their_turn_and_the_queue_is_bounded() {
    for (mode, decision) in [("open", Decision::None), ("closed", Decision::Deny)] {
        let bench = Bench::new(GATED);
        let engine = bench.engine(json!({"timeout": 60, "failMode": mode, "worker": {"queue": 1}}));
        let first = parallel(&engine, "A");
        wait_until(|| bench.lines("seen").len() == 1);
        let second = parallel(&engine, "B");
        let third = soon(&parallel(&engine, "C"));
        assert_eq!((third.hooks[0].status, third.decision), (Status::Skipped, decision), "{mode}");
        assert!(codes(&third).contains(&Code::WorkerBusy));
        std::fs::write(bench.path("gate"), "").unwrap();
        for receiver in [first, second] {
            assert_eq!(soon(&receiver).system_messages, ["seen"]);
        }
        assert_eq!(bench.lines("starts").len(), 1);
    }
}

#[test]
fn whoever_waits_longer_than_its_time_is_not_asked() {
    let bench = Bench::new(GATED);
    let hooks = |timeout: u32| json!([{"hooks": [bench.hook(json!({"timeout": timeout}))]}]);
    let engine = engine("claude", json!({"PreToolUse": hooks(60), "PostToolUse": hooks(1)}));
    let first = parallel(&engine, "A");
    wait_until(|| bench.lines("seen").len() == 1);
    let second = engine.dispatch_blocking(event("B").replace("PreToolUse", "PostToolUse")).unwrap();
    assert_eq!((second.hooks[0].status, codes(&second)), (Status::Skipped, vec![Code::WorkerBusy]));
    std::fs::write(bench.path("gate"), "").unwrap();
    assert_eq!(soon(&first).system_messages, ["seen"], "the other one's time is its own");
    assert_eq!(bench.lines("seen").len(), 1);
}

#[test]
fn several_at_a_time_are_several_processes() {
    let bench = Bench::new(GATED);
    let engine = bench.engine(json!({"timeout": 60, "worker": {"max_concurrent": 3, "queue": 10}}));
    let all: Vec<_> = (0..5).map(|_| parallel(&engine, "A")).collect();
    wait_until(|| bench.lines("seen").len() == 3);
    std::fs::write(bench.path("gate"), "").unwrap();
    all.iter().for_each(|receiver| assert_eq!(soon(receiver).system_messages, ["seen"]));
    assert_eq!((bench.lines("starts").len(), bench.lines("seen").len()), (3, 5));
}

#[test]
fn an_idle_one_ends() {
    let bench = Bench::new("echo ok");
    let engine = bench.engine(json!({"worker": {"idleSeconds": 0.2}}));
    let _ = ask(&engine, "Read");
    wait_until(|| bench.lines("ends").len() == 1);
    assert_eq!(codes(&ask(&engine, "Read")), []);
    assert_eq!(bench.lines("starts").len(), 2);
}

#[test]
fn workers_end_with_their_engine_and_with_their_hooks() {
    let bench = Bench::new("echo ok");
    let engine = bench.engine(json!({}));
    let _ = ask(&engine, "Read");
    drop(engine);
    wait_until(|| bench.lines("ends").len() == 1);

    let hooks = json!({"PreToolUse": [{"hooks": [bench.hook(json!({}))]}]});
    let path = bench.dir.file("settings.json", json!({"hooks": hooks}).to_string());
    let engine = Engine::new(Options::new("claude").settings_file(None, &path)).unwrap();
    for (others, ends) in [(json!({}), 2), (json!({"hooks": hooks, "disableAllHooks": true}), 3)] {
        std::fs::write(&path, json!({"hooks": hooks}).to_string()).unwrap();
        engine.reload().unwrap();
        assert_eq!(ask(&engine, "Read").hooks.len(), 1);
        std::fs::write(&path, others.to_string()).unwrap();
        engine.reload().unwrap();
        wait_until(|| bench.lines("ends").len() == ends);
    }
}

#[test]
fn one_that_does_not_end_at_the_end_of_its_input_is_killed() {
    let bench = Bench::new("echo ok");
    bench.dir.file(
        "worker.sh",
        format!("echo $$ >> '{}'\nread -r line\necho ok\nsleep 600", bench.path("starts").display()),
    );
    let engine = bench.engine(json!({}));
    let _ = ask(&engine, "Read");
    drop(engine);
    let pid = bench.lines("starts")[0].clone();
    wait_until(|| gone(&pid));
}

#[test]
fn a_worker_is_told_that_it_is_one_and_a_command_is_not() {
    let bench = Bench::new("echo \"{\\\"systemMessage\\\":\\\"worker $CROSSHOOK_WORKER\\\"}\"");
    assert_eq!(ask(&bench.engine(json!({})), "Read").system_messages, ["worker 1"]);
    let once = json!({"type": "command", "command": "echo \"{\\\"systemMessage\\\":\\\"worker ${CROSSHOOK_WORKER-none}\\\"}\""});
    let settings = json!({"hooks": {"PreToolUse": [{"hooks": [once]}]}}).to_string();
    let mut options = Options::new("claude").settings_text(None, settings);
    options.env = Some(std::env::vars().chain([("CROSSHOOK_WORKER".into(), "1".into())]).collect());
    assert_eq!(ask(&Engine::new(options).unwrap(), "Read").system_messages, ["worker none"]);
}

#[test]
fn it_is_listed_and_explained() {
    let bench = Bench::new("echo ok");
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
        let bench = Bench::new("echo ok");
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

#[test]
fn one_that_cannot_be_started_says_so() {
    let hook = json!({"type": "command", "command": "/no/such/worker", "args": [], "worker": true});
    let engine = engine("claude", json!({"PreToolUse": [{"hooks": [hook]}]}));
    let outcome = ask(&engine, "Read");
    assert_eq!((outcome.hooks[0].status, codes(&outcome)), (Status::Error, vec![Code::SpawnFailed]));
    assert!(Path::new("/no/such/worker").parent().is_some_and(|dir| !dir.exists()));
}

#[test]
fn hooks_of_one_event_take_turns() {
    let bench = Bench::new("echo '{\"systemMessage\":\"seen\"}'");
    // Codex runs the same command twice.
    let hooks = json!([bench.hook(json!({})), bench.hook(json!({}))]);
    let engine = engine("codex", json!({"PreToolUse": [{"hooks": hooks}]}));
    assert_eq!(ask(&engine, "Bash").system_messages, ["seen", "seen"]);
    assert_eq!(support::block_on(engine.dispatch(event("Bash"))).unwrap().system_messages, ["seen", "seen"]);
    assert_eq!((bench.lines("starts").len(), bench.lines("seen").len()), (1, 4));
}

#[test]
fn every_event_gets_its_own_answer() {
    let bench = Bench::new(
        "tool=${line#*'\"tool_name\":\"'}; id=${line##*'\"id\":'}\n\
         printf '{\"systemMessage\":\"%s\",\"crosshook\":{\"id\":%s}}\\n' \"${tool%%'\"'*}\" \"${id%%\\}*}\"",
    );
    let engine = bench.engine(json!({"timeout": 60, "worker": {"maxConcurrent": 3, "queue": 100}}));
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let engine = &engine;
            scope.spawn(move || {
                for round in 0..25 {
                    let tool = format!("T{thread}x{round}");
                    let outcome = if round % 2 == 0 {
                        ask(engine, &tool)
                    } else {
                        support::block_on(engine.dispatch(event(&tool))).unwrap()
                    };
                    assert_eq!((outcome.system_messages, outcome.diagnostics.len()), (vec![tool], 0));
                }
            });
        }
    });
    assert!(bench.lines("starts").len() <= 3);
    assert_eq!(bench.lines("seen").len(), 150);
}
