//! Drift, reload and what the host registers.

use crosshook::{Code, Engine, ErrorKind, FileFate, Scope};
use serde_json::{Value, json};

use crate::support::TempDir;
use crate::{codes, command, event, options, running, settings, shown};

const PROJECT: &str = "project/.codebuddy/settings.json";

fn three(lines: [&str; 3]) -> String {
    let hooks: Vec<Value> = lines.iter().map(|line| command(line)).collect();
    json!({"hooks": {"Stop": [{"hooks": hooks}]}}).to_string()
}

#[test]
fn changes_are_shown_and_taken_over_in_one_step() {
    let dir = TempDir::new();
    let project = dir.file(PROJECT, three(["a", "b", "c"]));
    let user = dir.file("home/.codebuddy/settings.json", settings("codebuddy", "Stop", "user"));
    let engine = Engine::new(options("codebuddy", &dir)).unwrap();
    assert!(engine.changes().is_empty(), "{:?}", engine.changes());
    // `a` stays, though it moves; `b` gets a timeout; the third place has another command; a file goes, one comes.
    let text = json!({"hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": "b", "timeout": 5}, command("a"), command("d")]}]}});
    dir.file(PROJECT, text.to_string());
    std::fs::remove_file(&user).unwrap();
    let local = dir.file("project/.codebuddy/settings.local.json", settings("codebuddy", "Stop", "local"));
    let changes = engine.changes();
    let files: Vec<(String, FileFate)> =
        changes.files.iter().map(|file| (file.path.clone(), file.change)).collect();
    assert_eq!(
        files,
        [
            (shown(&user), FileFate::Removed),
            (shown(&project), FileFate::Changed),
            (shown(&local), FileFate::Added)
        ]
    );
    let names = |hooks: &[crosshook::Listing]| -> Vec<String> {
        hooks.iter().map(|hook| hook.label.clone()).collect()
    };
    assert_eq!(names(&changes.added), ["local"]);
    assert_eq!(names(&changes.removed), ["user"]);
    let pairs: Vec<(String, String)> = changes
        .changed
        .iter()
        .map(|change| (change.before.label.clone(), change.after.label.clone()))
        .collect();
    assert_eq!(pairs, [("b".into(), "b".into()), ("c".into(), "d".into())]);
    assert_eq!((changes.changed[0].before.timeout, changes.changed[0].after.timeout), (60.0, 5.0));
    assert_eq!(running(&engine), ["user", "a", "b", "c"], "looking changes nothing");

    let taken = engine.reload().unwrap();
    assert_eq!((taken.files, taken.changed.len()), (changes.files, 2));
    assert_eq!(running(&engine), ["b", "a", "d", "local"]);
    assert!(engine.changes().is_empty());
    let json: Value = serde_json::from_str(&engine.reload_json().unwrap()).unwrap();
    assert_eq!(json, json!({"files": [], "added": [], "changed": [], "removed": [], "diagnostics": []}));
}

#[test]
fn a_broken_file_keeps_the_whole_old_set() {
    let dir = TempDir::new();
    dir.file(PROJECT, settings("codebuddy", "Stop", "project"));
    let user = dir.file("home/.codebuddy/settings.json", settings("codebuddy", "Stop", "user"));
    let engine = Engine::new(options("codebuddy", &dir)).unwrap();
    dir.file(PROJECT, settings("codebuddy", "Stop", "new"));
    std::fs::write(&user, "{\n oops").unwrap();
    let changes = engine.changes();
    let broken = changes.files.iter().find(|file| file.path == shown(&user)).unwrap();
    assert_eq!((broken.change, codes(&changes.diagnostics)), (FileFate::Broken, vec![Code::InvalidSettings]));
    let error = engine.reload().unwrap_err();
    assert_eq!((error.kind(), error.place().path.clone()), (ErrorKind::InvalidSettings, Some(shown(&user))));
    assert_eq!(running(&engine), ["user", "project"]);
    std::fs::write(&user, settings("codebuddy", "Stop", "user")).unwrap();
    engine.reload().unwrap();
    assert_eq!(running(&engine), ["user", "new"]);
}

#[test]
fn a_named_file_that_is_gone_keeps_the_old_set() {
    let dir = TempDir::new();
    let file = dir.file("s.json", settings("codebuddy", "Stop", "x"));
    let engine = Engine::new(options("codebuddy", &dir).settings_file(Some(Scope::User), &file)).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(codes(&engine.changes().diagnostics), [Code::SettingsUnreadable]);
    assert_eq!(engine.reload().unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(running(&engine), ["x"]);
}

#[test]
fn qwen_keeps_the_system_files_alone_when_one_of_them_breaks() {
    let dir = TempDir::new();
    let system = dir.file("system/settings.json", settings("qwen", "Stop", "system"));
    dir.file("system/system-defaults.json", settings("qwen", "Stop", "defaults"));
    dir.file("project/.qwen/settings.json", settings("qwen", "Stop", "project"));
    let engine = Engine::new(options("qwen", &dir)).unwrap();
    dir.file("project/.qwen/settings.json", settings("qwen", "Stop", "new"));
    dir.file("system/system-defaults.json", settings("qwen", "Stop", "new defaults"));
    std::fs::write(&system, "no json").unwrap();
    let taken = engine.reload().unwrap();
    assert_eq!(running(&engine), ["new", "defaults", "system"], "both system files stay as they were");
    assert_eq!(codes(&taken.diagnostics), [Code::ReloadKept]);
    assert!(taken.diagnostics[0].message.contains("stay as they were"));
    let outcome = engine.dispatch_blocking(event("Stop", dir.path())).unwrap();
    assert!(codes(&outcome.diagnostics).contains(&Code::ReloadKept));
    dir.file("project/.qwen/settings.json", "no json");
    assert_eq!(engine.reload().unwrap_err().kind(), ErrorKind::InvalidSettings);
    assert_eq!(running(&engine), ["new", "defaults", "system"]);
}

#[test]
fn qwen_takes_over_hooks_but_no_switches() {
    let dir = TempDir::new();
    let file = "project/.qwen/settings.json";
    dir.file(file, settings("qwen", "Stop", "old"));
    let engine = Engine::new(options("qwen", &dir)).unwrap();
    let text = json!({"disableAllHooks": true, "hooks": {"Stop": [{"hooks": [command("new")]}]}}).to_string();
    dir.file(file, text);
    assert_eq!(codes(&engine.reload().unwrap().diagnostics), [Code::ReloadKept]);
    assert_eq!(running(&engine), ["new"]);
    assert!(running(&Engine::new(options("qwen", &dir)).unwrap()).is_empty());
}

#[test]
fn a_dispatch_in_flight_keeps_its_set() {
    let dir = TempDir::new();
    let (go, started) = (dir.path().join("go"), dir.path().join("started"));
    let wait = format!(
        "touch '{}'; while ! test -e '{}'; do sleep 0.02; done; printf '{{}}'; exit 2",
        shown(&started),
        shown(&go)
    );
    let file = dir.file(PROJECT, settings("codebuddy", "Stop", &wait));
    let engine = Engine::new(options("codebuddy", &dir)).unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    let _run = engine.start(event("Stop", dir.path()), move |outcome| sender.send(outcome).unwrap());
    while !started.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    std::fs::write(&file, settings("codebuddy", "Stop", "exit 0")).unwrap();
    engine.reload().unwrap();
    assert_eq!(engine.dispatch_blocking(event("Stop", dir.path())).unwrap().hooks[0].label, "exit 0");
    std::fs::write(&go, "").unwrap();
    let outcome = receiver.recv().unwrap().unwrap();
    assert_eq!((outcome.hooks[0].label.as_str(), outcome.hooks[0].exit_code), (wait.as_str(), Some(2)));
}

#[test]
fn registered_hooks_run_for_their_session_until_they_are_removed() {
    let dir = TempDir::new();
    for dialect in ["codebuddy", "zcode", "qwen"] {
        let engine = Engine::new(options(dialect, &dir)).unwrap();
        // ZCode's switch is for files: what the host registers is meant to run.
        let text = settings(dialect, "Stop", "exit 0").replace("\"enabled\":true,", "");
        let one = engine.register("one", &text).unwrap();
        let two = engine.register("two", &text.replace("exit 0", "exit 0 # 2")).unwrap();
        assert_ne!(one.id, two.id);
        assert_eq!((one.hooks, one.diagnostics.len()), (1, 0));
        let ran = |session: &str| -> Vec<String> {
            let event = json!({"hook_event_name": "Stop", "session_id": session, "cwd": "/"}).to_string();
            engine.dispatch_blocking(event).unwrap().hooks.into_iter().map(|hook| hook.label).collect()
        };
        assert_eq!(
            (ran("one"), ran("two"), ran("x")),
            (vec!["exit 0".into()], vec!["exit 0 # 2".into()], vec![])
        );
        let why = engine.explain(event("Stop", dir.path())).unwrap();
        assert!(why[0].why.contains("session `one`") && why[0].why.contains("`s`"), "{}", why[0].why);
        assert_eq!(why[0].origin.scope, "session");
        engine.reload().unwrap();
        assert_eq!(ran("one"), ["exit 0"], "a reload does not touch it");
        assert!(engine.unregister(&one.id) && !engine.unregister(&one.id));
        assert_eq!((ran("one").len(), ran("two").len()), (0, 1));
    }
}

#[test]
fn registered_settings_are_checked_like_all_others() {
    let dir = TempDir::new();
    let engine = Engine::new(options("codebuddy", &dir)).unwrap();
    assert_eq!(engine.register("s", "[]").unwrap_err().kind(), ErrorKind::InvalidSettings);
    let text = json!({"hooks": {"Stop": [{"hooks": [{"type": "x"}, command("exit 0")]}]}}).to_string();
    let answer: Value = serde_json::from_str(&engine.register_json("s", &text).unwrap()).unwrap();
    assert_eq!(
        (&answer["hooks"], &answer["diagnostics"][0]["code"]),
        (&json!(2), &json!("unknown_hook_type"))
    );
    assert_eq!(codes(&engine.diagnostics()), [Code::UnknownHookType]);
    let outcome = engine.dispatch_blocking(event("Stop", dir.path())).unwrap();
    assert_eq!(codes(&outcome.diagnostics), [Code::UnknownHookType]);
    engine.unregister(answer["id"].as_str().unwrap());
    assert!(engine.diagnostics().is_empty());
}

#[test]
fn a_switch_in_files_holds_for_registered_hooks() {
    let dir = TempDir::new();
    dir.file("home/.qwen/settings.json", r#"{"disableAllHooks": true}"#);
    let engine = Engine::new(options("qwen", &dir)).unwrap();
    let registered = engine.register("s", &settings("qwen", "Stop", "x")).unwrap();
    assert_eq!(codes(&registered.diagnostics), [Code::HooksDisabled]);
    assert!(running(&engine).is_empty());
}

#[test]
fn the_end_of_a_session_takes_its_hooks_along() {
    let dir = TempDir::new();
    let engine = Engine::new(options("codebuddy", &dir)).unwrap();
    let ids = ["one", "two"]
        .map(|session| engine.register(session, &settings("codebuddy", "Stop", session)).unwrap().id);
    assert!(engine.end_session("one") && !engine.end_session("one"));
    assert_eq!(running(&engine), ["two"]);
    assert_eq!(ids.map(|id| engine.unregister(&id)), [false, true]);
}
