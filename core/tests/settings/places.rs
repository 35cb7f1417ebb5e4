//! The agents' own files.

use crosshook::{Code, Engine, ErrorKind, Level, Options, Scope};

use crate::support::TempDir;
use crate::{codes, labels, options, running, settings, shown};

#[test]
fn codebuddy_reads_user_project_and_local_settings() {
    let dir = TempDir::new();
    for (path, line) in [
        ("project/.codebuddy/settings.local.json", "local"),
        ("home/.codebuddy/settings.json", "user"),
        ("project/.codebuddy/settings.json", "project"),
        ("project/.codebuddy/Settings.json", "no"),
        ("project/settings.json", "no"),
    ] {
        dir.file(path, settings("codebuddy", "Stop", line));
    }
    let engine = Engine::new(options("codebuddy", &dir)).unwrap();
    assert_eq!(running(&engine), ["user", "project", "local"]);
    let origin = &engine.list()[1].origin;
    assert_eq!(origin.scope, "project");
    assert_eq!(origin.path, Some(shown(dir.path().join("project/.codebuddy/settings.json"))));
    assert_eq!(origin.pointer.as_deref(), Some("/hooks/Stop/0/hooks/0"));
    assert!(engine.diagnostics().is_empty(), "{:?}", engine.diagnostics());
}

#[test]
fn a_tilde_is_the_home_directory() {
    let dir = TempDir::new();
    dir.file("home/.codebuddy/settings.json", settings("codebuddy", "Stop", "user"));
    dir.file("home/code/.codebuddy/settings.json", settings("codebuddy", "Stop", "project"));
    let mut options = Options::new("codebuddy");
    options.env = Some([("HOME".to_owned(), shown(dir.path().join("home")))].into());
    (options.home, options.project_dir) = (Some("~".into()), Some("~/code".into()));
    assert_eq!(running(&Engine::new(options).unwrap()), ["user", "project"]);
}

#[test]
fn what_a_group_says_and_nobody_reads_is_named() {
    for dialect in ["codebuddy", "zcode", "qwen"] {
        let text = settings(dialect, "Stop", "guard").replacen("[{", r#"[{"matchr":"Bash","#, 1);
        let engine = Engine::new(Options::new(dialect).settings_text(None, text)).unwrap();
        assert_eq!(running(&engine), ["guard"], "{dialect}");
        assert_eq!(codes(&engine.diagnostics()), [Code::IgnoredKey], "{dialect}");
        let message = &engine.diagnostics()[0].message;
        assert!(message.contains("`matchr`"), "{message}");
    }
}

#[test]
fn a_variable_moves_the_folder_of_the_user() {
    let dir = TempDir::new();
    dir.file("home/.codebuddy/settings.json", settings("codebuddy", "Stop", "home"));
    dir.file("moved/settings.json", settings("codebuddy", "Stop", "moved"));
    let mut options = options("codebuddy", &dir);
    let moved = shown(dir.path().join("moved"));
    options.env.as_mut().unwrap().insert("CODEBUDDY_CONFIG_DIR".into(), moved);
    assert_eq!(running(&Engine::new(options).unwrap()), ["moved"]);
}

#[test]
fn without_a_home_option_the_variable_counts() {
    let dir = TempDir::new();
    dir.file("home/.codebuddy/settings.json", settings("codebuddy", "Stop", "home"));
    let mut options = options("codebuddy", &dir);
    options.home = None;
    options.env.as_mut().unwrap().insert("HOME".into(), shown(dir.path().join("home")));
    assert_eq!(running(&Engine::new(options).unwrap()), ["home"]);
}

#[test]
fn zcode_walks_from_the_git_root_to_the_project() {
    let dir = TempDir::new();
    let deep = dir.path().join("project/a/b");
    for (path, line) in [
        ("home/.zcode/cli/config.json", "user"),
        ("project/a/b/.zcode/config.json", "b config"),
        ("project/a/b/zcode.json", "b"),
        ("project/a/.zcode/config.json", "a config"),
        ("project/zcode.json", "root"),
        ("zcode.json", "above the root"),
    ] {
        dir.file(path, settings("zcode", "Stop", line));
    }
    let at = |git: Option<&str>| {
        if let Some(git) = git {
            dir.file(git, "gitdir: elsewhere");
        }
        let mut options = options("zcode", &dir);
        options.project_dir = Some(deep.clone());
        running(&Engine::new(options).unwrap())
    };
    assert_eq!(at(None), ["user", "b", "b config"], "without a root the project alone");
    // A worktree has a file there, not a folder.
    assert_eq!(at(Some("project/.git")), ["user", "root", "a config", "b", "b config"]);
    assert_eq!(at(Some("project/a/.git")), ["user", "a config", "b", "b config"], "the nearest root counts");
}

#[test]
fn qwen_reads_project_user_and_the_machine() {
    let dir = TempDir::new();
    for (path, line) in [
        ("system/settings.json", "system"),
        ("system/system-defaults.json", "defaults"),
        ("home/.qwen/settings.json", "user"),
        ("project/.qwen/settings.json", "project"),
    ] {
        dir.file(path, format!("// comments are fine\n{}", settings("qwen", "Stop", line)));
    }
    let engine = Engine::new(options("qwen", &dir)).unwrap();
    assert_eq!(running(&engine), ["project", "user", "defaults", "system"]);
    assert!(engine.diagnostics().is_empty());
    let mut moved = options("qwen", &dir);
    let other = dir.file("other.json", settings("qwen", "Stop", "moved"));
    moved.env.as_mut().unwrap().insert("QWEN_CODE_SYSTEM_DEFAULTS_PATH".into(), shown(other));
    assert_eq!(running(&Engine::new(moved).unwrap()), ["project", "user", "moved", "system"]);
}

#[test]
fn explicit_settings_replace_the_look_up_unless_both_are_asked_for() {
    let dir = TempDir::new();
    dir.file("home/.qwen/settings.json", settings("qwen", "Stop", "user"));
    let given =
        || options("qwen", &dir).settings_text(Some(Scope::Project), settings("qwen", "Stop", "given"));
    assert_eq!(running(&Engine::new(given()).unwrap()), ["given"]);
    let mut both = given();
    both.discover = Some(true);
    assert_eq!(running(&Engine::new(both).unwrap()), ["given", "user"]);
    let mut none = options("qwen", &dir);
    none.discover = Some(false);
    assert!(labels(&Engine::new(none).unwrap()).is_empty());
    let json = format!(r#"{{"dialect":"qwen","home":{:?},"discover":true}}"#, shown(dir.path().join("home")));
    assert_eq!(Options::from_json(&json).unwrap().discover, Some(true));
}

#[test]
fn a_broken_file_that_was_looked_up_is_an_error_and_the_rest_works() {
    let dir = TempDir::new();
    dir.file("home/.qwen/settings.json", "{\n  \"hooks\": {,}\n}");
    dir.file("project/.qwen/settings.json", settings("qwen", "Stop", "project"));
    let engine = Engine::new(options("qwen", &dir)).unwrap();
    assert_eq!(running(&engine), ["project"]);
    let found = engine.diagnostics();
    assert_eq!(codes(&found), [Code::InvalidSettings]);
    assert_eq!(found[0].level, Level::Error);
    let origin = found[0].origin.as_ref().unwrap();
    assert_eq!((origin.line, origin.scope.as_str()), (Some(2), "user"));
    assert_eq!(origin.path, Some(shown(dir.path().join("home/.qwen/settings.json"))));
    let outcome = engine.dispatch_blocking(crate::event("Stop", dir.path())).unwrap();
    assert_eq!(codes(&outcome.diagnostics)[0], Code::InvalidSettings);
}

#[test]
fn a_broken_file_that_was_named_is_refused() {
    let dir = TempDir::new();
    let broken = dir.file("broken.json", "[1]");
    let refused = |path| Engine::new(options("qwen", &dir).settings_file(None, path)).unwrap_err();
    let error = refused(broken.clone());
    assert_eq!(
        (error.kind(), error.place().path.clone()),
        (ErrorKind::InvalidSettings, Some(shown(&broken)))
    );
    let error = refused(dir.path().join("missing.json"));
    assert_eq!((error.kind(), error.message().contains("there is no such file")), (ErrorKind::Io, true));
    assert_eq!(refused(dir.path().to_owned()).kind(), ErrorKind::Io);
}
