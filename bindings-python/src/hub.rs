//! The host that the engine asks: gives each question to the dispatch that waits for its answer.

use std::sync::{Arc, Mutex, PoisonError};

use crosshook::{Host, RequestKind};
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

    /// The dispatch that a question most likely belongs to. The engine does not tell, so the event must: only
    /// dispatches of equal events at the same time can be mistaken for each other, and then a callback gets the right
    /// event and its answer the right hook, but it runs where the other dispatch waits. Of those the newest that the
    /// hook has not asked yet is taken, so that each gets one question of each hook, and a dispatch made inside a
    /// callback never waits for the one around it.
    fn seat(&self, asked: &Asked) -> Option<Arc<Seat>> {
        let mut seats: Vec<Arc<Seat>> = {
            let seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
            seats.iter().filter(|seat| seat.taken()).cloned().collect()
        };
        if seats.len() < 2 {
            return seats.pop();
        }
        let merit = |seat: &Arc<Seat>| {
            let likeness = Event::parse(seat.event())
                .map_or_else(Default::default, |event| event.likeness(&asked.event));
            (likeness, !seat.was_asked(&asked.hook))
        };
        // Of equal ones the last: the newest.
        seats.into_iter().max_by_key(merit)
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
            Some(seat) => seat.ask(request, asked.hook),
            None => request.fail("the dispatch is over, nobody waits for the answer"),
        }
    }
}

/// What of a question tells where it belongs.
#[derive(Debug, Default)]
struct Asked {
    hook: String,
    event: Event,
}

impl Asked {
    fn read(json: &str) -> Self {
        let Ok(Value::Object(mut fields)) = serde_json::from_str(json) else { return Self::default() };
        let hook = fields.get("hook").and_then(Value::as_str).unwrap_or_default().to_owned();
        let event = match fields.remove("event") {
            Some(Value::Object(event)) => Event(event),
            _ => Event::default(),
        };
        Self { hook, event }
    }
}

/// An event, to be compared only.
#[derive(Debug, Default)]
struct Event(Map<String, Value>);

impl Event {
    fn parse(text: &[u8]) -> Option<Self> {
        serde_json::from_slice(text).ok().map(Self)
    }

    /// How much speaks for the same event: its name, and then how many fields have the same value. Dialects write names
    /// in their own case, and add and change fields.
    fn likeness(&self, other: &Self) -> (bool, usize) {
        let same = |(name, value): &(&String, &Value)| {
            other.0.get(*name) == Some(*value)
                || other.0.iter().any(|(known, found)| plain(known) == plain(name) && found == *value)
        };
        let shared = self.0.iter().filter(same);
        let named = shared.clone().any(|(name, _)| plain(name) == "hookeventname");
        (named, shared.count())
    }
}

fn plain(name: &str) -> String {
    name.replace('_', "").to_ascii_lowercase()
}
