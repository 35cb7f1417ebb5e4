//! The host that the engine asks: gives each question to the dispatch that waits for its answer.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crosshook::{Host, RequestKind};

use crate::seat::Seat;

/// The dispatches of one engine that are under way, and what the host provides. Holds no Python object.
#[derive(Debug)]
pub(crate) struct Hub {
    /// By the tag that the engine gives back with each question.
    seats: Mutex<HashMap<u64, Arc<Seat>>>,
    last_tag: AtomicU64,
    model: bool,
    agent: bool,
    mcp_tool: bool,
}

impl Hub {
    pub(crate) fn new(model: bool, agent: bool, mcp_tool: bool) -> Self {
        Self { seats: Mutex::default(), last_tag: AtomicU64::new(0), model, agent, mcp_tool }
    }

    fn seats(&self) -> MutexGuard<'_, HashMap<u64, Arc<Seat>>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A dispatch starts: what is asked with the tag of the place goes to its seat as long as the place is held.
    pub(crate) fn enter(self: &Arc<Self>, seat: &Arc<Seat>) -> Place {
        let tag = self.last_tag.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        self.seats().insert(tag, seat.clone());
        Place { hub: self.clone(), tag }
    }
}

/// The entry of one dispatch; taken out when dropped.
#[derive(Debug)]
pub(crate) struct Place {
    hub: Arc<Hub>,
    tag: u64,
}

impl Place {
    pub(crate) fn tag(&self) -> u64 {
        self.tag
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.hub.seats().remove(&self.tag);
    }
}

impl Host for Hub {
    fn request(&self, request: crosshook::Request) {
        let missing = match request.kind() {
            RequestKind::Prompt => (!self.model).then_some("model"),
            RequestKind::Agent => (!self.agent).then_some("agent"),
            RequestKind::McpTool => (!self.mcp_tool).then_some("mcp_tool"),
            _ => None,
        };
        if let Some(name) = missing {
            return request
                .unavailable(format!("the engine was made without `{name}`, so nobody can answer"));
        }
        let seat = self.seats().get(&request.tag()).filter(|seat| seat.taken()).cloned();
        match seat {
            Some(seat) => seat.ask(request),
            None => request.fail("the dispatch is over, nobody waits for the answer"),
        }
    }
}
