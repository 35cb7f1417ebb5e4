//! Which sources count: those of a project only when the host trusts it, or when what they declare has been granted.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::file::{self, Fault, Kinds};
use super::source::Source;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Untrusted;
use crate::error::{Error, ErrorKind, Place};
use crate::hook::Off;

/// A permission for the hooks that one project declares; any change of the declaration ends it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Grant {
    /// The project directory, links resolved.
    pub workspace: String,
    /// SHA-256 of the declaration, as `sha256:` and hexadecimal digits.
    pub digest: String,
}

#[derive(Serialize, Deserialize)]
struct StoreFile {
    version: u32,
    grants: BTreeSet<Grant>,
}

/// What is trusted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trust {
    trusted: bool,
    workspace: String,
    store: Option<PathBuf>,
    grants: BTreeSet<Grant>,
}

impl Trust {
    /// Reads the store. One that cannot be read grants nothing, and a diagnostic says so.
    pub(crate) fn new(
        trusted: bool,
        project_dir: Option<&Path>,
        store: Option<PathBuf>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        let workspace = project_dir.map(|dir| {
            let real = std::fs::canonicalize(dir).or_else(|_| std::path::absolute(dir));
            super::source::shown(&real.unwrap_or_else(|_| dir.to_owned()))
        });
        let mut trust =
            Self { trusted, workspace: workspace.unwrap_or_default(), store, grants: BTreeSet::new() };
        match trust.read_store() {
            Ok(grants) => trust.grants = grants,
            Err(error) => {
                let text = format!("{error}; no grant counts until it is repaired or removed");
                diagnostics.push(Diagnostic::error(Code::TrustStoreUnreadable, text));
            }
        }
        trust
    }

    /// Whether the host trusts the project.
    pub(crate) fn trusted(&self) -> bool {
        self.trusted
    }

    fn read_store(&self) -> Result<BTreeSet<Grant>, Error> {
        let Some(path) = &self.store else { return Ok(self.grants.clone()) };
        let fault = |why: String| {
            let text = format!("the trust store {} cannot be read: {why}", path.display());
            let place = Place { path: Some(super::source::shown(path)), ..Place::default() };
            Error::new(ErrorKind::Io, text).at(place)
        };
        let text = match file::read(path, Kinds::Regular) {
            Ok(file) => file.text,
            Err(Fault::Missing) => return Ok(BTreeSet::new()),
            Err(Fault::Unreadable(why)) => return Err(fault(why)),
        };
        let store: StoreFile = serde_json::from_str(&text).map_err(|error| fault(error.to_string()))?;
        if store.version != 1 {
            return Err(fault(format!("it has version {}, this library knows version 1", store.version)));
        }
        Ok(store.grants)
    }

    /// Why a source's hooks and settings do not count.
    pub(crate) fn holds_back(&self, source: &Source) -> Option<Off> {
        if let Some(off) = &source.held {
            return Some(off.clone());
        }
        if self.trusted {
            return None;
        }
        let scope = source.scope.as_str();
        match source.dialect.settings.untrusted {
            Untrusted::AllButManaged if source.managed => return None,
            Untrusted::AllButManaged => {
                let product = source.dialect.product;
                let why = format!(
                    "it is held back: {product} runs only managed hooks before the project is trusted"
                );
                return Some(Off::because(Code::Untrusted, why));
            }
            Untrusted::OfProject if !source.scope.needs_trust() => return None,
            Untrusted::OfProject => {}
        }
        if !source.dialect.settings.grants {
            let each = source
                .dialect
                .settings
                .hook_states
                .map_or("", |_| ", or hook by hook when it has been trusted");
            let why = format!("it is held back: {scope} settings count only in a trusted project{each}");
            return Some(Off::because(Code::Untrusted, why));
        }
        let digest = source.digest();
        let why = format!(
            "it is held back: {scope} settings count only in a trusted project, or when their declaration {digest} \
             has been granted"
        );
        if self.grants.contains(&self.grant_for(digest)) {
            return None;
        }
        Some(Off::because(Code::Untrusted, why))
    }

    /// Whether a grant would let a source's hooks run.
    pub(crate) fn wants_grant(&self, source: &Source) -> Option<Grant> {
        let asks =
            source.held.is_none() && source.dialect.settings.grants && self.holds_back(source).is_some();
        asks.then(|| self.grant_for(source.digest()))
    }

    /// Whether a digest has been granted.
    pub(super) fn granted(&self, digest: &str) -> bool {
        self.grants.contains(&self.grant_for(digest.to_owned()))
    }

    /// What has been granted here.
    pub(crate) fn grants(&self) -> Vec<Grant> {
        self.grants.iter().filter(|grant| grant.workspace == self.workspace).cloned().collect()
    }

    /// What would let a hook run that waits for it.
    pub(crate) fn grant_for(&self, digest: String) -> Grant {
        Grant { workspace: self.workspace.clone(), digest }
    }

    /// Grants or revokes a digest, and writes the store first. The store is read again, because other hosts write
    /// to it too. Gives whether anything changed.
    pub(crate) fn set(&mut self, digest: &str, granted: bool) -> Result<bool, Error> {
        let mut grants = self.read_store()?;
        let grant = self.grant_for(digest.to_owned());
        let changed = if granted { grants.insert(grant) } else { grants.remove(&grant) };
        if changed && let Some(path) = &self.store {
            write(path, &StoreFile { version: 1, grants: grants.clone() })?;
        }
        let differs = grants != self.grants;
        self.grants = grants;
        Ok(changed || differs)
    }
}

/// Replaces the store in one step, readable by its owner alone.
fn write(path: &Path, store: &StoreFile) -> Result<(), Error> {
    let failed = |error: std::io::Error| {
        let text = format!("the trust store {} cannot be written: {error}", path.display());
        Error::new(ErrorKind::Io, text)
    };
    let text = serde_json::to_string_pretty(store)
        .map_err(|error| Error::new(ErrorKind::Internal, format!("the trust store has no text: {error}")))?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let fresh = path.with_file_name(name);
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&fresh).and_then(|mut file| {
        std::io::Write::write_all(&mut file, text.as_bytes())?;
        file.sync_all()
    });
    let replaced = written.and_then(|()| std::fs::rename(&fresh, path));
    replaced.map_err(|error| {
        // Nothing more can be done about a file that cannot be removed.
        let _ = std::fs::remove_file(&fresh);
        failed(error)
    })
}
