//! Scalars beside the hooks, and whose count.

use crosshook::{Code, Engine, Scope};
use serde_json::{Value, json};

use crate::support::TempDir;
use crate::{codes, command, event, options, running};

fn with(dialect: &str, sources: &[(Scope, Value)]) -> Engine {
    let dir = TempDir::new();
    let options = sources.iter().fold(options(dialect, &dir), |options, (scope, settings)| {
        options.settings_text(Some(*scope), settings.to_string())
    });
    Engine::new(options).unwrap()
}

fn off(value: bool) -> Value {
    json!({"disableAllHooks": value, "hooks": {"Stop": [{"hooks": [command("x")]}]}})
}

#[test]
fn the_stronger_scope_switches_hooks_off_and_on() {
    use Scope::{Local, Managed, Project, Session, System, SystemDefaults, User};
    for (dialect, weak, strong) in [
        ("codebuddy", User, Project),
        ("codebuddy", Project, Local),
        ("codebuddy", Local, Session),
        ("codebuddy", Session, Managed),
        ("qwen", SystemDefaults, User),
        ("qwen", User, Project),
        ("qwen", Project, System),
    ] {
        for value in [true, false] {
            let engine = with(dialect, &[(strong, off(value)), (weak, off(!value))]);
            let expected = if value { 0 } else { 2 };
            assert_eq!(running(&engine).len(), expected, "{dialect}: {weak:?} {strong:?} {value}");
        }
    }
}

#[test]
fn a_switch_that_an_untrusted_project_sets_does_not_count() {
    let dir = TempDir::new();
    let mut options =
        options("qwen", &dir).settings_text(Some(Scope::Project), off(true).to_string()).settings_text(
            Some(Scope::User),
            json!({"hooks": {"Stop": [{"hooks": [command("user")]}]}}).to_string(),
        );
    options.trusted = Some(false);
    let engine = Engine::new(options).unwrap();
    assert_eq!(running(&engine), ["user"]);
    assert_eq!(codes(&engine.diagnostics()), [Code::Untrusted]);
}

#[test]
fn qwens_variables_switch_everything_off() {
    for name in ["QWEN_CODE_SAFE_MODE", "QWEN_CODE_SIMPLE"] {
        for (value, runs) in [("1", 0), ("true", 0), ("0", 1), ("", 1)] {
            let dir = TempDir::new();
            let mut options = options("qwen", &dir).settings_text(Some(Scope::User), off(false).to_string());
            options.env.as_mut().unwrap().insert(name.into(), value.into());
            let engine = Engine::new(options).unwrap();
            assert_eq!(running(&engine).len(), runs, "{name}={value}");
            if runs == 0 {
                assert!(engine.list()[0].why_not.as_ref().unwrap().contains(name));
            }
        }
    }
}

fn zcode(enabled: Option<bool>, more: Value, line: &str) -> Value {
    let mut hooks = json!({"events": {"Stop": [{"hooks": [command(line)]}]}});
    if let Some(enabled) = enabled {
        hooks["enabled"] = json!(enabled);
    }
    hooks.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"hooks": hooks})
}

#[test]
fn any_trusted_root_switches_zcodes_hooks_on() {
    let none = json!({});
    let user = (Scope::User, zcode(Some(false), none.clone(), "user"));
    let project = (Scope::Project, zcode(Some(true), none.clone(), "project"));
    assert_eq!(running(&with("zcode", &[user.clone(), project.clone()])), ["user", "project"]);
    let engine = with("zcode", std::slice::from_ref(&user));
    assert!(running(&engine).is_empty());
    assert_eq!(codes(&engine.diagnostics()), [Code::HooksDisabled]);
    // A project that is not trusted switches nothing on.
    let dir = TempDir::new();
    let mut options = options("zcode", &dir)
        .settings_text(Some(Scope::User), user.1.to_string())
        .settings_text(Some(Scope::Project), project.1.to_string());
    options.trusted = Some(false);
    assert!(running(&Engine::new(options).unwrap()).is_empty());
}

#[test]
fn zcodes_numbers_come_from_the_last_root() {
    let engine = with(
        "zcode",
        &[
            (Scope::Project, zcode(None, json!({"timeoutMs": 1500, "maxOutputBytes": -1}), "project")),
            (Scope::User, zcode(Some(true), json!({"timeoutMs": 500, "maxOutputBytes": 4}), "user")),
        ],
    );
    let timeouts: Vec<f64> = engine.list().iter().map(|hook| hook.timeout).collect();
    assert_eq!(timeouts, [1.5, 1.5]);
    assert_eq!(codes(&engine.diagnostics()), [Code::WrongType]);
}

#[test]
fn an_empty_matcher_in_a_workspace_matches_with_a_warning() {
    let settings = |scope| {
        let hooks = json!({"enabled": true, "events": {"PreToolUse": [{"matcher": "", "hooks": [command("exit 0")]}]}});
        let engine = with("zcode", &[(scope, json!({"hooks": hooks}))]);
        let outcome = engine.dispatch_blocking(event("PreToolUse", std::path::Path::new("/"))).unwrap();
        assert_eq!(outcome.hooks.len(), 1);
        codes(&engine.diagnostics())
    };
    assert_eq!(settings(Scope::Project), [Code::EmptyMatcher]);
    assert!(settings(Scope::User).is_empty());
}

#[test]
fn a_workspace_cannot_open_private_networks_or_urls_for_itself() {
    let security = |value: Value| json!({"security": value});
    let warned = |sources: &[(Scope, Value)]| codes(&with("qwen", sources).diagnostics());
    let ignored = [Code::WorkspaceSettingIgnored];
    let project = (Scope::Project, security(json!({"allowPrivateNetworkHooks": true})));
    assert_eq!(warned(std::slice::from_ref(&project)), ignored);
    assert!(warned(&[(Scope::User, project.1)]).is_empty());
    let urls = (Scope::Project, security(json!({"allowedHttpHookUrls": ["https://a/*"]})));
    assert!(warned(std::slice::from_ref(&urls)).is_empty(), "alone a project's list counts");
    for scope in [Scope::User, Scope::System, Scope::SystemDefaults] {
        let above = (scope, security(json!({"allowedHttpHookUrls": []})));
        assert_eq!(warned(&[urls.clone(), above]), ignored, "{scope:?}");
    }
    let wrong =
        (Scope::User, security(json!({"allowedHttpHookUrls": [1], "allowPrivateNetworkHooks": "yes"})));
    assert_eq!(warned(&[wrong]), [Code::WrongType, Code::WrongType]);
}

#[test]
fn keys_in_another_case_are_named() {
    let settings = json!({"Hooks": {}, "disableallhooks": true, "hooks": {"stop": []}});
    let engine = with("codebuddy", &[(Scope::User, settings)]);
    let found = engine.diagnostics();
    assert_eq!(codes(&found), [Code::IgnoredKey, Code::IgnoredKey, Code::UnknownEvent]);
    assert!(found[0].message.contains("write `hooks`") && found[2].message.contains("write `Stop`"));
}

#[test]
fn a_switch_counts_only_from_scopes_that_have_it() {
    let given = json!({"disableAllHooks": true, "security": {"allowPrivateNetworkHooks": true},
        "hooks": {"Stop": [{"hooks": [command("x")]}]}});
    let engine = with("qwen", &[(Scope::Extension, given)]);
    assert_eq!(running(&engine), ["x"], "an extension cannot switch off what others brought");
    assert_eq!(codes(&engine.diagnostics()), [Code::IgnoredKey, Code::WorkspaceSettingIgnored]);
}

#[test]
fn what_cannot_be_used_is_listed_with_the_reason() {
    let hooks =
        json!([{"type": "comand", "command": "a"}, {"type": "command", "name": "b"}, command("c"), 7]);
    let engine = with("codebuddy", &[(Scope::User, json!({"hooks": {"Stop": [{"hooks": hooks}]}}))]);
    let listed = engine.list();
    let facts: Vec<_> = listed.iter().map(|hook| (hook.label.as_str(), hook.kind, hook.enabled)).collect();
    let unusable = ("(unusable)", "unknown", false);
    assert_eq!(facts, [("a", "unknown", false), ("b", "command", false), ("c", "command", true), unusable]);
    let why = engine.explain(event("Stop", std::path::Path::new("/"))).unwrap();
    assert!(why[0].why.contains("no hook type \"comand\""), "{}", why[0].why);
    assert!(why[1].why.contains("`command` is missing"), "{}", why[1].why);
    assert_eq!(why.iter().map(|hook| hook.runs).collect::<Vec<_>>(), [false, false, true, false]);
    let outcome = engine.dispatch_blocking(event("Stop", std::path::Path::new("/"))).unwrap();
    assert_eq!(outcome.hooks.len(), 1);
}
