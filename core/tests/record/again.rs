//! Deciding recorded dispatches again.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crosshook::{CannedReplies, Decision, Engine, ErrorKind, FunctionSpec, Options, Request, Status};
use serde_json::{Value, json};

use crate::{Recording, STOP, WRITE, command, engine_of, options, same, settings, whats};

#[test]
fn todays_settings_are_what_decides() {
    let recording = Recording::new();
    let deny = r#"printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}'"#;
    let hooks = json!([command(deny), command("exit 1"), command("exit 0")]);
    let engine = Engine::new(options("claude", &settings("PreToolUse", hooks), &recording.file)).unwrap();
    engine.dispatch_blocking(WRITE).unwrap();
    let line = recording.last();
    same(engine.replay(&line).unwrap());
    // Another place in the settings is no difference; another matcher is, and so is what is new.
    let moved = json!({"hooks": {"PreToolUse": [
        {"matcher": "Read", "hooks": [command(deny)]},
        {"matcher": "Edit|Write", "hooks": [command("exit 0"), command("exit 1"), command("exit 3")]}]}});
    let again = engine_of("claude", &moved.to_string()).replay(&line).unwrap();
    let messages: Vec<&str> = again.differences.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(again.outcome.decision, Decision::None);
    assert_eq!(messages[0], "decision was `deny` and would be `none`");
    assert_eq!(messages[1], "reason was `no` and would be `null`");
    assert!(messages[2].ends_with("ran and would not run: `Read` does not match `Write`"), "{messages:?}");
    assert!(
        messages[3].contains("`exit 3`") && messages[3].contains("its answer is not known"),
        "{messages:?}"
    );
    assert_eq!(messages.len(), 4);
    assert_eq!(again.differences[0].recorded.as_ref().unwrap().get(), r#""deny""#);
    // A failed guard that is closed now would have denied.
    let mut closed =
        Options::new("claude").settings_text(None, settings("PreToolUse", json!([command("exit 1")])));
    closed.fail_closed = true;
    let again = Engine::new(closed).unwrap().replay(&line).unwrap();
    assert_eq!(again.outcome.decision, Decision::Deny);
    assert!(whats(&again).iter().any(|(what, _)| *what == "hook"), "{:?}", again.differences);
}

#[test]
fn a_changed_time_limit_decides_or_is_said_to_be_unknown() {
    let recording = Recording::new();
    let slow = |timeout: f64| {
        settings(
            "PreToolUse",
            json!([{"type": "command", "command": "sleep 0.3; exit 2", "timeout": timeout}]),
        )
    };
    let with = |timeout| Engine::new(options("claude", &slow(timeout), &recording.file)).unwrap();
    with(30.0).dispatch_blocking(WRITE).unwrap();
    with(0.05).dispatch_blocking(WRITE).unwrap();
    let lines = recording.lines();
    let shorter = with(0.05).replay(&lines[0]).unwrap();
    assert_eq!(
        (shorter.outcome.decision, shorter.outcome.hooks[0].status),
        (Decision::None, Status::Timeout)
    );
    assert!(whats(&shorter).contains(&("decision", None)));
    let longer = with(30.0).replay(&lines[1]).unwrap();
    assert_eq!(whats(&longer)[..1], [("hook", Some(longer.outcome.hooks[0].id.as_str()))]);
    assert!(
        longer.differences.last().unwrap().message.contains("did not finish within 50ms"),
        "{:?}",
        longer.differences
    );
}

#[test]
fn a_sequence_hands_its_input_on_again() {
    let recording = Recording::new();
    let change = |key: &str| {
        command(&format!(
            r#"printf '{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{{"{key}":true}}}}}}'"#
        ))
    };
    let groups =
        json!({"hooks": {"PreToolUse": [{"sequential": true, "hooks": [change("one"), change("two")]}]}});
    for dialect in ["qwen", "gemini"] {
        let text = groups
            .to_string()
            .replace("PreToolUse", if dialect == "gemini" { "BeforeTool" } else { "PreToolUse" });
        let text =
            text.replace("updatedInput", if dialect == "gemini" { "tool_input" } else { "updatedInput" });
        let engine = Engine::new(options(dialect, &text, &recording.file)).unwrap();
        let event =
            WRITE.replace("PreToolUse", if dialect == "gemini" { "BeforeTool" } else { "PreToolUse" });
        let outcome = engine.dispatch_blocking(event).unwrap();
        assert!(outcome.updated_input.is_some(), "{dialect}");
        let again = engine.replay(recording.last()).unwrap();
        let now = again.outcome.updated_input.as_ref().unwrap().get().to_owned();
        assert_eq!(now, outcome.updated_input.unwrap().get(), "{dialect}");
        same(again);
        same(crosshook::replay(recording.last()).unwrap());
    }
}

#[test]
fn the_count_of_prevented_stops_decides_again() {
    let recording = Recording::new();
    let settings = json!({"hooks": {"enabled": true, "events": {"Stop": [{"hooks": [command("echo go on >&2; exit 2")]}]}}});
    let engine = Engine::new(options("zcode", &settings.to_string(), &recording.file)).unwrap();
    let decisions: Vec<Decision> = (0..4).map(|_| engine.dispatch_blocking(STOP).unwrap().decision).collect();
    assert_eq!(decisions, [Decision::Block, Decision::Block, Decision::Block, Decision::None]);
    let lines = recording.lines();
    // Each line alone, in any order: what the session knew stands in it.
    for (line, decision) in lines.iter().zip(decisions).rev() {
        for again in [crosshook::replay(line).unwrap(), engine.replay(line).unwrap()] {
            assert_eq!(again.outcome.decision, decision);
            same(again);
        }
    }
    assert_eq!(recording.values()[3]["session"]["prevented"], 3);
}

#[test]
fn the_cap_of_the_settings_and_the_environment_is_recorded() {
    let recording = Recording::new();
    let text = json!({"stopHookBlockingCap": 3, "hooks": {"Stop": [{"hooks": [command("echo go on >&2; exit 2")]}]}});
    let mut with_env = options("qwen", &text.to_string(), &recording.file);
    with_env.env = Some(
        [
            ("QWEN_CODE_STOP_HOOK_BLOCK_CAP".to_owned(), "2".to_owned()),
            ("PATH".to_owned(), std::env::var("PATH").unwrap()),
        ]
        .into(),
    );
    let engine = Engine::new(with_env).unwrap();
    let decisions: Vec<Decision> = (0..2).map(|_| engine.dispatch_blocking(STOP).unwrap().decision).collect();
    assert_eq!(decisions, [Decision::Block, Decision::None]);
    let session = &recording.values()[1]["session"];
    assert_eq!(session, &json!({"prevented": 1, "cap_setting": 3.0, "cap_env": "2"}));
    same(crosshook::replay(recording.last()).unwrap());
}

#[test]
fn models_functions_goals_and_single_runs() {
    let recording = Recording::new();
    let hooks = json!({"hooks": {"Stop": [{"hooks": [
        {"type": "prompt", "prompt": "Done? $ARGUMENTS"}, {"type": "command", "command": "exit 0"}]}]}});
    let host = |request: Request| match request.kind().as_str() {
        "function" => request.reply(r#"{"decision":"block","reason":"from a function"}"#),
        _ => request.reply(r#"{"ok": false, "reason": "from a model"}"#),
    };
    let engine =
        Engine::with_host(options("claude", &hooks.to_string(), &recording.file), Arc::new(host)).unwrap();
    let mut function = FunctionSpec::new("Stop");
    function.error_message = Some("password=hunter2".into());
    engine.register_function(function).unwrap();
    engine.set_goal("s", "all is green").unwrap();
    let outcome = engine.dispatch_blocking(STOP).unwrap();
    assert_eq!((outcome.decision, outcome.hooks.len()), (Decision::Block, 4));
    let line = recording.last();
    same(crosshook::replay(&line).unwrap());
    same(engine.replay(&line).unwrap());
    // Functions and goals are in no settings; they come from the recording.
    same(engine_of("claude", &hooks.to_string()).replay(&line).unwrap());
}

#[test]
fn a_hook_that_had_its_only_run_is_skipped_again() {
    let recording = Recording::new();
    let once = |once: bool| {
        json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "exit 2", "once": once}]}]}})
            .to_string()
    };
    let engine = Engine::new(options("qwen", &once(true), &recording.file)).unwrap();
    let decisions: Vec<Decision> = (0..2).map(|_| engine.dispatch_blocking(STOP).unwrap().decision).collect();
    let honoured = engine.list()[0].once;
    assert!(!honoured || decisions == [Decision::Block, Decision::None], "{decisions:?}");
    for line in recording.lines() {
        same(crosshook::replay(&line).unwrap());
        same(engine.replay(&line).unwrap());
    }
}

#[test]
fn replies_of_a_model_are_read_by_todays_rules() {
    let recording = Recording::new();
    let hooks =
        json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "prompt", "prompt": "Ok?"}]}]}}).to_string();
    let replies = Arc::new(CannedReplies::new(vec![r#"{"ok": false, "reason": "never"}"#.into()]));
    let engine = Engine::with_host(options("qwen", &hooks, &recording.file), replies).unwrap();
    assert_eq!(engine.dispatch_blocking(WRITE.replace("Write", "edit")).unwrap().decision, Decision::Deny);
    // No host is asked again.
    let again = engine_of("qwen", &hooks).replay(recording.last()).unwrap();
    assert_eq!(again.outcome.decision, Decision::Deny);
    same(again);
}

#[test]
fn what_ran_in_the_background_has_no_answer() {
    let recording = Recording::new();
    let hook = |background: bool| {
        json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "exit 2", "async": background}]}]}}).to_string()
    };
    let engine = Engine::new(options("claude", &hook(true), &recording.file)).unwrap();
    engine.dispatch_blocking(STOP).unwrap();
    assert!(engine.wait_background(Duration::from_secs(60)).unwrap());
    same(engine.replay(recording.last()).unwrap());
    let again = engine_of("claude", &hook(false)).replay(recording.last()).unwrap();
    assert!(whats(&again).iter().any(|(what, _)| *what == "not_recorded"), "{:?}", again.differences);
}

#[test]
fn a_replay_writes_no_files_for_long_texts() {
    let recording = Recording::new();
    let long = r#"python3 -c "import json; print(json.dumps({'hookSpecificOutput': {'hookEventName': 'PreToolUse', 'additionalContext': 'x' * 60000}}))""#;
    let engine =
        Engine::new(options("claude", &settings("PreToolUse", json!([command(long)])), &recording.file))
            .unwrap();
    let outcome = engine.dispatch_blocking(WRITE).unwrap();
    assert!(outcome.additional_context[0].len() < 20_000, "the text was not cut");
    let line = &recording.values()[0];
    let path = line["hooks"][0]["result"]["spilled"][0]["path"].as_str().unwrap();
    assert!(outcome.additional_context[0].contains(path));
    fs::remove_file(path).unwrap();
    let again = crosshook::replay(recording.last()).unwrap();
    assert_eq!(again.outcome.additional_context, outcome.additional_context);
    same(again);
    assert!(!Path::new(path).exists());
}

#[test]
fn lines_that_are_none_are_refused_with_the_reason() {
    for (line, wanted) in [
        ("{", "it is no JSON object"),
        ("[]", "it is no JSON object"),
        ("{}", "it has no `format`"),
        (r#"{"format":1}"#, "its format is 1"),
        (r#"{"format":2}"#, "missing field"),
    ] {
        let error = crosshook::replay(line).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidEvent);
        assert!(error.to_string().contains(wanted), "{error}");
    }
    let recording = Recording::new();
    Engine::new(options("claude", "{}", &recording.file)).unwrap().dispatch_blocking(STOP).unwrap();
    let error = engine_of("qwen", "{}").replay(recording.last()).unwrap_err();
    assert!(error.to_string().contains("of the dialect claude recorded it"), "{error}");
}

#[test]
fn hooks_of_several_dialects_and_names_of_the_hosts_own_tools() {
    let recording = Recording::new();
    let answer = |own: Value| format!("printf '%s' '{}'", json!({"hookSpecificOutput": own}));
    let claude = answer(json!({"hookEventName": "PreToolUse", "permissionDecision": "allow",
        "updatedInput": {"command": "pwd", "run_in_background": false}}));
    let qwen = answer(json!({"hookEventName": "PreToolUse", "additionalContext": "seen"}));
    let group = |matcher: &str, line: &str| json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [command(line)]}]}});
    let given = json!({
        "dialect": "qwen",
        "settings": [
            {"dialect": "claude", "scope": "user", "settings": group("Bash", &claude)},
            {"scope": "user", "settings": group("run_shell_command", &qwen)}],
        "tools": {"execute": {"name": "run_shell_command", "arguments": {"cmd": "command"}}},
        "record": recording.file,
    });
    let engine = Engine::from_json(&given.to_string()).unwrap();
    let event = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "tool_name": "execute",
        "tool_input": {"cmd": "ls", "command": "not seen", "is_background": true}});
    let outcome = engine.dispatch_blocking(event.to_string()).unwrap();
    let input = outcome.updated_input.as_ref().unwrap().get();
    assert_eq!(serde_json::from_str::<Value>(input).unwrap(), json!({"cmd": "pwd", "is_background": false}));
    assert_eq!((outcome.hooks.len(), outcome.additional_context.len()), (2, 1));
    for again in [crosshook::replay(recording.last()).unwrap(), engine.replay(recording.last()).unwrap()] {
        assert_eq!(again.outcome.updated_input.as_ref().unwrap().get(), input);
        same(again);
    }
}

#[test]
fn what_a_worker_said_is_read_again_and_none_is_started() {
    let recording = Recording::new();
    let script =
        "read line; echo '{\"crosshook\": {\"id\": 1, \"exit_code\": 2, \"stderr\": \"no\"}}'; exit 3";
    let hook = json!({"type": "command", "command": script, "worker": true, "timeout": 60});
    let text = settings("PreToolUse", json!([hook]));
    let engine = Engine::new(options("claude", &text, &recording.file)).unwrap();
    let decision = engine.dispatch_blocking(WRITE).unwrap().decision;
    assert_eq!(decision, Decision::Deny);
    let fresh = engine_of("claude", &text);
    for again in [crosshook::replay(recording.last()).unwrap(), fresh.replay(recording.last()).unwrap()] {
        assert_eq!(again.outcome.decision, decision);
        same(again);
    }
}

#[test]
fn a_guard_that_is_held_back_denies_again() {
    let recording = Recording::new();
    let hook = json!({"type": "command", "command": "exit 0", "failMode": "closed"});
    let mut held = Options::new("claude")
        .settings_text(Some(crosshook::Scope::Project), settings("PreToolUse", json!([hook])));
    held.trusted = Some(false);
    let mut recorded = held.clone();
    recorded.record = Some(crosshook::RecordOptions::new(&recording.file));
    let outcome = Engine::new(recorded).unwrap().dispatch_blocking(WRITE).unwrap();
    assert_eq!(outcome.decision, Decision::Deny);
    same(crosshook::replay(recording.last()).unwrap());
    same(Engine::new(held.clone()).unwrap().replay(recording.last()).unwrap());
    // Trusted, it would run, and nobody knows what it would say.
    held.trusted = Some(true);
    let again = Engine::new(held).unwrap().replay(recording.last()).unwrap();
    assert_eq!(again.outcome.decision, Decision::None);
    let last = again.differences.last().unwrap();
    assert!(
        last.what == "not_recorded" && last.message.contains("it was held back"),
        "{:?}",
        again.differences
    );
}

#[test]
fn a_damaged_line_is_refused_or_read_and_breaks_nothing() {
    let recording = Recording::new();
    let hooks = json!([command("echo text; exit 2"), {"type": "http", "url": "http://127.0.0.1:9/"}]);
    let engine = Engine::new(options("claude", &settings("PreToolUse", hooks), &recording.file)).unwrap();
    engine.dispatch_blocking(WRITE).unwrap();
    let line = recording.last().into_bytes();
    let mut seed = 7_u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as usize % below
    };
    let mut read = 0;
    for _ in 0..3_000 {
        let mut damaged = line.clone();
        let (at, with) = (next(line.len()), *b"\"{}[],:0x-".get(next(10)).unwrap());
        match next(3) {
            0 => damaged[at] = with,
            1 => damaged.insert(at, with),
            _ => drop(damaged.remove(at)),
        }
        for again in [crosshook::replay(&damaged), engine.replay(&damaged)] {
            match again {
                Ok(_) => read += 1,
                Err(error) => assert_eq!(error.kind(), ErrorKind::InvalidEvent, "{error}"),
            }
        }
    }
    assert!((1_000..5_000).contains(&read), "{read} of 6000 were read");
}
