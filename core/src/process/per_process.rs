//! State that belongs to one process and starts afresh in a forked child.

#![allow(unsafe_code, reason = "a pointer shared by all threads, and the C library's fork handler")]

use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// Counts forks, so that a child is told from an ancestor whose process id it was given.
static FORKS: AtomicU64 = AtomicU64::new(0);

/// Which process this is: its id, and how many forks lie behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProcessId {
    id: u32,
    forks: u64,
}

impl ProcessId {
    /// The calling process.
    pub(crate) fn current() -> Self {
        Self { id: std::process::id(), forks: FORKS.load(Ordering::Relaxed) }
    }

    /// Whether this is the calling process.
    pub(crate) fn is_current(self) -> bool {
        self == Self::current()
    }
}

/// A value made on first use in each process.
///
/// A forked child does not touch its parent's value: locks in it may be held by threads that do not exist in
/// the child. It is leaked there, and a new one is made.
pub(crate) struct PerProcess<T> {
    current: AtomicPtr<Node<T>>,
}

struct Node<T> {
    owner: ProcessId,
    value: T,
    /// The parent's value; never read, but keeps it reachable for leak checkers.
    _before: *mut Node<T>,
}

impl<T: Default + Send + Sync + 'static> PerProcess<T> {
    pub(crate) const fn new() -> Self {
        Self { current: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// This process's value, if there is one.
    pub(crate) fn existing(&self) -> Option<&'static T> {
        let node = self.current.load(Ordering::Acquire);
        // SAFETY: a node, once published, is never freed nor changed.
        let node = unsafe { node.as_ref() }?;
        node.owner.is_current().then_some(&node.value)
    }

    /// This process's value.
    pub(crate) fn get(&self) -> &'static T {
        loop {
            if let Some(value) = self.existing() {
                return value;
            }
            let before = self.current.load(Ordering::Acquire);
            count_forks();
            let node = Node { owner: ProcessId::current(), value: T::default(), _before: before };
            let node = Box::into_raw(Box::new(node));
            if self.current.compare_exchange(before, node, Ordering::AcqRel, Ordering::Acquire).is_err() {
                // SAFETY: another thread was faster, so this node was never published and is still ours
                // alone.
                drop(unsafe { Box::from_raw(node) });
            }
        }
    }
}

/// Sees to it that forks are counted from now on. The counter is all that the handler touches.
#[cfg(unix)]
fn count_forks() {
    use std::sync::atomic::AtomicBool;
    static COUNTING: AtomicBool = AtomicBool::new(false);

    unsafe extern "C" {
        fn pthread_atfork(
            prepare: Option<unsafe extern "C" fn()>,
            parent: Option<unsafe extern "C" fn()>,
            child: Option<unsafe extern "C" fn()>,
        ) -> libc::c_int;
    }
    unsafe extern "C" fn forked() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }
    if !COUNTING.swap(true, Ordering::AcqRel) {
        // SAFETY: the handler only increments an atomic, which is allowed in a forked child. Should it not be
        // installed, the process id still tells all forks but those into an id that was used before.
        unsafe { pthread_atfork(None, None, Some(forked)) };
    }
}

#[cfg(not(unix))]
fn count_forks() {}
