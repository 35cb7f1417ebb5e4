//! The host's side of hooks that JavaScript answers: model, agent and functions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crosshook::{Host, Request, RequestKind};

use crate::channel::Message;
use crate::frame::Frame;
use crate::life::Life;

/// The requests of one environment that JavaScript has not answered yet.
#[derive(Default)]
pub(crate) struct Requests {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last: i64,
    open: HashMap<i64, Request>,
    ended: bool,
}

impl Requests {
    // A panic elsewhere leaves the state whole: every change of it is one call.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next_id(&self) -> i64 {
        let mut state = self.lock();
        state.last = state.last.wrapping_add(1);
        state.last
    }

    fn take(&self, id: i64) -> Option<Request> {
        self.lock().open.remove(&id)
    }

    /// Gives an answer. One that comes second, or too late, has no effect.
    pub(crate) fn answer(&self, id: i64, answer: Result<String, String>) {
        let Some(request) = self.take(id) else { return };
        match answer {
            Ok(text) => request.reply(text),
            Err(why) => request.fail(why),
        }
    }

    /// Fails what is open, and everything that follows.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.ended = true;
        let open = std::mem::take(&mut state.open);
        drop(state);
        open.into_values().for_each(|request| request.fail(ENDED));
    }
}

const ENDED: &str = "the JavaScript environment that could answer has ended";

impl Life {
    /// Queues a request for the JavaScript thread.
    fn ask(self: &Arc<Self>, engine: i64, request: Request) {
        let id = self.requests.next_id();
        let life = Arc::downgrade(self);
        // First of all, so that no cancellation is missed. One that comes before the request is in the table is seen
        // below; a later one waits for the lock, so JavaScript hears of the request before it hears of its end.
        request.on_cancel(move || {
            if let Some(life) = life.upgrade()
                && life.requests.take(id).is_some()
            {
                life.channel.send(Message::Unasked { id });
            }
        });
        let mut state = self.requests.lock();
        if request.is_cancelled() {
            return;
        }
        let asked = Message::Asked { engine, id, request: request.json().to_owned() };
        if state.ended || !self.channel.send(asked) {
            drop(state);
            return request.fail(ENDED);
        }
        state.open.insert(id, request);
    }
}

/// One engine's host: hands its questions to JavaScript.
pub(crate) struct Caller {
    pub(crate) life: Arc<Life>,
    /// The engine's number on the JavaScript side.
    pub(crate) engine: i64,
    /// Whether there is somebody to answer prompt hooks.
    pub(crate) model: bool,
    /// Whether there is somebody to answer agent hooks.
    pub(crate) agent: bool,
    /// Whether there is somebody to call the tools of MCP servers.
    pub(crate) mcp_tool: bool,
}

impl Host for Caller {
    fn request(&self, request: Request) {
        match request.kind() {
            RequestKind::Prompt if !self.model => {
                request.unavailable("the engine was made without `model`, which answers prompt hooks");
            }
            RequestKind::Agent if !self.agent => {
                request.unavailable("the engine was made without `agent`, which answers agent hooks");
            }
            RequestKind::McpTool if !self.mcp_tool => {
                request.unavailable("the engine was made without `mcpTool`, which answers mcp_tool hooks");
            }
            _ => match Frame::current() {
                Some(frame) => match frame.ask(self.engine, request.json().to_owned()) {
                    Ok(text) => request.reply(text),
                    Err(why) => request.fail(why),
                },
                None => self.life.ask(self.engine, request),
            },
        }
    }
}
