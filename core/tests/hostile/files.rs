//! Hooks that pull files from under themselves and the engine, and hooks whose files are not what they should be.

use crosshook::{Code, Decision, Engine, FileFate, Options, Scope, Status};
use serde_json::{Value, json};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::support::TempDir;
use crate::{
    DIALECTS, OBJECTS, both, closed, command, denies, engine, event_in, fails, fails_with_words, settings,
};

#[test]
fn a_hook_that_deletes_its_directory_still_decides() {
    for dialect in DIALECTS {
        let dir = TempDir::new();
        let cwd = dir.path().join("work");
        let remove = "rm -rf \"$PWD\"; echo gone >&2; exit 2";
        for n in 0..2 {
            std::fs::create_dir_all(&cwd).unwrap();
            let one = engine(dialect, &[command(remove)]);
            let event = event_in(dialect, cwd.to_str().unwrap()).to_string();
            let outcome = match n {
                0 => one.dispatch_blocking(event).unwrap(),
                _ => crate::support::block_on(one.dispatch(event)).unwrap(),
            };
            let said = (outcome.decision, outcome.reason.as_deref());
            assert_eq!(said, (Decision::Deny, Some("gone")), "{dialect}");
            assert!(!cwd.exists());
        }
        // Now it is gone before the hook starts: named, and no consent.
        for outcome in both(&engine(dialect, &[command(OBJECTS)]), &event_in(dialect, cwd.to_str().unwrap()))
        {
            assert_eq!(
                (outcome.decision, outcome.hooks[0].status),
                (Decision::None, Status::Error),
                "{dialect}"
            );
            assert_eq!(outcome.diagnostics[0].code, Code::SpawnFailed, "{dialect}");
            assert!(outcome.hooks[0].error.as_ref().unwrap().contains(cwd.to_str().unwrap()), "{dialect}");
        }
        let one = engine(dialect, &[closed(command(OBJECTS))]);
        for outcome in both(&one, &event_in(dialect, cwd.to_str().unwrap())) {
            assert_eq!(outcome.decision, Decision::Deny, "{dialect}");
        }
    }
}

#[test]
fn a_directory_that_a_neighbour_deletes_meanwhile_changes_no_decision() {
    for dialect in DIALECTS {
        let dir = TempDir::new();
        let cwd = dir.path().join("work");
        std::fs::create_dir_all(&cwd).unwrap();
        let hooks = [command("sleep 1; echo objects >&2; exit 2"), command("sleep 0.3; rm -rf \"$PWD\"")];
        let outcome =
            engine(dialect, &hooks).dispatch_blocking(event_in(dialect, cwd.to_str().unwrap()).to_string());
        let outcome = outcome.unwrap();
        // On a busy machine a shell may begin after that, and complain.
        assert_eq!(outcome.decision, Decision::Deny, "{dialect}");
        assert!(outcome.reason.unwrap().ends_with("objects"), "{dialect}");
    }
}

/// A hook cannot talk itself, or others, out of the settings that are in force: they count until the host reloads.
#[test]
fn a_hook_that_changes_its_own_settings_changes_nothing_until_the_host_reloads() {
    for dialect in DIALECTS {
        let dir = TempDir::new();
        let file = dir.path().join("settings.json");
        let changes =
            ["rm -f", "printf '{}' >", "printf '{broken' >", "head -c 100000 /dev/urandom >", "mkdir -p"];
        for change in changes {
            let _ = std::fs::remove_file(&file);
            let _ = std::fs::remove_dir(&file);
            let line = format!("rm -f '{0}'; {change} '{0}'", file.display());
            let hooks = [command(line), command(OBJECTS)];
            std::fs::write(&file, settings(dialect, &hooks).to_string()).unwrap();
            let engine = Engine::new(Options::new(dialect).settings_file(Some(Scope::User), &file)).unwrap();
            for _ in 0..2 {
                for outcome in both(&engine, &event_in(dialect, "/")) {
                    let said = (outcome.decision, outcome.reason.as_deref());
                    assert_eq!(said, (Decision::Deny, Some("objects")), "{dialect} {change}");
                }
            }
            // The host is told what has become of the file; what is no settings file is not taken over.
            let fates: Vec<FileFate> = engine.changes().files.iter().map(|file| file.change).collect();
            let good = change.starts_with("printf '{}'");
            assert_eq!(
                fates,
                [if good { FileFate::Changed } else { FileFate::Broken }],
                "{dialect} {change}"
            );
            assert_eq!(engine.reload().is_ok(), good, "{dialect} {change}");
            let after = engine.dispatch_blocking(event_in(dialect, "/").to_string()).unwrap().decision;
            assert_eq!(after, if good { Decision::None } else { Decision::Deny }, "{dialect} {change}");
        }
    }
}

fn program(dir: &TempDir, name: &str, content: impl AsRef<[u8]>, mode: u32) -> PathBuf {
    let path = dir.file(name, content);
    std::fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    path
}

/// The line that runs this file, as a person would write it.
fn line(path: &Path) -> Value {
    command(format!("'{}'", path.display()))
}

/// A direct start without a shell, which ZCode has.
fn direct(path: &Path) -> Value {
    json!({"type": "process", "command": path})
}

/// ZCode's direct start fails with these words, which name the file.
fn direct_fails(path: &Path, words: &str) {
    for hooks in [vec![direct(path)], vec![direct(path), command(OBJECTS)]] {
        for outcome in both(&engine("zcode", &hooks), &event_in("zcode", "/")) {
            let wanted = if hooks.len() == 1 { Decision::None } else { Decision::Deny };
            assert_eq!(
                (outcome.decision, outcome.hooks[0].status),
                (wanted, Status::Error),
                "{}",
                path.display()
            );
            assert_eq!(outcome.diagnostics[0].code, Code::SpawnFailed, "{}", path.display());
            let error = outcome.hooks[0].error.as_ref().unwrap();
            assert!(error.contains(words) && error.contains(path.to_str().unwrap()), "{error}");
        }
    }
}

#[test]
fn files_that_no_system_runs_are_failures_with_a_reason() {
    let dir = TempDir::new();
    let script = "#!/bin/sh\nexit 2\n";
    let plain = program(&dir, "no-execute-bit", script, 0o644);
    let lost = program(&dir, "lost-interpreter", "#!/no/such/interpreter\nexit 2\n", 0o755);
    let windows = program(&dir, "windows-lines", script.replace('\n', "\r\n"), 0o755);
    let binary = program(&dir, "binary", b"\x7fELF\0\0\xff\xfe garbage \0\x01\x02", 0o755);
    let folder = dir.path().join("folder");
    std::fs::create_dir(&folder).unwrap();
    for path in [&plain, &lost, &windows, &binary, &folder, &dir.path().join("nothing")] {
        fails_with_words(&line(path));
    }
    direct_fails(&plain, "Permission denied");
    direct_fails(&lost, "interpreter");
    direct_fails(&windows, "interpreter");
    direct_fails(&binary, "Exec format error");
    direct_fails(&folder, "Permission denied");
    direct_fails(&dir.path().join("nothing"), "not found");
    // An interpreter that is there, and is the wrong one.
    let wrong = program(&dir, "wrong-interpreter", "#!/bin/false\nexit 2\n", 0o755);
    fails(&line(&wrong), Status::Error, Code::HookFailed);
    // Without a first line that names one, a text is the shell's.
    let bare = program(&dir, "bare", "echo no >&2; exit 2\n", 0o755);
    denies(&line(&bare), "no");
}

#[test]
fn names_with_newlines_and_quotes_are_names() {
    let dir = TempDir::new();
    let names = [
        "new\nline",
        "qu\"ote",
        "apos'trophe",
        "dollar$(touch pwned)`touch pwned`",
        "back\\slash",
        "-dash",
        " blank ",
    ];
    for name in names {
        let path = program(&dir, name, "#!/bin/sh\necho no >&2\nexit 2\n", 0o755);
        let quoted = path.to_str().unwrap().replace('\'', "'\\''");
        denies(&command(format!("'{quoted}'")), "no");
        for outcome in both(&engine("zcode", &[direct(&path)]), &event_in("zcode", "/")) {
            assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Deny, Some("no")), "{name}");
            let told: Value = serde_json::from_str(&outcome.to_json()).unwrap();
            assert_eq!(told["hooks"][0]["label"], json!(path));
        }
        assert!(!dir.path().join("pwned").exists(), "{name}");
    }
}

/// The same names in an event: where the hook runs, what it is told, and never a part of its command line.
#[test]
fn an_events_names_are_data() {
    let name = "a\nb'c\"d$(touch pwned)`touch pwned`\\";
    for dialect in DIALECTS {
        let dir = TempDir::new();
        let cwd = dir.path().join(name);
        std::fs::create_dir(&cwd).unwrap();
        let mut event = event_in(dialect, cwd.to_str().unwrap());
        event["tool_name"] = json!(name);
        event["session_id"] = json!(name);
        event["tool_input"] = json!({ name: name });
        let look = "test \"$(basename \"$PWD\"; echo .)\" = \"$WANTED\n.\" || exit 1; cat >seen; echo no >&2; exit 2";
        let hooks = [command(format!("WANTED='{}'; {look}", name.replace('\'', "'\\''")))];
        for outcome in both(&engine(dialect, &hooks), &event) {
            let said = (outcome.decision, outcome.reason.as_deref());
            assert_eq!(said, (Decision::Deny, Some("no")), "{dialect}: {}", outcome.to_json());
            let seen: Value = serde_json::from_slice(&std::fs::read(cwd.join("seen")).unwrap()).unwrap();
            assert_eq!(
                (&seen["tool_name"], &seen["tool_input"]),
                (&event["tool_name"], &event["tool_input"])
            );
        }
        assert!(!cwd.join("pwned").exists() && !dir.path().join("pwned").exists(), "{dialect}");
    }
}
