//! The engine's options: one object, the same in every language.

use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::{Error, ErrorKind, Place};
use crate::json::Object;
use crate::record::RecordOptions;
use crate::settings::{self, Scope};
use crate::wire::{self, attempt};

/// How an [`Engine`](crate::Engine) is made.
///
/// As JSON (in every other language) it is one object with these fields as keys, in snake_case or camelCase.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The dialect the host speaks, as in `claude`. Required. See [`dialect_names`](crate::dialect_names).
    pub dialect: String,
    /// The version of that agent, as in `2.1.240`, where an older one is to be followed. Default: the newest that is
    /// documented.
    pub version: Option<String>,
    /// The settings sources. As JSON: one settings object, or a list of `{scope, settings}` and `{scope, path}`.
    pub settings: Vec<SettingsSource>,
    /// The project's root. Hooks see it as their dialect's project variable. Default: the event's `cwd`.
    pub project_dir: Option<PathBuf>,
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// Whether the host trusts the project; hooks of project settings run only then. Default: true.
    pub trusted: Option<bool>,
    /// What happens when a hook itself fails: `true` denies or blocks the event. Default: false, the event goes on.
    /// As JSON: `"fail_mode": "open"` or `"closed"`. The `failMode` of a settings file wins for its hooks, that of a group for
    /// its own, and a hook's own for that hook.
    pub fail_closed: bool,
    /// What hooks inherit as environment, and where the variables that move settings are looked up. Default: a copy of
    /// the host's, taken when the engine is made.
    pub env: Option<BTreeMap<String, String>>,
    /// Whether the dialect's own files are looked up below `home` and `project_dir`, and where the machine keeps them.
    /// Default: only when no `settings` are given.
    pub discover: Option<bool>,
    /// Plugins or extensions. As JSON: a list of folders, or of `{path, dialect, id, data_dir, enabled, managed, options}`.
    pub plugins: Vec<PluginSource>,
    /// The file in which grants for hooks of projects are kept (ZCode, Codex). Default: grants last as long as the engine.
    pub trust_store: Option<PathBuf>,
    /// A model endpoint that answers prompt hooks; a host's own model is not asked then. Needs the feature `http`.
    pub llm: Option<LlmOptions>,
    /// Whether the host takes what background hooks have to say later (CodeBuddy). `false`: their output goes nowhere, so
    /// they outlive a host that exits before them. Default: true.
    pub late_results: Option<bool>,
    /// Where each dispatch is recorded, for [`Engine::replay`](crate::Engine::replay) and as an audit trail. Default:
    /// nowhere. As JSON: a path, or `{path, redact, usual_rules, max_bytes}`.
    pub record: Option<RecordOptions>,
    /// Other dialects whose own files are looked up as well, each by its own rules of places, trust and switches.
    pub dialects: Vec<String>,
    /// The host's tools that have another name in its dialect, by the host's name. Matchers, `if` rules and hooks see the
    /// dialect's names; what hooks change of the input comes back under the host's. As JSON: `{"execute": "Bash"}`, or
    /// `{"execute": {"name": "Bash", "arguments": {"cmd": "command"}}}`.
    pub tools: BTreeMap<String, ToolName>,
}

/// What a tool of the host is called in its dialect.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "WireTool")]
#[non_exhaustive]
pub struct ToolName {
    /// The dialect's name, as in `Bash`.
    pub name: String,
    /// The dialect's names of its arguments, by the host's: those that differ.
    pub arguments: BTreeMap<String, String>,
}

impl ToolName {
    /// A tool with the same arguments.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), arguments: BTreeMap::new() }
    }
}

/// An endpoint that speaks OpenAI's chat completions, for prompt hooks. Used only when the host names it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct LlmOptions {
    /// The URL up to, and without, `/chat/completions`: `https://api.openai.com/v1`, `http://localhost:11434/v1`. The host
    /// names it, so private networks are allowed.
    #[serde(alias = "baseUrl")]
    pub base_url: String,
    /// The model, unless a hook names one.
    pub model: String,
    /// The environment variable that holds the key. Default: `OPENAI_API_KEY`. Unset: no key is sent.
    #[serde(default, alias = "keyEnv")]
    pub key_env: Option<String>,
}

impl LlmOptions {
    /// An endpoint and its model.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self { base_url: base_url.into(), model: model.into(), key_env: None }
    }
}

/// A plugin or extension.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PluginSource {
    /// Its folder.
    pub path: PathBuf,
    /// The dialect by which it is read; `None` is the engine's. One folder may be listed for several dialects.
    pub dialect: Option<String>,
    /// Its id, which names its data folder. Default: its name.
    pub id: Option<String>,
    /// The folder for its data. Default: as its dialect says, below the home directory.
    pub data_dir: Option<PathBuf>,
    /// Whether its hooks run; those of a disabled plugin are listed only.
    pub enabled: bool,
    /// Whether an organisation's settings force it: then its hooks count as managed (Claude Code).
    pub managed: bool,
    /// The values of its options, for dialects that hand them to hooks.
    pub options: BTreeMap<String, String>,
}

impl PluginSource {
    /// An enabled plugin in this folder, everything else as by default.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            dialect: None,
            id: None,
            data_dir: None,
            enabled: true,
            managed: false,
            options: BTreeMap::new(),
        }
    }
}

/// One settings source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsSource {
    /// Its scope; `None` is the dialect's usual one (`user`; `project` for qwen).
    pub scope: Option<Scope>,
    /// Its dialect; `None` is the engine's.
    pub dialect: Option<String>,
    /// What it says.
    pub content: SettingsContent,
}

/// What a settings source says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingsContent {
    /// The settings as JSON text.
    Text(String),
    /// A file to read.
    File(PathBuf),
}

impl Options {
    /// Options for a dialect, everything else as by default.
    pub fn new(dialect: impl Into<String>) -> Self {
        Self { dialect: dialect.into(), ..Self::default() }
    }

    /// Adds settings as JSON text, in the form of the dialect's own file.
    #[must_use]
    pub fn settings_text(mut self, scope: Option<Scope>, text: impl Into<String>) -> Self {
        let content = SettingsContent::Text(text.into());
        self.settings.push(SettingsSource { scope, dialect: None, content });
        self
    }

    /// Adds a settings file.
    #[must_use]
    pub fn settings_file(mut self, scope: Option<Scope>, path: impl AsRef<Path>) -> Self {
        let content = SettingsContent::File(path.as_ref().to_owned());
        self.settings.push(SettingsSource { scope, dialect: None, content });
        self
    }

    /// Adds a plugin or extension.
    #[must_use]
    pub fn plugin(mut self, path: impl Into<PathBuf>) -> Self {
        self.plugins.push(PluginSource::new(path));
        self
    }

    /// Reads the options object from JSON text.
    ///
    /// # Errors
    /// `invalid_options`, with the place, when the text is not such an object or has a key that is none of the options.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let wire: Wire = wire::read(text, attempt!(Wire)).map_err(|(why, place)| {
            Error::new(ErrorKind::InvalidOptions, format!("the engine options are not usable: {why}"))
                .at(place)
        })?;
        wire.try_into()
    }
}

/// The options as they come over a language boundary.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire<'a> {
    dialect: String,
    #[serde(default)]
    version: Option<String>,
    #[serde(borrow, default)]
    settings: Option<&'a RawValue>,
    #[serde(default, alias = "projectDir")]
    project_dir: Option<PathBuf>,
    #[serde(default)]
    home: Option<PathBuf>,
    #[serde(default)]
    trusted: Option<bool>,
    #[serde(default, alias = "failMode")]
    fail_mode: Option<WireFailMode>,
    #[serde(default)]
    env: Option<BTreeMap<String, String>>,
    #[serde(default)]
    discover: Option<bool>,
    #[serde(default)]
    plugins: Option<Vec<WirePlugin>>,
    #[serde(default, alias = "trustStore")]
    trust_store: Option<PathBuf>,
    #[serde(default)]
    llm: Option<LlmOptions>,
    #[serde(default, alias = "lateResults")]
    late_results: Option<bool>,
    #[serde(borrow, default)]
    record: Option<&'a RawValue>,
    #[serde(default)]
    dialects: Option<Vec<String>>,
    #[serde(default)]
    tools: Option<BTreeMap<String, ToolName>>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a tool is the dialect's name or {name, arguments}")]
enum WireTool {
    Name(String),
    Full(WireToolOptions),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireToolOptions {
    name: String,
    #[serde(default)]
    arguments: BTreeMap<String, String>,
}

impl From<WireTool> for ToolName {
    fn from(wire: WireTool) -> Self {
        match wire {
            WireTool::Name(name) => Self::new(name),
            WireTool::Full(WireToolOptions { name, arguments }) => Self { name, arguments },
        }
    }
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a plugin is a folder or {path, dialect, id, data_dir, enabled, managed, options}"
)]
enum WirePlugin {
    Folder(PathBuf),
    Full(WirePluginOptions),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WirePluginOptions {
    path: PathBuf,
    #[serde(default)]
    dialect: Option<String>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default, alias = "dataDir")]
    data_dir: Option<PathBuf>,
    #[serde(default)]
    enabled: Option<bool>,
    #[serde(default)]
    managed: bool,
    #[serde(default)]
    options: BTreeMap<String, String>,
}

impl From<WirePlugin> for PluginSource {
    fn from(wire: WirePlugin) -> Self {
        match wire {
            WirePlugin::Folder(path) => Self::new(path),
            WirePlugin::Full(full) => Self {
                dialect: full.dialect,
                id: full.id,
                data_dir: full.data_dir,
                enabled: full.enabled.unwrap_or(true),
                managed: full.managed,
                options: full.options,
                ..Self::new(full.path)
            },
        }
    }
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum WireFailMode {
    Open,
    Closed,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireSource<'a> {
    #[serde(default)]
    scope: Option<String>,
    #[serde(default)]
    dialect: Option<String>,
    #[serde(borrow, default)]
    settings: Option<&'a RawValue>,
    #[serde(default)]
    path: Option<PathBuf>,
}

impl TryFrom<Wire<'_>> for Options {
    type Error = Error;

    fn try_from(wire: Wire<'_>) -> Result<Self, Error> {
        let settings = match wire.settings.map(RawValue::get) {
            None | Some("null") => Vec::new(),
            Some(list) if list.starts_with('[') => sources(list)?,
            Some(object) => {
                let content = SettingsContent::Text(object.to_owned());
                vec![SettingsSource { scope: None, dialect: None, content }]
            }
        };
        Ok(Self {
            dialect: wire.dialect,
            version: wire.version,
            settings,
            project_dir: wire.project_dir,
            home: wire.home,
            trusted: wire.trusted,
            fail_closed: wire.fail_mode == Some(WireFailMode::Closed),
            env: wire.env,
            discover: wire.discover,
            plugins: wire.plugins.unwrap_or_default().into_iter().map(PluginSource::from).collect(),
            trust_store: wire.trust_store,
            llm: wire.llm,
            late_results: wire.late_results,
            dialects: wire.dialects.unwrap_or_default(),
            tools: wire.tools.unwrap_or_default(),
            record: wire
                .record
                .map(RawValue::get)
                .filter(|raw| *raw != "null")
                .map(RecordOptions::from_raw)
                .transpose()?,
        })
    }
}

fn sources(list: &str) -> Result<Vec<SettingsSource>, Error> {
    let items: Vec<&RawValue> =
        serde_json::from_str(list).map_err(|error| invalid_source("/settings/0", error.to_string()))?;
    let read = |(index, item): (usize, &&RawValue)| source(item.get(), &format!("/settings/{index}"));
    items.iter().enumerate().map(read).collect()
}

fn invalid_source(pointer: &str, message: String) -> Error {
    let place = Place { pointer: Some(pointer.to_owned()).filter(|it| !it.is_empty()), ..Place::default() };
    Error::new(ErrorKind::InvalidOptions, message).at(place)
}

/// Reads one entry for a source, which stands at `pointer` in what the host gave.
fn source(item: &str, pointer: &str) -> Result<SettingsSource, Error> {
    let wire: WireSource<'_> = wire::read(item, attempt!(WireSource)).map_err(|(why, place)| {
        let text = format!("a settings source is {{scope, settings}} or {{scope, path}}: {why}");
        invalid_source(&format!("{pointer}{}", place.pointer.unwrap_or_default()), text)
    })?;
    let scope = match &wire.scope {
        None => None,
        Some(name) => Some(Scope::by_name(name).ok_or_else(|| {
            let text = format!("there is no scope \"{name}\"; it is one of {}", Scope::names());
            invalid_source(pointer, text)
        })?),
    };
    let content = match (wire.settings, wire.path) {
        (Some(settings), None) => SettingsContent::Text(settings.get().to_owned()),
        (None, Some(path)) => SettingsContent::File(path),
        _ => {
            let text = "a settings source has either `settings` or `path`".to_owned();
            return Err(invalid_source(pointer, text));
        }
    };
    Ok(SettingsSource { scope, dialect: wire.dialect, content })
}

/// Settings for one session: an object of settings, or an entry as the option `settings` lists them. An object is an entry
/// when it has `settings` and no `hooks`. Gives the dialect that it names, and the settings.
///
/// # Errors
/// `invalid_options`: an entry that is not usable, or one with a scope of its own.
pub(crate) fn session_settings(text: &str) -> Result<(Option<String>, Cow<'_, str>), Error> {
    let is_entry =
        |has: &dyn Fn(&str) -> bool| (has("settings") || has("path") && has("dialect")) && !has("hooks");
    let entry = match Object::from_raw(text.trim()) {
        Some(object) => is_entry(&|key| object.has(key)),
        // Settings may have comments; an entry may not, and what looks like one is to be told so.
        None => settings::has_keys(text, is_entry),
    };
    if !entry {
        return Ok((None, Cow::Borrowed(text)));
    }
    match source(text, "")? {
        SettingsSource { scope: None, dialect, content: SettingsContent::Text(text) } => {
            Ok((dialect, Cow::Owned(text)))
        }
        SettingsSource { scope, .. } => {
            let place = if scope.is_some() { "/scope" } else { "/path" };
            let text = "registered settings are {\"dialect\": ..., \"settings\": {...}}, of the scope `session`; leave `scope` \
                        and `path` out";
            Err(invalid_source(place, text.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_and_both_forms_of_settings() {
        let options = Options::from_json(
            r#"{"dialect":"qwen","projectDir":"/p","fail_mode":"closed","settings":{"hooks":{}},"env":{"A":"b"}}"#,
        )
        .unwrap();
        assert_eq!(options.project_dir.as_deref(), Some(Path::new("/p")));
        assert!(options.fail_closed);
        assert_eq!(options.settings[0].content, SettingsContent::Text(r#"{"hooks":{}}"#.into()));
        let options = Options::from_json(
            r#"{"dialect":"zcode","settings":[{"scope":"local","path":"a.json"},{"settings":{}}]}"#,
        )
        .unwrap();
        assert_eq!(options.settings[0].scope, Some(Scope::Local));
        assert_eq!(options.settings[0].content, SettingsContent::File("a.json".into()));
        assert_eq!(options.settings[1].scope, None);
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let refused = |text: &str| {
            let error = Options::from_json(text).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidOptions);
            error.to_string()
        };
        assert!(refused("{}").contains("dialect"));
        assert!(refused(r#"{"dialect":"qwen","dailect":1}"#).contains("dailect"));
        assert_eq!(
            refused(r#"{"dialect":"qwen","trusted":1}"#),
            "the engine options are not usable: `trusted` is a number, it must be true or false (at /trusted)"
        );
        assert!(
            refused(r#"{"dialect":"qwen","settings":[{"settings":{}},{"scope":3,"settings":{}}]}"#)
                .ends_with("`scope` is a number, it must be a string (at /settings/1/scope)")
        );
        assert!(
            refused(r#"{"dialect":"qwen","settings":[{"scope":"mine","settings":{}}]}"#)
                .contains("no scope \"mine\"")
        );
        assert!(refused(r#"{"dialect":"qwen","settings":[{"scope":"user"}]}"#).contains("/settings/0"));
        assert!(refused(r#"{"dialect":"qwen","fail_mode":"shut"}"#).contains("shut"));
    }
}
