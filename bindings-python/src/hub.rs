//! The host that the engine asks: gives each question to the dispatch that waits for its answer.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use crosshook::{Host, Notice, RequestKind};
use serde_json::{Map, Value};

use crate::seat::Seat;

/// The dispatches of one engine that are under way, and what the host provides. Holds no Python object.
#[derive(Debug)]
pub(crate) struct Hub {
    seats: Mutex<Vec<Arc<Seat>>>,
    model: bool,
    agent: bool,
}

impl Hub {
    pub(crate) fn new(model: bool, agent: bool) -> Self {
        Self { seats: Mutex::default(), model, agent }
    }

    /// A dispatch starts.
    pub(crate) fn enter(&self, seat: &Arc<Seat>) {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner).push(seat.clone());
    }

    /// A dispatch has ended.
    pub(crate) fn leave(&self, seat: &Arc<Seat>) {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner).retain(|one| !Arc::ptr_eq(one, seat));
    }

    /// The dispatch that a question belongs to.
    ///
    /// The engine does not tell which of the dispatches that were started it is, only its own number for it. So the
    /// first question of each is given to the one with the likest event, of equals to the newest, and the number is
    /// remembered for the others. Only dispatches of equal events that start at the same time can be mistaken for each
    /// other; then a callback still gets the right event and its answer reaches the right hook, but it runs where the
    /// other one waits. A dispatch inside a callback is never mistaken for the one around it, whose number is known.
    fn seat(&self, asked: &Asked) -> Option<Arc<Seat>> {
        let mut seats: Vec<Arc<Seat>> = {
            let seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
            seats.iter().filter(|seat| seat.taken()).cloned().collect()
        };
        if let Some(known) =
            seats.iter().find(|seat| asked.dispatch.is_some() && seat.dispatch() == asked.dispatch)
        {
            return Some(known.clone());
        }
        if seats.iter().any(|seat| seat.dispatch().is_none()) {
            seats.retain(|seat| seat.dispatch().is_none());
        }
        // Of equal ones the last: the newest.
        let seat = seats.into_iter().max_by_key(|seat| asked.event.likeness(seat.event()))?;
        if let Some(dispatch) = asked.dispatch.filter(|_| !seat.is_shared()) {
            seat.is_of(dispatch);
        }
        Some(seat)
    }
}

thread_local! {
    /// The dispatch and the hook that this thread has started last.
    static STARTED: RefCell<Option<(u64, String)>> = const { RefCell::new(None) };
}

/// Listens to the engine: a hook starts on the thread on which it asks, right before.
pub(crate) fn note_start(notice: &Notice) {
    if let Notice::Started { dispatch, hook, .. } = notice {
        STARTED.set(Some((*dispatch, hook.id.clone())));
    }
}

impl Host for Hub {
    fn request(&self, request: crosshook::Request) {
        let missing = match request.kind() {
            RequestKind::Prompt => (!self.model).then_some("model"),
            RequestKind::Agent => (!self.agent).then_some("agent"),
            _ => None,
        };
        if let Some(name) = missing {
            return request.fail(format!("the engine was made without `{name}`, so nobody can answer"));
        }
        let asked = Asked::read(request.json());
        match self.seat(&asked) {
            Some(seat) => seat.ask(request),
            None => request.fail("the dispatch is over, nobody waits for the answer"),
        }
    }
}

/// What of a question tells where it belongs.
#[derive(Debug, Default)]
struct Asked {
    dispatch: Option<u64>,
    event: Event,
}

impl Asked {
    fn read(json: &str) -> Self {
        let started = STARTED.take();
        let Ok(Value::Object(mut fields)) = serde_json::from_str(json) else { return Self::default() };
        let hook = fields.get("hook").and_then(Value::as_str).unwrap_or_default();
        let dispatch = started.filter(|(_, started)| started == hook).map(|(dispatch, _)| dispatch);
        let event = match fields.remove("event") {
            Some(Value::Object(event)) => Event(event),
            _ => Event::default(),
        };
        Self { dispatch, event }
    }
}

/// An event, to be compared only.
#[derive(Debug, Default)]
struct Event(Map<String, Value>);

impl Event {
    /// How much speaks for this being the event that was given as `text`: its name, and then how many fields have the
    /// same value. Dialects write names in their own case, and add and change fields.
    fn likeness(&self, text: &[u8]) -> (bool, usize) {
        let Ok(given) = serde_json::from_slice::<Map<String, Value>>(text) else { return (false, 0) };
        let same = |(name, value): &(&String, &Value)| {
            self.0.get(*name) == Some(*value)
                || self.0.iter().any(|(known, found)| plain(known) == plain(name) && found == *value)
        };
        let shared = given.iter().filter(same);
        let named = shared.clone().any(|(name, _)| plain(name) == "hookeventname");
        (named, shared.count())
    }
}

fn plain(name: &str) -> String {
    name.replace('_', "").to_ascii_lowercase()
}
