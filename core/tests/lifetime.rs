//! What outlives an event: background hooks, sessions, listeners, answers of the host.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod support;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crosshook::{CannedReplies, Code, Decision, Engine, GoalStatus, Host, Options, Outcome, Request, Status};
use serde_json::{Value, json};
use support::TempDir;

const LONG: Duration = Duration::from_secs(20);

fn settings(dialect: &str, event: &str, hooks: Value) -> Options {
    let groups = json!([{"hooks": hooks}]);
    let settings = match dialect {
        "zcode" => json!({"hooks": {"enabled": true, "events": {event: groups}}}),
        _ => json!({"hooks": {event: groups}}),
    };
    Options::new(dialect).settings_text(None, settings.to_string())
}

fn engine(dialect: &str, event: &str, hooks: Value) -> Engine {
    Engine::new(settings(dialect, event, hooks)).unwrap()
}

fn background(line: &str) -> Value {
    json!({"type": "command", "command": line, "async": true})
}

fn prompt(dialect: &str, event: &str, hook: Value, host: impl Host + 'static) -> Outcome {
    let engine = Engine::with_host(settings(dialect, event, json!([hook])), Arc::new(host)).unwrap();
    let event = json!({"hook_event_name": event, "cwd": "/", "tool_name": "Bash", "tool_input": {"a": 1}});
    engine.dispatch_blocking(event.to_string()).unwrap()
}

#[test]
fn background_hooks_can_be_listed_awaited_and_heard_late() {
    let engine =
        engine("codebuddy", "Stop", json!([background("sleep 0.3; printf '{\"systemMessage\":\"built\"}'")]));
    let outcome =
        engine.dispatch_blocking(r#"{"hook_event_name":"Stop","session_id":"s","cwd":"/"}"#).unwrap();
    assert_eq!((outcome.decision, outcome.hooks[0].status), (Decision::None, Status::Background));
    let running = engine.background();
    assert_eq!((running.len(), running[0].event.as_str()), (1, "Stop"));
    assert!(!engine.wait_background(Duration::from_millis(1)).unwrap());
    assert!(engine.take_late_results().is_empty());
    assert!(engine.wait_background(LONG).unwrap());
    assert!(engine.background().is_empty());
    let late = engine.take_late_results();
    assert_eq!(
        (late[0].system_message.as_deref(), late[0].session_id.as_deref()),
        (Some("built"), Some("s"))
    );
    assert!(engine.take_late_results().is_empty());
}

#[test]
fn background_hooks_can_be_cancelled() {
    let engine = engine("zcode", "Stop", json!([background("sleep 60")]));
    engine.dispatch_blocking(r#"{"hook_event_name":"Stop","cwd":"/"}"#).unwrap();
    assert_eq!(engine.cancel_background(Some(99)), 0);
    assert_eq!(engine.cancel_background(None), 1);
    assert!(engine.wait_background(LONG).unwrap());
    assert!(engine.take_late_results().is_empty(), "ZCode delivers nothing late");
}

#[test]
fn qwen_has_ten_slots_that_come_back() {
    let hooks: Vec<Value> = (0..11).map(|n| background(&format!("sleep 0.2; : {n}"))).collect();
    let engine = engine("qwen", "Stop", json!(hooks));
    let fire = || engine.dispatch_blocking(r#"{"hook_event_name":"Stop","cwd":"/"}"#).unwrap();
    for _ in 0..2 {
        let outcome = fire();
        let count = |status| outcome.hooks.iter().filter(|hook| hook.status == status).count();
        assert_eq!((count(Status::Background), count(Status::Skipped)), (10, 1));
        assert_eq!(outcome.diagnostics[0].code, Code::AsyncSlotsFull);
        assert!(engine.wait_background(LONG).unwrap());
    }
}

#[test]
fn fire_and_forget_events_are_not_waited_for() {
    let hook = json!({"type": "command", "command": "sleep 60"});
    let engine = engine("qwen", "StopFailure", json!([hook]));
    let outcome =
        engine.dispatch_blocking(r#"{"hook_event_name":"StopFailure","error":"rate_limit","cwd":"/"}"#);
    assert_eq!(outcome.unwrap().hooks[0].status, Status::Background);
    assert_eq!(engine.cancel_background(None), 1);
}

#[test]
fn listeners_hear_of_starts_ends_and_diagnostics_without_contents() {
    let hook = json!({"type": "command", "command": "exit 3", "statusMessage": "checking", "name": "guard"});
    let engine = engine("qwen", "Stop", json!([hook]));
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ears = heard.clone();
    let number = engine.watch(move |notice| ears.lock().unwrap().push(notice.to_json()));
    engine.watch(|_| panic!("a listener that breaks harms nobody"));
    let fire = || {
        engine.dispatch_blocking(r#"{"hook_event_name":"Stop","cwd":"/","last_assistant_message":"SECRET"}"#)
    };
    fire().unwrap();
    assert!(engine.unwatch(number));
    fire().unwrap();
    let heard = heard.lock().unwrap();
    let notices: Vec<Value> = heard.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    let types: Vec<&str> = notices.iter().map(|notice| notice["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["started", "finished", "diagnostic"]);
    assert_eq!(notices[0]["hook"]["status_message"], "checking");
    assert_eq!((&notices[1]["status"], &notices[1]["hook"]["label"]), (&json!("error"), &json!("guard")));
    assert_eq!(notices[2]["diagnostic"]["code"], "hook_failed");
    assert!(heard.iter().all(|text| !text.contains("SECRET")));
}

#[test]
fn zcode_hooks_get_a_transcript_that_is_gone_afterwards() {
    let tmp = TempDir::new();
    let copy = tmp.path().join("copy");
    let line = format!(
        "f=$(sed 's/.*\"transcript_path\":\"\\([^\"]*\\)\".*/\\1/'); cp \"$f\" {0}; printf '%s' \"$f\" > {0}.path",
        copy.display()
    );
    let engine = engine("zcode", "UserPromptSubmit", json!([{"type": "command", "command": line}]));
    let outcome =
        engine.dispatch_blocking(r#"{"hook_event_name":"UserPromptSubmit","cwd":"/","prompt":"say \"hi\""}"#);
    assert_eq!(outcome.unwrap().hooks[0].status, Status::Ok);
    let line: Value = serde_json::from_str(std::fs::read_to_string(&copy).unwrap().trim()).unwrap();
    assert_eq!(
        line,
        json!({"message": {"content": [{"text": "say \"hi\"", "type": "text"}], "role": "user"}})
    );
    let path = std::fs::read_to_string(tmp.path().join("copy.path")).unwrap();
    assert!(path.ends_with("transcript.jsonl") && !std::path::Path::new(&path).exists(), "{path}");
}

#[test]
fn a_session_counts_prevented_stops_until_it_ends() {
    let engine = engine("zcode", "Stop", json!([{"type": "command", "command": "echo go on >&2; exit 2"}]));
    let fire =
        || engine.dispatch_blocking(r#"{"hook_event_name":"Stop","session_id":"s","cwd":"/"}"#).unwrap();
    let decisions: Vec<Decision> = (0..4).map(|_| fire().decision).collect();
    assert_eq!(decisions, [Decision::Block, Decision::Block, Decision::Block, Decision::None]);
    for _ in 0..3 {
        fire();
    }
    assert!(engine.end_session("s"));
    assert_eq!(fire().decision, Decision::Block);
    assert!(!engine.end_session("t"));
}

#[test]
fn prompts_carry_the_event_in_the_dialects_form() {
    let asked = |dialect: &str, text: &str| {
        let seen = Arc::new(Mutex::new(Value::Null));
        let keep = seen.clone();
        let hook = json!({"type": "prompt", "prompt": text, "model": "small"});
        prompt(dialect, "PreToolUse", hook, move |request: Request| {
            *keep.lock().unwrap() = serde_json::from_str(request.json()).unwrap();
            request.reply(r#"{"ok": true}"#);
        });
        let seen = seen.lock().unwrap().clone();
        assert_eq!(
            (&seen["kind"], &seen["model"], &seen["timeout_ms"]),
            (&json!("prompt"), &json!("small"), &json!(30000))
        );
        assert_eq!(seen["event"]["tool_name"], "Bash");
        seen["prompt"].as_str().unwrap().to_owned()
    };
    let input = r#"{"cwd":"/","hook_event_name":"PreToolUse","tool_input":{"a":1},"tool_name":"Bash"}"#;
    assert_eq!(asked("codebuddy", "Judge $ARGUMENTS!"), format!("Judge {input}!"));
    assert_eq!(asked("codebuddy", "Judge"), format!("Judge\n\nARGUMENTS:\n{input}"));
    assert_eq!(asked("qwen", "Judge"), "Judge");
    assert!(asked("qwen", "Judge $ARGUMENTS").starts_with("Judge {\n  \"cwd\": \"/\",\n"));
}

#[test]
fn replies_decide_as_the_dialect_says() {
    let said = |dialect: &str, event: &str, reply: &str| {
        let hook = json!({"type": "prompt", "prompt": "p"});
        let outcome = prompt(dialect, event, hook, CannedReplies::new(vec![reply.to_owned()]));
        (outcome.decision, outcome.reason.clone(), outcome.hooks[0].status)
    };
    let no = r#"{"ok": false, "reason": "r"}"#;
    let r = || Some("r".to_owned());
    assert_eq!(said("codebuddy", "PreToolUse", no), (Decision::Deny, r(), Status::Blocked));
    assert_eq!(said("codebuddy", "PreToolUse", r#"{"ok": true}"#), (Decision::None, None, Status::Ok));
    assert_eq!(said("codebuddy", "Stop", no), (Decision::None, None, Status::Ok));
    assert_eq!(said("qwen", "Stop", no), (Decision::Block, r(), Status::Blocked));
    assert_eq!(
        said("qwen", "PreToolUse", r#"{"ok": true, "reason": "r"}"#),
        (Decision::Allow, r(), Status::Ok)
    );
    assert_eq!(said("qwen", "UserPromptSubmit", r#"{"ok": true}"#), (Decision::None, None, Status::Ok));
    assert_eq!(said("qwen", "PreToolUse", "looks fine to me"), (Decision::None, None, Status::Error));
    assert_eq!(said("qwen", "PreToolUse", r#"Sure: {"ok": true}"#), (Decision::None, None, Status::Error));
    let (decision, reason, _) = said("codebuddy", "UserPromptSubmit", r#"{"ok": false}"#);
    assert_eq!((decision, reason.is_some()), (Decision::Block, true));
}

#[test]
fn a_host_that_misbehaves_gives_no_consent() {
    let hook = || json!({"type": "prompt", "prompt": "p", "timeout": 0.3});
    let cases: [(&str, Box<dyn Host>, Status, Code); 5] = [
        ("fails", Box::new(|request: Request| request.fail("no key")), Status::Error, Code::HostFailed),
        ("drops", Box::new(drop::<Request>), Status::Error, Code::HostFailed),
        ("panics", Box::new(|_: Request| panic!("defect")), Status::Error, Code::HostFailed),
        ("forgets", Box::new(std::mem::forget::<Request>), Status::Timeout, Code::HookTimeout),
        ("runs out", Box::new(CannedReplies::new(Vec::new())), Status::Error, Code::HostFailed),
    ];
    for (what, host, status, code) in cases {
        let outcome = prompt("qwen", "PreToolUse", hook(), move |request: Request| host.request(request));
        assert_eq!((outcome.decision, outcome.hooks[0].status), (Decision::None, status), "{what}");
        assert_eq!(outcome.diagnostics[0].code, code, "{what}");
    }
    let outcome = Engine::new(settings("qwen", "Stop", json!([hook()]))).unwrap();
    let outcome = outcome.dispatch_blocking(r#"{"hook_event_name":"Stop"}"#).unwrap();
    assert_eq!(outcome.diagnostics[0].code, Code::HookTypeUnavailable);
}

#[test]
fn an_answer_after_the_time_limit_does_not_count() {
    let hook = json!({"type": "prompt", "prompt": "p", "timeout": 0.05});
    let outcome = prompt("qwen", "PreToolUse", hook, |request: Request| {
        std::thread::sleep(Duration::from_millis(200));
        request.reply(r#"{"ok": true}"#);
    });
    assert_eq!((outcome.decision, outcome.hooks[0].status), (Decision::None, Status::Timeout));
}

#[test]
fn destructors_of_callbacks_may_call_back() {
    /// Watches again when it is dropped.
    struct Again(Engine);
    impl Drop for Again {
        fn drop(&mut self) {
            self.0.watch(|_| {});
        }
    }
    let engine = engine("qwen", "Stop", json!([]));
    let again = Again(engine.clone());
    let number = engine.watch(move |_| drop(again.0.list()));
    assert!(engine.unwatch(number));
}

#[test]
fn an_answer_may_come_from_another_thread_and_the_host_hears_of_a_timeout() {
    let hook = json!({"type": "prompt", "prompt": "p", "timeout": 20});
    let outcome = prompt("qwen", "Stop", hook, |request: Request| {
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            request.reply(r#"{"ok": false, "reason": "later"}"#);
        });
    });
    assert_eq!(outcome.reason.as_deref(), Some("later"));

    let (sender, receiver) = std::sync::mpsc::channel();
    let hook = json!({"type": "prompt", "prompt": "p", "timeout": 0.1});
    prompt("qwen", "Stop", hook, move |request: Request| {
        let sender = sender.clone();
        request.on_cancel(move || sender.send(()).unwrap());
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            assert!(request.is_cancelled());
        });
    });
    receiver.recv_timeout(LONG).unwrap();
}

#[test]
fn functions_are_hooks_until_they_are_unregistered() {
    let host = |request: Request| {
        let asked: Value = serde_json::from_str(request.json()).unwrap();
        assert!(asked["function"].as_str().unwrap().starts_with("function-"));
        assert_eq!((&asked["prompt"], &asked["system"]), (&Value::Null, &Value::Null));
        match asked["event"]["tool_input"]["command"].as_str() {
            Some("rm") => request.reply(
                r#"{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}"#,
            ),
            Some("ls") => request.reply(""),
            _ => request.fail("what is this?"),
        }
    };
    let engine = Engine::with_host(settings("qwen", "Stop", json!([])), Arc::new(host)).unwrap();
    let spec = r#"{"event":"PreToolUse","matcher":"Bash","name":"guard","sessionId":"s"}"#;
    let registered: Value = serde_json::from_str(&engine.register_function_json(spec).unwrap()).unwrap();
    let fire = |session: &str, tool: &str, command: &str| {
        let event = json!({"hook_event_name": "PreToolUse", "session_id": session, "tool_name": tool, "tool_input": {"command": command}});
        let outcome = engine.dispatch_blocking(event.to_string()).unwrap();
        let hook = outcome.hooks.first();
        (outcome.decision, outcome.reason.clone(), hook.map(|hook| (hook.status, hook.label.clone())))
    };
    let guard = |status| Some((status, "guard".to_owned()));
    assert_eq!(
        fire("s", "run_shell_command", "rm"),
        (Decision::Deny, Some("no".into()), guard(Status::Blocked))
    );
    assert_eq!(fire("s", "run_shell_command", "ls"), (Decision::None, None, guard(Status::Ok)));
    assert_eq!(fire("s", "run_shell_command", "?"), (Decision::None, None, guard(Status::Error)));
    assert_eq!(fire("s", "glob", "rm"), (Decision::None, None, None));
    assert_eq!(fire("t", "run_shell_command", "rm"), (Decision::None, None, None));
    assert!(engine.unregister(registered["id"].as_str().unwrap()));
    assert_eq!(fire("s", "run_shell_command", "rm"), (Decision::None, None, None));
}

#[test]
fn what_a_boolean_of_a_function_means_is_for_the_dialect_to_say() {
    let decide = |dialect: &str, answer: &'static str, spec: &str| {
        let host = move |request: Request| match answer {
            "throws" => request.fail("boom"),
            text => request.reply(text),
        };
        let engine = Engine::with_host(settings(dialect, "Stop", json!([])), Arc::new(host)).unwrap();
        engine.register_function_json(spec).unwrap();
        let event = r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}"#;
        let outcome = engine.dispatch_blocking(event).unwrap();
        let hook = &outcome.hooks[0];
        (outcome.decision, outcome.reason.clone(), hook.status, hook.error.clone())
    };
    let plain = r#"{"event":"PreToolUse"}"#;
    let named = r#"{"event":"PreToolUse","errorMessage":"guard"}"#;
    let denied = |reason: &str| (Decision::Deny, Some(reason.to_owned()), Status::Blocked, None);
    assert_eq!(decide("qwen", "false", plain), denied("Blocked by function hook"));
    assert_eq!(decide("qwen", " false\n", named), denied("guard"));
    assert_eq!(decide("qwen", "true", plain), (Decision::None, None, Status::Ok, None));
    let failed = |error: &str| (Decision::None, None, Status::Error, Some(error.to_owned()));
    assert_eq!(decide("qwen", "throws", named), failed("guard: boom"));
    for dialect in ["codebuddy", "zcode"] {
        for word in ["true", "false"] {
            let (decision, _, status, error) = decide(dialect, word, plain);
            assert_eq!((decision, status), (Decision::None, Status::Error));
            assert!(error.unwrap().contains(&format!("`{word}`")), "{dialect}");
        }
    }
}

#[test]
fn functions_that_could_never_run_are_refused() {
    let refused = |engine: &Engine, spec: &str| engine.register_function_json(spec).unwrap_err().to_string();
    let engine = Engine::with_host(settings("zcode", "Stop", json!([])), Arc::new(drop::<Request>)).unwrap();
    assert!(refused(&engine, r#"{"event":"PreCompact"}"#).contains("has no event `PreCompact`"));
    assert!(refused(&engine, r#"{"event":"PreToolUse","matcher":"["}"#).contains("no valid pattern"));
    assert!(refused(&engine, r#"{"event":"Stop","fail_mode":"shut"}"#).contains("shut"));
    assert!(refused(&engine, r#"{"evnt":"Stop"}"#).contains("evnt"));
    let engine = Engine::new(settings("zcode", "Stop", json!([]))).unwrap();
    assert!(refused(&engine, r#"{"event":"Stop"}"#).contains("without a host"));
}

#[test]
fn a_function_may_call_the_engine_again() {
    let slot: Arc<Mutex<Option<Engine>>> = Arc::default();
    let inner = slot.clone();
    let host = move |request: Request| {
        let engine = inner.lock().unwrap().clone().unwrap();
        let nested = engine.dispatch_blocking(r#"{"hook_event_name":"Stop","cwd":"/"}"#);
        let text = nested.map_or_else(|error| error.to_string(), |outcome| outcome.reason.unwrap());
        request.reply(json!({"continue": false, "stopReason": text}).to_string());
    };
    let stop = json!([{"type": "command", "command": "echo nested >&2; exit 2"}]);
    let engine = Engine::with_host(settings("qwen", "Stop", stop), Arc::new(host)).unwrap();
    *slot.lock().unwrap() = Some(engine.clone());
    engine.register_function(crosshook::FunctionSpec::new("UserPromptSubmit")).unwrap();
    let prompt = r#"{"hook_event_name":"UserPromptSubmit","cwd":"/"}"#;
    assert_eq!(engine.dispatch_blocking(prompt).unwrap().reason.as_deref(), Some("nested"));
    let on_engine_thread = support::block_on(engine.dispatch(prompt)).unwrap().reason.unwrap();
    assert!(on_engine_thread.contains("engine thread"), "{on_engine_thread}");
}

/// An engine whose model gives these replies, and the prompts it was asked.
fn judged(dialect: &str, replies: &[&str]) -> (Engine, Arc<Mutex<Vec<String>>>) {
    let replies = Mutex::new(replies.iter().rev().map(|&text| text.to_owned()).collect::<Vec<_>>());
    let prompts = Arc::new(Mutex::new(Vec::new()));
    let asked = prompts.clone();
    let host = move |request: Request| {
        let text: Value = serde_json::from_str(request.json()).unwrap();
        asked.lock().unwrap().push(text["prompt"].as_str().unwrap().to_owned());
        request.reply(replies.lock().unwrap().pop().unwrap());
    };
    (Engine::with_host(settings(dialect, "Stop", json!([])), Arc::new(host)).unwrap(), prompts)
}

#[test]
fn a_goal_keeps_the_session_working_until_it_is_met() {
    let (engine, prompts) =
        judged("codebuddy", &[r#"{"ok":false,"reason":"two tests are red"}"#, r#"{"ok":true}"#]);
    let stop = |session: &str| {
        let event =
            json!({"hook_event_name": "Stop", "session_id": session, "cwd": "/", "stop_hook_active": false});
        engine.dispatch_blocking(event.to_string()).unwrap()
    };
    engine.set_goal("s", " all tests pass ").unwrap();
    assert!(engine.note_goal_usage("s", 2, 500));
    assert!(!engine.note_goal_usage("t", 1, 1));
    assert_eq!(stop("t").hooks.len(), 0, "another session");
    let outcome = stop("s");
    assert_eq!(outcome.decision, Decision::Block);
    assert_eq!(outcome.reason.as_deref(), Some("Stop hook feedback: [all tests pass] two tests are red"));
    assert_eq!(outcome.hooks[0].label, "goal");
    let goal = engine.goal("s").unwrap();
    assert_eq!((goal.checks, goal.turns, goal.tokens), (1, 2, 500));
    assert_eq!(goal.last_reason.as_deref(), Some("two tests are red"));
    let prompt = prompts.lock().unwrap()[0].clone();
    assert!(prompt.contains("all tests pass") && prompt.contains("2 turns and 500 tokens"), "{prompt}");
    assert!(prompt.contains(r#""hook_event_name":"Stop""#), "{prompt}");
    assert_eq!(stop("s").decision, Decision::None);
    assert_eq!(engine.goal("s").unwrap().status, GoalStatus::Met);
    assert_eq!(stop("s").hooks.len(), 0, "a goal that is met asks no more");
}

#[test]
fn a_goal_can_be_impossible_saved_restored_and_cleared() {
    let (engine, _) = judged("qwen", &[r#"{"ok":false,"reason":"no network","impossible":true}"#]);
    let stop =
        || engine.dispatch_blocking(r#"{"hook_event_name":"Stop","session_id":"s","cwd":"/"}"#).unwrap();
    engine.set_goal("s", "deploy").unwrap();
    let saved = engine.goal_json("s");
    let outcome = stop();
    assert_eq!(outcome.decision, Decision::None);
    assert_eq!(outcome.system_messages, ["The goal [deploy] cannot be reached: no network"]);
    assert_eq!(engine.goal("s").unwrap().status, GoalStatus::Impossible);
    engine.restore_goal("s", &saved).unwrap();
    assert_eq!((engine.goal("s").unwrap().status, engine.goal_json("s")), (GoalStatus::Active, saved));
    assert!(engine.clear_goal("s"));
    assert!(!engine.clear_goal("s"));
    assert_eq!(engine.goal_json("s"), "null");
    assert!(engine.set_goal("s", " ").is_err());
    assert!(engine.set_goal("s", &"x".repeat(4_001)).is_err());
    assert!(engine.restore_goal("s", "{}").is_err());
}

#[test]
fn contexts_are_rendered_as_the_dialect_hands_them_over() {
    let rendered = |dialect: &str, outcome: Value| {
        let engine = engine(dialect, "Stop", json!([]));
        serde_json::from_str::<Value>(&engine.render_context_json(&outcome.to_string()).unwrap()).unwrap()
    };
    let outcome = |event: &str, decision: &str, contexts: &[&str]| json!({"event": event, "decision": decision, "reason": "r", "additional_context": contexts});
    assert_eq!(
        rendered("qwen", outcome("UserPromptSubmit", "none", &["a", "b"])),
        "<qwen:user-prompt-submit-context>\na\nb\n</qwen:user-prompt-submit-context>"
    );
    assert_eq!(
        rendered("qwen", outcome("PreCompact", "none", &[&" x".repeat(4_000)])).as_str().unwrap().len(),
        4_000
    );
    assert_eq!(rendered("zcode", outcome("Stop", "block", &["a"])), "#1 r\n#2 a");
    assert_eq!(rendered("zcode", outcome("UserPromptSubmit", "none", &["a", "b"])), "#1 a\n#2 b");
    assert_eq!(rendered("zcode", outcome("PostToolUse", "none", &["a"])), "a");
    let long = rendered("zcode", outcome("SessionStart", "none", &[&"x".repeat(30_000)]));
    assert_eq!(long.as_str().unwrap().len(), 24_003);
    assert_eq!(rendered("codebuddy", outcome("PreToolUse", "none", &["a", "b"])), "a\nb");
    assert_eq!(rendered("codebuddy", outcome("PreToolUse", "none", &[])), Value::Null);
}

#[test]
fn a_message_streams_its_newest_text_and_never_loses_the_end() {
    let tmp = TempDir::new();
    let log = tmp.path().join("log");
    let hook = json!({"type": "command", "command": format!("cat >> {0}; echo >> {0}", log.display())});
    let engine = engine("qwen", "MessageDisplay", json!([hook]));
    let seen = || -> Vec<(String, bool)> {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        let events = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        events
            .map(|e| (e["displayed_text"].as_str().unwrap().to_owned(), e["is_final"].as_bool().unwrap()))
            .collect()
    };
    let message = engine.message_display(r#"{"session_id":"s","cwd":"/"}"#).unwrap();
    for word in ["Hello", ", ", "wor", "ld"] {
        message.push(word);
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(message.finish(LONG).unwrap());
    let seen_now = seen();
    assert_eq!(seen_now.last().unwrap(), &("Hello, world".to_owned(), true));
    assert!(seen_now.len() < 4, "what is pushed quickly is delivered together: {seen_now:?}");
    assert!(
        seen_now.iter().rev().skip(1).all(|(text, last)| !last && "Hello, world".starts_with(text.as_str()))
    );
    message.push("too late");
    assert!(message.finish(LONG).unwrap());
    assert_eq!(seen().len(), seen_now.len());

    let silent = engine.message_display("{}").unwrap();
    assert!(silent.finish(LONG).unwrap());
    let aborted = engine.message_display("{}").unwrap();
    aborted.abort();
    aborted.push("never");
    assert!(aborted.finish(LONG).unwrap());
    assert_eq!(seen().len(), seen_now.len());
}

#[test]
fn a_slow_hook_of_a_message_bounds_the_wait_only() {
    let hook = json!({"type": "command", "command": "sleep 2"});
    let engine = engine("qwen", "MessageDisplay", json!([hook]));
    let message = engine.message_display("{}").unwrap();
    message.push("text");
    assert!(!message.finish(Duration::from_millis(100)).unwrap());
    assert!(!message.finish(Duration::from_millis(100)).unwrap(), "it is still on its way");
    assert!(self::engine("zcode", "Stop", json!([])).message_display("{}").is_err());
    assert!(engine.message_display("[]").is_err());
}
