//! Learning that a process has exited, and with which status, in a host that may take the status from us.
//!
//! No signal handler, no waiting for processes other than our own.

use super::per_process::PerProcess;
use super::{pidfd, pipes, simulate};
use crate::runtime;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, WaitIdStatus};
use std::os::unix::process::ExitStatusExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Exited(i32),
    Signaled(i32),
    /// Somebody else has it.
    Lost,
}

/// Something to poll for the end of a process: readable (or hung up) when it has exited.
pub(super) enum Watch {
    Pidfd(Arc<OwnedFd>),
    /// The reading end of a pipe whose writing end a thread closes.
    Thread(Arc<OwnedFd>),
}

#[derive(Default)]
struct Experience {
    /// A status was lost in this process.
    lost: AtomicBool,
    /// A process was gone before a pidfd could be opened, so that pidfds do not help against whoever takes the statuses.
    gone_at_once: AtomicBool,
}

static EXPERIENCE: PerProcess<Experience> = PerProcess::new();

/// Whether a command should be started through a relay shell, because its status would be lost otherwise.
pub(super) fn relay_needed() -> bool {
    if simulate::is(simulate::RELAY) {
        return true;
    }
    let experience = EXPERIENCE.get();
    if experience.gone_at_once.load(Ordering::Relaxed) {
        return true;
    }
    (experience.lost.load(Ordering::Relaxed) || statuses_discarded()) && !pidfd::keeps_exit_status()
}

/// Whether this process has told the system to throw the statuses of its children away.
fn statuses_discarded() -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action the call only reports the present one into memory that is valid for writes. All bytes zero is a
    // valid value, should it fail.
    let action = unsafe {
        libc::sigaction(libc::SIGCHLD, std::ptr::null(), action.as_mut_ptr());
        action.assume_init()
    };
    action.sa_sigaction == libc::SIG_IGN || action.sa_flags & libc::SA_NOCLDWAIT != 0
}

/// Remembers that a status was lost, so that later commands take another way.
pub(super) fn note_lost() {
    EXPERIENCE.get().lost.store(true, Ordering::Relaxed);
}

/// Begins to watch a process that was just started. `Ok(None)`: it has exited, and its status was taken, already.
pub(super) fn watch(pid: Pid) -> Result<Option<Watch>, Errno> {
    match pidfd::open(pid) {
        Ok(fd) => Ok(Some(Watch::Pidfd(Arc::new(fd)))),
        // Says INVAL when the id lives on as that of a group with members.
        Err(Errno::SRCH | Errno::INVAL | Errno::NOENT) => {
            EXPERIENCE.get().gone_at_once.store(true, Ordering::Relaxed);
            Ok(None)
        }
        // Not offered or not permitted.
        Err(_) => watch_by_thread(pid).map(Some),
    }
}

fn watch_by_thread(pid: Pid) -> Result<Watch, Errno> {
    let (read, write) = pipes::pipe()?;
    pipes::nonblocking(&read)?;
    let wait = move || {
        // The process is only looked at, not reaped: until it is, its group can be signalled safely.
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while let Err(Errno::INTR) = rustix::process::waitid(WaitId::Pid(pid), options) {}
        drop(write);
    };
    runtime::quiet_thread("crosshook-wait", 64 << 10, wait)
        .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::AGAIN))?;
    Ok(Watch::Thread(Arc::new(read)))
}

impl Watch {
    /// What to poll for reading.
    pub(super) fn fd(&self) -> &Arc<OwnedFd> {
        match self {
            Self::Pidfd(fd) | Self::Thread(fd) => fd,
        }
    }

    /// The process itself, as a descriptor.
    pub(super) fn pidfd(&self) -> Option<&Arc<OwnedFd>> {
        match self {
            Self::Pidfd(fd) => Some(fd),
            Self::Thread(_) => None,
        }
    }

    /// Reaps the process if it has exited.
    pub(super) fn try_reap(&self, pid: Pid) -> Option<Status> {
        match self {
            Self::Pidfd(fd) => {
                #[cfg(target_os = "linux")]
                let reaped = reap(WaitId::PidFd(std::os::fd::AsFd::as_fd(fd)));
                #[cfg(not(target_os = "linux"))]
                let reaped = reap(WaitId::Pid(pid));
                match reaped {
                    Err(()) => Some(self.recover(fd)),
                    Ok(status) => status,
                }
            }
            Self::Thread(_) => reap(WaitId::Pid(pid)).unwrap_or(Some(Status::Lost)),
        }
    }

    /// The status was taken from us; the kernel may still tell it.
    fn recover(&self, fd: &OwnedFd) -> Status {
        match pidfd::exit_status(fd).map(std::process::ExitStatus::from_raw) {
            Some(status) => match (status.code(), status.signal()) {
                (Some(code), _) => Status::Exited(code),
                (None, Some(signal)) => Status::Signaled(signal),
                (None, None) => Status::Lost,
            },
            None => Status::Lost,
        }
    }
}

/// `Err`: it is not ours to reap.
fn reap(id: WaitId<'_>) -> Result<Option<Status>, ()> {
    match rustix::process::waitid(id, WaitIdOptions::EXITED | WaitIdOptions::NOHANG) {
        Ok(None) | Err(Errno::INTR) => Ok(None),
        Ok(Some(status)) => Ok(Some(read(&status))),
        Err(_) => Err(()),
    }
}

fn read(status: &WaitIdStatus) -> Status {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Status::Exited(code),
        (None, Some(signal)) => Status::Signaled(signal),
        (None, None) => Status::Lost,
    }
}

/// Whether the process exists as a child of ours that was not reaped yet, so that its id cannot have been given to another.
pub(super) fn is_ours(pid: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    rustix::process::waitid(WaitId::Pid(pid), options).is_ok()
}
