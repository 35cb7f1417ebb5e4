//! The same through the command line.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::support::TempDir;
use crate::{command, event, settings, shown};

fn crosshook(dir: &TempDir, args: &[&str], stdin: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_crosshook"))
        .args(args)
        .args([
            "--home",
            &shown(dir.path().join("home")),
            "--project-dir",
            &shown(dir.path().join("project")),
        ])
        .env("QWEN_CODE_SYSTEM_SETTINGS_PATH", dir.path().join("system/settings.json"))
        .env_remove("CODEBUDDY_CONFIG_DIR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // One that refuses its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    child.wait_with_output().unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn without_settings_the_agents_own_files_are_looked_up() {
    let dir = TempDir::new();
    dir.file("home/.qwen/settings.json", settings("qwen", "UserPromptSubmit", "printf user"));
    dir.file("project/.qwen/settings.json", settings("qwen", "UserPromptSubmit", "printf project"));
    let prompt = event("UserPromptSubmit", dir.path());
    let output = crosshook(&dir, &["dispatch", "--dialect", "qwen"], &prompt);
    assert_eq!(lines(&output)[0]["additional_context"], json!(["project", "user"]), "{}", stderr(&output));
    let output = crosshook(&dir, &["dispatch", "--dialect", "qwen", "--untrusted"], &prompt);
    let outcome = &lines(&output)[0];
    assert_eq!(outcome["additional_context"], json!(["user"]));
    assert_eq!(outcome["diagnostics"][0]["code"], "untrusted");
}

#[test]
fn a_plugin_is_a_folder() {
    let dir = TempDir::new();
    let hooks =
        json!({"hooks": {"UserPromptSubmit": [{"hooks": [command("printf '%s' \"$CLAUDE_PLUGIN_ROOT\"")]}]}});
    dir.file("my plugin/hooks/hooks.json", hooks.to_string());
    let root = shown(dir.path().join("my plugin"));
    let args = ["dispatch", "--dialect", "codebuddy", "--plugin", &root];
    let output = crosshook(&dir, &args, &event("UserPromptSubmit", dir.path()));
    let outcome = &lines(&output)[0];
    assert_eq!(outcome["additional_context"], json!([root]));
    assert_eq!(outcome["hooks"][0]["origin"]["plugin"], "my plugin");
    let output = crosshook(&dir, &["list", "--dialect", "codebuddy", "--plugin", "/no/such"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("/no/such"), "{}", stderr(&output));
}

#[test]
fn agents_and_skills_are_markdown_files() {
    let dir = TempDir::new();
    let text = "---\nname: rev\nhooks:\n  Stop:\n    - hooks: [{type: command, command: 'echo wait >&2; exit 2'}]\n---\n";
    let agent = shown(dir.file("project/.codebuddy/agents/rev.md", text));
    let stop = event("SubagentStop", dir.path());
    let args = ["dispatch", "--dialect", "codebuddy", "--agent", &agent];
    let outcome = &lines(&crosshook(&dir, &args, &stop))[0];
    assert_eq!(
        (&outcome["decision"], &outcome["diagnostics"][0]["code"]),
        (&json!("none"), &json!("frontmatter_skipped"))
    );
    dir.file("home/.codebuddy/settings.json", r#"{"allowUntrustedFrontmatterHooks": true}"#);
    let outcome = &lines(&crosshook(&dir, &args, &stop))[0];
    assert_eq!((&outcome["decision"], &outcome["reason"]), (&json!("block"), &json!("wait")));
    let skill = ["dispatch", "--dialect", "codebuddy", "--skill", &agent];
    let outcome = &lines(&crosshook(&dir, &skill, &stop))[0];
    assert!(outcome["diagnostics"][0]["message"].as_str().unwrap().contains("`context: fork`"));
    let output = crosshook(&dir, &["list", "--dialect", "codebuddy", "--json", "--agent", &agent], "");
    assert_eq!(
        (&lines(&output)[0]["id"], &lines(&output)[0]["origin"]["line"]),
        (&json!("agent-1/Stop/0/0"), &json!(5))
    );
    let output = crosshook(&dir, &["list", "--dialect", "codebuddy", "--agent", "/no/such.md"], "");
    assert_eq!((output.status.code(), stderr(&output).contains("/no/such.md")), (Some(1), true));
}

#[test]
fn sources_of_other_dialects_stand_beside_each_other() {
    let dir = TempDir::new();
    let own = shown(dir.file("own.json", settings("codebuddy", "UserPromptSubmit", "printf own")));
    let other = shown(dir.file("other.json", settings("qwen", "UserPromptSubmit", "printf other")));
    let (own, other) = (format!("user={own}"), format!("qwen:user={other}"));
    let args = ["dispatch", "--dialect", "codebuddy", "--settings", &own, "--settings", &other];
    let outcome = &lines(&crosshook(&dir, &args, &event("UserPromptSubmit", dir.path())))[0];
    let dialects: Vec<&Value> =
        outcome["hooks"].as_array().unwrap().iter().map(|hook| &hook["dialect"]).collect();
    assert_eq!(dialects, ["codebuddy", "qwen"]);
    assert_eq!(outcome["additional_context"], json!(["own", "other"]));
    let output = crosshook(&dir, &["list", "--dialect", "qwen", "--settings", "pascal:user=x"], "");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

/// A plugin, an agent and a skill with their dialects, as `--settings` has them.
#[test]
fn plugins_agents_and_skills_of_other_dialects() {
    let dir = TempDir::new();
    let hooks =
        |event: &str, tool: &str, line: &str| json!({event: [{"matcher": tool, "hooks": [command(line)]}]});
    let manifest = |name: &str, hooks: Value| json!({"name": name, "hooks": hooks}).to_string();
    dir.file(
        "plugin/gemini-extension.json",
        manifest("g", hooks("BeforeTool", "run_shell_command", "gemini")),
    );
    dir.file("plugin/.claude-plugin/plugin.json", manifest("c", hooks("PreToolUse", "Bash", "claude")));
    let text = |line: &str| format!("---\nname: n\nhooks: {}\n---\n", hooks("PreToolUse", "Bash", line));
    let of = |dialect: &str, path: &str| format!("{dialect}:{}", shown(dir.path().join(path)));
    dir.file("agent.md", text("agent"));
    dir.file("skill.md", text("skill"));
    let (gemini, claude) = (of("gemini", "plugin"), of("claude", "plugin"));
    let (agent, skill) = (of("claude", "agent.md"), of("claude", "skill.md"));
    let sources =
        ["--dialect", "qwen", "--plugin", &gemini, "--plugin", &claude, "--agent", &agent, "--skill", &skill];
    let call = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "tool_name": "run_shell_command",
        "tool_input": {}})
    .to_string();
    let run = |command: &str, more: &[&str], stdin: &str| {
        crosshook(&dir, &[&[command], &sources[..], more].concat(), stdin)
    };
    let explained = lines(&run("explain", &["--json"], &call));
    let facts: Vec<_> =
        explained.iter().map(|hook| (&hook["dialect"], &hook["label"], &hook["runs"])).collect();
    let yes = json!(true);
    assert_eq!(
        facts,
        [("gemini", "gemini"), ("claude", "claude"), ("claude", "agent"), ("claude", "skill")]
            .map(|(dialect, label)| (json!(dialect), json!(label)))
            .each_ref()
            .map(|(dialect, label)| (dialect, label, &yes))
    );
    let table = |output: Output| String::from_utf8(output.stdout).unwrap();
    let listed = table(run("list", &[], ""));
    assert!(
        listed.contains("command: gemini (gemini)") && listed.contains("command: skill (claude)"),
        "{listed}"
    );
    let why = table(run("explain", &[], &call));
    assert!(
        why.contains(" claude (claude)") && why.contains("PreToolUse is BeforeTool in Gemini CLI"),
        "{why}"
    );
    let unknown = of("cursor", "plugin");
    for option in ["--plugin", "--agent", "--skill"] {
        let output = crosshook(&dir, &["list", "--dialect", "qwen", option, &unknown], "");
        assert_eq!(
            (output.status.code(), stderr(&output).contains("no dialect `cursor`")),
            (Some(2), true),
            "{option}"
        );
    }
    // One broken manifest is named, and the plugin that the others make of the folder is checked all the same.
    dir.file("plugin/gemini-extension.json", "{");
    dir.file("plugin/.claude-plugin/plugin.json", manifest("c", hooks("PreTolUse", "Bash", "claude")));
    let found = lines(&run("check", &["--json"], ""));
    let codes: Vec<&Value> =
        found.iter().map(|finding| &finding["code"]).filter(|code| *code != "lint_runs_twice").collect();
    assert_eq!(codes[..2], ["invalid_settings", "unknown_event"], "{found:?}");
    assert!(found[1]["message"].as_str().unwrap().contains("Claude Code does not have it"), "{found:?}");
}

/// What has `--dialects` looked up, and what `--tools` calls the host's tools.
#[test]
fn a_host_of_one_dialect_with_files_of_another_and_tools_of_its_own() {
    let dir = TempDir::new();
    let rewrite =
        r#"printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"pwd"}}}'"#;
    let hooks = json!([{"matcher": "^Bash$", "hooks": [{"type": "command", "command": rewrite}]}]);
    dir.file("project/.claude/settings.json", json!({"hooks": {"PreToolUse": hooks}}).to_string());
    let names = r#"{"execute": {"name": "run_shell_command", "arguments": {"cmd": "command"}}}"#;
    let names = shown(dir.file("tools.json", names));
    let call = json!({"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/", "tool_name": "execute",
        "tool_input": {"cmd": "ls"}})
    .to_string();
    let args = ["dispatch", "--dialect", "qwen", "--dialects", "claude,codebuddy", "--tools", &names];
    let outcome = &lines(&crosshook(&dir, &args, &call))[0];
    assert_eq!(outcome["updated_input"], json!({"cmd": "pwd"}), "{outcome}");
    assert_eq!(outcome["hooks"][0]["dialect"], "claude");
    let output = crosshook(&dir, &["list", "--dialect", "qwen", "--dialects", "clod"], "");
    assert_eq!((output.status.code(), stderr(&output).contains("clod")), (Some(2), true));
    let output = crosshook(&dir, &["list", "--dialect", "qwen", "--tools", "/no/such.json"], "");
    assert_eq!((output.status.code(), stderr(&output).contains("/no/such.json")), (Some(1), true));
}

#[test]
fn check_names_file_line_and_pointer_and_goes_on_after_a_broken_file() {
    let dir = TempDir::new();
    let broken = shown(dir.file("broken.json", "{\n\"hooks\": }"));
    let odd = shown(
        dir.file("odd.json", "{\"hooks\": {\n \"Stop\": [{\"hooks\": [\n  {\"type\": \"command\"}]}]}}"),
    );
    let args = ["check", "--dialect", "codebuddy", "--json", "--settings", &broken, "--settings", &odd];
    let output = crosshook(&dir, &args, "");
    assert_eq!(output.status.code(), Some(1));
    let found = lines(&output);
    let facts: Vec<_> = found
        .iter()
        .map(|finding| {
            (
                &finding["code"],
                &finding["origin"]["path"],
                &finding["origin"]["line"],
                &finding["origin"]["pointer"],
            )
        })
        .collect();
    let pointer = json!("/hooks/Stop/0/hooks/0");
    assert_eq!(
        facts,
        [
            (&json!("invalid_settings"), &json!(broken), &json!(2), &Value::Null),
            (&json!("invalid_hook"), &json!(odd), &json!(3), &pointer),
        ]
    );
    let output = crosshook(&dir, &args[..3], "");
    assert_eq!(output.status.code(), Some(0), "nothing there is nothing wrong");
}

#[test]
fn list_says_what_a_panel_shows() {
    let dir = TempDir::new();
    let hook = json!({"type": "command", "command": "x", "name": "guard", "timeout": 7, "async": true,
        "statusMessage": "working"});
    let text = json!({"disableAllHooks": true, "hooks": {"PreToolUse": [{"matcher": "run_shell_command", "hooks": [hook]}]}});
    let path = shown(dir.file("home/.qwen/settings.json", text.to_string()));
    let listed = lines(&crosshook(&dir, &["list", "--dialect", "qwen", "--json"], ""));
    let wanted = json!({"event": "PreToolUse", "id": "user/PreToolUse/0/0", "dialect": "qwen", "type": "command",
        "label": "guard", "matcher": "run_shell_command", "timeout": 7.0, "async": true, "once": false,
        "status_message": "working", "sequential": false, "fail_mode": null, "enabled": false,
        "origin": {"scope": "user", "path": path, "plugin": null, "pointer": "/hooks/PreToolUse/0/hooks/0", "line": 1}});
    for (key, value) in wanted.as_object().unwrap() {
        assert_eq!(&listed[0][key], value, "{key}");
    }
    let why = listed[0]["why_not"].as_str().unwrap();
    assert!(why.contains("disableAllHooks") && why.contains(&path), "{why}");
}
