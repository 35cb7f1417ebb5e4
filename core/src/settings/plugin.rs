//! Plugins and extensions: a folder with a manifest, and hooks in it or beside it.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::Scope;
use super::file::{self, Fault, Kinds};
use super::gather::{FileState, Gathered};
use super::places::Ground;
use super::source::{Form, Source, object, shown};
use super::tree::{Node, Tree, Value};
use super::variables::Variables;
use crate::diagnostic::{Code, Diagnostic, Level, Origin};
use crate::dialect::Dialect;
use crate::error::{Error, ErrorKind, Place};
use crate::hook::Off;
use crate::options::PluginSource;

/// Where every plugin may keep its hooks, manifest or not.
const STANDARD: &str = "hooks/hooks.json";

/// Reads the plugin in a folder that the host named. Its broken parts become diagnostics.
///
/// # Errors
/// `io`, `invalid_settings`: the folder or its manifest cannot be read or parsed.
pub(crate) fn read(
    plugin: &PluginSource,
    dialect: &'static Dialect,
    ground: &Ground,
    gathered: &mut Gathered,
) -> Result<(), Error> {
    let root = real_folder(&plugin.path)?;
    let manifest = read_manifest(dialect, &root, gathered)?;
    let named = manifest.as_ref().and_then(|(_, tree)| tree.root.get("name")).and_then(Node::as_str);
    let folder = root.file_name().unwrap_or_default().to_string_lossy();
    let name = named.filter(|name| !name.is_empty()).map_or_else(|| folder.into_owned(), str::to_owned);
    let variables = variables(plugin, dialect, ground, &root, &name);
    let mut reader = Reader {
        dialect,
        root: &root,
        name: &name,
        id: plugin.id.as_deref().unwrap_or(&name),
        variables: Arc::new(variables),
        off: (!plugin.enabled)
            .then(|| Off::because(Code::HooksDisabled, format!("the plugin {name} is not enabled"))),
        managed: plugin.managed,
        seen: BTreeSet::new(),
        gathered,
    };
    let standard = root.join(STANDARD).symlink_metadata().is_ok();
    if standard && !replaces_standard(dialect, manifest.as_ref().map(|(_, tree)| tree.as_ref())) {
        reader.component(STANDARD, None);
    }
    match &manifest {
        Some((path, tree)) => reader.manifest_hooks(path, tree),
        None if !standard => {
            let wanted = dialect.settings.plugins.manifests.join(" or ");
            let text = format!(
                "the folder has neither {wanted} nor {STANDARD}; it is no plugin of {}",
                dialect.product
            );
            reader.report(Level::Error, Code::PluginInvalid, text, None);
        }
        None => {}
    }
    Ok(())
}

/// Whether the manifest's hooks take the place of the usual file. What is empty does not, but `{}` does.
fn replaces_standard(dialect: &Dialect, manifest: Option<&Tree>) -> bool {
    let hooks = manifest.and_then(|tree| tree.root.get("hooks")).map(|node| &node.value);
    dialect.settings.plugins.manifest_replaces
        && match hooks {
            Some(Value::String(path)) => !path.is_empty(),
            Some(Value::Array(items)) => !items.is_empty(),
            Some(Value::Object(_)) => true,
            _ => false,
        }
}

fn real_folder(path: &Path) -> Result<PathBuf, Error> {
    let failed = |why: String| {
        let place = Place { path: Some(shown(path)), ..Place::default() };
        Error::new(ErrorKind::Io, format!("the plugin folder cannot be read: {why}")).at(place)
    };
    let root = std::fs::canonicalize(path).map_err(|error| failed(error.to_string()))?;
    std::fs::read_dir(&root).map_err(|error| failed(error.to_string()))?;
    Ok(root)
}

/// The manifest that counts, when there is one.
fn read_manifest(
    dialect: &Dialect,
    root: &Path,
    gathered: &mut Gathered,
) -> Result<Option<(PathBuf, Arc<Tree>)>, Error> {
    for name in dialect.settings.plugins.manifests {
        let path = root.join(name);
        match file::read(&path, Kinds::Regular) {
            Ok(file) => {
                let tree = object(&file.text, Some(&shown(&path)))?;
                gathered.files.push(FileState { path: shown(&path), digest: file.digest });
                return Ok(Some((path, Arc::new(tree))));
            }
            Err(Fault::Missing) => {}
            Err(Fault::Unreadable(why)) => {
                let place = Place { path: Some(shown(&path)), ..Place::default() };
                let text = format!("the plugin's manifest cannot be read: {why}");
                return Err(Error::new(ErrorKind::Io, text).at(place));
            }
        }
    }
    Ok(None)
}

fn variables(
    plugin: &PluginSource,
    dialect: &Dialect,
    ground: &Ground,
    root: &Path,
    name: &str,
) -> Variables {
    let rule = &dialect.settings.plugins;
    let id = plugin.id.as_deref().unwrap_or(name);
    let mut variables = Variables::default();
    variables.add(rule.root, &shown(root), true);
    let data = plugin.data_dir.clone().or_else(|| {
        let (folder, path) = rule.data_home.as_ref()?;
        Some(ground.home_folder(folder)?.join(path).join(folder_name(id)))
    });
    if let Some(data) = data {
        let data = std::path::absolute(&data).unwrap_or(data);
        variables.add(rule.data, &shown(&data), true);
        variables.data_dir = Some(data);
    }
    if let (Some(name), Some(project)) = (rule.workspace, &ground.project_dir) {
        let project = std::path::absolute(project).unwrap_or_else(|_| project.clone());
        variables.add(&[name], &shown(&project), true);
    }
    variables.add_character(rule.separators, std::path::MAIN_SEPARATOR);
    variables.add(rule.id, id, false);
    variables.add(rule.name, name, false);
    if let Some(prefix) = rule.option_prefix {
        for (key, value) in &plugin.options {
            variables.add_alias(
                format!("{prefix}{}", key.to_uppercase()),
                format!("user_config.{key}"),
                value,
            );
        }
    }
    variables
}

/// A plugin's id as the name of its data folder (codebuddy-claude.md section 13).
fn folder_name(id: &str) -> String {
    id.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '-' }).collect()
}

struct Reader<'a> {
    dialect: &'static Dialect,
    /// Links resolved.
    root: &'a Path,
    name: &'a str,
    id: &'a str,
    variables: Arc<Variables>,
    off: Option<Off>,
    managed: bool,
    /// Hooks files that have been read, links resolved.
    seen: BTreeSet<PathBuf>,
    gathered: &'a mut Gathered,
}

impl Reader<'_> {
    fn report(&mut self, level: Level, code: Code, message: String, place: Option<Origin>) {
        let origin = place.unwrap_or_else(|| Origin {
            scope: Scope::Extension.as_str().to_owned(),
            path: Some(shown(self.root)),
            plugin: Some(self.name.to_owned()),
            ..Origin::default()
        });
        let message = format!("plugin {}: {message}", self.name);
        self.gathered.diagnostics.push(Diagnostic { level, code, message, origin: Some(origin) });
    }

    fn add(&mut self, path: &Path, tree: Arc<Tree>, events: Vec<String>) {
        let form = Form::Events(events);
        let mut source = Source::of_tree(self.dialect, Scope::Extension, Some(shown(path)), tree, form);
        source.plugin = Some(self.name.to_owned());
        let relative = path.strip_prefix(self.root).unwrap_or(path);
        source.trust_key = Some(format!("{}:{}", self.id, shown(relative)));
        source.variables = self.variables.clone();
        source.held.clone_from(&self.off);
        source.managed = self.managed;
        self.gathered.sources.push(source);
    }

    /// The manifest's `hooks`: a path, the hooks themselves, or a list of both.
    fn manifest_hooks(&mut self, path: &Path, tree: &Arc<Tree>) {
        let Some(hooks) = tree.root.get("hooks") else { return };
        match hooks.as_array() {
            Some(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.manifest_entry(path, tree, item, vec!["hooks".to_owned(), index.to_string()]);
                }
            }
            None => self.manifest_entry(path, tree, hooks, vec!["hooks".to_owned()]),
        }
    }

    fn manifest_entry(&mut self, path: &Path, tree: &Arc<Tree>, node: &Node, mut at: Vec<String>) {
        let origin = Origin {
            scope: Scope::Extension.as_str().to_owned(),
            path: Some(shown(path)),
            plugin: Some(self.name.to_owned()),
            pointer: Some(format!("/{}", at.join("/"))),
            line: Some(tree.line(node.at)),
        };
        match &node.value {
            Value::String(component) => self.component(&component.clone(), Some(origin)),
            Value::Object(_) => {
                // The wrapper of a hooks file is taken here too.
                if node.get("hooks").is_some_and(|inner| inner.as_object().is_some()) {
                    at.push("hooks".to_owned());
                }
                self.add(path, tree.clone(), at);
            }
            Value::Null => {}
            _ => {
                let text = format!("`hooks` is {}, not a path, an object or a list of these", node.words());
                self.report(Level::Error, Code::PluginHookInvalid, text, Some(origin));
            }
        }
    }

    /// A hooks file below the root.
    fn component(&mut self, component: &str, origin: Option<Origin>) {
        let path = match self.resolve(component) {
            Ok(path) => path,
            Err((code, text)) => return self.report(Level::Error, code, text, origin),
        };
        if !self.seen.insert(path.clone()) {
            let text = format!("{component} is the same file as one that was read already; it is skipped");
            return self.report(Level::Warning, Code::PluginHookInvalid, text, origin);
        }
        let file = match file::read(&path, Kinds::Regular) {
            Ok(file) => file,
            Err(fault) => {
                let why = match fault {
                    Fault::Missing => "there is no such file".to_owned(),
                    Fault::Unreadable(why) => why,
                };
                let text = format!("the hooks file {component} cannot be read: {why}");
                return self.report(Level::Error, Code::PluginHookReadFailed, text, origin);
            }
        };
        self.gathered.files.push(FileState { path: shown(&path), digest: file.digest });
        match Tree::parse(&file.text) {
            Ok(tree) => self.hooks_file(&path, component, Arc::new(tree)),
            Err(error) => {
                let place = self.place(&path, error.place().line);
                let text = format!("the hooks file {component} cannot be read: {}", error.message());
                self.report(Level::Error, Code::PluginHookReadFailed, text, Some(place));
            }
        }
    }

    fn hooks_file(&mut self, path: &Path, component: &str, tree: Arc<Tree>) {
        let wrapped = tree.root.get("hooks");
        match wrapped {
            Some(inner) if inner.as_object().is_some() => self.add(path, tree, vec!["hooks".to_owned()]),
            None if self.dialect.settings.plugins.bare_map && tree.root.as_object().is_some() => {
                self.add(path, tree, Vec::new());
            }
            _ => {
                let text = format!("the hooks file {component} is no object with an object `hooks`");
                let place = self.place(path, Some(1));
                self.report(Level::Error, Code::PluginHookInvalid, text, Some(place));
            }
        }
    }

    fn place(&self, path: &Path, line: Option<usize>) -> Origin {
        Origin {
            scope: Scope::Extension.as_str().to_owned(),
            path: Some(shown(path)),
            plugin: Some(self.name.to_owned()),
            pointer: None,
            line,
        }
    }

    /// The real path of a component, which must not leave the root, neither as written nor through a link.
    fn resolve(&self, component: &str) -> Result<PathBuf, (Code, String)> {
        let leaves = |how: &str| {
            (Code::PluginComponentPathInvalid, format!("the path {component} {how}; it is not read"))
        };
        let text = self.variables.plain(component);
        let relative = Path::new(&text);
        let relative = relative.strip_prefix(self.root).unwrap_or(relative);
        let mut depth = 0_usize;
        for step in relative.components() {
            match step {
                Component::Normal(_) => depth = depth.saturating_add(1),
                Component::CurDir => {}
                Component::ParentDir if depth > 0 => depth = depth.saturating_sub(1),
                Component::ParentDir => return Err(leaves("leaves the plugin's folder")),
                Component::RootDir | Component::Prefix(_) => return Err(leaves("is not relative")),
            }
        }
        let joined = self.root.join(relative);
        match std::fs::canonicalize(&joined) {
            Ok(real) if real.starts_with(self.root) => Ok(real),
            Ok(_) => Err(leaves("leaves the plugin's folder through a link")),
            Err(error) => {
                let text = format!("the hooks file {component} cannot be read: {error}");
                Err((Code::PluginHookReadFailed, text))
            }
        }
    }
}
