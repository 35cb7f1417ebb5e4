//! Learning that a process has exited, and with which status, in a host that may take the status from us.
//!
//! No signal handler, no waiting for processes other than our own.

#![allow(unsafe_code, reason = "the disposition of a signal")]

use super::per_process::PerProcess;
use super::spawn::Process;
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
    /// By this signal; whether a core was dumped.
    Signaled(i32, bool),
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
    /// Somebody in this process took a status of ours, though the kernel may have told it a second time.
    stolen: AtomicBool,
}

static EXPERIENCE: PerProcess<Experience> = PerProcess::new();

/// Whether a command should be started through a relay shell, because its status might be lost otherwise.
///
/// The kernel's memory ([`pidfd::exit_status`]) is not enough where theft is known in advance: it begins with
/// the pidfd, and on a busy machine a short command is gone, status and all, before a pidfd can be opened.
pub(super) fn relay_needed() -> bool {
    if simulate::is(simulate::RELAY | simulate::NO_RELAY) {
        return simulate::is(simulate::RELAY);
    }
    EXPERIENCE.get().stolen.load(Ordering::Relaxed) || statuses_discarded()
}

/// From now on commands are started through a relay shell.
fn note_stolen() {
    EXPERIENCE.get().stolen.store(true, Ordering::Relaxed);
}

/// Whether this process has told the system to throw the statuses of its children away.
fn statuses_discarded() -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: without a new action the call only reports the present one into memory that is valid for
    // writes. All bytes zero is a valid value, should it fail.
    let action = unsafe {
        libc::sigaction(libc::SIGCHLD, std::ptr::null(), action.as_mut_ptr());
        action.assume_init()
    };
    action.sa_sigaction == libc::SIG_IGN || action.sa_flags & libc::SA_NOCLDWAIT != 0
}

/// Begins to watch a process that was just started. `Ok(None)`: it has exited, and its status was taken,
/// already.
pub(super) fn watch(process: Process) -> Result<Option<Watch>, Errno> {
    let pid = process.pid;
    match process.pidfd.map_or_else(|| pidfd::open(pid), Ok) {
        Ok(fd) => Ok(Some(Watch::Pidfd(Arc::new(fd)))),
        // Says INVAL when the id lives on as that of a group with members.
        Err(Errno::SRCH | Errno::INVAL | Errno::NOENT) => {
            note_stolen();
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

    /// Reaps the process if it has exited. If its status was taken from us, the kernel may still tell it.
    pub(super) fn try_reap(&self, pid: Pid) -> Option<Status> {
        let reaped = match self {
            #[cfg(target_os = "linux")]
            Self::Pidfd(fd) => reap(WaitId::PidFd(std::os::fd::AsFd::as_fd(fd))),
            _ => reap(WaitId::Pid(pid)),
        };
        reaped.unwrap_or_else(|()| {
            note_stolen();
            let known =
                self.pidfd().and_then(|fd| pidfd::exit_status(fd)).map(std::process::ExitStatus::from_raw);
            Some(match known.map(|status| (status.code(), status.signal(), status.core_dumped())) {
                Some((Some(code), ..)) => Status::Exited(code),
                Some((None, Some(signal), dumped)) => Status::Signaled(signal, dumped),
                _ => Status::Lost,
            })
        })
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
        (None, Some(signal)) => Status::Signaled(signal, status.dumped()),
        (None, None) => Status::Lost,
    }
}

/// Whether the process exists as a child of ours that was not reaped yet, so that its id cannot have been
/// given to another.
pub(super) fn is_ours(pid: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    rustix::process::waitid(WaitId::Pid(pid), options).is_ok()
}
