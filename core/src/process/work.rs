//! Work on a child as a state machine that never blocks. Drivers poll its descriptors and tell it which are ready.

use super::finished::SpawnError;
use rustix::fd::OwnedFd;
use std::sync::Arc;
use std::time::Instant;

/// Something a driver brings to its end.
pub(super) trait Work {
    /// What comes of it.
    type Output;

    /// What to poll for.
    fn fds(&self) -> Fds<'_>;

    /// When to call [`advance`](Self::advance) even if no descriptor is ready. `None`: never.
    fn deadline(&self) -> Option<Instant>;

    /// Does what can be done without waiting.
    fn advance(&mut self, ready: Ready, now: Instant) -> Step<Self::Output>;

    /// Gives up because somebody wants it.
    fn cancel(&mut self) -> Self::Output;

    /// Gives up because it cannot be waited for.
    fn fail(&mut self, error: SpawnError) -> Self::Output;
}

/// A set of a child's descriptors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ready(u8);

impl Ready {
    pub(super) const NONE: Self = Self(0);
    /// In the order of [`Fds`].
    pub(super) const EACH: [Self; 4] = [Self(1), Self(2), Self(4), Self(8)];
    pub(super) const STDIN: Self = Self(1);
    pub(super) const STDOUT: Self = Self(2);
    pub(super) const STDERR: Self = Self(4);
    pub(super) const EXIT: Self = Self(8);

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    pub(super) fn when(self, condition: bool) -> Self {
        if condition { self } else { Self::NONE }
    }
}

/// A child's descriptors: standard input (to be polled for writing), output, error and exit (for reading).
pub(super) type Fds<'a> = [Option<&'a Arc<OwnedFd>>; 4];

/// What came of some work on a child.
pub(super) enum Step<T> {
    Finished(T),
    /// Not done; these descriptors should be looked at again without waiting.
    Waiting(Ready),
}
