//! Running commands on the calling thread, by poll: no other thread, few memory pages, for dispatch that
//! blocks.

use super::cancel::{Cancel, Cancelled};
use super::child::{Child, Started};
use super::engine::{EngineDriver, EngineRun};
use super::spoken::Spoken;
use super::talk::Talk;
use super::wake::{self, Alarm};
use super::work::{Fds, Ready, Step, Work};
use super::{Command, Driver, End, Finished};
use crate::runtime;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use std::cell::RefCell;
use std::future::Future;
use std::os::fd::OwnedFd;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

/// How long to sleep at most when nothing can wake the thread.
const BLIND: Duration = Duration::from_millis(10);

/// Runs commands, and futures that wait for them, on the thread that calls [`block_on`](Self::block_on).
///
/// Belongs to one thread. Never raises SIGPIPE in it: a command whose input does not fit into a pipe is run
/// by the engine's thread. A future made by [`run`](Driver::run) makes progress only inside `block_on` of the
/// same driver.
#[derive(Clone, Default)]
pub struct LocalDriver {
    children: Rc<RefCell<Children>>,
}

#[derive(Default)]
struct Children {
    slots: Vec<Option<Slot>>,
    free: Vec<usize>,
}

struct Slot {
    job: Job,
    done: Option<Done>,
    waker: Waker,
}

/// What a slot works on.
enum Job {
    Command(Box<Child>),
    Talk(Box<Talk>),
}

/// What came of it.
enum Done {
    Command(Finished),
    Talk(Spoken),
}

impl Job {
    fn fds(&self) -> Fds<'_> {
        match self {
            Self::Command(child) => child.fds(),
            Self::Talk(talk) => talk.fds(),
        }
    }

    fn deadline(&self) -> Option<Instant> {
        match self {
            Self::Command(child) => child.deadline(),
            Self::Talk(talk) => talk.deadline(),
        }
    }

    fn advance(&mut self, ready: Ready, now: Instant) -> Option<Done> {
        match self {
            Self::Command(child) => finished(child.advance(ready, now)).map(Done::Command),
            Self::Talk(talk) => finished(talk.advance(ready, now)).map(Done::Talk),
        }
    }

    fn cancel(&mut self) -> Done {
        match self {
            Self::Command(child) => Done::Command(child.cancel()),
            Self::Talk(talk) => Done::Talk(talk.cancel()),
        }
    }
}

/// What is to be looked at again is still ready, so that poll tells it.
fn finished<T>(step: Step<T>) -> Option<T> {
    match step {
        Step::Finished(output) => Some(output),
        Step::Waiting(_) => None,
    }
}

impl LocalDriver {
    /// A driver without commands. Costs nothing: no descriptor, no thread.
    pub fn new() -> Self {
        Self::default()
    }

    /// Drives `future`, and all commands started with this driver, until the future is ready. The future may
    /// be woken from any thread.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        let alarm = Alarm::new();
        let waker = Waker::from(alarm.clone());
        let mut context = Context::from_waker(&waker);
        loop {
            if alarm.take()
                && let Poll::Ready(output) = future.as_mut().poll(&mut context)
            {
                return output;
            }
            self.turn(&alarm);
        }
    }

    /// Waits until something is to be done, and does it.
    fn turn(&self, alarm: &Alarm) {
        // The bell is made before sleep is announced.
        let bell = alarm.fd();
        let asleep = alarm.sleep();
        let mut woken = Vec::new();
        let rang = self.children.borrow_mut().turn(bell, asleep, &mut woken);
        alarm.awake(rang);
        woken.into_iter().for_each(Waker::wake);
    }
}

impl Children {
    /// One round: waits, unless `asleep` is false, and works on what is due. Returns whether the bell rang.
    fn turn(&mut self, bell: Option<&OwnedFd>, asleep: bool, woken: &mut Vec<Waker>) -> bool {
        let deadline = self.running().filter_map(|(_, slot)| slot.job.deadline()).min();
        let rest = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let timeout = match (asleep, bell) {
            (false, _) => Some(Duration::ZERO),
            (true, Some(_)) => rest,
            (true, None) => Some(rest.map_or(BLIND, |rest| rest.min(BLIND))),
        };
        let (rang, ready) = self.wait(bell, timeout);
        self.advance(&ready, deadline, woken);
        rang
    }

    /// Polls; returns whether the bell rang, and the children with ready descriptors.
    fn wait(&self, bell: Option<&OwnedFd>, timeout: Option<Duration>) -> (bool, Vec<(usize, Ready)>) {
        let mut owners = Vec::with_capacity(self.slots.len() * 3);
        let mut fds = Vec::with_capacity(self.slots.len() * 3 + 1);
        fds.extend(bell.map(|fd| PollFd::new(fd, PollFlags::IN)));
        for (at, slot) in self.running() {
            for (fd, which) in slot.job.fds().into_iter().zip(Ready::EACH) {
                let Some(fd) = fd else { continue };
                let interest = if which == Ready::STDIN { PollFlags::OUT } else { PollFlags::IN };
                fds.push(PollFd::new(fd, interest));
                owners.push((at, which));
            }
        }
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        let all = match rustix::event::poll(&mut fds, timeout.as_ref()) {
            Ok(0) | Err(Errno::INTR) => return (false, Vec::new()),
            Ok(_) => false,
            // No memory, or a limit on descriptors that was lowered: looks at everything now and then.
            Err(_) => {
                std::thread::sleep(BLIND);
                true
            }
        };
        let mut events = fds.iter().map(|fd| all || !fd.revents().is_empty());
        let rang = bell.is_some() && events.next().unwrap_or(false);
        let mut ready: Vec<(usize, Ready)> = Vec::new();
        for (&(at, which), _) in owners.iter().zip(events).filter(|(_, ready)| *ready) {
            match ready.last_mut() {
                Some((last, set)) if *last == at => set.add(which),
                _ => ready.push((at, which)),
            }
        }
        (rang, ready)
    }

    fn running(&self) -> impl Iterator<Item = (usize, &Slot)> {
        let all = self.slots.iter().enumerate();
        all.filter_map(|(at, slot)| Some((at, slot.as_ref()?))).filter(|(_, slot)| slot.done.is_none())
    }

    /// Works on the children with ready descriptors, and on those whose deadline is over.
    fn advance(&mut self, ready: &[(usize, Ready)], deadline: Option<Instant>, woken: &mut Vec<Waker>) {
        let now = Instant::now();
        let mut step = |slot: &mut Slot, ready| {
            if let Some(done) = slot.job.advance(ready, now) {
                slot.done = Some(done);
                woken.push(slot.waker.clone());
            }
        };
        for &(at, set) in ready {
            if let Some(Some(slot)) = self.slots.get_mut(at) {
                step(slot, set);
            }
        }
        if deadline.is_some_and(|deadline| now >= deadline) {
            let running = self.slots.iter_mut().flatten().filter(|slot| slot.done.is_none());
            running
                .filter(|slot| slot.job.deadline().is_some_and(|at| now >= at))
                .for_each(|slot| step(slot, Ready::NONE));
        }
    }

    fn insert(&mut self, slot: Slot) -> usize {
        match self.free.pop() {
            Some(at) => {
                if let Some(place) = self.slots.get_mut(at) {
                    *place = Some(slot);
                }
                at
            }
            None => {
                self.slots.push(Some(slot));
                self.slots.len() - 1
            }
        }
    }

    fn remove(&mut self, at: usize) -> Option<Slot> {
        let slot = self.slots.get_mut(at)?.take()?;
        self.free.push(at);
        Some(slot)
    }
}

/// A job of a [`LocalDriver`] under way. Dropping it ends the job.
struct Place {
    children: Rc<RefCell<Children>>,
    at: usize,
}

impl Place {
    fn take(children: &Rc<RefCell<Children>>, job: Job, context: &Context<'_>) -> Self {
        let slot = Slot { job, done: None, waker: context.waker().clone() };
        let at = children.borrow_mut().insert(slot);
        Self { children: children.clone(), at }
    }

    fn poll(&self, cancelled: bool, context: &Context<'_>) -> Poll<Done> {
        let mut children = self.children.borrow_mut();
        let Some(Some(slot)) = children.slots.get_mut(self.at) else { return Poll::Pending };
        match slot.done.take() {
            Some(done) => Poll::Ready(done),
            None if cancelled => Poll::Ready(slot.job.cancel()),
            None => {
                slot.waker.clone_from(context.waker());
                Poll::Pending
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Taken out first, for dropping a job may start the engine's thread.
        let slot = self.children.borrow_mut().remove(self.at);
        drop(slot);
    }
}

impl Driver for LocalDriver {
    type Run = LocalRun;
    type Talk = LocalTalk;

    fn run(&self, command: Command, cancel: &Cancel) -> LocalRun {
        LocalRun {
            children: self.children.clone(),
            cancelled: cancel.cancelled(),
            state: State::New(Box::new(command)),
        }
    }

    fn talk(&self, talk: Talk, cancel: &Cancel) -> LocalTalk {
        LocalTalk {
            children: self.children.clone(),
            cancelled: cancel.cancelled(),
            state: TalkState::New(Box::new(talk)),
        }
    }
}

/// One command of a [`LocalDriver`]; started when first polled. Dropping it ends the command.
pub struct LocalRun {
    children: Rc<RefCell<Children>>,
    cancelled: Cancelled,
    state: State,
}

enum State {
    New(Box<Command>),
    Here(Place),
    There(EngineRun),
    Over,
}

impl Future for LocalRun {
    type Output = Finished;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Finished> {
        let this = &mut *self;
        if let State::New(_) = this.state
            && let State::New(command) = std::mem::replace(&mut this.state, State::Over)
        {
            if this.cancelled.cancel().is_cancelled() {
                return Poll::Ready(Finished::without_output(End::Cancelled));
            }
            // The engine's own thread is safe from SIGPIPE, and cannot wait for itself.
            let may_write = runtime::is_engine_thread();
            this.state = match Child::start(command, may_write) {
                Started::Finished(finished) => return Poll::Ready(finished),
                Started::Running(child) => {
                    State::Here(Place::take(&this.children, Job::Command(child), context))
                }
                Started::Later(command) => State::There(EngineDriver.run(*command, this.cancelled.cancel())),
            };
        }
        match &mut this.state {
            State::There(run) => Pin::new(run).poll(context),
            State::Here(place) => {
                let cancelled = Pin::new(&mut this.cancelled).poll(context).is_ready();
                let Poll::Ready(Done::Command(finished)) = place.poll(cancelled, context) else {
                    return Poll::Pending;
                };
                this.state = State::Over;
                Poll::Ready(finished)
            }
            State::New(_) | State::Over => Poll::Pending,
        }
    }
}

/// One talk of a [`LocalDriver`]; begun when first polled. Dropping it ends the worker.
pub struct LocalTalk {
    children: Rc<RefCell<Children>>,
    cancelled: Cancelled,
    state: TalkState,
}

enum TalkState {
    New(Box<Talk>),
    Here(Place),
    Over,
}

impl Future for LocalTalk {
    type Output = Spoken;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Spoken> {
        let this = &mut *self;
        if let TalkState::New(_) = this.state
            && let TalkState::New(mut talk) = std::mem::replace(&mut this.state, TalkState::Over)
        {
            if let Some(spoken) = talk.begin(this.cancelled.cancel()) {
                return Poll::Ready(spoken);
            }
            wake::keep_spare();
            this.state = TalkState::Here(Place::take(&this.children, Job::Talk(talk), context));
        }
        let TalkState::Here(place) = &this.state else { return Poll::Pending };
        let cancelled = Pin::new(&mut this.cancelled).poll(context).is_ready();
        let Poll::Ready(Done::Talk(spoken)) = place.poll(cancelled, context) else { return Poll::Pending };
        this.state = TalkState::Over;
        Poll::Ready(spoken)
    }
}
