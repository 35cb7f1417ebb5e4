//! Starting a process with `posix_spawn`: no fork of a large host, no code of ours between fork and exec.

use super::finished::{SpawnError, SpawnStep};
use super::spawn_raw::{Actions, Attributes, call};
use super::{Command, Direct, path, simulate};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::process::Pid;
use std::ffi::{CStr, CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

const SHELL: &CStr = c"/bin/sh";
/// Runs a program and writes its status to descriptor 3, for when the host takes it from us.
const RELAY: &CStr = c"\"$@\" 3>&-\nstatus=$?\necho \"$status\" >&3\nexit \"$status\"";
/// Enters a directory first, for systems whose `posix_spawn` cannot.
const ENTER: &CStr = c"CDPATH= cd -- \"$1\" && shift && exec \"$@\"";
const RELAY_FD: i32 = 3;

/// The child's ends of the pipes.
pub(super) struct ChildEnds {
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
    /// Where a relay shell writes the status. `Some` starts the command through one. Must not be descriptor 3
    /// or below.
    pub(super) relay: Option<OwnedFd>,
}

/// Starts the command as the leader of a process group whose id is its process id, with no signal blocked or
/// ignored. It is not reaped here. Tells whether it was started without its shell.
pub(super) fn spawn(command: &Command, ends: &ChildEnds) -> Result<(Pid, bool), SpawnError> {
    if let Some(name) = command.env.invalid() {
        return Err(SpawnError::new(SpawnStep::Environment, name, Errno::INVAL));
    }
    if simulate::is(simulate::NO_PROCESS) {
        return Err(SpawnError::new(SpawnStep::Process, &command.program, Errno::NOSYS));
    }
    // Where another shell would be needed after all, the command's own is as good.
    if let Some(direct) = command.direct.as_ref().filter(|_| ends.relay.is_none())
        && let Some(pid) = start_direct(command, direct, ends)
    {
        return Ok((pid, true));
    }
    let file = path::find(command)?;
    let words = Words::new(command, &file)?;
    let mut plain = vec![words.arg0.as_c_str()];
    plain.extend(words.args.iter().map(CString::as_c_str));
    match start(command, &words, &words.file, plain, ends) {
        // As execvp does for a script without a first line that names its interpreter.
        Err(Errno::NOEXEC) if path::shell_may_try(command, &file) => {
            let mut script = vec![SHELL, words.file.as_c_str()];
            script.extend(words.args.iter().map(CString::as_c_str));
            start(command, &words, SHELL, script, ends)
        }
        other => other,
    }
    .map(|pid| (pid, false))
    .map_err(|errno| path::explain(command, &file, errno))
}

/// Starts the program that the command's shell would only start. `None` when anything is in the way.
fn start_direct(command: &Command, direct: &Direct, ends: &ChildEnds) -> Option<Pid> {
    let text = |text: &OsStr| CString::new(text.as_bytes()).ok();
    let file = text(direct.program.as_os_str())?;
    let words: Vec<CString> = direct.words.iter().map(|word| text(word)).collect::<Option<_>>()?;
    let mut actions = streams(ends).ok()?;
    if let Some(directory) = &command.cwd
        && !actions.chdir(&text(directory.as_os_str())?).ok()?
    {
        return None;
    }
    let argv = words.iter().map(CString::as_c_str);
    call(&file, &actions, &Attributes::new().ok()?, argv, direct.env.strings()).ok()
}

/// The command's texts in the form the system wants.
struct Words {
    file: CString,
    arg0: CString,
    args: Vec<CString>,
    directory: Option<CString>,
}

impl Words {
    fn new(command: &Command, file: &Path) -> Result<Self, SpawnError> {
        let argument = |text: &OsStr| {
            CString::new(text.as_bytes())
                .map_err(|_| SpawnError::new(SpawnStep::Arguments, &command.program, Errno::INVAL))
        };
        let directory = command.cwd.as_deref().map(|directory| {
            CString::new(directory.as_os_str().as_bytes())
                .map_err(|_| SpawnError::new(SpawnStep::WorkingDirectory, directory, Errno::INVAL))
        });
        Ok(Self {
            file: argument(file.as_os_str())?,
            arg0: argument(command.arg0.as_deref().unwrap_or(&command.program))?,
            args: command.args.iter().map(|text| argument(text)).collect::<Result<_, _>>()?,
            directory: directory.transpose()?,
        })
    }
}

fn start(
    command: &Command,
    words: &Words,
    file: &CStr,
    argv: Vec<&CStr>,
    ends: &ChildEnds,
) -> Result<Pid, Errno> {
    let mut actions = streams(ends)?;
    let mut file = file;
    let mut argv = argv;
    if let Some(relay) = &ends.relay {
        actions.dup2(relay.as_fd(), RELAY_FD)?;
        argv = through(RELAY, None, file, argv);
        file = SHELL;
    }
    if let Some(directory) = &words.directory
        && !actions.chdir(directory)?
    {
        if path::check_directory(command).is_err() {
            return Err(Errno::NOENT);
        }
        argv = through(ENTER, Some(directory), file, argv);
        file = SHELL;
    }
    let attributes = Attributes::new()?;
    call(file, &actions, &attributes, argv.into_iter(), command.env.strings())
}

/// The pipes become the standard streams.
fn streams(ends: &ChildEnds) -> Result<Actions, Errno> {
    let mut actions = Actions::new()?;
    let streams: [(BorrowedFd<'_>, i32); 3] =
        [(ends.stdin.as_fd(), 0), (ends.stdout.as_fd(), 1), (ends.stderr.as_fd(), 2)];
    for (fd, target) in streams {
        actions.dup2(fd, target)?;
    }
    Ok(actions)
}

/// The arguments that make a shell run `script` on the program.
fn through<'a>(
    script: &'a CStr,
    first: Option<&'a CStr>,
    file: &'a CStr,
    argv: Vec<&'a CStr>,
) -> Vec<&'a CStr> {
    let mut words = vec![c"sh", c"-c", script, c"sh"];
    words.extend(first);
    words.push(file);
    words.extend(argv.into_iter().skip(1));
    words
}
