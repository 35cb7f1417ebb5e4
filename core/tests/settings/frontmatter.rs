//! Hooks of agents and skills.

use crosshook::{Code, Engine, FrontmatterOwner, FrontmatterScope, FrontmatterSource, Level, Registered};
use serde_json::{Value, json};

use crate::support::TempDir;
use crate::{codes, event, labels, options, running, settings};

const AGENT: &str = "---
name: my-reviewer
description: yes
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: exit 0
          once: true
  Stop:
    - hooks:
        - {type: command, command: 'exit 0'}
---
You review.
";

fn skill(context: &str) -> String {
    AGENT.replace("description: yes", context)
}

fn opened(engine: &Engine, owner: FrontmatterOwner, source: FrontmatterSource, text: &str) -> Registered {
    engine.open_scope(&FrontmatterScope::new(owner, source, text)).unwrap()
}

fn agent(engine: &Engine, source: FrontmatterSource, text: &str) -> Registered {
    opened(engine, FrontmatterOwner::Agent, source, text)
}

fn ran(engine: &Engine, event: &str) -> usize {
    let event = json!({"hook_event_name": event, "session_id": "s", "agent_id": "a", "cwd": "/",
        "tool_name": "Bash", "tool_input": {}});
    engine.dispatch_blocking(event.to_string()).unwrap().hooks.len()
}

#[test]
fn a_built_in_agents_hooks_run_while_its_scope_is_open() {
    let dir = TempDir::new();
    let engine = Engine::new(options("codebuddy", &dir)).unwrap();
    let scope = agent(&engine, FrontmatterSource::Builtin, AGENT);
    assert_eq!((scope.hooks, scope.diagnostics.len()), (2, 0), "{:?}", scope.diagnostics);
    let listed = engine.list();
    let facts: Vec<_> =
        listed.iter().map(|hook| (hook.event.as_str(), hook.once, hook.origin.line)).collect();
    // `Stop` of an agent is the end of the subagent, never of the session.
    assert_eq!(facts, [("PreToolUse", true, Some(8)), ("SubagentStop", false, Some(13))]);
    assert_eq!(listed[0].origin.scope, "agent");
    assert_eq!(listed[0].origin.pointer.as_deref(), Some("/hooks/PreToolUse/0/hooks/0"));
    assert_eq!((ran(&engine, "PreToolUse"), ran(&engine, "SubagentStop"), ran(&engine, "Stop")), (1, 1, 0));
    assert!(engine.close_scope(&scope.id) && !engine.close_scope(&scope.id));
    assert_eq!(ran(&engine, "SubagentStop"), 0);
}

#[test]
fn a_scope_can_be_bound_to_its_agent() {
    let dir = TempDir::new();
    let engine = Engine::new(options("codebuddy", &dir)).unwrap();
    for (agent_id, count) in [("a", 1), ("b", 0)] {
        let scope = json!({"owner": "agent", "source": "builtin", "text": AGENT, "agentId": agent_id});
        let answer: Value =
            serde_json::from_str(&engine.open_scope_json(&scope.to_string()).unwrap()).unwrap();
        assert_eq!(ran(&engine, "SubagentStop"), count, "{agent_id}");
        assert!(engine.close_scope(answer["id"].as_str().unwrap()));
    }
    assert!(engine.open_scope_json(r#"{"owner":"pet","source":"user","text":""}"#).is_err());
}

#[test]
fn the_gate_holds_back_all_that_is_not_built_in() {
    let gate = |value: Option<bool>, place: &str| {
        let dir = TempDir::new();
        if let Some(value) = value {
            dir.file(place, json!({"allowUntrustedFrontmatterHooks": value}).to_string());
        }
        let engine = Engine::new(options("codebuddy", &dir)).unwrap();
        let said = codes(&engine.diagnostics());
        let runs = [FrontmatterSource::User, FrontmatterSource::Project, FrontmatterSource::Plugin].map(|source| {
            let scope = agent(&engine, source, AGENT);
            let runs = !running(&engine).is_empty();
            assert_eq!(labels(&engine).len(), 2, "what is held back is listed");
            if !runs {
                let message = &scope.diagnostics[0].message;
                let wanted = "Frontmatter hooks from agent 'my-reviewer' skipped (source not admin-trusted; enable \
                              `allowUntrustedFrontmatterHooks` in settings to allow)";
                assert_eq!((message.as_str(), scope.diagnostics[0].code), (wanted, Code::FrontmatterSkipped));
            }
            engine.close_scope(&scope.id);
            runs
        });
        (runs, said)
    };
    const USER: &str = "home/.codebuddy/settings.json";
    assert_eq!(gate(None, USER), ([false; 3], vec![]));
    assert_eq!(gate(Some(false), USER), ([false; 3], vec![]));
    assert_eq!(gate(Some(true), USER), ([true; 3], vec![]));
    for place in ["project/.codebuddy/settings.json", "project/.codebuddy/settings.local.json"] {
        let ignored = vec![Code::WorkspaceSettingIgnored];
        assert_eq!(gate(Some(true), place), ([false; 3], ignored), "a project cannot open it for itself");
    }
}

#[test]
fn an_untrusted_projects_agents_stay_back_even_through_an_open_gate() {
    let dir = TempDir::new();
    dir.file("home/.codebuddy/settings.json", r#"{"allowUntrustedFrontmatterHooks": true}"#);
    let mut options = options("codebuddy", &dir);
    options.trusted = Some(false);
    let engine = Engine::new(options).unwrap();
    let scope = agent(&engine, FrontmatterSource::Project, AGENT);
    assert!(running(&engine).is_empty() && scope.diagnostics[0].message.contains("not trusted"));
    agent(&engine, FrontmatterSource::User, AGENT);
    assert_eq!(running(&engine).len(), 2);
}

#[test]
fn skills_need_a_fork_in_codebuddy_and_none_in_qwen() {
    let dir = TempDir::new();
    for (dialect, context, runs) in [
        ("codebuddy", "context: fork", 2),
        ("codebuddy", "context: inline", 0),
        ("codebuddy", "license: MIT", 0),
        ("qwen", "license: MIT", 2),
    ] {
        let engine = Engine::new(options(dialect, &dir)).unwrap();
        opened(&engine, FrontmatterOwner::Skill, FrontmatterSource::Builtin, &skill(context));
        assert_eq!(running(&engine).len(), runs, "{dialect} {context}");
    }
    let engine = Engine::new(options("qwen", &dir)).unwrap();
    opened(&engine, FrontmatterOwner::Skill, FrontmatterSource::User, AGENT);
    let events: Vec<String> = engine.list().into_iter().map(|hook| hook.event).collect();
    assert_eq!(events, ["PreToolUse", "Stop"], "Qwen rewrites nothing");
    let engine = Engine::new(options("zcode", &dir)).unwrap();
    let scope = agent(&engine, FrontmatterSource::Builtin, AGENT);
    assert_eq!((scope.hooks, codes(&scope.diagnostics)), (0, vec![Code::FrontmatterSkipped]));
}

#[test]
fn bad_entries_are_named_one_by_one() {
    let dir = TempDir::new();
    let engine = Engine::new(options("codebuddy", &dir)).unwrap();
    let text = "---
name: x
hooks:
  Stopp:
    - hooks: [{type: command, command: a}]
  SubagentStop:
    - hooks:
        - type: comand
        - type: command
        - type: command
          command: kept
  PreToolUse: nonsense
---
";
    let scope = agent(&engine, FrontmatterSource::Builtin, text);
    assert_eq!(running(&engine), ["kept"]);
    let said: Vec<&str> = scope.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    for (message, start) in said.iter().zip([
        "unknown event 'Stopp'",
        "event 'SubagentStop' invalid: ",
        "event 'SubagentStop' invalid: the hook's `command` is missing",
        "event 'PreToolUse' invalid: ",
    ]) {
        assert!(message.starts_with(start), "{message}");
    }
    let lines: Vec<_> = scope
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.origin.as_ref().unwrap().line.unwrap())
        .collect();
    assert_eq!((said.len(), lines), (4, vec![5, 8, 9, 12]));
}

#[test]
fn yaml_that_cannot_be_read_brings_nothing_and_is_named() {
    let dir = TempDir::new();
    let engine = Engine::new(options("codebuddy", &dir)).unwrap();
    let mut scope = FrontmatterScope::new(
        FrontmatterOwner::Agent,
        FrontmatterSource::Builtin,
        "---\nname: x\nhooks: a: b\n---\n",
    );
    scope.path = Some("/agents/x.md".into());
    let answer = engine.open_scope(&scope).unwrap();
    let diagnostic = &answer.diagnostics[0];
    assert_eq!(
        (answer.hooks, diagnostic.level, diagnostic.code),
        (0, Level::Error, Code::FrontmatterMalformed)
    );
    assert!(diagnostic.message.starts_with("Malformed YAML frontmatter in '/agents/x.md'"));
    assert_eq!(diagnostic.origin.as_ref().unwrap().line, Some(3));
    assert_eq!(codes(&engine.diagnostics()), [Code::FrontmatterMalformed]);
    assert!(engine.close_scope(&answer.id) && engine.diagnostics().is_empty());
    // No frontmatter, or none with hooks, is nothing to talk about.
    for text in ["# Title", "---\nname: x\n---\n", "---\n---\n", ""] {
        let answer = agent(&engine, FrontmatterSource::Builtin, text);
        assert_eq!((answer.hooks, answer.diagnostics.len()), (0, 0), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn a_skills_folder_is_a_variable_of_its_hooks() {
    let dir = TempDir::new();
    for (dialect, name) in [("codebuddy", "CODEBUDDY_SKILL_DIR"), ("qwen", "QWEN_SKILL_ROOT")] {
        let engine = Engine::new(options(dialect, &dir)).unwrap();
        let text = format!(
            "---\ncontext: fork\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: cat ${{{name}}}/word >&2; exit 2\n---\n"
        );
        let path = dir.file("my skills/one/SKILL.md", &text);
        dir.file("my skills/one/word", "from the skill");
        let mut scope = FrontmatterScope::new(FrontmatterOwner::Skill, FrontmatterSource::Builtin, text);
        scope.path = Some(path);
        engine.open_scope(&scope).unwrap();
        let outcome = engine.dispatch_blocking(event("PreToolUse", dir.path())).unwrap();
        assert_eq!(outcome.reason.as_deref(), Some("from the skill"), "{dialect}");
    }
}

#[test]
fn global_hooks_come_first() {
    let dir = TempDir::new();
    dir.file("home/.codebuddy/settings.json", settings("codebuddy", "SubagentStop", "global"));
    let engine = Engine::new(options("codebuddy", &dir)).unwrap();
    agent(&engine, FrontmatterSource::Builtin, AGENT);
    assert_eq!(labels(&engine), ["global", "exit 0", "exit 0"]);
}

#[test]
fn a_lasting_skill_that_is_open_already_is_not_opened_twice() {
    let dir = TempDir::new();
    let engine = Engine::new(options("qwen", &dir)).unwrap();
    let text = skill("license: MIT");
    let first = opened(&engine, FrontmatterOwner::Skill, FrontmatterSource::User, &text);
    let again = opened(&engine, FrontmatterOwner::Skill, FrontmatterSource::User, &text);
    assert_eq!((&again.id, again.hooks, running(&engine).len()), (&first.id, 2, 2));
    let other = opened(
        &engine,
        FrontmatterOwner::Skill,
        FrontmatterSource::User,
        &text.replace("Stop", "PreCompact"),
    );
    assert_ne!(other.id, first.id);
    assert!(engine.close_scope(&first.id));
    assert_eq!(running(&engine).len(), 2);
    // Two agents of one kind may run beside each other; each closes its own scope.
    let engine = Engine::new(options("codebuddy", &dir)).unwrap();
    let ids = [(); 2].map(|()| agent(&engine, FrontmatterSource::Builtin, AGENT).id);
    assert!(engine.close_scope(&ids[0]));
    assert_eq!(running(&engine).len(), 2);
}

#[test]
fn qwen_does_not_compare_a_sessions_hooks_with_the_rest() {
    let dir = TempDir::new();
    dir.file("home/.qwen/settings.json", settings("qwen", "Stop", "exit 0"));
    let engine = Engine::new(options("qwen", &dir)).unwrap();
    engine.register("s", &settings("qwen", "Stop", "exit 0")).unwrap();
    assert_eq!(engine.dispatch_blocking(event("Stop", dir.path())).unwrap().hooks.len(), 2);
}
