//! Codex CLI.

use std::time::Duration;

use crosshook::{Code, Decision, Engine, Options, Outcome, PluginSource, Scope, Status};
use serde_json::{Value, json};

use crate::support::TempDir;
use crate::{codes, engine, printing};

fn call(event: &str) -> Value {
    json!({"hook_event_name": event, "session_id": "s", "cwd": "/", "model": "m", "permission_mode": "default",
        "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": "x", "prompt": "p",
        "source": "startup", "trigger": "auto", "agent_type": "a", "reason": "other"})
}

fn run(event: &str, line: &str) -> Outcome {
    crate::run("codex", &call(event), &[line])
}

fn answer(event: &str, answer: &Value) -> Outcome {
    run(event, &printing(answer))
}

fn own(event: &str, fields: Value) -> Value {
    let mut fields = fields;
    fields["hookEventName"] = json!(event);
    json!({"hookSpecificOutput": fields})
}

fn status(outcome: &Outcome) -> Status {
    outcome.hooks[0].status
}

#[test]
fn an_answer_with_any_fault_counts_for_nothing() {
    let deny = json!({"permissionDecision": "deny", "permissionDecisionReason": "r"});
    let good = own("PreToolUse", deny.clone());
    assert_eq!(answer("PreToolUse", &good).decision, Decision::Deny);
    // The event's name is asked for, and not compared.
    assert_eq!(answer("PreToolUse", &own("Stop", deny.clone())).decision, Decision::Deny);
    let with = |key: &str, value: Value| {
        let mut answer = good.clone();
        answer[key] = value;
        answer
    };
    let inside = |key: &str, value: Value| {
        let mut answer = good.clone();
        answer["hookSpecificOutput"][key] = value;
        answer
    };
    for bad in [
        with("vendor", json!(1)),
        with("continue", json!(null)),
        with("continue", json!("no")),
        with("suppressOutput", json!(null)),
        with("stopReason", json!("x")),
        with("suppressOutput", json!(true)),
        with("decision", json!("deny")),
        with("systemMessage", json!(5)),
        inside("more", json!(1)),
        inside("hookEventName", json!("Setup")),
        inside("permissionDecision", json!("ok")),
        inside("permissionDecisionReason", json!(" ")),
        json!({"hookSpecificOutput": deny}),
        json!({"decision": "approve"}),
        json!({"reason": "alone"}),
    ] {
        let outcome = answer("PreToolUse", &bad);
        assert_eq!((outcome.decision, status(&outcome)), (Decision::None, Status::Error), "{bad}");
        assert!(codes(&outcome).contains(&Code::InvalidOutput), "{bad}");
    }
    for fine in
        [with("continue", json!(true)), with("systemMessage", json!(null)), with("decision", json!(null))]
    {
        assert_eq!(answer("PreToolUse", &fine).decision, Decision::Deny, "{fine}");
    }
}

#[test]
fn what_is_not_supported_keeps_its_message_and_loses_its_context() {
    let mut ask = own("PreToolUse", json!({"permissionDecision": "ask", "additionalContext": "c"}));
    ask["systemMessage"] = json!("m");
    let outcome = answer("PreToolUse", &ask);
    assert_eq!((outcome.decision, status(&outcome)), (Decision::None, Status::Error));
    assert_eq!((outcome.system_messages, outcome.additional_context.len()), (vec!["m".to_owned()], 0));
    // A field of the wrong type costs all of it.
    ask["continue"] = json!(0);
    assert_eq!(answer("PreToolUse", &ask).system_messages.len(), 0);
}

#[test]
fn permission_requests() {
    let ruled =
        |ruling: Value| answer("PermissionRequest", &own("PermissionRequest", json!({"decision": ruling})));
    assert_eq!(ruled(json!({"behavior": "allow", "interrupt": false})).decision, Decision::Allow);
    let silent = ruled(json!({"behavior": "deny", "message": " "}));
    assert_eq!(silent.decision, Decision::Deny);
    assert_eq!(silent.reason.as_deref(), Some("Blocked by a hook that gave no reason"));
    for bad in [
        json!({"behavior": "allow", "updatedPermissions": []}),
        json!({"behavior": "deny", "interrupt": true}),
        json!({"behavior": "maybe"}),
        json!({}),
    ] {
        let outcome = ruled(bad.clone());
        assert_eq!((outcome.decision, status(&outcome)), (Decision::None, Status::Error), "{bad}");
    }
    let context = own("PermissionRequest", json!({"additionalContext": "c"}));
    assert_eq!(status(&answer("PermissionRequest", &context)), Status::Error);
}

#[test]
fn feedback_after_a_tool() {
    let said = |value: Value| {
        let outcome = answer("PostToolUse", &value);
        (outcome.decision, outcome.reason, outcome.stop)
    };
    let block = |text: &str| (Decision::Block, Some(text.to_owned()), None);
    assert_eq!(said(json!({"continue": false, "stopReason": "s", "reason": "r"})), block("r"));
    assert_eq!(said(json!({"continue": false, "stopReason": "s"})), block("s"));
    assert_eq!(said(json!({"continue": false})), block("Blocked by a hook that gave no reason"));
    assert_eq!(said(json!({"decision": "block", "reason": "r"})), block("r"));
    for bad in [
        json!({"reason": "r"}),
        json!({"decision": "block", "reason": "r", "suppressOutput": true}),
        own("PostToolUse", json!({"updatedMCPToolOutput": {}})),
    ] {
        assert_eq!(status(&answer("PostToolUse", &bad)), Status::Error, "{bad}");
    }
}

#[test]
fn halting_and_exit_codes_by_event() {
    let halt = json!({"continue": false, "stopReason": "s"});
    for (event, stops) in [
        ("UserPromptSubmit", true),
        ("SessionStart", true),
        ("SubagentStart", false),
        ("Stop", true),
        ("SubagentStop", true),
        ("PreCompact", true),
        ("PostCompact", true),
        ("SessionEnd", false),
    ] {
        let outcome = answer(event, &halt);
        let reason = outcome.stop.as_ref().and_then(|stop| stop.reason.as_deref());
        assert_eq!(reason, stops.then_some("s"), "{event}");
        assert_eq!(outcome.decision, Decision::None, "{event}");
    }
    let both = json!({"continue": false, "decision": "block", "reason": "r"});
    let outcome = answer("Stop", &both);
    assert_eq!((outcome.decision, outcome.stop.is_some()), (Decision::None, true));
    let outcome = answer("UserPromptSubmit", &both);
    assert_eq!((outcome.decision, outcome.stop.is_some()), (Decision::Block, true), "neither is lost");
    for (event, decision) in [
        ("PreToolUse", Decision::Deny),
        ("PermissionRequest", Decision::Deny),
        ("PostToolUse", Decision::Block),
        ("UserPromptSubmit", Decision::Block),
        ("Stop", Decision::Block),
        ("SubagentStop", Decision::Block),
        ("SessionStart", Decision::None),
        ("SubagentStart", Decision::None),
        ("PreCompact", Decision::None),
    ] {
        let outcome = run(event, "echo ' why ' >&2; exit 2");
        assert_eq!(outcome.decision, decision, "{event}");
        assert_eq!(outcome.reason.as_deref(), (decision != Decision::None).then_some("why"), "{event}");
        let silent = run(event, "echo '{\"decision\":\"block\"}'; exit 2");
        assert_eq!((silent.decision, status(&silent)), (Decision::None, Status::Error), "{event}");
        assert!(codes(&silent).contains(&Code::JsonNotRead), "{event}");
    }
}

#[test]
fn text_instead_of_json() {
    for (event, context, wanted) in [
        ("SessionStart", 1, Status::Ok),
        ("SubagentStart", 1, Status::Ok),
        ("UserPromptSubmit", 1, Status::Ok),
        ("PreToolUse", 0, Status::Ok),
        ("PostToolUse", 0, Status::Ok),
        ("PreCompact", 0, Status::Ok),
        ("Stop", 0, Status::Error),
        ("SubagentStop", 0, Status::Error),
    ] {
        let outcome = run(event, "echo ' text '");
        assert_eq!((outcome.additional_context.len(), status(&outcome)), (context, wanted), "{event}");
    }
    assert_eq!(run("UserPromptSubmit", "echo 5").additional_context, ["5"]);
    assert_eq!(status(&run("UserPromptSubmit", "echo '[1]'")), Status::Error);
    assert_eq!(status(&run("UserPromptSubmit", "echo '{x'")), Status::Error);
}

fn settings(event: &str, hook: Value) -> Value {
    json!({"hooks": {event: [{"hooks": [hook]}]}})
}

fn messages(engine: &Engine) -> Vec<String> {
    engine.diagnostics().into_iter().map(|diagnostic| diagnostic.message).collect()
}

/// The key that a message begins with.
fn bad_key(message: &str) -> Option<&str> {
    message.strip_prefix('`')?.split('`').next()
}

#[test]
fn a_bad_entry_is_dropped_and_its_neighbours_run() {
    let hook = |key: &str, value: Value| {
        let mut hook = json!({"type": "command", "command": "bad"});
        hook[key] = value;
        hook
    };
    for (bad, whole_file) in [
        (hook("timeout", json!(1.5)), true),
        (hook("timeout", json!(-1)), true),
        (hook("timeout", json!("5")), true),
        (hook("async", json!(null)), true),
        (hook("statusMessage", json!(1)), true),
        (hook("additionalContextLimit", json!(0.5)), true),
        (hook("type", json!("http")), true),
        (hook("command", json!(["x"])), true),
        (hook("command", json!(" ")), false),
        (hook("type", json!("prompt")), false),
        (hook("type", json!("agent")), false),
    ] {
        let good = json!({"type": "command", "command": "good", "timeout": 5});
        let engine = engine("codex", &json!({"hooks": {"PreToolUse": [{"hooks": [bad, good]}]}}));
        let running: Vec<String> =
            engine.list().into_iter().filter(|hook| hook.enabled).map(|hook| hook.label).collect();
        assert_eq!(running, ["good"], "{bad}");
        let [message] = messages(&engine).try_into().unwrap();
        assert_eq!(message.contains("Codex CLI itself drops the whole file"), whole_file, "{message}");
        let about_time = message.contains("no whole number of seconds; the hook is skipped");
        assert_eq!(about_time, bad_key(&message) == Some("timeout"), "{message}");
    }
    // What Codex does not look at is a warning.
    let odd = engine("codex", &settings("PreToolUse", hook("name", json!(1))));
    assert!(odd.list()[0].enabled);
    let more = engine("codex", &json!({"hooks": {}, "model": "m"}));
    assert!(messages(&more)[0].contains("`model` does not belong"), "{:?}", messages(&more));
    let bad = engine(
        "codex",
        &json!({"hooks": {"Stop": {}, "PreToolUse": [7, {"hooks": 5}, {"matcher": 1, "hooks": []}]}}),
    );
    assert_eq!(messages(&bad).iter().filter(|message| message.contains("whole file")).count(), 4);
}

#[test]
fn time_limits() {
    let timeout = |event: &str, value: Value| {
        let mut hook = json!({"type": "command", "command": "x"});
        hook["timeout"] = value;
        engine("codex", &settings(event, hook)).list()[0].timeout
    };
    assert_eq!((timeout("Stop", json!(null)), timeout("Stop", json!(0))), (600.0, 1.0));
    assert_eq!((timeout("Stop", json!(7)), timeout("SessionEnd", json!(null))), (7.0, 1.0));
    let long =
        json!({"type": "command", "command": "cat >/dev/null; sleep 60", "timeout": 60, "async": true});
    let engine = engine("codex", &settings("SessionEnd", long));
    let found: Vec<Code> = engine.diagnostics().into_iter().map(|diagnostic| diagnostic.code).collect();
    assert_eq!(found, [Code::TimeoutClamped, Code::IgnoredKey]);
    let outcome = engine.dispatch_blocking(call("SessionEnd").to_string()).unwrap();
    assert_eq!(status(&outcome), Status::Timeout, "it is waited for, and not for long");
    assert!(outcome.hooks[0].duration_ms < 30_000.0);
}

#[test]
fn background_hooks_have_their_say_later_or_are_skipped_by_older_versions() {
    let answer = own("PostToolUse", json!({"additionalContext": "late"}));
    let line = printing(&answer);
    let hooks = settings("PostToolUse", json!({"type": "command", "command": line, "async": true}));
    let newest = engine("codex", &hooks);
    let outcome = newest.dispatch_blocking(call("PostToolUse").to_string()).unwrap();
    assert_eq!((status(&outcome), outcome.additional_context.len()), (Status::Background, 0));
    assert!(newest.wait_background(Duration::from_secs(30)).unwrap());
    assert_eq!(newest.take_late_results()[0].additional_context.as_deref(), Some("late"));
    let mut options = crate::options("codex", &hooks);
    options.version = Some("0.147.0".into());
    let older = Engine::new(options).unwrap();
    assert_eq!(older.dispatch_blocking(call("PostToolUse").to_string()).unwrap().hooks.len(), 0);
    assert!(messages(&older).iter().any(|message| message.contains("since version 0.148.0")), "{older:?}");
}

#[test]
fn the_rewrite_that_comes_last_counts_and_the_other_is_named() {
    let rewrite = |text: &str| {
        printing(&own(
            "PreToolUse",
            json!({"permissionDecision": "allow", "updatedInput": {"command": text}}),
        ))
    };
    let slow = format!("sleep 1; {}", rewrite("slow"));
    let outcome = crate::run("codex", &call("PreToolUse"), &[&slow, &rewrite("fast")]);
    assert_eq!(outcome.updated_input.unwrap().get(), r#"{"command":"slow"}"#);
    let lost: Vec<_> = outcome.diagnostics.iter().filter(|found| found.code == Code::RewriteLost).collect();
    assert!(lost.len() == 1 && lost[0].message.contains("/PreToolUse/0/1"), "{lost:?}");
}

#[test]
fn long_contexts_and_reasons_go_to_a_file() {
    let path = |text: &str| {
        let (_, path) = text.split_once("The whole text is in ").unwrap();
        path.trim_end_matches(']').to_owned()
    };
    let whole = |text: &str| {
        let path = path(text);
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        whole
    };
    let long = "x".repeat(10_004);
    let context = own("PreToolUse", json!({"additionalContext": long}));
    let with_limit = |event: &str, limit: Value, line: String| {
        let hook = json!({"type": "command", "command": line, "additionalContextLimit": limit});
        let engine = engine("codex", &settings(event, hook));
        engine.dispatch_blocking(call(event).to_string()).unwrap()
    };
    let usual = answer("PreToolUse", &context);
    assert!(usual.additional_context[0].len() <= 10_000);
    assert_eq!(
        (whole(&usual.additional_context[0]), codes(&usual)),
        (long.clone(), vec![Code::OutputTruncated])
    );
    for limit in [json!(0), json!(2501)] {
        let outcome = with_limit("PreToolUse", limit, printing(&context));
        assert_eq!(outcome.additional_context, std::slice::from_ref(&long));
    }
    let short = with_limit(
        "PreToolUse",
        json!(100),
        printing(&own("PreToolUse", json!({"additionalContext": "y".repeat(401)}))),
    );
    assert_eq!(whole(&short.additional_context[0]), "y".repeat(401));
    // A continuation prompt, and feedback as it is joined.
    let stop = answer("Stop", &json!({"decision": "block", "reason": long}));
    assert_eq!(whole(stop.reason.as_deref().unwrap()), long);
    let half = printing(&json!({"decision": "block", "reason": "z".repeat(6_000)}));
    let joined = crate::run("codex", &call("PostToolUse"), &[&half, &half]);
    assert_eq!(whole(joined.reason.as_deref().unwrap()).len(), 12_002);
    let deny = own("PreToolUse", json!({"permissionDecision": "deny", "permissionDecisionReason": long}));
    assert_eq!(answer("PreToolUse", &deny).reason.unwrap().len(), long.len(), "it is not cut");
}

/// Options of an agent that looks below a directory.
fn at_home(dir: &TempDir) -> Options {
    let mut options = Options::new("codex");
    std::fs::create_dir_all(dir.path().join("project")).unwrap();
    (options.home, options.project_dir) = (Some(dir.path().join("home")), Some(dir.path().join("project")));
    options.env = Some(std::env::vars().filter(|(name, _)| name == "PATH").collect());
    options
}

fn labels(engine: &Engine) -> Vec<String> {
    engine.list().into_iter().filter(|hook| hook.enabled).map(|hook| hook.label).collect()
}

const TOML: &str =
    "model = \"m\"\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"NAME\"\n";

#[test]
fn files_of_the_user_and_the_project_in_both_forms() {
    let dir = TempDir::new();
    let json = |line: &str| settings("Stop", json!({"type": "command", "command": line})).to_string();
    dir.file("home/.codex/hooks.json", json("user json"));
    dir.file("home/.codex/config.toml", TOML.replace("NAME", "user toml"));
    dir.file("project/.git/HEAD", "");
    dir.file("project/.codex/config.toml", TOML.replace("NAME", "outer"));
    dir.file("project/a/b/.codex/hooks.json", json("inner"));
    let mut options = at_home(&dir);
    options.project_dir = Some(dir.path().join("project/a/b"));
    let engine = Engine::new(options.clone()).unwrap();
    assert_eq!(labels(&engine), ["user json", "user toml", "outer", "inner"]);
    let found: Vec<Code> = engine.diagnostics().into_iter().map(|diagnostic| diagnostic.code).collect();
    assert_eq!(found, [Code::TwoForms]);
    let toml = &engine.list()[1].origin;
    assert_eq!((toml.pointer.as_deref(), toml.line), (Some("/hooks/Stop/0/hooks/0"), Some(3)));
    let moved = dir.file("moved/hooks.json", json("moved"));
    let home = moved.parent().unwrap().display().to_string();
    options.env.as_mut().unwrap().insert("CODEX_HOME".into(), home);
    assert_eq!(labels(&Engine::new(options.clone()).unwrap()), ["moved", "outer", "inner"]);
    dir.file("moved/config.toml", "[features]\nhooks = false\n");
    assert_eq!(labels(&Engine::new(options.clone()).unwrap()), Vec::<String>::new());
    dir.file("moved/config.toml", "[features]\ncodex_hooks = false\nhooks =");
    let broken = Engine::new(options).unwrap();
    assert_eq!(labels(&broken), ["moved", "outer", "inner"]);
    assert!(messages(&broken)[0].starts_with("not valid TOML"), "{:?}", messages(&broken));
    assert_eq!(broken.diagnostics()[0].origin.as_ref().unwrap().line, Some(3));
}

#[test]
fn managed_requirements_may_leave_all_others_out() {
    let dir = TempDir::new();
    let requirements = format!("allow_managed_hooks_only = true\n{}", TOML.replace("NAME", "managed"));
    let file = dir.file("requirements.toml", requirements);
    let user = TOML.replace("NAME", "user");
    let user = dir.file("config.toml", user);
    let options = |scope| {
        Options::new("codex").settings_file(Some(scope), &file).settings_file(Some(Scope::User), &user)
    };
    assert_eq!(labels(&Engine::new(options(Scope::Managed)).unwrap()), ["managed"]);
    assert_eq!(
        labels(&Engine::new(options(Scope::Project)).unwrap()),
        ["user", "managed"],
        "it counts there only"
    );
}

#[test]
fn hashes_are_those_of_codex() {
    // Both were seen in files that Codex wrote.
    for (matcher, hook, hash) in [
        (
            "^Bash$",
            json!({"type": "command", "command": "bash \"$HOME/.codex/hooks/block-dangerous-commands.sh\"", "timeout": 10,
                "statusMessage": "コマンド安全性チェック中..."}),
            "sha256:926d8278e318187e63816360f984fd354cad9dec305d9e7f4154a02377b3f39d",
        ),
        (
            "",
            json!({"type": "command", "command": "node /x/pretool.js", "timeout": 300, "additionalContextLimit": 2500}),
            "sha256:425c5a1875dd70a65d18b62585543a832b671b349933cdbafa2f6a4717fea6ed",
        ),
    ] {
        let dir = TempDir::new();
        let hooks = json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [hook]}]}});
        dir.file("project/.codex/hooks.json", hooks.to_string());
        let mut options = at_home(&dir);
        options.trusted = Some(false);
        let engine = Engine::new(options).unwrap();
        assert_eq!(labels(&engine), Vec::<String>::new());
        let wanted = engine.wanted_grants();
        assert_eq!((wanted.len(), wanted[0].grant.digest.as_str()), (1, hash));
        engine.grant(hash).unwrap();
        assert_eq!((labels(&engine).len(), engine.wanted_grants().len()), (1, 0));
        engine.revoke(hash).unwrap();
        assert_eq!(labels(&engine).len(), 0);
    }
}

#[test]
fn the_users_file_says_which_hooks_are_trusted_and_which_are_off() {
    let dir = TempDir::new();
    let hooks = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "a"},
        {"type": "command", "command": "b"}, {"type": "command", "command": "c"}]}]}});
    let file = dir.file("project/.codex/hooks.json", hooks.to_string());
    let key = |position: usize| format!("{}:stop:0:{position}", file.display());
    let mut options = at_home(&dir);
    options.trusted = Some(false);
    let hash = |command: &str| {
        let wanted = Engine::new(options.clone()).unwrap().wanted_grants();
        wanted.into_iter().find(|wanted| wanted.hooks[0].label == command).unwrap().grant.digest
    };
    let (a, b) = (hash("a"), hash("b"));
    let state = |position, line: &str| format!("[hooks.state.\"{}\"]\n{line}\n", key(position));
    let trust = |position, hash: &str| state(position, &format!("trusted_hash = \"{hash}\""));
    dir.file("home/.codex/config.toml", trust(0, &a) + &trust(1, &a) + &state(2, "enabled = false"));
    let engine = Engine::new(options.clone()).unwrap();
    assert_eq!(labels(&engine), ["a"], "one is trusted, one was changed, one is off");
    let why = engine.explain(call("Stop").to_string()).unwrap();
    assert!(why[1].why.contains("changed since the user trusted it"), "{}", why[1].why);
    // In a trusted project the states count just the same.
    options.trusted = Some(true);
    let engine = Engine::new(options.clone()).unwrap();
    assert_eq!(labels(&engine), ["a"]);
    let why = engine.explain(call("Stop").to_string()).unwrap();
    assert!(why[2].why.contains("switched off"), "{}", why[2].why);
    dir.file("home/.codex/config.toml", trust(1, &b) + &state(2, "enabled = true"));
    assert_eq!(labels(&Engine::new(options.clone()).unwrap()), ["a", "b", "c"]);
    options.trusted = Some(false);
    assert_eq!(labels(&Engine::new(options.clone()).unwrap()), ["b"]);
    // A project cannot trust itself.
    dir.file("home/.codex/config.toml", "");
    dir.file("project/.codex/config.toml", trust(0, &a));
    assert_eq!(labels(&Engine::new(options).unwrap()), Vec::<String>::new());
}

#[test]
fn the_same_hook_has_one_hash_in_both_forms() {
    let dir = TempDir::new();
    let digest = |path: &str, text: String| {
        let dir = TempDir::new();
        dir.file(path, text);
        let mut options = at_home(&dir);
        options.trusted = Some(false);
        Engine::new(options).unwrap().wanted_grants()[0].grant.digest.clone()
    };
    let json =
        settings("Stop", json!({"type": "command", "command": "NAME", "timeout": 600, "async": false}));
    let of_json = digest("project/.codex/hooks.json", json.to_string());
    assert_eq!(of_json, digest("project/.codex/config.toml", TOML.to_owned()));
    assert_ne!(of_json, digest("project/.codex/config.toml", TOML.replace("NAME", "other")));
    drop(dir);
}

#[test]
fn plugins() {
    let dir = TempDir::new();
    let hooks = |line: &str| json!({"UserPromptSubmit": [{"hooks": [{"type": "command", "command": line}]}]});
    let line = "printf %s ${PLUGIN_ROOT}${CLAUDE_PLUGIN_DATA}";
    dir.file("plugin/hooks/hooks.json", json!({"hooks": hooks("standard")}).to_string());
    dir.file("plugin/own.json", json!({"hooks": hooks(line)}).to_string());
    let with = |manifest: Value| {
        dir.file("plugin/.codex-plugin/plugin.json", manifest.to_string());
        let mut plugin = PluginSource::new(dir.path().join("plugin"));
        plugin.data_dir = Some(dir.path().join("data"));
        let mut options = at_home(&dir);
        options.plugins.push(plugin);
        Engine::new(options).unwrap()
    };
    for empty in [json!({"name": "p"}), json!({"name": "p", "hooks": []}), json!({"name": "p", "hooks": ""})]
    {
        assert_eq!(labels(&with(empty.clone())), ["standard"], "{empty}");
    }
    assert_eq!(labels(&with(json!({"name": "p", "hooks": {}}))), Vec::<String>::new());
    let engine = with(json!({"name": "p", "hooks": "./own.json"}));
    assert_eq!(labels(&engine).len(), 1);
    let outcome = engine.dispatch_blocking(call("UserPromptSubmit").to_string()).unwrap();
    let root = std::fs::canonicalize(dir.path().join("plugin")).unwrap();
    let wanted = format!("{}{}", root.display(), dir.path().join("data").display());
    assert_eq!(outcome.additional_context, [wanted]);
    dir.file(
        "home/.codex/config.toml",
        "[hooks.state.\"p:own.json:user_prompt_submit:0:0\"]\nenabled = false\n",
    );
    assert_eq!(labels(&with(json!({"name": "p", "hooks": "./own.json"}))), Vec::<String>::new());
}

#[test]
fn the_event_as_codex_writes_it() {
    let seen = run("UserPromptSubmit", "cat");
    let text = &seen.hooks[0].error.clone().unwrap_or_default();
    assert!(text.contains("unknown on UserPromptSubmit"), "it printed an object that is no answer: {text}");
    let line = r#"grep -q '"transcript_path":null' && ! grep -q timestamp && echo null"#;
    assert_eq!(run("UserPromptSubmit", line).additional_context, ["null"]);
}
