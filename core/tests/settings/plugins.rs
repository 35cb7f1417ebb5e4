//! Plugins and extensions.

use std::path::Path;

use crosshook::{Code, Diagnostic, Engine, ErrorKind, Level, PluginSource, Scope};
use serde_json::{Value, json};

use crate::support::TempDir;
use crate::{codes, command, event, labels, options, running, settings, shown};

fn hooks(line: &str) -> Value {
    json!({"UserPromptSubmit": [{"hooks": [command(line)]}]})
}

fn wrapped(line: &str) -> String {
    json!({"description": "what it is for", "hooks": hooks(line)}).to_string()
}

fn engine(dialect: &str, dir: &TempDir, plugin: &Path) -> Engine {
    Engine::new(options(dialect, dir).plugin(plugin)).unwrap()
}

fn found(engine: &Engine) -> Vec<(Level, Code)> {
    engine.diagnostics().iter().map(|Diagnostic { level, code, .. }| (*level, *code)).collect()
}

/// The contexts that a prompt gets.
fn contexts(engine: &Engine) -> Vec<String> {
    let outcome = engine.dispatch_blocking(event("UserPromptSubmit", Path::new("/"))).unwrap();
    outcome.additional_context
}

#[test]
fn the_dialects_own_manifest_comes_first() {
    for (dialect, manifests) in [
        (
            "codebuddy",
            [".codebuddy-plugin/plugin.json", ".workbuddy-plugin/plugin.json", ".claude-plugin/plugin.json"]
                .as_slice(),
        ),
        ("zcode", &[".zcode-plugin/plugin.json", ".claude-plugin/plugin.json"]),
        ("qwen", &["qwen-extension.json", ".claude-plugin/plugin.json"]),
    ] {
        let dir = TempDir::new();
        for at in 0..manifests.len() {
            for (index, manifest) in manifests.iter().enumerate() {
                let path = format!("plugin/{manifest}");
                let _ = std::fs::remove_file(dir.path().join(&path));
                if index >= at {
                    let text = json!({"name": manifest, "hooks": hooks(manifest)});
                    dir.file(&path, text.to_string());
                }
            }
            let engine = engine(dialect, &dir, &dir.path().join("plugin"));
            assert_eq!(running(&engine), [manifests[at]], "{dialect}");
            let origin = &engine.list()[0].origin;
            assert_eq!(origin.plugin.as_deref(), Some(manifests[at]));
            assert_eq!((origin.scope.as_str(), origin.line), ("extension", Some(1)));
        }
    }
}

#[test]
fn hooks_of_the_manifest_add_to_the_standard_file() {
    let dir = TempDir::new();
    let manifest = json!({"name": "p", "hooks": [
        "./more/hooks.json", hooks("inline"), {"hooks": hooks("wrapped")}, "hooks/hooks.json", "./more/../more/hooks.json", 7
    ]});
    dir.file("plugin/.zcode-plugin/plugin.json", manifest.to_string());
    dir.file("plugin/hooks/hooks.json", wrapped("standard"));
    dir.file("plugin/more/hooks.json", wrapped("more"));
    let engine = engine("zcode", &dir, &dir.path().join("plugin"));
    assert_eq!(running(&engine), ["standard", "more", "inline", "wrapped"]);
    let twice = (Level::Warning, Code::PluginHookInvalid);
    assert_eq!(found(&engine), [twice, twice, (Level::Error, Code::PluginHookInvalid)]);
    let place = engine.diagnostics()[0].origin.clone().unwrap();
    assert_eq!(place.pointer.as_deref(), Some("/hooks/3"));
}

#[test]
fn zcodes_plugin_hooks_need_no_switch_and_come_last() {
    let dir = TempDir::new();
    dir.file("plugin/hooks/hooks.json", wrapped("plugin"));
    let file = json!({"hooks": {"events": hooks("user")}}).to_string();
    let with = |settings: String| {
        let options = options("zcode", &dir).settings_text(Some(Scope::User), settings);
        running(&Engine::new(options.plugin(dir.path().join("plugin"))).unwrap())
    };
    assert_eq!(with(file), ["plugin"]);
    assert_eq!(with(settings("zcode", "UserPromptSubmit", "user")), ["user", "plugin"]);
}

#[test]
fn paths_that_leave_the_plugin_are_refused() {
    let dir = TempDir::new();
    let outside = dir.file("outside.json", wrapped("outside"));
    std::fs::create_dir_all(dir.path().join("plugin/linked")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&outside, dir.path().join("plugin/linked/hooks.json")).unwrap();
    let manifest = json!({"name": "p", "hooks": [
        "../outside.json", "a/../../outside.json", shown(&outside), "linked/hooks.json", "./missing.json"
    ]});
    dir.file("plugin/.claude-plugin/plugin.json", manifest.to_string());
    for dialect in ["codebuddy", "zcode", "qwen"] {
        let engine = engine(dialect, &dir, &dir.path().join("plugin"));
        assert!(labels(&engine).is_empty(), "{dialect}");
        let refused = (Level::Error, Code::PluginComponentPathInvalid);
        let missing = (Level::Error, Code::PluginHookReadFailed);
        assert_eq!(found(&engine), [refused, refused, refused, refused, missing], "{dialect}");
    }
    #[cfg(unix)]
    {
        std::fs::create_dir_all(dir.path().join("sly/hooks")).unwrap();
        std::os::unix::fs::symlink(&outside, dir.path().join("sly/hooks/hooks.json")).unwrap();
        let engine = engine("codebuddy", &dir, &dir.path().join("sly"));
        assert_eq!(found(&engine), [(Level::Error, Code::PluginComponentPathInvalid)]);
    }
}

#[test]
fn broken_hooks_of_a_plugin_leave_the_rest() {
    let dir = TempDir::new();
    let manifest = json!({"name": "p", "hooks": ["./bad.json", "./list.json", "./event.json"]});
    dir.file("plugin/.zcode-plugin/plugin.json", manifest.to_string());
    dir.file("plugin/hooks/hooks.json", wrapped("standard"));
    dir.file("plugin/bad.json", "{\"hooks\":\n oops}");
    dir.file("plugin/list.json", hooks("bare").to_string());
    let odd =
        json!({"hooks": {"PreCompact": [], "Stop": {}, "UserPromptSubmit": [{"hooks": [command("kept")]}]}});
    dir.file("plugin/event.json", odd.to_string());
    let engine = engine("zcode", &dir, &dir.path().join("plugin"));
    assert_eq!(running(&engine), ["standard", "kept"]);
    assert_eq!(
        found(&engine),
        [
            (Level::Error, Code::PluginHookReadFailed),
            (Level::Error, Code::PluginHookInvalid),
            (Level::Warning, Code::PluginHookUnsupportedEvent),
            (Level::Error, Code::PluginHookInvalid),
        ]
    );
    assert_eq!(engine.diagnostics()[0].origin.as_ref().unwrap().line, Some(2));
}

#[test]
fn qwen_takes_the_bare_map_too() {
    let dir = TempDir::new();
    dir.file("plugin/hooks/hooks.json", hooks("bare").to_string());
    assert_eq!(running(&engine("qwen", &dir, &dir.path().join("plugin"))), ["bare"]);
}

#[test]
fn a_folder_or_manifest_that_cannot_be_read_is_refused() {
    let dir = TempDir::new();
    let refused = |path: &str| {
        let error = Engine::new(options("qwen", &dir).plugin(dir.path().join(path))).unwrap_err();
        (error.kind(), error.place().path.clone().unwrap())
    };
    assert_eq!(refused("missing"), (ErrorKind::Io, shown(dir.path().join("missing"))));
    let file = dir.file("file", "");
    assert_eq!(refused("file"), (ErrorKind::Io, shown(file)));
    let manifest = dir.file("plugin/qwen-extension.json", "{");
    assert_eq!(refused("plugin"), (ErrorKind::InvalidSettings, shown(manifest)));
    let empty = dir.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    assert_eq!(found(&engine("qwen", &dir, &empty)), [(Level::Error, Code::PluginInvalid)]);
}

#[test]
fn a_disabled_plugin_is_listed_and_does_not_run() {
    let dir = TempDir::new();
    dir.file("plugin/hooks/hooks.json", wrapped("x"));
    let mut options = options("codebuddy", &dir);
    let mut plugin = PluginSource::new(dir.path().join("plugin"));
    plugin.enabled = false;
    options.plugins.push(plugin);
    let engine = Engine::new(options).unwrap();
    assert_eq!((labels(&engine).len(), running(&engine).len()), (1, 0));
    assert_eq!(engine.list()[0].why_not.as_deref(), Some("the plugin plugin is not enabled"));
    assert_eq!(codes(&engine.diagnostics()), [Code::HooksDisabled]);
}

/// A folder whose name would break or be run by a careless shell line.
const NASTY: &str = "a b'\"$(touch pwned)`touch pwned`;*";

#[cfg(unix)]
#[test]
fn variables_hold_the_exact_paths_whatever_is_in_them() {
    for (dialect, root, data) in [
        ("codebuddy", "CODEBUDDY_PLUGIN_ROOT", "CODEBUDDY_PLUGIN_DATA"),
        ("zcode", "ZCODE_PLUGIN_ROOT", "ZCODE_PLUGIN_DATA"),
    ] {
        let dir = TempDir::new();
        let plugin = dir.path().join(NASTY);
        let answer = r#"printf '{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"%s"}}' ran"#;
        dir.file(&format!("{NASTY}/run.sh"), format!("#!/bin/sh\n{answer}\n"));
        let script = plugin.join("run.sh");
        std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let seen = dir.path().join("seen");
        let mut list = vec![
            command(&format!("${{{root}}}/run.sh")),
            command(&format!("\"${{{root}}}\"/run.sh")),
            command(&format!("'${{{root}}}/run.sh'")),
            command("\"$CLAUDE_PLUGIN_ROOT\"/run.sh"),
            command(&format!(
                "printf '%s|%s|%s' ${{{root}}} \"${{{data}}}\" '${{CLAUDE_PLUGIN_DATA}}' > '{}'",
                shown(&seen)
            )),
        ];
        if dialect == "zcode" {
            let program = format!("${{{root}}}/run.sh");
            list.push(json!({"type": "process", "command": program, "args": []}));
        }
        let runs = if dialect == "zcode" { 5 } else { 4 };
        let text = json!({"hooks": {"UserPromptSubmit": [{"hooks": list}]}}).to_string();
        dir.file(&format!("{NASTY}/hooks/hooks.json"), text);
        let engine = engine(dialect, &dir, &plugin);
        assert_eq!(contexts(&engine), vec!["ran"; runs], "{dialect}");
        let folder: String = NASTY.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let data = shown(dir.path().join(format!("home/.{dialect}/plugins/data/{folder}")));
        assert_eq!(std::fs::read_to_string(&seen).unwrap(), format!("{}|{data}|{data}", shown(&plugin)));
        assert!(Path::new(&data).is_dir(), "the folder for its data is there");
        assert!(!dir.path().join("project/pwned").exists() && !Path::new("/pwned").exists());
    }
}

#[cfg(unix)]
#[test]
fn process_arguments_hold_the_paths_as_plain_text() {
    let dir = TempDir::new();
    let plugin = dir.path().join(NASTY);
    let seen = dir.path().join("seen");
    let hook = json!({"type": "process", "command": "/bin/sh", "args": [
        "-c", "printf '%s|%s|%s' \"$1\" \"$ZCODE_PLUGIN_ID\" \"$ZCODE_PLUGIN_NAME\" > \"$2\"", "sh",
        "${ZCODE_PLUGIN_ROOT}/x ${ZCODE_PLUGIN_ID} ${OTHER}", shown(&seen)
    ]});
    dir.file(&format!("{NASTY}/.zcode-plugin/plugin.json"), json!({"name": "the name"}).to_string());
    let text = json!({"hooks": {"UserPromptSubmit": [{"hooks": [hook]}]}}).to_string();
    dir.file(&format!("{NASTY}/hooks/hooks.json"), text);
    let mut options = options("zcode", &dir);
    let mut source = PluginSource::new(&plugin);
    source.id = Some("name@market".into());
    options.plugins.push(source);
    contexts(&Engine::new(options).unwrap());
    let expected = format!("{}/x ${{ZCODE_PLUGIN_ID}} ${{OTHER}}|name@market|the name", shown(&plugin));
    assert_eq!(std::fs::read_to_string(&seen).unwrap(), expected, "id and name are exported, not replaced");
}

#[cfg(unix)]
#[test]
fn codebuddys_plugin_options_reach_hooks() {
    let dir = TempDir::new();
    let seen = dir.path().join("seen");
    let line = format!(
        "printf '%s|%s' ${{user_config.token}} \"$CODEBUDDY_PLUGIN_OPTION_TOKEN\" > '{}'",
        shown(&seen)
    );
    dir.file("plugin/hooks/hooks.json", wrapped(&line));
    let json = json!({"dialect": "codebuddy", "home": dir.path(), "projectDir": dir.path(), "settings": [],
        "plugins": [{"path": dir.path().join("plugin"), "options": {"token": "a b"}}]});
    contexts(&Engine::from_json(&json.to_string()).unwrap());
    assert_eq!(std::fs::read_to_string(&seen).unwrap(), "a b|a b");
}

#[test]
fn two_plugins_with_the_same_text_are_two_hooks() {
    for dialect in ["codebuddy", "qwen"] {
        let dir = TempDir::new();
        let line = "cat \"${CLAUDE_PLUGIN_ROOT}/word\"";
        for name in ["a", "b"] {
            dir.file(&format!("{name}/hooks/hooks.json"), wrapped(line));
            dir.file(&format!("{name}/word"), name);
        }
        let options = options(dialect, &dir).plugin(dir.path().join("a")).plugin(dir.path().join("b"));
        assert_eq!(contexts(&Engine::new(options).unwrap()), ["a", "b"], "{dialect}");
    }
}

#[test]
fn a_variable_limits_codebuddys_plugins_to_commands() {
    let dir = TempDir::new();
    let list =
        json!([command("exit 0"), {"type": "prompt", "prompt": "?"}, {"type": "http", "url": "http://x/"}]);
    let text = json!({"hooks": {"Stop": [{"hooks": list}]}}).to_string();
    dir.file("plugin/hooks/hooks.json", &text);
    let with = |value: &str| {
        let mut options = options("codebuddy", &dir).settings_text(Some(Scope::User), text.clone());
        options.env.as_mut().unwrap().insert("CODEBUDDY_DISABLE_EXTENDED_PLUGIN_HOOKS".into(), value.into());
        let engine = Engine::new(options.plugin(dir.path().join("plugin"))).unwrap();
        (running(&engine).len(), codes(&engine.diagnostics()))
    };
    assert_eq!(with("0"), (6, vec![]));
    for value in ["1", "true"] {
        assert_eq!(with(value), (4, vec![Code::HooksDisabled; 2]), "{value}: the user's own are not touched");
    }
}

#[test]
fn a_plugins_copy_of_a_users_hook_stays_apart() {
    let dir = TempDir::new();
    dir.file("plugin/hooks/hooks.json", wrapped("printf x"));
    let user = settings("codebuddy", "UserPromptSubmit", "printf x");
    let options = options("codebuddy", &dir)
        .settings_text(Some(Scope::User), user.clone())
        .settings_text(Some(Scope::Project), user)
        .plugin(dir.path().join("plugin"));
    assert_eq!(
        contexts(&Engine::new(options).unwrap()),
        ["x", "x"],
        "one for both files, one for the plugin"
    );
}
