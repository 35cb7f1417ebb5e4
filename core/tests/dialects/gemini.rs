//! Gemini CLI.

use crosshook::{Code, Decision, Engine, Options, Outcome, Scope, Status};
use serde_json::{Value, json};

use crate::support::TempDir;
use crate::{codes, engine, extra, printing};

fn call(event: &str) -> Value {
    json!({"hook_event_name": event, "session_id": "s", "cwd": "/", "tool_name": "write_file",
        "tool_input": {"a": 1, "b": 1}, "prompt": "p", "llm_request": {"model": "m", "messages": []},
        "source": "startup", "reason": "exit", "trigger": "auto"})
}

fn run(event: &str, lines: &[&str]) -> Outcome {
    crate::run("gemini", &call(event), lines)
}

fn answers(event: &str, answers: &[Value]) -> Outcome {
    let lines: Vec<String> = answers.iter().map(printing).collect();
    run(event, &lines.iter().map(String::as_str).collect::<Vec<_>>())
}

fn in_sequence(event: &str, lines: &[&str]) -> Outcome {
    let hooks: Vec<Value> = lines.iter().map(|line| json!({"type": "command", "command": line})).collect();
    let settings = json!({"hooks": {event: [{"sequential": true, "hooks": hooks}]}});
    engine("gemini", &settings).dispatch_blocking(call(event).to_string()).unwrap()
}

fn said(outcome: &Outcome) -> (Decision, Option<&str>, Status) {
    (outcome.decision, outcome.reason.as_deref(), outcome.hooks[0].status)
}

#[test]
fn exit_codes_and_texts() {
    for (line, decision, reason, status, messages) in [
        ("echo note", Decision::None, None, Status::Ok, vec!["note"]),
        ("echo note >&2", Decision::None, None, Status::Ok, vec!["note"]),
        ("exit 1", Decision::None, None, Status::Error, vec![]),
        ("echo out; exit 1", Decision::None, None, Status::Error, vec!["Warning: out"]),
        ("echo err >&2; echo out; exit 2", Decision::Deny, Some("err"), Status::Blocked, vec![]),
        ("echo out; exit 2", Decision::Deny, Some("out"), Status::Blocked, vec![]),
        ("echo out; exit 3", Decision::Deny, Some("out"), Status::Blocked, vec![]),
        ("echo err >&2; exit 77", Decision::Deny, Some("err"), Status::Blocked, vec![]),
        ("exit 3", Decision::None, None, Status::Error, vec![]),
        ("echo 5", Decision::None, None, Status::Ok, vec![]),
        ("echo '[]'", Decision::None, None, Status::Ok, vec![]),
        ("echo '\"text\"'", Decision::None, None, Status::Ok, vec!["\"text\""]),
        ("echo '\"5\"'", Decision::None, None, Status::Ok, vec![]),
    ] {
        let outcome = run("BeforeTool", &[line]);
        assert_eq!(said(&outcome), (decision, reason, status), "{line}");
        assert_eq!(outcome.system_messages, messages, "{line}");
    }
    let silent = run("BeforeTool", &["exit 2"]);
    assert_eq!(
        said(&silent),
        (Decision::Deny, Some("Blocked by a hook that gave no reason"), Status::Blocked)
    );
}

#[test]
fn a_json_answer_counts_with_every_exit_code_and_2_always_blocks() {
    let deny = printing(&json!({"decision": "deny", "reason": "own", "systemMessage": "m"}));
    let allow = printing(&json!({"decision": "allow", "reason": "fine"}));
    for (line, wanted) in [
        (format!("{deny}\nexit 1"), (Decision::Deny, Some("own"), Status::Blocked)),
        (format!("{deny}\nexit 9"), (Decision::Deny, Some("own"), Status::Blocked)),
        (format!("{deny}\necho err >&2; exit 2"), (Decision::Deny, Some("own"), Status::Blocked)),
        (format!("{allow}\nexit 1"), (Decision::None, None, Status::Error)),
        (format!("{allow}\necho err >&2; exit 2"), (Decision::Deny, Some("err"), Status::Blocked)),
        (
            format!("{allow}\nexit 2"),
            (Decision::Deny, Some("Blocked by a hook that gave no reason"), Status::Blocked),
        ),
        (format!("({deny}\n) >&2; exit 1"), (Decision::Deny, Some("own"), Status::Blocked)),
        (format!("({deny}\n) >&2"), (Decision::None, None, Status::Ok)),
    ] {
        let outcome = run("BeforeTool", &[&line]);
        assert_eq!(said(&outcome), wanted, "{line}");
    }
    let unread = run("BeforeTool", &[&format!("({deny}\n) >&2")]);
    assert_eq!((unread.system_messages.len(), codes(&unread)), (0, vec![Code::JsonNotRead]));
}

#[test]
fn reasons_and_stop_reasons_of_all_hooks() {
    let outcome = answers(
        "BeforeTool",
        &[
            json!({"decision": "allow", "reason": "size"}),
            json!({"continue": false, "stopReason": "one"}),
            json!({"decision": "deny", "reason": "path"}),
            json!({"continue": false, "stopReason": "two"}),
        ],
    );
    assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Deny, Some("one\ntwo")));
    assert_eq!(outcome.stop.unwrap().reason.as_deref(), Some("one\ntwo"));
    // A stop reason without `continue: false` is none.
    let outcome = answers("AfterTool", &[json!({"decision": "block", "stopReason": "x"})]);
    assert_eq!(said(&outcome), (Decision::Block, Some("No reason provided"), Status::Blocked));
    assert_eq!(outcome.stop, None);
}

#[test]
fn model_events_take_the_later_answer_but_never_lose_a_deny() {
    let outcome = answers(
        "BeforeModel",
        &[
            json!({"decision": "deny", "reason": "a", "systemMessage": "first",
            "hookSpecificOutput": {"llm_request": {"model": "x"}}}),
            json!({"decision": "allow", "reason": "b", "systemMessage": "second",
            "hookSpecificOutput": {"llm_request": {"temperature": 0}, "llm_response": {"text": "t"}}}),
        ],
    );
    assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Block, Some("a")));
    assert_eq!(outcome.system_messages, ["second"]);
    assert_eq!(extra(&outcome, "llm_request"), json!({"model": "m", "messages": [], "temperature": 0}));
    assert_eq!(extra(&outcome, "llm_response"), json!({"text": "t"}));
    assert_eq!(codes(&outcome).iter().filter(|code| **code == Code::RewriteLost).count(), 2);
    let outcome =
        answers("AfterModel", &[json!({"hookSpecificOutput": {"llm_response": {"candidates": []}}})]);
    assert_eq!(extra(&outcome, "llm_response"), json!({"candidates": []}));
    let outcome = answers("BeforeModel", &[json!({"decision": "ask"})]);
    assert_eq!((outcome.decision, codes(&outcome)), (Decision::None, vec![Code::DecisionUnused]));
}

#[test]
fn tools_of_all_hooks_are_united_and_the_strictest_mode_counts() {
    let config = |mode: &str, names: &[&str]| json!({"hookSpecificOutput": {"toolConfig": {"mode": mode, "allowedFunctionNames": names}}});
    let of = |configs: &[Value]| extra(&answers("BeforeToolSelection", configs), "toolConfig");
    assert_eq!(
        of(&[config("AUTO", &["b", "a"])]),
        json!({"mode": "AUTO", "allowedFunctionNames": ["a", "b"]})
    );
    assert_eq!(
        of(&[config("ANY", &["b"]), config("AUTO", &["c", "b"]), config("ANY", &["a"])]),
        json!({"mode": "ANY", "allowedFunctionNames": ["a", "b", "c"]})
    );
    assert_eq!(
        of(&[config("NONE", &["b"]), config("ANY", &["a"])]),
        json!({"mode": "NONE", "allowedFunctionNames": []})
    );
    let outcome = answers(
        "BeforeToolSelection",
        &[json!({"decision": "deny", "systemMessage": "m", "continue": false})],
    );
    assert_eq!((outcome.decision, outcome.stop, outcome.system_messages.len()), (Decision::None, None, 0));
    assert_eq!(outcome.diagnostics.len(), 3, "{:?}", outcome.diagnostics);
}

#[test]
fn fields_of_single_events() {
    let all = json!({"hookSpecificOutput": {"hookEventName": "X", "additionalContext": "<b>", "clearContext": true,
        "tailToolCallRequest": {"name": "t", "args": {}}, "tool_input": {"a": 2}}});
    let after = answers("AfterTool", std::slice::from_ref(&all));
    assert_eq!(after.additional_context, ["&lt;b&gt;"]);
    assert_eq!(extra(&after, "tailToolCallRequest"), json!({"name": "t", "args": {}}));
    assert_eq!((after.updated_input.is_none(), extra(&after, "clearContext")), (true, Value::Null));
    let retry = answers("AfterAgent", std::slice::from_ref(&all));
    assert_eq!((extra(&retry, "clearContext"), retry.additional_context.len()), (json!(true), 0));
    assert_eq!(answers("BeforeAgent", std::slice::from_ref(&all)).additional_context, ["&lt;b&gt;"]);
    assert_eq!(answers("SessionStart", std::slice::from_ref(&all)).additional_context, ["&lt;b&gt;"]);
    let advisory =
        answers("PreCompress", &[json!({"decision": "deny", "continue": false, "systemMessage": "m"})]);
    assert_eq!((advisory.decision, &advisory.stop), (Decision::None, &None));
    assert_eq!(advisory.system_messages, ["m"]);
    let rendered = engine("gemini", &json!({})).render_context(&after);
    assert_eq!(rendered.as_deref(), Some("<hook_context>&lt;b&gt;</hook_context>"));
}

#[test]
fn side_by_side_the_later_change_counts_and_in_a_sequence_both_do() {
    let change = |key: &str| printing(&json!({"hookSpecificOutput": {"tool_input": {key: 2}}}));
    let (a, b) = (change("a"), change("b"));
    let input = |outcome: &Outcome| -> Value {
        serde_json::from_str(outcome.updated_input.as_ref().unwrap().get()).unwrap()
    };
    let outcome = run("BeforeTool", &[&a, &b]);
    assert_eq!((input(&outcome), codes(&outcome)), (json!({"a": 1, "b": 2}), vec![Code::RewriteLost]));
    let outcome = in_sequence("BeforeTool", &[&a, &b]);
    assert_eq!(input(&outcome), json!({"a": 2, "b": 2}));
}

#[test]
fn a_sequence_hands_on_what_successful_hooks_changed() {
    let sees = |text: &str| format!(r#"grep -qF '{text}' && echo seen || echo unseen"#);
    let context = printing(&json!({"hookSpecificOutput": {"additionalContext": "<ctx>"}}));
    let outcome = in_sequence("BeforeAgent", &[&context, &sees(r#""prompt":"p\n\n<ctx>""#)]);
    assert_eq!(outcome.system_messages, ["seen"]);
    let outcome = in_sequence("BeforeAgent", &[&format!("{context}\nexit 1"), &sees("<ctx>")]);
    assert_eq!(outcome.system_messages, ["unseen"], "it failed");
    let request = printing(&json!({"hookSpecificOutput": {"llm_request": {"model": "x"}}}));
    let more = printing(&json!({"hookSpecificOutput": {"llm_request": {"seed": 7}}}));
    let outcome =
        in_sequence("BeforeModel", &[&request, &more, &sees(r#"{"messages":[],"model":"x","seed":7}"#)]);
    assert_eq!(outcome.system_messages, ["seen"]);
    assert_eq!(extra(&outcome, "llm_request"), json!({"model": "x", "messages": [], "seed": 7}));
    let deny = printing(&json!({"decision": "deny", "reason": "r"}));
    let outcome = in_sequence("BeforeTool", &[&deny, "echo ran"]);
    assert_eq!((outcome.decision, outcome.system_messages), (Decision::Deny, vec!["ran".to_owned()]));
}

#[test]
fn hooks_are_switched_off_by_name_or_all_at_once() {
    let hooks =
        |events: Value, config: Value| json!({"hooks": {"AfterAgent": events}, "hooksConfig": config});
    let group = json!([{"hooks": [{"type": "command", "command": "echo a", "name": "a"},
        {"type": "command", "command": "echo b"}]}]);
    let ran = |engine: &Engine| -> Vec<String> {
        let outcome = engine.dispatch_blocking(call("AfterAgent").to_string()).unwrap();
        outcome.hooks.into_iter().map(|hook| hook.label).collect()
    };
    let one = hooks(group.clone(), json!({"disabled": ["a"]}));
    assert_eq!(ran(&engine("gemini", &one)), ["echo b"]);
    // The lists of all sources count.
    let both = Options::new("gemini")
        .settings_text(Some(Scope::User), one.to_string())
        .settings_text(Some(Scope::Project), json!({"hooksConfig": {"disabled": ["echo b"]}}).to_string());
    assert_eq!(ran(&Engine::new(both).unwrap()), Vec::<String>::new());
    // Of the switch the strongest scope counts.
    let switched = |user: bool, system: bool| {
        let on = |on: bool| json!({"hooksConfig": {"enabled": on}}).to_string();
        let options = Options::new("gemini")
            .settings_text(Some(Scope::User), hooks(group.clone(), json!({"enabled": user})).to_string())
            .settings_text(Some(Scope::System), on(system));
        ran(&Engine::new(options).unwrap()).len()
    };
    assert_eq!((switched(false, true), switched(true, false)), (2, 0));
    let old = engine("gemini", &json!({"hooks": {"enabled": false, "AfterAgent": group}}));
    assert_eq!(ran(&old).len(), 2);
    let message = &old.diagnostics()[0].message;
    assert!(message.contains("`hooksConfig.enabled`"), "{message}");
}

#[test]
fn what_people_bring_from_claude_code_is_named() {
    let group = json!([{"hooks": [{"type": "command", "command": "exit 2", "async": true}]}]);
    let engine = engine(
        "gemini",
        &json!({"hooks": {"PreToolUse": group, "SessionStart": [{"matcher": "startup|resume",
        "hooks": []}]}}),
    );
    let messages: Vec<String> =
        engine.diagnostics().into_iter().map(|diagnostic| diagnostic.message).collect();
    assert!(messages.iter().any(|message| message.ends_with("write `BeforeTool`")), "{messages:?}");
    assert!(messages.iter().any(|message| message.contains("compared as text")), "{messages:?}");
    assert!(messages.iter().any(|message| message.contains("does not read `async`")), "{messages:?}");
}

#[test]
fn paths_of_the_line_are_safe_in_every_kind_of_quotes() {
    let dir = TempDir::new();
    let odd = dir.path().join("a b'$(x)");
    std::fs::create_dir(&odd).unwrap();
    let line = r#"printf '%s|' $GEMINI_PROJECT_DIR "$GEMINI_CWD" '$CLAUDE_PROJECT_DIR' $GEMINI_SESSION_ID"#;
    let mut event = call("AfterAgent");
    event["cwd"] = json!(odd);
    event["session_id"] = json!("x y");
    let outcome = crate::run("gemini", &event, &[line]);
    let path = odd.display();
    assert_eq!(outcome.system_messages, [format!("{path}|{path}|{path}|x y|")]);
}

#[test]
fn secrets_of_the_host_stay_when_the_settings_or_github_ask_for_it() {
    let line = "printf '%s,%s,%s,%s' \"$MY_TOKEN\" \"$URL\" \"$PLAIN\" \"$GEMINI_CLI_X\"";
    let with = |config: Value, scope: Scope, more: &[(&str, &str)]| {
        let hooks = json!({"AfterAgent": [{"hooks": [{"type": "command", "command": line}]}]});
        let settings = json!({"hooks": hooks, "security": {"environmentVariableRedaction": config}});
        let mut options = Options::new("gemini").settings_text(Some(scope), settings.to_string());
        let own = [("MY_TOKEN", "t"), ("URL", "https://u:p@host/"), ("PLAIN", "p"), ("GEMINI_CLI_X", "x")];
        let path = std::env::var("PATH").unwrap();
        let all = own.iter().chain(more).copied().chain([("PATH", path.as_str())]);
        options.env = Some(all.map(|(name, value)| (name.to_owned(), value.to_owned())).collect());
        let engine = Engine::new(options).unwrap();
        let outcome = engine.dispatch_blocking(call("AfterAgent").to_string()).unwrap();
        outcome.system_messages.join("")
    };
    let user = Scope::User;
    assert_eq!(with(json!({}), user, &[]), "t,https://u:p@host/,p,x");
    assert_eq!(with(json!({"enabled": true}), user, &[]), ",,p,x");
    assert_eq!(
        with(json!({"enabled": true, "allowed": ["my_token"], "blocked": ["PLAIN"]}), user, &[]),
        "t,,,x"
    );
    assert_eq!(with(json!({}), user, &[("GITHUB_SHA", "1")]), ",,,x");
    assert_eq!(with(json!({}), user, &[("SURFACE", "Github")]), ",,,x");
    // A project cannot give its own hooks what the user keeps back.
    assert_eq!(with(json!({"enabled": true, "allowed": ["MY_TOKEN"]}), Scope::Project, &[]), ",,p,x");
}

#[test]
fn files_of_the_user_the_project_and_the_machine_and_extensions() {
    let dir = TempDir::new();
    let hooks = |line: &str| json!({"AfterAgent": [{"hooks": [{"type": "command", "command": line}]}]});
    let settings = |line: &str| json!({"hooks": hooks(line)}).to_string();
    dir.file("home/.gemini/settings.json", format!("// why\n{}", settings("user")));
    dir.file("project/.gemini/settings.json", settings("project"));
    dir.file("system/settings.json", settings("system"));
    dir.file("system/system-defaults.json", settings("defaults"));
    let line = "printf '%s|' ${extensionPath}${/}a \"${workspacePath}\"";
    dir.file("ext/gemini-extension.json", r#"{"name": "e"}"#);
    dir.file("ext/hooks/hooks.json", json!({"hooks": hooks(line)}).to_string());
    let mut options = Options::new("gemini").plugin(dir.path().join("ext"));
    (options.home, options.project_dir) = (Some(dir.path().join("home")), Some(dir.path().join("project")));
    let system = dir.path().join("system/settings.json").display().to_string();
    let path = std::env::var("PATH").unwrap();
    options.env =
        Some([("GEMINI_CLI_SYSTEM_SETTINGS_PATH".to_owned(), system), ("PATH".to_owned(), path)].into());
    let trusting = Engine::new(options.clone()).unwrap();
    let labels: Vec<String> = trusting.list().into_iter().map(|hook| hook.label).collect();
    let [first @ .., last] = labels.as_slice() else { panic!("no hooks") };
    assert_eq!(first, ["defaults", "system", "user", "project"]);
    assert!(last.contains("extensionPath"), "{last}");
    assert!(trusting.diagnostics().is_empty(), "{:?}", trusting.diagnostics());
    options.trusted = Some(false);
    let engine = Engine::new(options).unwrap();
    let held: Vec<bool> = engine.list().into_iter().map(|hook| hook.enabled).collect();
    assert_eq!(held, [true, true, true, false, true]);
    let outcome = engine.dispatch_blocking(call("AfterAgent").to_string()).unwrap();
    let ext = std::fs::canonicalize(dir.path().join("ext")).unwrap();
    let wanted = format!("{}/a|{}|", ext.display(), dir.path().join("project").display());
    assert!(outcome.system_messages.contains(&wanted), "{:?} {wanted}", outcome.system_messages);
}

#[test]
fn retries_of_an_answer_are_counted_and_told_to_the_hooks() {
    let line = r#"grep -q '"stop_hook_active":true' && echo again >&2 || echo first >&2; exit 2"#;
    let settings = json!({"hooks": {"AfterAgent": [{"hooks": [{"type": "command", "command": line}]}]}});
    let engine = engine("gemini", &settings);
    let reason =
        |event: &str| engine.dispatch_blocking(call(event).to_string()).unwrap().reason.unwrap_or_default();
    assert_eq!([reason("AfterAgent"), reason("AfterAgent")], ["first", "again"]);
    reason("BeforeAgent");
    assert_eq!(reason("AfterAgent"), "first", "a new prompt");
}
