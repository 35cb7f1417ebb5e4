//! A settings source that has been read: a tree, and all that is known of where it comes from.

use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::Scope;
use super::file::hex;
use super::tree::{Node, Spot, Tree, Value};
use super::variables::Variables;
use crate::diagnostic::Origin;
use crate::dialect::Dialect;
use crate::error::{Error, ErrorKind, Place};
use crate::hook::Bound;

/// A source of hooks.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) dialect: &'static Dialect,
    pub(crate) scope: Scope,
    pub(crate) path: Option<String>,
    pub(crate) tree: Arc<Tree>,
    pub(crate) form: Form,
    /// The plugin or extension that brings it.
    pub(crate) plugin: Option<String>,
    /// How the agent names it where it keeps what it knows of single hooks, when that is not its path.
    pub(crate) trust_key: Option<String>,
    /// What `${NAME}` stands for in its hooks.
    pub(crate) variables: Arc<Variables>,
    /// The only session or agent it is for.
    pub(crate) bound: Option<Bound>,
    /// An organisation brings it, whatever its scope.
    pub(crate) managed: bool,
    /// Why none of its hooks run, when that is known already, and the code for it.
    pub(crate) held: Option<crate::hook::Off>,
}

/// Where in the tree the events are, and what else stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Form {
    /// The agent's settings: the events are where the dialect says, scalars beside them.
    Settings,
    /// The object at this path (keys and indices) is the event map.
    Events(Vec<String>),
    /// The frontmatter of an agent or skill: the event map is at `hooks`.
    Frontmatter,
}

impl Source {
    /// A settings text.
    ///
    /// # Errors
    /// `invalid_settings` when the text is no JSON object.
    pub(crate) fn settings(
        dialect: &'static Dialect,
        scope: Scope,
        path: Option<String>,
        text: &str,
    ) -> Result<Self, Error> {
        let tree = object(text, path.as_deref())?;
        Ok(Self::of_tree(dialect, scope, path, Arc::new(tree), Form::Settings))
    }

    pub(crate) fn of_tree(
        dialect: &'static Dialect,
        scope: Scope,
        path: Option<String>,
        tree: Arc<Tree>,
        form: Form,
    ) -> Self {
        Self {
            dialect,
            scope,
            path,
            tree,
            form,
            plugin: None,
            trust_key: None,
            variables: Arc::default(),
            bound: None,
            managed: scope.is_managed(),
            held: None,
        }
    }

    pub(crate) fn origin(&self, spot: &Spot) -> Origin {
        Origin {
            scope: self.scope.as_str().to_owned(),
            path: self.path.clone(),
            plugin: self.plugin.clone(),
            pointer: Some(spot.pointer.clone()),
            line: Some(self.tree.line(spot.at)),
        }
    }

    /// How a message refers to it.
    pub(crate) fn title(&self) -> String {
        match (&self.plugin, &self.path) {
            (Some(plugin), Some(path)) => format!("plugin {plugin} ({path})"),
            (_, Some(path)) => format!("{} settings ({path})", self.scope.as_str()),
            _ => format!("{} settings given by the host", self.scope.as_str()),
        }
    }

    /// The value at `hooks`, where the form has one.
    pub(crate) fn hooks(&self) -> Option<&Node> {
        if matches!(self.form, Form::Events(_)) { None } else { self.tree.root.get("hooks") }
    }

    /// The value at a path of keys joined by dots, with its place.
    pub(crate) fn setting(&self, path: &str) -> Option<(&Node, Spot)> {
        if self.form != Form::Settings {
            return None;
        }
        self.walk(path.split('.'))
    }

    /// The value at a path of keys and indices, with its place.
    pub(crate) fn walk<'a>(&self, path: impl IntoIterator<Item = &'a str>) -> Option<(&Node, Spot)> {
        let mut at = (&self.tree.root, Spot::root());
        for key in path {
            let next = at.0.step(key)?;
            at = (next, at.1.child(key, next));
        }
        Some(at)
    }

    /// Identifies what the source declares: SHA-256 over its hooks, in a form that blanks, comments and other settings
    /// do not change.
    pub(crate) fn digest(&self) -> String {
        let mut text = String::new();
        match &self.form {
            Form::Events(path) => {
                if let Some((node, _)) = self.walk(path.iter().map(String::as_str)) {
                    write(node, &mut text);
                }
            }
            Form::Settings | Form::Frontmatter => {
                if let Some(node) = self.hooks() {
                    write(node, &mut text);
                }
            }
        }
        format!("sha256:{}", hex(&Sha256::digest(text.as_bytes())))
    }
}

/// Parses a text that must be an object, in TOML when the file's name says so. An error names the file.
pub(crate) fn object(text: &str, path: Option<&str>) -> Result<Tree, Error> {
    let named = |error: Error| {
        let path = path.map(str::to_owned);
        let line = error.place().line;
        error.at(Place { path, line, ..Place::default() })
    };
    let is_toml = path.is_some_and(|path| path.ends_with(".toml"));
    let tree = if is_toml { super::toml::parse(text) } else { Tree::parse(text) }.map_err(named)?;
    if tree.root.as_object().is_none() {
        let message = format!("the settings are {}, not an object", tree.root.words());
        return Err(named(Error::new(ErrorKind::InvalidSettings, message)));
    }
    Ok(tree)
}

/// Whether a text is an object, as settings may be written, with the keys that `wanted` asks for.
pub(crate) fn has_keys(text: &str, wanted: impl Fn(&dyn Fn(&str) -> bool) -> bool) -> bool {
    Tree::parse(text).is_ok_and(|tree| wanted(&|key| tree.root.get(key).is_some()))
}

/// A path as messages and origins show it.
pub(crate) fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn write(node: &Node, out: &mut String) {
    match &node.value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(value) => out.push_str(&value.to_string()),
        Value::String(text) => out.push_str(&crate::json::quote(text)),
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Object(entries) => {
            out.push('{');
            for (key, value) in entries {
                out.push_str(&crate::json::quote(key));
                out.push(':');
                write(value, out);
                out.push(',');
            }
            out.push('}');
        }
    }
}
