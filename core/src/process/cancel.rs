//! Cancelling from any thread.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// A switch that ends every command it was given to. Clones are the same switch; it works from any thread,
/// once, for good.
#[derive(Clone, Default)]
pub struct Cancel {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    cancelled: AtomicBool,
    next: AtomicU64,
    waiting: Mutex<Vec<(u64, Waker)>>,
}

impl Inner {
    fn waiting(&self) -> MutexGuard<'_, Vec<(u64, Waker)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Cancel {
    /// A switch that is not thrown yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Throws the switch. Never blocks; the commands end soon after, each with
    /// [`End::Cancelled`](super::End::Cancelled).
    pub fn cancel(&self) {
        if !self.inner.cancelled.swap(true, Ordering::AcqRel) {
            let waiting = std::mem::take(&mut *self.inner.waiting());
            waiting.into_iter().for_each(|(_, waker)| waker.wake());
        }
    }

    /// Whether the switch was thrown.
    pub fn is_cancelled(&self) -> bool {
        self.inner.cancelled.load(Ordering::Acquire)
    }

    /// Resolves when the switch is thrown.
    pub fn cancelled(&self) -> Cancelled {
        let key = self.inner.next.fetch_add(1, Ordering::Relaxed);
        Cancelled { cancel: self.clone(), key, registered: None }
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cancel").field(&self.is_cancelled()).finish()
    }
}

/// The future of [`Cancel::cancelled`].
#[derive(Debug)]
pub struct Cancelled {
    cancel: Cancel,
    key: u64,
    registered: Option<Waker>,
}

impl Cancelled {
    /// The switch this waits for.
    #[cfg(unix)]
    pub(super) fn cancel(&self) -> &Cancel {
        &self.cancel
    }
}

impl Future for Cancelled {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.cancel.is_cancelled() {
            return Poll::Ready(());
        }
        let waker = context.waker();
        if self.registered.as_ref().is_some_and(|known| known.will_wake(waker)) {
            return Poll::Pending;
        }
        let key = self.key;
        {
            let mut waiting = self.cancel.inner.waiting();
            match waiting.iter_mut().find(|(k, _)| *k == key) {
                Some((_, known)) => known.clone_from(waker),
                None => waiting.push((key, waker.clone())),
            }
        }
        self.registered = Some(waker.clone());
        // The switch may have been thrown between the first look and the registration.
        if self.cancel.is_cancelled() { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for Cancelled {
    fn drop(&mut self) {
        if self.registered.is_some() {
            let mut waiting = self.cancel.inner.waiting();
            if let Some(at) = waiting.iter().position(|(key, _)| *key == self.key) {
                drop(waiting.swap_remove(at));
            }
        }
    }
}
