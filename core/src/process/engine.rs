//! Running commands on the engine's thread.

use super::cancel::{Cancel, Cancelled};
use super::child::{Child, Started};
use super::finished::{SpawnError, SpawnStep};
use super::source::{self, Source};
use super::spoken::Spoken;
use super::talk::Talk;
use super::work::{Ready, Step, Work};
use super::{Command, Driver, End, Finished};
use crate::runtime::{self, Task};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;
use tokio::io::Interest;
use tokio::time::Sleep;

/// Runs commands on the engine's thread, which is started when needed. Its futures may be awaited on any
/// thread and executor.
#[derive(Clone, Copy, Debug, Default)]
pub struct EngineDriver;

impl EngineDriver {
    /// Starts a command in the background. It runs on if the task is dropped; `cancel`, [`Task::abort`] and
    /// [`runtime::shutdown`] end it. Fails if the engine's thread cannot be started.
    pub fn spawn(&self, command: Command, cancel: &Cancel) -> io::Result<Task<Finished>> {
        runtime::spawn(self.run(command, cancel))
    }
}

impl Driver for EngineDriver {
    type Run = EngineRun;
    type Talk = EngineTalk;

    fn talk(&self, talk: Talk, cancel: &Cancel) -> EngineTalk {
        EngineTalk { state: TalkState::New(Box::new(talk), cancel.clone()) }
    }

    fn run(&self, command: Command, cancel: &Cancel) -> EngineRun {
        EngineRun { state: State::New(Box::new(command), cancel.clone()) }
    }
}

/// One command of an [`EngineDriver`]; started when first polled. Dropping it ends the command.
pub struct EngineRun {
    state: State,
}

enum State {
    New(Box<Command>, Cancel),
    Here(Box<Drive<Child>>),
    There(Task<Finished>),
    Over,
}

impl Future for EngineRun {
    type Output = Finished;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Finished> {
        if let State::New(..) = self.state
            && let State::New(command, cancel) = std::mem::replace(&mut self.state, State::Over)
        {
            if cancel.is_cancelled() {
                return Poll::Ready(Finished::without_output(End::Cancelled));
            }
            self.state = if runtime::is_engine_thread() {
                match Child::start(command, true) {
                    Started::Running(child) => State::Here(Box::new(Drive::new(child, &cancel))),
                    Started::Finished(finished) => return Poll::Ready(finished),
                    // Not with permission to write.
                    Started::Later(_) => {
                        return Poll::Ready(Finished::without_output(End::Cancelled));
                    }
                }
            } else {
                match runtime::spawn(Self { state: State::New(command, cancel) }) {
                    Ok(task) => State::There(task),
                    Err(error) => {
                        let error = SpawnError { step: SpawnStep::Engine, path: Default::default(), error };
                        return Poll::Ready(Finished::without_output(End::NotStarted(error)));
                    }
                }
            };
        }
        let finished = match &mut self.state {
            State::Here(drive) => ready!(Pin::new(&mut **drive).poll(context)),
            // The task is gone without a result when the engine was shut down.
            State::There(task) => ready!(Pin::new(task).poll(context))
                .unwrap_or_else(|_| Finished::without_output(End::Cancelled)),
            State::New(..) | State::Over => return Poll::Pending,
        };
        self.state = State::Over;
        Poll::Ready(finished)
    }
}

impl Drop for EngineRun {
    fn drop(&mut self) {
        if let State::There(task) = &self.state {
            task.abort();
        }
    }
}

/// One talk of an [`EngineDriver`]; begun when first polled. Dropping it ends the worker.
pub struct EngineTalk {
    state: TalkState,
}

enum TalkState {
    New(Box<Talk>, Cancel),
    Here(Box<Drive<Talk>>),
    There(Task<Spoken>),
    Over,
}

impl Future for EngineTalk {
    type Output = Spoken;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Spoken> {
        if let TalkState::New(..) = self.state
            && let TalkState::New(mut talk, cancel) = std::mem::replace(&mut self.state, TalkState::Over)
        {
            self.state = if runtime::is_engine_thread() {
                if let Some(spoken) = talk.begin(&cancel) {
                    return Poll::Ready(spoken);
                }
                TalkState::Here(Box::new(Drive::new(talk, &cancel)))
            } else {
                match runtime::spawn(Self { state: TalkState::New(talk, cancel) }) {
                    Ok(task) => TalkState::There(task),
                    // The worker went down with the task.
                    Err(_) => return Poll::Ready(Spoken::nothing(End::Cancelled)),
                }
            };
        }
        let spoken = match &mut self.state {
            TalkState::Here(drive) => ready!(Pin::new(&mut **drive).poll(context)),
            TalkState::There(task) => {
                ready!(Pin::new(task).poll(context)).unwrap_or_else(|_| Spoken::nothing(End::Cancelled))
            }
            TalkState::New(..) | TalkState::Over => return Poll::Pending,
        };
        self.state = TalkState::Over;
        Poll::Ready(spoken)
    }
}

impl Drop for EngineTalk {
    fn drop(&mut self) {
        if let TalkState::There(task) = &self.state {
            task.abort();
        }
    }
}

/// Work with its descriptors in the engine's reactor.
struct Drive<W> {
    work: Box<W>,
    /// In the order of [`Fds`](super::work::Fds).
    sources: [Option<Source>; 4],
    /// What was left to do at the last look.
    again: Ready,
    timer: Option<(Instant, Pin<Box<Sleep>>)>,
    cancelled: Cancelled,
}

impl<W: Work> Drive<W> {
    fn new(work: Box<W>, cancel: &Cancel) -> Self {
        Self {
            work,
            sources: [None, None, None, None],
            again: Ready::NONE,
            timer: None,
            cancelled: cancel.cancelled(),
        }
    }

    /// Registers new descriptors and lets go of those that the child has closed.
    fn sync(&mut self) -> io::Result<()> {
        for ((place, fd), which) in self.sources.iter_mut().zip(self.work.fds()).zip(Ready::EACH) {
            match (&place, fd) {
                (None, Some(fd)) => {
                    let interest =
                        if which == Ready::STDIN { Interest::WRITABLE } else { Interest::READABLE };
                    *place = Some(source::register(fd, interest)?);
                }
                (Some(_), None) => *place = None,
                _ => {}
            }
        }
        Ok(())
    }

    /// Which descriptors are ready; for the others, the task will be woken.
    fn ready(&mut self, context: &mut Context<'_>) -> io::Result<Ready> {
        let mut set = std::mem::take(&mut self.again);
        for (source, which) in self.sources.iter().zip(Ready::EACH) {
            let Some(source) = source else { continue };
            let polled = match which {
                Ready::STDIN => source.poll_write_ready(context),
                _ => source.poll_read_ready(context),
            };
            if let Poll::Ready(guard) = polled {
                // Cleared before the work: what happens from now on counts anew.
                guard?.clear_ready();
                set.add(which);
            }
        }
        Ok(set)
    }

    fn is_due(&mut self, context: &mut Context<'_>) -> bool {
        let Some(deadline) = self.work.deadline() else { return false };
        match &mut self.timer {
            Some((at, _)) if *at == deadline => {}
            Some((at, sleep)) => {
                *at = deadline;
                sleep.as_mut().reset(deadline.into());
            }
            none => *none = Some((deadline, Box::pin(tokio::time::sleep_until(deadline.into())))),
        }
        self.timer.as_mut().is_some_and(|(_, sleep)| sleep.as_mut().poll(context).is_ready())
    }

    fn step(&mut self, context: &mut Context<'_>) -> io::Result<Poll<W::Output>> {
        loop {
            self.sync()?;
            let ready = self.ready(context)?;
            if ready == Ready::NONE && !self.is_due(context) {
                return Ok(Poll::Pending);
            }
            match self.work.advance(ready, Instant::now()) {
                Step::Finished(finished) => return Ok(Poll::Ready(finished)),
                Step::Waiting(Ready::NONE) => {}
                Step::Waiting(more) => {
                    // Others on this thread get their turn first.
                    self.again = more;
                    self.sync()?;
                    context.waker().wake_by_ref();
                    return Ok(Poll::Pending);
                }
            }
        }
    }
}

impl<W: Work> Future for Drive<W> {
    type Output = W::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<W::Output> {
        let this = &mut *self;
        let output = if Pin::new(&mut this.cancelled).poll(context).is_ready() {
            this.work.cancel()
        } else {
            match this.step(context) {
                Ok(Poll::Ready(output)) => output,
                Ok(Poll::Pending) => return Poll::Pending,
                Err(error) => {
                    this.work.fail(SpawnError { step: SpawnStep::Wait, path: Default::default(), error })
                }
            }
        };
        // Closes what the work has let go of.
        this.sources = [None, None, None, None];
        Poll::Ready(output)
    }
}
