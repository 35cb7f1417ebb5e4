//! One JavaScript environment (the main thread or a worker): starts dispatches in it and cleans up when it ends.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crosshook::{Error, ErrorKind, Outcome};
use napi::bindgen_prelude::Object;
use napi::{Env, JsDeferred, Result};
use napi_derive::napi;

use crate::engine::NativeEngine;
use crate::reply::{Reply, Text, bytes};
use crate::runs::Runs;

/// How many environments are alive. The engine's threads belong to the process and go with the last one.
static ALIVE: AtomicUsize = AtomicUsize::new(0);

/// Makes the value of a promise, on the JavaScript thread.
type Settle = Box<dyn FnOnce(Env) -> Result<Reply>>;

struct Life {
    runs: Runs,
    ended: AtomicBool,
}

impl Life {
    fn begin() -> Arc<Self> {
        ALIVE.fetch_add(1, Ordering::Relaxed);
        Arc::new(Self { runs: Runs::default(), ended: AtomicBool::new(false) })
    }

    /// May be called more than once. `process_ends` tells that no other environment will outlive this one.
    fn end(&self, process_ends: bool) {
        let last = if self.ended.swap(true, Ordering::Relaxed) {
            ALIVE.load(Ordering::Relaxed) == 0
        } else {
            ALIVE.fetch_sub(1, Ordering::Relaxed) == 1
        };
        // A panic must not leave the cleanup hook, which C calls.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            self.runs.end();
            if last || process_ends {
                crosshook::Engine::shutdown();
            }
        }));
    }
}

/// The native side of one loaded copy of the package. The environment's cleanup hook ends it.
#[napi]
pub struct NativeHost {
    life: Arc<Life>,
}

#[napi]
impl NativeHost {
    /// Registers the cleanup hook.
    #[napi(constructor, catch_unwind)]
    pub fn new(env: Env) -> Result<Self> {
        let life = Life::begin();
        env.add_env_cleanup_hook(Arc::clone(&life), |life| life.end(false))?;
        Ok(Self { life })
    }

    /// Starts one event. The promise resolves with a [`Reply`] and never rejects; while it is pending the environment's
    /// loop stays alive. `id` is the caller's own number for [`NativeHost::cancel`].
    #[napi(catch_unwind, ts_return_type = "Promise<Reply>")]
    pub fn start<'env>(
        &self,
        env: &'env Env,
        engine: &NativeEngine,
        id: i64,
        event: Text,
    ) -> Result<Object<'env>> {
        let (deferred, promise) = env.create_deferred()?;
        let done = Done { id, life: Arc::clone(&self.life), deferred: Some(deferred) };
        let (core, event) = (engine.core.clone(), bytes(event));
        self.life.runs.open(id);
        // A panic drops `done`, and that settles the promise.
        let started = catch_unwind(AssertUnwindSafe(move || {
            #[cfg(feature = "probe")]
            crate::probe::hit(&event, "probe-start");
            core.start(event, move |result| done.call(result))
        }));
        if let Ok(run) = started {
            self.life.runs.started(id, run);
        }
        Ok(promise)
    }

    /// Cancels the dispatch that was started as `id`; its promise resolves when its hooks are gone.
    #[napi(catch_unwind)]
    pub fn cancel(&self, id: i64) {
        self.life.runs.cancel(id);
    }

    /// Cancels what runs in this environment and waits for it. `process_ends`: the process exits right after.
    #[napi(catch_unwind)]
    pub fn end(&self, process_ends: bool) {
        self.life.end(process_ends);
    }
}

/// Settles one promise exactly once, whatever happens: with the outcome, or with `internal` when it is dropped unused.
struct Done {
    id: i64,
    life: Arc<Life>,
    deferred: Option<JsDeferred<Reply, Settle>>,
}

impl Done {
    fn call(mut self, result: std::result::Result<Outcome, Error>) {
        self.settle(result);
    }

    /// Runs on an engine thread, so that a long outcome does not hold up the JavaScript thread. When the environment
    /// has gone, the deferred knows and does nothing.
    fn settle(&mut self, result: std::result::Result<Outcome, Error>) {
        // Before `take`: should this panic, the promise is still there to be settled by `drop`.
        let reply = Reply::from(result);
        #[cfg(feature = "probe")]
        crate::probe::hit(reply.json.as_deref().unwrap_or_default().as_bytes(), "probe-done");
        if let Some(deferred) = self.deferred.take() {
            deferred.resolve(Box::new(move |_| Ok(reply)));
            self.life.runs.close(self.id);
        }
    }
}

impl Drop for Done {
    fn drop(&mut self) {
        self.settle(Err(Error::new(
            ErrorKind::Internal,
            "the dispatch ended without an outcome (a defect in Crosshook); treat the event as denied",
        )));
    }
}
