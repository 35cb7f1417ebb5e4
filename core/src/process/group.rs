//! The process groups that commands run in: signalling one without ever hitting a stranger, and the list of
//! all that are alive.

use super::per_process::{PerProcess, ProcessId};
use super::pidfd;
use super::spawn::Process;
use super::wait::{self, Status, Watch};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{Pid, Signal};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The leader of a command's process group, from its start until it was reaped and the group was left alone
/// or killed.
///
/// Must be dropped, or handed to the undertaker, by its one owner; the list of groups keeps only what it
/// needs for signals.
pub(super) struct Leader {
    group: Arc<Group>,
    watch: Watch,
    key: u64,
    owner: ProcessId,
}

/// What is needed to signal a group.
struct Group {
    pid: Pid,
    pidfd: Option<Arc<OwnedFd>>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The leader was reaped: its id may belong to others, unless members of the group hold it.
    reaped: bool,
    /// The group was killed by [`kill_all`].
    shut: bool,
    /// Its result is settled; it is only to die.
    condemned: bool,
}

#[derive(Default)]
struct Registry {
    next: AtomicU64,
    closing: AtomicUsize,
    /// Processes that are being started and may run already, but are not in the list yet.
    starting: AtomicUsize,
    groups: Mutex<BTreeMap<u64, Arc<Group>>>,
}

static REGISTRY: PerProcess<Registry> = PerProcess::new();

impl Registry {
    fn groups(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Group>>> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counted first and then asked: a shutdown says that it closes first and then counts, so one sees the other.
    fn start(&self) -> Option<Starting<'_>> {
        self.starting.fetch_add(1, Ordering::SeqCst);
        let starting = Starting(self);
        (self.closing.load(Ordering::SeqCst) == 0).then_some(starting)
    }

    /// Who has started is in the list before it is counted no more; so they are counted before the list is read.
    fn kill_all(&self) -> usize {
        self.starting.load(Ordering::SeqCst).saturating_add(self.kill(|_| true))
    }

    fn kill(&self, which: impl Fn(&State) -> bool) -> usize {
        let mut count = 0;
        for group in self.groups().values() {
            let mut state = group.state();
            if which(&state) {
                state.shut = true;
                group.signal(&state, Signal::KILL);
                count += 1;
            }
        }
        count
    }
}

/// A process that is being started, until it is in the list of groups.
pub(super) struct Starting<'a>(&'a Registry);

impl Drop for Starting<'_> {
    fn drop(&mut self) {
        self.0.starting.fetch_sub(1, Ordering::SeqCst);
    }
}

/// To be held until the process has its [`Leader`]. `None`: commands may not start at the moment.
pub(super) fn start() -> Option<Starting<'static>> {
    REGISTRY.get().start()
}

impl Group {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state is held locked, so that nobody reaps the leader between the question whether it is ours and
    /// the signal.
    fn signal(&self, state: &State, signal: Signal) {
        if let Some(pidfd) = &self.pidfd {
            match pidfd::signal_group(pidfd, signal.as_raw()) {
                Ok(()) | Err(Errno::SRCH) => return,
                Err(_) => {}
            }
        }
        if !state.reaped && wait::is_ours(self.pid) {
            let _ = rustix::process::kill_process_group(self.pid, signal);
        }
    }
}

impl Leader {
    /// Takes charge of a process that was just started as the leader of its own group. `Ok(None)`: it is
    /// gone, status and all.
    pub(super) fn new(process: Process) -> Result<Option<Self>, Errno> {
        let pid = process.pid;
        let watch = match wait::watch(process) {
            Ok(Some(watch)) => watch,
            Ok(None) => return Ok(None),
            Err(errno) => {
                // It runs, but nobody would notice its end.
                let _ = rustix::process::kill_process_group(pid, Signal::KILL);
                let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty());
                return Err(errno);
            }
        };
        let group = Arc::new(Group { pid, pidfd: watch.pidfd().cloned(), state: Mutex::default() });
        let registry = REGISTRY.get();
        let key = registry.next.fetch_add(1, Ordering::Relaxed);
        registry.groups().insert(key, group.clone());
        Ok(Some(Self { group, watch, key, owner: ProcessId::current() }))
    }

    /// What to poll for its end.
    pub(super) fn fd(&self) -> &Arc<OwnedFd> {
        self.watch.fd()
    }

    /// Whether this process started it. False in a child that the host forked in the middle of a run: hands
    /// off.
    pub(super) fn is_own(&self) -> bool {
        self.owner.is_current()
    }

    /// Reaps it if it has exited.
    pub(super) fn try_reap(&self) -> Option<Status> {
        let mut state = self.group.state();
        if state.reaped {
            return None;
        }
        let status = self.watch.try_reap(self.group.pid)?;
        state.reaped = true;
        Some(status)
    }

    /// Signals the whole group, as long as it is certain to be this one.
    pub(super) fn signal(&self, signal: Signal) {
        self.group.signal(&self.group.state(), signal);
    }

    /// Whether the group has members, counting a leader that was not reaped. `None`: cannot be told.
    pub(super) fn has_members(&self) -> Option<bool> {
        match pidfd::signal_group(self.group.pidfd.as_ref()?, 0) {
            Ok(()) | Err(Errno::PERM) => Some(true),
            Err(Errno::SRCH) => Some(false),
            Err(_) => None,
        }
    }

    /// Notes that its result is settled and it is only to die.
    pub(super) fn condemn(&self) {
        self.group.state().condemned = true;
    }

    /// Whether [`kill_all`] has killed it.
    pub(super) fn is_shut(&self) -> bool {
        self.group.state().shut
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        if let Some(registry) = REGISTRY.existing().filter(|_| self.is_own()) {
            registry.groups().remove(&self.key);
        }
    }
}

/// While it lives, no command starts in this process.
pub(crate) struct Closing(());

impl Closing {
    pub(crate) fn begin() -> Self {
        REGISTRY.get().closing.fetch_add(1, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        REGISTRY.get().closing.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Kills every group that is known. Returns how many there are, those included that are just starting and were not
/// killed; their owners reap them.
pub(crate) fn kill_all() -> usize {
    REGISTRY.existing().map_or(0, Registry::kill_all)
}

/// Kills the groups that are only to die and were still given time for it.
pub(crate) fn kill_condemned() -> usize {
    REGISTRY.existing().map_or(0, |registry| registry.kill(|state| state.condemned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shutdown_counts_who_is_just_starting_and_lets_nobody_else_start() {
        let registry = Registry::default();
        let starting = registry.start().unwrap();
        registry.closing.fetch_add(1, Ordering::SeqCst);
        assert_eq!(registry.kill_all(), 1);
        assert!(registry.start().is_none());
        assert_eq!(registry.kill_all(), 1, "who was refused is not counted");
        drop(starting);
        assert_eq!(registry.kill_all(), 0);
        registry.closing.fetch_sub(1, Ordering::SeqCst);
        assert!(registry.start().is_some());
    }
}
