//! Deciding a recorded dispatch again, without running anything (docs/record-replay.md).
//!
//! The steps are the usual ones; only the third is left out: in the place of a run stands what it gave when it was
//! recorded.

mod compare;
mod given;
mod input;
mod recall;

use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use serde::Serialize;

pub use compare::Difference;
use given::Recorded;

use crate::dispatch::{Call, Planned, Shared, dispatch};
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::hook::{Action, Hook, HookSet};
use crate::outcome::Outcome;
use crate::plan::{Known, Plan, Planner, Unknown};
use crate::process::{Cancel, LocalDriver};
use crate::record::MARK;
use crate::record::form::{HookForm, Line};
use crate::record::note::Doing;
use crate::settings;
use crate::snapshot::Snapshot;
use crate::translation::Mapped;

/// A recorded dispatch and what would be decided now.
#[derive(Debug, Clone, Serialize)]
pub struct Replay {
    /// When it was recorded (RFC 3339, UTC).
    pub time: String,
    /// The version of Crosshook that recorded it.
    pub crosshook: String,
    /// The dialect of the engine that recorded it.
    pub dialect: String,
    /// The event's name.
    pub event: String,
    /// Whether all is decided as it was; then there are no differences.
    pub same: bool,
    /// What is not as it was.
    pub differences: Vec<Difference>,
    /// What is decided now. A hook without a recorded result is `skipped` in it.
    pub outcome: Outcome,
}

impl Replay {
    /// The replay as one line of JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        crate::json::to_json(self)
    }
}

/// Decides a line of a recording again by the hooks that it holds.
pub(crate) fn replay_alone(line: &[u8]) -> Result<Replay, Error> {
    alone(&read(line)?)
}

fn alone(line: &Line) -> Result<Replay, Error> {
    let event = line.tools.tell(Event::parse(line.event.get())?);
    let snapshot = Arc::new(recall::snapshot(line).map_err(unusable)?);
    let plan = Arc::new(Plan::of(snapshot.hooks.hooks.clone(), line.plan.clone()));
    let pairs = (0..line.hooks.len()).map(Some).collect();
    let pairs = Pairs { pairs, as_recorded: true, ..Pairs::default() };
    decide(line, event, &snapshot, &plan, pairs)
}

/// Decides a line of a recording again by the hooks of `snapshot`.
pub(crate) fn replay_with(line: &[u8], snapshot: &Arc<Snapshot>) -> Result<Replay, Error> {
    let line = read(line)?;
    if line.dialect != snapshot.dialect.name {
        return Err(unusable(format!(
            "an engine of the dialect {} recorded it, and this one speaks {}",
            line.dialect, snapshot.dialect.name
        )));
    }
    let own = Event::parse(line.event.get())?;
    let then = line.tools.tell(own.clone()).event;
    let now = snapshot.tools.tell(own);
    let (snapshot, carried) = with_carried(&line, snapshot).map_err(unusable)?;
    let ran = |hook: &Hook| {
        let doing = Doing::of(hook);
        line.hooks.iter().any(|form| is_same(&line, form, hook, &doing))
    };
    // What was said of the call in other words says nothing of it in these.
    let judged: &[_] = if then.json() == now.event.json() { &line.judged } else { &[] };
    let known = Known { mark: MARK, judged, ran: &ran };
    let (plan, unknown) = if is_whole(&line) {
        (snapshot.planner.plan(&carried, &now.event), Vec::new())
    } else {
        let (plan, unknown) = snapshot.planner.plan_of_rest(&carried, &now.event, &known);
        (Arc::new(plan), unknown)
    };
    let pairs = pair(&line, &plan.hooks);
    let gone = compare::gone(&line, &pairs, &snapshot, (&carried, &now.event), &known);
    let changed = input::changed(&line, (&then, &now.event), &plan, &pairs, snapshot.dialect);
    let changed = changed.map_err(unusable)?;
    let then = line.outcome.get().contains(MARK).then(|| alone(&line)).transpose()?;
    let then = then.map(|replay| replay.outcome);
    let pairs = Pairs { pairs, gone, changed, unknown, then, as_recorded: false };
    decide(&line, now, &snapshot, &plan, pairs)
}

/// Whether nothing was taken out of the event.
fn is_whole(line: &Line) -> bool {
    line.redacted == 0 || !line.event.get().contains(MARK)
}

fn read(line: &[u8]) -> Result<Line, Error> {
    let text = std::str::from_utf8(line).map_err(|error| {
        unusable(format!("it is not UTF-8: invalid byte at offset {}", error.valid_up_to()))
    })?;
    Line::read(text).map_err(unusable)
}

fn unusable(why: String) -> Error {
    Error::new(ErrorKind::InvalidEvent, format!("the recorded dispatch cannot be decided again: {why}"))
}

/// How a plan and the recorded hooks go together.
#[derive(Default)]
struct Pairs {
    /// Indices into the recorded hooks, in the order of the plan.
    pairs: Vec<Option<usize>>,
    /// The recorded hooks that would not run now.
    gone: Vec<Difference>,
    /// By the place in the plan: why a hook would be given something else than it was.
    changed: HashMap<usize, String>,
    /// It is not known whether these would run.
    unknown: Vec<Unknown>,
    /// What the recorded hooks alone give, where a part of the recorded outcome was taken out.
    then: Option<Outcome>,
    /// The plan is the recorded one.
    as_recorded: bool,
}

impl Pairs {
    /// Whether the hooks stand in another order than they did.
    fn is_reordered(&self) -> bool {
        let mut known = self.pairs.iter().flatten();
        let mut last = known.next();
        known.any(|index| last.replace(index).is_some_and(|last| last > index))
    }
}

/// The set of a snapshot with what no settings hold: the functions that the host had registered, and the goal.
fn with_carried(line: &Line, snapshot: &Arc<Snapshot>) -> Result<(Arc<Snapshot>, Vec<Arc<Hook>>), String> {
    let (mut functions, mut goals) = (Vec::new(), Vec::new());
    for form in &line.hooks {
        let known = || snapshot.hooks.hooks.iter().any(|hook| is_of_host(hook) && hook.id == form.id);
        let hook = recall::hook(form)?;
        match hook.action {
            Action::Goal { .. } => goals.push(Arc::new(hook)),
            Action::Function { .. } if !known() => functions.push(Arc::new(hook)),
            _ => {}
        }
    }
    if functions.is_empty() {
        return Ok((snapshot.clone(), goals));
    }
    let mut set = HookSet {
        hooks: snapshot.hooks.hooks.clone(),
        diagnostics: Vec::new(),
        merged: snapshot.hooks.merged.clone(),
    };
    set.hooks.extend(functions);
    settings::sort_hooks(&mut set.hooks, snapshot.dialect);
    let planner = Arc::new(Planner::new(&set, snapshot.dialect, snapshot.fail_mode));
    let snapshot = Snapshot { hooks: Arc::new(set), planner, ..Snapshot::clone(snapshot) };
    Ok((Arc::new(snapshot), goals))
}

/// Finds for each hook the recorded one that does the same, best the one at the same place.
fn pair(line: &Line, hooks: &[Arc<Hook>]) -> Vec<Option<usize>> {
    let mut taken = vec![false; line.hooks.len()];
    let mut pairs: Vec<Option<usize>> = vec![None; hooks.len()];
    let doings: Vec<Doing> = hooks.iter().map(|hook| Doing::of(hook)).collect();
    for same_place in [true, false] {
        let slots = pairs.iter_mut().zip(hooks.iter().zip(&doings));
        for (slot, (hook, doing)) in slots.filter(|(slot, _)| slot.is_none()) {
            let mut free = line.hooks.iter().zip(&mut taken).enumerate();
            let found = free.find(|(_, (form, taken))| {
                !**taken && (form.id == hook.id || !same_place) && is_same(line, form, hook, doing)
            });
            if let Some((index, (_, taken))) = found {
                *taken = true;
                *slot = Some(index);
            }
        }
    }
    pairs
}

/// Whether a hook is the recorded one. What the host brought is known by its id: when it was carried over, its texts may
/// have lost secrets.
fn is_same(line: &Line, form: &HookForm, hook: &Hook, doing: &Doing) -> bool {
    (is_of_host(hook) && form.id == hook.id) || doing.is(form, line.own_rules)
}

/// Whether no settings hold it.
fn is_of_host(hook: &Hook) -> bool {
    matches!(hook.action, Action::Goal { .. } | Action::Function { .. })
}

fn decide(
    line: &Line,
    event: Mapped,
    snapshot: &Arc<Snapshot>,
    plan: &Arc<Plan>,
    pairs: Pairs,
) -> Result<Replay, Error> {
    let recorded = Recorded::new(line, &plan.hooks, &pairs, snapshot);
    let name = event.event.name().to_owned();
    let shared = Shared::default();
    if line.session.prevented > 0 {
        shared.sessions.set_prevented(&event.event, line.session.prevented);
    }
    let outcome = run(snapshot, &shared, Planned::of(event, plan.clone()), &recorded)?;
    let mut differences = compare::outcomes(line, &outcome, &pairs, recorded.is_complete());
    differences.extend(pairs.gone);
    differences.extend(pairs.unknown.iter().map(|(hook, why)| Difference::not_known(hook, why)));
    differences.extend(recorded.into_lacking());
    Ok(Replay {
        time: line.time.clone(),
        crosshook: line.crosshook.clone(),
        dialect: line.dialect.clone(),
        event: name,
        same: differences.is_empty(),
        differences,
        outcome,
    })
}

/// The usual way of an event; nothing in it waits.
fn run(
    snapshot: &Arc<Snapshot>,
    shared: &Shared,
    planned: Planned,
    recorded: &Recorded,
) -> Result<Outcome, Error> {
    let (driver, cancel) = (LocalDriver::new(), Cancel::new());
    let call = Call { given: Some(recorded), ..Call::default() };
    let mut work = pin!(dispatch(snapshot, shared, planned, &driver, &cancel, call));
    match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => Ok(outcome),
        Poll::Pending => {
            Err(Error::new(ErrorKind::Internal, "a replay waits for something; please report this defect"))
        }
    }
}
