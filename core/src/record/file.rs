//! The file that dispatches are recorded in: only ever appended to, one write a line.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file of lines. Opened anew for each line, so that one may be moved away at any time, and a fork of the host shares
/// nothing.
#[derive(Debug)]
pub(super) struct Lines {
    path: PathBuf,
    /// Bytes that it may have.
    limit: u64,
}

/// Why a line was not written.
#[derive(Debug)]
pub(super) enum Unwritten {
    /// The file would become larger than it may.
    Full(u64),
    Failed(io::Error),
}

impl From<io::Error> for Unwritten {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl Lines {
    /// Makes the file unless it is there.
    pub(super) fn new(path: &Path, limit: u64) -> io::Result<Self> {
        // A host that changes its folder means the same file.
        let lines = Self { path: std::path::absolute(path)?, limit };
        lines.open()?;
        Ok(lines)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn open(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            // A pipe that nobody reads would else be waited for; and a link may be somebody else's, and lead anywhere.
            options.mode(0o600).custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW);
        }
        let file = options.open(&self.path).map_err(|error| self.refused(error))?;
        let metadata = file.metadata()?;
        let no = |why: String| Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        if !metadata.is_file() {
            return no("it is no regular file; name one, or one that is not there".to_owned());
        }
        match shared(&metadata) {
            Some(why) => no(why),
            None => Ok(file),
        }
    }

    /// Why the file was not opened, where the system says it in other words.
    fn refused(&self, error: io::Error) -> io::Error {
        let is_link = std::fs::symlink_metadata(&self.path).is_ok_and(|found| found.is_symlink());
        if is_link && cfg!(unix) {
            let why = "it is a symbolic link, which may lead anywhere; name the file itself";
            return io::Error::new(io::ErrorKind::InvalidInput, why);
        }
        error
    }

    /// Appends a line, which has no newline yet.
    pub(super) fn append(&self, mut line: String) -> Result<(), Unwritten> {
        let mut file = self.open()?;
        line.push('\n');
        // What a writer left that died in the middle of its line must not take this one along.
        if is_torn(&mut file)? {
            line.insert(0, '\n');
        }
        let size = file.metadata()?.len();
        if size.saturating_add(line.len() as u64) > self.limit.min(system_limit()) {
            return Err(Unwritten::Full(size));
        }
        // One write, which the system does not mix with those of others. A disk that is full cuts it short: then the
        // second one says why.
        Ok(file.write_all(line.as_bytes())?)
    }
}

/// Why others than the user of this process may read or write the file.
#[cfg(unix)]
fn shared(metadata: &std::fs::Metadata) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let user = rustix::process::geteuid().as_raw();
    if metadata.uid() != user {
        return Some(
            "it belongs to another user; name a file of your own, or one that is not there".to_owned(),
        );
    }
    let mode = metadata.mode() & 0o777;
    (mode & 0o077 != 0).then(|| {
        format!("others may read or write it (its mode is {mode:04o}), and a recording is for its owner alone; run `chmod 600` on it")
    })
}

/// Files of other systems are under their folder's protection.
#[cfg(not(unix))]
fn shared(_: &std::fs::Metadata) -> Option<String> {
    None
}

/// What the system lets files of this process grow to. A write past it would end the host with a signal.
#[cfg(unix)]
fn system_limit() -> u64 {
    rustix::process::getrlimit(rustix::process::Resource::Fsize).current.unwrap_or(u64::MAX)
}

#[cfg(not(unix))]
fn system_limit() -> u64 {
    u64::MAX
}

fn is_torn(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    // Whoever empties the file meanwhile leaves nothing torn.
    Ok(file.read(&mut last)? == 1 && last != *b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("crosshook-lines-{}-{name}", std::process::id()));
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn file(&self) -> PathBuf {
            self.0.join("lines")
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            std::fs::remove_dir_all(&self.0).unwrap();
        }
    }

    #[test]
    fn a_torn_line_is_ended_and_the_file_is_its_owners_alone() {
        let folder = Folder::new("torn");
        let lines = Lines::new(&folder.file(), 100).unwrap();
        lines.append("one".into()).unwrap();
        OpenOptions::new().append(true).open(folder.file()).unwrap().write_all(b"to").unwrap();
        lines.append("two".into()).unwrap();
        assert_eq!(std::fs::read(folder.file()).unwrap(), b"one\nto\ntwo\n");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(folder.file()).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_may_read_or_write_is_refused() {
        use std::fs::{Permissions, set_permissions};
        use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
        let folder = Folder::new("shared");
        let lines = Lines::new(&folder.file(), 100).unwrap();
        lines.append("one".into()).unwrap();
        for mode in [0o604, 0o602, 0o640, 0o620, 0o666] {
            set_permissions(folder.file(), Permissions::from_mode(mode)).unwrap();
            let error = Lines::new(&folder.file(), 100).unwrap_err().to_string();
            assert!(
                error.contains(&format!("its mode is {mode:04o}")) && error.contains("chmod 600"),
                "{error}"
            );
            // One that is opened up later is not written any more.
            assert!(matches!(lines.append("two".into()), Err(Unwritten::Failed(_))));
        }
        set_permissions(folder.file(), Permissions::from_mode(0o600)).unwrap();
        let (link, dangling, below) =
            (folder.0.join("link"), folder.0.join("dangling"), folder.0.join("below"));
        symlink(folder.file(), &link).unwrap();
        symlink(folder.0.join("nothing"), &dangling).unwrap();
        symlink(&folder.0, &below).unwrap();
        for link in [&link, &dangling] {
            let error = Lines::new(link, 100).unwrap_err().to_string();
            assert!(error.starts_with("it is a symbolic link"), "{error}");
        }
        assert!(!folder.0.join("nothing").exists());
        // The folder may be reached by a link.
        Lines::new(&below.join("lines"), 100).unwrap().append("two".into()).unwrap();
        assert_eq!(std::fs::read(folder.file()).unwrap(), b"one\ntwo\n");
        // Only root can make one of another user.
        if std::os::unix::fs::chown(folder.file(), Some(65_534), None).is_ok() {
            assert_ne!(std::fs::metadata(folder.file()).unwrap().uid(), rustix::process::geteuid().as_raw());
            let error = Lines::new(&folder.file(), 100).unwrap_err().to_string();
            assert!(error.starts_with("it belongs to another user"), "{error}");
        }
    }

    #[test]
    fn nothing_is_written_past_the_limit_until_the_file_is_moved_away() {
        let folder = Folder::new("limit");
        let lines = Lines::new(&folder.file(), 8).unwrap();
        lines.append("seven!!".into()).unwrap();
        assert!(matches!(lines.append(String::new()), Err(Unwritten::Full(8))));
        std::fs::rename(folder.file(), folder.0.join("old")).unwrap();
        lines.append("again".into()).unwrap();
        assert_eq!(std::fs::read(folder.file()).unwrap(), b"again\n");
        assert_eq!(std::fs::read(folder.0.join("old")).unwrap(), b"seven!!\n");
    }

    #[test]
    fn what_is_no_regular_file_is_refused() {
        let folder = Folder::new("kind");
        assert!(Lines::new(&folder.0, 8).is_err());
        #[cfg(unix)]
        {
            let error = Lines::new(Path::new("/dev/null"), 8).unwrap_err();
            assert!(error.to_string().starts_with("it is no regular file"), "{error}");
        }
    }

    #[test]
    fn writers_at_once_do_not_mix_their_lines() {
        let folder = Folder::new("many");
        let work = |letter: char| {
            let lines = Lines::new(&folder.file(), u64::MAX).unwrap();
            let line = letter.to_string().repeat(20_000);
            move || (0..50).for_each(|_| lines.append(line.clone()).unwrap())
        };
        std::thread::scope(|scope| {
            for letter in ['a', 'b', 'c'] {
                scope.spawn(work(letter));
            }
        });
        let text = std::fs::read_to_string(folder.file()).unwrap();
        let mut lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        lines.sort_unstable();
        let whole =
            |line: &str| line.len() == 20_000 && line.bytes().all(|byte| Some(byte) == line.bytes().next());
        assert!(lines.iter().all(|line| whole(line)));
        assert_eq!(lines.len(), 150);
    }
}
