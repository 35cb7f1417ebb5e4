//! Projects that the host does not trust, and grants.

use crosshook::{Code, Engine, ErrorKind, Options};

use crate::support::TempDir;
use crate::{codes, labels, options, running, settings, shown};

#[test]
fn what_is_not_trusted_is_listed_named_and_does_not_run() {
    for (dialect, user, project) in [
        ("codebuddy", "home/.codebuddy/settings.json", "project/.codebuddy/settings.json"),
        ("zcode", "home/.zcode/cli/config.json", "project/.zcode/config.json"),
        ("qwen", "home/.qwen/settings.json", "project/.qwen/settings.json"),
    ] {
        let dir = TempDir::new();
        dir.file(user, settings(dialect, "Stop", "user"));
        dir.file(project, settings(dialect, "Stop", "project"));
        let mut options = options(dialect, &dir);
        options.trusted = Some(false);
        let engine = Engine::new(options).unwrap();
        assert_eq!((labels(&engine).len(), running(&engine)), (2, vec!["user".to_owned()]), "{dialect}");
        let why = engine.explain(crate::event("Stop", dir.path())).unwrap();
        let held = why.iter().find(|hook| hook.label == "project").unwrap();
        assert!(!held.runs && held.why.contains("trusted project"), "{}", held.why);
        let outcome = engine.dispatch_blocking(crate::event("Stop", dir.path())).unwrap();
        assert_eq!(codes(&outcome.diagnostics)[0], Code::Untrusted, "{dialect}");
        assert_eq!(outcome.hooks.len(), 1);
    }
}

fn untrusted(dir: &TempDir) -> Options {
    let mut options = options("zcode", dir);
    options.trusted = Some(false);
    options.trust_store = Some(dir.path().join("state/grants.json"));
    options
}

#[test]
fn a_grant_lets_exactly_what_was_granted_run() {
    let dir = TempDir::new();
    let file = dir.file("project/zcode.json", settings("zcode", "Stop", "granted"));
    let engine = Engine::new(untrusted(&dir)).unwrap();
    let wanted = engine.wanted_grants();
    assert_eq!(wanted.len(), 1);
    assert_eq!(wanted[0].origin.path, Some(shown(&file)));
    assert_eq!(wanted[0].hooks[0].label, "granted");
    assert_eq!(wanted[0].grant.workspace, shown(dir.path().join("project")));
    let digest = wanted[0].grant.digest.clone();
    assert!(digest.starts_with("sha256:") && digest.len() == 71, "{digest}");
    assert!(running(&engine).is_empty());
    engine.grant(&digest).unwrap();
    assert_eq!(running(&engine), ["granted"]);
    assert!(engine.wanted_grants().is_empty());
    assert_eq!(engine.grants(), [wanted[0].grant.clone()]);
    assert_eq!(running(&Engine::new(untrusted(&dir)).unwrap()), ["granted"], "the store is read again");

    // Blanks, comments and other settings are no change of the declaration.
    let text = settings("zcode", "Stop", "granted").replacen('{', "{ /* */ \"model\": 1, ", 1);
    dir.file("project/zcode.json", text);
    assert_eq!(running(&Engine::new(untrusted(&dir)).unwrap()), ["granted"]);
    dir.file("project/zcode.json", settings("zcode", "Stop", "changed"));
    let changed = Engine::new(untrusted(&dir)).unwrap();
    assert!(running(&changed).is_empty());
    assert_ne!(changed.wanted_grants()[0].grant.digest, digest);

    engine.revoke(&digest).unwrap();
    assert!(running(&engine).is_empty());
    dir.file("project/zcode.json", settings("zcode", "Stop", "granted"));
    assert!(running(&Engine::new(untrusted(&dir)).unwrap()).is_empty(), "the store has forgotten it");
}

#[test]
fn a_grant_is_for_one_workspace() {
    let dir = TempDir::new();
    dir.file("project/zcode.json", settings("zcode", "Stop", "x"));
    dir.file("other/zcode.json", settings("zcode", "Stop", "x"));
    let engine = Engine::new(untrusted(&dir)).unwrap();
    engine.grant(&engine.wanted_grants()[0].grant.digest).unwrap();
    let mut options = untrusted(&dir);
    options.project_dir = Some(dir.path().join("other"));
    assert!(running(&Engine::new(options).unwrap()).is_empty());
}

#[test]
fn only_what_waits_can_be_granted() {
    let dir = TempDir::new();
    let refused = Engine::new(untrusted(&dir)).unwrap().grant("sha256:0").unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::InvalidOptions);
    assert!(!dir.path().join("state").exists());
    // Qwen trusts folders, not declarations.
    dir.file("project/.qwen/settings.json", settings("qwen", "Stop", "x"));
    let mut options = options("qwen", &dir);
    options.trusted = Some(false);
    assert!(Engine::new(options).unwrap().wanted_grants().is_empty());
}

#[test]
fn a_store_that_cannot_be_read_grants_nothing_and_is_not_overwritten() {
    let dir = TempDir::new();
    dir.file("project/zcode.json", settings("zcode", "Stop", "x"));
    let store = dir.file("state/grants.json", "{ broken");
    let engine = Engine::new(untrusted(&dir)).unwrap();
    assert_eq!(codes(&engine.diagnostics())[0], Code::TrustStoreUnreadable);
    let digest = engine.wanted_grants()[0].grant.digest.clone();
    assert_eq!(engine.grant(&digest).unwrap_err().kind(), ErrorKind::Io);
    assert!(running(&engine).is_empty());
    assert_eq!(std::fs::read_to_string(store).unwrap(), "{ broken");
}

#[cfg(unix)]
#[test]
fn the_store_is_for_its_owner_alone_and_keeps_others_grants() {
    use std::os::unix::fs::PermissionsExt;
    let dir = TempDir::new();
    dir.file("project/zcode.json", settings("zcode", "Stop", "x"));
    let engine = Engine::new(untrusted(&dir)).unwrap();
    // Another host grants something meanwhile.
    let store =
        dir.file("state/grants.json", r#"{"version":1,"grants":[{"workspace":"/w","digest":"sha256:1"}]}"#);
    engine.grant(&engine.wanted_grants()[0].grant.digest).unwrap();
    let text: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&store).unwrap()).unwrap();
    assert_eq!(text["grants"].as_array().unwrap().len(), 2);
    assert_eq!(std::fs::metadata(store).unwrap().permissions().mode() & 0o777, 0o600);
}
