//! Goals of sessions.

use super::Engine;
use crate::error::{Error, ErrorKind};
use crate::goal::Goal;
use crate::json::to_json;

impl Engine {
    /// Gives a session a goal: from now on its Stop events ask the model whether the condition is met, and the agent
    /// goes on until it is, or is impossible. Replaces an earlier goal. Needs a host that answers prompts.
    ///
    /// # Errors
    /// `invalid_options`: the condition is empty or longer than 4,000 characters.
    pub fn set_goal(&self, session_id: &str, condition: &str) -> Result<(), Error> {
        self.shared().sessions.set_goal(session_id, Some(Goal::new(condition)?));
        Ok(())
    }

    /// Takes a session's goal away. Returns whether it had one.
    pub fn clear_goal(&self, session_id: &str) -> bool {
        self.shared().sessions.set_goal(session_id, None)
    }

    /// A session's goal, also when it is met or impossible.
    #[must_use]
    pub fn goal(&self, session_id: &str) -> Option<Goal> {
        self.shared().sessions.goal(session_id)
    }

    /// [`Engine::goal`] as a JSON object, or `null`.
    #[must_use]
    pub fn goal_json(&self, session_id: &str) -> String {
        to_json(&self.goal(session_id))
    }

    /// Adds turns and tokens that were spent on a session's goal. Returns whether it has one.
    pub fn note_goal_usage(&self, session_id: &str, turns: u64, tokens: u64) -> bool {
        self.shared().sessions.with_goal(session_id, |goal| {
            goal.turns = goal.turns.saturating_add(turns);
            goal.tokens = goal.tokens.saturating_add(tokens);
        })
    }

    /// Gives a session a goal that was saved with [`Engine::goal_json`].
    ///
    /// # Errors
    /// `invalid_options`: the text is no goal.
    pub fn restore_goal(&self, session_id: &str, goal: &str) -> Result<(), Error> {
        let saved: Goal = serde_json::from_str(goal).map_err(|error| {
            Error::new(ErrorKind::InvalidOptions, format!("the saved goal is not usable: {error}"))
        })?;
        Goal::new(&saved.condition)?;
        self.shared().sessions.set_goal(session_id, Some(saved));
        Ok(())
    }
}
