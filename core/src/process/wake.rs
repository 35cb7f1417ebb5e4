//! Waking a thread that sleeps in poll.

use super::per_process::{PerProcess, ProcessId};
use super::pipes;
use rustix::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::Wake;

const IDLE: u8 = 0;
const WOKEN: u8 = 1;
const SLEEPING: u8 = 2;

/// A waker for one thread. Costs no system call as long as the thread is awake.
pub(super) struct Alarm {
    state: AtomicU8,
    pipe: OnceLock<Option<Bell>>,
}

/// A bell that is kept between two alarms, where answers come so fast that making one would show. Only one, and only in
/// hosts that keep other descriptors of ours anyway.
#[derive(Default)]
struct Spare {
    wanted: AtomicBool,
    bell: Mutex<Option<Bell>>,
}

static SPARE: PerProcess<Spare> = PerProcess::new();

/// From now on this process keeps a bell.
pub(super) fn keep_spare() {
    SPARE.get().wanted.store(true, Ordering::Relaxed);
}

/// What rings in poll. Both ends are ours, so writing cannot raise SIGPIPE.
struct Bell {
    heard: OwnedFd,
    #[cfg(not(target_os = "linux"))]
    rung: OwnedFd,
    /// A forked child must not wait for a bell that its parent hears.
    owner: ProcessId,
}

impl Bell {
    #[cfg(target_os = "linux")]
    fn new() -> Option<Self> {
        use rustix::event::{EventfdFlags, eventfd};
        let fd = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).ok()?;
        Some(Self { heard: pipes::lift(fd, 3).ok()?, owner: ProcessId::current() })
    }

    #[cfg(not(target_os = "linux"))]
    fn new() -> Option<Self> {
        let (heard, rung) = pipes::pipe().ok()?;
        pipes::nonblocking(&heard).ok()?;
        pipes::nonblocking(&rung).ok()?;
        Some(Self { heard, rung, owner: ProcessId::current() })
    }

    /// The one that is kept, or a new one.
    fn get() -> Option<Self> {
        let spare = SPARE
            .existing()
            .and_then(|spare| spare.bell.lock().unwrap_or_else(PoisonError::into_inner).take());
        spare.or_else(Self::new)
    }

    /// Keeps it, where one is wanted. Should it still ring, its next owner wakes once in vain.
    fn give_back(self) {
        let spare = SPARE.existing().filter(|spare| spare.wanted.load(Ordering::Relaxed));
        if let Some(spare) = spare.filter(|_| self.owner.is_current()) {
            let before = spare.bell.lock().unwrap_or_else(PoisonError::into_inner).replace(self);
            drop(before);
        }
    }

    fn ring(&self) {
        #[cfg(target_os = "linux")]
        let fd = &self.heard;
        #[cfg(not(target_os = "linux"))]
        let fd = &self.rung;
        let _ = rustix::io::write(fd, &1u64.to_ne_bytes());
    }
}

impl Alarm {
    /// An alarm that has gone off, so that its thread begins with a look.
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self { state: AtomicU8::new(WOKEN), pipe: OnceLock::new() })
    }

    /// Whether it has gone off since the last call.
    pub(super) fn take(&self) -> bool {
        self.state.swap(IDLE, Ordering::AcqRel) == WOKEN
    }

    /// Announces that the thread goes to sleep. False: it was woken meanwhile and should not.
    pub(super) fn sleep(&self) -> bool {
        self.state.compare_exchange(IDLE, SLEEPING, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Announces that the thread is awake. A wake-up during its sleep is kept for [`take`](Self::take).
    pub(super) fn awake(&self, rang: bool) {
        let _ = self.state.compare_exchange(SLEEPING, IDLE, Ordering::AcqRel, Ordering::Acquire);
        if rang && let Some(fd) = self.fd() {
            let mut nothing = [0u8; 64];
            let _ = rustix::io::read(fd, &mut nothing);
        }
    }

    /// What to poll for reading while asleep. `None`: the system has none to give, and the thread must look
    /// by itself now and then.
    pub(super) fn fd(&self) -> Option<&OwnedFd> {
        self.pipe.get_or_init(Bell::get).as_ref().map(|bell| &bell.heard)
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        if let Some(Some(bell)) = self.pipe.take() {
            bell.give_back();
        }
    }
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Only one that sleeps has a bell to ring, made before it fell asleep.
        if self.state.swap(WOKEN, Ordering::AcqRel) == SLEEPING
            && let Some(Some(bell)) = self.pipe.get()
        {
            bell.ring();
        }
    }
}
