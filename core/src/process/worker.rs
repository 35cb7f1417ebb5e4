//! A process that stays: started once, sent lines on its standard input, heard on its standard output ([`Talk`] is one
//! exchange). Between two exchanges it is silent.
//!
//! The reading end of its input is held here too, so that a write never meets a pipe without a reader: no SIGPIPE, on
//! whatever thread. Its end is noticed through its exit and its output.
//!
//! [`Talk`]: super::Talk

use super::capture::{self, Stream};
use super::child::{self, end_of};
use super::finished::{SpawnError, SpawnStep};
use super::group::{self, Leader};
use super::source::{self, Source};
use super::spawn::{self, ChildEnds};
use super::talk::EXITING;
use super::{Captured, Command, End, Rest, pipes, undertaker, wait};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::Signal;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::Interest;

/// How long a worker that is not needed any more has to end by itself after its input has ended.
const PATIENCE: Duration = Duration::from_secs(2);

/// A running worker. Dropping it ends its input, and kills its process group if it then stays.
pub struct Worker {
    /// `None` once it was reaped.
    leader: Option<Leader>,
    relay: Option<OwnedFd>,
    /// It was started in the place of a shell that would be its parent.
    orphan: bool,
    stdin: Option<Arc<OwnedFd>>,
    readable: OwnedFd,
    stdout: Arc<OwnedFd>,
    stderr: Stream,
    grace: Option<Duration>,
}

impl Worker {
    /// Starts one. Of the command's bounds only those of standard error and `grace` count.
    pub fn start(command: &Command) -> Result<Self, End> {
        let _starting = group::start().ok_or(End::Cancelled)?;
        let refused =
            |step| move |errno: Errno| End::NotStarted(SpawnError::new(step, &command.program, errno));
        let no_pipes = refused(SpawnStep::Pipes);
        let (child_stdin, stdin) = pipes::pipe().map_err(&no_pipes)?;
        let readable = child_stdin
            .try_clone()
            .map_err(|error| End::NotStarted(SpawnError::new(SpawnStep::Pipes, &command.program, error)))?;
        pipes::nonblocking(&stdin).map_err(&no_pipes)?;
        let (stdout, child_stdout) = pipes::pipe().map_err(&no_pipes)?;
        pipes::nonblocking(&stdout).map_err(&no_pipes)?;
        let (stderr, child_stderr) = Stream::pipe(command.stderr_limit).map_err(&no_pipes)?;
        let (relay, child_relay) = match wait::relay_needed() {
            true => child::relay_pipe().map(|(read, write)| (Some(read), Some(write))).map_err(&no_pipes)?,
            false => (None, None),
        };
        let ends =
            ChildEnds { stdin: child_stdin, stdout: child_stdout, stderr: child_stderr, relay: child_relay };
        let (process, direct) = spawn::spawn(command, &ends).map_err(End::NotStarted)?;
        drop(ends);
        let leader = Leader::new(process).map_err(refused(SpawnStep::Wait))?.ok_or(End::StatusLost)?;
        Ok(Self {
            leader: Some(leader),
            relay,
            orphan: direct && command.direct.as_ref().is_some_and(|direct| direct.forks),
            stdin: Some(Arc::new(stdin)),
            readable,
            stdout: Arc::new(stdout),
            stderr,
            grace: command.grace,
        })
    }

    /// Looks whether it was silent since its last line.
    pub fn rest(&mut self) -> Rest {
        let mut byte = Vec::new();
        loop {
            match capture::read_some(&self.stdout, &mut byte, 1) {
                Err(Errno::AGAIN) => return Rest::Quiet,
                Err(Errno::INTR) => {}
                Ok(count) if count > 0 => return Rest::Spoke,
                Ok(_) | Err(_) => return Rest::Ended(self.end_soon()),
            }
        }
    }

    /// How it ended. A process that exits closes its output a moment before.
    fn end_soon(&mut self) -> Option<End> {
        if let Some(fd) = self.exit_fd() {
            let limit = Timespec::try_from(EXITING).ok();
            // Whatever comes of it, the status is looked for.
            let _ = poll(&mut [PollFd::new(fd, PollFlags::IN)], limit.as_ref());
        }
        self.try_end()
    }

    /// How it ended, if it has.
    pub fn try_end(&mut self) -> Option<End> {
        let status = self.leader.as_ref()?.try_reap()?;
        let leader = self.leader.take()?;
        if leader.is_shut() {
            return Some(End::Cancelled);
        }
        // Others in its group have nobody to work for any more.
        leader.signal(Signal::KILL);
        Some(end_of(status, self.relay.take().as_ref(), self.orphan))
    }

    /// Something to await its end with, for the engine's thread.
    pub fn exit(&self) -> io::Result<Exit> {
        let leader = self.leader.as_ref().ok_or(Errno::SRCH)?;
        // One of its own: a reactor takes each descriptor once, and talks bring theirs.
        let fd = rustix::io::fcntl_dupfd_cloexec(leader.fd(), 3)?;
        Ok(Exit(Arc::new(fd)))
    }

    /// Ends it as a command that has run out of time.
    pub fn end(mut self) {
        self.kill();
    }

    pub(super) fn kill(&mut self) {
        self.stdin = None;
        if let Some(leader) = self.leader.take() {
            undertaker::take(leader, self.grace);
        }
    }

    pub(super) fn stdin(&self) -> Option<&Arc<OwnedFd>> {
        self.stdin.as_ref()
    }

    /// So many bytes of what it was told it has not read yet. One call of the kernel.
    pub(super) fn unread(&self) -> u64 {
        // A kernel that cannot tell leaves it to the numbers of the events.
        rustix::io::ioctl_fionread(&self.readable).unwrap_or(0)
    }

    pub(super) fn stdout(&self) -> &Arc<OwnedFd> {
        &self.stdout
    }

    pub(super) fn stderr(&self) -> Option<&Arc<OwnedFd>> {
        self.stderr.fd()
    }

    pub(super) fn exit_fd(&self) -> Option<&Arc<OwnedFd>> {
        self.leader.as_ref().map(Leader::fd)
    }

    /// Reads what is there of its standard error. True if there may be more at once.
    pub(super) fn read_stderr(&mut self) -> bool {
        self.stderr.read()
    }

    pub(super) fn take_stderr(&mut self) -> Captured {
        self.stderr.take_so_far()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stdin = None;
        if let Some(leader) = self.leader.take() {
            undertaker::dismiss(leader, PATIENCE);
        }
    }
}

/// The end of a worker, to be waited for.
pub struct Exit(Arc<OwnedFd>);

impl Exit {
    /// Resolves when the worker has exited, or at once when that cannot be waited for. On the engine's thread only.
    pub async fn wait(&self) {
        if let Ok(exit) = self.source() {
            let _ = exit.readable().await;
        }
    }

    fn source(&self) -> io::Result<Source> {
        source::register(&self.0, Interest::READABLE)
    }
}
