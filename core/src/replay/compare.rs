//! What a replay decides otherwise than was recorded.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Pairs, is_same, is_whole};
use crate::event::Event;
use crate::hook::Hook;
use crate::json::{Object, compact, decode_string, quote, to_raw};
use crate::outcome::Outcome;
use crate::plan::{self, Judgement, Known};
use crate::record::MARK;
use crate::record::form::Line;
use crate::record::note::{Doing, alike};
use crate::snapshot::Snapshot;

/// One thing that is not as it was recorded.
#[derive(Debug, Clone, Serialize)]
pub struct Difference {
    /// A key of the outcome; or `hook`: a hook that ran then and would run now ends otherwise; `not_recorded`: a hook
    /// would run now and its answer is not known; `not_run`: a hook ran then and would not run now; `not_known`: what would
    /// be decided depends on a text that was taken out of the recording.
    pub what: &'static str,
    /// The id of the hook, when it is about one.
    pub hook: Option<String>,
    /// What was recorded.
    pub recorded: Option<Box<RawValue>>,
    /// What it would be now.
    pub now: Option<Box<RawValue>>,
    /// The same for people.
    pub message: String,
}

impl Difference {
    /// A hook whose answer is not known.
    pub(super) fn lacking(hook: &Hook, why: &str) -> Self {
        let message = format!("{} would run: {why}", hook.title());
        Self { what: "not_recorded", hook: Some(hook.id.clone()), recorded: None, now: None, message }
    }

    /// A hook of which it is not known whether it would run.
    pub(super) fn not_known(hook: &Hook, why: &str) -> Self {
        let message = format!("whether {} would run is not known: {why}", hook.title());
        Self { what: "not_known", hook: Some(hook.id.clone()), recorded: None, now: None, message }
    }

    /// A key of the outcome of which it is not known whose value it would have.
    fn of_another_order(key: &str, recorded: &str, now: &str) -> Self {
        let message = format!(
            "whether {key} would be the same is not known: hooks stand in another order, and a part of it was taken out"
        );
        Self { what: "not_known", hook: None, recorded: to_raw(recorded), now: to_raw(now), message }
    }

    fn between(what: &'static str, hook: Option<String>, recorded: &str, now: &str) -> Self {
        let about = hook.as_deref().map_or_else(|| what.to_owned(), |id| format!("{id}: {what}"));
        let message = format!("{about} was {} and would be {}", shown(recorded), shown(now));
        Self { what, hook, recorded: to_raw(recorded), now: to_raw(now), message }
    }
}

/// A value in a message.
fn shown(raw: &str) -> String {
    const LONGEST: usize = 200;
    let text = decode_string(raw).unwrap_or_else(|| raw.to_owned());
    match text.char_indices().nth(LONGEST) {
        None => format!("`{text}`"),
        Some((end, _)) => format!("`{}...`", text.get(..end).unwrap_or_default()),
    }
}

/// The keys of an outcome that a host acts on.
const DECIDING: [&str; 11] = [
    "decision",
    "reason",
    "updated_input",
    "updated_output",
    "additional_context",
    "system_messages",
    "stop",
    "suppress_output",
    "updated_permissions",
    "interrupt",
    "extra",
];

/// Compares what was recorded with what is decided now. `complete`: the answers of all hooks of now are known.
pub(super) fn outcomes(line: &Line, now: &Outcome, pairs: &Pairs, complete: bool) -> Vec<Difference> {
    let (Some(before), Some(after)) =
        (Object::from_raw(line.outcome.get()), Object::from_raw(&now.to_json()))
    else {
        return Vec::new();
    };
    let then = pairs.then.as_ref().and_then(|then| Object::from_raw(&then.to_json()));
    let mut differences = Vec::new();
    let reordered = pairs.is_reordered();
    for key in DECIDING {
        let (was, is) = (before.get(key).unwrap_or("null"), after.get(key).unwrap_or("null"));
        // A rule may have taken a part out of the answers alone, or of the outcome alone.
        let (before, now) = (compact(was), compact(is));
        // Both from what is left of the same answers.
        let otherwise = then.as_ref().filter(|_| was.contains(MARK)).is_some_and(|then| {
            let then = then.get(key).unwrap_or("null");
            compact(then) != now
        });
        if otherwise || !(alike(&before, &now) || alike(&now, &before) || alike_but_cut(&before, &now)) {
            differences.push(Difference::between(key, None, was, is));
        } else if reordered && [was, is].into_iter().any(|value| value.contains(MARK)) {
            differences.push(Difference::of_another_order(key, was, is));
        }
    }
    let reports = |object: &Object| -> Vec<Box<RawValue>> {
        object.get("hooks").and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default()
    };
    let (was, is) = (reports(&before), reports(&after));
    for (is, pair) in is.iter().zip(&pairs.pairs) {
        if let Some(was) = pair.and_then(|index| was.get(index)) {
            differences.extend(hook(was.get(), is.get()));
        }
    }
    if complete && pairs.gone.is_empty() {
        differences.extend(diagnostics(&before, &after));
    }
    differences
}

/// No dialect cuts shorter texts, in bytes.
const SHORTEST_CUT: usize = 500;

/// Whether two JSON texts differ only in where long texts end: a dialect cuts them at so many characters, and what stands
/// for a secret has others than the secret had.
fn alike_but_cut(was: &str, is: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<Value>(text).ok();
    was.contains(MARK) && read(was).zip(read(is)).is_some_and(|(was, is)| is_cut_of(&was, &is))
}

fn is_cut_of(was: &Value, is: &Value) -> bool {
    match (was, is) {
        (Value::Array(was), Value::Array(is)) => {
            was.len() == is.len() && was.iter().zip(is).all(|(was, is)| is_cut_of(was, is))
        }
        (Value::Object(was), Value::Object(is)) => {
            was.len() == is.len()
                && was.iter().all(|(key, was)| is.get(key).is_some_and(|is| is_cut_of(was, is)))
        }
        (Value::String(was), Value::String(is)) if was != is => {
            let (was, is) = (was.trim_end_matches("..."), is.trim_end_matches("..."));
            let (short, long) = if was.len() < is.len() { (was, is) } else { (is, was) };
            short.len() >= SHORTEST_CUT && short.contains(MARK) && long.starts_with(short)
        }
        _ => was == is,
    }
}

/// How one hook ended then and now.
fn hook(was: &str, is: &str) -> Option<Difference> {
    let (was, is) = (Object::from_raw(was)?, Object::from_raw(is)?);
    let ended = |report: &Object| {
        let part = |key| report.get(key).and_then(decode_string).unwrap_or_default();
        let (status, decision) = (part("status"), part("decision"));
        if decision == "none" { status } else { format!("{status}, {decision}") }
    };
    let (before, now) = (ended(&was), ended(&is));
    let id = is.get("id").and_then(decode_string);
    (before != now).then(|| Difference::between("hook", id, &quote(&before), &quote(&now)))
}

/// The codes of what was noticed; the words may change.
fn diagnostics(before: &Object, after: &Object) -> Option<Difference> {
    let codes = |object: &Object| -> Vec<String> {
        let list: Vec<Box<RawValue>> =
            object.get("diagnostics").and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
        let code = |raw: &RawValue| Object::from_raw(raw.get())?.get("code").and_then(decode_string);
        let mut codes: Vec<String> = list.iter().filter_map(|raw| code(raw)).collect();
        codes.sort_unstable();
        codes
    };
    let (was, is) = (codes(before), codes(after));
    let list = |codes: &[String]| crate::json::to_json(&codes);
    (was != is).then(|| Difference::between("diagnostics", None, &list(&was), &list(&is)))
}

/// The recorded hooks that would not run now, and why. `carried` are hooks of the recording that no settings hold.
pub(super) fn gone(
    line: &Line,
    pairs: &[Option<usize>],
    snapshot: &Snapshot,
    (carried, event): (&[Arc<Hook>], &Event),
    known: &Known<'_>,
) -> Vec<Difference> {
    let missing = |index: &usize| !pairs.contains(&Some(*index));
    let indices: Vec<usize> = (0..line.hooks.len()).filter(missing).collect();
    if indices.is_empty() {
        return Vec::new();
    }
    let host = (snapshot.dialect, snapshot.fail_mode);
    let known = Some(known).filter(|_| !is_whole(line));
    let explained: Vec<(&Arc<Hook>, Doing, Judgement)> =
        plan::explain(&snapshot.hooks, carried, event, host, known)
            .into_iter()
            .map(|(hook, judgement)| (hook, Doing::of(hook), judgement))
            .collect();
    let difference = |index: usize| {
        let form = line.hooks.get(index)?;
        let of_event = || explained.iter().filter(|(hook, ..)| hook.event == form.event);
        let mut same = of_event().filter_map(|(hook, doing, judgement)| match judgement {
            Judgement::Not(why) if is_same(line, form, hook, doing) => Some(why.clone()),
            _ => None,
        });
        let mut other = of_event().filter_map(|(hook, doing, _)| {
            let key = doing.other_setting(form, line.own_rules)??;
            Some(format!("{} runs the same, but its `{key}` is another", hook.id))
        });
        let why = same.next_back().or_else(|| other.next());
        let why = why.unwrap_or_else(|| "it is not configured any more".to_owned());
        let message = format!("{} ran and would not run: {why}", form.id);
        let (hook, recorded) = (Some(form.id.clone()), None);
        Some(Difference { what: "not_run", hook, recorded, now: None, message })
    };
    indices.into_iter().filter_map(difference).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_long_text_with_a_secret_was_cut_is_no_difference() {
        let text = |length: usize, end: &str| quote(&format!("TOKEN=[redacted] {}{end}", "x".repeat(length)));
        let list = |text: &str| format!("[{text},1]");
        for (was, is, wanted) in [
            (text(900, "..."), text(920, "..."), true),
            (text(920, "..."), text(900, ""), true),
            (list(&text(900, "")), list(&text(901, "")), true),
            (text(9, "..."), text(10, "..."), false),
            (text(900, "y..."), text(920, "..."), false),
            (quote(&"x".repeat(900)), quote(&"x".repeat(901)), false),
            (list(&text(900, "")), text(900, ""), false),
        ] {
            assert_eq!(alike_but_cut(&was, &is), wanted, "{was} {is}");
        }
    }

    #[test]
    fn what_was_taken_out_may_be_anything_and_nothing_else_may() {
        for (was, is, wanted) in [
            (r#"{"a": 1}"#, r#"{"a":1}"#, true),
            (r#""see [redacted] and [redacted]!""#, r#""see x and y!""#, true),
            (r#""see [redacted]""#, r#""see [redacted]""#, true),
            (r#""[redacted] a""#, r#""x b""#, false),
            (r#""a [redacted]""#, r#""b x""#, false),
            (r#""a [redacted] b [redacted] c""#, r#""a x c""#, false),
            (r#""a""#, r#""ab""#, false),
        ] {
            assert_eq!(alike(&compact(was), &compact(is)), wanted, "{was} {is}");
        }
    }
}
