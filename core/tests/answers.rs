//! Answers and events that are odd, ambiguous or hostile: what counts of them, and what is said of the rest.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use crosshook::{Code, Decision, Engine, FunctionSpec, Options, Outcome, Request, Status};
use serde_json::{Value, json};

fn settings(dialect: &str, event: &str, group: &Value) -> Value {
    match dialect {
        "zcode" => json!({"hooks": {"enabled": true, "events": {event: [group]}}}),
        _ => json!({"hooks": {event: [group]}}),
    }
}

fn run_group(dialect: &str, event: &Value, group: &Value) -> Outcome {
    let name = event["hook_event_name"].as_str().unwrap();
    let settings = settings(dialect, name, group).to_string();
    Engine::new(Options::new(dialect).settings_text(None, settings))
        .unwrap()
        .dispatch_blocking(event.to_string())
        .unwrap()
}

/// What comes of a hook that runs `line` on a call of the tool T.
fn run(dialect: &str, event: &str, line: &str) -> Outcome {
    run_group(dialect, &call(event), &json!({"hooks": [{"type": "command", "command": line}]}))
}

fn call(event: &str) -> Value {
    json!({"hook_event_name": event, "session_id": "s", "cwd": "/", "tool_name": "T", "tool_input": {"a": 1}})
}

fn printing(answer: &Value) -> String {
    format!("cat <<'END'\n{answer}\nEND")
}

fn codes(outcome: &Outcome) -> Vec<Code> {
    outcome.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

#[test]
fn an_answer_that_is_not_read_is_said_in_every_dialect() {
    let answer = r#"{"decision":"block","reason":"r"}"#;
    let lines = [
        format!("echo 'INFO: {answer}'"),
        format!("echo '[{answer}]'"),
        format!("seq 300; echo '{answer}'"),
        format!("printf '\\0'; echo '{answer}'"),
        format!("echo '{answer}' >&2"),
        format!("echo '{answer}'; exit 1"),
    ];
    for dialect in ["codebuddy", "zcode", "qwen", "claude"] {
        // Claude Code reads JSON with any exit code.
        let read = usize::from(dialect == "claude");
        for line in lines.iter().rev().skip(read) {
            let outcome = run(dialect, "PreToolUse", line);
            assert_eq!(outcome.decision, Decision::None, "{dialect} {line}");
            assert!(codes(&outcome).contains(&Code::JsonNotRead), "{dialect} {line}: {}", outcome.to_json());
        }
        let outcome = run(dialect, "PreToolUse", "printf '\\376\\377\\0{'");
        assert_eq!(codes(&outcome), [Code::InvalidOutput], "{dialect}: {}", outcome.to_json());
        assert!(outcome.diagnostics[0].message.contains("not UTF-8 (invalid byte at offset 0)"));
    }
}

#[test]
fn zcode_a_rewrite_that_is_no_object_does_not_cost_the_decision() {
    for input in [json!(null), json!([1]), json!("x"), json!(7)] {
        let answer = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": "r", "updatedInput": input}});
        let outcome = run("zcode", "PreToolUse", &printing(&answer));
        assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Deny, Some("r")), "{input}");
        let wanted = if input.is_null() { vec![] } else { vec![Code::InvalidOutput] };
        assert_eq!(codes(&outcome), wanted, "{input}");
    }
}

#[test]
fn within_one_answer_the_stronger_decision_counts_with_its_own_reason() {
    for dialect in ["codebuddy", "zcode", "qwen", "claude"] {
        for objection in
            [json!({"decision": "block", "reason": "no"}), json!({"continue": false, "stopReason": "no"})]
        {
            // Claude Code halts with it, which is no decision.
            if dialect == "claude" && objection.get("continue").is_some() {
                continue;
            }
            for consent in ["allow", "ask"] {
                let mut answer = objection.clone();
                answer["hookSpecificOutput"] = json!({"hookEventName": "PreToolUse", "permissionDecision": consent,
                    "permissionDecisionReason": "fine"});
                let outcome = run(dialect, "PreToolUse", &printing(&answer));
                // Qwen Code: `continue: false` denies only where nobody asks (section 1).
                let asks = dialect == "qwen" && consent == "ask" && objection.get("continue").is_some();
                let wanted = if asks { (Decision::Ask, Some("fine")) } else { (Decision::Deny, Some("no")) };
                assert_eq!((outcome.decision, outcome.reason.as_deref()), wanted, "{dialect} {answer}");
            }
        }
    }
}

#[test]
fn qwen_an_event_without_a_target_fires_whatever_the_matcher() {
    let group = json!({"matcher": "startup", "hooks": [{"type": "command", "command": "echo ran"}]});
    for (source, contexts) in [(json!(""), 1), (json!(null), 1), (json!("resume"), 0), (json!("startup"), 1)]
    {
        let event = json!({"hook_event_name": "SessionStart", "cwd": "/", "source": source});
        let outcome = run_group("qwen", &event, &group);
        assert_eq!(outcome.additional_context.len(), contexts, "{source}");
        assert_eq!(codes(&outcome).contains(&Code::EventField), source != "resume" && source != "startup");
    }
}

#[test]
fn qwen_a_bad_entry_of_a_matcher_leaves_the_plain_names() {
    let group = json!({"matcher": "Bash|(", "hooks": [{"type": "command", "command": "exit 2"}]});
    for (tool, decision) in [("run_shell_command", Decision::Deny), ("edit", Decision::None)] {
        let mut event = call("PreToolUse");
        event["tool_name"] = json!(tool);
        let outcome = run_group("qwen", &event, &group);
        assert_eq!((outcome.decision, codes(&outcome)), (decision, vec![Code::InvalidMatcher]), "{tool}");
    }
}

#[test]
fn event_text_cannot_keep_a_hook_from_starting() {
    for dialect in ["codebuddy", "zcode", "qwen", "claude"] {
        let mut event = call("PreToolUse");
        for field in ["session_id", "agent_id", "prompt_id", "model"] {
            event[field] = json!("a\0b\n\"$(x)'");
        }
        let line = r#"printf %s "$ZCODE_SESSION_ID$QWEN_CODE_AGENT_ID" >&2; exit 2"#;
        let group = json!({"hooks": [{"type": "command", "command": line}]});
        let outcome = run_group(dialect, &event, &group);
        let reason = if matches!(dialect, "codebuddy" | "claude") {
            "Blocked by a hook that gave no reason"
        } else {
            "ab\n\"$(x)'"
        };
        assert_eq!(
            (outcome.decision, outcome.reason.as_deref()),
            (Decision::Deny, Some(reason)),
            "{dialect}"
        );
    }
}

#[test]
fn the_time_of_an_event_binds_every_type_and_is_named() {
    let host = Arc::new(|request: Request| std::mem::forget(request));
    let engine = Engine::with_host(Options::new("qwen").settings_text(None, "{}"), host).unwrap();
    let mut spec = FunctionSpec::new("PostToolBatch");
    spec.timeout_ms = Some(60_000);
    engine.register_function(spec).unwrap();
    let started = Instant::now();
    let outcome = engine.dispatch_blocking(r#"{"hook_event_name":"PostToolBatch"}"#).unwrap();
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    assert_eq!(outcome.hooks[0].status, Status::Timeout);
    let message = &outcome.diagnostics[0].message;
    assert!(message.contains("did not finish within 15s"), "{message}");
}

#[test]
fn closed_hooks_deny_when_their_answer_does_not_parse() {
    for dialect in ["codebuddy", "zcode", "qwen", "claude"] {
        let hook = json!({"type": "command", "command": "printf '{\"decision\":'", "failMode": "closed"});
        let outcome = run_group(dialect, &call("PreToolUse"), &json!({"hooks": [hook]}));
        assert_eq!(outcome.decision, Decision::Deny, "{dialect}");
        assert!(outcome.reason.as_deref().unwrap().contains("fail mode is `closed`"), "{dialect}");
        assert!(codes(&outcome).contains(&Code::FailedClosed), "{dialect}");
    }
}

#[test]
fn settings_of_another_form_are_never_ignored_in_silence() {
    let group = json!([{"hooks": [{"type": "command", "command": "exit 2"}]}]);
    for dialect in ["codebuddy", "zcode", "qwen", "claude"] {
        for settings in
            [json!({"PreToolUse": group}), json!({"hooks": []}), json!({"hooks": 5}), json!({"hooks": null})]
        {
            let engine =
                Engine::new(Options::new(dialect).settings_text(None, settings.to_string())).unwrap();
            let codes: Vec<Code> = engine.diagnostics().iter().map(|diagnostic| diagnostic.code).collect();
            assert_eq!(codes, [Code::InvalidDefinition], "{dialect} {settings}");
        }
    }
    let settings = json!({"hooks": {"Stop": [{"sequential": "yes", "hooks": []}]}});
    let engine = Engine::new(Options::new("qwen").settings_text(None, settings.to_string())).unwrap();
    assert_eq!(engine.diagnostics()[0].message, "`sequential` is a string, not true or false; it is ignored");
}

#[test]
fn the_word_of_a_decision_alone_is_no_decision_and_that_is_said() {
    for dialect in ["codebuddy", "qwen", "claude", "zcode"] {
        for word in ["deny", "BLOCK", "approve", "no"] {
            let outcome = run(dialect, "PreToolUse", &format!("echo {word}"));
            assert_eq!(outcome.decision, Decision::None, "{dialect} {word}");
            assert_eq!(codes(&outcome), [Code::OutputUnused], "{dialect} {word}");
            assert!(outcome.diagnostics[0].message.contains("exit code 2"), "{dialect} {word}");
        }
        for text in ["ok", "done", "no problems found", "blocked 3 times"] {
            assert_eq!(codes(&run(dialect, "PreToolUse", &format!("echo {text}"))), [], "{dialect} {text}");
        }
    }
}
