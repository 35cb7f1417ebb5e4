//! What belongs to a session or to one message: goals, the text for the model, streamed replies.

use std::sync::Arc;

use napi::bindgen_prelude::Either;
use napi_derive::napi;

use crate::engine::NativeEngine;
use crate::host::NativeHost;
use crate::reply::{Failure, Reply};
use crate::waits::limit;

#[napi]
impl NativeEngine {
    /// Forgets a session.
    #[napi(catch_unwind)]
    pub fn end_session(&self, session_id: String) -> bool {
        self.core.end_session(&session_id)
    }

    /// Gives a session a goal.
    #[napi(catch_unwind)]
    pub fn set_goal(&self, session_id: String, condition: String) -> Option<Failure> {
        self.core.set_goal(&session_id, &condition).err().map(Failure::from)
    }

    /// Takes it away.
    #[napi(catch_unwind)]
    pub fn clear_goal(&self, session_id: String) -> bool {
        self.core.clear_goal(&session_id)
    }

    /// A session's goal, or the JSON text `null`.
    #[napi(catch_unwind)]
    pub fn goal(&self, session_id: String) -> String {
        self.core.goal_json(&session_id)
    }

    /// Adds what was spent on it. The caller has checked that the numbers are not negative.
    #[napi(catch_unwind)]
    pub fn note_goal_usage(&self, session_id: String, turns: i64, tokens: i64) -> bool {
        let count = |number: i64| u64::try_from(number).unwrap_or(0);
        self.core.note_goal_usage(&session_id, count(turns), count(tokens))
    }

    /// Gives a session a goal that was saved.
    #[napi(catch_unwind)]
    pub fn restore_goal(&self, session_id: String, goal: String) -> Option<Failure> {
        self.core.restore_goal(&session_id, &goal).err().map(Failure::from)
    }

    /// The contexts of an outcome as the dialect hands them to its model: a JSON string or `null`.
    #[napi(catch_unwind)]
    pub fn render_context(&self, outcome: String) -> Reply {
        self.core.render_context_json(&outcome).into()
    }

    /// Begins a message for the MessageDisplay hooks.
    #[napi(catch_unwind)]
    pub fn message_display(&self, event: String) -> Either<NativeDisplay, Failure> {
        match self.core.message_display(&event) {
            Ok(core) => Either::A(NativeDisplay { core: Arc::new(core) }),
            Err(error) => Either::B(error.into()),
        }
    }
}

/// A [`crosshook::MessageDisplay`].
#[napi]
pub struct NativeDisplay {
    core: Arc<crosshook::MessageDisplay>,
}

#[napi]
impl NativeDisplay {
    /// Appends text that was shown.
    #[napi(catch_unwind)]
    pub fn push(&self, text: String) {
        self.core.push(&text);
    }

    /// Delivers the finished text and waits for the hooks: see `NativeHost.waitBackground`.
    #[napi(catch_unwind)]
    pub fn finish(&self, host: &NativeHost, id: i64, limit_ms: Option<f64>) -> Option<String> {
        let (core, limit) = (Arc::clone(&self.core), limit(limit_ms));
        host.wait(id, Box::pin(async move { core.finish_async(limit).await.to_string() }))
    }

    /// Ends the message without delivering it.
    #[napi(catch_unwind)]
    pub fn abort(&self) {
        self.core.abort();
    }
}
