//! The file to which a hook writes what the agent's later shell commands are to see of variables
//! (codebuddy-claude.md section 13).

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// So much of it is read.
const LARGEST: u64 = 1024 * 1024;

/// An empty file for one run of a hook; gone when this is dropped.
#[derive(Debug)]
pub(crate) struct EnvFile(PathBuf);

impl EnvFile {
    /// `None` when there is no room for it.
    pub(super) fn create() -> Option<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("crosshook-env-{}-{now:x}-{number}.sh", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&path).ok()?;
        Some(Self(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// What the hook wrote; `None` when that is nothing.
    pub(super) fn text(&self) -> Option<String> {
        // A hook may have put a pipe in its place, which must not be waited for.
        if !fs::symlink_metadata(&self.0).ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        File::open(&self.0).ok()?.take(LARGEST).read_to_end(&mut bytes).ok()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        (!text.trim().is_empty()).then_some(text)
    }
}

impl Drop for EnvFile {
    fn drop(&mut self) {
        // The hook may have removed it itself.
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_nothing_is_left() {
        let file = EnvFile::create().unwrap();
        let path = file.path().to_owned();
        assert_eq!(file.text(), None);
        fs::write(&path, "export A=1\n").unwrap();
        assert_eq!(file.text().as_deref(), Some("export A=1\n"));
        drop(file);
        assert!(!path.exists());
    }
}
