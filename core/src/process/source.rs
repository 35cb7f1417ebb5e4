//! Descriptors in the engine's reactor.

#![allow(unsafe_code, reason = "the reactor must be promised that a descriptor stays open")]

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A descriptor in the reactor. Shared with its user, so that it leaves the reactor before it is closed.
pub(super) type Source = AsyncFd<Arc<OwnedFd>>;

/// Adds a descriptor to the reactor of the current thread, which must be the engine's.
pub(super) fn register(fd: &Arc<OwnedFd>, interest: Interest) -> io::Result<Source> {
    // SAFETY: the source owns a share of the descriptor, which thus stays open, and the same one, for as long
    // as the source lives.
    Ok(unsafe { AsyncFd::register_with_interest(fd.clone(), interest) }?)
}
