//! What an agent keeps of single hooks: whether they are switched off, and the hash under which they were trusted (Codex:
//! zcode-codex-gemini.md section 2.12).

use sha2::{Digest, Sha256};

use super::Scope;
use super::entry::Entry;
use super::file::hex;
use super::source::{Form, Source};
use super::tree::{Node, Value};
use crate::hook::Action;
use crate::json::quote;

/// What is kept of one hook.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HookState {
    /// Where the hook stands: source, event, group and position.
    key: String,
    pub(super) enabled: Option<bool>,
    pub(super) trusted_hash: Option<String>,
}

/// The states that the sources keep at `path`. Only the user's settings and what the host adds count; of several the later
/// one, field by field.
pub(super) fn read(sources: &[&Source], path: &str) -> Vec<HookState> {
    let mut states: Vec<HookState> = Vec::new();
    let own = |source: &&&Source| matches!(source.scope, Scope::User | Scope::Session);
    for source in sources.iter().filter(own) {
        let entries = source.setting(path).and_then(|(node, _)| node.as_object()).unwrap_or_default();
        for (key, node) in entries {
            let enabled = match node.get("enabled").map(|node| &node.value) {
                Some(Value::Bool(value)) => Some(*value),
                _ => None,
            };
            let trusted_hash = node.get("trusted_hash").and_then(Node::as_str).map(str::to_owned);
            match states.iter_mut().find(|state| state.key == *key) {
                Some(state) => {
                    state.enabled = enabled.or(state.enabled);
                    state.trusted_hash = trusted_hash.or(state.trusted_hash.take());
                }
                None => states.push(HookState { key: key.clone(), enabled, trusted_hash }),
            }
        }
    }
    states
}

/// The state of a hook, by where it stands.
pub(super) fn of<'a>(
    states: &'a [HookState],
    source: &Source,
    event: &str,
    group: usize,
    position: usize,
) -> Option<&'a HookState> {
    let place = match (&source.trust_key, &source.path, &source.form) {
        (Some(key), ..) => key.clone(),
        (None, Some(path), Form::Settings) => {
            let absolute = std::path::absolute(path);
            absolute.map_or_else(|_| path.clone(), |path| super::source::shown(&path))
        }
        _ => return None,
    };
    let key = format!("{place}:{}:{group}:{position}", snake_case(event));
    states.iter().find(|state| state.key == key)
}

/// The hash of what a hook declares, the same for the same hook in JSON and in TOML: a canonical JSON text of its event,
/// its matcher where that counts, and the hook with its resolved time limit. Defaults that say nothing are left out.
pub(super) fn hash(event: &str, matcher: Option<&str>, entry: &Entry, seconds: u64) -> Option<String> {
    let Action::Command { line, .. } = &entry.action else { return None };
    let mut hook = String::new();
    if let Some(limit) = entry.context_limit.filter(|limit| *limit != USUAL_LIMIT) {
        hook.push_str(&format!("\"additionalContextLimit\":{limit},"));
    }
    hook.push_str(&format!("\"async\":{},\"command\":{},", entry.background, quote(line)));
    if let Some(text) = &entry.status_message {
        hook.push_str(&format!("\"statusMessage\":{},", quote(text)));
    }
    hook.push_str(&format!("\"timeout\":{seconds},\"type\":\"command\""));
    let matcher = matcher.map_or_else(String::new, |text| format!(",\"matcher\":{}", quote(text)));
    let text = format!("{{\"event_name\":\"{}\",\"hooks\":[{{{hook}}}]{matcher}}}", snake_case(event));
    Some(format!("sha256:{}", hex(&Sha256::digest(text.as_bytes()))))
}

/// The limit that a hook has when it names none.
const USUAL_LIMIT: u64 = 2_500;

/// `PreToolUse` as `pre_tool_use`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_in_keys() {
        assert_eq!(snake_case("PreToolUse"), "pre_tool_use");
        assert_eq!(snake_case("Stop"), "stop");
    }
}
