//! Hooks that run in the background: started, not waited for, and never deciding anything.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::Serialize;
use tokio::sync::{Notify, oneshot};

use crate::diagnostic::Code;
use crate::dialect::Message;
use crate::event::Event;
use crate::hook::{FailMode, Hook};
use crate::outcome::Status;
use crate::process::{Cancel, EngineDriver};
use crate::reply::{self, ReplyContext};
use crate::run::{self, End, RawResult};
use crate::runtime;
use crate::snapshot::Snapshot;
use crate::spill;
use crate::watch::{HookNote, Listeners, Notice};

/// So many late results are kept for a host that does not take them; the oldest go first.
const KEPT: usize = 256;

/// A background hook that runs.
#[derive(Debug, Clone, Serialize)]
pub struct BackgroundHook {
    /// Unique within the engine.
    pub number: u64,
    /// The hook.
    pub hook: HookNote,
    /// The event that started it.
    pub event: String,
    /// How long it has been running, in milliseconds.
    pub running_ms: f64,
}

/// What a background hook had to say after its event was over. Only of dialects that deliver it.
#[derive(Debug, Clone, Serialize)]
pub struct LateResult {
    /// Unique within the engine.
    pub number: u64,
    /// The hook.
    pub hook: HookNote,
    /// The event that started it.
    pub event: String,
    /// The event's session.
    pub session_id: Option<String>,
    /// How it ended.
    pub status: Status,
    /// For the model.
    pub additional_context: Option<String>,
    /// For the user.
    pub system_message: Option<String>,
    /// What wakes the model, also when it waits for the user: the hook asked for that with exit code 2 (Claude Code's
    /// `asyncRewake`).
    pub wake: Option<String>,
    /// What failed.
    pub error: Option<String>,
}

/// The background hooks of one engine.
#[derive(Debug, Default)]
pub(crate) struct Background {
    state: Mutex<State>,
    /// Rings when one has ended.
    ended: Notify,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    running: BTreeMap<u64, Running>,
    late: VecDeque<LateResult>,
}

#[derive(Debug)]
struct Running {
    hook: Arc<Hook>,
    event: String,
    since: Instant,
    cancel: Cancel,
}

impl Background {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a hook and does not wait for its end. `named` is the event's name as the host gave it. Once this is done
    /// its process exists, so that a host that exits at once does not take it along.
    pub(crate) async fn start(
        self: &Arc<Self>,
        hook: &Arc<Hook>,
        (named, event): (&str, &Event),
        snapshot: &Arc<Snapshot>,
        listeners: &Arc<Listeners>,
        (dispatch, tag): (u64, u64),
    ) -> RawResult {
        let cancel = Cancel::new();
        let Some(place) = self.take_place(hook, named, &cancel) else {
            let why = format!(
                "all {} background slots are taken",
                hook.dialect.background_slots.unwrap_or_default()
            );
            return RawResult::skipped(Code::AsyncSlotsFull, why);
        };
        let (hook, named, event) = (hook.clone(), named.to_owned(), event.clone());
        let (snapshot, listeners) = (snapshot.clone(), listeners.clone());
        let (started, starts) = oneshot::channel();
        let work = async move {
            let late_results = snapshot.surroundings.late_results && hook.dialect.delivers_late;
            let context = run::Context {
                surroundings: &snapshot.surroundings,
                settings: &snapshot.hooks,
                driver: &EngineDriver,
                cancel: &cancel,
                discard_output: !late_results,
                tag,
            };
            let raw = telling_the_first_poll(run::run(&hook, &event, &context), started).await;
            let status = place.end(&hook, (&named, &event), &raw, late_results);
            // Whoever is told finds it gone.
            drop(place);
            listeners.tell(|| Notice::BackgroundFinished {
                dispatch,
                event: named,
                hook: HookNote::of(&hook),
                status,
                exit_code: raw.exit_code(),
                duration_ms: raw.duration_ms(),
            });
        };
        match runtime::spawn(work) {
            Ok(_) => {
                // An error means that the engine was shut down meanwhile: the hook has ended.
                let _ = starts.await;
                RawResult::without_output(End::Background)
            }
            Err(error) => RawResult::without_output(End::NotStarted(format!("no engine thread: {error}"))),
        }
    }

    fn take_place(self: &Arc<Self>, hook: &Arc<Hook>, named: &str, cancel: &Cancel) -> Option<Place> {
        let mut state = self.state();
        let taken = state.running.values().filter(|running| running.hook.dialect == hook.dialect).count();
        // What the dialect lets finish on its own takes no slot (qwen.md section 15 and its fire-and-forget events).
        let detached = hook.rule.is_some_and(|rule| rule.detached);
        if !detached && hook.dialect.background_slots.is_some_and(|slots| taken >= slots) {
            return None;
        }
        state.next = state.next.saturating_add(1);
        let number = state.next;
        let running = Running {
            hook: hook.clone(),
            event: named.to_owned(),
            since: Instant::now(),
            cancel: cancel.clone(),
        };
        state.running.insert(number, running);
        drop(state);
        Some(Place { background: self.clone(), number })
    }

    /// Those that run now.
    pub(crate) fn list(&self) -> Vec<BackgroundHook> {
        let describe = |(number, running): (&u64, &Running)| BackgroundHook {
            number: *number,
            hook: HookNote::of(&running.hook),
            event: running.event.clone(),
            running_ms: run::millis(running.since.elapsed()),
        };
        self.state().running.iter().map(describe).collect()
    }

    /// Ends one, or all. Returns how many.
    pub(crate) fn cancel(&self, number: Option<u64>) -> usize {
        let state = self.state();
        let meant = state.running.iter().filter(|(key, _)| number.is_none_or(|number| number == **key));
        let cancels: Vec<Cancel> = meant.map(|(_, running)| running.cancel.clone()).collect();
        drop(state);
        cancels.iter().for_each(Cancel::cancel);
        cancels.len()
    }

    /// Takes what the ended ones had to say.
    pub(crate) fn take_late(&self) -> Vec<LateResult> {
        self.state().late.drain(..).collect()
    }

    /// Resolves when none runs any more.
    pub(crate) async fn idle(&self) {
        loop {
            let ended = self.ended.notified();
            if self.state().running.is_empty() {
                return;
            }
            ended.await;
        }
    }
}

/// Rings when `future` was polled once: a command is started then.
async fn telling_the_first_poll<F: Future>(future: F, polled: oneshot::Sender<()>) -> F::Output {
    let (mut future, mut polled) = (std::pin::pin!(future), Some(polled));
    std::future::poll_fn(|context| {
        let poll = future.as_mut().poll(context);
        if let Some(polled) = polled.take() {
            // Whoever started the hook may be gone.
            let _ = polled.send(());
        }
        poll
    })
    .await
}

/// One running hook's entry; taken out when dropped.
struct Place {
    background: Arc<Background>,
    number: u64,
}

impl Place {
    /// Reads what the hook had to say, and keeps it if it is to be delivered.
    fn end(
        &self,
        hook: &Arc<Hook>,
        (named, event): (&str, &Event),
        raw: &RawResult,
        late_results: bool,
    ) -> Status {
        let Some(rule) = hook.rule else { return Status::Ok };
        let context = ReplyContext { rule, event, hook, chained: false };
        let mut reply = reply::read(&context, raw, FailMode::Open);
        if late_results {
            spill::cut(&context, &mut reply, &mut spill::Files::default());
            if hook.dialect.late_message == Message::Model {
                let texts = [reply.context.take(), reply.message.take()];
                let texts: Vec<String> = texts.into_iter().flatten().collect();
                reply.context = (!texts.is_empty()).then(|| texts.join("\n"));
            }
            let late = LateResult {
                number: self.number,
                hook: HookNote::of(hook),
                event: named.to_owned(),
                session_id: event.string("session_id"),
                status: reply.status,
                additional_context: reply.context,
                system_message: reply.message,
                wake: wake(hook, raw),
                error: reply.error,
            };
            let mut state = self.background.state();
            if state.late.len() >= KEPT {
                state.late.pop_front();
            }
            state.late.push_back(late);
        }
        reply.status
    }
}

/// What a hook that wakes the model has to say: its standard error, else its standard output.
fn wake(hook: &Hook, raw: &RawResult) -> Option<String> {
    let wakes = hook.wakes && raw.exit_code() == Some(2);
    wakes.then(|| {
        let texts = [&raw.stderr, &raw.stdout].map(|bytes| String::from_utf8_lossy(bytes).trim().to_owned());
        texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
    })
}

impl Drop for Place {
    fn drop(&mut self) {
        self.background.state().running.remove(&self.number);
        self.background.ended.notify_waiters();
    }
}
