//! The contexts of an outcome as one text, as the dialect hands it to its model.

use serde::Deserialize;

use super::Engine;
use crate::error::{Error, ErrorKind};
use crate::json::to_json;
use crate::outcome::Outcome;
use crate::render::Rendering;

impl Engine {
    /// The text for the model: the outcome's contexts joined, wrapped and cut as the dialect does. `None` when there is
    /// nothing to hand over.
    #[must_use]
    pub fn render_context(&self, outcome: &Outcome) -> Option<String> {
        let reason = outcome.reason.as_deref().filter(|_| outcome.decision.blocks());
        self.render(&Rendering { event: &outcome.event, reason, contexts: &outcome.additional_context })
    }

    /// [`Engine::render_context`] of an outcome as JSON; answers with a JSON string or `null`.
    ///
    /// # Errors
    /// `invalid_event`: the text is no outcome.
    pub fn render_context_json(&self, outcome: &str) -> Result<String, Error> {
        #[derive(Deserialize)]
        struct Parts {
            event: String,
            decision: String,
            reason: Option<String>,
            additional_context: Vec<String>,
        }
        let parts: Parts = serde_json::from_str(outcome).map_err(|error| {
            Error::new(ErrorKind::InvalidEvent, format!("the outcome is not usable: {error}"))
        })?;
        let blocks = matches!(parts.decision.as_str(), "deny" | "block");
        let reason = parts.reason.as_deref().filter(|_| blocks);
        let rendering = Rendering { event: &parts.event, reason, contexts: &parts.additional_context };
        Ok(to_json(&self.render(&rendering)))
    }

    fn render(&self, rendering: &Rendering<'_>) -> Option<String> {
        let text = (self.live().snapshot().dialect.render)(rendering);
        Some(text).filter(|text| !text.is_empty())
    }
}
