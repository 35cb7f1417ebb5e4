//! Finding a program, and telling why it was not found.

use super::finished::{SpawnError, SpawnStep};
use super::{Command, Environment};
use rustix::fs::{Access, AtFlags, CWD};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Where programs are searched when the environment has no `PATH`.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The path to hand to exec, to be understood from the command's working directory.
pub(super) fn find(command: &Command) -> Result<PathBuf, SpawnError> {
    let program = Path::new(&command.program);
    if command.program.as_bytes().contains(&b'/') {
        return Ok(program.to_owned());
    }
    if command.program.is_empty() {
        return Err(SpawnError::new(SpawnStep::Program, program, Errno::NOENT));
    }
    let refused = match search(program, &command.env, command.cwd.as_deref()) {
        Ok(found) => return Ok(found),
        Err(refused) => refused,
    };
    let working_directory = check_directory(command);
    working_directory.and(Err(match refused {
        Some(candidate) => SpawnError::new(SpawnStep::Program, candidate, Errno::ACCESS),
        None => SpawnError::new(SpawnStep::Program, program, Errno::NOENT),
    }))
}

/// Where on the `PATH` of `env` the program `name` is found, as seen from `cwd`.
#[cfg(target_os = "linux")]
pub(crate) fn find_program(name: &OsStr, env: &Environment, cwd: Option<&Path>) -> Option<PathBuf> {
    search(Path::new(name), env, cwd).ok()
}

/// The first file of that name on the path that can be executed; else the first that cannot.
fn search(program: &Path, env: &Environment, cwd: Option<&Path>) -> Result<PathBuf, Option<PathBuf>> {
    let mut refused = None;
    for directory in search_path(env).as_bytes().split(|&byte| byte == b':') {
        // An empty entry is the working directory; "./" keeps a name such as "-c" from being taken for an
        // option.
        let directory = if directory.is_empty() { b"." } else { directory };
        let candidate = Path::new(OsStr::from_bytes(directory)).join(program);
        let seen = cwd.map_or_else(|| candidate.clone(), |cwd| cwd.join(&candidate));
        match executable(&seen) {
            Ok(()) => return Ok(candidate),
            Err(Errno::ACCESS) => refused = refused.or(Some(candidate)),
            Err(_) => {}
        }
    }
    Err(refused)
}

/// Makes an error of `errno`, with which the system refused to start `path`.
pub(super) fn explain(command: &Command, path: &Path, errno: Errno) -> SpawnError {
    match errno {
        Errno::TOOBIG => SpawnError::new(SpawnStep::Arguments, path, errno),
        Errno::NOENT | Errno::NOTDIR | Errno::ACCESS | Errno::LOOP | Errno::NAMETOOLONG => {
            if let Err(error) = check_directory(command) {
                return error;
            }
            let exists = executable(&from(command, path)).is_ok();
            let step =
                if exists && errno == Errno::NOENT { SpawnStep::Interpreter } else { SpawnStep::Program };
            SpawnError::new(step, path, errno)
        }
        Errno::NOEXEC | Errno::TXTBSY | Errno::ISDIR | Errno::PERM | Errno::INVAL => {
            SpawnError::new(SpawnStep::Program, path, errno)
        }
        _ => SpawnError::new(SpawnStep::Process, path, errno),
    }
}

/// Whether the working directory can be entered.
pub(super) fn check_directory(command: &Command) -> Result<(), SpawnError> {
    let Some(directory) = &command.cwd else { return Ok(()) };
    let refused = |error: std::io::Error| SpawnError::new(SpawnStep::WorkingDirectory, directory, error);
    let found = std::fs::metadata(directory).map_err(refused)?;
    if !found.is_dir() {
        return Err(refused(Errno::NOTDIR.into()));
    }
    allowed(directory).map_err(|errno| refused(errno.into()))
}

/// Whether the file lacks the `#!` or the binary form that the system wants, but is a text that a shell may
/// try.
pub(super) fn shell_may_try(command: &Command, path: &Path) -> bool {
    let mut start = [0; 256];
    let count = std::fs::File::open(from(command, path))
        .and_then(|mut file| file.read(&mut start))
        .unwrap_or_default();
    let line = start.get(..count).unwrap_or_default().split(|&byte| byte == b'\n').next().unwrap_or_default();
    !line.contains(&0)
}

/// The path as seen from this process's working directory.
fn from(command: &Command, path: &Path) -> PathBuf {
    command.cwd.as_ref().map_or_else(|| path.to_owned(), |directory| directory.join(path))
}

fn search_path(env: &Environment) -> std::ffi::OsString {
    env.get("PATH").unwrap_or_else(|| DEFAULT_PATH.into())
}

fn executable(path: &Path) -> Result<(), Errno> {
    if rustix::fs::stat(path).map(|found| rustix::fs::FileType::from_raw_mode(found.st_mode))?
        != rustix::fs::FileType::RegularFile
    {
        return Err(Errno::ACCESS);
    }
    allowed(path)
}

/// Whether the effective user may execute or enter it.
fn allowed(path: &Path) -> Result<(), Errno> {
    match rustix::fs::accessat(CWD, path, Access::EXEC_OK, AtFlags::EACCESS) {
        // An old kernel cannot answer for the effective user; exec will tell.
        Err(Errno::NOSYS | Errno::INVAL | Errno::OPNOTSUPP) => Ok(()),
        other => other,
    }
}
