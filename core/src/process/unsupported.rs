//! Systems other than Unix: commands are refused. Untested.

use super::finished::{SpawnError, SpawnStep};
use super::{Cancel, Command, Driver, End, Finished, Payload, Rest, Spoken};
use crate::runtime::{self, Task};
use std::future::{Future, Ready, ready};
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;

/// Refuses to run commands.
#[derive(Clone, Debug, Default)]
pub struct LocalDriver(());
/// Refuses to run commands.
#[derive(Clone, Copy, Debug, Default)]
pub struct EngineDriver;
/// The refusal.
pub type LocalRun = Ready<Finished>;
/// The refusal.
pub type EngineRun = Ready<Finished>;

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl LocalDriver {
    /// A driver that refuses commands.
    pub fn new() -> Self {
        Self::default()
    }

    /// Drives a future on the calling thread.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return output;
            }
            std::thread::park();
        }
    }
}

impl Driver for LocalDriver {
    type Run = LocalRun;
    type Talk = Ready<Spoken>;

    fn talk(&self, _: Talk, _: &Cancel) -> Ready<Spoken> {
        nothing()
    }

    fn run(&self, command: Command, _: &Cancel) -> LocalRun {
        refuse(command)
    }
}

impl EngineDriver {
    /// Refuses a command in the background.
    pub fn spawn(&self, command: Command, _: &Cancel) -> io::Result<Task<Finished>> {
        runtime::spawn(refuse(command))
    }
}

impl Driver for EngineDriver {
    type Run = EngineRun;
    type Talk = Ready<Spoken>;

    fn talk(&self, _: Talk, _: &Cancel) -> Ready<Spoken> {
        nothing()
    }

    fn run(&self, command: Command, _: &Cancel) -> EngineRun {
        refuse(command)
    }
}

fn refuse(command: Command) -> Ready<Finished> {
    ready(Finished::without_output(refusal(&command)))
}

fn refusal(command: &Command) -> End {
    let error = io::Error::new(io::ErrorKind::Unsupported, "commands are not supported on this system");
    End::NotStarted(SpawnError::new(SpawnStep::Process, &command.program, error))
}

/// No worker ever runs.
pub struct Worker(std::convert::Infallible);
/// What cannot be said to one.
pub struct Talk(());

/// The end of a worker.
pub struct Exit(());

impl Worker {
    /// Refuses.
    pub fn start(command: &Command) -> Result<Self, End> {
        Err(refusal(command))
    }

    /// Never called.
    pub fn rest(&mut self) -> Rest {
        Rest::Ended(None)
    }

    /// Never called.
    pub fn try_end(&mut self) -> Option<End> {
        None
    }

    /// Never called.
    pub fn end(self) {}

    /// Never called.
    pub fn exit(&self) -> io::Result<Exit> {
        Ok(Exit(()))
    }
}

impl Exit {
    /// Never called.
    pub async fn wait(&self) {}
}

impl Talk {
    /// Never called.
    pub fn new(_: Worker, _: Payload, _: usize, _: Duration) -> Self {
        Self(())
    }
}

fn nothing() -> Ready<Spoken> {
    ready(Spoken::nothing(End::Cancelled))
}
