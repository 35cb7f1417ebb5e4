//! Hooks of several dialects in one engine: what each reads, and how their answers meet.

use crosshook::{Code, Decision, Engine, Explanation, Level, Options, Outcome, Status};
use serde_json::{Value, json};

use crate::support::TempDir;
use crate::{codes, printing};

/// A host that speaks `main`, with one source of settings for each dialect.
fn host(main: &str, sources: &[(&str, Value)], more: Value) -> Engine {
    let sources: Vec<Value> = sources
        .iter()
        .map(|(dialect, hooks)| {
            let settings = match *dialect {
                "zcode" => json!({"hooks": {"enabled": true, "events": hooks}}),
                _ => json!({"hooks": hooks}),
            };
            // Codex trusts no hook of a user; what an organisation manages needs no trust.
            let scope = if *dialect == "codex" { "managed" } else { "user" };
            json!({"dialect": dialect, "scope": scope, "settings": settings})
        })
        .collect();
    let path = std::env::var("PATH").unwrap();
    let mut options = json!({"dialect": main, "settings": sources, "env": {"PATH": path}});
    options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Engine::new(Options::from_json(&options.to_string()).unwrap()).unwrap()
}

fn group(matcher: &str, command: &str) -> Value {
    json!([{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}])
}

fn dispatch(engine: &Engine, event: &Value) -> Outcome {
    engine.dispatch_blocking(event.to_string()).unwrap()
}

/// What one hook of `dialect` reads, of a host that speaks `main`.
fn read(main: &str, dialect: &str, event: &str, matcher: &str, sent: &Value) -> Value {
    let dir = TempDir::new();
    let file = dir.path().join("stdin");
    let line = format!("cat > '{}'", file.display());
    let engine = host(main, &[(dialect, json!({event: group(matcher, &line)}))], json!({}));
    let outcome = dispatch(&engine, sent);
    assert_eq!(outcome.hooks.len(), 1, "{:?} {:?}", outcome.diagnostics, engine.explain(sent.to_string()));
    assert_eq!(outcome.hooks[0].dialect, dialect);
    assert_eq!(outcome.event, sent["hook_event_name"].as_str().unwrap());
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

fn rewrite(own: &Value) -> String {
    printing(&json!({"hookSpecificOutput": own}))
}

fn input(outcome: &Outcome) -> Value {
    outcome.updated_input.as_ref().map_or(Value::Null, |raw| serde_json::from_str(raw.get()).unwrap())
}

fn shell_call(event: &str) -> Value {
    json!({"hook_event_name": event, "session_id": "s", "cwd": "/", "permission_mode": "yolo",
        "tool_name": "run_shell_command", "tool_input": {"command": "ls", "is_background": true}, "tool_use_id": "t"})
}

#[test]
fn a_qwen_host_runs_the_hooks_of_claude() {
    let seen = read("qwen", "claude", "PreToolUse", "Bash", &shell_call("PreToolUse"));
    assert_eq!(
        seen,
        json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "tool_use_id": "t",
            "permission_mode": "bypassPermissions", "tool_name": "Bash",
            "tool_input": {"command": "ls", "run_in_background": true}})
    );
    let answer = rewrite(&json!({"hookEventName": "PreToolUse",
        "updatedInput": {"command": "pwd", "run_in_background": false}}));
    let engine = host("qwen", &[("claude", json!({"PreToolUse": group("Bash", &answer)}))], json!({}));
    let outcome = dispatch(&engine, &shell_call("PreToolUse"));
    assert_eq!(input(&outcome), json!({"command": "pwd", "is_background": false}));
    assert!(outcome.diagnostics.is_empty(), "{:?}", outcome.diagnostics);
}

#[test]
fn a_claude_host_runs_the_hooks_of_gemini() {
    let call = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "tool_name": "Edit",
        "tool_input": {"file_path": "a", "old_string": "x", "new_string": "y", "replace_all": true}});
    let seen = read("claude", "gemini", "BeforeTool", "^replace$", &call);
    assert_eq!(seen["hook_event_name"], "BeforeTool");
    assert_eq!(seen["tool_name"], "replace");
    assert_eq!(
        seen["tool_input"],
        json!({"file_path": "a", "old_string": "x", "new_string": "y", "allow_multiple": true})
    );
    assert_eq!(seen["transcript_path"], "", "as Gemini says that there is none");
    assert!(seen["timestamp"].is_string());
    // Gemini's answer is a part of the input, under its names.
    let answer = rewrite(&json!({"tool_input": {"allow_multiple": false}}));
    let engine = host("claude", &[("gemini", json!({"BeforeTool": group("*", &answer)}))], json!({}));
    let mut wanted = call["tool_input"].clone();
    wanted["replace_all"] = json!(false);
    assert_eq!(input(&dispatch(&engine, &call)), wanted);
    // Its exit codes count: 3 with a text denies there, and means nothing in Claude Code.
    let line = "echo no >&2; exit 3";
    let hooks = [
        ("gemini", json!({"BeforeTool": group("*", line)})),
        ("claude", json!({"PreToolUse": group("*", line)})),
    ];
    let outcome = dispatch(&host("claude", &hooks, json!({})), &call);
    assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Deny, Some("no")));
    let statuses: Vec<(&str, Status)> =
        outcome.hooks.iter().map(|hook| (hook.dialect, hook.status)).collect();
    assert_eq!(
        statuses,
        [("claude", Status::Error), ("gemini", Status::Blocked)],
        "the host's own come first"
    );
}

#[test]
fn a_gemini_host_runs_the_hooks_of_codebuddy() {
    let stop = json!({"hook_event_name": "AfterAgent", "session_id": "s", "cwd": "/", "prompt": "p",
        "prompt_response": "done", "stop_hook_active": false});
    let seen = read("gemini", "codebuddy", "Stop", "", &stop);
    assert_eq!((&seen["hook_event_name"], &seen["last_assistant_message"]), (&json!("Stop"), &json!("done")));
    assert!(seen.get("prompt_response").is_none());
    let engine =
        host("gemini", &[("codebuddy", json!({"Stop": group("", "echo go on; exit 2")}))], json!({}));
    let outcome = dispatch(&engine, &stop);
    assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Block, Some("go on")));
    // CodeBuddy's change is partial; the event's own names come back.
    let call = json!({"hook_event_name": "BeforeTool", "session_id": "s", "cwd": "/", "tool_name": "grep_search",
        "tool_input": {"pattern": "x", "dir_path": "src", "include_pattern": "*.rs"}});
    let answer = rewrite(&json!({"hookEventName": "PreToolUse", "permissionDecision": "allow",
        "modifiedInput": {"path": "core"}}));
    let engine = host("gemini", &[("codebuddy", json!({"PreToolUse": group("^Grep$", &answer)}))], json!({}));
    let outcome = dispatch(&engine, &call);
    assert_eq!(input(&outcome), json!({"pattern": "x", "dir_path": "core", "include_pattern": "*.rs"}));
    assert_eq!(outcome.decision, Decision::Allow);
}

#[test]
fn codex_on_both_sides() {
    let patch = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "tool_name": "apply_patch",
        "tool_input": {"command": "*** Begin Patch"}, "permission_mode": "dontAsk"});
    // A guard of edits does not miss a patch, and sees what it is.
    let seen = read("codex", "claude", "PreToolUse", "Edit|MultiEdit", &patch);
    assert_eq!((&seen["tool_name"], &seen["tool_input"]), (&patch["tool_name"], &patch["tool_input"]));
    let seen = read("codex", "qwen", "PreToolUse", "write_file", &patch);
    assert_eq!(seen["permission_mode"], "dontAsk", "what Qwen has no word for stays");
    let edit = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "tool_name": "Edit", "tool_input": {}});
    assert_eq!(read("claude", "codex", "PreToolUse", "apply_patch", &edit)["tool_name"], "Edit");
    // Both a list of edits and a patch are edits, so neither passes a guard for the other.
    let mut edits = edit.clone();
    edits["tool_name"] = json!("MultiEdit");
    for host in ["claude", "codebuddy"] {
        for matcher in ["apply_patch", "Edit|Write"] {
            assert_eq!(
                read(host, "codex", "PreToolUse", matcher, &edits)["tool_name"],
                "MultiEdit",
                "{host} {matcher}"
            );
        }
    }
    assert_eq!(read("codex", "claude", "PreToolUse", "MultiEdit", &patch)["tool_name"], "apply_patch");
    let seen = read("qwen", "codex", "PreToolUse", "^Bash$", &shell_call("PreToolUse"));
    assert_eq!((&seen["tool_name"], &seen["permission_mode"]), (&json!("Bash"), &json!("bypassPermissions")));
    assert_eq!(seen["transcript_path"], Value::Null);
}

#[test]
fn zcode_on_both_sides() {
    let call = json!({"hookEventName": "PreToolUse", "sessionId": "s", "cwd": "/", "mode": "plan", "toolName": "Bash",
        "toolInput": {"command": "ls"}, "toolCallId": "t", "hook_event_name": "PreToolUse"});
    let seen = read("zcode", "claude", "PreToolUse", "Bash", &call);
    assert_eq!(
        seen,
        json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "permission_mode": "plan",
            "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"})
    );
    let seen = read("gemini", "zcode", "PreToolUse", "Bash", &shell_call("BeforeTool"));
    assert_eq!((&seen["toolName"], &seen["tool_name"]), (&json!("Bash"), &json!("Bash")));
    assert_eq!(seen["hookEventName"], "PreToolUse");
    assert_eq!(seen["toolInput"], json!({"command": "ls", "run_in_background": true}));
}

#[test]
fn environment_variables_are_those_of_the_hooks_own_dialect() {
    let line = "printf '{\"systemMessage\":\"%s|%s|%s\"}' \"$QWEN_PROJECT_DIR\" \"$CODEBUDDY_PROJECT_DIR\" \"$GEMINI_CWD\"";
    let sources = [
        ("qwen", json!({"Stop": group("", line)})),
        ("codebuddy", json!({"Stop": group("", line)})),
        ("gemini", json!({"AfterAgent": group("", line)})),
    ];
    let stop = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": "/"});
    let outcome = dispatch(&host("qwen", &sources, json!({})), &stop);
    assert_eq!(outcome.system_messages, ["/||", "|/|", "||/"]);
}

#[test]
fn a_deny_beats_an_allow_of_another_dialect() {
    let allow = printing(
        &json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}),
    );
    let deny = printing(&json!({"decision": "deny", "reason": "no shell"}));
    for main in ["claude", "gemini", "qwen"] {
        let (event, tool) = match main {
            "gemini" => ("BeforeTool", "run_shell_command"),
            "qwen" => ("PreToolUse", "run_shell_command"),
            _ => ("PreToolUse", "Bash"),
        };
        let call = json!({"hook_event_name": event, "session_id": "s", "cwd": "/", "tool_name": tool, "tool_input": {}});
        let sources = [
            ("claude", json!({"PreToolUse": group("Bash", &allow)})),
            ("gemini", json!({"BeforeTool": group("run_shell_command", &deny)})),
        ];
        let outcome = dispatch(&host(main, &sources, json!({})), &call);
        assert_eq!(
            (outcome.decision, outcome.reason.as_deref()),
            (Decision::Deny, Some("no shell")),
            "{main}"
        );
    }
}

/// Each reads another text, so neither is a copy of the other.
#[test]
fn the_same_command_of_two_dialects_runs_for_each() {
    let sources = [
        ("claude", json!({"Stop": group("", "exit 0")})),
        ("codebuddy", json!({"Stop": group("", "exit 0")})),
    ];
    let stop = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": "/"});
    let outcome = dispatch(&host("claude", &sources, json!({})), &stop);
    let dialects: Vec<&str> = outcome.hooks.iter().map(|hook| hook.dialect).collect();
    assert_eq!(dialects, ["claude", "codebuddy"]);
}

#[test]
fn rules_of_an_if_are_tried_on_the_call_in_the_hooks_words() {
    let hooks =
        json!({"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2", "if": "Bash(git *)"}]}]});
    let engine = host("qwen", &[("claude", hooks)], json!({}));
    let decision = |command: &str| {
        let mut call = shell_call("PreToolUse");
        call["tool_input"]["command"] = json!(command);
        dispatch(&engine, &call).decision
    };
    assert_eq!((decision("git push"), decision("ls")), (Decision::Deny, Decision::None));
}

#[test]
fn the_server_of_an_mcp_tool_that_its_name_leaves_open_is_not_missed() {
    let call = json!({"hook_event_name": "BeforeTool", "session_id": "s", "cwd": "/", "tool_name": "mcp_my_db_drop", "tool_input": {}});
    for matcher in ["mcp__my_db__.*", "mcp__my__db_drop", "mcp__my_db__drop"] {
        let engine =
            host("gemini", &[("claude", json!({"PreToolUse": group(matcher, "exit 2")}))], json!({}));
        assert_eq!(dispatch(&engine, &call).decision, Decision::Deny, "{matcher}");
    }
    let hooks = json!({"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2", "if": "mcp__my_db__drop"}]}]});
    assert_eq!(dispatch(&host("gemini", &[("claude", hooks)], json!({})), &call).decision, Decision::Deny);
}

#[test]
fn events_without_a_counterpart_are_said() {
    let sources = [
        ("gemini", json!({"BeforeModel": group("", "exit 2"), "BeforeTool": group("", "exit 2")})),
        ("claude", json!({"WorktreeCreate": group("", "exit 2")})),
    ];
    let engine = host("qwen", &sources, json!({}));
    let found: Vec<(Level, Code, String)> = engine
        .diagnostics()
        .into_iter()
        .map(|diagnostic| (diagnostic.level, diagnostic.code, diagnostic.origin.unwrap().pointer.unwrap()))
        .collect();
    assert_eq!(
        found,
        [
            (Level::Warning, Code::NoCounterpart, "/hooks/BeforeModel".to_owned()),
            (Level::Warning, Code::NoCounterpart, "/hooks/WorktreeCreate".to_owned())
        ]
    );
    // A host may know an event that its agent does not.
    let event = json!({"hook_event_name": "WorktreeCreate", "session_id": "s", "cwd": "/", "name": "w"});
    let outcome = dispatch(&engine, &event);
    assert_eq!((outcome.decision, outcome.hooks.len()), (Decision::Block, 1));
    // In Gemini's words the host says nothing about a tool.
    let outcome =
        dispatch(&engine, &json!({"hook_event_name": "PreToolUse", "tool_name": "edit", "tool_input": {}}));
    assert_eq!((outcome.hooks.len(), outcome.hooks[0].dialect), (1, "gemini"));
}

fn explained(engine: &Engine, event: &Value) -> Vec<(String, bool, String)> {
    let found: Vec<Explanation> = engine.explain(event.to_string()).unwrap();
    found.into_iter().map(|one| (format!("{}/{}", one.dialect, one.event), one.runs, one.why)).collect()
}

#[test]
fn explain_says_the_name_that_was_matched() {
    let sources = [
        ("claude", json!({"PreToolUse": group("Bash", "x"), "WorktreeCreate": group("", "x")})),
        ("gemini", json!({"BeforeTool": group("^read", "x"), "AfterTool": group("", "x")})),
        ("qwen", json!({"PreToolUse": group("Bash", "x")})),
    ];
    let found = explained(&host("qwen", &sources, json!({})), &shell_call("PreToolUse"));
    let of = |name: &str| {
        let (_, runs, why) = found.iter().find(|(own, ..)| own == name).unwrap();
        (*runs, why.as_str())
    };
    assert_eq!(of("claude/PreToolUse"), (true, "`Bash` matches `Bash` (run_shell_command in Qwen Code)"));
    assert!(of("qwen/PreToolUse").0);
    assert_eq!(of("gemini/BeforeTool"), (false, "`^read` does not match `run_shell_command`"));
    assert_eq!(
        of("gemini/AfterTool"),
        (false, "it is for AfterTool (PostToolUse in Qwen Code), not PreToolUse")
    );
    assert_eq!(
        of("claude/WorktreeCreate"),
        (false, "it is for WorktreeCreate, which Qwen Code does not have, not PreToolUse")
    );
}

#[test]
fn files_of_other_dialects_are_looked_up_each_by_its_own_rules() {
    let dir = TempDir::new();
    let settings = |line: &str| json!({"hooks": {"Stop": group("", line)}}).to_string();
    dir.file("p/.qwen/settings.json", settings("qwen"));
    dir.file("p/.claude/settings.local.json", settings("claude"));
    dir.file("h/.codebuddy/settings.json", settings("codebuddy"));
    dir.file("h/.gemini/settings.json", settings("gemini"));
    let mut options = Options::new("qwen");
    options.dialects = vec!["claude".into(), "codebuddy".into()];
    options.home = Some(dir.path().join("h"));
    options.project_dir = Some(dir.path().join("p"));
    let labels = |options: &Options| -> Vec<(&str, String, bool)> {
        let engine = Engine::new(options.clone()).unwrap();
        engine.list().into_iter().map(|hook| (hook.dialect, hook.label, hook.enabled)).collect()
    };
    let own = |dialect: &'static str, enabled| (dialect, dialect.to_owned(), enabled);
    assert_eq!(labels(&options), [own("qwen", true), own("claude", true), own("codebuddy", true)]);
    // Trust is each dialect's own affair: Qwen and Claude hold back the project, Claude the user's settings, too.
    options.trusted = Some(false);
    assert_eq!(labels(&options), [own("qwen", false), own("claude", false), own("codebuddy", true)]);
    options = options.settings_text(None, r#"{"hooks":{}}"#);
    assert_eq!(
        labels(&options),
        [own("claude", false), own("codebuddy", true)],
        "settings were given for qwen"
    );
    dir.file("h/.codebuddy/settings.json", r#"{"disableAllHooks":true}"#);
    options.trusted = Some(true);
    assert_eq!(labels(&options), [own("claude", true)], "a switch is that of its dialect");
}

#[test]
fn options_that_cannot_be_meant() {
    for (more, wanted) in [
        (json!({"dialects": ["claude"], "discover": false}), "`discover` is false"),
        (json!({"dialects": ["clod"]}), "there is no dialect \"clod\""),
        (json!({"tools": {"x": 7}}), "a tool is the dialect's name or {name, arguments}"),
        (
            json!({"tools": {"x": {"name": "Bash", "args": {}}}}),
            "a tool is the dialect's name or {name, arguments}",
        ),
    ] {
        let mut options = json!({"dialect": "qwen"});
        options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let error = Options::from_json(&options.to_string()).and_then(Engine::new).unwrap_err();
        assert!(error.to_string().contains(wanted), "{error}");
    }
}

/// The option `tools` of a host whose shell tool is `execute`.
fn tools() -> Value {
    json!({"tools": {"execute": {"name": "Bash", "arguments": {"cmd": "command", "detach": "run_in_background"}},
        "fetch": "WebFetch"}})
}

fn own_call(input: Value) -> Value {
    json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "tool_name": "execute", "tool_input": input})
}

#[test]
fn a_hosts_own_tools_have_the_names_of_its_dialect() {
    let dir = TempDir::new();
    let file = dir.path().join("stdin");
    let answer = rewrite(&json!({"hookEventName": "PreToolUse",
        "updatedInput": {"command": "pwd", "run_in_background": false, "more": 1}}));
    let line = format!("tee '{}' >/dev/null\n{answer}", file.display());
    let hooks = json!({"PreToolUse": [{"matcher": "^Bash$", "hooks": [
        {"type": "command", "command": line, "if": "Bash(ls *)"}]}]});
    let engine = host("claude", &[("claude", hooks)], tools());
    let outcome = dispatch(&engine, &own_call(json!({"cmd": "ls -l", "detach": true})));
    assert_eq!(input(&outcome), json!({"cmd": "pwd", "detach": false, "more": 1}));
    let seen: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(
        (&seen["tool_name"], &seen["tool_input"]),
        (&json!("Bash"), &json!({"command": "ls -l", "run_in_background": true}))
    );
    let outcome = dispatch(&engine, &own_call(json!({"cmd": "cat x"})));
    assert!(outcome.hooks.is_empty(), "the rule is tried on the host's `cmd`");
    let found = explained(&engine, &own_call(json!({"cmd": "ls -l"})));
    assert!(found[0].1, "{found:?}");
}

#[test]
fn a_hosts_own_tools_reach_hooks_of_other_dialects() {
    let answer = rewrite(&json!({"tool_input": {"command": "pwd", "is_background": false}}));
    let hooks = json!({"BeforeTool": group("^run_shell_command$", &answer)});
    let engine = host("claude", &[("gemini", hooks)], tools());
    let outcome = dispatch(&engine, &own_call(json!({"cmd": "ls", "detach": true})));
    assert_eq!(input(&outcome), json!({"cmd": "pwd", "detach": false}));
}

#[test]
fn an_argument_cannot_hide_behind_the_dialects_name_for_another() {
    let deny_rm = "grep -q '\"command\":\"rm' && exit 2; exit 0";
    let engine = host("claude", &[("claude", json!({"PreToolUse": group("Bash", deny_rm)}))], tools());
    let outcome = dispatch(&engine, &own_call(json!({"command": "ls", "cmd": "rm -rf /"})));
    assert_eq!((outcome.decision, codes(&outcome)), (Decision::Deny, vec![Code::EventField]));
    assert!(outcome.diagnostics[0].message.contains("`command`"), "{:?}", outcome.diagnostics);
}

#[test]
fn a_name_that_the_dialect_does_not_have_is_said() {
    let engine = host("claude", &[], json!({"tools": {"execute": "Bsh", "search": "mcp__web__search"}}));
    let found = engine.diagnostics();
    assert_eq!((found.len(), found[0].code), (1, Code::UnknownTool));
    assert!(found[0].message.contains("`execute` `Bsh`"), "{}", found[0].message);
    let found = host("qwen", &[], json!({"tools": {"execute": "Bash"}})).diagnostics();
    assert!(found[0].message.ends_with("its name for that is `run_shell_command`"), "{}", found[0].message);
}

#[test]
fn events_that_fire_nothing_read_the_same_from_fields_and_from_json() {
    use crosshook::Field;
    let hooks = json!({"PreToolUse": group("Bash", "exit 2")});
    let engine = host("qwen", &[("claude", hooks)], json!({"tools": {"execute": "run_shell_command"}}));
    let by_fields = |tool: &str| {
        engine.dispatch_by_fields(|key| match key {
            "hook_event_name" => Field::Text("PreToolUse".into()),
            "tool_name" => Field::Text(tool.into()),
            _ => Field::Missing,
        })
    };
    assert!(by_fields("execute").is_none(), "a hook is selected");
    assert!(by_fields("run_shell_command").is_none());
    assert_eq!(by_fields("edit").unwrap().decision, Decision::None);
    let fields = engine.selection_fields("PreToolUse").unwrap();
    assert_eq!(fields, [["tool_name".to_owned(), "toolName".to_owned()]]);
}

/// A rule that denies a tool would be lost under a name that the host does not know.
#[test]
fn permission_updates_name_the_hosts_tools() {
    let updates = |rules: Value, behavior: &str| {
        json!([{"type": "addRules", "rules": rules, "behavior": behavior, "destination": "session"},
            {"type": "setMode", "mode": "acceptEdits"}])
    };
    let outcome = |main: &str, tool: &str, given: Value, more: Value| -> Value {
        let answer = rewrite(&json!({"hookEventName": "PermissionRequest",
            "decision": {"behavior": "allow", "updatedPermissions": given}}));
        let engine = host(main, &[("claude", json!({"PermissionRequest": group("", &answer)}))], more);
        let event = json!({"hook_event_name": "PermissionRequest", "session_id": "s", "cwd": "/", "tool_name": tool,
            "tool_input": {}});
        serde_json::from_str(dispatch(&engine, &event).updated_permissions.unwrap().get()).unwrap()
    };
    let given = updates(json!([{"toolName": "Bash", "ruleContent": "rm *"}]), "deny");
    let mut wanted = updates(json!([{"toolName": "run_shell_command", "ruleContent": "rm *"}]), "deny");
    wanted[1]["mode"] = json!("auto_edit");
    assert_eq!(outcome("qwen", "edit", given.clone(), json!({})), wanted);
    // Codex edits by patches: a deny holds for them too, an allow does not.
    let edit = json!([{"toolName": "Edit"}]);
    let both = json!([{"toolName": "Edit"}, {"toolName": "apply_patch"}]);
    assert_eq!(outcome("codex", "Bash", updates(edit.clone(), "deny"), json!({})), updates(both, "deny"));
    assert_eq!(outcome("codex", "Bash", updates(edit.clone(), "allow"), json!({})), updates(edit, "allow"));
    // And the host's own names.
    let own = json!({"tools": {"execute": "Bash", "spawn": "Bash"}});
    let rules =
        json!([{"toolName": "execute", "ruleContent": "rm *"}, {"toolName": "spawn", "ruleContent": "rm *"}]);
    assert_eq!(outcome("claude", "x", given, own), updates(rules, "deny"));
    let event = json!({"hook_event_name": "PermissionRequest", "session_id": "s", "cwd": "/", "tool_name": "edit",
        "tool_input": {}, "permission_suggestions": [{"type": "addRules", "rules": [{"toolName": "edit"}]}]});
    let seen = read("qwen", "claude", "PermissionRequest", "Edit", &event);
    assert_eq!(seen["permission_suggestions"][0]["rules"], json!([{"toolName": "Edit"}]));
}
