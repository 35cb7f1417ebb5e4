//! The engine as a Rust host uses it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod support;

use std::sync::mpsc;

use crosshook::{Code, Decision, Engine, ErrorKind, Level, Options, Outcome, Scope, Status};
use serde_json::{Value, json};
use support::{TempDir, block_on, gone, wait_until};

const STOP: &str = r#"{"hook_event_name":"Stop","session_id":"s","cwd":"/"}"#;

fn engine(dialect: &str, event: &str, hooks: Value) -> Engine {
    let groups = json!([{"hooks": hooks}]);
    let settings = match dialect {
        "zcode" => json!({"hooks": {"enabled": true, "events": {event: groups}}}),
        _ => json!({"hooks": {event: groups}}),
    };
    Engine::new(Options::new(dialect).settings_text(None, settings.to_string())).unwrap()
}

fn command(line: &str) -> Value {
    json!({"type": "command", "command": line})
}

fn codes(outcome: &Outcome) -> Vec<Code> {
    outcome.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

fn pre_tool_use(tool_input: &str) -> String {
    format!(r#"{{"hook_event_name":"PreToolUse","cwd":"/","tool_name":"Bash","tool_input":{tool_input}}}"#)
}

#[test]
fn loading_diagnostics_stand_in_the_first_outcome_only() {
    let settings = json!({"hooks": {"Stopp": [], "Stop": [{"hooks": [command("exit 0"), {"type": "x"}]}]}});
    let engine = Engine::new(Options::new("codebuddy").settings_text(None, settings.to_string())).unwrap();
    let loading: Vec<Code> = engine.diagnostics().iter().map(|diagnostic| diagnostic.code).collect();
    assert_eq!(loading, [Code::UnknownHookType, Code::UnknownEvent]);
    assert_eq!(codes(&engine.dispatch_blocking(STOP).unwrap()), loading);
    assert_eq!(codes(&engine.dispatch_blocking(STOP).unwrap()), []);
}

#[test]
fn options_are_checked() {
    assert_eq!(Engine::new(Options::new("pascal")).unwrap_err().kind(), ErrorKind::InvalidOptions);
    let missing = Options::new("qwen").settings_file(Some(Scope::User), "/no/such/file.json");
    let error = Engine::new(missing).unwrap_err();
    assert_eq!((error.kind(), error.place().path.as_deref()), (ErrorKind::Io, Some("/no/such/file.json")));
    let broken = Options::new("qwen").settings_text(None, "{\n\"hooks\" 1}");
    let error = Engine::new(broken).unwrap_err();
    assert_eq!((error.kind(), error.place().line), (ErrorKind::InvalidSettings, Some(2)));
}

#[test]
fn an_unknown_event_is_said() {
    let engine = engine("zcode", "Stop", json!([command("exit 2")]));
    let outcome = engine.dispatch_blocking(r#"{"hook_event_name":"PreCompact"}"#).unwrap();
    assert_eq!((outcome.decision, codes(&outcome)), (Decision::None, vec![Code::UnknownEvent]));
}

#[test]
fn a_field_the_matcher_needs_is_missed_aloud() {
    let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [command("exit 2")]}]}});
    let engine = Engine::new(Options::new("codebuddy").settings_text(None, settings.to_string())).unwrap();
    for event in [r#"{"hook_event_name":"PreToolUse"}"#, r#"{"hook_event_name":"PreToolUse","tool_name":7}"#]
    {
        let outcome = engine.dispatch_blocking(event).unwrap();
        assert_eq!((outcome.hooks.len(), codes(&outcome)), (0, vec![Code::EventField]), "{event}");
    }
}

#[test]
fn broken_hooks_fail_open_and_are_named() {
    let hooks = json!([
        command("exit 3"),
        command("kill -9 $$"),
        {"type": "command", "command": "sleep 5", "timeout": 0.2},
        command("printf '{\"decision\":\"block\"'"),
        command("printf '{\"continue\":\"no\"}'"),
    ]);
    let outcome = engine("zcode", "PostToolUse", hooks)
        .dispatch_blocking(r#"{"hook_event_name":"PostToolUse","cwd":"/","tool_name":"Bash"}"#);
    let outcome = outcome.unwrap();
    assert_eq!(outcome.decision, Decision::None);
    let statuses: Vec<Status> = outcome.hooks.iter().map(|hook| hook.status).collect();
    assert_eq!(statuses, [Status::Error, Status::Error, Status::Timeout, Status::Ok, Status::Error]);
    assert_eq!(
        codes(&outcome),
        [Code::HookFailed, Code::HookFailed, Code::HookTimeout, Code::InvalidJson, Code::InvalidOutput]
    );
    assert!(outcome.diagnostics.iter().all(|diagnostic| diagnostic.origin.is_some()));
}

#[test]
fn fail_mode_closed_denies_with_words() {
    let hooks = json!([{"type": "command", "command": "exit 1", "failMode": "closed"}]);
    let outcome = engine("qwen", "PreToolUse", hooks).dispatch_blocking(pre_tool_use("{}")).unwrap();
    assert_eq!((outcome.decision, outcome.hooks[0].status), (Decision::Deny, Status::Error));
    let reason = outcome.reason.unwrap();
    assert!(reason.contains("exit code 1") && reason.contains("fail mode is `closed`"), "{reason}");
    assert!(outcome.diagnostics.iter().any(|diagnostic| diagnostic.code == Code::FailedClosed));

    let settings = json!({"hooks": {
        "PreToolUse": [{"hooks": [command("exit 1")]}],
        "Stop": [{"hooks": [{"type": "command", "command": "exit 1", "fail_mode": "open"}]}],
        "SessionEnd": [{"hooks": [command("exit 1")]}],
    }});
    let mut options = Options::new("codebuddy").settings_text(None, settings.to_string());
    options.fail_closed = true;
    let engine = Engine::new(options).unwrap();
    let decision = |event: &str| engine.dispatch_blocking(event).unwrap().decision;
    assert_eq!(decision(&pre_tool_use("{}")), Decision::Deny);
    assert_eq!(decision(STOP), Decision::None, "the hook's own mode wins");
    assert_eq!(
        decision(r#"{"hook_event_name":"SessionEnd"}"#),
        Decision::None,
        "the event cannot be blocked"
    );
}

#[test]
fn competing_rewrites_are_settled_in_configured_order() {
    let patch = |body: &str| {
        command(&format!(
            "printf '%s' '{{\"hookSpecificOutput\":{{\"hookEventName\":\"PreToolUse\",\"modifiedInput\":{body}}}}}'"
        ))
    };
    let slow = |body: &str| {
        let hook = patch(body);
        command(&format!("sleep 0.3; {}", hook["command"].as_str().unwrap()))
    };
    let hooks = json!([slow(r#"{"a":1,"b":1}"#), patch(r#"{"b":2,"c":2}"#)]);
    let outcome = engine("codebuddy", "PreToolUse", hooks)
        .dispatch_blocking(pre_tool_use(r#"{"a":0,"z":[1]}"#))
        .unwrap();
    assert_eq!(outcome.updated_input.as_ref().unwrap().get(), r#"{"a":1,"z":[1],"b":2,"c":2}"#);
    assert_eq!(codes(&outcome), [Code::RewriteLost]);
    assert!(
        outcome.diagnostics[0].message.contains("user/PreToolUse/0/0"),
        "{}",
        outcome.diagnostics[0].message
    );
}

#[test]
fn a_denied_call_is_not_rewritten() {
    let hooks = json!([
        command(
            "printf '%s' '{\"hookSpecificOutput\":{\"permissionDecision\":\"allow\",\"updatedInput\":{\"x\":1}}}'"
        ),
        command("exit 2"),
    ]);
    let outcome = engine("qwen", "PreToolUse", hooks).dispatch_blocking(pre_tool_use("{}")).unwrap();
    assert_eq!(outcome.decision, Decision::Deny);
    assert!(outcome.updated_input.is_none());
    assert!(codes(&outcome).contains(&Code::RewriteDropped));
}

#[test]
fn json_that_is_not_read_is_said() {
    let deny = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#;
    let cases = [
        ("codebuddy", format!("echo starting; printf '%s' '{deny}'"), Code::JsonNotRead),
        ("codebuddy", format!("printf '%s' '{deny}'; exit 1"), Code::JsonNotRead),
        ("codebuddy", format!("printf '%s' '{deny}' >&2"), Code::JsonNotRead),
        ("codebuddy", "printf '%s' '{\"permissionDecision\":\"deny\"}'".into(), Code::JsonNotRead),
        ("codebuddy", format!("printf '%s' '{}'", deny.replace("PreToolUse", "Stop")), Code::WrongEventName),
        ("zcode", format!("echo starting; printf '%s' '{deny}'"), Code::JsonNotRead),
        ("zcode", format!("printf '%s' '{}'", deny.replace("deny", "denied")), Code::InvalidOutput),
        ("qwen", format!("printf '%s' '{deny}'; exit 1"), Code::JsonNotRead),
        ("qwen", format!("printf '%s' '{}'", deny.replace("deny", "denied")), Code::InvalidOutput),
    ];
    for (dialect, line, wanted) in cases {
        let outcome = engine(dialect, "PreToolUse", json!([command(&line)]))
            .dispatch_blocking(pre_tool_use("{}"))
            .unwrap();
        assert_eq!(outcome.decision, Decision::None, "{dialect}: {line}");
        assert!(codes(&outcome).contains(&wanted), "{dialect}: {line}: {:?}", outcome.diagnostics);
    }
}

#[test]
fn decisions_an_event_cannot_use_are_said() {
    let hooks = json!([command("printf '%s' '{\"decision\":\"block\",\"reason\":\"r\"}'")]);
    let outcome = engine("codebuddy", "SessionEnd", hooks)
        .dispatch_blocking(r#"{"hook_event_name":"SessionEnd"}"#)
        .unwrap();
    assert_eq!((outcome.decision, codes(&outcome)), (Decision::None, vec![Code::DecisionUnused]));
}

#[test]
fn cut_output_is_said_and_a_cut_answer_decides_nothing() {
    let line =
        "printf '{\"decision\":\"block\",\"reason\":\"'; head -c 50000 /dev/zero | tr '\\0' x; printf '\"}'";
    let outcome = engine("zcode", "Stop", json!([command(line)])).dispatch_blocking(STOP).unwrap();
    assert_eq!(outcome.decision, Decision::None);
    assert!(outcome.hooks[0].truncated);
    assert!(outcome.hooks[0].stdout_bytes > 50_000);
    assert!(codes(&outcome).contains(&Code::OutputTruncated));
}

#[test]
fn a_deep_answer_does_not_lose_its_decision() {
    let line = "printf '{\"x\":'; head -c 200000 /dev/zero | tr '\\0' '['; head -c 200000 /dev/zero | tr '\\0' ']'; \
                printf ',\"decision\":\"block\",\"reason\":\"\\\\ud800 deep\"}'";
    let outcome = engine("qwen", "Stop", json!([command(line)])).dispatch_blocking(STOP).unwrap();
    assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Block, Some("\u{fffd} deep")));
}

#[test]
fn hooks_inherit_what_the_options_say() {
    let line = "printf '%s|%s|%s' \"$ONLY\" \"$HOME\" \"$QWEN_SERVER_TOKEN\"";
    let settings = json!({"hooks": {"UserPromptSubmit": [{"hooks": [command(line)]}]}});
    let mut options = Options::new("qwen").settings_text(None, settings.to_string());
    let path = ("PATH".to_owned(), std::env::var("PATH").unwrap());
    let secret = ("qwen_server_token".to_owned(), "s".to_owned());
    options.env = Some([path, secret, ("ONLY".to_owned(), "this".to_owned())].into());
    let outcome =
        Engine::new(options).unwrap().dispatch_blocking(r#"{"hook_event_name":"UserPromptSubmit"}"#);
    assert_eq!(outcome.unwrap().additional_context, ["this||"]);
}

#[test]
fn the_working_directory_follows_the_dialect() {
    let event = r#"{"hook_event_name":"UserPromptSubmit","cwd":"/no/such/directory"}"#;
    let hooks = || json!([command("pwd")]);
    let outcome = engine("qwen", "UserPromptSubmit", hooks()).dispatch_blocking(event).unwrap();
    assert_eq!((outcome.hooks[0].status, outcome.additional_context.len()), (Status::Error, 0));
    let error = outcome.hooks[0].error.clone().unwrap();
    assert!(error.contains("/no/such/directory") && error.contains("does not exist"), "{error}");

    let tmp = TempDir::new();
    let settings = json!({"hooks": {"UserPromptSubmit": [{"hooks": hooks()}]}});
    let mut options = Options::new("codebuddy").settings_text(None, settings.to_string());
    options.project_dir = Some(tmp.path().to_owned());
    let outcome = Engine::new(options).unwrap().dispatch_blocking(event).unwrap();
    assert_eq!(outcome.additional_context, [format!("{}\n", tmp.path().display()).trim()]);
}

#[test]
fn start_calls_back_exactly_once_even_for_a_bad_event() {
    let engine = engine("codebuddy", "Stop", json!([command("exit 2")]));
    let (sender, receiver) = mpsc::channel();
    for event in [STOP, "{}"] {
        let sender = sender.clone();
        engine.start(event, move |result| sender.send(result.map(|outcome| outcome.decision)).unwrap());
    }
    drop(sender);
    let mut results: Vec<_> = receiver.iter().map(|result| result.map_err(|error| error.kind())).collect();
    results.sort_by_key(Result::is_err);
    assert_eq!(results, [Ok(Decision::Block), Err(ErrorKind::InvalidEvent)]);
}

#[test]
fn a_blocking_dispatch_inside_a_callback_is_refused() {
    let engine = engine("codebuddy", "Stop", json!([command("exit 2")]));
    let (sender, receiver) = mpsc::channel();
    let inner = engine.clone();
    engine.start(STOP, move |_| sender.send(inner.dispatch_blocking(STOP).map(|_| ())).unwrap());
    assert_eq!(receiver.recv().unwrap().unwrap_err().kind(), ErrorKind::EngineThread);
}

#[test]
fn cancelling_ends_the_whole_group() {
    let tmp = TempDir::new();
    let marker = tmp.path().join("pids");
    let line = format!("sleep 60 & echo $$ $! > {}; wait", marker.display());
    let engine = engine("codebuddy", "Stop", json!([command(&line)]));
    let (sender, receiver) = mpsc::channel();
    let run = engine.start(STOP, move |result| sender.send(result).unwrap());
    wait_until(|| std::fs::read_to_string(&marker).is_ok_and(|text| text.ends_with('\n')));
    run.cancel();
    let outcome = receiver.recv().unwrap().unwrap();
    assert_eq!((outcome.decision, outcome.hooks[0].status), (Decision::None, Status::Cancelled));
    assert_eq!(outcome.diagnostics[0].level, Level::Warning);
    let pids = std::fs::read_to_string(&marker).unwrap();
    wait_until(|| pids.split_whitespace().all(gone));
}

#[test]
fn dropping_the_future_ends_the_whole_group() {
    let tmp = TempDir::new();
    let marker = tmp.path().join("pids");
    let line = format!("sleep 60 & echo $$ $! > {}; wait", marker.display());
    let engine = engine("qwen", "Stop", json!([command(&line)]));
    let mut future = Box::pin(engine.dispatch(STOP));
    block_on(std::future::poll_fn(|context| {
        assert!(future.as_mut().poll(context).is_pending());
        std::task::Poll::Ready(())
    }));
    wait_until(|| std::fs::read_to_string(&marker).is_ok_and(|text| text.ends_with('\n')));
    drop(future);
    let pids = std::fs::read_to_string(&marker).unwrap();
    wait_until(|| pids.split_whitespace().all(gone));
}

#[test]
fn an_engine_may_be_used_from_many_threads_at_once() {
    let engine = engine("codebuddy", "Stop", json!([command("cat >&2; exit 2")]));
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let engine = &engine;
            scope.spawn(move || {
                for round in 0..5 {
                    let event = format!(r#"{{"hook_event_name":"Stop","cwd":"/","n":"{thread}.{round}"}}"#);
                    let reason = engine.dispatch_blocking(event.as_str()).unwrap().reason.unwrap();
                    assert_eq!(reason, event);
                }
            });
        }
    });
}

#[test]
fn zcode_records_a_block_that_stops_nothing() {
    let said = |event: &str, answer: &str| {
        let hooks = json!([command(&format!("printf '%s' '{answer}'"))]);
        let event_json = json!({"hook_event_name": event, "cwd": "/", "source": "startup", "tool_name": "T"});
        let outcome = engine("zcode", event, hooks).dispatch_blocking(event_json.to_string()).unwrap();
        (outcome.decision, outcome.hooks[0].status, codes(&outcome))
    };
    for answer in [r#"{"continue":false,"reason":"r"}"#, r#"{"decision":"block","reason":"r"}"#] {
        assert_eq!(
            said("SessionStart", answer),
            (Decision::None, Status::Blocked, vec![Code::DecisionUnused])
        );
        assert_eq!(
            said("PostToolUseFailure", answer),
            (Decision::None, Status::Blocked, vec![Code::DecisionUnused])
        );
    }
}

#[test]
fn an_input_that_is_no_object_does_not_lose_the_decision() {
    let answer = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","updatedInput":"x"}}"#;
    for dialect in ["codebuddy", "zcode", "qwen"] {
        let hooks = json!([command(&format!("printf '%s' '{answer}'"))]);
        let outcome = engine(dialect, "PreToolUse", hooks).dispatch_blocking(pre_tool_use("{}")).unwrap();
        assert_eq!(outcome.decision, Decision::Deny, "{dialect}");
        assert!(codes(&outcome).contains(&Code::InvalidOutput), "{dialect}");
    }
}

#[test]
fn an_event_that_selects_nothing_is_over_at_once() {
    let engine = engine("codebuddy", "Stop", json!([command("exit 2")]));
    let here = std::thread::current().id();
    let (sender, receiver) = mpsc::channel();
    let start = |event: &str| {
        let sender = sender.clone();
        engine.start(event, move |result| sender.send((std::thread::current().id(), result)).unwrap());
    };
    start(&pre_tool_use("{}"));
    let (thread, outcome) = receiver.try_recv().unwrap();
    let outcome = outcome.unwrap();
    assert_eq!(thread, here);
    assert_eq!(
        (outcome.event.as_str(), outcome.decision, outcome.hooks.len()),
        ("PreToolUse", Decision::None, 0)
    );
    start(STOP);
    let (thread, outcome) = receiver.recv().unwrap();
    assert_ne!(thread, here);
    assert_eq!(outcome.unwrap().decision, Decision::Block);
    start("{}");
    assert_eq!(receiver.recv().unwrap().1.unwrap_err().kind(), ErrorKind::InvalidEvent);
}

#[test]
fn list_and_explain_say_that_nobody_answers_a_prompt() {
    let hooks = json!([{"type": "prompt", "prompt": "is it safe?"}, command("true")]);
    let settings = json!({"hooks": {"PreToolUse": [{"hooks": hooks}]}}).to_string();
    let options = Options::new("qwen").settings_text(None, settings);
    let alone = Engine::new(options.clone()).unwrap();
    let listed = alone.list();
    assert!(listed[0].enabled && listed[0].why_not.as_deref().unwrap().contains("give the engine a host"));
    assert_eq!((listed[1].enabled, &listed[1].why_not), (true, &None));
    let why = alone.explain(pre_tool_use("{}")).unwrap();
    assert!(why[0].runs && why[0].why.contains("it will fail: the host provides nothing"), "{}", why[0].why);
    assert!(!why[1].why.contains("it will fail"), "{}", why[1].why);
    let host = std::sync::Arc::new(crosshook::CannedReplies::new(vec!["{}".to_owned()]));
    let hosted = Engine::with_host(options, host).unwrap();
    assert_eq!(hosted.list()[0].why_not, None);
    assert!(!hosted.explain(pre_tool_use("{}")).unwrap()[0].why.contains("fail"));
}
