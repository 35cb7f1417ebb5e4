//! Hooks in the frontmatter of agents and skills: which of them count, and for whom.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;

use super::Scope;
use super::source::{Form, Source, shown};
use super::switches::Switch;
use super::tree::Tree;
use super::variables::Variables;
use super::yaml::{self, Malformed};
use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::dialect::{Dialect, Forked, FrontmatterRule, Untrusted};
use crate::error::{Error, ErrorKind};
use crate::hook::{Bound, Off};
use crate::wire::{self, attempt};

/// What has the frontmatter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FrontmatterOwner {
    /// A custom agent's Markdown file.
    Agent,
    /// A skill's `SKILL.md`.
    Skill,
}

/// Who brought the agent or skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FrontmatterSource {
    /// It is part of the product.
    Builtin,
    /// It lies in the user's own folders.
    User,
    /// It lies in the project.
    Project,
    /// A plugin brought it.
    Plugin,
}

/// An agent or skill that starts: its hooks run until the scope is closed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FrontmatterScope {
    /// What has the frontmatter.
    pub owner: FrontmatterOwner,
    /// Who brought it.
    pub source: FrontmatterSource,
    /// The whole Markdown file.
    pub text: String,
    /// The dialect by which its frontmatter is read. Default: the engine's.
    #[serde(default)]
    pub dialect: Option<String>,
    /// Its name, for messages. Default: `name` of the frontmatter.
    #[serde(default)]
    pub name: Option<String>,
    /// Its path, for messages and for the variable that holds a skill's folder.
    #[serde(default)]
    pub path: Option<PathBuf>,
    /// Only events with this `session_id` fire its hooks. Default: those of every session.
    #[serde(default, alias = "sessionId")]
    pub session_id: Option<String>,
    /// Only events with this `agent_id` fire its hooks. Default: those of every agent.
    #[serde(default, alias = "agentId")]
    pub agent_id: Option<String>,
}

impl FrontmatterScope {
    /// A scope for the events of every session and agent.
    pub fn new(owner: FrontmatterOwner, source: FrontmatterSource, text: impl Into<String>) -> Self {
        Self {
            owner,
            source,
            text: text.into(),
            dialect: None,
            name: None,
            path: None,
            session_id: None,
            agent_id: None,
        }
    }

    /// Reads a scope from JSON: `{owner, source, text, dialect, name, path, session_id, agent_id}`.
    ///
    /// # Errors
    /// `invalid_options`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        wire::read(text, attempt!(Self)).map_err(|(why, place)| {
            Error::new(ErrorKind::InvalidOptions, format!("the scope is not usable: {why}")).at(place)
        })
    }
}

impl FrontmatterOwner {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Skill => "skill",
        }
    }

    const fn scope(self) -> Scope {
        match self {
            Self::Agent => Scope::Agent,
            Self::Skill => Scope::Skill,
        }
    }
}

/// What a frontmatter came to.
#[derive(Debug)]
pub(crate) enum Opened {
    /// Its hooks, which may all be held back.
    Hooks(Box<Source>),
    /// Nothing; why, when that is no matter of course.
    Nothing(Option<Diagnostic>),
}

/// Reads a frontmatter. `switch` holds the merged settings of the dialect, `trusted` what the host says of the project.
pub(crate) fn open(
    scope: &FrontmatterScope,
    dialect: &'static Dialect,
    switch: &Switch,
    trusted: bool,
) -> Opened {
    let origin = Origin {
        scope: scope.owner.as_str().to_owned(),
        path: scope.path.as_deref().map(shown),
        ..Origin::default()
    };
    let tree = match yaml::frontmatter(&scope.text) {
        Ok(Some(tree)) if tree.root.get("hooks").is_some() => Arc::new(tree),
        Ok(_) => return Opened::Nothing(None),
        Err(Malformed { why, line }) => {
            let place = origin.path.clone().or_else(|| scope.name.clone());
            let place = place.unwrap_or_else(|| scope.owner.as_str().to_owned());
            let text = format!("Malformed YAML frontmatter in '{place}': {why}; none of its hooks run");
            let origin = Origin { line: Some(line), ..origin };
            let diagnostic = Diagnostic::error(Code::FrontmatterMalformed, text).from_origin(&origin);
            return Opened::Nothing(Some(diagnostic));
        }
    };
    let Some(rule) = &dialect.settings.frontmatter else {
        let text = format!("{} reads no hooks from frontmatter", dialect.product);
        let diagnostic = Diagnostic::warning(Code::FrontmatterSkipped, text).from_origin(&origin);
        return Opened::Nothing(Some(diagnostic));
    };
    let path = origin.path.clone();
    let mut source = Source::of_tree(dialect, scope.owner.scope(), path, tree.clone(), Form::Frontmatter);
    source.bound = Some(Bound { session_id: scope.session_id.clone(), agent_id: scope.agent_id.clone() });
    source.held = held(scope, dialect, rule, &tree, switch, trusted);
    source.variables = Arc::new(variables(scope, rule));
    Opened::Hooks(Box::new(source))
}

/// Why its hooks do not count.
fn held(
    scope: &FrontmatterScope,
    dialect: &Dialect,
    rule: &FrontmatterRule,
    tree: &Tree,
    switch: &Switch,
    trusted: bool,
) -> Option<Off> {
    let owner = scope.owner.as_str();
    let written = tree.root.get("name").and_then(|name| name.as_str());
    let name = scope.name.as_deref().or(written).unwrap_or("without a name");
    let text = |why: &str| format!("Frontmatter hooks from {owner} '{name}' skipped ({why})");
    let skipped = |why: &str| Some(Off::because(Code::FrontmatterSkipped, text(why)));
    let untrusted = |why: &str| Some(Off::untrusted(Code::FrontmatterSkipped, text(why)));
    let forked = tree.root.get("context").and_then(|context| context.as_str()) == Some("fork");
    if scope.owner == FrontmatterOwner::Skill && rule.skills == Forked::Only && !forked {
        return skipped("a skill's hooks count only with `context: fork`");
    }
    let of_plugin = scope.owner == FrontmatterOwner::Agent && scope.source == FrontmatterSource::Plugin;
    if of_plugin && !rule.agents_of_plugins {
        return skipped("the hooks of a plugin's agents are ignored");
    }
    if !trusted
        && (scope.source == FrontmatterSource::Project
            || dialect.settings.untrusted == Untrusted::AllButManaged)
    {
        return untrusted("the project is not trusted");
    }
    match rule.gate {
        Some(gate) if scope.source != FrontmatterSource::Builtin && !switch.frontmatter => {
            untrusted(&format!("source not admin-trusted; enable `{gate}` in settings to allow"))
        }
        _ => None,
    }
}

fn variables(scope: &FrontmatterScope, rule: &FrontmatterRule) -> Variables {
    let mut variables = Variables::default();
    let folder = scope.path.as_ref().filter(|_| scope.owner == FrontmatterOwner::Skill).and_then(|path| {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        path.parent().map(shown)
    });
    if let Some(folder) = folder {
        variables.add(rule.skill_dir, &folder, true);
    }
    variables
}
