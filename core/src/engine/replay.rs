//! Deciding recorded dispatches again.

use std::panic::AssertUnwindSafe;

use super::{Engine, panicked};
use crate::error::Error;
use crate::replay::{Replay, replay_alone, replay_with};

impl Engine {
    /// Decides a line of a recording (the option `record`) again by the hooks that this engine has now, and says what
    /// would be decided otherwise. Runs nothing, and changes nothing of the engine. Functions of the host and goals, which
    /// no settings hold, are those of the recording. [`replay`](crate::replay) takes all hooks from the recording.
    ///
    /// # Errors
    /// `invalid_event`: the text is no line of a recording, or an engine of another dialect recorded it. `internal` for a
    /// defect in this library.
    pub fn replay(&self, line: impl AsRef<[u8]>) -> Result<Replay, Error> {
        let snapshot = self.live().snapshot();
        guarded(|| replay_with(line.as_ref(), &snapshot))
    }

    /// [`Engine::replay`] as a JSON object.
    ///
    /// # Errors
    /// As [`Engine::replay`].
    pub fn replay_json(&self, line: impl AsRef<[u8]>) -> Result<String, Error> {
        self.replay(line).map(|replay| replay.to_json())
    }
}

/// Decides a line of a recording again by the hooks that it holds, with the rules of this version of Crosshook. Runs
/// nothing and changes nothing. [`Engine::replay`] takes the hooks of an engine instead.
///
/// # Errors
/// `invalid_event`: the text is no line of a recording. `internal` for a defect in this library.
pub fn replay(line: impl AsRef<[u8]>) -> Result<Replay, Error> {
    guarded(|| replay_alone(line.as_ref()))
}

fn guarded(work: impl FnOnce() -> Result<Replay, Error>) -> Result<Replay, Error> {
    std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(panicked()))
}
