//! The place of one dispatch: what its engine thread leaves there, and what whoever waits for it takes.

use std::collections::VecDeque;
use std::process;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crosshook::{Error, Outcome};

use crate::wake::Wake;

/// One dispatch, seen from both sides.
#[derive(Debug)]
pub(crate) struct Seat {
    state: Mutex<State>,
    changed: Condvar,
    /// Set when an event loop waits, not a thread.
    wake: Mutex<Option<Arc<Wake>>>,
    /// The process that dispatches. In the child of a fork nobody sits here.
    owner: u32,
}

#[derive(Debug, Default)]
struct State {
    result: Option<Result<Outcome, Error>>,
    requests: VecDeque<crosshook::Request>,
    over: bool,
}

/// What whoever waits has to look at.
#[derive(Debug)]
pub(crate) enum Turn {
    /// The dispatch has ended, with this outcome as JSON text.
    Ended(String),
    /// A callback is to be called.
    Asked(crosshook::Request),
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Seat {
    pub(crate) fn new() -> Self {
        Self {
            state: Mutex::default(),
            changed: Condvar::new(),
            wake: Mutex::default(),
            owner: process::id(),
        }
    }

    /// From now on `wake` is told what comes. Returns whether something is there already, which it is not told.
    pub(crate) fn announce(&self, wake: Arc<Wake>) -> bool {
        let state = lock(&self.state);
        *lock(&self.wake) = Some(wake);
        state.over || !state.requests.is_empty()
    }

    /// Whether somebody of this process waits for the dispatch.
    pub(crate) fn taken(&self) -> bool {
        self.owner == process::id() && !lock(&self.state).over
    }

    /// Leaves a question; on an engine thread.
    pub(crate) fn ask(&self, request: crosshook::Request) {
        let mut state = lock(&self.state);
        state.requests.push_back(request);
        drop(state);
        self.tell(false);
    }

    /// Leaves the result; called once.
    pub(crate) fn end(&self, result: Result<Outcome, Error>) {
        let mut state = lock(&self.state);
        state.over = true;
        state.result = Some(result);
        drop(state);
        self.tell(true);
    }

    fn tell(&self, last: bool) {
        self.changed.notify_all();
        let wake = {
            let mut wake = lock(&self.wake);
            if last { wake.take() } else { wake.clone() }
        };
        if let Some(wake) = wake {
            wake.send();
        }
    }

    /// Takes what is there, after waiting for it up to `limit`.
    pub(crate) fn take(&self, limit: Duration) -> Option<Result<Turn, Error>> {
        let nothing = |state: &mut State| state.result.is_none() && state.requests.is_empty();
        let (mut state, _) = self
            .changed
            .wait_timeout_while(lock(&self.state), limit, nothing)
            .unwrap_or_else(PoisonError::into_inner);
        // First the questions: a hook that its dispatch does not wait for may have left one.
        if let Some(request) = next(&mut state) {
            return Some(Ok(Turn::Asked(request)));
        }
        drop(state);
        self.result().map(|result| result.map(Turn::Ended))
    }

    /// Takes the outcome as JSON text, if it is there.
    pub(crate) fn result(&self) -> Option<Result<String, Error>> {
        let result = lock(&self.state).result.take();
        result.map(|result| result.map(|outcome| outcome.to_json()))
    }

    /// Takes a question, if there is one.
    pub(crate) fn request(&self) -> Option<crosshook::Request> {
        next(&mut lock(&self.state))
    }

    /// Whether the result is there, or was.
    pub(crate) fn is_over(&self) -> bool {
        lock(&self.state).over
    }
}

/// The next question that still matters.
fn next(state: &mut State) -> Option<crosshook::Request> {
    loop {
        let request = state.requests.pop_front()?;
        if !request.is_cancelled() {
            return Some(request);
        }
    }
}
