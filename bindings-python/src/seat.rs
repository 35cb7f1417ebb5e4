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
    /// The event as it was given; tells dispatches apart.
    event: Vec<u8>,
    /// Whether there are several dispatches of this event.
    shared: bool,
    /// The process that dispatches. In the child of a fork nobody sits here.
    owner: u32,
}

#[derive(Debug, Default)]
struct State {
    result: Option<Result<Outcome, Error>>,
    requests: VecDeque<crosshook::Request>,
    /// The engine's number of the dispatch, once it is known.
    dispatch: Option<u64>,
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
    pub(crate) fn new(event: Vec<u8>, wake: Option<Wake>, shared: bool) -> Self {
        Self {
            state: Mutex::default(),
            changed: Condvar::new(),
            wake: Mutex::new(wake.map(Arc::new)),
            event,
            shared,
            owner: process::id(),
        }
    }

    /// The event as it was given.
    pub(crate) fn event(&self) -> &[u8] {
        &self.event
    }

    /// Whether there are several dispatches of this event.
    pub(crate) fn is_shared(&self) -> bool {
        self.shared
    }

    /// Whether somebody of this process waits for the dispatch.
    pub(crate) fn taken(&self) -> bool {
        self.owner == process::id() && !lock(&self.state).over
    }

    /// The engine's number of the dispatch, once it is known.
    pub(crate) fn dispatch(&self) -> Option<u64> {
        lock(&self.state).dispatch
    }

    /// Notes the engine's number of the dispatch, unless one is known already.
    pub(crate) fn is_of(&self, dispatch: u64) {
        lock(&self.state).dispatch.get_or_insert(dispatch);
    }

    /// Leaves a question; on an engine thread.
    pub(crate) fn ask(&self, request: crosshook::Request) {
        let mut state = lock(&self.state);
        state.requests.push_back(request);
        drop(state);
        self.tell(false);
    }

    /// Leaves the result; called once, on an engine thread. Returns the questions that nobody has taken.
    pub(crate) fn end(&self, result: Result<Outcome, Error>) -> VecDeque<crosshook::Request> {
        let mut state = lock(&self.state);
        state.over = true;
        state.result = Some(result);
        let left = std::mem::take(&mut state.requests);
        drop(state);
        self.tell(true);
        left
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
        if let Some(result) = state.result.take() {
            drop(state);
            return Some(result.map(|outcome| Turn::Ended(outcome.to_json())));
        }
        next(&mut state).map(|request| Ok(Turn::Asked(request)))
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
