//! The front door: plan, run, reply, outcome, and nothing more.

mod changes;
mod display;
mod function;
mod goals;
mod linting;
mod live;
mod manage;
mod rendering;
mod replay;
mod steps;

use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use crate::background::{BackgroundHook, LateResult};
use crate::diagnostic::Diagnostic;
use crate::dispatch::{self, Call, Planned, Shared, dispatch, plan};
use crate::error::{Error, ErrorKind};
use crate::event::{Event, camel_case};
use crate::fields::{Field, HostObject};
use crate::host::Host;
use crate::json::to_json;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::process::{self, Cancel, EngineDriver, LocalDriver};
use crate::record::Recorder;
use crate::report::{self, Explanation, Listing};
use crate::runtime;
use crate::session::{GOAL_EVENT, Sessions};
use crate::snapshot::Snapshot;
use crate::watch::Notice;

use live::Live;

pub use changes::{Change, Changes, FileChange, FileFate};
pub use display::MessageDisplay;
pub use function::FunctionSpec;
pub use manage::{Registered, WantedGrant};
pub use replay::replay;
pub use steps::Steps;

/// A set of hooks, ready to run.
///
/// Cheap to clone; all clones are one engine. May be used from several threads at once. Starts no thread before it
/// needs one, and survives a `fork` of the host: the child simply starts anew.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    live: Live,
    shared: Shared,
}

/// A dispatch that was started with [`Engine::start`].
#[derive(Debug, Clone)]
pub struct Run {
    cancel: Cancel,
}

impl Run {
    /// Ends the hooks of this dispatch, whole process groups; they are reported as `cancelled`. May be called from
    /// any thread, more than once, and after the end.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let snapshot = self.inner.live.snapshot();
        f.debug_struct("Engine")
            .field("dialect", &snapshot.dialect)
            .field("hooks", &snapshot.hooks.hooks.len())
            .finish()
    }
}

impl Engine {
    /// Makes an engine: reads the settings once and keeps them.
    ///
    /// # Errors
    /// `invalid_options`: an unknown dialect. `io`, `invalid_settings`: a source that was named cannot be read, or is
    /// not JSON. A bad entry inside a source is no error: see [`Engine::diagnostics`].
    pub fn new(options: Options) -> Result<Self, Error> {
        Self::build(options, None)
    }

    /// [`Engine::new`] with a host that answers prompt, agent and function hooks.
    ///
    /// # Errors
    /// As [`Engine::new`].
    pub fn with_host(options: Options, host: Arc<dyn Host>) -> Result<Self, Error> {
        Self::build(options, Some(host))
    }

    fn build(options: Options, host: Option<Arc<dyn Host>>) -> Result<Self, Error> {
        let recorder = options.record.as_ref().map(Recorder::new).transpose()?;
        let live = Live::new(options, host)?;
        Ok(Self { inner: Arc::new(Inner { live, shared: Shared { recorder, ..Shared::default() } }) })
    }

    /// Makes an engine from the options object as JSON text.
    ///
    /// # Errors
    /// As [`Options::from_json`] and [`Engine::new`].
    pub fn from_json(options: &str) -> Result<Self, Error> {
        Self::new(Options::from_json(options)?)
    }

    /// Runs one event on the calling thread and waits for its outcome.
    ///
    /// `event` is UTF-8 JSON; a `String` or `Vec<u8>` is taken over without a copy.
    ///
    /// # Errors
    /// `invalid_event`; `engine_thread` when called from inside a completion callback, where it would wait for
    /// itself; `internal` for a defect in this library, which a careful host treats as a denied event.
    pub fn dispatch_blocking(&self, event: impl Into<Vec<u8>>) -> Result<Outcome, Error> {
        refuse_on_engine_thread()?;
        let snapshot = self.inner.live.snapshot();
        let planned = self.plan(&snapshot, event)?;
        self.run_here(&snapshot, planned)
    }

    fn plan(&self, snapshot: &Snapshot, event: impl Into<Vec<u8>>) -> Result<Planned, Error> {
        let event = Event::parse(event)?;
        let work = AssertUnwindSafe(|| plan(snapshot, &self.inner.shared, event));
        std::panic::catch_unwind(work).map_err(|_| panicked())
    }

    /// The outcome of an event that fires no hook, from the few fields that tell so: for a host whose event is an object of
    /// its own, which need not be written as JSON then. `field` is asked for top-level fields by their exact names, and must
    /// answer what their JSON would say, the same each time; what it is not asked for is not looked at. It may call this
    /// engine.
    ///
    /// `None`: a hook is selected, or the fields do not tell (a faulty event is one of these). Nothing has happened then;
    /// the event is to be dispatched as JSON. The outcome of that and this one are the same.
    pub fn dispatch_by_fields(&self, mut field: impl FnMut(&str) -> Field) -> Option<Outcome> {
        let snapshot = self.inner.live.snapshot();
        let work = AssertUnwindSafe(|| {
            dispatch::by_fields(&snapshot, &self.inner.shared, &HostObject::new(&mut field)?)
        });
        // After a panic the event is dispatched as JSON, and what is wrong is said there.
        let outcome = std::panic::catch_unwind(work).ok()??;
        Some(self.inner.live.with_news(outcome))
    }

    /// The fields that alone decide which hooks an event of this name fires, each with the two names that it may have; the
    /// first counts when the event has both. For a host that remembers which events fired no hook: until it changes the
    /// engine (reloads, registers, grants, ...), others that agree in these fields fire none either, and their outcomes
    /// are the same. `None` when a session has a say too, or every dispatch is recorded.
    #[must_use]
    pub fn selection_fields(&self, event_name: &str) -> Option<Vec<[String; 2]>> {
        let snapshot = self.inner.live.snapshot();
        let recorded = self.inner.shared.recorder.is_some();
        if recorded || !Sessions::reads(event_name, snapshot.dialect).is_empty() || event_name == GOAL_EVENT {
            return None;
        }
        let fields = snapshot.planner.fields(event_name)?;
        Some(fields.iter().map(|field| [(*field).to_owned(), camel_case(field)]).collect())
    }

    fn run_here(&self, snapshot: &Arc<Snapshot>, planned: Planned) -> Result<Outcome, Error> {
        let driver = LocalDriver::new();
        let cancel = Cancel::new();
        let work = AssertUnwindSafe(|| {
            if planned.is_idle() {
                return dispatch::idle(snapshot, &self.inner.shared, &planned);
            }
            driver.block_on(dispatch(
                snapshot,
                &self.inner.shared,
                planned,
                &driver,
                &cancel,
                Call::default(),
            ))
        });
        std::panic::catch_unwind(work)
            .map(|outcome| self.inner.live.with_news(outcome))
            .map_err(|_| panicked())
    }

    /// [`Engine::dispatch_blocking`] with another driver in the place of the processes.
    #[cfg(feature = "internals")]
    pub(crate) fn dispatch_on<D: process::Driver>(
        &self,
        event: impl Into<Vec<u8>>,
        driver: &D,
    ) -> Result<Outcome, Error> {
        let snapshot = self.inner.live.snapshot();
        let planned = self.plan(&snapshot, event)?;
        let (cancel, call) = (Cancel::new(), Call { waits: true, ..Call::default() });
        let work = dispatch(&snapshot, &self.inner.shared, planned, driver, &cancel, call);
        Ok(self.inner.live.with_news(LocalDriver::new().block_on(work)))
    }

    /// Starts one event and returns at once. `done` is called exactly once with the outcome: on an engine thread or, when
    /// nothing has to be waited for because no hook is selected, on the calling thread before this returns. It must be
    /// quick, must not block and must not panic.
    pub fn start(
        &self,
        event: impl Into<Vec<u8>>,
        done: impl FnOnce(Result<Outcome, Error>) + Send + 'static,
    ) -> Run {
        self.start_tagged(0, event, done)
    }

    /// [`Engine::start`] with a tag of the host's, which comes back with everything that this dispatch asks the host:
    /// [`Request::tag`](crate::Request::tag).
    pub fn start_tagged(
        &self,
        tag: u64,
        event: impl Into<Vec<u8>>,
        done: impl FnOnce(Result<Outcome, Error>) + Send + 'static,
    ) -> Run {
        let (run, begun) = self.begin(tag, event.into(), done);
        if let Some((_, work)) = begun {
            // When no thread can be had, the future is dropped here and its promise is kept with an error.
            drop(runtime::spawn(work));
        }
        run
    }

    /// Begins one event on the calling thread: what is left to do, and whether it is the host alone that does it. `None`:
    /// nothing had to be waited for, and `done` was called.
    fn begin<F>(
        &self,
        tag: u64,
        event: Vec<u8>,
        done: F,
    ) -> (Run, Option<(bool, impl Future<Output = ()> + Send + 'static)>)
    where
        F: FnOnce(Result<Outcome, Error>) + Send + 'static,
    {
        let run = Run { cancel: Cancel::new() };
        let snapshot = self.inner.live.snapshot();
        let planned = match self.plan(&snapshot, event) {
            // Nothing to wait for, so this cannot block.
            Ok(planned) if planned.is_idle() => {
                done(self.run_here(&snapshot, planned));
                return (run, None);
            }
            planned => planned,
        };
        let asks_only = planned.as_ref().is_ok_and(Planned::asks_only);
        let mut promise = Promise(Some(done));
        let (engine, cancel) = (self.clone(), run.cancel.clone());
        let call = Call { tag, ..Call::default() };
        let work = async move {
            let outcome = match planned {
                Ok(planned) => {
                    caught(dispatch(&snapshot, &engine.inner.shared, planned, &EngineDriver, &cancel, call))
                        .await
                }
                Err(error) => Err(error),
            };
            promise.keep(outcome.map(|outcome| engine.inner.live.with_news(outcome)));
        };
        (run, Some((asks_only, work)))
    }

    /// Runs one event; works on any executor. Dropping the future cancels the hooks.
    ///
    /// # Errors
    /// As [`Engine::dispatch_blocking`], without `engine_thread`.
    pub async fn dispatch(&self, event: impl Into<Vec<u8>> + Send) -> Result<Outcome, Error> {
        struct CancelOnDrop(Run);
        impl Drop for CancelOnDrop {
            fn drop(&mut self) {
                self.0.cancel();
            }
        }
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let event: Vec<u8> = event.into();
        let _guard = CancelOnDrop(self.start(event, move |result| drop(sender.send(result))));
        receiver.await.unwrap_or_else(|_| Err(closed()))
    }

    /// Forgets what the engine knows of a session: its count of prevented stops, its hooks that run once, and the hooks
    /// that were registered for it alone. Returns whether there was anything. Sessions that are never ended cost bounded
    /// memory, but for what was registered for them.
    pub fn end_session(&self, session_id: &str) -> bool {
        let unregistered = self.unregister_session(session_id);
        self.inner.shared.sessions.end(session_id) || unregistered
    }

    /// Calls `listener` for everything that happens in this engine's dispatches from now on, on the thread where it
    /// happens: it must be quick and must not block. Returns a number for [`Engine::unwatch`].
    pub fn watch(&self, listener: impl Fn(&Notice) + Send + Sync + 'static) -> u64 {
        self.inner.shared.listeners.add(Arc::new(listener))
    }

    /// Takes a listener away. Returns whether it was there; one that is being called at the moment may still finish.
    pub fn unwatch(&self, number: u64) -> bool {
        self.inner.shared.listeners.remove(number)
    }

    /// The background hooks that run now.
    #[must_use]
    pub fn background(&self) -> Vec<BackgroundHook> {
        self.inner.shared.background.list()
    }

    /// [`Engine::background`] as a JSON array.
    #[must_use]
    pub fn background_json(&self) -> String {
        to_json(&self.background())
    }

    /// Ends one background hook, whole process group, or all of them. Returns how many it was.
    pub fn cancel_background(&self, number: Option<u64>) -> usize {
        self.inner.shared.background.cancel(number)
    }

    /// Waits until no background hook of this engine runs any more, at most for `limit`. Returns whether that is so.
    /// Works on any executor.
    pub async fn background_done(&self, limit: Duration) -> bool {
        let background = &self.inner.shared.background;
        if background.list().is_empty() {
            return true;
        }
        let Ok(timer) = runtime::timer(limit) else { return false };
        let (mut timer, mut idle) = (std::pin::pin!(timer), std::pin::pin!(background.idle()));
        let done = std::future::poll_fn(|context| {
            if idle.as_mut().poll(context).is_ready() {
                return Poll::Ready(true);
            }
            timer.as_mut().poll(context).map(|_| false)
        })
        .await;
        timer.abort();
        done
    }

    /// [`Engine::background_done`] on the calling thread.
    ///
    /// # Errors
    /// `engine_thread` when called from inside a completion callback.
    pub fn wait_background(&self, limit: Duration) -> Result<bool, Error> {
        refuse_on_engine_thread()?;
        Ok(LocalDriver::new().block_on(self.background_done(limit)))
    }

    /// Takes what background hooks had to say since the last call, where their dialect delivers it. At most the latest
    /// 256 are kept.
    #[must_use]
    pub fn take_late_results(&self) -> Vec<LateResult> {
        self.inner.shared.background.take_late()
    }

    /// [`Engine::take_late_results`] as a JSON array.
    #[must_use]
    pub fn take_late_results_json(&self) -> String {
        to_json(&self.take_late_results())
    }

    /// Which hooks would run for this event, which not, and why. Runs nothing.
    ///
    /// # Errors
    /// `invalid_event`.
    pub fn explain(&self, event: impl Into<Vec<u8>>) -> Result<Vec<Explanation>, Error> {
        let snapshot = self.inner.live.snapshot();
        let event = snapshot.tools.tell(Event::parse(event)?).event;
        let goal: Vec<_> =
            self.inner.shared.sessions.goal_hook(&event, snapshot.dialect).into_iter().collect();
        let has_host = snapshot.surroundings.host.is_some();
        let host = (snapshot.dialect, snapshot.fail_mode);
        Ok(report::explain(&snapshot.hooks, &goal, &event, host, has_host))
    }

    /// [`Engine::explain`] as a JSON array.
    ///
    /// # Errors
    /// `invalid_event`.
    pub fn explain_json(&self, event: impl Into<Vec<u8>>) -> Result<String, Error> {
        self.explain(event).map(|all| to_json(&all))
    }

    /// Every configured hook, those that cannot run included.
    #[must_use]
    pub fn list(&self) -> Vec<Listing> {
        let snapshot = self.inner.live.snapshot();
        match snapshot.surroundings.host {
            Some(_) => report::list(&snapshot.hooks),
            None => report::list_without_host(&snapshot.hooks),
        }
    }

    /// [`Engine::list`] as a JSON array.
    #[must_use]
    pub fn list_json(&self) -> String {
        to_json(&self.list())
    }

    /// What was noticed while the settings were loaded.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.inner.live.snapshot().hooks.diagnostics.clone()
    }

    /// [`Engine::diagnostics`] as a JSON array.
    #[must_use]
    pub fn diagnostics_json(&self) -> String {
        to_json(&self.diagnostics())
    }

    /// Ends everything that runs in this process, background hooks too, and the engine thread that all engines share.
    /// Waits for it, two seconds at most. Safe to call more than once; the next dispatch starts anew.
    pub fn shutdown() {
        runtime::shutdown(Duration::from_secs(2));
    }

    /// Kills, without mercy, what is left of hooks whose dispatch is over (those that timed out and ignore a polite
    /// signal). Background hooks go on. For a host that is about to exit and will not call [`Engine::shutdown`].
    pub fn end_foreground() {
        process::end_condemned();
    }

    /// The state that the methods besides dispatching work on.
    pub(crate) fn live(&self) -> &Live {
        &self.inner.live
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.inner.shared
    }
}

pub(crate) fn refuse_on_engine_thread() -> Result<(), Error> {
    if runtime::is_engine_thread() {
        let text = "a blocking call was made on an engine thread; use the non-blocking one there";
        return Err(Error::new(ErrorKind::EngineThread, text));
    }
    Ok(())
}

/// A completion callback that is called exactly once: with the result, or when it is dropped without one.
struct Promise<F: FnOnce(Result<Outcome, Error>)>(Option<F>);

impl<F: FnOnce(Result<Outcome, Error>)> Promise<F> {
    fn keep(&mut self, result: Result<Outcome, Error>) {
        if let Some(done) = self.0.take() {
            done(result);
        }
    }
}

impl<F: FnOnce(Result<Outcome, Error>)> Drop for Promise<F> {
    fn drop(&mut self) {
        self.keep(Err(closed()));
    }
}

/// Turns a panic of `future` into an error.
async fn caught<F: Future>(future: F) -> Result<F::Output, Error> {
    let mut future = Box::pin(future);
    std::future::poll_fn(move |context| {
        let poll = AssertUnwindSafe(|| future.as_mut().poll(context));
        match std::panic::catch_unwind(poll) {
            Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
            Ok(Poll::Pending) => Poll::Pending,
            Err(_) => Poll::Ready(Err(panicked())),
        }
    })
    .await
}

fn panicked() -> Error {
    let text = "a defect in Crosshook (a panic) was caught; treat the event as denied and please report it";
    Error::new(ErrorKind::Internal, text)
}

fn closed() -> Error {
    Error::new(ErrorKind::Closed, "the engine was shut down, or its thread could not be started")
}
