//! Brings the sources of an engine together: what the host gave, what the agent's own places hold, and plugins.

use std::path::Path;

use super::Scope;
use super::file::{self, Fault, FileText, Kinds};
use super::places::{self, Ground};
use super::plugin;
use super::source::{Source, shown};
use super::tree::Node;
use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::dialect::{self, Dialect};
use crate::error::{Error, ErrorKind, Place};
use crate::hook::FailMode;
use crate::options::{PluginSource, SettingsContent, SettingsSource};

/// Where an engine's sources are; kept, so that they can be read again.
#[derive(Debug)]
pub(crate) struct Recipe {
    pub(crate) dialect: &'static Dialect,
    pub(crate) settings: Vec<SettingsSource>,
    /// The dialects whose own files are looked up.
    pub(crate) discover: Vec<&'static Dialect>,
    pub(crate) plugins: Vec<PluginSource>,
    pub(crate) ground: Ground,
    /// What the failure of a hook means that says nothing of it.
    pub(crate) fail_mode: FailMode,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileState {
    pub(crate) path: String,
    /// SHA-256 of its bytes.
    pub(crate) digest: String,
}

/// A looked-up file that could not be read or parsed.
#[derive(Debug, Clone)]
pub(crate) struct Broken {
    pub(crate) dialect: &'static Dialect,
    pub(crate) scope: Scope,
    pub(crate) path: String,
    pub(crate) error: Error,
}

/// The sources, in the order of their dialects.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub(crate) sources: Vec<Source>,
    pub(crate) files: Vec<FileState>,
    pub(crate) broken: Vec<Broken>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Reads all sources. A looked-up file that is broken is set apart, the rest stays.
///
/// # Errors
/// `io`, `invalid_settings`, `invalid_options`: a source that was named cannot be read or parsed.
pub(crate) fn gather(recipe: &Recipe) -> Result<Gathered, Error> {
    let mut gathered = Gathered::default();
    for dialect in &recipe.discover {
        for (scope, path) in places::places(dialect, &recipe.ground) {
            look_up(recipe, dialect, scope, &path, &mut gathered);
        }
    }
    for (index, source) in recipe.settings.iter().enumerate() {
        let dialect =
            named_dialect(source.dialect.as_deref(), recipe.dialect, &format!("/settings/{index}"))?;
        gathered.sources.push(read_named(source, dialect, &mut gathered.files)?);
    }
    for (index, plugin) in recipe.plugins.iter().enumerate() {
        let dialect = named_dialect(plugin.dialect.as_deref(), recipe.dialect, &format!("/plugins/{index}"))?;
        plugin::read(plugin, dialect, &recipe.ground, &mut gathered)?;
    }
    note_two_forms(&mut gathered);
    super::load::sort(&mut gathered.sources, recipe.dialect);
    Ok(gathered)
}

/// The dialect with this name.
///
/// # Errors
/// `invalid_options`.
pub(crate) fn known_dialect(name: &str) -> Result<&'static Dialect, Error> {
    dialect::by_name(name).ok_or_else(|| {
        let text = format!("there is no dialect \"{name}\"; it is one of {}", dialect::names().join(", "));
        Error::new(ErrorKind::InvalidOptions, text)
    })
}

/// The dialect that an object of the host's names in its `dialect`; `main` when it names none. `pointer` is where the
/// object stands in what the host gave.
///
/// # Errors
/// `invalid_options`, with the place.
pub(crate) fn named_dialect(
    name: Option<&str>,
    main: &'static Dialect,
    pointer: &str,
) -> Result<&'static Dialect, Error> {
    let place = || Place { pointer: Some(format!("{pointer}/dialect")), ..Place::default() };
    name.map_or(Ok(main), |name| known_dialect(name).map_err(|error| error.at(place())))
}

/// Two files with hooks in one folder, where the agent wants one.
fn note_two_forms(gathered: &mut Gathered) {
    let with_hooks = |source: &&Source| {
        let hooks = source.hooks().and_then(Node::as_object).unwrap_or_default();
        let reserved = source.dialect.settings.reserved;
        source.dialect.settings.one_form_a_layer
            && source.plugin.is_none()
            && hooks.iter().any(|(key, _)| !reserved.contains(&key.as_str()))
    };
    let found: Vec<&Source> = gathered.sources.iter().filter(with_hooks).collect();
    let folder = |source: &Source| {
        source.path.as_deref().and_then(|path| Path::new(path).parent().map(Path::to_owned))
    };
    for (index, source) in found.iter().enumerate() {
        let before = found.get(..index).unwrap_or_default();
        let same = |other: &&&Source| {
            other.scope == source.scope && other.path != source.path && folder(other) == folder(source)
        };
        let Some(other) = before.iter().find(same).filter(|_| source.path.is_some()) else { continue };
        let text = format!(
            "{} has hooks too, beside {}; both run, and {} warns of that",
            source.title(),
            other.title(),
            source.dialect.product
        );
        let origin = source.origin(&super::tree::Spot::root());
        gathered.diagnostics.push(Diagnostic::warning(Code::TwoForms, text).from_origin(&origin));
    }
}

fn look_up(recipe: &Recipe, dialect: &'static Dialect, scope: Scope, path: &Path, gathered: &mut Gathered) {
    let named = shown(path);
    let broken = |error: Error| Broken { dialect, scope, path: named.clone(), error };
    let place = Place { path: Some(named.clone()), ..Place::default() };
    let FileText { text, digest } = match file::read(path, Kinds::Regular) {
        Ok(file) => file,
        Err(Fault::Missing) => return,
        Err(Fault::Unreadable(why)) => {
            let text = format!("the settings file cannot be read: {why}");
            return gathered.broken.push(broken(Error::new(ErrorKind::Io, text).at(place)));
        }
    };
    gathered.files.push(FileState { path: named.clone(), digest });
    match Source::settings(dialect, scope, Some(named.clone()), &text) {
        Ok(source) => {
            if scope.needs_trust() {
                note_leaving(recipe.ground.project_dir.as_deref(), path, &source, gathered);
            }
            gathered.sources.push(source);
        }
        Err(error) => gathered.broken.push(broken(error)),
    }
}

/// A project's file that is a link out of the project: whoever controls that place controls the hooks.
fn note_leaving(project: Option<&Path>, path: &Path, source: &Source, gathered: &mut Gathered) {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let Some(project) = project.map(absolute) else { return };
    // The files of ZCode may stand above the project directory: there the folder that holds both counts.
    let file = absolute(path);
    let Some(folder) = project.ancestors().find(|folder| file.starts_with(folder)) else { return };
    let (Ok(folder), Ok(real)) = (std::fs::canonicalize(folder), std::fs::canonicalize(path)) else { return };
    if real.starts_with(&folder) {
        return;
    }
    let text = format!("the settings file is a link that leads out of the project, to {}", real.display());
    let origin = source.origin(&super::tree::Spot::root());
    gathered.diagnostics.push(Diagnostic::warning(Code::SettingsOutsideProject, text).from_origin(&origin));
}

fn read_named(
    source: &SettingsSource,
    dialect: &'static Dialect,
    files: &mut Vec<FileState>,
) -> Result<Source, Error> {
    let scope = source.scope.unwrap_or(dialect.settings.default_scope);
    match &source.content {
        SettingsContent::Text(text) => Source::settings(dialect, scope, None, text),
        SettingsContent::File(path) => {
            let file = read_explicit(path, "settings file")?;
            files.push(FileState { path: shown(path), digest: file.digest });
            Source::settings(dialect, scope, Some(shown(path)), &file.text)
        }
    }
}

/// Reads a file that was named: it must be there.
///
/// # Errors
/// `io`.
pub(crate) fn read_explicit(path: &Path, what: &str) -> Result<FileText, Error> {
    file::read(path, Kinds::Any).map_err(|fault| {
        let why = match fault {
            Fault::Missing => "there is no such file".to_owned(),
            Fault::Unreadable(why) => why,
        };
        let place = Place { path: Some(shown(path)), ..Place::default() };
        Error::new(ErrorKind::Io, format!("the {what} cannot be read: {why}")).at(place)
    })
}

impl Broken {
    /// What the user is told.
    pub(crate) fn diagnostic(&self) -> Diagnostic {
        let code = match self.error.kind() {
            ErrorKind::Io => Code::SettingsUnreadable,
            _ => Code::InvalidSettings,
        };
        let place = self.error.place();
        Diagnostic::error(code, format!("{}; none of its hooks run", self.error.message())).from_origin(
            &Origin {
                scope: self.scope.as_str().to_owned(),
                path: Some(self.path.clone()),
                plugin: None,
                pointer: place.pointer.clone(),
                line: place.line,
            },
        )
    }
}
