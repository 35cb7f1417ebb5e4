//! What each hook of a plan gives in a replay.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::Pairs;
use super::compare::Difference;
use super::recall;
use crate::diagnostic::Code;
use crate::hook::{FailMode, Hook};
use crate::record::form::{EndForm, HookForm, Line, ResultForm};
use crate::run::RawResult;
use crate::spill::Files;

/// What the hooks of a dispatch gave, in the place of running them.
#[derive(Debug)]
pub(crate) struct Recorded {
    /// By the ids that the hooks have now; without a result, why there is none.
    results: HashMap<String, Result<ResultForm, String>>,
    spilled: Vec<String>,
    /// The hooks without a result.
    lacking: Vec<Difference>,
}

impl Recorded {
    /// `pairs` says which recorded hook each of `hooks` is; `usual` is the fail mode of hooks that have none of their own.
    pub(super) fn new(line: &Line, hooks: &[Arc<Hook>], pairs: &Pairs, usual: FailMode) -> Self {
        let (mut results, mut lacking) = (HashMap::new(), Vec::new());
        // What never runs needs no result.
        let running = |(hook, _): &(&Arc<Hook>, _)| hook.closed_off(usual).is_none();
        for (hook, pair) in hooks.iter().zip(&pairs.pairs).filter(running) {
            let result = match pair.and_then(|index| line.hooks.get(index)) {
                None => Err("it did not run when this was recorded, so its answer is not known".to_owned()),
                Some(form) if pairs.as_recorded => Ok(form.result.clone()),
                Some(form) => given(hook, form),
            };
            if let Err(why) = &result {
                lacking.push(Difference::lacking(hook, why));
            }
            results.insert(hook.id.clone(), result);
        }
        Self { results, spilled: line.spilled.clone(), lacking }
    }

    /// What the hook gave; `usual` is the fail mode of hooks that have none of their own.
    pub(crate) fn raw(&self, hook: &Hook, usual: FailMode) -> RawResult {
        if let Some(off) = hook.closed_off(usual) {
            return RawResult::off(off);
        }
        match self.results.get(&hook.id) {
            Some(Ok(form)) => recall::result(form),
            Some(Err(why)) => RawResult::skipped(Code::NotRecorded, why.clone()),
            None => RawResult::skipped(Code::NotRecorded, "nothing is recorded of it".to_owned()),
        }
    }

    fn form(&self, hook: &Hook) -> Option<&ResultForm> {
        self.results.get(&hook.id)?.as_ref().ok()
    }

    /// How many hooks had ended before it.
    pub(crate) fn finished(&self, hook: &Hook) -> Option<usize> {
        self.form(hook).map(|form| form.finished)
    }

    /// Where its too long texts went.
    pub(crate) fn files(&self, hook: &Hook) -> Files {
        Files::recorded(self.form(hook).map(|form| form.spilled.clone()).unwrap_or_default())
    }

    /// Where too long texts of several hooks went.
    pub(crate) fn joined_files(&self) -> Files {
        Files::recorded(self.spilled.clone())
    }

    /// Whether every hook has a result.
    pub(super) fn is_complete(&self) -> bool {
        self.lacking.is_empty()
    }

    pub(super) fn into_lacking(self) -> Vec<Difference> {
        self.lacking
    }
}

/// What the recorded hook would have given as it is configured now; or why that cannot be known.
fn given(hook: &Hook, form: &HookForm) -> Result<ResultForm, String> {
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
        EndForm::Background | EndForm::Skipped { .. } => Ok(form.result.clone()),
        _ if hook.background => with(EndForm::Background),
        EndForm::Exited(_) | EndForm::Signaled(_) | EndForm::Answered(_) | EndForm::Responded { .. }
            if limit < before && form.result.duration_ms > limit.as_secs_f64() * 1e3 =>
        {
            with(EndForm::TimedOut)
        }
        _ => Ok(form.result.clone()),
    }
}
