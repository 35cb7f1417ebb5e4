//! Settings that are large, broken, or mean.

use crosshook::{Code, Engine, ErrorKind, Level, Scope};
use serde_json::{Value, json};

use crate::support::TempDir;
use crate::{codes, command, options, running, settings, shown};

#[test]
fn a_file_of_fifty_megabytes_is_read_and_a_larger_one_than_the_limit_refused() {
    let dir = TempDir::new();
    let big = |size: usize| {
        let text = settings("codebuddy", "Stop", "x");
        format!("{{\"padding\":\"{}\",{}", "y".repeat(size), text.strip_prefix("{").unwrap())
    };
    let file = dir.file("s.json", big(50 << 20));
    let named = || options("codebuddy", &dir).settings_file(Some(Scope::User), &file);
    assert_eq!(running(&Engine::new(named()).unwrap()), ["x"]);
    dir.file("s.json", big(65 << 20));
    let error = Engine::new(named()).unwrap_err();
    assert_eq!((error.kind(), error.message().contains("64 MiB")), (ErrorKind::Io, true));
}

#[test]
fn ten_thousand_hooks_in_a_hundred_files_are_all_there() {
    let dir = TempDir::new();
    let mut given = options("codebuddy", &dir);
    for file in 0..100 {
        let hooks: Vec<Value> = (0..100).map(|at| command(&format!("run {file} {at}"))).collect();
        let text = json!({"hooks": {"PreToolUse": [{"matcher": format!("Tool{file}$"), "hooks": hooks}]}});
        let path = dir.file(&format!("{file}.json"), text.to_string());
        given = given.settings_file(Some(Scope::User), path);
    }
    let engine = Engine::new(given).unwrap();
    let listed = engine.list();
    assert_eq!(listed.len(), 10_000);
    assert_eq!((listed[0].label.as_str(), listed[9_999].label.as_str()), ("run 0 0", "run 99 99"));
    let ids: std::collections::BTreeSet<&str> = listed.iter().map(|hook| hook.id.as_str()).collect();
    assert_eq!(ids.len(), 10_000);
    let event = json!({"hook_event_name": "PreToolUse", "cwd": "/", "tool_name": "Tool42", "tool_input": {}});
    let runs = engine.explain(event.to_string()).unwrap().iter().filter(|hook| hook.runs).count();
    assert_eq!(runs, 100);
}

#[test]
fn deep_nesting_is_refused_without_harm() {
    let dir = TempDir::new();
    let depth = 200_000;
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let text = format!("{{\"x\":{}1{}}}", open.repeat(depth), close.repeat(depth));
        dir.file("home/.codebuddy/settings.json", text);
        let engine = Engine::new(options("codebuddy", &dir)).unwrap();
        assert_eq!(codes(&engine.diagnostics()), [Code::InvalidSettings]);
    }
}

#[test]
fn what_is_no_readable_file_is_named() {
    let dir = TempDir::new();
    let user = dir.path().join("home/.codebuddy/settings.json");
    std::fs::create_dir_all(&user).unwrap();
    let local = dir.file("project/.codebuddy/settings.local.json", b"{\"a\": \"\xff\"}");
    dir.file("project/.codebuddy/settings.json", "");
    let engine = Engine::new(options("codebuddy", &dir)).unwrap();
    let found = engine.diagnostics();
    assert_eq!(codes(&found), [Code::SettingsUnreadable, Code::InvalidSettings, Code::SettingsUnreadable]);
    assert!(found.iter().all(|diagnostic| diagnostic.level == Level::Error));
    assert!(found[0].message.contains("directory") && found[2].message.contains("UTF-8"));
    assert_eq!(found[2].origin.as_ref().unwrap().path, Some(shown(local)));
}

#[cfg(unix)]
#[test]
fn a_file_without_permission_a_dead_link_and_a_pipe_are_named_not_waited_for() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = TempDir::new();
    let user = dir.file("home/.codebuddy/settings.json", "{}");
    std::fs::set_permissions(&user, std::fs::Permissions::from_mode(0o000)).unwrap();
    let readable = std::fs::read(&user).is_ok(); // The administrator reads everything.
    std::fs::create_dir_all(dir.path().join("project/.codebuddy")).unwrap();
    symlink("/nowhere/at/all", dir.path().join("project/.codebuddy/settings.json")).unwrap();
    let pipe = dir.path().join("project/.codebuddy/settings.local.json");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let found = Engine::new(options("codebuddy", &dir)).unwrap().diagnostics();
    let expected = if readable { 2 } else { 3 };
    assert_eq!(codes(&found), vec![Code::SettingsUnreadable; expected]);
    assert!(found[expected - 1].message.contains("no regular file"));
}

#[cfg(unix)]
#[test]
fn a_project_file_that_leads_out_of_the_project_is_named() {
    let dir = TempDir::new();
    let outside = dir.file("elsewhere/s.json", settings("codebuddy", "Stop", "x"));
    let inside = dir.file("project/config/s.json", settings("codebuddy", "Stop", "y"));
    std::fs::create_dir_all(dir.path().join("project/.codebuddy")).unwrap();
    let link = |to, name: &str| {
        std::os::unix::fs::symlink(to, dir.path().join("project/.codebuddy").join(name)).unwrap();
    };
    link(outside, "settings.json");
    link(inside, "settings.local.json");
    let engine = Engine::new(options("codebuddy", &dir)).unwrap();
    assert_eq!(running(&engine), ["x", "y"]);
    let found = engine.diagnostics();
    assert_eq!(codes(&found), [Code::SettingsOutsideProject]);
    assert!(found[0].message.contains("elsewhere/s.json"), "{}", found[0].message);
}

#[test]
fn names_that_differ_only_in_case_are_two() {
    let dir = TempDir::new();
    let text = json!({"hooks": {"Stop": [{"hooks": [command("a")]}], "STOP": [{"hooks": [command("b")]}]}});
    let engine =
        Engine::new(options("codebuddy", &dir).settings_text(Some(Scope::User), text.to_string())).unwrap();
    assert_eq!(running(&engine), ["a"]);
    assert_eq!(codes(&engine.diagnostics()), [Code::UnknownEvent]);
}

#[test]
fn a_file_that_changes_while_it_is_read_gives_one_of_its_states() {
    let dir = TempDir::new();
    let file = dir.path().join("home/.codebuddy/settings.json");
    let states = ["a".repeat(10), "b".repeat(200_000)];
    let texts = states.clone().map(|line| settings("codebuddy", "Stop", &line));
    dir.file("home/.codebuddy/settings.json", &texts[0]);
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut at = 0;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                // As editors save: a new file in place of the old one.
                let fresh = file.with_extension("new");
                std::fs::write(&fresh, &texts[at % 2]).unwrap();
                std::fs::rename(&fresh, &file).unwrap();
                at += 1;
            }
        });
        for _ in 0..50 {
            let engine = Engine::new(options("codebuddy", &dir)).unwrap();
            let labels = running(&engine);
            assert!(labels.len() == 1 && states.contains(&labels[0]), "{:?}", engine.diagnostics());
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}
