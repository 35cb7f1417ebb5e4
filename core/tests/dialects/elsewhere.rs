//! Hooks of other dialects from plugins, frontmatter and `register`: each is what it is in settings of its dialect.

use std::path::{Path, PathBuf};

use crosshook::{Code, Decision, Diagnostic, Engine, ErrorKind, FrontmatterScope, Level, Options, Outcome};
use serde_json::{Value, json};

use crate::support::TempDir;

const DIALECTS: [&str; 6] = ["codebuddy", "zcode", "qwen", "claude", "codex", "gemini"];
const WITH_FRONTMATTER: [&str; 3] = ["codebuddy", "qwen", "claude"];

const MANIFESTS: [(&str, &str); 6] = [
    ("codebuddy", ".codebuddy-plugin/plugin.json"),
    ("zcode", ".zcode-plugin/plugin.json"),
    ("qwen", "qwen-extension.json"),
    ("claude", ".claude-plugin/plugin.json"),
    ("codex", ".codex-plugin/plugin.json"),
    ("gemini", "gemini-extension.json"),
];

fn codes(found: &[Diagnostic]) -> Vec<Code> {
    found.iter().map(|one| one.code).collect()
}

fn before_tool(dialect: &str) -> &'static str {
    if dialect == "gemini" { "BeforeTool" } else { "PreToolUse" }
}

fn shell(dialect: &str) -> &'static str {
    if matches!(dialect, "gemini" | "qwen") { "run_shell_command" } else { "Bash" }
}

/// The event map with one command for calls of the shell.
fn guard(dialect: &str, line: &str) -> Value {
    json!({before_tool(dialect): [{"matcher": shell(dialect), "hooks": [{"type": "command", "command": line}]}]})
}

/// The same in the form of the dialect's settings.
fn in_settings(dialect: &str, events: &Value) -> Value {
    match dialect {
        "zcode" => json!({"hooks": {"enabled": true, "events": events}}),
        _ => json!({"hooks": events}),
    }
}

fn call(host: &str, session: &str) -> Value {
    json!({"hook_event_name": before_tool(host), "session_id": session, "agent_id": "a", "cwd": "/",
        "transcript_path": "/t", "permission_mode": "default", "tool_name": shell(host), "tool_use_id": "u",
        "tool_input": {"command": "ls"}})
}

/// An engine that looks nothing up, with these options besides.
fn engine(host: &str, more: Value) -> Engine {
    try_engine(host, more).unwrap()
}

fn try_engine(host: &str, more: Value) -> Result<Engine, crosshook::Error> {
    let path = std::env::var("PATH").unwrap();
    let mut options = json!({"dialect": host, "discover": false, "home": "/nowhere", "env": {"PATH": path}});
    options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Engine::new(Options::from_json(&options.to_string())?)
}

fn dispatch(engine: &Engine, event: &Value) -> Outcome {
    engine.dispatch_blocking(event.to_string()).unwrap()
}

fn deny(outcome: &Outcome) -> (Decision, Option<&str>) {
    (outcome.decision, outcome.reason.as_deref())
}

/// A line that keeps what it reads in a file and denies.
fn keeping(file: &Path) -> String {
    format!("cat > '{}'; echo no >&2; exit 2", file.display())
}

fn kept(file: &Path) -> Value {
    let mut seen: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    std::fs::remove_file(file).unwrap();
    seen.as_object_mut().unwrap().remove("timestamp");
    seen
}

/// A folder with the manifests of all agents, each with hooks of its own.
fn plugin(dir: &TempDir, line: impl Fn(&str) -> String) -> PathBuf {
    for (dialect, manifest) in MANIFESTS {
        let text = json!({"name": format!("of-{dialect}"), "hooks": guard(dialect, &line(dialect))});
        dir.file(&format!("plugin/{manifest}"), text.to_string());
    }
    dir.path().join("plugin")
}

/// The frontmatter of an agent that is built in: JSON is YAML.
fn agent(dialect: &str, events: &Value) -> Value {
    let text = format!("---\nname: rev\nhooks: {events}\n---\nYou review.\n");
    json!({"owner": "agent", "source": "builtin", "text": text, "dialect": dialect, "session_id": "s", "agent_id": "a"})
}

fn open(engine: &Engine, scope: &Value) -> Value {
    serde_json::from_str(&engine.open_scope_json(&scope.to_string()).unwrap()).unwrap()
}

fn register(engine: &Engine, session: &str, dialect: &str, events: &Value) -> crosshook::Registered {
    let entry = json!({"dialect": dialect, "settings": in_settings(dialect, events)});
    engine.register(session, &entry.to_string()).unwrap()
}

#[test]
fn a_guard_is_the_same_wherever_it_comes_from() {
    let dir = TempDir::new();
    let file = dir.path().join("stdin");
    let folder = plugin(&dir, |_| keeping(&file));
    let (mut pairs, mut scopes) = (0, 0);
    for host in DIALECTS {
        for dialect in DIALECTS {
            let events = guard(dialect, &keeping(&file));
            let settings =
                json!([{"dialect": dialect, "scope": "managed", "settings": in_settings(dialect, &events)}]);
            let usual = dispatch(&engine(host, json!({"settings": settings})), &call(host, "s"));
            let seen = kept(&file);
            assert_eq!(deny(&usual), (Decision::Deny, Some("no")), "{host} {dialect}");
            assert_eq!(seen["hook_event_name"], before_tool(dialect), "{host} {dialect}");
            assert_eq!(seen["tool_name"], shell(dialect), "{host} {dialect}");
            let of_plugin = engine(host, json!({"plugins": [{"path": folder, "dialect": dialect}]}));
            let registered = engine(host, json!({}));
            assert_eq!(codes(&register(&registered, "s", dialect, &events).diagnostics), []);
            let mut ways = vec![("plugin", of_plugin), ("register", registered)];
            if WITH_FRONTMATTER.contains(&dialect) {
                let scope = engine(host, json!({}));
                assert_eq!(open(&scope, &agent(dialect, &events))["diagnostics"], json!([]));
                ways.push(("scope", scope));
                scopes += 1;
            }
            for (way, engine) in &ways {
                let outcome = dispatch(engine, &call(host, "s"));
                assert_eq!(deny(&outcome), deny(&usual), "{host} {dialect} {way}");
                assert_eq!(kept(&file), seen, "{host} {dialect} {way}");
                assert_eq!(outcome.hooks[0].dialect, dialect, "{host} {dialect} {way}");
                let (why, list) = (engine.explain(call(host, "s").to_string()).unwrap(), engine.list());
                assert_eq!((why.len(), why[0].dialect, why[0].runs), (1, dialect, true), "{host} {way}");
                assert_eq!(
                    (list.len(), list[0].dialect, list[0].enabled),
                    (1, dialect, true),
                    "{host} {way}"
                );
                // What is for one session is for that session of the host.
                let elsewhere = dispatch(engine, &call(host, "t")).decision;
                let wanted = if *way == "plugin" { Decision::Deny } else { Decision::None };
                assert_eq!(elsewhere, wanted, "{host} {dialect} {way}");
                assert_eq!(engine.end_session("s"), *way != "plugin");
                assert_eq!(dispatch(engine, &call(host, "s")).decision, wanted, "{host} {dialect} {way}");
            }
            pairs += 1;
        }
    }
    assert_eq!((pairs, scopes), (36, 18));
}

#[test]
fn a_folder_for_several_agents_is_read_for_those_that_are_named() {
    let dir = TempDir::new();
    let folder = plugin(&dir, |dialect| format!("echo {dialect} >&2; exit 2"));
    dir.file(
        "plugin/hooks/hooks.json",
        json!({"hooks": guard("codebuddy", "echo shared >&2; exit 2")}).to_string(),
    );
    let labels = |engine: &Engine| -> Vec<(String, &'static str)> {
        let listed = engine.list().into_iter();
        listed.map(|hook| (hook.origin.plugin.unwrap(), hook.dialect)).collect()
    };
    let entry = |dialect: &str| json!({"path": folder, "dialect": dialect});
    let twice = engine("qwen", json!({"plugins": [entry("claude"), entry("codex"), folder]}));
    // The host's own come first. Codex's manifest replaces the standard file, Claude Code's and Qwen's add to it.
    assert_eq!(
        labels(&twice),
        [
            ("of-qwen".to_owned(), "qwen"),
            ("of-qwen".to_owned(), "qwen"),
            ("of-claude".to_owned(), "claude"),
            ("of-claude".to_owned(), "claude"),
            ("of-codex".to_owned(), "codex")
        ]
    );
    let outcome = dispatch(&twice, &call("qwen", "s"));
    assert_eq!(outcome.decision, Decision::Deny);
    let ran: Vec<(&str, &str)> =
        outcome.hooks.iter().map(|hook| (hook.dialect, hook.reason.as_deref().unwrap())).collect();
    // Qwen calls the shell otherwise than the standard file, but knows the name.
    assert_eq!(
        ran,
        [
            ("qwen", "shared"),
            ("qwen", "qwen"),
            ("claude", "shared"),
            ("claude", "claude"),
            ("codex", "codex")
        ]
    );
    let mut ids: Vec<String> = twice.list().into_iter().map(|hook| hook.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 5, "each has an id of its own: {ids:?}");
}

#[test]
fn a_plugin_has_the_variables_of_its_dialect() {
    let dir = TempDir::new();
    let line =
        "printf '%s|%s|%s' \"$extensionPath\" \"$PLUGIN_ROOT\" \"$CLAUDE_PLUGIN_OPTION_KEY\" >&2; exit 2";
    let folder = plugin(&dir, |_| line.to_owned());
    let reason = |dialect: &str| {
        let plugin = json!({"path": folder, "dialect": dialect, "options": {"key": "v"}});
        dispatch(&engine("qwen", json!({"plugins": [plugin]})), &call("qwen", "s")).reason.unwrap()
    };
    let root = std::fs::canonicalize(&folder).unwrap().display().to_string();
    assert_eq!(reason("gemini"), format!("{root}||"));
    assert_eq!(reason("codex"), format!("|{root}|"));
    assert_eq!(reason("claude"), "||v");
}

#[test]
fn an_unknown_dialect_is_named_with_its_place() {
    let refused = |error: crosshook::Error, pointer: &str| {
        assert_eq!(error.kind(), ErrorKind::InvalidOptions, "{error}");
        assert_eq!(error.place().pointer.as_deref(), Some(pointer), "{error}");
        assert!(
            error.message().starts_with("there is no dialect \"cursor\"; it is one of codebuddy"),
            "{error}"
        );
    };
    let dir = TempDir::new();
    let folder = plugin(&dir, |_| "true".to_owned());
    let plugins = json!({"plugins": [folder, {"path": folder, "dialect": "cursor"}]});
    refused(try_engine("qwen", plugins).unwrap_err(), "/plugins/1/dialect");
    let settings = json!({"settings": [{"dialect": "cursor", "settings": {}}]});
    refused(try_engine("qwen", settings).unwrap_err(), "/settings/0/dialect");
    let engine = engine("qwen", json!({}));
    refused(engine.open_scope_json(&agent("cursor", &json!({})).to_string()).unwrap_err(), "/dialect");
    refused(engine.register("s", r#"{"dialect": "cursor", "settings": {}}"#).unwrap_err(), "/dialect");
    let error = engine.open_scope_json(&agent("qwen", &json!({})).to_string().replace("\"qwen\"", "7"));
    assert_eq!(error.unwrap_err().place().pointer.as_deref(), Some("/dialect"));
    assert!(engine.list().is_empty());
}

#[test]
fn what_is_registered_may_be_an_entry() {
    let engine = engine("qwen", json!({}));
    let refused = |text: &str, pointer: Option<&str>, words: &str| {
        let error = engine.register("s", text).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidOptions, "{text}");
        assert_eq!(error.place().pointer.as_deref(), pointer, "{error}");
        assert!(error.message().contains(words), "{error}");
    };
    refused(r#"{"settings": {}, "scope": "managed"}"#, Some("/scope"), "leave `scope` and `path` out");
    refused(r#"{"dialect": "claude", "path": "/etc/x"}"#, Some("/path"), "leave `scope` and `path` out");
    refused(r#"{"settings": {}, "path": "/etc/x"}"#, None, "either `settings` or `path`");
    refused(r#"{"settings": {}, "dialekt": "claude"}"#, Some("/dialekt"), "dialekt");
    refused(r#"{"settings": {}, "dialect": 1}"#, Some("/dialect"), "`dialect` is a number");
    refused("{\"settings\": {}, // of Claude Code\n \"dialect\": \"claude\"}", None, "a settings source is");
    assert_eq!(engine.register("s", r#"{"settings": 1}"#).unwrap_err().kind(), ErrorKind::InvalidSettings);
    assert!(engine.list().is_empty());
    // Without a dialect it is the host's; `hooks` beside `settings` make it settings.
    let hooks = guard("qwen", "true");
    let entry = engine.register("s", &json!({"settings": {"hooks": hooks}}).to_string()).unwrap();
    assert_eq!((entry.hooks, entry.diagnostics.len()), (1, 0));
    let both = engine.register("s", &json!({"settings": {}, "hooks": hooks}).to_string()).unwrap();
    assert_eq!((both.hooks, both.diagnostics.len()), (1, 0));
    // Settings may have comments.
    let text = format!("// mine\n{}", json!({"hooks": hooks}));
    assert_eq!(engine.register("s", &text).unwrap().hooks, 1);
    assert!(engine.list().iter().all(|hook| hook.dialect == "qwen"));
    // What stands where nothing reads it is not passed over in silence.
    let both = json!({"settings": {"hooks": hooks}, "hooks": hooks}).to_string();
    let found = engine.register("s", &both).unwrap();
    assert_eq!((found.hooks, codes(&found.diagnostics)), (1, vec![Code::IgnoredKey]));
    let not_in_a_list = json!({"settings": {"scope": "user", "settings": {"hooks": hooks}}});
    let found = self::engine("qwen", not_in_a_list).diagnostics();
    assert_eq!(codes(&found), [Code::IgnoredKey]);
    assert!(found[0].message.contains("the option `settings` takes a list"), "{found:?}");
    for text in [json!({"dialect": "claude", "hooks": guard("claude", "true")}), json!({"dialect": "claude"})]
    {
        let found = engine.register("s", &text.to_string()).unwrap().diagnostics;
        assert_eq!((found[0].level, found[0].code), (Level::Warning, Code::IgnoredKey), "{text}");
        assert_eq!(found[0].origin.as_ref().unwrap().pointer.as_deref(), Some("/dialect"));
    }
}

#[test]
fn an_event_that_the_host_does_not_have_is_named() {
    let dir = TempDir::new();
    let events = json!({"SubagentStop": [{"hooks": [{"type": "command", "command": "exit 2"}]}]});
    dir.file("plugin/.claude-plugin/plugin.json", json!({"name": "p", "hooks": events}).to_string());
    let engine =
        engine("gemini", json!({"plugins": [{"path": dir.path().join("plugin"), "dialect": "claude"}]}));
    assert_eq!(codes(&engine.diagnostics()), [Code::NoCounterpart]);
    assert_eq!(codes(&register(&engine, "s", "claude", &events).diagnostics), [Code::NoCounterpart]);
    // In an agent, Claude Code's `Stop` is the end of the subagent.
    let stop = json!({"Stop": events["SubagentStop"]});
    let opened = open(&engine, &agent("claude", &stop));
    assert_eq!(opened["diagnostics"][0]["code"], "no_counterpart");
    assert!(opened["diagnostics"][0]["message"].as_str().unwrap().contains("`SubagentStop`"), "{opened}");
    // A host that sends the event all the same is heard.
    let stop = json!({"hook_event_name": "SubagentStop", "session_id": "s", "agent_id": "a", "cwd": "/"});
    let outcome = dispatch(&engine, &stop);
    assert_eq!((outcome.decision, outcome.hooks.len()), (Decision::Block, 3));
}

#[test]
fn a_dialect_without_hooks_in_frontmatter_says_so() {
    let engine = engine("claude", json!({}));
    for (dialect, product) in [("zcode", "ZCode"), ("codex", "Codex CLI"), ("gemini", "Gemini CLI")] {
        let opened = open(&engine, &agent(dialect, &guard(dialect, "exit 2")));
        assert_eq!(
            (&opened["hooks"], &opened["diagnostics"][0]["code"]),
            (&json!(0), &json!("frontmatter_skipped"))
        );
        let wanted = format!("{product} reads no hooks from frontmatter");
        assert_eq!(opened["diagnostics"][0]["message"], wanted);
    }
}

#[test]
fn frontmatter_is_read_by_the_rules_of_its_dialect() {
    let scope = |engine: &Engine, dialect: &str, source: &str| {
        let mut scope =
            agent(dialect, &json!({"Stop": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}));
        scope["source"] = json!(source);
        open(engine, &scope)["diagnostics"][0]["message"].as_str().map(str::to_owned)
    };
    // CodeBuddy's gate is in its own settings, and not in those of the host.
    let gate = json!({"allowUntrustedFrontmatterHooks": true});
    let of_host = engine("claude", json!({"settings": [{"dialect": "claude", "settings": gate}]}));
    assert!(scope(&of_host, "codebuddy", "user").unwrap().contains("not admin-trusted"));
    assert_eq!(scope(&of_host, "qwen", "user"), None);
    let own = engine("claude", json!({"settings": [{"dialect": "codebuddy", "settings": gate}]}));
    assert_eq!(scope(&own, "codebuddy", "user"), None);
    // The agents of plugins bring no hooks in Claude Code.
    assert!(scope(&own, "claude", "plugin").unwrap().contains("a plugin's agents are ignored"));
    assert_eq!(scope(&own, "qwen", "plugin"), None);
    // Qwen's `Stop` stays; in the others it is the end of the subagent.
    let events: Vec<(&str, String)> = own.list().into_iter().map(|hook| (hook.dialect, hook.event)).collect();
    let event = |dialect: &str| events.iter().find(|(own, _)| *own == dialect).unwrap().1.clone();
    assert_eq!((event("qwen"), event("codebuddy")), ("Stop".to_owned(), "SubagentStop".to_owned()));
}

#[test]
fn without_trust_each_dialect_holds_back_what_it_would() {
    let dir = TempDir::new();
    let folder = plugin(&dir, |_| "exit 2".to_owned());
    let plugins: Vec<Value> =
        DIALECTS.iter().map(|dialect| json!({"path": folder, "dialect": dialect})).collect();
    let engine = engine("qwen", json!({"trusted": false, "plugins": plugins}));
    for dialect in DIALECTS {
        register(&engine, "s", dialect, &guard(dialect, "exit 2"));
    }
    for dialect in WITH_FRONTMATTER {
        for source in ["builtin", "project"] {
            let mut scope = agent(dialect, &guard(dialect, "exit 2"));
            scope["source"] = json!(source);
            open(&engine, &scope);
        }
    }
    let held: Vec<(&str, String)> = engine
        .list()
        .into_iter()
        .filter(|hook| !hook.enabled)
        .map(|hook| (hook.dialect, hook.origin.scope))
        .collect();
    let scope = |dialect: &'static str, name: &str| (dialect, name.to_owned());
    // Claude Code runs nothing but managed hooks; the others everything but what lies in the project.
    let all = ["session", "extension", "agent", "agent"].map(|name| scope("claude", name));
    let wanted: Vec<(&str, String)> =
        [scope("qwen", "agent"), scope("codebuddy", "agent")].into_iter().chain(all).collect();
    let sorted = |mut list: Vec<(&'static str, String)>| {
        list.sort();
        list
    };
    assert_eq!(sorted(held), sorted(wanted));
    assert_eq!(
        dispatch(&engine, &call("qwen", "s")).hooks.iter().filter(|hook| hook.dialect == "claude").count(),
        0
    );
}

#[test]
fn the_switches_of_a_dialect_count_for_all_its_hooks() {
    let dir = TempDir::new();
    let folder = plugin(&dir, |_| "exit 2".to_owned());
    let enabled = |more: Value, dialect: &str| -> Vec<bool> {
        let mut options = json!({"plugins": [{"path": folder, "dialect": dialect}]});
        options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let host = engine("gemini", options);
        register(&host, "s", dialect, &guard(dialect, "exit  2"));
        open(&host, &agent(dialect, &guard(dialect, "exit   2")));
        let ran = dispatch(&host, &call("gemini", "s")).hooks.len();
        let listed: Vec<bool> = host.list().into_iter().map(|hook| hook.enabled).collect();
        assert_eq!(listed.iter().filter(|enabled| **enabled).count(), ran);
        listed
    };
    let off = |dialect: &str, key: &str, scope: &str| json!({"settings": [{"dialect": dialect, "scope": scope, "settings": {key: true}}]});
    for dialect in WITH_FRONTMATTER {
        assert_eq!(enabled(json!({}), dialect), [true; 3], "{dialect}");
        assert_eq!(enabled(off(dialect, "disableAllHooks", "user"), dialect), [false; 3], "{dialect}");
        // The switch of another dialect is none.
        let other = if dialect == "claude" { "qwen" } else { "claude" };
        assert_eq!(enabled(off(other, "disableAllHooks", "user"), dialect), [true; 3], "{dialect}");
    }
    // With it only managed hooks run, and what the host itself brings: here the registered ones.
    let only_managed = enabled(off("claude", "allowManagedHooksOnly", "managed"), "claude");
    assert_eq!(only_managed.iter().filter(|enabled| **enabled).count(), 1);
    // The environment may switch off a dialect that no settings are of.
    let path = std::env::var("PATH").unwrap();
    let safe = json!({"env": {"PATH": path, "QWEN_CODE_SAFE_MODE": "1"}});
    assert_eq!(enabled(safe.clone(), "qwen"), [false; 3]);
    assert_eq!(enabled(safe.clone(), "claude"), [true; 3]);
    // Nothing but what is registered is of this dialect.
    let host = engine("gemini", safe);
    let off = register(&host, "s", "qwen", &guard("qwen", "exit 2")).diagnostics;
    assert_eq!(codes(&off), [Code::HooksDisabled]);
    assert!(off[0].message.contains("QWEN_CODE_SAFE_MODE"), "{off:?}");
    assert_eq!(dispatch(&host, &call("gemini", "s")).decision, Decision::None);
}

#[test]
fn a_reload_keeps_what_was_registered_and_reads_each_plugin_by_its_dialect() {
    let dir = TempDir::new();
    let folder = plugin(&dir, |dialect| format!("echo {dialect} >&2; exit 2"));
    let entry = |dialect: &str| json!({"path": folder, "dialect": dialect});
    let host = engine("gemini", json!({"plugins": [entry("claude"), entry("codex")]}));
    register(&host, "s", "qwen", &guard("qwen", "echo early >&2; exit 2"));
    open(&host, &agent("codebuddy", &guard("codebuddy", "echo scope >&2; exit 2")));
    assert!(host.changes().is_empty(), "{:?}", host.changes());
    for dialect in ["claude", "codex"] {
        let manifest = MANIFESTS.iter().find(|(name, _)| *name == dialect).unwrap().1;
        let text =
            json!({"name": "new", "hooks": guard(dialect, &format!("echo new-{dialect} >&2; exit 2"))});
        dir.file(&format!("plugin/{manifest}"), text.to_string());
    }
    let changes = host.reload().unwrap();
    assert_eq!((changes.files.len(), changes.changed.len(), changes.added.len()), (2, 2, 0), "{changes:?}");
    register(&host, "s", "zcode", &guard("zcode", "echo late >&2; exit 2"));
    let outcome = dispatch(&host, &call("gemini", "s"));
    let ran: Vec<(&str, &str)> =
        outcome.hooks.iter().map(|hook| (hook.dialect, hook.reason.as_deref().unwrap())).collect();
    assert_eq!(
        ran,
        [
            ("claude", "new-claude"),
            ("codex", "new-codex"),
            ("qwen", "early"),
            ("codebuddy", "scope"),
            ("zcode", "late")
        ]
    );
    // A manifest that breaks keeps the set that was there.
    dir.file("plugin/.codex-plugin/plugin.json", "{");
    let error = host.reload().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidSettings);
    assert!(error.place().path.as_deref().unwrap().ends_with(".codex-plugin/plugin.json"), "{error}");
    assert_eq!(dispatch(&host, &call("gemini", "s")).hooks.len(), 5);
}

/// One file may hold hooks of two dialects: what becomes of the one is not told of the other.
#[test]
fn changes_and_grants_tell_the_dialects_apart() {
    let dir = TempDir::new();
    let group =
        |timeout: u32| json!([{"hooks": [{"type": "command", "command": "exit 2", "timeout": timeout}]}]);
    let shared = |timeout: u32| {
        dir.file("plugin/hooks/hooks.json", json!({"hooks": {"PreToolUse": group(timeout)}}).to_string());
    };
    shared(5);
    let plugins =
        ["codex", "claude"].map(|dialect| json!({"path": dir.path().join("plugin"), "dialect": dialect}));
    let host = engine("qwen", json!({"plugins": plugins}));
    // Codex does not read the shared file any more, and Claude Code reads another time limit in it.
    shared(7);
    dir.file(
        "plugin/.codex-plugin/plugin.json",
        json!({"name": "plugin", "hooks": {"Stop": group(5)}}).to_string(),
    );
    let changes = host.changes();
    let dialects = |list: &[crosshook::Listing]| list.iter().map(|hook| hook.dialect).collect::<Vec<_>>();
    assert_eq!(dialects(&changes.removed), ["codex"], "{changes:?}");
    assert_eq!((changes.changed[0].before.dialect, changes.changed[0].after.dialect), ("claude", "claude"));

    let both = json!({"hooks": {"enabled": true, "events": guard("zcode", "one"), "PreToolUse": group(5)}});
    let file = dir.file("both.json", both.to_string());
    let sources =
        ["zcode", "codebuddy"].map(|dialect| json!({"dialect": dialect, "scope": "project", "path": file}));
    let host = engine("qwen", json!({"trusted": false, "settings": sources}));
    assert_eq!(host.list().len(), 2, "{:?}", host.list());
    let wanted = host.wanted_grants();
    assert_eq!((wanted.len(), dialects(&wanted[0].hooks)), (1, vec!["zcode"]), "{wanted:?}");
}

/// The same text in two dialects is two hooks, wherever one of them counts only once.
#[test]
fn once_and_lasting_skills_are_counted_by_dialect() {
    let hook = json!({"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2", "once": true}]}]});
    let skill = |dialect: &str| {
        let mut scope = agent(dialect, &hook);
        scope["owner"] = json!("skill");
        scope
    };
    let host = engine("codebuddy", json!({}));
    let ids = ["claude", "qwen", "claude"].map(|dialect| open(&host, &skill(dialect))["id"].clone());
    assert_ne!(ids[0], ids[1]);
    assert_eq!(ids[0], ids[2], "it is open already");
    let statuses = |outcome: Outcome| -> Vec<(&'static str, Decision)> {
        outcome.hooks.iter().map(|hook| (hook.dialect, hook.decision)).collect()
    };
    assert_eq!(
        statuses(dispatch(&host, &call("codebuddy", "s"))),
        [("claude", Decision::Deny), ("qwen", Decision::Deny)]
    );
    assert_eq!(dispatch(&host, &call("codebuddy", "s")).decision, Decision::None, "they have had their run");
}

#[test]
fn what_is_removed_while_an_event_is_under_way_still_counts_for_it() {
    let dir = TempDir::new();
    let (started, go) = (dir.path().join("started"), dir.path().join("go"));
    let line = format!(
        "touch '{}'; until [ -e '{}' ]; do sleep 0.01; done; echo no >&2; exit 2",
        started.display(),
        go.display()
    );
    let host = engine("qwen", json!({}));
    let ids = [
        register(&host, "s", "gemini", &guard("gemini", &line)).id,
        open(&host, &agent("claude", &guard("claude", &line)))["id"].as_str().unwrap().to_owned(),
    ];
    let under_way = std::thread::spawn({
        let host = host.clone();
        move || dispatch(&host, &call("qwen", "s"))
    });
    while !started.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(ids.map(|id| host.unregister(&id)), [true, true]);
    assert_eq!(dispatch(&host, &call("qwen", "s")).hooks.len(), 0);
    std::fs::write(go, "").unwrap();
    let outcome = under_way.join().unwrap();
    assert_eq!((outcome.decision, outcome.hooks.len()), (Decision::Deny, 2));
}

#[test]
fn a_scope_in_rust_names_its_dialect_too() {
    use crosshook::{FrontmatterOwner, FrontmatterSource, PluginSource};
    let dir = TempDir::new();
    let mut options = Options::new("qwen");
    options.discover = Some(false);
    let mut source = PluginSource::new(plugin(&dir, |_| "exit 2".to_owned()));
    source.dialect = Some("gemini".to_owned());
    options.plugins.push(source);
    let engine = Engine::new(options).unwrap();
    let text = agent("claude", &guard("claude", "exit 2"))["text"].as_str().unwrap().to_owned();
    let mut scope = FrontmatterScope::new(FrontmatterOwner::Agent, FrontmatterSource::User, text);
    scope.dialect = Some("claude".to_owned());
    assert_eq!(engine.open_scope(&scope).unwrap().hooks, 1);
    let dialects: Vec<&str> = engine.list().into_iter().map(|hook| hook.dialect).collect();
    assert_eq!(dialects, ["gemini", "claude"]);
    scope.dialect = Some("cursor".to_owned());
    assert_eq!(engine.open_scope(&scope).unwrap_err().kind(), ErrorKind::InvalidOptions);
}
