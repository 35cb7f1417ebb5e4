//! Futures whose owner comes again by itself, and is not woken.

use std::sync::{Arc, LazyLock};
use std::task::{Context, Wake, Waker};

struct Nobody;

impl Wake for Nobody {
    fn wake(self: Arc<Self>) {}
}

static NOBODY: LazyLock<Waker> = LazyLock::new(|| Waker::from(Arc::new(Nobody)));

/// The waker of those who come again by themselves.
pub(crate) fn nobody() -> &'static Waker {
    &NOBODY
}

/// Whether the one who polls comes again by itself, and needs no timer to be woken.
pub(crate) fn in_steps(context: &Context<'_>) -> bool {
    context.waker().will_wake(&NOBODY)
}
