//! Reads a settings file as it is at one moment, within bounds.

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

/// A file larger than this is refused: a thousand times what people write, and far from what hurts a host.
pub(crate) const LARGEST: u64 = 64 * 1024 * 1024;

/// How often a file that changes while it is read is read again.
const ATTEMPTS: usize = 5;

/// A file's text and the digest of its bytes.
#[derive(Debug)]
pub(crate) struct FileText {
    pub(crate) text: String,
    pub(crate) digest: String,
}

/// Why a file gave no text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// There is no such file.
    Missing,
    /// It is there and cannot be read; why.
    Unreadable(String),
}

/// What kinds of files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kinds {
    /// Only regular ones. What is merely looked up must never be waited for, as one would for a pipe.
    Regular,
    /// Pipes and devices too: the user named it, perhaps as a shell's `<(...)`.
    Any,
}

/// Reads a file. When it changes meanwhile it is read again, so that the text is one that was really there.
pub(crate) fn read(path: &Path, kinds: Kinds) -> Result<FileText, Fault> {
    let mut bytes = Vec::new();
    for _ in 0..ATTEMPTS {
        let before = std::fs::metadata(path).map_err(|error| missing_or(path, &error))?;
        if before.is_dir() {
            return Err(Fault::Unreadable("it is a directory, not a file".to_owned()));
        }
        if kinds == Kinds::Regular && !before.is_file() {
            return Err(Fault::Unreadable("it is no regular file".to_owned()));
        }
        bytes.clear();
        let file = File::open(path).map_err(|error| missing_or(path, &error))?;
        let read = file.take(LARGEST.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| Fault::Unreadable(error.to_string()))?;
        if bytes.len() as u64 > LARGEST {
            return Err(Fault::Unreadable(format!("it is larger than {} MiB", LARGEST >> 20)));
        }
        if !before.is_file() || unchanged(&before, path, bytes.len()) {
            break;
        }
    }
    let digest = hex(&Sha256::digest(&bytes));
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Fault::Unreadable(format!("it is not UTF-8: invalid byte at offset {at}"))
    })?;
    Ok(FileText { text, digest })
}

/// A link that leads nowhere is there; the file it names is not.
fn missing_or(path: &Path, error: &std::io::Error) -> Fault {
    let missing = matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    if missing && path.symlink_metadata().is_err() {
        Fault::Missing
    } else {
        Fault::Unreadable(error.to_string())
    }
}

fn unchanged(before: &Metadata, path: &Path, read: usize) -> bool {
    let Ok(after) = std::fs::metadata(path) else { return false };
    after.len() == read as u64
        && before.len() == after.len()
        && before.modified().ok() == after.modified().ok()
}

/// Bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
