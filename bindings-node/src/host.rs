//! One JavaScript environment: what needs its thread, its loop, or its end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};

use crosshook::{Error, ErrorKind, Outcome};
use napi::bindgen_prelude::{Either, FnArgs, Function, Object};
use napi::{Env, Result};
use napi_derive::napi;

use crate::channel::{Channel, Deliver, Message};
use crate::engine::NativeEngine;
use crate::fields;
use crate::frame::{self, Answer, Frame, Functions};
use crate::life::Life;
use crate::reply::{Reply, Text, bytes};
use crate::waits::{Waits, Work, limit};

/// The native side of one loaded copy of the package. The environment's cleanup hook ends it.
#[napi]
pub struct NativeHost {
    pub(crate) life: Arc<Life>,
    functions: Rc<Functions>,
    waits: Waits,
}

#[napi]
impl NativeHost {
    /// `deliver` hears every message, `ask_now` answers a hook while the thread is blocked. Neither may throw.
    #[napi(constructor, catch_unwind)]
    pub fn new(
        env: Env,
        deliver: Deliver<'_>,
        ask_now: Function<'_, FnArgs<(i64, String)>, Answer>,
    ) -> Result<Self> {
        let functions = Functions { deliver: deliver.create_ref()?, ask_now: ask_now.create_ref()? };
        // The queue first: hooks run in the opposite order, and the end of this environment may still need it.
        let life = Life::begin(Channel::new(&deliver)?);
        env.add_env_cleanup_hook(Arc::clone(&life), |life| life.end(false))?;
        Ok(Self { life, functions: Rc::new(functions), waits: Waits::default() })
    }

    /// Whether the environment's loop is kept alive. It is not at the beginning.
    #[napi(catch_unwind)]
    pub fn hold(&self, env: Env, hold: bool) -> Result<()> {
        self.life.channel.hold(&env, hold)
    }

    /// Starts one event. Answers at once when nothing has to be waited for; else the answer is delivered. `id` is the
    /// caller's own number for it. `in_order`: the answer must not overtake what listeners are told.
    #[napi(catch_unwind)]
    pub fn start(&self, engine: &NativeEngine, id: i64, event: Text, in_order: bool) -> Option<Reply> {
        let at_once = Arc::new(AtOnce::new(in_order));
        let done = Done { id: Some(id), life: Arc::clone(&self.life), at_once: Arc::clone(&at_once) };
        let (core, event) = (engine.core.clone(), bytes(event));
        self.life.runs.open(id);
        // A panic drops `done`, and that answers. Whatever the core may ask on this thread now is no matter of an outer
        // `dispatchSync`: it can wait.
        let started = frame::within(None, || {
            catch_unwind(AssertUnwindSafe(move || {
                #[cfg(feature = "probe")]
                crate::probe::hit(&event, "probe-start");
                // What it asks is on its way to JavaScript before an engine thread has to wait for the answers.
                core.start_in_steps(0, event, move |result| done.call(result)).0
            }))
        });
        if let Ok(run) = started {
            self.life.runs.started(id, run);
        }
        at_once.close()
    }

    /// The outcome of an event that fires no hook: the event's name when it says nothing else. `None`: the event is to be
    /// started as JSON.
    #[napi(catch_unwind)]
    pub fn dispatch_by_fields(
        &self,
        env: Env,
        engine: &NativeEngine,
        event: Object<'_>,
    ) -> Option<Either<String, Reply>> {
        let core = engine.core.clone();
        let field = |key: &str| fields::field(&env, &event, key);
        // A getter of the event's runs JavaScript, which is no matter of an outer `dispatchSync`.
        let outcome = frame::within(None, || core.dispatch_by_fields(field))?;
        Some(if outcome.is_blank() { Either::A(outcome.event) } else { Either::B(Ok(outcome).into()) })
    }

    /// Cancels the dispatch that was started as `id`; its answer comes when its hooks are gone.
    #[napi(catch_unwind)]
    pub fn cancel(&self, id: i64) {
        self.life.runs.cancel(id);
    }

    /// Runs one event and blocks the JavaScript thread until its outcome is there. Functions of the host are called
    /// directly meanwhile.
    #[napi(catch_unwind)]
    pub fn dispatch_sync(&self, env: Env, engine: &NativeEngine, event: Text) -> Reply {
        let core = engine.core.clone();
        let frame = Frame::new(env, &self.functions);
        frame::within(Some(frame), || core.dispatch_blocking(bytes(event))).into()
    }

    /// Answers the request `id`: with `text`, or with `why` there is none. Too late or twice has no effect.
    #[napi(catch_unwind)]
    pub fn answer(&self, id: i64, text: Option<String>, why: Option<String>) {
        let none = || why.unwrap_or_else(|| "there is no answer".to_owned());
        self.life.requests.answer(id, text.ok_or_else(none));
    }

    /// Waits until the engine's background hooks have ended, `limit_ms` at most. The JSON text `true` or `false` when
    /// that is known already; else a message tells when to call [`NativeHost::poll`] with the same `id`.
    #[napi(catch_unwind)]
    pub fn wait_background(&self, engine: &NativeEngine, id: i64, limit_ms: Option<f64>) -> Option<String> {
        let (core, limit) = (engine.core.clone(), limit(limit_ms));
        self.wait(id, Box::pin(async move { core.background_done(limit).await.to_string() }))
    }

    /// The result of the wait `id`, when it has come to its end.
    #[napi(catch_unwind)]
    pub fn poll(&self, id: i64) -> Option<String> {
        self.waits.poll(id)
    }

    /// Gives the wait `id` up.
    #[napi(catch_unwind)]
    pub fn drop_wait(&self, id: i64) {
        self.waits.drop(id);
    }

    /// Cancels what runs in this environment and waits for it. `process_ends`: the process exits right after.
    #[napi(catch_unwind)]
    pub fn end(&self, process_ends: bool) {
        self.life.end(process_ends);
    }
}

impl NativeHost {
    /// Drives `work` on the JavaScript thread. The result, when it is there at once.
    pub(crate) fn wait(&self, id: i64, work: Work) -> Option<String> {
        self.waits.start(id, &self.life, work)
    }
}

/// The answer of a dispatch that ended on the JavaScript thread before the call that started it returned.
struct AtOnce {
    /// `None` when answers have to be delivered.
    thread: Option<ThreadId>,
    slot: Mutex<Slot>,
}

enum Slot {
    Open,
    Filled(Reply),
    Closed,
}

impl AtOnce {
    fn new(in_order: bool) -> Self {
        let thread = (!in_order).then(|| thread::current().id());
        Self { thread, slot: Mutex::new(Slot::Open) }
    }

    /// Takes the answer, or gives it back to be delivered.
    fn fill(&self, reply: Reply) -> Option<Reply> {
        if self.thread != Some(thread::current().id()) {
            return Some(reply);
        }
        let mut slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        match *slot {
            Slot::Open => {
                *slot = Slot::Filled(reply);
                None
            }
            Slot::Filled(_) | Slot::Closed => Some(reply),
        }
    }

    fn close(&self) -> Option<Reply> {
        let mut slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *slot, Slot::Closed) {
            Slot::Filled(reply) => Some(reply),
            Slot::Open | Slot::Closed => None,
        }
    }
}

/// Answers one dispatch exactly once, whatever happens: with the outcome, or with `internal` when it is dropped unused.
struct Done {
    id: Option<i64>,
    life: Arc<Life>,
    at_once: Arc<AtOnce>,
}

impl Done {
    fn call(mut self, result: std::result::Result<Outcome, Error>) {
        self.settle(result);
    }

    /// Usually runs on an engine thread, so that a long outcome does not hold up the JavaScript thread.
    fn settle(&mut self, result: std::result::Result<Outcome, Error>) {
        // Before `take`: should this panic, the answer is still owed and given by `drop`.
        let reply = Reply::from(result);
        #[cfg(feature = "probe")]
        crate::probe::hit(reply.json.as_deref().unwrap_or_default().as_bytes(), "probe-done");
        if let Some(id) = self.id.take() {
            if let Some(reply) = self.at_once.fill(reply) {
                self.life.channel.send(Message::Settled { id, reply });
            }
            self.life.runs.close(id);
        }
    }
}

impl Drop for Done {
    fn drop(&mut self) {
        if self.id.is_none() {
            return;
        }
        self.settle(Err(Error::new(
            ErrorKind::Internal,
            "the dispatch ended without an outcome (a defect in Crosshook); treat the event as denied",
        )));
    }
}
