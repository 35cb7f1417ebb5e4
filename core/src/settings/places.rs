//! Where an agent's own settings files are on this machine.

use std::path::{Path, PathBuf};

use super::Scope;
use crate::dialect::{Base, Dialect, FileRule, HomeFolder, SystemFile, Version};
use crate::process::Environment;

/// What look-ups start from.
#[derive(Debug, Clone)]
pub(crate) struct Ground {
    pub(crate) env: Environment,
    pub(crate) home: Option<PathBuf>,
    pub(crate) project_dir: Option<PathBuf>,
    /// The version of an agent that is followed; the newest of all others.
    pub(crate) version: Option<(&'static Dialect, Version)>,
}

impl Ground {
    /// Without a home directory the one of the environment, without a project the host's working directory.
    pub(crate) fn new(env: Environment, home: Option<PathBuf>, project_dir: Option<PathBuf>) -> Self {
        let home = home.or_else(|| user_home(&env));
        let project_dir = project_dir.or_else(|| std::env::current_dir().ok());
        Self { env, home, project_dir, version: None }
    }

    /// The version of an agent whose rules count.
    pub(crate) fn version_of(&self, dialect: &Dialect) -> Version {
        self.version.filter(|(known, _)| *known == dialect).map_or(Version::NEWEST, |(_, version)| version)
    }

    /// A variable that is set and not empty.
    pub(crate) fn var(&self, name: &str) -> Option<PathBuf> {
        self.env.get(name).filter(|value| !value.is_empty()).map(PathBuf::from)
    }

    /// Whether a variable switches something on.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.env.get(name).is_some_and(|value| value == "1" || value.eq_ignore_ascii_case("true"))
    }

    pub(crate) fn home_folder(&self, folder: &HomeFolder) -> Option<PathBuf> {
        let moved = folder.moved_by.and_then(|name| self.var(name));
        moved.or_else(|| self.home.as_ref().map(|home| home.join(folder.folder)))
    }
}

fn user_home(env: &Environment) -> Option<PathBuf> {
    let variable = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    env.get(variable).filter(|home| !home.is_empty()).map(PathBuf::from)
}

/// A folder that the host named. No shell has read a leading `~`, which is the user's home.
pub(crate) fn named_folder(path: PathBuf, env: &Environment) -> PathBuf {
    match (path.strip_prefix("~"), user_home(env)) {
        (Ok(rest), Some(home)) if rest.as_os_str().is_empty() => home,
        (Ok(rest), Some(home)) => home.join(rest),
        _ => path,
    }
}

/// The places where `dialect` looks, in the order of its rules, whether there is a file or not.
pub(crate) fn places(dialect: &Dialect, ground: &Ground) -> Vec<(Scope, PathBuf)> {
    let mut found = Vec::new();
    for rule in dialect.settings.files {
        found.extend(of_rule(rule, ground).into_iter().map(|path| (rule.scope, path)));
    }
    found
}

fn of_rule(rule: &FileRule, ground: &Ground) -> Vec<PathBuf> {
    let below = |bases: Vec<PathBuf>| {
        bases.iter().flat_map(|base| rule.paths.iter().map(|path| base.join(path))).collect()
    };
    match &rule.base {
        Base::Home(folder) => below(ground.home_folder(folder).into_iter().collect()),
        Base::Project => below(ground.project_dir.iter().cloned().collect()),
        Base::GitRootToProject => below(ground.project_dir.as_deref().map(from_git_root).unwrap_or_default()),
        Base::GitRoot => {
            let roots = ground.project_dir.as_deref().map(from_git_root).unwrap_or_default();
            below(roots.into_iter().take(1).collect())
        }
        Base::FolderBesideSystem(file) => {
            let beside = system_file(file, ground).parent().map(Path::to_owned);
            below(beside.into_iter().collect())
                .iter()
                .flat_map(|folder: &PathBuf| json_files(folder))
                .collect()
        }
        Base::System(file) => vec![system_file(file, ground)],
        Base::BesideSystem { file, moved_by } => match ground.var(moved_by) {
            Some(path) => vec![path],
            None => below(system_file(file, ground).parent().map(Path::to_owned).into_iter().collect()),
        },
    }
}

fn system_file(file: &SystemFile, ground: &Ground) -> PathBuf {
    file.moved_by.and_then(|name| ground.var(name)).unwrap_or_else(|| {
        let path = if cfg!(target_os = "macos") {
            file.macos
        } else if cfg!(windows) {
            file.windows
        } else {
            file.linux
        };
        path.into()
    })
}

/// The visible `.json` files in a folder, in the order of their names.
fn json_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| is_drop_in(path)).collect();
    files.sort();
    files
}

fn is_drop_in(path: &Path) -> bool {
    let hidden = path.file_name().is_none_or(|name| name.to_string_lossy().starts_with('.'));
    !hidden && path.extension().is_some_and(|extension| extension == "json")
}

/// The directories from the nearest git root down to `project`, outermost first. `.git` may be a file (a worktree).
fn from_git_root(project: &Path) -> Vec<PathBuf> {
    let absolute = std::path::absolute(project).unwrap_or_else(|_| project.to_owned());
    let above: Vec<&Path> = absolute.ancestors().collect();
    let steps = above.iter().position(|dir| dir.join(".git").symlink_metadata().is_ok()).unwrap_or(0);
    above.iter().take(steps.saturating_add(1)).rev().map(|dir| dir.to_path_buf()).collect()
}
