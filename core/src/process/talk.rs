//! One exchange with a [`Worker`]: a line to it, a line from it, and not a byte more.

use super::cancel::Cancel;
use super::capture;
use super::feed::Feed;
use super::finished::SpawnError;
use super::work::{Fds, Ready, Step, Work};
use super::{End, Fault, Payload, Said, Spoken, Worker};
use rustix::io::Errno;
use std::time::{Duration, Instant};

/// After a worker has closed its output, it may take so long to exit before it counts as one that stays.
pub(super) const EXITING: Duration = Duration::from_millis(100);
/// How many reads one look makes at most, so that a worker that writes without end does not keep the thread from its
/// deadlines.
const READS: usize = 32;

/// A line for a worker, and the bounds that its answer is held to. Dropping it once it has begun ends the worker.
pub struct Talk {
    worker: Option<Worker>,
    line: Payload,
    /// Bytes of the line.
    length: usize,
    feed: Option<Feed>,
    heard: Vec<u8>,
    limit: usize,
    timeout: Duration,
    started: Instant,
    deadline: Option<Instant>,
    /// The worker has closed its output; until when it may take to exit.
    closed: Option<Instant>,
}

/// What reading the answer came to.
enum Heard {
    Line,
    NotYet(Ready),
    Closed,
    Fault(Fault),
}

impl Talk {
    /// `line` must end with a newline and hold no other. `limit`: the bytes of the answer.
    pub fn new(worker: Worker, line: Payload, limit: usize, timeout: Duration) -> Self {
        Self {
            worker: Some(worker),
            length: line.len(),
            line,
            feed: None,
            heard: Vec::new(),
            limit,
            timeout,
            started: Instant::now(),
            deadline: None,
            closed: None,
        }
    }

    /// Says the line, as far as the pipe takes it at once. `Some`: nothing is left to wait for.
    pub(super) fn begin(&mut self, cancel: &Cancel) -> Option<Spoken> {
        self.started = Instant::now();
        self.deadline = self.started.checked_add(self.timeout);
        if cancel.is_cancelled() {
            // Nothing was said, so the worker is as good as before.
            return Some(Spoken { worker: self.worker.take(), ..Spoken::nothing(End::Cancelled) });
        }
        let stdin = self.worker.as_ref().and_then(Worker::stdin)?.clone();
        let mut feed = Feed::on(stdin, std::mem::take(&mut self.line));
        self.feed = (!feed.write()).then_some(feed);
        None
    }

    fn hear(&mut self) -> Heard {
        let Some(worker) = &self.worker else { return Heard::Closed };
        for _ in 0..READS {
            let before = self.heard.len();
            match capture::read_some(worker.stdout(), &mut self.heard, self.limit.saturating_add(1)) {
                Ok(0) => return Heard::Closed,
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => return Heard::NotYet(Ready::NONE),
                Err(_) => return Heard::Closed,
            }
            let new = self.heard.get(before..).unwrap_or_default();
            match new.iter().position(|&byte| byte == b'\n') {
                Some(at) if at.saturating_add(1) < new.len() => return Heard::Fault(Fault::TooMuch),
                Some(_) if self.is_unread() => return Heard::Fault(Fault::TooEarly),
                Some(_) => {
                    self.heard.pop();
                    return Heard::Line;
                }
                None if self.heard.len() > self.limit => return Heard::Fault(Fault::TooLong),
                None => {}
            }
        }
        Heard::NotYet(Ready::STDOUT)
    }

    /// Whether a part of the line is still to be read by the worker: whoever does not know the whole event cannot have
    /// judged it. The newline may be left; who reads object after object needs none.
    fn is_unread(&self) -> bool {
        self.feed.is_some() || self.worker.as_ref().is_some_and(|worker| worker.unread() > 1)
    }

    /// Whether the worker has read nothing of the line.
    fn is_untold(&self) -> bool {
        let told = self.feed.as_ref().map_or(self.length, Feed::written);
        self.worker.as_ref().is_some_and(|worker| worker.unread() >= told as u64)
    }

    /// The answer is there, and the worker can be asked again.
    fn answered(&mut self) -> Spoken {
        let line = std::mem::take(&mut self.heard);
        // What it wrote on standard error before was ready before, and has been read.
        let worker = self.worker.take();
        self.spoken(Said::Line(line), worker)
    }

    /// There is no answer: the worker is ended.
    fn broken(&mut self, said: Said) -> Spoken {
        let mut worker = self.worker.take();
        if let Some(worker) = &mut worker {
            worker.read_stderr();
            worker.kill();
        }
        let unread = std::mem::take(&mut self.heard);
        Spoken { worker: None, unread, ..self.spoken(said, worker) }
    }

    fn spoken(&self, said: Said, mut worker: Option<Worker>) -> Spoken {
        let stderr = worker.as_mut().map(Worker::take_stderr).unwrap_or_default();
        Spoken { said, unread: Vec::new(), stderr, duration: self.started.elapsed(), worker }
    }

    /// Looks at the answer, and at the worker's end.
    fn listen(&mut self, ready: Ready, now: Instant) -> Step<Spoken> {
        let mut more = Ready::NONE;
        if ready.has(Ready::STDOUT) {
            match self.heed(now) {
                Step::Waiting(again) => more.add(again),
                finished => return finished,
            }
        }
        if ready.has(Ready::EXIT)
            && let Some(end) = self.worker.as_mut().and_then(Worker::try_end)
        {
            // All that the process itself has written is in the pipe by now.
            return match self.heed(now) {
                Step::Waiting(_) if self.is_untold() => Step::Finished(self.broken(Said::Untold(end))),
                Step::Waiting(_) => Step::Finished(self.broken(Said::Ended(end))),
                finished => finished,
            };
        }
        Step::Waiting(more)
    }

    fn heed(&mut self, now: Instant) -> Step<Spoken> {
        match self.hear() {
            Heard::Line => Step::Finished(self.answered()),
            Heard::Fault(fault) => Step::Finished(self.broken(Said::Fault(fault))),
            Heard::NotYet(more) => Step::Waiting(more),
            Heard::Closed => {
                self.closed = self.closed.or_else(|| now.checked_add(EXITING));
                Step::Waiting(Ready::NONE)
            }
        }
    }
}

impl Work for Talk {
    type Output = Spoken;

    fn fds(&self) -> Fds<'_> {
        let Some(worker) = &self.worker else { return [None; 4] };
        [
            self.feed.as_ref().map(Feed::fd),
            Some(worker.stdout()).filter(|_| self.closed.is_none()),
            worker.stderr(),
            worker.exit_fd(),
        ]
    }

    fn deadline(&self) -> Option<Instant> {
        [self.deadline, self.closed].into_iter().flatten().min()
    }

    fn advance(&mut self, ready: Ready, now: Instant) -> Step<Spoken> {
        if ready.has(Ready::STDIN) && self.feed.as_mut().is_some_and(Feed::write) {
            self.feed = None;
        }
        let more_stderr = ready.has(Ready::STDERR) && self.worker.as_mut().is_some_and(Worker::read_stderr);
        let mut more = match self.listen(ready, now) {
            Step::Waiting(more) => more,
            finished => return finished,
        };
        more.add(Ready::STDERR.when(more_stderr));
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Step::Finished(self.broken(Said::Ended(End::TimedOut)));
        }
        if self.closed.is_some_and(|until| now >= until) {
            return Step::Finished(self.broken(Said::Fault(Fault::Closed)));
        }
        Step::Waiting(more)
    }

    fn cancel(&mut self) -> Spoken {
        self.broken(Said::Ended(End::Cancelled))
    }

    fn fail(&mut self, error: SpawnError) -> Spoken {
        self.broken(Said::Ended(End::NotStarted(error)))
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        if let Some(worker) = &mut self.worker {
            worker.kill();
        }
    }
}
