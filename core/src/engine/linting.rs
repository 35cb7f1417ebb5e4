//! What in the settings is probably not meant.

use super::Engine;
use crate::diagnostic::Diagnostic;
use crate::json::to_json;
use crate::lint::{Surroundings, lint};

impl Engine {
    /// Warnings of what people get wrong most in settings that work: matchers that match nothing or too much, scripts that
    /// are not there, limits in the wrong unit, and the like. In the order of the hooks; none in doubt. What is wrong for
    /// sure stands in [`Engine::diagnostics`].
    ///
    /// Runs nothing. Reads the scripts that hooks name, as far as their places are known beforehand.
    #[must_use]
    pub fn lint(&self) -> Vec<Diagnostic> {
        let snapshot = self.live().snapshot();
        let project_dir = snapshot.surroundings.project_dir.clone().map(Into::into).or_else(|| {
            let state = self.live().state();
            // Where settings were looked up, their hooks run.
            state.recipe.ground.project_dir.clone().filter(|_| !state.recipe.discover.is_empty())
        });
        lint(&snapshot.hooks, &Surroundings { env: &snapshot.surroundings.env, project_dir })
    }

    /// [`Engine::lint`] as a JSON array.
    #[must_use]
    pub fn lint_json(&self) -> String {
        to_json(&self.lint())
    }
}
