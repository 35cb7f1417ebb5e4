//! Streams an agent's reply to its MessageDisplay hooks (Qwen Code: qwen.md section 16).

use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::Engine;
use crate::dispatch::{Call, dispatch, plan};
use crate::error::{Error, ErrorKind};
use crate::event::Event;
use crate::json::{Object, quote, shallow_merge};
use crate::process::{Cancel, EngineDriver, LocalDriver};
use crate::runtime;

/// The event that it fires.
const EVENT: &str = "MessageDisplay";

/// Between two deliveries of an unfinished message at least this much time passes.
const DEBOUNCE: Duration = Duration::from_millis(200);

/// One message of the agent on its way to the hooks. Made by [`Engine::message_display`].
///
/// Each delivery carries the whole text so far. Of an unfinished message at most one delivery is under way; what is pushed
/// meanwhile replaces what waits. The finished text is delivered at once and never lost. All methods may be called from any
/// thread and return quickly; dropping it unfinished delivers nothing more.
pub struct MessageDisplay {
    shared: Arc<Shared>,
}

struct Shared {
    engine: Engine,
    /// The event's fields, without the text.
    base: Object,
    tag: u64,
    state: Mutex<State>,
    /// Rings when there is more text, or the end.
    news: Notify,
    /// Rings when the finished text was delivered.
    delivered: Notify,
}

#[derive(Default)]
struct State {
    text: String,
    /// How much of the text the last delivery had.
    delivered: usize,
    started: bool,
    over: bool,
    /// The finished text is on its way.
    finishing: bool,
    /// The finished text could not be sent on its way.
    lost: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn event(&self, text: &str, is_final: bool) -> Option<Event> {
        let patch = format!(r#"{{"displayed_text":{},"is_final":{is_final}}}"#, quote(text));
        Event::parse(shallow_merge(&self.base, &Object::from_raw(&patch)?)?.get()).ok()
    }

    async fn deliver(&self, event: Event) {
        let snapshot = self.engine.live().snapshot();
        // Waited for, although the event itself is not: that is how one knows that it is under way.
        let call = Call { waits: true, tag: self.tag, given: None };
        let planned = plan(&snapshot, self.engine.shared(), event);
        dispatch(&snapshot, self.engine.shared(), planned, &EngineDriver, &Cancel::new(), call).await;
    }

    /// Resolves when no finished text is on its way any more.
    async fn finished(&self) {
        loop {
            let delivered = self.delivered.notified();
            if !self.state().finishing {
                return;
            }
            delivered.await;
        }
    }

    /// Delivers the text as it grows.
    async fn stream(self: Arc<Self>) {
        let mut last: Option<Instant> = None;
        loop {
            if let Some(wait) = last.map(|last| DEBOUNCE.saturating_sub(last.elapsed())) {
                tokio::time::sleep(wait).await;
            }
            let news = self.news.notified();
            let fresh = {
                let mut state = self.state();
                if state.over {
                    return;
                }
                let fresh = (state.text.len() > state.delivered).then(|| state.text.clone());
                state.delivered = state.text.len();
                fresh
            };
            match fresh.and_then(|text| self.event(&text, false)) {
                Some(event) => {
                    last = Some(Instant::now());
                    self.deliver(event).await;
                }
                None => news.await,
            }
        }
    }
}

impl MessageDisplay {
    /// Appends text that was shown.
    pub fn push(&self, text: &str) {
        let start = {
            let mut state = self.shared.state();
            if state.over || text.is_empty() {
                return;
            }
            state.text.push_str(text);
            !std::mem::replace(&mut state.started, true)
        };
        if start {
            // Without a thread there is no streaming; the finished text tries again.
            drop(runtime::spawn(self.shared.clone().stream()));
        }
        self.shared.news.notify_one();
    }

    /// Delivers the finished text and waits for the hooks, at most for `limit` (Qwen Code: 5 seconds); they go on after
    /// that. Returns whether they are done. A message without text delivers nothing.
    ///
    /// # Errors
    /// `engine_thread` when called from inside a completion callback.
    pub fn finish(&self, limit: Duration) -> Result<bool, Error> {
        super::refuse_on_engine_thread()?;
        Ok(LocalDriver::new().block_on(self.finish_async(limit)))
    }

    /// [`MessageDisplay::finish`] on any executor. The delivery has begun when this is first polled.
    pub async fn finish_async(&self, limit: Duration) -> bool {
        self.start_final();
        let Ok(timer) = runtime::timer(limit) else { return false };
        let (mut timer, mut finished) = (pin!(timer), pin!(self.shared.finished()));
        let done = std::future::poll_fn(|context| {
            if finished.as_mut().poll(context).is_ready() {
                return Poll::Ready(!self.shared.state().lost);
            }
            timer.as_mut().poll(context).map(|_| false)
        })
        .await;
        timer.abort();
        done
    }

    /// Ends the message without delivering it: the agent's turn was cancelled.
    pub fn abort(&self) {
        self.shared.state().over = true;
        self.shared.news.notify_one();
    }

    /// Starts the last delivery, unless there is none to make or it was started before.
    fn start_final(&self) {
        let text = {
            let mut state = self.shared.state();
            if std::mem::replace(&mut state.over, true) {
                return;
            }
            std::mem::take(&mut state.text)
        };
        self.shared.news.notify_one();
        let Some(event) = self.shared.event(&text, true).filter(|_| !text.is_empty()) else { return };
        self.shared.state().finishing = true;
        let finishing = Finishing(self.shared.clone());
        if runtime::spawn(async move { finishing.0.deliver(event).await }).is_err() {
            self.shared.state().lost = true;
        }
    }
}

/// The last delivery under way; over when dropped.
struct Finishing(Arc<Shared>);

impl Drop for Finishing {
    fn drop(&mut self) {
        self.0.state().finishing = false;
        self.0.delivered.notify_waiters();
    }
}

impl Drop for MessageDisplay {
    fn drop(&mut self) {
        self.abort();
    }
}

impl Engine {
    /// Begins a message for the MessageDisplay hooks. `event` is a JSON object with the event's common fields (and a
    /// `message_id`; one is made up when it is missing); its name and text are filled in.
    ///
    /// # Errors
    /// `invalid_event`: the text is no JSON object. `invalid_options`: the dialect has no such event.
    pub fn message_display(&self, event: &str) -> Result<MessageDisplay, Error> {
        self.message_display_tagged(0, event)
    }

    /// [`Engine::message_display`] with a tag of the host's, which comes back with everything that its hooks ask the host:
    /// [`Request::tag`](crate::Request::tag).
    ///
    /// # Errors
    /// As [`Engine::message_display`].
    pub fn message_display_tagged(&self, tag: u64, event: &str) -> Result<MessageDisplay, Error> {
        let dialect = self.live().snapshot().dialect;
        if dialect.event(EVENT).is_none() {
            let text = format!("{} has no event {EVENT}", dialect.product);
            return Err(Error::new(ErrorKind::InvalidOptions, text));
        }
        let invalid =
            |why: String| Error::new(ErrorKind::InvalidEvent, format!("the event is not a JSON object{why}"));
        let base = Object::parse(event).map_err(|error| invalid(format!(": {error}")))?;
        let mut patch = format!(r#"{{"hook_event_name":"{EVENT}""#);
        if !base.has("message_id") {
            patch.push_str(&format!(r#","message_id":"message-{}""#, crate::watch::next_dispatch()));
        }
        patch.push('}');
        let base = Object::from_raw(&patch)
            .and_then(|patch| shallow_merge(&base, &patch))
            .and_then(|merged| Object::from_raw(merged.get()))
            .ok_or_else(|| invalid(String::new()))?;
        let state = Mutex::default();
        let shared =
            Shared { engine: self.clone(), base, tag, state, news: Notify::new(), delivered: Notify::new() };
        Ok(MessageDisplay { shared: Arc::new(shared) })
    }
}
