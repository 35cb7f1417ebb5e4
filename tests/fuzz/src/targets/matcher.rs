//! Matcher patterns. The first byte is the dialect; then the pattern, 0x1E, and the name to match.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{choose_dialect, contract, engine, exited, group, sample_event, settings_with};

/// No pattern takes longer than this on a name of a few thousand bytes, even with sanitizers on a loaded machine. Without
/// a limit on the work, a handful of characters takes years.
const LIMIT: Duration = Duration::from_secs(120);

/// Promises: a pattern is refused with a reason or used; the work is bounded; explain and dispatch agree; what is too
/// much work runs the hook, with a diagnostic; and a plain name matches itself.
pub fn run(mut bytes: &[u8]) {
    let Some(dialect) = choose_dialect(&mut bytes) else { return };
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (pattern, name) = text.split_once('\u{1e}').unwrap_or((text, text));
    if name.len() > 4_096 {
        return;
    }
    let events = crosshook::testing::events(dialect);
    let Some(event) = events.iter().find(|event| event.matched_field == Some("tool_name")) else { return };
    let started = Instant::now();
    let settings = settings_with(dialect, event.name, &json!([group(Some(pattern), "true")]));
    let engine = engine(dialect, &settings).expect("a matcher is no reason to refuse settings");
    let mut input = sample_event(event.name);
    input["tool_name"] = json!(name);
    let input = input.to_string();
    let explained = engine.explain(input.clone()).expect("a sound event");
    let outcome =
        crosshook::testing::dispatch(&engine, input, |_| exited(0, b"", b"")).expect("a sound event");
    assert!(started.elapsed() < LIMIT, "{:?} for `{pattern}` on `{name}`", started.elapsed());
    contract::outcome(&outcome, Some(event.permission));
    let [explained] = explained.as_slice() else { panic!("one hook, {explained:?}") };
    assert_eq!(explained.runs, outcome.hooks.len() == 1, "{explained:?} but {}", outcome.to_json());
    assert!(!explained.why.is_empty());
    if engine.list().first().is_some_and(|hook| !hook.enabled) {
        assert!(!engine.diagnostics().is_empty(), "`{pattern}` was refused in silence");
        assert!(!explained.runs);
    } else if plain(pattern) && pattern == name {
        assert!(explained.runs, "`{pattern}` does not match itself: {explained:?}");
    } else if plain(pattern) && !name.contains(pattern) && plain(name) && !renamed(&explained.why) {
        assert!(!explained.runs, "{explained:?}");
    }
}

fn plain(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The dialect knows the tool by other names too.
fn renamed(why: &str) -> bool {
    why.contains("also called")
}
