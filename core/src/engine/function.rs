//! Functions of the host as hooks.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;

use super::Engine;
use super::manage::Registered;
use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::dialect::{Dialect, KEPT, Target, Version};
use crate::error::{Error, ErrorKind};
use crate::hook::{Action, Bound, FailMode, Hook};
use crate::json::to_json;
use crate::matcher::Matcher;
use crate::settings::{Scope, named_dialect};
use crate::wire::{self, attempt};

/// A function of the host that is to run as a hook. The host calls it when it is asked for
/// ([`RequestKind::Function`](crate::RequestKind::Function)); its answer is read as what a command hook prints.
///
/// As JSON it is one object with these fields as keys, in snake_case or camelCase.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FunctionSpec {
    /// The event's name, as the dialect writes it. Required.
    pub event: String,
    /// What the event's matcher target must match; `None` matches everything.
    #[serde(default)]
    pub matcher: Option<String>,
    /// What the hook is called in outcomes.
    #[serde(default)]
    pub name: Option<String>,
    /// Its time limit in milliseconds. Default: 5000 (qwen.md section 14).
    #[serde(default, alias = "timeoutMs")]
    pub timeout_ms: Option<u64>,
    /// The only session whose events it gets; `None` is every one.
    #[serde(default, alias = "sessionId")]
    pub session_id: Option<String>,
    /// What a host shows while it runs.
    #[serde(default, alias = "statusMessage")]
    pub status_message: Option<String>,
    /// What the user reads when it answers `false` (Qwen), and before the reason when it fails.
    #[serde(default, alias = "errorMessage")]
    pub error_message: Option<String>,
    /// Whether its failure denies or blocks: `open` or `closed`. Default: as the engine's options say.
    #[serde(default, alias = "failMode")]
    pub fail_mode: Option<String>,
    /// The dialect whose events and answers it speaks. Default: the engine's.
    #[serde(default)]
    pub dialect: Option<String>,
}

impl FunctionSpec {
    /// A function for every occurrence of an event.
    pub fn new(event: impl Into<String>) -> Self {
        Self { event: event.into(), ..Self::default() }
    }

    /// Reads a specification from JSON text.
    ///
    /// # Errors
    /// `invalid_options` when the text is not such an object.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        wire::read(text, attempt!(Self)).map_err(|(why, place)| {
            refused(format!("the function's specification is not usable: {why}")).at(place)
        })
    }

    /// The hook, with its id.
    fn hook(self, dialect: &'static Dialect, version: Version, id: &str) -> Result<Hook, Error> {
        let rule = dialect.event(&self.event).ok_or_else(|| {
            let known: Vec<&str> = dialect.events.iter().map(|rule| rule.name).collect();
            refused(format!("{} has no event `{}`; it has {}", dialect.product, self.event, known.join(", ")))
        })?;
        let fail_mode = match self.fail_mode.as_deref() {
            None => None,
            Some("open") => Some(FailMode::Open),
            Some("closed") => Some(FailMode::Closed),
            Some(other) => return Err(refused(format!("`fail_mode` is \"{other}\", not open or closed"))),
        };
        let matcher = match self.matcher.as_deref().filter(|_| rule.target != Target::Nothing) {
            None => None,
            Some(text) => {
                let invalid = |why: &dyn fmt::Display| {
                    refused(format!("the matcher `{text}` is no valid pattern: {why}"))
                };
                let matcher = Matcher::new(dialect.matching_of(rule, version), Some(text))
                    .map_err(|why| invalid(&why))?;
                matcher.fault().map_or(Ok(()), |why| Err(invalid(why)))?;
                Some(Arc::new(matcher))
            }
        };
        let bound = self.session_id.map(|session| Bound { session_id: Some(session), agent_id: None });
        Ok(Hook {
            id: id.to_owned(),
            dialect,
            version,
            scope: Scope::Session,
            event: self.event,
            rule: Some(rule),
            matcher_text: self.matcher,
            matcher,
            condition: None,
            sequential: false,
            kind: "function",
            action: Action::Function { id: id.to_owned(), error_message: self.error_message },
            name: self.name,
            timeout: Duration::from_millis(self.timeout_ms.unwrap_or(5_000).max(1)),
            own_timeout: true,
            budget: None,
            background: false,
            wakes: false,
            once: false,
            worker: None,
            status_message: self.status_message,
            env: Vec::new(),
            fail_mode,
            output_limit: KEPT,
            origin: Origin { scope: Scope::Session.as_str().to_owned(), ..Origin::default() },
            dedupe_key: None,
            bound,
            data_dir: None,
            digest: None,
            context_limit: None,
            off: None,
        })
    }
}

fn refused(message: String) -> Error {
    Error::new(ErrorKind::InvalidOptions, message)
}

impl Engine {
    /// Makes a function of the host a hook. The host is asked for it under the id in the answer, until
    /// [`Engine::unregister`] is called with it.
    ///
    /// # Errors
    /// `invalid_options`: no such event or dialect, or a matcher that is no pattern; or the engine was made without a
    /// host that could answer.
    pub fn register_function(&self, spec: FunctionSpec) -> Result<Registered, Error> {
        if self.live().snapshot().surroundings.host.is_none() {
            return Err(refused(
                "the engine was made without a host, so nobody could call the function".to_owned(),
            ));
        }
        let mut state = self.live().state();
        let dialect = named_dialect(spec.dialect.as_deref(), state.recipe.dialect, "")?;
        let id = state.next_id("function");
        let ignored = spec.matcher.clone().filter(|text| !matches!(text.as_str(), "" | "*"));
        let hook = spec.hook(dialect, state.recipe.ground.version_of(dialect), &id)?;
        let mut diagnostics = Vec::new();
        if let (Some(text), None) = (ignored, &hook.matcher) {
            let text = format!("the matcher `{text}` is ignored: {} has nothing to match", hook.event);
            diagnostics.push(Diagnostic::warning(Code::IgnoredMatcher, text));
        }
        state.register_hook(&id, hook);
        self.live().publish(&state, diagnostics.clone());
        Ok(Registered { id, hooks: 1, diagnostics })
    }

    /// [`Engine::register_function`] with the specification and the answer as JSON.
    ///
    /// # Errors
    /// As [`FunctionSpec::from_json`] and [`Engine::register_function`].
    pub fn register_function_json(&self, spec: &str) -> Result<String, Error> {
        self.register_function(FunctionSpec::from_json(spec)?).map(|registered| to_json(&registered))
    }
}
