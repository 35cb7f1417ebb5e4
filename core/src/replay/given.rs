//! What each hook of a plan gives in a replay.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::Pairs;
use super::compare::Difference;
use super::recall;
use crate::diagnostic::Code;
use crate::dialect::Longest;
use crate::dispatch::Given;
use crate::hook::{FailMode, Hook, HookSet};
use crate::record::MARK;
use crate::record::form::{ActionForm, EndForm, HookForm, Line, Output, ResultForm};
use crate::record::note::{Doing, ground};
use crate::run::RawResult;
use crate::snapshot::Snapshot;
use crate::spill::{Cut, Files, TOKEN};

/// What the hooks of a dispatch gave, in the place of running them.
#[derive(Debug)]
pub(super) struct Recorded {
    /// By the ids that the hooks have now; without a result, why there is none.
    results: HashMap<String, Result<ResultForm, String>>,
    spilled: Vec<Cut>,
    /// The hooks without a result.
    lacking: Vec<Difference>,
}

impl Recorded {
    /// What is known of `hooks`, the hooks of a plan.
    pub(super) fn new(line: &Line, hooks: &[Arc<Hook>], pairs: &Pairs, snapshot: &Snapshot) -> Self {
        let (mut results, mut lacking) = (HashMap::new(), Vec::new());
        for (index, (hook, pair)) in hooks.iter().zip(&pairs.pairs).enumerate() {
            // What never runs needs no result.
            if hook.closed_off(snapshot.fail_mode).is_some() {
                continue;
            }
            let changed = pairs.changed.get(&index);
            let result = match (pair.and_then(|index| line.hooks.get(index)), changed) {
                (None, _) => Err(never_ran(line, hook)),
                (Some(form), _) if pairs.as_recorded => Ok(form.result.clone()),
                (Some(_), Some(why)) => Err(why.clone()),
                (Some(form), None) => given(hook, form, &snapshot.hooks),
            };
            if let Err(why) = &result {
                lacking.push(Difference::lacking(hook, why));
            }
            results.insert(hook.id.clone(), result);
        }
        Self { results, spilled: line.spilled.clone(), lacking }
    }

    fn form(&self, hook: &Hook) -> Option<&ResultForm> {
        self.results.get(&hook.id)?.as_ref().ok()
    }

    /// Whether every hook has a result.
    pub(super) fn is_complete(&self) -> bool {
        self.lacking.is_empty()
    }

    pub(super) fn into_lacking(self) -> Vec<Difference> {
        self.lacking
    }
}

impl Given for Recorded {
    fn raw(&self, hook: &Hook, usual: FailMode) -> RawResult {
        if let Some(off) = hook.closed_off(usual) {
            return RawResult::off(off);
        }
        match self.results.get(&hook.id) {
            Some(Ok(form)) => recall::result(form),
            Some(Err(why)) => RawResult::skipped(Code::NotRecorded, why.clone()),
            None => RawResult::skipped(Code::NotRecorded, "nothing is recorded of it".to_owned()),
        }
    }

    fn finished(&self, hook: &Hook) -> Option<usize> {
        self.form(hook).map(|form| form.finished)
    }

    fn files(&self, hook: &Hook) -> Files {
        Files::recorded(self.form(hook).map(|form| form.spilled.clone()).unwrap_or_default())
    }

    fn joined_files(&self) -> Files {
        Files::recorded(self.spilled.clone())
    }
}

/// Why nothing is recorded of a hook.
fn never_ran(line: &Line, hook: &Hook) -> String {
    let doing = Doing::of(hook);
    match line.hooks.iter().find_map(|form| doing.other_setting(form, line.own_rules)?) {
        Some(key) => {
            format!("it ran with another `{key}` when this was recorded, so its answer is not known")
        }
        None => "it did not run when this was recorded, so its answer is not known".to_owned(),
    }
}

/// What the recorded hook would have given as it is configured now; or why that cannot be known. `settings` are those of
/// now.
fn given(hook: &Hook, form: &HookForm, settings: &HookSet) -> Result<ResultForm, String> {
    let (limit, before) = (hook.time_limit(), Duration::from_millis(form.timeout_ms));
    let with = |end: EndForm| Ok(ResultForm { end, ..form.result.clone() });
    let waits = !hook.background && !hook.rule.is_some_and(|rule| rule.detached);
    match &form.result.end {
        EndForm::Background if waits => {
            Err("it ran in the background when this was recorded, so its answer is not known".to_owned())
        }
        EndForm::Skipped { code: Code::OnceUsed, .. } if !hook.once => {
            Err("it had had its only run when this was recorded, so its answer is not known".to_owned())
        }
        EndForm::Off { why, .. } => {
            Err(format!("it was held back when this was recorded ({why}), so its answer is not known"))
        }
        EndForm::TimedOut if limit > before => Err(format!(
            "it did not finish within {before:?} when this was recorded, and has {limit:?} now, so its answer is not known"
        )),
        EndForm::Skipped { .. } => Ok(form.result.clone()),
        _ if hook.once && !form.once => {
            Err("it runs only once a session now, and may have had that run, so its answer is not known".to_owned())
        }
        _ if ground(hook, settings) != form.ground => {
            Err("the settings of what hooks inherit or may reach are others than when this was recorded, so its answer is not known"
                .to_owned())
        }
        EndForm::Background => Ok(form.result.clone()),
        _ if hook.background => with(EndForm::Background),
        EndForm::TimedOut | EndForm::NotStarted(_) | EndForm::Cancelled => Ok(form.result.clone()),
        _ if limit < before && form.result.duration_ms > limit.as_secs_f64() * 1e3 => {
            with(EndForm::TimedOut)
        }
        _ if is_cut_otherwise(hook, form) => {
            Err("more or less of what it says would be kept than when this was recorded, so its answer is not known"
                .to_owned())
        }
        _ => Ok(form.result.clone()),
    }
}

/// Whether what the hook wrote, or the context that it gave, would be cut elsewhere than it was.
fn is_cut_otherwise(hook: &Hook, form: &HookForm) -> bool {
    let result = &form.result;
    let is_process = matches!(form.action, ActionForm::Command { .. } | ActionForm::Process { .. });
    let limit = hook.output_limit as u64;
    let cut = |output: &Output| output.kept > limit || (output.total > output.kept && output.kept != limit);
    if is_process && (cut(&result.stdout) || cut(&result.stderr)) {
        return true;
    }
    // A text that is whole is cut again; that of a secret is not known.
    let Some(Longest::Tokens(usual)) = hook.dialect.longest_text else { return false };
    let tokens = |own: Option<u64>| Some(own.unwrap_or(usual)).filter(|own| *own > 0).unwrap_or(u64::MAX);
    let (now, then) = (tokens(hook.context_limit), tokens(form.context_limit));
    let is_short = |output: &Output| output.kept.div_ceil(TOKEN as u64) <= now.min(then);
    let is_whole = |output: &Output| !output.text.contains(MARK);
    let answer = match &result.end {
        EndForm::Answered(text) => !text.contains(MARK),
        _ => true,
    };
    now != then && !((is_short(&result.stdout) || is_whole(&result.stdout)) && answer)
}
