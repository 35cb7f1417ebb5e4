//! What a host may provide: a model for prompt hooks, agents for agent hooks, and functions of its own.
//!
//! Requests are asynchronous from the start: the host is told and answers now or later, from any thread, exactly once.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::oneshot;

use crate::process::Cancel;

/// The host's side of hooks that it answers itself.
///
/// Closures `Fn(Request)` are hosts.
pub trait Host: Send + Sync {
    /// Asks for one answer. Called on the thread that runs the dispatch: the caller's for a blocking dispatch and for
    /// [`Engine::start_in_steps`](crate::Engine::start_in_steps), an engine thread otherwise. It must not block there; give
    /// the work to somebody else and answer later through the request. A panic counts as a failed answer.
    fn request(&self, request: Request);
}

impl<F: Fn(Request) + Send + Sync> Host for F {
    fn request(&self, request: Request) {
        self(request);
    }
}

/// What kind of answer is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RequestKind {
    /// A model's reply to a prompt, as text.
    Prompt,
    /// An agent's final text for a task.
    Agent,
    /// The result of a tool of an MCP server: its text, or the whole result as JSON.
    McpTool,
    /// A registered function's answer: JSON text as a command hook would print it, or nothing.
    Function,
}

impl RequestKind {
    /// The kind as it stands in [`Request::json`].
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Prompt => "prompt",
            Self::Agent => "agent",
            Self::McpTool => "mcp_tool",
            Self::Function => "function",
        }
    }
}

/// One question to the host. Answer it with [`Request::reply`] or [`Request::fail`]; dropping it counts as a failure.
/// May be moved to and answered on any thread. An answer after the hook's timeout or cancellation has no effect.
pub struct Request {
    id: u64,
    tag: u64,
    kind: RequestKind,
    json: String,
    answer: Option<oneshot::Sender<Answer>>,
    cancel: Cancel,
    on_cancel: Arc<OnCancel>,
}

/// What the host says to a request.
pub(crate) type Answer = Result<String, NoAnswer>;

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum NoAnswer {
    Failed(String),
    /// The host has nothing that answers such hooks.
    Unavailable(String),
}

impl NoAnswer {
    pub(crate) fn dropped() -> Self {
        Self::Failed("the host dropped the request without an answer".to_owned())
    }
}

/// Runs when the question has become pointless.
#[derive(Default)]
struct OnCancel(Mutex<Option<Box<dyn FnOnce() + Send>>>);

impl OnCancel {
    fn take(&self) -> Option<Box<dyn FnOnce() + Send>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Request {
    /// Unique in this process.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// What the host gave with [`Engine::start_tagged`](crate::Engine::start_tagged) or
    /// [`Engine::message_display_tagged`](crate::Engine::message_display_tagged); 0 for other dispatches.
    #[must_use]
    pub fn tag(&self) -> u64 {
        self.tag
    }

    /// What is asked for.
    #[must_use]
    pub fn kind(&self) -> RequestKind {
        self.kind
    }

    /// The whole request as a JSON object: `id`, `kind`, `hook` (its id), `function` (the registered function's id or
    /// null), `model` (as configured, or null for the host's default), `agent_type`, `system`, `prompt` (texts or
    /// null), `timeout_ms`, `event` (the event's JSON as the hook's dialect writes it). With the kind `mcp_tool` also
    /// `server`, `tool` and `input` (an object).
    #[must_use]
    pub fn json(&self) -> &str {
        &self.json
    }

    /// Whether the answer is no longer wanted: timed out, cancelled, or the engine was shut down.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    /// Resolves when the answer is no longer wanted.
    #[cfg(feature = "http")]
    pub(crate) fn cancelled(&self) -> crate::process::Cancelled {
        self.cancel.cancelled()
    }

    /// Calls `notice` once when the answer is no longer wanted, on an engine thread or the dispatching one; at once when
    /// that is so already. Replaces an earlier notice.
    pub fn on_cancel(&self, notice: impl FnOnce() + Send + 'static) {
        // What is replaced is dropped after the lock is released: its destructor may come here again.
        let replaced = {
            let mut slot = self.on_cancel.0.lock().unwrap_or_else(PoisonError::into_inner);
            slot.replace(Box::new(notice))
        };
        drop(replaced);
        if self.is_cancelled()
            && let Some(notice) = self.on_cancel.take()
        {
            notice();
        }
    }

    /// Answers with text: a model's or an agent's reply as it came, or a function's answer as JSON.
    pub fn reply(mut self, text: impl Into<String>) {
        self.answer(Ok(text.into()));
    }

    /// Says that there is no answer, and why. The hook has failed then; that never reads as consent.
    pub fn fail(mut self, why: impl Into<String>) {
        self.answer(Err(NoAnswer::Failed(why.into())));
    }

    /// Says that this host has nothing that answers such hooks, and why. The hook has failed, and its code says that its
    /// type is not available.
    pub fn unavailable(mut self, why: impl Into<String>) {
        self.answer(Err(NoAnswer::Unavailable(why.into())));
    }

    fn answer(&mut self, answer: Answer) {
        if let Some(sender) = self.answer.take() {
            // Nobody waits any more: the hook has timed out.
            let _ = sender.send(answer);
        }
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        self.answer(Err(NoAnswer::dropped()));
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request").field("id", &self.id).field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// The waiting end of a request. Dropping it tells the host that the answer is no longer wanted.
pub(crate) struct Pending {
    pub(crate) answer: oneshot::Receiver<Answer>,
    cancel: Cancel,
    on_cancel: Arc<OnCancel>,
    over: bool,
}

impl Pending {
    /// The answer has come: there is nothing to cancel.
    pub(crate) fn settled(mut self) {
        self.over = true;
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if self.over {
            return;
        }
        self.cancel.cancel();
        if let Some(notice) = self.on_cancel.take() {
            notice();
        }
    }
}

/// Makes a request and its waiting end. `json` gets the request's id.
pub(crate) fn request(kind: RequestKind, tag: u64, json: impl FnOnce(u64) -> String) -> (Request, Pending) {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    let (sender, answer) = oneshot::channel();
    let (cancel, on_cancel) = (Cancel::new(), Arc::new(OnCancel::default()));
    let request = Request {
        id,
        tag,
        kind,
        json: json(id),
        answer: Some(sender),
        cancel: cancel.clone(),
        on_cancel: on_cancel.clone(),
    };
    (request, Pending { answer, cancel, on_cancel, over: false })
}

/// Canned replies, in order, for prompt and agent hooks; when they run out, the model has failed (design, ruling 11).
#[derive(Debug)]
pub struct CannedReplies(Mutex<std::vec::IntoIter<String>>);

impl CannedReplies {
    /// A host that answers with these texts.
    #[must_use]
    pub fn new(replies: Vec<String>) -> Self {
        Self(Mutex::new(replies.into_iter()))
    }
}

impl Host for CannedReplies {
    fn request(&self, request: Request) {
        match request.kind() {
            RequestKind::Prompt | RequestKind::Agent => {}
            RequestKind::McpTool => return request.unavailable("no MCP server is connected here"),
            RequestKind::Function => {
                return request.fail("canned replies are for prompt and agent hooks only");
            }
        }
        let next = self.0.lock().unwrap_or_else(PoisonError::into_inner).next();
        match next {
            Some(text) => request.reply(text),
            None => request.fail("there is no canned reply left"),
        }
    }
}
