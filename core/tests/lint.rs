//! What is said of settings that work and are probably not meant so, and that nothing is said in doubt.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[path = "support/mod.rs"]
mod support;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crosshook::{Code, Diagnostic, Engine, Level, Options, PluginSource, Scope};
use serde_json::{Value, json};
use support::TempDir;

fn settings(dialect: &str, event: &str, groups: &Value) -> Value {
    match dialect {
        "zcode" => json!({"hooks": {"enabled": true, "events": {event: groups}}}),
        _ => json!({"hooks": {event: groups}}),
    }
}

fn options(dialect: &str, settings: &Value) -> Options {
    let mut options = Options::new(dialect).settings_text(Some(Scope::User), settings.to_string());
    options.env = Some([("PATH", "/usr/bin:/bin"), ("HOME", "/home/of/nobody")].map(owned).into());
    options
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

fn lint(options: Options) -> Vec<Diagnostic> {
    let found = Engine::new(options).unwrap().lint();
    for one in &found {
        assert_eq!(one.level, Level::Warning, "{one:?}");
        assert!(one.code.as_str().starts_with("lint_"), "{one:?}");
        assert!(one.origin.as_ref().unwrap().pointer.is_some(), "{one:?}");
    }
    found
}

fn of_matcher(dialect: &str, event: &str, matcher: &str) -> Vec<Diagnostic> {
    let groups = json!([{"matcher": matcher, "hooks": [{"type": "command", "command": "true"},
        {"type": "command", "command": "exit 0"}]}]);
    lint(options(dialect, &settings(dialect, event, &groups)))
}

/// One warning with this code, whose message holds all these words.
fn says(found: &[Diagnostic], code: Code, words: &[&str], context: &str) {
    assert_eq!(found.len(), 1, "{context}: {found:?}");
    assert_eq!(found[0].code, code, "{context}: {found:?}");
    for word in words {
        assert!(found[0].message.contains(word), "{context}: {} lacks {word}", found[0].message);
    }
}

#[test]
fn a_matcher_that_matches_no_tool() {
    for (dialect, event, matcher, hint) in [
        ("claude", "PreToolUse", "bash", "write `Bash`"),
        ("claude", "PreToolUse", "Read|edit", "`edit` matches no tool that Claude Code documents"),
        ("claude", "PostToolUse", "run_shell_command", "its name for that is `Bash`"),
        ("claude", "PreToolUse", "Bash(git push *)", "\"if\": \"Bash(git push *)\""),
        ("claude", "PreToolUse", "^bash$", "upper and lower case count: write `Bash`"),
        ("qwen", "PreToolUse", "^WriteFile$", "patterns do not see this name: write `WriteFile`"),
        ("codebuddy", "PreToolUse", "bash", "write `Bash`"),
        ("codebuddy", "PreToolUse", "execute_command|write", "`write` matches no tool"),
        ("codebuddy", "PreToolUse", "Edit,Write", "separate names by `|`: `Edit|Write`"),
        ("codebuddy", "PreToolUse", "Glob | Grep", "blanks count here; write `Glob`"),
        ("zcode", "PreToolUse", "write_file", "its name for that is `Write`"),
        ("zcode", "PreToolUse", "task", "write `Task`"),
        ("qwen", "PreToolUse", "bash", "write `Bash`"),
        ("codex", "PreToolUse", "bash", "write `Bash`"),
        ("codex", "PreToolUse", "shell(rm *)", ""),
        ("gemini", "BeforeTool", "Bash", "its name for that is `run_shell_command`"),
        ("gemini", "BeforeTool", "Edit|write_file", "its name for that is `replace`"),
    ] {
        let found = of_matcher(dialect, event, matcher);
        let context = format!("{dialect} {matcher}");
        if hint.is_empty() {
            assert_eq!(found, [], "{context}");
        } else {
            says(&found, Code::LintMatcherNeverMatches, &[hint], &context);
            assert!(found[0].origin.as_ref().unwrap().pointer.as_ref().unwrap().ends_with("/0/hooks/0"));
        }
    }
}

#[test]
fn a_matcher_that_matches_no_value_of_the_event() {
    for (dialect, event, matcher, hint) in [
        ("claude", "SessionStart", "start", "it has startup, resume, clear, compact, fork"),
        ("claude", "SessionStart", "Startup", "write `startup`"),
        ("claude", "SessionStart", "startup|resumed", "`resumed` matches no value"),
        ("codebuddy", "SessionStart", "^start$", "it has startup, resume, clear, compact"),
        ("qwen", "SessionEnd", "quit", "it has clear, logout"),
        ("codex", "PreCompact", "automatic", "it has manual, auto"),
        ("gemini", "SessionStart", "start", "it has startup, resume, clear"),
        ("zcode", "SessionStart", "begin", "it has startup"),
    ] {
        let found = of_matcher(dialect, event, matcher);
        says(&found, Code::LintMatcherNeverMatches, &[hint], &format!("{dialect} {matcher}"));
    }
}

#[test]
fn a_name_that_is_searched_in_the_names_of_others() {
    for (dialect, event, matcher, words) in [
        ("codebuddy", "PreToolUse", "Write", &["`TodoWrite`", "write `^Write$`"][..]),
        ("codebuddy", "PreToolUse", "Edit|Write", &["`NotebookEdit`", "`TodoWrite`", "`^(Edit|Write)$`"]),
        ("qwen", "PreToolUse", "edit", &["`notebook_edit`", "`^edit$`"]),
    ] {
        let found = of_matcher(dialect, event, matcher);
        says(&found, Code::LintMatcherMatchesMore, words, &format!("{dialect} {matcher}"));
    }
    let found = of_matcher("codebuddy", "PreToolUse", "Edit|Write");
    assert!(!found[0].message.contains("MultiEdit"), "who guards edits wants it: {}", found[0].message);
}

#[test]
fn nothing_is_said_of_matchers_that_may_well_be_meant() {
    for (dialect, event, matcher) in [
        ("claude", "PreToolUse", "Bash"),
        ("claude", "PreToolUse", "Edit|Write|MultiEdit"),
        ("claude", "PreToolUse", "Bash, PowerShell"),
        ("claude", "PreToolUse", "mcp__memory__.*"),
        ("claude", "PreToolUse", "mcp__.*__write.*"),
        ("claude", "PreToolUse", "Notebook.*"),
        ("claude", "PreToolUse", "NewToolOfTomorrow"),
        ("claude", "PreToolUse", ".*"),
        ("claude", "PreToolUse", "*"),
        ("claude", "PreToolUse", "(?!Bash).*"),
        ("claude", "SessionStart", "startup|resume"),
        ("claude", "SubagentStop", "my-agent"),
        ("claude", "FileChanged", ".env"),
        ("claude", "Elicitation", "anything"),
        ("codebuddy", "PreToolUse", "Bash"),
        ("codebuddy", "PreToolUse", "^Write$"),
        ("codebuddy", "PreToolUse", "^(Edit|Write)$"),
        ("codebuddy", "PreToolUse", "Edit|Write|NotebookEdit|TodoWrite"),
        ("codebuddy", "PreToolUse", "mcp__memory"),
        ("codebuddy", "PreToolUse", "Notebook"),
        ("zcode", "PreToolUse", "Edit|Write"),
        ("qwen", "PreToolUse", "Bash|Write"),
        ("qwen", "PreToolUse", " Edit | WriteFile "),
        ("codex", "PreToolUse", "Write|Edit"),
        ("codex", "PreToolUse", "Read"),
        ("gemini", "BeforeTool", "write_.*"),
        ("gemini", "BeforeTool", "write_file|replace"),
        ("gemini", "SessionStart", "startup"),
    ] {
        assert_eq!(of_matcher(dialect, event, matcher), [], "{dialect} {event} {matcher}");
    }
}

/// A project with a script of this text and mode, and what is said of a hook that runs `line` there.
fn of_script(dialect: &str, event: &str, line: &str, script: &str, mode: u32) -> Vec<Diagnostic> {
    let dir = TempDir::new();
    of_script_in(&dir, dialect, event, line, script, mode)
}

fn of_script_in(
    dir: &TempDir,
    dialect: &str,
    event: &str,
    line: &str,
    script: &str,
    mode: u32,
) -> Vec<Diagnostic> {
    let path = dir.file("pro ject/hooks/guard.sh", script);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    let line = line.replace("{}", &path.display().to_string());
    let groups = json!([{"hooks": [{"type": "command", "command": line}]}]);
    let mut options = options(dialect, &settings(dialect, event, &groups));
    options.project_dir = Some(dir.path().join("pro ject"));
    lint(options)
}

const FINE: &str = "#!/bin/sh\nexit 0\n";

#[test]
fn a_script_that_is_not_there() {
    for (dialect, variable) in [
        ("claude", "CLAUDE_PROJECT_DIR"),
        ("codebuddy", "CODEBUDDY_PROJECT_DIR"),
        ("qwen", "QWEN_PROJECT_DIR"),
        ("zcode", "ZCODE_PROJECT_DIR"),
        ("gemini", "GEMINI_PROJECT_DIR"),
    ] {
        let event = if dialect == "gemini" { "BeforeTool" } else { "PreToolUse" };
        for line in
            ["\"$VAR\"/hooks/gard.sh", "bash \"${VAR}/hooks/gard.sh\" -x", "A=1 python3 \"$VAR/x.py\""]
        {
            let line = line.replace("VAR", variable);
            let found = of_script(dialect, event, &line, FINE, 0o755);
            says(&found, Code::LintScriptMissing, &["there is no file", "/pro ject/"], &line);
        }
        let line = format!("\"${variable}\"/hooks/guard.sh");
        assert_eq!(of_script(dialect, event, &line, FINE, 0o755), [], "{line}");
    }
    let found = of_script("claude", "PreToolUse", "~/.claude/hooks/x.sh", FINE, 0o755);
    says(&found, Code::LintScriptMissing, &["/home/of/nobody/.claude/hooks/x.sh"], "home");
    let found = of_script("claude", "PreToolUse", "\"$CLAUDE_PROJECT_DIR\"/hooks", FINE, 0o755);
    says(&found, Code::LintScriptMissing, &["is a folder"], "folder");
}

#[test]
fn what_is_not_known_beforehand_is_not_missing() {
    for line in [
        "./hooks/gard.sh",
        "gard",
        "\"$GUARDS\"/x.sh",
        "\"$(git rev-parse --show-toplevel)\"/x.sh",
        "cd /no/such && ./x.sh",
        "[ -f /no/such ] && /no/such",
        "test -x /no/such || exit 0; /no/such",
        "node -e 'x/y.js'",
        "python3 -m tools.guard",
        "python3 tool",
        "env /no/such",
        "if true; then /no/such; fi",
        "/no/*/such",
    ] {
        assert_eq!(of_script("claude", "PreToolUse", line, FINE, 0o755), [], "{line}");
    }
}

#[test]
fn a_script_that_cannot_be_started() {
    let found = of_script("claude", "PreToolUse", "'{}'", FINE, 0o644);
    says(&found, Code::LintScriptNotExecutable, &["guard.sh is not executable", "chmod +x"], "mode");
    assert_eq!(of_script("claude", "PreToolUse", "sh '{}'", FINE, 0o644), [], "sh reads it");
    let found = of_script("claude", "PreToolUse", "'{}'", "#!/bin/sh\r\nexit 0\r\n", 0o755);
    says(&found, Code::LintLineEnds, &["CR LF", "guard.sh"], "direct");
    let found = of_script("claude", "PreToolUse", "bash '{}'", "#!/bin/sh\r\nexit 0\r\n", 0o644);
    says(&found, Code::LintLineEnds, &["CR LF"], "bash");
    assert_eq!(of_script("claude", "PreToolUse", "python3 '{}'", "#!/x\r\nx = 1\r\n", 0o644), [], "python");
    // Found from the project's folder, where hooks usually run.
    let found = of_script("claude", "PreToolUse", "hooks/guard.sh", FINE, 0o600);
    says(&found, Code::LintScriptNotExecutable, &["guard.sh"], "relative");

    let dir = TempDir::new();
    let path = dir.file("guard", FINE);
    let hook = json!({"type": "command", "command": path, "args": ["--strict"]});
    let found = lint(options("claude", &settings("claude", "PreToolUse", &json!([{"hooks": [hook]}]))));
    says(&found, Code::LintScriptNotExecutable, &["guard is not executable"], "args");
}

#[test]
fn a_path_outside_quotes() {
    for line in ["$CLAUDE_PROJECT_DIR/hooks/guard.sh", "bash ${CLAUDE_PROJECT_DIR}/hooks/guard.sh"] {
        let found = of_script("claude", "PreToolUse", line, FINE, 0o755);
        let unquoted: Vec<_> =
            found.iter().filter(|one| one.code == Code::LintUnquotedPath).cloned().collect();
        says(&unquoted, Code::LintUnquotedPath, &["\"$CLAUDE_PROJECT_DIR\"/"], line);
    }
    for line in [
        "\"$CLAUDE_PROJECT_DIR\"/hooks/guard.sh",
        "DIR=$CLAUDE_PROJECT_DIR true",
        "echo '$CLAUDE_PROJECT_DIR/x'",
        "echo $SOMETHING/x",
    ] {
        assert_eq!(of_script("claude", "PreToolUse", line, FINE, 0o755), [], "{line}");
    }
    // There the agent itself quotes the value.
    assert_eq!(of_script("gemini", "BeforeTool", "$GEMINI_PROJECT_DIR/hooks/guard.sh", FINE, 0o755), []);
    // Zsh splits nothing.
    let groups = json!([{"hooks": [{"type": "command", "command": "ls $CODEBUDDY_PROJECT_DIR/x"}]}]);
    let mut of_zsh = options("codebuddy", &settings("codebuddy", "PreToolUse", &groups));
    of_zsh.env.as_mut().unwrap().insert("SHELL".into(), "/bin/zsh".into());
    assert_eq!(lint(of_zsh), []);
}

#[test]
fn a_plugins_paths_are_known() {
    let dir = TempDir::new();
    let hook = |line: &str| json!({"type": "command", "command": line});
    let groups = json!([{"hooks": [hook("${CLAUDE_PLUGIN_ROOT}/no.sh"), hook("${CLAUDE_PLUGIN_ROOT}/yes.sh"),
        hook("ls $CLAUDE_PLUGIN_ROOT/x")]}]);
    dir.file("plu gin/hooks/hooks.json", settings("claude", "PreToolUse", &groups).to_string());
    let path = dir.file("plu gin/yes.sh", FINE);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let found = lint(options("claude", &json!({})).plugin(dir.path().join("plu gin")));
    let codes: Vec<Code> = found.iter().map(|one| one.code).collect();
    assert_eq!(codes, [Code::LintScriptMissing, Code::LintUnquotedPath], "{found:?}");
    assert!(found[0].message.contains("/plu gin/no.sh"), "{}", found[0].message);
}

#[test]
fn a_guard_of_stops_that_never_gives_way() {
    let blocks = "#!/bin/sh\necho 'run the tests' >&2\nexit 2\n";
    for (dialect, event) in
        [("claude", "Stop"), ("codebuddy", "SubagentStop"), ("qwen", "Stop"), ("gemini", "AfterAgent")]
    {
        let found = of_script(dialect, event, "'{}'", blocks, 0o755);
        says(&found, Code::LintStopLoop, &["stop_hook_active", "guard.sh"], dialect);
        for text in [
            "#!/bin/sh\ngrep -q '\"stop_hook_active\":true' && exit 0\nexit 2\n",
            "#!/usr/bin/env node\nif (event.stopHookActive) process.exit(0);\nprocess.exit(2);\n",
            "#!/bin/sh\nsay done\n",
            "#!/bin/sh\n# exit 2 would block\nsay done\n",
            "#!/bin/sh\n. ./decide.sh\ndecide || exit 2\n",
        ] {
            assert_eq!(of_script(dialect, event, "'{}'", text, 0o755), [], "{dialect} {text}");
        }
    }
    assert_eq!(of_script("claude", "PreToolUse", "'{}'", blocks, 0o755), [], "no stop");
}

#[test]
fn a_worker_that_waits_for_the_end_of_its_input() {
    let of = |dialect: &str, worker: Value, command: &str, script: &str| {
        let dir = TempDir::new();
        let path = dir.file("guard.py", script);
        let command = command.replace("{}", &path.display().to_string());
        let event = if dialect == "gemini" { "BeforeTool" } else { "PreToolUse" };
        let groups = json!([{"hooks": [{"type": "command", "command": command, "worker": worker}]}]);
        lint(options(dialect, &settings(dialect, event, &groups)))
    };
    let whole = "import json, sys\nevent = json.load(sys.stdin)\n";
    for dialect in ["codebuddy", "zcode", "qwen", "claude", "codex", "gemini"] {
        let found = of(dialect, json!(true), "python3 {}", whole);
        says(&found, Code::LintWorkerInput, &["`json.load(sys.stdin)`", "take out `worker`"], dialect);
        assert_eq!(of(dialect, json!(false), "python3 {}", whole), [], "{dialect}: no worker");
    }
    for line in ["input=$(cat); test -z \"$input\"", "test \"$(jq -r .tool_name)\" != Write"] {
        says(
            &of("claude", json!({"queue": 1}), line, ""),
            Code::LintWorkerInput,
            &["waits for the end"],
            line,
        );
    }
    for script in [
        "from crosshook.worker import serve\nimport sys\nlast = lambda: sys.stdin.read()\n",
        "import sys\nfor line in sys.stdin:\n    answer(line)\n",
        "# not json.load(sys.stdin)\nimport sys\nfor line in sys.stdin:\n    answer(line)\n",
    ] {
        assert_eq!(of("claude", json!(true), "python3 {}", script), [], "{script}");
    }
}

#[test]
fn a_time_limit_in_another_unit() {
    let of = |dialect: &str, event: &str, key: &str, limit: f64| {
        let mut hook = json!({"type": "command", "command": "true"});
        hook[key] = json!(limit);
        lint(options(dialect, &settings(dialect, event, &json!([{"hooks": [hook]}]))))
    };
    for (dialect, event, key, limit, hint) in [
        ("claude", "PreToolUse", "timeout", 30_000.0, "write 30 if milliseconds were meant"),
        ("codebuddy", "PreToolUse", "timeout", 5_000.0, "write 5 if"),
        ("codex", "PreToolUse", "timeout", 60_000.0, "write 60 if"),
        ("gemini", "BeforeTool", "timeout", 60.0, "write 60000 if seconds were meant"),
        ("zcode", "PreToolUse", "timeoutMs", 30.0, "write 30000 if"),
    ] {
        let context = format!("{dialect} {limit}");
        says(&of(dialect, event, key, limit), Code::LintTimeoutUnit, &[hint], &context);
    }
    for (dialect, event, key, limit) in [
        ("claude", "PreToolUse", "timeout", 3_600.0),
        ("claude", "PreToolUse", "timeout", 86_400.0),
        ("claude", "PreToolUse", "timeout", 0.5),
        ("gemini", "BeforeTool", "timeout", 5_000.0),
        ("gemini", "BeforeTool", "timeout", 200.0),
        ("zcode", "PreToolUse", "timeoutMs", 30_000.0),
        // Qwen reads that as milliseconds itself and says so.
        ("qwen", "PreToolUse", "timeout", 30_000.0),
    ] {
        assert_eq!(of(dialect, event, key, limit), [], "{dialect} {limit}");
    }
}

#[cfg(feature = "http")]
#[test]
fn a_request_that_leads_where_it_should_not() {
    let of = |dialect: &str, url: &str| {
        let groups = json!([{"hooks": [{"type": "http", "url": url}]}]);
        lint(options(dialect, &settings(dialect, "PreToolUse", &groups)))
    };
    for (dialect, url, words) in [
        ("claude", "http://10.1.2.3/guard", &["a private address (10.0.0.0/8)", "whatever network"][..]),
        ("qwen", "http://192.168.0.7/guard", &["every request will be refused", "private networks"]),
        ("claude", "http://169.254.169.254/latest", &["will be refused"]),
        ("codebuddy", "ftp://example.com/", &["only http and https"]),
        ("claude", "guard.example", &["the URL is not valid"]),
    ] {
        says(&of(dialect, url), Code::LintPrivateAddress, words, &format!("{dialect} {url}"));
    }
    for (dialect, url) in [
        ("claude", "https://guard.example/x"),
        ("claude", "http://127.0.0.1:8080/x"),
        ("qwen", "http://localhost:8080/x"),
        ("qwen", "$GUARD/x"),
    ] {
        assert_eq!(of(dialect, url), [], "{dialect} {url}");
    }
}

#[test]
fn the_same_hook_twice() {
    let hook = |line: &str| json!({"hooks": [{"type": "command", "command": line}]});
    let with = |matcher: &str, line: &str| {
        let mut group = hook(line);
        group["matcher"] = json!(matcher);
        group
    };
    let of = |dialect: &str, groups: Value| lint(options(dialect, &settings(dialect, "PreToolUse", &groups)));
    let found = of("zcode", json!([hook("guard"), with("Bash", "guard")]));
    says(
        &found,
        Code::LintRunsTwice,
        &["(user/PreToolUse/0/0) runs the same", "for `Bash`", "remove one"],
        "",
    );
    let found = of("codex", json!([hook("guard"), hook("guard")]));
    says(&found, Code::LintRunsTwice, &["on every PreToolUse"], "codex");
    for groups in [
        json!([with("Bash", "guard"), with("Write", "guard")]),
        json!([hook("guard --a"), hook("guard --b")]),
    ] {
        assert_eq!(of("zcode", groups.clone()), [], "{groups}");
    }
    assert_eq!(of("claude", json!([hook("guard"), hook("guard")])), [], "Claude Code runs it once");

    // The same guard for two agents, in one engine.
    let mut both = options("claude", &settings("claude", "PreToolUse", &json!([hook("guard")])));
    let other = settings("codebuddy", "PreToolUse", &json!([hook("guard")]));
    both = both.settings_text(Some(Scope::Project), other.to_string());
    both.settings[1].dialect = Some("codebuddy".into());
    says(&lint(both), Code::LintRunsTwice, &["remove one"], "two dialects");
    let mut both = options("claude", &settings("claude", "PreToolUse", &json!([with("Bash", "guard")])));
    let other = settings("gemini", "BeforeTool", &json!([with("run_shell_.*", "guard")]));
    both = both.settings_text(Some(Scope::Project), other.to_string());
    both.settings[1].dialect = Some("gemini".into());
    says(&lint(both), Code::LintRunsTwice, &["for `Bash`"], "in other words");
}

#[test]
fn what_cannot_run_is_not_looked_at() {
    let groups = json!([{"matcher": "bash", "hooks": [{"type": "command", "command": "/no/such"}]}]);
    let mut off = settings("claude", "PreToolUse", &groups);
    assert_eq!(lint(options("claude", &off)).len(), 2);
    off["disableAllHooks"] = json!(true);
    assert_eq!(lint(options("claude", &off)), []);
}

#[test]
fn check_says_it_and_strict_fails_for_it() {
    let dir = TempDir::new();
    let groups = json!([{"matcher": "bash", "hooks": [{"type": "command", "command": "true"}]}]);
    let file = dir.file("settings.json", settings("claude", "PreToolUse", &groups).to_string());
    let check = |more: &[&str], file: &Path| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_crosshook"));
        command.args(["check", "--dialect", "claude", "--json", "--settings"]).arg(file).args(more);
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (status, said) = check(&[], &file);
    let found: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((status, &found["code"]), (Some(0), &json!("lint_matcher_never_matches")));
    assert_eq!(found["origin"]["pointer"], "/hooks/PreToolUse/0/hooks/0");
    assert_eq!(check(&["--strict"], &file), (Some(1), said));
    let fine = json!([{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]);
    let fine = dir.file("fine.json", settings("claude", "PreToolUse", &fine).to_string());
    assert_eq!(check(&["--strict"], &fine), (Some(0), String::new()));
}

/// One folder, read as the plugin of two agents: each warning says for which of them it is.
#[test]
fn plugins_of_other_dialects_are_looked_at_by_their_own_rules() {
    let dir = TempDir::new();
    let hooks = |event: &str, variable: &str| {
        let line = format!("sh \"${{{variable}}}/gone.sh\"");
        json!({"name": "p", "hooks": {event: [{"hooks": [{"type": "command", "command": line}]}]}})
            .to_string()
    };
    dir.file("plugin/.claude-plugin/plugin.json", hooks("PreToolUse", "CLAUDE_PLUGIN_ROOT"));
    dir.file("plugin/gemini-extension.json", hooks("BeforeTool", "extensionPath"));
    let mut options = options("qwen", &json!({}));
    for dialect in ["gemini", "claude"] {
        let mut plugin = PluginSource::new(dir.path().join("plugin"));
        plugin.dialect = Some(dialect.to_owned());
        options.plugins.push(plugin);
    }
    let found = lint(options);
    assert_eq!(found.len(), 2, "{found:?}");
    for (one, product) in found.iter().zip(["Gemini CLI", "Claude Code"]) {
        assert_eq!(one.code, Code::LintScriptMissing, "{one:?}");
        assert!(one.message.contains(&format!(") of {product}: ")), "{one:?}");
        assert!(one.message.contains("gone.sh"), "{one:?}");
    }
}
