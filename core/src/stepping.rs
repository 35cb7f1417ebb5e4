//! Futures whose owner comes again by itself, and is not woken.

use std::sync::{Arc, LazyLock};
use std::task::{Context, Wake, Waker};

/// Not empty: a waker refers to what lies behind the counters of its `Arc`, and when that is nothing, leak checkers of the
/// host see no reference to this one and call it lost.
struct Nobody {
    _place: u8,
}

impl Wake for Nobody {
    fn wake(self: Arc<Self>) {}
}

static NOBODY: LazyLock<Waker> = LazyLock::new(|| Waker::from(Arc::new(Nobody { _place: 0 })));

/// The waker of those who come again by themselves.
pub(crate) fn nobody() -> &'static Waker {
    &NOBODY
}

/// Whether the one who polls comes again by itself, and needs no timer to be woken.
pub(crate) fn in_steps(context: &Context<'_>) -> bool {
    context.waker().will_wake(&NOBODY)
}
