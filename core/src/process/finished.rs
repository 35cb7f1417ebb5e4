//! What became of a command.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The result of running a command.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub end: End,
    /// Its standard output, as far as it had come.
    pub stdout: Captured,
    /// Its standard error, as far as it had come.
    pub stderr: Captured,
    /// From just before the start until this result was known.
    pub duration: Duration,
}

impl Finished {
    pub(super) fn without_output(end: End) -> Self {
        Self { end, stdout: Captured::default(), stderr: Captured::default(), duration: Duration::ZERO }
    }
}

/// The beginning of what a process wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes, at most the command's limit.
    pub bytes: Vec<u8>,
    /// How many bytes there were in all.
    pub total: u64,
}

impl Captured {
    /// Whether there was more than was kept.
    pub fn truncated(&self) -> bool {
        self.total > self.bytes.len() as u64
    }
}

/// How a command ended.
#[derive(Debug)]
pub enum End {
    /// It exited with this code. Through a relay shell (see [`process`](super)), a program killed by signal n
    /// gives 128 + n here.
    Exited(i32),
    /// This signal killed it.
    Signaled(i32),
    /// It had not exited in time; its process group is being killed.
    TimedOut,
    /// It was cancelled, or the engine was shut down; its process group is being, or has been, killed.
    Cancelled,
    /// It could not be started.
    NotStarted(SpawnError),
    /// It exited, but another part of this process took its exit status, and the system could not tell it a
    /// second time.
    StatusLost,
}

/// What could not be done to start a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpawnStep {
    /// The arguments: a NUL byte, or too long altogether.
    Arguments,
    /// The environment: a name that is empty or holds `=`, or a NUL byte.
    Environment,
    /// The working directory: missing, not a directory, not permitted.
    WorkingDirectory,
    /// The program: missing, not executable, not permitted.
    Program,
    /// The program exists, but the interpreter named in it does not.
    Interpreter,
    /// The pipes.
    Pipes,
    /// The creation of the process.
    Process,
    /// The means to wait for it.
    Wait,
    /// The engine's thread.
    Engine,
}

/// Why a command was not started.
#[derive(Debug)]
pub struct SpawnError {
    /// What failed.
    pub step: SpawnStep,
    /// The file, directory or variable it was about; may be empty.
    pub path: PathBuf,
    /// The system's error.
    pub error: io::Error,
}

impl SpawnError {
    pub(super) fn new(step: SpawnStep, path: impl Into<PathBuf>, error: impl Into<io::Error>) -> Self {
        Self { step, path: path.into(), error: error.into() }
    }
}

impl fmt::Display for SpawnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        let missing = matches!(self.error.kind(), io::ErrorKind::NotFound);
        match self.step {
            SpawnStep::Arguments => write!(f, "the arguments of {path} cannot be passed on")?,
            SpawnStep::Environment => write!(f, "the environment variable {path:?} cannot be passed on")?,
            SpawnStep::WorkingDirectory if missing => {
                write!(f, "the working directory {path} does not exist")?
            }
            SpawnStep::WorkingDirectory => write!(f, "the working directory {path} cannot be used")?,
            SpawnStep::Program if missing => write!(f, "the program {path} was not found")?,
            SpawnStep::Program => write!(f, "the program {path} cannot be executed")?,
            SpawnStep::Interpreter => write!(f, "the interpreter that {path} asks for was not found")?,
            SpawnStep::Pipes => write!(f, "no pipes for {path}")?,
            SpawnStep::Process => write!(f, "no process for {path}")?,
            SpawnStep::Wait => write!(f, "no means to wait for {path}")?,
            SpawnStep::Engine => write!(f, "the engine's thread could not be started")?,
        }
        write!(f, ": {}", self.error)
    }
}

impl std::error::Error for SpawnError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}
