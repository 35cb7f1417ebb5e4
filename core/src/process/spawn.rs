//! Starting a process without a fork of a large host.

use super::finished::{SpawnError, SpawnStep};
use super::{Command, Direct, Environment, path, simulate, spawn_raw, spawn_vfork};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::process::Pid;
use std::ffi::{CStr, CString, OsStr, c_char};
use std::marker::PhantomData;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::NonNull;

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

/// A process that was just started, and not reaped.
pub(super) struct Process {
    pub(super) pid: Pid,
    /// The process as a descriptor, where the system gave one with the process.
    pub(super) pidfd: Option<OwnedFd>,
}

/// Starts the command as the leader of a process group whose id is its process id, with no signal blocked or
/// ignored. It is not reaped here. Tells whether it was started without its shell.
pub(super) fn spawn(command: &Command, ends: &ChildEnds) -> Result<(Process, bool), SpawnError> {
    if let Some(name) = command.env.invalid() {
        return Err(SpawnError::new(SpawnStep::Environment, name, Errno::INVAL));
    }
    if simulate::is(simulate::NO_PROCESS) {
        return Err(SpawnError::new(SpawnStep::Process, &command.program, Errno::NOSYS));
    }
    // Where another shell would be needed after all, the command's own is as good.
    if let Some(direct) = command.direct.as_ref().filter(|_| ends.relay.is_none())
        && let Some(process) = start_direct(command, direct, ends)
    {
        return Ok((process, true));
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
    .map(|process| (process, false))
    .map_err(|errno| path::explain(command, &file, errno))
}

/// Starts the program that the command's shell would only start. `None` when anything is in the way.
fn start_direct(command: &Command, direct: &Direct, ends: &ChildEnds) -> Option<Process> {
    let text = |text: &OsStr| CString::new(text.as_bytes()).ok();
    let file = text(direct.program.as_os_str())?;
    let words: Vec<CString> = direct.words.iter().map(|word| text(word)).collect::<Option<_>>()?;
    let directory = command.cwd.as_ref().map(|directory| text(directory.as_os_str()).ok_or(())).transpose();
    let directory = directory.ok()?;
    if directory.is_some() && !can_enter() {
        return None;
    }
    Image::new(&file, words.iter().map(CString::as_c_str), &direct.env, directory.as_deref(), ends)
        .start()
        .ok()
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
) -> Result<Process, Errno> {
    let (mut file, mut argv) = (file, argv);
    if ends.relay.is_some() {
        argv = through(RELAY, None, file, argv);
        file = SHELL;
    }
    let mut directory = words.directory.as_deref();
    if !can_enter()
        && let Some(directory) = directory.take()
    {
        if path::check_directory(command).is_err() {
            return Err(Errno::NOENT);
        }
        argv = through(ENTER, Some(directory), file, argv);
        file = SHELL;
    }
    Image::new(file, argv.into_iter(), &command.env, directory, ends).start()
}

/// All that a new process is made of, in the form the system wants.
pub(super) struct Image<'a> {
    pub(super) file: &'a CStr,
    /// Ends with `None`, which is a null pointer.
    pub(super) argv: Vec<Option<Text<'a>>>,
    /// Ends with `None`.
    pub(super) envp: Vec<Option<Text<'a>>>,
    pub(super) directory: Option<&'a CStr>,
    /// What becomes which descriptor of the process. The two differ, or it would be closed on exec.
    pub(super) descriptors: [Option<(BorrowedFd<'a>, i32)>; 4],
}

impl<'a> Image<'a> {
    fn new(
        file: &'a CStr,
        argv: impl Iterator<Item = &'a CStr>,
        env: &'a Environment,
        directory: Option<&'a CStr>,
        ends: &'a ChildEnds,
    ) -> Self {
        let descriptors = [
            Some((ends.stdin.as_fd(), 0)),
            Some((ends.stdout.as_fd(), 1)),
            Some((ends.stderr.as_fd(), 2)),
            ends.relay.as_ref().map(|relay| (relay.as_fd(), RELAY_FD)),
        ];
        let argv = argv.map(|text| Some(Text::new(text))).chain([None]).collect();
        let envp = env.strings().map(|text| Some(Text::new(text))).chain([None]).collect();
        Self { file, argv, envp, directory, descriptors }
    }

    fn start(&self) -> Result<Process, Errno> {
        if spawn_vfork::is_available() { spawn_vfork::start(self) } else { spawn_raw::start(self) }
    }
}

/// A text that ends with NUL, as the system's lists of texts have it: one pointer.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Text<'a>(NonNull<c_char>, PhantomData<&'a CStr>);

impl<'a> Text<'a> {
    fn new(text: &'a CStr) -> Self {
        Self(NonNull::from(text).cast(), PhantomData)
    }
}

/// Whether a process can be started in a directory of its own.
fn can_enter() -> bool {
    spawn_vfork::is_available() || spawn_raw::can_enter()
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
