//! One running command, from its start to its result.

use super::capture::Stream;
use super::feed::{self, Feed};
use super::finished::{SpawnError, SpawnStep};
use super::group::{self, Leader};
use super::spawn::{self, ChildEnds};
use super::wait::{self, Status};
use super::work::{Fds, Ready, Step, Work};
use super::{Command, End, Finished, epitaph, pipes, undertaker};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use std::time::{Duration, Instant};

/// A command that was started and whose result is not known yet.
///
/// Dropping it ends its process group as its timeout would.
pub(super) struct Child {
    started: Instant,
    deadline: Option<Instant>,
    drain: Duration,
    grace: Option<Duration>,
    stdin: Option<Feed>,
    stdout: Stream,
    stderr: Stream,
    leader: Option<Leader>,
    /// Where a relay shell wrote the status.
    relay: Option<OwnedFd>,
    /// It was started in the place of a shell that would be its parent.
    orphan: bool,
    /// What that shell would say of its end.
    epitaph: Option<String>,
    /// How the leader ended, and until when others may still write.
    ended: Option<(Option<End>, Instant)>,
}

/// What came of starting a command.
pub(super) enum Started {
    Running(Box<Child>),
    Finished(Finished),
    /// Its input does not fit into the pipe, and the caller may not write while it runs.
    Later(Box<Command>),
}

impl Child {
    /// Starts a command. `may_write`: SIGPIPE is blocked in the thread that will work on it, so input may be
    /// written while it runs.
    pub(super) fn start(command: Box<Command>, may_write: bool) -> Started {
        let Some(_starting) = group::start() else {
            return Started::Finished(Finished::without_output(End::Cancelled));
        };
        let too_large = !may_write && command.stdin.len() > feed::PIPE_CAPACITY;
        if too_large {
            return Started::Later(command);
        }
        match Self::try_start(&command, may_write) {
            Ok(Some(child)) => Started::Running(child),
            Ok(None) => Started::Later(command),
            Err(end) => Started::Finished(Finished::without_output(end)),
        }
    }

    fn try_start(command: &Command, may_write: bool) -> Result<Option<Box<Self>>, End> {
        let refused =
            |step| move |errno: Errno| End::NotStarted(SpawnError::new(step, &command.program, errno));
        let started = Instant::now();
        let input = feed::fill(&command.stdin).map_err(refused(SpawnStep::Pipes))?;
        if input.rest.is_some() && !may_write {
            return Ok(None);
        }
        let stream = |limit| if command.discard_output { Stream::discard() } else { Stream::pipe(limit) };
        let (stdout, child_stdout) = stream(command.stdout_limit).map_err(refused(SpawnStep::Pipes))?;
        let (stderr, child_stderr) = stream(command.stderr_limit).map_err(refused(SpawnStep::Pipes))?;
        let (relay, child_relay) = match wait::relay_needed() {
            true => relay_pipe()
                .map(|(read, write)| (Some(read), Some(write)))
                .map_err(refused(SpawnStep::Pipes))?,
            false => (None, None),
        };
        let ends =
            ChildEnds { stdin: input.read, stdout: child_stdout, stderr: child_stderr, relay: child_relay };
        let (process, direct) = spawn::spawn(command, &ends).map_err(End::NotStarted)?;
        drop(ends);
        let leader = Leader::new(process).map_err(refused(SpawnStep::Wait))?;
        let mut child = Box::new(Self {
            started,
            deadline: started.checked_add(command.timeout),
            drain: command.drain,
            grace: command.grace,
            stdin: input.rest,
            stdout,
            stderr,
            leader,
            relay,
            orphan: direct && command.direct.as_ref().is_some_and(|direct| direct.forks),
            epitaph: None,
            ended: None,
        });
        if child.leader.is_none() {
            child.end(Status::Lost, Instant::now());
        }
        Ok(Some(child))
    }

    /// Gives up: the result is what came until now. Of a leader that has exited already, the result stands.
    fn abort(&mut self, end: End) -> Finished {
        let end = match self.ended.take() {
            Some((Some(known), _)) => known,
            _ => end,
        };
        self.stdout.read();
        self.stderr.read();
        if let Some(leader) = self.leader.take() {
            undertaker::take(leader, self.grace);
        }
        self.finish(end)
    }

    fn end(&mut self, status: Status, now: Instant) {
        let shut = self.leader.take().is_some_and(|leader| leader.is_shut());
        self.stdin = None;
        let relay = self.relay.take();
        let end = if shut { End::Cancelled } else { end_of(status, relay.as_ref(), self.orphan) };
        if let (Status::Signaled(signal, dumped), true, false) = (status, self.orphan, shut) {
            self.epitaph = epitaph::of(signal, dumped);
        }
        self.ended = Some((Some(end), now.checked_add(self.drain).unwrap_or(now)));
    }

    fn finish(&mut self, end: End) -> Finished {
        self.stdin = None;
        if let Some(epitaph) = self.epitaph.take() {
            self.stderr.append(epitaph.as_bytes());
        }
        Finished {
            end,
            stdout: self.stdout.take_captured(),
            stderr: self.stderr.take_captured(),
            duration: self.started.elapsed(),
        }
    }
}

impl Work for Child {
    type Output = Finished;

    fn fds(&self) -> Fds<'_> {
        [
            self.stdin.as_ref().map(Feed::fd),
            self.stdout.fd(),
            self.stderr.fd(),
            self.leader.as_ref().map(Leader::fd),
        ]
    }

    fn deadline(&self) -> Option<Instant> {
        self.ended.as_ref().map_or(self.deadline, |(_, until)| Some(*until))
    }

    fn advance(&mut self, ready: Ready, now: Instant) -> Step<Finished> {
        let mut more = Ready::NONE;
        if ready.has(Ready::STDIN) && self.stdin.as_mut().is_some_and(Feed::write) {
            self.stdin = None;
        }
        if ready.has(Ready::STDOUT) {
            more.add(Ready::STDOUT.when(self.stdout.read()));
        }
        if ready.has(Ready::STDERR) {
            more.add(Ready::STDERR.when(self.stderr.read()));
        }
        if ready.has(Ready::EXIT)
            && let Some(status) = self.leader.as_ref().and_then(Leader::try_reap)
        {
            self.end(status, now);
            // All that the process itself has written is in the pipes by now.
            more = Ready::STDOUT.when(self.stdout.read());
            more.add(Ready::STDERR.when(self.stderr.read()));
        }
        match &mut self.ended {
            Some((end, until))
                if (self.stdout.fd().is_none() && self.stderr.fd().is_none()) || now >= *until =>
            {
                let end = end.take().unwrap_or(End::StatusLost);
                Step::Finished(self.finish(end))
            }
            None if self.deadline.is_some_and(|deadline| now >= deadline) => {
                Step::Finished(self.abort(End::TimedOut))
            }
            _ => Step::Waiting(more),
        }
    }

    fn cancel(&mut self) -> Finished {
        self.abort(End::Cancelled)
    }

    fn fail(&mut self, error: SpawnError) -> Finished {
        let mut finished = self.abort(End::Cancelled);
        finished.end = End::NotStarted(error);
        finished
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(leader) = self.leader.take() {
            undertaker::take(leader, self.grace);
        }
    }
}

/// How a process ended, seen from outside. `orphan`: it stands in for a shell that would be its parent.
pub(super) fn end_of(status: Status, relay: Option<&OwnedFd>, orphan: bool) -> End {
    match (status, relay.and_then(relayed_code)) {
        (_, Some(code)) | (Status::Exited(code), None) => End::Exited(code),
        (Status::Signaled(signal, _), None) if orphan => End::Exited(signal.saturating_add(128)),
        (Status::Signaled(signal, _), None) => End::Signaled(signal),
        (Status::Lost, None) => End::StatusLost,
    }
}

pub(super) fn relay_pipe() -> Result<(OwnedFd, OwnedFd), Errno> {
    let (read, write) = pipes::pipe()?;
    pipes::nonblocking(&read)?;
    Ok((read, pipes::lift(write, 10)?))
}

/// The status that a relay shell wrote before it exited.
fn relayed_code(relay: &OwnedFd) -> Option<i32> {
    let mut text = [0; 16];
    let count = rustix::io::read(relay, &mut text).ok()?;
    std::str::from_utf8(text.get(..count)?).ok()?.strip_suffix('\n')?.parse().ok()
}
