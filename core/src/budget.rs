//! A time that all hooks of one event share (codebuddy-claude.md section 12, SessionEnd).

use std::sync::Arc;
use std::time::Duration;

use crate::hook::Hook;

/// Cuts the time limits of the selected hooks to what their event leaves them.
pub(crate) fn share(hooks: &mut [Arc<Hook>]) {
    let cut: Vec<Option<Duration>> = hooks.iter().map(|hook| limit(hook, hooks)).collect();
    for (hook, limit) in hooks.iter_mut().zip(cut) {
        if let Some(limit) = limit.filter(|limit| *limit < hook.timeout) {
            let mut shorter = Hook::clone(hook);
            shorter.timeout = limit;
            *hook = Arc::new(shorter);
        }
    }
}

/// The budget of the hook's event: raised by the longest timeout that a hook of its dialect has itself.
fn limit(hook: &Hook, all: &[Arc<Hook>]) -> Option<Duration> {
    let budget = hook.rule?.budget?;
    if hook.budget.is_some() {
        return hook.budget;
    }
    let own = all.iter().filter(|other| other.dialect == hook.dialect && other.own_timeout);
    let longest = own.map(|other| other.timeout.min(budget.highest)).max().unwrap_or_default();
    Some(budget.usual.max(longest))
}
