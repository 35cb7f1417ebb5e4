//! Futures of the core, driven by the JavaScript thread: they wake it through the queue, and it polls them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use crate::channel::Message;
use crate::life::Life;

/// A future that ends with JSON text.
pub(crate) type Work = Pin<Box<dyn Future<Output = String>>>;

/// The futures of one environment that have not ended yet, by the caller's own numbers. Belongs to its thread.
#[derive(Default)]
pub(crate) struct Waits {
    open: RefCell<HashMap<i64, (Work, Arc<Bell>)>>,
}

/// A time limit in milliseconds as JavaScript gives it; without one there is no end.
pub(crate) fn limit(ms: Option<f64>) -> Duration {
    let seconds = ms.map(|ms| ms.max(0.0) / 1e3);
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or(Duration::MAX)
}

/// Tells the JavaScript thread that a future wants to be polled, once until it is.
struct Bell {
    id: i64,
    life: Weak<Life>,
    rung: AtomicBool,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        if !self.rung.swap(true, Ordering::AcqRel)
            && let Some(life) = self.life.upgrade()
        {
            life.channel.send(Message::Woken { id: self.id });
        }
    }
}

impl Waits {
    /// Polls `work` for the first time. `None`: it goes on, and [`Message::Woken`] tells when to call [`Waits::poll`].
    pub(crate) fn start(&self, id: i64, life: &Arc<Life>, work: Work) -> Option<String> {
        let bell = Arc::new(Bell { id, life: Arc::downgrade(life), rung: AtomicBool::new(false) });
        self.turn(id, work, bell)
    }

    /// The result, when `id` has come to its end.
    pub(crate) fn poll(&self, id: i64) -> Option<String> {
        // Taken out: whatever the future does, the map is free meanwhile.
        let (work, bell) = self.open.borrow_mut().remove(&id)?;
        bell.rung.store(false, Ordering::Release);
        self.turn(id, work, bell)
    }

    /// Gives `id` up.
    pub(crate) fn drop(&self, id: i64) {
        let gone = self.open.borrow_mut().remove(&id);
        drop(gone);
    }

    fn turn(&self, id: i64, mut work: Work, bell: Arc<Bell>) -> Option<String> {
        let waker = Waker::from(Arc::clone(&bell));
        match work.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(text) => Some(text),
            Poll::Pending => {
                self.open.borrow_mut().insert(id, (work, bell));
                None
            }
        }
    }
}
