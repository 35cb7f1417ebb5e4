//! Frontmatter of agents and skills. The first bytes are the dialect, the owner and the source, the rest is the Markdown
//! file; or, behind 0x1E, settings as JSON that are put into one.

use crosshook::{Engine, FrontmatterOwner, FrontmatterScope, FrontmatterSource, Listing, Registered};
use serde_json::{Value, json};

use super::{choose, choose_dialect, contract, engine, settings_with};

const OWNERS: [FrontmatterOwner; 2] = [FrontmatterOwner::Agent, FrontmatterOwner::Skill];
const SOURCES: [FrontmatterSource; 4] = [
    FrontmatterSource::Builtin,
    FrontmatterSource::User,
    FrontmatterSource::Project,
    FrontmatterSource::Plugin,
];

/// Promises: opening a scope adds the hooks that it says, closing takes away these and no other; what is held back is
/// told; and hooks mean the same in YAML as in JSON.
pub fn run(mut bytes: &[u8]) {
    let Some(dialect) = choose_dialect(&mut bytes) else { return };
    let Some(owner) = choose(&mut bytes, &OWNERS) else { return };
    let Some(source) = choose(&mut bytes, &SOURCES) else { return };
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match text.strip_prefix('\u{1e}') {
        None => opens_and_closes(dialect, &FrontmatterScope::new(*owner, *source, text)),
        Some(json) => reads_json(dialect, *owner, json),
    }
}

fn opens_and_closes(dialect: &str, scope: &FrontmatterScope) {
    let engine = plain(dialect);
    let before = engine.list();
    let registered = engine.open_scope(scope).expect("a dialect that is there");
    let opened = engine.list();
    told(&registered, &opened);
    assert_eq!(opened.len(), before.len() + registered.hooks, "{registered:?}");
    let held = opened.iter().any(|hook| !hook.enabled && hook.origin.scope != "user");
    assert!(!held || !registered.diagnostics.is_empty(), "held back in silence: {opened:?}");
    assert!(engine.close_scope(&registered.id), "{registered:?}");
    assert_eq!(engine.list(), before);
    assert!(!engine.close_scope(&registered.id), "closed twice: {registered:?}");
}

/// JSON is YAML: hooks that are written so are read as in a settings file.
fn reads_json(dialect: &str, owner: FrontmatterOwner, text: &str) {
    let Ok(hooks @ Value::Object(_)) = serde_json::from_str::<Value>(text) else { return };
    let printable = |c: char| c == ' ' || c.is_ascii_graphic();
    let hooks = hooks.to_string();
    // YAML has its own rules for the length of a key and for what is printable.
    if !hooks.chars().all(printable) || hooks.len() > 1_000 || hooks.contains("\\u") {
        return;
    }
    let file = format!("---\nname: n\ncontext: fork\nhooks: {hooks}\n---\nText\n");
    let engine = plain(dialect);
    let before = engine.list().len();
    let scope = FrontmatterScope::new(owner, FrontmatterSource::Builtin, file);
    let registered = engine.open_scope(&scope).expect("a dialect that is there");
    told(&registered, &engine.list());
    let from_yaml: Vec<Listing> = engine.list().into_iter().skip(before).collect();
    let malformed = registered.diagnostics.iter().any(|one| one.code.as_str() == "frontmatter_malformed");
    assert!(!malformed, "{:?} for {hooks}", registered.diagnostics);
    if registered.diagnostics.iter().any(|one| one.message.contains("reads no hooks from frontmatter")) {
        return;
    }
    let session = plain(dialect);
    let settings = json!({"hooks": serde_json::from_str::<Value>(&hooks).expect("as before")});
    session.register("s", &settings.to_string()).expect("an object is read");
    let from_json: Vec<Listing> = session.list().into_iter().skip(before).collect();
    let meaning =
        |hook: &Listing| (hook.label.clone(), hook.kind, hook.matcher.clone(), hook.timeout.to_bits());
    assert!(
        from_yaml.iter().map(meaning).eq(from_json.iter().map(meaning)),
        "{hooks}\nfrom YAML {from_yaml:?}\nfrom JSON {from_json:?}"
    );
}

/// An engine with one hook of its own, whose settings let frontmatter in.
fn plain(dialect: &str) -> Engine {
    let event = crosshook::testing::events(dialect).first().map_or("Stop", |event| event.name);
    let mut settings: Value =
        serde_json::from_str(&settings_with(dialect, event, &json!([super::group(None, "own")])))
            .expect("JSON");
    settings["allowUntrustedFrontmatterHooks"] = json!(true);
    engine(dialect, &settings.to_string()).expect("sound settings")
}

fn told(registered: &Registered, list: &[Listing]) {
    registered.diagnostics.iter().for_each(contract::diagnostic);
    for hook in list {
        // A hook that is enabled may lack a host that answers it, which is said too.
        assert!(hook.enabled || hook.why_not.is_some(), "{hook:?}");
    }
}
