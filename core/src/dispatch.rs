//! One event through the five steps.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use crate::background::Background;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Dialect;
use crate::event::Event;
use crate::fields::{Fields, HostObject};
use crate::hook::{Action, FailMode, Hook};
use crate::json::Object;
use crate::outcome::{Answered, Outcome, merge};
use crate::plan::{Lane, Plan};
use crate::process::{Cancel, Driver};
use crate::record::{Begun, Ended, Recorder, SessionState};
use crate::reply::{self, ReplyContext};
use crate::run::{self, RawResult};
use crate::session::Sessions;
use crate::snapshot::Snapshot;
use crate::spill::{self, Cut, Files};
use crate::trace;
use crate::translation::{self, Arguments, Mapped};
use crate::watch::{self, HookNote, Listeners, Notice};

/// What outlives a snapshot: it belongs to the engine.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) sessions: Sessions,
    pub(crate) background: Arc<Background>,
    pub(crate) listeners: Arc<Listeners>,
    /// Writes every dispatch down.
    pub(crate) recorder: Option<Recorder>,
}

/// What the hooks of a dispatch gave when they ran, in the place of running them again.
pub(crate) trait Given: fmt::Debug + Sync {
    /// What the hook gave; `usual` is the fail mode of hooks that have none of their own.
    fn raw(&self, hook: &Hook, usual: FailMode) -> RawResult;

    /// How many hooks had ended before it.
    fn finished(&self, hook: &Hook) -> Option<usize>;

    /// Where its too long texts went.
    fn files(&self, hook: &Hook) -> Files;

    /// Where too long texts of several hooks went.
    fn joined_files(&self) -> Files;
}

/// What whoever dispatches wants of one dispatch.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Call<'a> {
    /// Hooks that the dialect does not wait for are waited for all the same.
    pub(crate) waits: bool,
    /// The host's own mark, for what it is asked.
    pub(crate) tag: u64,
    /// Nothing runs: this is what the hooks gave when they ran.
    pub(crate) given: Option<&'a dyn Given>,
}

/// An event as its session sees it, and what is to run for it.
pub(crate) struct Planned {
    /// In the words of the host's dialect.
    event: Event,
    /// In the host's own words, where they are others and are to be recorded.
    own: Option<Event>,
    plan: Arc<Plan>,
    /// How the arguments of the host's tool were renamed.
    arguments: Arguments,
    notes: Vec<Diagnostic>,
}

impl Planned {
    /// An event as its session saw it, with a plan for it.
    pub(crate) fn of(mapped: Mapped, plan: Arc<Plan>) -> Self {
        let Mapped { event, arguments, hidden } = mapped;
        let notes = note_hidden(&event, &hidden).into_iter().collect();
        Self { event, own: None, plan, arguments, notes }
    }

    fn ended<'a>(&'a self, snapshot: &'a Snapshot, spilled: Vec<Cut>, outcome: &'a Outcome) -> Ended<'a> {
        let own = self.own.as_ref().unwrap_or(&self.event);
        Ended { snapshot, own, event: &self.event, spilled, outcome }
    }

    /// Whether nothing is to run.
    pub(crate) fn is_idle(&self) -> bool {
        self.plan.hooks.is_empty()
    }

    /// Whether only functions of the host are to run, and all of them are waited for.
    pub(crate) fn asks_only(&self) -> bool {
        self.plan.hooks.iter().all(|hook| {
            matches!(hook.action, Action::Function { .. }) && !hook.background && !is_detached(hook)
        })
    }
}

/// Whether the dialect does not wait for the hook.
fn is_detached(hook: &Hook) -> bool {
    hook.rule.is_some_and(|rule| rule.detached)
}

/// Decides once which hooks run for an event.
pub(crate) fn plan(snapshot: &Snapshot, shared: &Shared, event: Event) -> Planned {
    let event = shared.sessions.prepare(event, snapshot.dialect);
    let own = (shared.recorder.is_some() && !snapshot.tools.is_empty()).then(|| event.clone());
    let mapped = snapshot.tools.tell(event);
    let plan = select(snapshot, shared, &mapped.event);
    Planned { own, ..Planned::of(mapped, plan) }
}

/// Arguments of a call that no hook sees.
fn note_hidden(event: &Event, hidden: &[String]) -> Option<Diagnostic> {
    let first = hidden.first()?;
    let tool = event.string("tool_name").unwrap_or_default();
    let text = format!(
        "the call of {tool} has an argument `{first}` beside the one that hooks know by that name; they do not see it"
    );
    Some(Diagnostic::warning(Code::EventField, text))
}

fn select(snapshot: &Snapshot, shared: &Shared, event: &dyn Fields) -> Arc<Plan> {
    let goal: Vec<Arc<Hook>> = shared.sessions.goal_hook(event, snapshot.dialect).into_iter().collect();
    snapshot.planner.plan(&goal, event)
}

/// The outcome of an event that fires no hook.
pub(crate) fn idle(snapshot: &Snapshot, shared: &Shared, planned: &Planned) -> Outcome {
    let begun = begin_record(snapshot, shared, planned, &[]);
    let (number, mut outcome) = pass(snapshot, shared, &planned.event, &planned.plan);
    if let Some(begun) = begun {
        let ended = planned.ended(snapshot, Vec::new(), &outcome);
        outcome.diagnostics.extend(begun.end(ended));
    }
    tell_diagnostics(shared, number, &outcome);
    outcome
}

/// Keeps what is to be recorded and will be gone when the outcome is there.
fn begin_record<'a>(
    snapshot: &Snapshot,
    shared: &'a Shared,
    planned: &Planned,
    answered: &[Answered],
) -> Option<Begun<'a>> {
    let recorder = shared.recorder.as_ref()?;
    let dialect = snapshot.dialect;
    let cap_env = dialect.stop_cap.as_ref().and_then(|cap| snapshot.surroundings.env.get(cap.env?));
    let session = SessionState {
        prevented: shared.sessions.prevented(&planned.event, dialect),
        cap_setting: snapshot.hooks.merged(dialect).stop_hook_blocking_cap,
        cap_env: cap_env.map(|value| value.to_string_lossy().into_owned()),
    };
    let noticed = &planned.plan.diagnostics;
    let aliases = aliases(snapshot, planned, answered);
    Some(recorder.begin((answered, &snapshot.hooks), session, noticed, aliases))
}

/// The names that the arguments of the tool have with the host and with hooks of other dialects.
fn aliases(snapshot: &Snapshot, planned: &Planned, answered: &[Answered]) -> Vec<Arguments> {
    let (event, main) = (&planned.event, snapshot.dialect);
    let mut all = snapshot.tools.arguments(event);
    let mut others: Vec<&'static Dialect> = Vec::new();
    for one in answered {
        let dialect = one.hook.dialect;
        if dialect != main && !others.contains(&dialect) {
            others.push(dialect);
        }
    }
    let told = others.into_iter().filter_map(|dialect| translation::tell(event, main, dialect));
    all.extend(told.map(|told| told.arguments));
    all.push(planned.arguments.clone());
    all.retain(|arguments| !arguments.is_empty());
    all
}

/// The outcome of an object of the host's, when its fields tell that it fires no hook. Else nothing has happened yet.
pub(crate) fn by_fields(snapshot: &Snapshot, shared: &Shared, event: &HostObject<'_>) -> Option<Outcome> {
    if shared.recorder.is_some() {
        // The whole event is written down.
        return None;
    }
    let plan = select(snapshot, shared, &snapshot.tools.over(event));
    for field in Sessions::reads(event.name(), snapshot.dialect) {
        event.value(field);
    }
    if event.is_unclear() || !plan.hooks.is_empty() {
        return None;
    }
    shared.sessions.begin(event, snapshot.dialect);
    let (number, outcome) = pass(snapshot, shared, event, &plan);
    tell_diagnostics(shared, number, &outcome);
    Some(outcome)
}

/// The outcome of a dispatch in which nothing runs, and the dispatch's number.
fn pass(snapshot: &Snapshot, shared: &Shared, event: &dyn Fields, plan: &Plan) -> (u64, Outcome) {
    let number = watch::next_dispatch();
    trace::idle(event.name(), number);
    let diagnostics = plan.diagnostics.clone();
    let mut outcome = Outcome { event: event.name().to_owned(), diagnostics, ..Outcome::default() };
    settle(snapshot, shared, event, &mut outcome);
    (number, outcome)
}

fn settle(snapshot: &Snapshot, shared: &Shared, event: &dyn Fields, outcome: &mut Outcome) {
    let cap = || snapshot.hooks.merged(snapshot.dialect).stop_hook_blocking_cap;
    let env = &snapshot.surroundings.env;
    shared.sessions.settle(event, snapshot.dialect, snapshot.version, env, cap, outcome);
}

fn tell_diagnostics(shared: &Shared, number: u64, outcome: &Outcome) {
    for diagnostic in &outcome.diagnostics {
        shared.listeners.tell(|| Notice::Diagnostic {
            dispatch: number,
            event: outcome.event.clone(),
            diagnostic: diagnostic.clone(),
        });
    }
}

/// Runs the hooks of one event on `driver`. The snapshot is the one that it was planned with.
pub(crate) async fn dispatch<D: Driver>(
    snapshot: &Arc<Snapshot>,
    shared: &Shared,
    planned: Planned,
    driver: &D,
    cancel: &Cancel,
    call: Call<'_>,
) -> Outcome {
    let (event, plan) = (&planned.event, &planned.plan);
    let run = run::Context {
        surroundings: &snapshot.surroundings,
        settings: &snapshot.hooks,
        driver,
        cancel,
        discard_output: false,
        tag: call.tag,
    };
    let number = watch::next_dispatch();
    let dispatch = Dispatch {
        snapshot,
        shared,
        run,
        event: event.name(),
        number,
        waits: call.waits,
        given: call.given,
        finished: AtomicUsize::new(0),
    };
    let lanes = join_all(plan.lanes.iter().map(|lane| dispatch.lane(plan, lane, event)));
    let (mut all, mut notes) = (Vec::with_capacity(plan.hooks.len()), Vec::new());
    for (note, lane) in trace::dispatch(event.name(), number, lanes).await {
        notes.extend(note);
        all.extend(lane);
    }
    all.sort_by_key(|(index, _)| *index);
    let answered = all.into_iter().map(|(_, one)| one).collect();
    let outcome = conclude(snapshot, shared, &planned, (answered, notes), call.given);
    tell_diagnostics(shared, number, &outcome);
    outcome
}

/// Makes one outcome of what the hooks gave, and of what was noticed when the event was told to them.
fn conclude(
    snapshot: &Snapshot,
    shared: &Shared,
    planned: &Planned,
    (answered, told): (Vec<Answered>, Vec<Diagnostic>),
    given: Option<&dyn Given>,
) -> Outcome {
    let Planned { event, plan, arguments, notes, .. } = planned;
    let begun = begin_record(snapshot, shared, planned, &answered);
    for verdict in answered.iter().filter_map(|one| one.reply.verdict.as_ref()) {
        shared.sessions.judge_goal(event, verdict);
    }
    let noticed = plan.diagnostics.iter().chain(notes).chain(&told).cloned().collect();
    let mut outcome = merge(event, answered, noticed);
    outcome.updated_input = outcome.updated_input.map(|input| arguments.back(&input));
    outcome.updated_permissions = outcome.updated_permissions.map(|raw| snapshot.tools.permissions(raw));
    let mut files = given.map(Given::joined_files).unwrap_or_default();
    spill::cut_joined(&plan.hooks, &mut outcome, &mut files);
    settle(snapshot, shared, event, &mut outcome);
    if let Some(begun) = begun {
        let ended = planned.ended(snapshot, files.cuts, &outcome);
        outcome.diagnostics.extend(begun.end(ended));
    }
    outcome
}

/// One dispatch under way.
struct Dispatch<'a, D> {
    snapshot: &'a Arc<Snapshot>,
    shared: &'a Shared,
    run: run::Context<'a, D>,
    /// The event's name as the host gave it.
    event: &'a str,
    number: u64,
    /// Hooks that the dialect does not wait for are waited for all the same.
    waits: bool,
    given: Option<&'a dyn Given>,
    /// Hooks that have ended.
    finished: AtomicUsize,
}

impl<D: Driver> Dispatch<'_, D> {
    /// Runs the hooks of one dialect, which read the event in its words.
    async fn lane(
        &self,
        plan: &Plan,
        lane: &Lane,
        event: &Event,
    ) -> (Option<Diagnostic>, Vec<(usize, Answered)>) {
        let main = self.snapshot.dialect;
        let told = if lane.dialect == main { None } else { translation::tell(event, main, lane.dialect) };
        let Some(told) = told else { return (None, self.hooks(plan, lane, event).await) };
        let note = note_hidden(&told.event, &told.hidden);
        let mut answered = self.hooks(plan, lane, &told.event).await;
        for (_, one) in &mut answered {
            let reply = &mut one.reply;
            reply.input = reply.input.take().map(|change| change.map(|raw| told.arguments.back(&raw)));
            let updates = reply.permissions.take();
            reply.permissions = updates.map(|raw| translation::permissions(&raw, lane.dialect, main));
        }
        (note, answered)
    }

    async fn hooks(&self, plan: &Plan, lane: &Lane, event: &Event) -> Vec<(usize, Answered)> {
        let hooks = lane.hooks.iter().filter_map(|index| Some((*index, plan.hooks.get(*index)?)));
        if !lane.sequential {
            let all = hooks.map(|(index, hook)| async move { (index, self.hook(hook, event, false).await) });
            return join_all(all).await;
        }
        let mut current = event.clone();
        let mut answered = Vec::with_capacity(lane.hooks.len());
        for (index, hook) in hooks {
            let one = self.hook(hook, &current, lane.chained).await;
            if lane.chained
                && let Some(next) = handed_on(&current, &one)
            {
                current = next;
            }
            answered.push((index, one));
        }
        answered
    }

    async fn hook(&self, hook: &Arc<Hook>, event: &Event, chained: bool) -> Answered {
        trace::hook(hook, self.hook_in_span(hook, event, chained)).await
    }

    async fn hook_in_span(&self, hook: &Arc<Hook>, event: &Event, chained: bool) -> Answered {
        let (listeners, dispatch) = (&self.shared.listeners, self.number);
        let (raw, mut files) = match self.given {
            Some(given) => (given.raw(hook, self.snapshot.fail_mode), given.files(hook)),
            None => (self.run_hook(hook, event).await, Files::default()),
        };
        let fail_mode = hook.fail_mode.unwrap_or(self.snapshot.fail_mode);
        let reply = match hook.rule {
            Some(rule) => {
                let context = ReplyContext { rule, event, hook, chained };
                let mut reply = reply::read(&context, &raw, fail_mode);
                spill::cut(&context, &mut reply, &mut files);
                reply
            }
            None => reply::Reply::default(),
        };
        trace::ended(&reply);
        listeners.tell(|| Notice::Finished {
            dispatch,
            event: self.event.to_owned(),
            hook: HookNote::of(hook),
            status: reply.status,
            decision: reply.decision,
            duration_ms: raw.duration_ms(),
        });
        let finished = self.finished.fetch_add(1, Ordering::Relaxed);
        let finished = self.given.and_then(|given| given.finished(hook)).unwrap_or(finished);
        Answered { hook: hook.clone(), raw, reply, finished, spilled: files.cuts }
    }

    async fn run_hook(&self, hook: &Arc<Hook>, event: &Event) -> RawResult {
        if let Some(off) = hook.closed_off(self.snapshot.fail_mode) {
            return RawResult::off(off);
        }
        // Hooks of two dialects are never one.
        let once = || format!("{}\0{}", hook.dialect.name, hook.action.label());
        if hook.once && !self.shared.sessions.first_run(event, &once()) {
            return RawResult::skipped(Code::OnceUsed, "it runs only once a session, and has run".to_owned());
        }
        let (listeners, dispatch) = (&self.shared.listeners, self.number);
        listeners.tell(|| Notice::Started {
            dispatch,
            event: self.event.to_owned(),
            hook: HookNote::of(hook),
        });
        let detached = !self.waits && is_detached(hook);
        if hook.background || detached {
            let (event, call) = ((self.event, event), (dispatch, self.run.tag));
            return self.shared.background.start(hook, event, self.snapshot, listeners, call).await;
        }
        run::run(hook, event, &self.run).await
    }
}

/// The event as the next hook of a sequence sees it.
fn handed_on(event: &Event, one: &Answered) -> Option<Event> {
    // A hook that failed changes nothing for the others.
    if one.raw.exit_code().is_some_and(|code| code != 0) {
        return None;
    }
    let context = ReplyContext { rule: one.hook.rule?, event, hook: &one.hook, chained: true };
    let changes = (one.hook.dialect.chain?)(&context, &one.reply);
    if changes.is_empty() {
        return None;
    }
    let patch = crate::json::write_object(changes.iter().map(|(key, raw)| (*key, raw.as_str())));
    let merged = crate::json::shallow_merge(event.fields(), &Object::from_raw(&patch)?)?;
    Event::parse(merged.get()).ok()
}

/// Waits for all futures at once; the results stand in their order.
async fn join_all<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut running: Vec<Option<Pin<Box<F>>>> = futures.map(|future| Some(Box::pin(future))).collect();
    let mut outputs: Vec<Option<F::Output>> = running.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        let mut ready = true;
        for (slot, output) in running.iter_mut().zip(&mut outputs) {
            let Some(future) = slot else { continue };
            match future.as_mut().poll(context) {
                Poll::Ready(value) => {
                    *output = Some(value);
                    *slot = None;
                }
                Poll::Pending => ready = false,
            }
        }
        if ready { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    outputs.into_iter().flatten().collect()
}
