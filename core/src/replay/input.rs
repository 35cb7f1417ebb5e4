//! Whether a hook would be given now what it was given when it was recorded.

use std::collections::HashMap;
use std::sync::Arc;

use super::recall;
use crate::dialect::Dialect;
use crate::event::Event;
use crate::plan::Plan;
use crate::record::form::{EndForm, HookForm, Line};
use crate::translation;

/// By the place in the plan: why a hook that ran then would be given something else. `main` is the dialect of the event,
/// which is there as it was told `then` and as it is told `now`.
pub(super) fn changed(
    line: &Line,
    (then, now): (&Event, &Event),
    plan: &Plan,
    pairs: &[Option<usize>],
    main: &'static Dialect,
) -> Result<HashMap<usize, String>, String> {
    let mut changed = HashMap::new();
    let recorded: Result<Vec<_>, String> =
        line.hooks.iter().map(|form| recall::hook(form).map(Arc::new)).collect();
    let recorded = Plan::of(recorded?, Vec::new());
    let answers = |index: &Option<usize>| index.and_then(|index| line.hooks.get(index)).is_none_or(hands_on);
    let before = before(&recorded, |index| Some(Some(index)).filter(answers));
    let today = self::before(plan, |index| pairs.get(index).copied().filter(answers));
    for (index, hook) in plan.hooks.iter().enumerate() {
        let Some(Some(form)) = pairs.get(index) else { continue };
        if !is_told_alike(then, now, main, hook.dialect) {
            let why = "it would be told the call in other words than when this was recorded (`tools`), so its answer is not known";
            changed.insert(index, why.to_owned());
        } else if before.get(form) != today.get(&index) {
            let why = "other hooks would change what it is given than when this was recorded, so its answer is not known";
            changed.insert(index, why.to_owned());
        }
    }
    Ok(changed)
}

fn is_told_alike(then: &Event, now: &Event, main: &'static Dialect, hooks: &'static Dialect) -> bool {
    let told = |event: &Event| translation::tell(event, main, hooks).map(|told| told.event.json().to_owned());
    then.json() == now.json()
        || (hooks != main && told(then).zip(told(now)).is_some_and(|(then, now)| then == now))
}

/// By the place in a plan: the hooks before it that may hand on a changed event. `named` tells by which recorded hook
/// one is known, if it counts.
fn before<T: Clone>(plan: &Plan, named: impl Fn(usize) -> Option<T>) -> HashMap<usize, Vec<T>> {
    let mut before = HashMap::new();
    for lane in plan.lanes.iter().filter(|lane| lane.chained) {
        let mut seen: Vec<T> = Vec::new();
        for index in &lane.hooks {
            if !seen.is_empty() {
                before.insert(*index, seen.clone());
            }
            seen.extend(named(*index));
        }
    }
    before
}

/// Whether a hook said anything that could change the event for the next.
fn hands_on(form: &HookForm) -> bool {
    let result = &form.result;
    match result.end {
        EndForm::Exited(code) => code == 0 && result.stdout.kept > 0,
        EndForm::Answered(_) | EndForm::Responded { .. } => true,
        _ => false,
    }
}
