//! The life of one JavaScript environment (the main thread or a worker), as the engine's threads know it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::channel::{Channel, Message};
use crate::frame::Frame;
use crate::requests::Requests;
use crate::runs::Runs;

/// How many environments are alive. The engine's threads belong to the process and go with the last one.
static ALIVE: AtomicUsize = AtomicUsize::new(0);

/// What outlives the calls of an environment.
pub(crate) struct Life {
    pub(crate) channel: Channel,
    pub(crate) runs: Runs,
    pub(crate) requests: Requests,
    ended: AtomicBool,
}

impl Life {
    pub(crate) fn begin(channel: Channel) -> Arc<Self> {
        ALIVE.fetch_add(1, Ordering::Relaxed);
        Arc::new(Self {
            channel,
            runs: Runs::default(),
            requests: Requests::default(),
            ended: AtomicBool::new(false),
        })
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Tells JavaScript: at once when it is waiting on this thread, else through the queue.
    pub(crate) fn tell(&self, message: Message) {
        match Frame::current() {
            Some(frame) => frame.tell(message),
            None => drop(self.channel.send(message)),
        }
    }

    /// May be called more than once. `process_ends` tells that no other environment will outlive this one.
    pub(crate) fn end(&self, process_ends: bool) {
        let last = if self.ended.swap(true, Ordering::Relaxed) {
            ALIVE.load(Ordering::Relaxed) == 0
        } else {
            ALIVE.fetch_sub(1, Ordering::Relaxed) == 1
        };
        // A panic must not leave the cleanup hook, which C calls.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            self.runs.cancel_all();
            // After the cancellation, so that hooks which wait for JavaScript are reported as cancelled.
            self.requests.end();
            self.runs.wait();
            if last || process_ends {
                crosshook::Engine::shutdown();
            }
        }));
    }
}
