//! Claude Code: what no vector can say.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crosshook::{
    Code, Decision, Engine, FrontmatterOwner, FrontmatterScope, FrontmatterSource, FunctionSpec, Options,
    Outcome, Request, RequestKind, Scope, Status,
};
use serde_json::{Value, json};

use crate::codes;
use crate::support::TempDir;

fn options(settings: &Value) -> Options {
    let mut options = Options::new("claude").settings_text(Some(Scope::User), settings.to_string());
    options.discover = Some(false);
    options
}

/// An environment of these variables and the path to what hooks run.
fn env(more: &[(&str, &str)]) -> BTreeMap<String, String> {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let path = std::env::vars().filter(|(name, _)| name == "PATH");
    path.chain(more.iter().map(own)).collect()
}

fn hooks(event: &str, list: Value) -> Value {
    json!({"hooks": {event: [{"hooks": list}]}})
}

fn command(line: &str) -> Value {
    json!({"type": "command", "command": line})
}

fn event(name: &str, more: Value) -> String {
    let mut event = json!({"hook_event_name": name, "session_id": "s", "cwd": "/"});
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event.to_string()
}

fn bash(line: &str) -> String {
    event("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": line}}))
}

fn run(settings: &Value, event: impl Into<Vec<u8>>) -> Outcome {
    Engine::new(options(settings)).unwrap().dispatch_blocking(event).unwrap()
}

fn at_version(version: &str, settings: &Value, event: impl Into<Vec<u8>>) -> Outcome {
    let mut options = options(settings);
    options.version = Some(version.to_owned());
    Engine::new(options).unwrap().dispatch_blocking(event).unwrap()
}

fn answering(answer: &Value) -> Value {
    command(&format!("cat <<'END'\n{answer}\nEND"))
}

fn specific(event: &str, mut fields: Value) -> Value {
    fields["hookEventName"] = json!(event);
    json!({"hookSpecificOutput": fields})
}

#[test]
fn what_hooks_find_in_their_environment() {
    let line = r#"printf '%s|' "$CLAUDE_PROJECT_DIR" "$CLAUDECODE$CLAUDE_CODE_CHILD_SESSION" "$CLAUDE_CODE_SESSION_ID" "$CLAUDE_EFFORT" "${OTEL_EXPORTER-none}" "$CLAUDE_PID" "${CLAUDE_ENV_FILE-none}""#;
    let mut options = options(&hooks("UserPromptSubmit", json!([command(line)])));
    options.project_dir = Some("/".into());
    options.env = Some(env(&[("OTEL_EXPORTER", "x"), ("CLAUDE_ENV_FILE", "/host.sh")]));
    let engine = Engine::new(options).unwrap();
    let outcome =
        engine.dispatch_blocking(event("UserPromptSubmit", json!({"effort": {"level": "high"}}))).unwrap();
    let pid = std::process::id();
    assert_eq!(outcome.additional_context, [format!("/|11|s|high|none|{pid}|none|")]);
}

#[test]
fn variables_for_later_commands_are_in_the_outcome() {
    let line = r#"printf 'export A=1\n' >> "$CLAUDE_ENV_FILE"; printf %s "$CLAUDE_ENV_FILE""#;
    let outcome = run(
        &hooks("SessionStart", json!([command(line)])),
        event("SessionStart", json!({"source": "startup"})),
    );
    assert_eq!(outcome.extra["envFile"].get(), r#"["export A=1\n"]"#);
    assert!(!Path::new(&outcome.additional_context[0]).exists(), "nothing is left");
    let tmp = TempDir::new();
    let host = tmp.file("env.sh", "export B=2\n");
    let mut options =
        options(&hooks("Setup", json!([command(r#"echo 'export A=1' >> "$CLAUDE_ENV_FILE""#)])));
    options.env = Some(env(&[("CLAUDE_ENV_FILE", host.to_str().unwrap())]));
    let engine = Engine::new(options).unwrap();
    let outcome = engine.dispatch_blocking(event("Setup", json!({"trigger": "init"}))).unwrap();
    assert!(outcome.extra.is_empty(), "the host has its own file");
    assert_eq!(std::fs::read_to_string(host).unwrap(), "export B=2\nexport A=1\n");
}

#[test]
fn the_exec_form_fills_in_paths_and_runs_no_shell() {
    let hook =
        json!({"type": "command", "command": "printf", "args": ["%s", "${CLAUDE_PROJECT_DIR}/$HOME `x`"]});
    let mut options = options(&hooks("UserPromptSubmit", json!([hook])));
    options.project_dir = Some("/".into());
    let outcome =
        Engine::new(options).unwrap().dispatch_blocking(event("UserPromptSubmit", json!({}))).unwrap();
    assert_eq!(outcome.additional_context, ["//$HOME `x`"]);
    let empty = json!({"type": "command", "command": "exit 2", "args": [], "shell": "bash"});
    let outcome = run(&hooks("Stop", json!([empty])), event("Stop", json!({})));
    assert_eq!((outcome.decision, outcome.hooks[0].status), (Decision::None, Status::Error));
    assert_eq!(codes(&outcome), [Code::IgnoredKey, Code::SpawnFailed]);
    let outcome = at_version("2.1.138", &hooks("Stop", json!([empty])), event("Stop", json!({})));
    assert_eq!(outcome.decision, Decision::Block, "a line for the shell then");
}

#[test]
fn a_prefix_wraps_lines_for_the_shell() {
    let tmp = TempDir::new();
    let wrapper = tmp.file("wrap", "printf 'wrapped <%s>' \"$1\"\n");
    let mut options = options(&hooks("UserPromptSubmit", json!([command("echo 'it''s'")])));
    let prefix = format!("sh {}", wrapper.display());
    options.env = Some(env(&[("CLAUDE_CODE_SHELL_PREFIX", prefix.as_str())]));
    let outcome =
        Engine::new(options).unwrap().dispatch_blocking(event("UserPromptSubmit", json!({}))).unwrap();
    assert_eq!(outcome.additional_context, ["wrapped <echo 'it''s'>"]);
}

#[test]
fn long_texts_go_to_a_file() {
    let line = "head -c 10001 /dev/zero | tr '\\0' x";
    let outcome =
        run(&hooks("UserPromptSubmit", json!([command(line)])), event("UserPromptSubmit", json!({})));
    assert_eq!(codes(&outcome), [Code::OutputTruncated]);
    let text = &outcome.additional_context[0];
    assert!(text.starts_with(&"x".repeat(2_000)) && text.len() < 2_300, "{} characters", text.len());
    let path = text.rsplit(' ').next().unwrap().trim_end_matches(']');
    assert_eq!(std::fs::read_to_string(path).unwrap(), "x".repeat(10_001));
    std::fs::remove_file(path).unwrap();
    let short = run(
        &hooks("UserPromptSubmit", json!([command("head -c 10000 /dev/zero | tr '\\0' x")])),
        event("UserPromptSubmit", json!({})),
    );
    assert_eq!((short.additional_context[0].len(), codes(&short)), (10_000, vec![]));
}

#[test]
fn the_end_of_a_session_has_one_budget_for_all() {
    let slow = |timeout: Option<u64>| {
        let mut hook = command("sleep 20");
        timeout.iter().for_each(|timeout| hook["timeout"] = json!(timeout));
        hook
    };
    let end = || event("SessionEnd", json!({"reason": "other"}));
    let started = Instant::now();
    let outcome = run(&hooks("SessionEnd", json!([slow(None)])), end());
    assert_eq!(outcome.hooks[0].status, Status::Timeout);
    assert!(outcome.diagnostics[0].message.contains("1.5s"), "{}", outcome.diagnostics[0].message);
    assert!(started.elapsed() < Duration::from_secs(15), "{:?}", started.elapsed());
    let both = hooks(
        "SessionEnd",
        json!([command("sleep 2; exit 0"), {"type": "command", "command": "true", "timeout": 30}]),
    );
    assert_eq!(run(&both, end()).hooks[0].status, Status::Ok, "the longest timeout is everybody's");
    let mut options = options(&hooks("SessionEnd", json!([slow(Some(30))])));
    options.env = Some(env(&[("CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS", "200")]));
    let outcome = Engine::new(options).unwrap().dispatch_blocking(end()).unwrap();
    assert!(outcome.diagnostics[0].message.contains("200ms"), "{}", outcome.diagnostics[0].message);
}

#[test]
fn default_timeouts_depend_on_type_event_and_version() {
    let list = json!([
        command("x"),
        {"type": "http", "url": "http://localhost/"},
        {"type": "mcp_tool", "server": "s", "tool": "t"},
        {"type": "prompt", "prompt": "p"},
        {"type": "agent", "prompt": "p"},
    ]);
    let timeouts = |version: Option<&str>, event: &str| -> Vec<f64> {
        let mut options = options(&hooks(event, list.clone()));
        options.version = version.map(str::to_owned);
        Engine::new(options).unwrap().list().iter().map(|hook| hook.timeout).collect()
    };
    assert_eq!(timeouts(None, "Stop"), [600.0, 600.0, 600.0, 30.0, 60.0]);
    assert_eq!(timeouts(None, "UserPromptSubmit"), [30.0, 30.0, 30.0, 30.0, 60.0]);
    assert_eq!(timeouts(None, "MessageDisplay")[..3], [10.0, 10.0, 10.0]);
    assert_eq!(timeouts(Some("2.1.2"), "Stop")[0], 60.0);
}

#[test]
fn a_host_calls_mcp_tools() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = asked.clone();
    let host = move |request: Request| {
        assert_eq!(request.kind(), RequestKind::McpTool);
        let json: Value = serde_json::from_str(request.json()).unwrap();
        let tool = json["tool"].as_str().unwrap().to_owned();
        seen.lock().unwrap().push(json);
        match tool.as_str() {
            "text" => request.reply("it is checked"),
            "decides" => {
                let answer = r#"{"decision":"block","reason":"from the tool"}"#;
                request.reply(json!({"content": [{"type": "text", "text": answer}]}).to_string());
            }
            "fails" => request
                .reply(json!({"content": [{"type": "text", "text": "no"}], "isError": true}).to_string()),
            _ => request.unavailable("the server is not connected"),
        }
    };
    let tool = |tool: &str| json!({"type": "mcp_tool", "server": "guard", "tool": tool, "input": {"p": "${prompt}!"}});
    let list = json!([tool("text"), tool("decides"), tool("fails"), tool("gone")]);
    let engine = Engine::with_host(options(&hooks("UserPromptSubmit", list)), Arc::new(host)).unwrap();
    let outcome = engine.dispatch_blocking(event("UserPromptSubmit", json!({"prompt": "hi"}))).unwrap();
    assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Block, Some("from the tool")));
    assert_eq!(outcome.additional_context, ["it is checked"]);
    let statuses: Vec<Status> = outcome.hooks.iter().map(|hook| hook.status).collect();
    assert_eq!(statuses, [Status::Ok, Status::Blocked, Status::Error, Status::Error]);
    assert_eq!(codes(&outcome), [Code::HostFailed, Code::HookTypeUnavailable]);
    let first = asked.lock().unwrap()[0].clone();
    assert_eq!((&first["server"], &first["input"]), (&json!("guard"), &json!({"p": "hi!"})));
    assert_eq!((&first["prompt"], &first["system"]), (&Value::Null, &Value::Null));
}

#[test]
fn events_take_only_their_types_of_hooks() {
    let prompt = json!([{"type": "prompt", "prompt": "p"}]);
    for (name, taken) in
        [("SessionStart", false), ("Notification", false), ("Stop", true), ("TaskCreated", true)]
    {
        let engine = Engine::new(options(&hooks(name, prompt.clone()))).unwrap();
        assert_eq!(engine.list()[0].enabled, taken, "{name}");
        let codes: Vec<Code> = engine.diagnostics().iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(codes.contains(&Code::HookTypeUnavailable), !taken, "{name}");
    }
    let http = hooks("Setup", json!([{"type": "http", "url": "http://localhost/"}]));
    assert!(!Engine::new(options(&http)).unwrap().list()[0].enabled);
}

#[test]
fn who_may_switch_hooks_off() {
    let block = hooks("Stop", json!([command("exit 2")]));
    let with = |mut settings: Value, key: &str, value: Value| {
        settings[key] = value;
        settings.to_string()
    };
    let ran = |sources: &[(Scope, String)], version: Option<&str>| -> Vec<String> {
        let mut options = Options::new("claude");
        options.discover = Some(false);
        options.version = version.map(str::to_owned);
        for (scope, text) in sources {
            options = options.settings_text(Some(*scope), text.clone());
        }
        let engine = Engine::new(options).unwrap();
        engine.list().into_iter().filter(|hook| hook.enabled).map(|hook| hook.origin.scope).collect()
    };
    let own = |line: &str| hooks("Stop", json!([command(line)])).to_string();
    let managed = (Scope::Managed, own("true"));
    let local = (Scope::Local, with(block.clone(), "disableAllHooks", json!(true)));
    assert_eq!(ran(&[managed.clone(), local.clone()], None), ["managed"]);
    assert!(ran(&[managed.clone(), local.clone()], Some("2.1.48")).is_empty());
    let all = (Scope::Managed, with(block.clone(), "disableAllHooks", json!(true)));
    assert!(ran(&[all, (Scope::User, own("true"))], None).is_empty());
    let undone = (Scope::Managed, with(block.clone(), "disableAllHooks", json!(false)));
    assert_eq!(ran(&[undone, local], None), ["managed", "local"]);
    let only = (Scope::Managed, with(block.clone(), "allowManagedHooksOnly", json!(true)));
    let rest = [(Scope::User, own("a")), (Scope::Project, own("b")), (Scope::Session, own("c"))];
    assert_eq!(ran(&[&[only], &rest[..]].concat(), None), ["managed", "session"]);
    let plugins = (Scope::Managed, with(block.clone(), "strictPluginOnlyCustomization", json!(["hooks"])));
    assert_eq!(ran(&[&[plugins], &rest[..]].concat(), None), ["managed", "session"]);
    let vain = (Scope::User, with(block, "allowManagedHooksOnly", json!(true)));
    assert_eq!(ran(&[vain, (Scope::Project, own("x"))], None), ["user", "project"]);
}

#[test]
fn before_trust_only_what_is_managed_runs() {
    let line =
        |word: &str| hooks("UserPromptSubmit", json!([command(&format!("printf {word}"))])).to_string();
    let tmp = TempDir::new();
    tmp.file("plugin/hooks/hooks.json", line("plugin"));
    let mut options = Options::new("claude")
        .settings_text(Some(Scope::Managed), line("managed"))
        .settings_text(Some(Scope::User), line("user"))
        .settings_text(Some(Scope::Project), line("project"))
        .plugin(tmp.path().join("plugin"));
    options.trusted = Some(false);
    let prompt = || event("UserPromptSubmit", json!({}));
    let engine = Engine::new(options.clone()).unwrap();
    let outcome = engine.dispatch_blocking(prompt()).unwrap();
    assert_eq!(outcome.additional_context, ["managed"]);
    assert_eq!(codes(&outcome).iter().filter(|code| **code == Code::Untrusted).count(), 3);
    let skill = FrontmatterScope::new(FrontmatterOwner::Skill, FrontmatterSource::User, SKILL);
    assert!(engine.open_scope(&skill).unwrap().diagnostics[0].message.contains("not trusted"));
    options.plugins[0].managed = true;
    let outcome = Engine::new(options).unwrap().dispatch_blocking(prompt()).unwrap();
    assert_eq!(outcome.additional_context, ["managed", "plugin"]);
}

const SKILL: &str = "---\nname: s\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: exit 2\n          once: true\n---\n";

#[test]
fn frontmatter_of_skills_and_agents() {
    let open = |owner, source, text: &str| {
        let engine = Engine::new(options(&json!({}))).unwrap();
        let registered = engine.open_scope(&FrontmatterScope::new(owner, source, text)).unwrap();
        (engine, registered)
    };
    let (engine, _) = open(FrontmatterOwner::Skill, FrontmatterSource::User, SKILL);
    let listed = engine.list();
    assert_eq!((listed[0].event.as_str(), listed[0].once), ("Stop", true));
    let stop = || event("Stop", json!({}));
    assert_eq!(engine.dispatch_blocking(stop()).unwrap().decision, Decision::Block);
    assert_eq!(engine.dispatch_blocking(stop()).unwrap().hooks[0].status, Status::Skipped);
    let forked = SKILL.replace("name: s", "name: s\ncontext: fork");
    let (engine, _) = open(FrontmatterOwner::Skill, FrontmatterSource::User, &forked);
    assert_eq!(engine.list()[0].event, "SubagentStop");
    let (engine, registered) = open(FrontmatterOwner::Agent, FrontmatterSource::User, SKILL);
    let listed = engine.list();
    assert_eq!((listed[0].event.as_str(), listed[0].once), ("SubagentStop", false));
    assert_eq!(registered.diagnostics[0].code, Code::IgnoredKey);
    let (engine, registered) = open(FrontmatterOwner::Agent, FrontmatterSource::Plugin, SKILL);
    assert!(!engine.list()[0].enabled);
    assert_eq!(registered.diagnostics.last().unwrap().code, Code::FrontmatterSkipped);
}

#[test]
fn options_of_plugins_stay_out_of_lines_for_the_shell() {
    let tmp = TempDir::new();
    let list = json!([
        command("echo ${user_config.KEY}"),
        {"type": "command", "command": "printf", "args": ["%s", "${user_config.KEY}"]},
        command("printf %s \"$CLAUDE_PLUGIN_OPTION_KEY\""),
    ]);
    tmp.file("p/hooks/hooks.json", hooks("UserPromptSubmit", list).to_string());
    let mut options = options(&json!({})).plugin(tmp.path().join("p"));
    options.plugins[0].options.insert("KEY".to_owned(), "$(id)".to_owned());
    let prompt = || event("UserPromptSubmit", json!({}));
    let outcome = Engine::new(options.clone()).unwrap().dispatch_blocking(prompt()).unwrap();
    assert_eq!(outcome.additional_context, ["$(id)", "$(id)"]);
    assert_eq!(codes(&outcome), [Code::InvalidHook]);
    options.version = Some("2.1.206".to_owned());
    let outcome = Engine::new(options).unwrap().dispatch_blocking(prompt()).unwrap();
    assert_eq!(outcome.additional_context, ["$(id)", "$(id)", "$(id)"]);
}

#[test]
fn what_a_background_hook_says_goes_to_the_model_and_may_wake_it() {
    let mut said = answering(&json!({"systemMessage": "for the model"}));
    said["async"] = json!(true);
    let list = json!([said, {"type": "command", "command": "echo look >&2; exit 2", "asyncRewake": true},
        {"type": "command", "command": "echo x >&2; exit 1", "asyncRewake": true}]);
    let engine = Engine::new(options(&hooks("PostToolUse", list))).unwrap();
    let outcome = engine
        .dispatch_blocking(event("PostToolUse", json!({"tool_name": "Bash", "tool_input": {}})))
        .unwrap();
    assert!(outcome.hooks.iter().all(|hook| hook.status == Status::Background));
    assert!(engine.wait_background(Duration::from_secs(60)).unwrap());
    let mut late = engine.take_late_results();
    late.sort_by_key(|one| one.hook.id.clone());
    let texts: Vec<_> = late
        .iter()
        .map(|one| (one.additional_context.as_deref(), one.system_message.as_deref(), one.wake.as_deref()))
        .collect();
    assert_eq!(texts, [(Some("for the model"), None, None), (None, None, Some("look")), (None, None, None)]);
}

#[test]
fn functions_that_take_too_long_block_and_may_go_to_the_background() {
    let host = |request: Request| {
        let asked: Value = serde_json::from_str(request.json()).unwrap();
        match asked["event"]["hook_event_name"].as_str() {
            Some("PostToolUse") => request.reply(r#"{"async":true,"asyncTimeout":5000}"#),
            _ => std::mem::forget(request),
        }
    };
    let engine = Engine::with_host(options(&json!({})), Arc::new(host)).unwrap();
    for name in ["PreToolUse", "UserPromptSubmit", "Stop", "PostToolUse"] {
        let mut spec = FunctionSpec::new(name);
        spec.timeout_ms = Some(20);
        engine.register_function(spec).unwrap();
    }
    let outcome = |text: String| engine.dispatch_blocking(text).unwrap();
    let denied = outcome(bash("ls"));
    assert_eq!((denied.decision, denied.hooks[0].status), (Decision::Deny, Status::Timeout));
    assert_eq!(outcome(event("UserPromptSubmit", json!({}))).decision, Decision::Block);
    assert_eq!(outcome(event("Stop", json!({}))).decision, Decision::None);
    let call = event("PostToolUse", json!({"tool_name": "Bash", "tool_input": {}}));
    assert_eq!(outcome(call).hooks[0].status, Status::Background);
}

#[test]
fn what_exit_code_two_leaves_of_an_answer() {
    let exit2 = |answer: &Value| command(&format!("cat <<'END'\n{answer}\nEND\necho err >&2; exit 2"));
    let answer = json!({"systemMessage": "m", "continue": false, "stopReason": "s"});
    let outcome = run(&hooks("PreToolUse", json!([exit2(&answer)])), bash("ls"));
    assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Deny, Some("err")));
    assert_eq!(outcome.system_messages, ["m"]);
    assert_eq!(outcome.stop.unwrap().reason.as_deref(), Some("s"));
    let broken = json!({"continue": "yes"});
    let outcome = run(&hooks("PreToolUse", json!([exit2(&broken)])), bash("ls"));
    assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Deny, Some("err")));
    assert_eq!(codes(&outcome), [Code::InvalidOutput]);
    let allow = specific("PermissionRequest", json!({"decision": {"behavior": "allow"}}));
    let call = event("PermissionRequest", json!({"tool_name": "Bash", "tool_input": {}}));
    assert_eq!(run(&hooks("PermissionRequest", json!([exit2(&allow)])), call).decision, Decision::Allow);
    let action = specific("Elicitation", json!({"action": "accept"}));
    let asked = event("Elicitation", json!({"mcp_server_name": "s"}));
    let outcome = run(&hooks("Elicitation", json!([exit2(&action)])), asked.clone());
    assert_eq!((outcome.decision, outcome.extra.len()), (Decision::Block, 0));
    let outcome = run(&hooks("Elicitation", json!([answering(&action)])), asked);
    assert_eq!((outcome.decision, outcome.extra["action"].get()), (Decision::None, "\"accept\""));
}

#[test]
fn defer_stands_alone() {
    let answer = specific(
        "PreToolUse",
        json!({"permissionDecision": "defer", "permissionDecisionReason": "later", "updatedInput": {}, "additionalContext": "c"}),
    );
    let outcome = run(&hooks("PreToolUse", json!([answering(&answer)])), bash("ls"));
    assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Defer, Some("later")));
    assert!(outcome.updated_input.is_none() && outcome.additional_context.is_empty());
    assert_eq!(codes(&outcome), [Code::RewriteDropped, Code::DecisionUnused]);
    let outcome = at_version("2.1.88", &hooks("PreToolUse", json!([answering(&answer)])), bash("ls"));
    assert_eq!((outcome.decision, outcome.hooks[0].status), (Decision::None, Status::Error));
}

#[test]
fn a_result_is_replaced_only_by_one_of_its_shape() {
    let replaced = |new: Value| {
        let answer = specific("PostToolUse", json!({"updatedToolOutput": new}));
        let call = event(
            "PostToolUse",
            json!({"tool_name": "Bash", "tool_input": {}, "tool_response": {"stdout": "s", "interrupted": false}}),
        );
        let outcome = run(&hooks("PostToolUse", json!([answering(&answer)])), call);
        (outcome.updated_output.is_some(), codes(&outcome))
    };
    assert_eq!(replaced(json!({"stdout": "x", "interrupted": false, "more": 1})), (true, vec![]));
    for misfit in [json!("x"), json!(["x"]), json!({"stdout": 1}), json!({"text": "x"})] {
        assert_eq!(replaced(misfit.clone()), (false, vec![Code::InvalidOutput]), "{misfit}");
    }
}

#[test]
fn worktrees_need_a_path() {
    let tmp = TempDir::new();
    let create = |line: &str| {
        let call = json!({"hook_event_name": "WorktreeCreate", "cwd": tmp.path(), "name": "w"}).to_string();
        run(&hooks("WorktreeCreate", json!([command(line)])), call)
    };
    let path = |outcome: &Outcome| outcome.extra.get("worktreePath").map(|raw| raw.get().to_owned());
    let whole = |name: &str| Some(json!(tmp.path().join(name)).to_string());
    let outcome = create("echo log; printf '\\033[32mtrees/w\\033[0m\\n\\n'");
    assert_eq!((outcome.decision, path(&outcome)), (Decision::None, whole("trees/w")));
    let answer = specific("WorktreeCreate", json!({"worktreePath": "/abs/w"}));
    let outcome = create(&format!("echo '{answer}'"));
    assert_eq!(path(&outcome).as_deref(), Some("\"/abs/w\""));
    for line in ["true", "echo no >&2; exit 1", "exit 2"] {
        let outcome = create(line);
        assert_eq!((outcome.decision, path(&outcome)), (Decision::Block, None), "{line}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/", tmp.path().join("link")).unwrap();
        let outcome = create("echo link");
        assert_eq!((outcome.decision, path(&outcome)), (Decision::Block, None));
        assert!(outcome.reason.unwrap().contains("symbolic link"));
    }
}

#[test]
fn messages_go_where_the_event_says() {
    let answer = answering(&json!({"systemMessage": "m"}));
    let said = |name: &str, more: Value| {
        let outcome = run(&hooks(name, json!([answer])), event(name, more));
        let codes = codes(&outcome);
        (outcome.system_messages, outcome.additional_context, codes)
    };
    let (messages, _, _) = said("CwdChanged", json!({}));
    assert_eq!(messages, ["m"]);
    let (messages, contexts, _) = said("DirectoryAdded", json!({"source": "slash_command"}));
    assert_eq!((messages.len(), contexts), (0, vec!["m".to_owned()]));
    let (messages, contexts, codes) = said("PreCompact", json!({"trigger": "auto"}));
    assert_eq!((messages.len(), contexts.len(), codes), (0, 0, vec![Code::DecisionUnused]));
}

#[test]
fn terminal_sequences_are_checked() {
    let sent = |sequence: &str| {
        let outcome = run(
            &hooks("Stop", json!([answering(&json!({"terminalSequence": sequence}))])),
            event("Stop", json!({})),
        );
        (outcome.extra.contains_key("terminalSequence"), codes(&outcome))
    };
    assert_eq!(sent("\u{1b}]0;title\u{7}"), (true, vec![]));
    assert_eq!(sent("\u{1b}[2J"), (false, vec![Code::InvalidOutput]));
}

#[test]
fn versions_read_matchers_and_answers_their_own_way() {
    let group = |matcher: &str| json!({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [command("exit 2")]}]}});
    let call = |tool: &str| event("PreToolUse", json!({"tool_name": tool, "tool_input": {}}));
    for (version, matcher, tool, decision) in [
        ("2.1.190", "Bash, Read", "Read", Decision::None),
        ("2.1.191", "Bash, Read", "Read", Decision::Deny),
        ("2.1.194", "mcp__a-b", "mcp__a-b__c", Decision::Deny),
        ("2.1.195", "mcp__a-b", "mcp__a-b__c", Decision::None),
    ] {
        assert_eq!(
            at_version(version, &group(matcher), call(tool)).decision,
            decision,
            "{version} {matcher}"
        );
    }
    let stop = answering(&specific("Stop", json!({"additionalContext": "go on"})));
    let decision =
        |version: &str| at_version(version, &hooks("Stop", json!([stop])), event("Stop", json!({}))).decision;
    assert_eq!((decision("2.1.162"), decision("2.1.163")), (Decision::None, Decision::Block));
    let compact = || event("PreCompact", json!({"trigger": "auto"}));
    let block = hooks("PreCompact", json!([command("exit 2")]));
    assert_eq!(at_version("2.1.104", &block, compact()).decision, Decision::None);
    assert_eq!(at_version("2.1.105", &block, compact()).decision, Decision::Block);
    let broken = hooks("UserPromptSubmit", json!([command("echo '{broken'")]));
    let contexts =
        |version: &str| at_version(version, &broken, event("UserPromptSubmit", json!({}))).additional_context;
    assert_eq!((contexts("2.1.240").len(), contexts("2.1.245").len()), (1, 0));
    let mut options = options(&json!({}));
    options.version = Some("newest".to_owned());
    assert!(Engine::new(options).unwrap_err().to_string().contains("no version of Claude Code"));
}

#[test]
fn older_versions_do_not_have_what_came_later() {
    let settings = json!({"hooks": {
        "Setup": [{"hooks": [command("x")]}],
        "Stop": [{"hooks": [{"type": "mcp_tool", "server": "s", "tool": "t"}]}],
        "PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2", "if": "Read"}]}],
    }});
    let mut old = options(&settings);
    old.version = Some("v2.1.9".to_owned());
    let engine = Engine::new(old).unwrap();
    let codes: Vec<Code> = engine.diagnostics().iter().map(|diagnostic| diagnostic.code).collect();
    assert_eq!(
        codes,
        [Code::IgnoredKey, Code::UnknownEvent, Code::UnknownHookType],
        "in the order of their keys"
    );
    assert_eq!(engine.dispatch_blocking(bash("ls")).unwrap().decision, Decision::Deny, "`if` is not read");
    assert!(Engine::new(options(&settings)).unwrap().diagnostics().is_empty());
}

#[test]
fn rules_are_tried_on_each_call() {
    let hook = json!({"type": "command", "command": "exit 2", "if": "Bash(git push *)"});
    let engine = Engine::new(options(&hooks("PreToolUse", json!([hook])))).unwrap();
    for (line, decision) in
        [("git status", Decision::None), ("git push", Decision::Deny), ("ls; git push -f", Decision::Deny)]
    {
        assert_eq!(engine.dispatch_blocking(bash(line)).unwrap().decision, decision, "{line}");
    }
    let why = engine.explain(bash("ls")).unwrap();
    assert_eq!(why[0].why, "the call does not match its `if`, `Bash(git push *)`");
    let bad =
        hooks("PreToolUse", json!([{"type": "command", "command": "exit 2", "if": "Bash(a) && Read(b)"}]));
    let outcome = run(&bad, bash("a"));
    assert_eq!(outcome.decision, Decision::None);
    assert!(codes(&outcome).contains(&Code::InvalidCondition));
}

#[test]
fn a_halt_ends_the_row_of_prevented_stops() {
    let list = json!([command("exit 2"), answering(&json!({"continue": false}))]);
    let outcome = run(&hooks("Stop", list), event("Stop", json!({})));
    assert_eq!((outcome.decision, outcome.stop.map(|stop| stop.reason)), (Decision::None, Some(None)));
}

#[test]
fn the_environment_sets_the_cap_of_prevented_stops() {
    let mut options = options(&hooks("Stop", json!([command("exit 2")])));
    options.env = Some(env(&[("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "2")]));
    let decisions = |options: Options, count: usize| -> Vec<Decision> {
        let engine = Engine::new(options).unwrap();
        let stop = || engine.dispatch_blocking(event("Stop", json!({}))).unwrap().decision;
        (0..count).map(|_| stop()).collect()
    };
    let block = Decision::Block;
    assert_eq!(decisions(options.clone(), 3), [block, block, Decision::None]);
    options.env.as_mut().unwrap().insert("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP".into(), "0".into());
    assert_eq!(decisions(options.clone(), 10), [block; 10]);
    options.env.as_mut().unwrap().remove("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP");
    options.version = Some("2.1.142".to_owned());
    assert_eq!(decisions(options, 10), [block; 10]);
}

#[test]
fn files_are_found_where_the_agent_keeps_them() {
    let tmp = TempDir::new();
    let say = |word: &str| hooks("UserPromptSubmit", json!([command(&format!("printf {word}"))])).to_string();
    tmp.file("home/.claude/settings.json", say("user"));
    tmp.file("repo/.git/HEAD", "");
    tmp.file("repo/.claude/settings.local.json", say("local"));
    tmp.file("repo/.claude/settings.json", say("not-from-a-parent"));
    tmp.file("repo/sub/.claude/settings.json", say("project"));
    let mut options = Options::new("claude");
    options.home = Some(tmp.path().join("home"));
    options.project_dir = Some(tmp.path().join("repo/sub"));
    options.env = Some(env(&[]));
    let prompt = || event("UserPromptSubmit", json!({}));
    let outcome = Engine::new(options.clone()).unwrap().dispatch_blocking(prompt()).unwrap();
    assert_eq!(outcome.additional_context, ["user", "project", "local"]);
    tmp.file("elsewhere/settings.json", say("moved"));
    let moved = tmp.path().join("elsewhere").to_str().unwrap().to_owned();
    options.env.as_mut().unwrap().insert("CLAUDE_CONFIG_DIR".to_owned(), moved);
    let outcome = Engine::new(options).unwrap().dispatch_blocking(prompt()).unwrap();
    assert_eq!(outcome.additional_context, ["moved", "project", "local"]);
}
