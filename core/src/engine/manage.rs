//! What a host does with an engine between events: look for drift, reload, register, grant.

use serde::Serialize;

use super::Engine;
use super::changes::{self, Changes, compare};
use super::live::State;
use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::dialect::Dialect;
use crate::error::{Error, ErrorKind};
use crate::hook::{Bound, Hook};
use crate::json::to_json;
use crate::options::session_settings;
use crate::report::{self, Listing};
use crate::settings::{self, FrontmatterScope, Gathered, Grant, Opened, Scope, Source};

/// What became of settings that were registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Registered {
    /// Removes them again.
    pub id: String,
    /// How many hooks they hold, those that cannot run included.
    pub hooks: usize,
    /// What was noticed.
    pub diagnostics: Vec<Diagnostic>,
}

/// Hooks that would run if what they declare were granted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WantedGrant {
    /// What is to be granted.
    #[serde(flatten)]
    pub grant: Grant,
    /// Where it is declared.
    pub origin: Origin,
    /// What it declares, for the person who decides.
    pub hooks: Vec<Listing>,
}

impl Engine {
    /// Compares the files with the set that runs. Changes nothing, so that a host can show what a reload would do.
    #[must_use]
    pub fn changes(&self) -> Changes {
        let state = self.live().state();
        match settings::gather(&state.recipe) {
            Ok(fresh) => compare(&state, &fresh, &state.trial(&fresh)),
            Err(error) => changes::of_unreadable(&error),
        }
    }

    /// [`Engine::changes`] as JSON: `{files, added, changed, removed, diagnostics}`.
    #[must_use]
    pub fn changes_json(&self) -> String {
        to_json(&self.changes())
    }

    /// Takes over the settings as they are now, in one step, and says what changed. Dispatches in flight keep the old
    /// set. What the host registered stays.
    ///
    /// # Errors
    /// `io`, `invalid_settings`: a file cannot be read or parsed. The old set then holds unchanged; only where the
    /// dialect says so (Qwen's system files) the old part of that file stays and the rest is taken over, with an
    /// error in [`Changes::diagnostics`].
    pub fn reload(&self) -> Result<Changes, Error> {
        let mut state = self.live().state();
        let mut fresh = settings::gather(&state.recipe)?;
        let kept = keep_broken(&state, &mut fresh)?;
        let mut changes = compare(&state, &fresh, &state.trial(&fresh));
        changes.diagnostics = kept;
        state.gathered = fresh;
        let dialect = state.recipe.dialect;
        let older = std::mem::take(&mut state.switches);
        let notes = changes.diagnostics.clone();
        state.rebuild(|switches, diagnostics| {
            diagnostics.splice(0..0, notes);
            if dialect.settings.reload_keeps_switches {
                if switches.differing(&older).contains(&dialect.name) {
                    let text = format!(
                        "{} takes over changed switches and HTTP settings with a new engine only; the old ones hold",
                        dialect.product
                    );
                    diagnostics.push(Diagnostic::warning(Code::ReloadKept, text));
                }
                switches.keep(dialect, &older);
            }
        });
        let news = state.base().diagnostics.clone();
        changes.diagnostics.clone_from(&news);
        self.live().publish(&state, news);
        Ok(changes)
    }

    /// [`Engine::reload`] with the changes as JSON.
    ///
    /// # Errors
    /// As [`Engine::reload`].
    pub fn reload_json(&self) -> Result<String, Error> {
        self.reload().map(|changes| to_json(&changes))
    }

    /// Adds hooks at run time: a settings object as JSON text, in the form of the dialect's file, for the events of one
    /// session (its `session_id`). Only its hooks count. They run until [`Engine::unregister`] is called with the id.
    ///
    /// Hooks of another dialect stand in an entry: `{"dialect": "claude", "settings": {...}}`. An object is an entry when it
    /// has `settings` and no `hooks`.
    ///
    /// # Errors
    /// `invalid_settings`: the text is no JSON object. `invalid_options`: an entry that is not usable, or with an unknown
    /// dialect. A bad hook is no error: see [`Registered::diagnostics`].
    pub fn register(&self, session_id: &str, settings: &str) -> Result<Registered, Error> {
        let mut state = self.live().state();
        let (dialect, text) = session_settings(settings)?;
        let dialect = settings::named_dialect(dialect.as_deref(), state.recipe.dialect, "")?;
        let mut source = Source::settings(dialect, Scope::Session, None, &text)?;
        source.bound = Some(Bound { session_id: Some(session_id.to_owned()), agent_id: None });
        Ok(self.add(&mut state, "session", source))
    }

    /// [`Engine::register`] with the answer as JSON: `{id, hooks, diagnostics}`.
    ///
    /// # Errors
    /// As [`Engine::register`].
    pub fn register_json(&self, session_id: &str, settings: &str) -> Result<String, Error> {
        self.register(session_id, settings).map(|registered| to_json(&registered))
    }

    /// Removes what was registered or opened under this id; `false` when there is nothing (any more). Dispatches in
    /// flight finish with it.
    pub fn unregister(&self, id: &str) -> bool {
        let mut state = self.live().state();
        let removed = state.unregister(id);
        if removed {
            self.live().publish(&state, Vec::new());
        }
        removed
    }

    /// Opens the scope of an agent or skill that starts: the hooks of its frontmatter run until
    /// [`Engine::close_scope`] is called with the id, and only for the events of the session and agent that it names.
    /// What is held back (by trust, or by the dialect's gate) is listed, does not run, and is named in a diagnostic. Where
    /// a skill's hooks last for the session (Qwen), one that is open already is not opened twice and keeps its id.
    ///
    /// # Errors
    /// `invalid_options`: there is no such dialect.
    pub fn open_scope(&self, scope: &FrontmatterScope) -> Result<Registered, Error> {
        let mut state = self.live().state();
        let dialect = settings::named_dialect(scope.dialect.as_deref(), state.recipe.dialect, "")?;
        let switch = state.switches.of(dialect);
        Ok(match settings::open(scope, dialect, &switch, state.trust.trusted()) {
            Opened::Hooks(source) => match state.lasting(&source) {
                Some((id, hooks)) => Registered { id, hooks, diagnostics: Vec::new() },
                None => self.add(&mut state, scope.owner.as_str(), *source),
            },
            Opened::Nothing(diagnostic) => {
                let id = state.next_id(scope.owner.as_str());
                let diagnostics: Vec<Diagnostic> = diagnostic.into_iter().collect();
                state.note(&id, diagnostics.clone());
                self.live().publish(&state, diagnostics.clone());
                Registered { id, hooks: 0, diagnostics }
            }
        })
    }

    /// [`Engine::open_scope`] with both as JSON: `{owner, source, text, dialect, name, path, session_id, agent_id}` in,
    /// `{id, hooks, diagnostics}` out.
    ///
    /// # Errors
    /// `invalid_options`: the text is not such an object, or there is no such dialect.
    pub fn open_scope_json(&self, scope: &str) -> Result<String, Error> {
        self.open_scope(&FrontmatterScope::from_json(scope)?).map(|opened| to_json(&opened))
    }

    /// Closes a scope; `false` when there is none with this id (any more). Dispatches in flight finish with it.
    pub fn close_scope(&self, id: &str) -> bool {
        self.unregister(id)
    }

    /// Removes everything that was registered or opened for this session alone.
    pub(crate) fn unregister_session(&self, session_id: &str) -> bool {
        let mut state = self.live().state();
        let removed = state.unregister_session(session_id);
        if removed {
            self.live().publish(&state, Vec::new());
        }
        removed
    }

    pub(crate) fn add(&self, state: &mut State, kind: &str, source: Source) -> Registered {
        let (id, hooks, diagnostics) = state.register(kind, source);
        self.live().publish(state, diagnostics.clone());
        Registered { id, hooks, diagnostics }
    }

    /// The declarations whose hooks are held back until they are granted.
    #[must_use]
    pub fn wanted_grants(&self) -> Vec<WantedGrant> {
        let state = self.live().state();
        let listed = report::list(state.base());
        let wanted = state.waiting().map(|(source, grant)| {
            let origin = source.origin(&settings::Spot::root());
            let own = |hook: &&Listing| {
                hook.dialect == source.dialect.name
                    && hook.origin.path == origin.path
                    && hook.origin.scope == origin.scope
            };
            WantedGrant { grant, hooks: listed.iter().filter(own).cloned().collect(), origin }
        });
        // Where hooks are trusted one by one, each waits for its own grant.
        let waiting = state.base().hooks.iter().filter(|hook| waits(hook));
        let alone = waiting.filter_map(|hook| {
            let own = listed.iter().filter(|listing| listing.id == hook.id).cloned().collect();
            let grant = state.trust.grant_for(hook.digest.clone()?);
            Some(WantedGrant { grant, origin: hook.origin.clone(), hooks: own })
        });
        wanted.chain(alone).collect()
    }

    /// [`Engine::wanted_grants`] as a JSON array of `{workspace, digest, origin, hooks}`.
    #[must_use]
    pub fn wanted_grants_json(&self) -> String {
        to_json(&self.wanted_grants())
    }

    /// The grants that hold for this workspace, also those of declarations that are gone or were changed since.
    #[must_use]
    pub fn grants(&self) -> Vec<Grant> {
        self.live().state().trust.grants()
    }

    /// [`Engine::grants`] as a JSON array of `{workspace, digest}`.
    #[must_use]
    pub fn grants_json(&self) -> String {
        to_json(&self.grants())
    }

    /// Grants a declaration by its digest and lets its hooks run from now on. The grant is kept in the trust store of
    /// the options, when there is one, and ends with any change of the declaration.
    ///
    /// # Errors
    /// `invalid_options`: no source waits for this digest. `io`: the store cannot be read or written.
    pub fn grant(&self, digest: &str) -> Result<(), Error> {
        let mut state = self.live().state();
        let of_hook =
            state.base().hooks.iter().any(|hook| waits(hook) && hook.digest.as_deref() == Some(digest));
        if !of_hook && !state.waiting().any(|(_, grant)| grant.digest == digest) {
            let text = format!("no hooks wait for a grant of {digest}");
            return Err(Error::new(ErrorKind::InvalidOptions, text));
        }
        self.set_grant(&mut state, digest, true)
    }

    /// Takes a grant back. Dispatches in flight finish.
    ///
    /// # Errors
    /// `io`: the store cannot be read or written.
    pub fn revoke(&self, digest: &str) -> Result<(), Error> {
        self.set_grant(&mut self.live().state(), digest, false)
    }

    fn set_grant(&self, state: &mut State, digest: &str, granted: bool) -> Result<(), Error> {
        if state.trust.set(digest, granted)? {
            state.rebuild(|_, _| {});
            self.live().publish(state, Vec::new());
        }
        Ok(())
    }
}

/// Whether a grant of its digest would let a hook run.
fn waits(hook: &Hook) -> bool {
    hook.digest.is_some() && hook.off.as_ref().is_some_and(|off| off.code == Code::Untrusted)
}

/// What a reload does with files that were looked up and are broken.
fn keep_broken(state: &State, fresh: &mut Gathered) -> Result<Vec<Diagnostic>, Error> {
    let system = |scope: Scope| matches!(scope, Scope::System | Scope::SystemDefaults);
    let kept = |dialect: &Dialect, scope| dialect.settings.reload_keeps_system && system(scope);
    if let Some(broken) = fresh.broken.iter().find(|broken| !kept(broken.dialect, broken.scope)) {
        return Err(broken.error.clone());
    }
    let dialects: Vec<&Dialect> = fresh.broken.iter().map(|broken| broken.dialect).collect();
    let notes = fresh.broken.drain(..).map(|broken| {
        let mut diagnostic = broken.diagnostic();
        diagnostic.code = Code::ReloadKept;
        diagnostic.message =
            format!("{}; the hooks of the system files stay as they were", broken.error.message());
        diagnostic
    });
    let notes: Vec<Diagnostic> = notes.collect();
    if !notes.is_empty() {
        let old = |source: &Source| system(source.scope) && dialects.contains(&source.dialect);
        fresh.sources.retain(|source| !old(source));
        fresh.sources.extend(state.gathered.sources.iter().filter(|source| old(source)).cloned());
        settings::sort(&mut fresh.sources, state.recipe.dialect);
    }
    Ok(notes)
}
