//! What to run.

use super::{Environment, Payload};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// A program to run, with everything it gets and every bound it is held to. A plain value: build it on any
/// thread, run it with a [`Driver`](super::Driver).
#[derive(Clone, Debug)]
pub struct Command {
    /// A path (relative to `cwd`), or a name without a slash, which is searched on the `PATH` of `env`.
    pub program: OsString,
    /// The arguments after the program's own name.
    pub args: Vec<OsString>,
    /// The program's own name (`argv[0]`); `None`: `program`. Has no effect for scripts, nor when a relay
    /// shell is needed.
    pub arg0: Option<OsString>,
    /// How the same can be had without `program`, which is only a shell. Tried first; where the system refuses it,
    /// `program` runs.
    pub direct: Option<Direct>,
    /// The whole environment.
    pub env: Environment,
    /// The working directory; `None`: that of this process.
    pub cwd: Option<PathBuf>,
    /// What the program reads on its standard input. One that does not read it loses nothing.
    pub stdin: Payload,
    /// How many bytes of its standard output are kept. More are read and counted, so that the program never
    /// blocks.
    pub stdout_limit: usize,
    /// The same for its standard error.
    pub stderr_limit: usize,
    /// Its output goes nowhere, so that it can outlive this process: a program that writes into a pipe that nobody
    /// reads any more is killed.
    pub discard_output: bool,
    /// How long it may run. Too long for the system's clock means without limit.
    pub timeout: Duration,
    /// How its group is ended on timeout and cancellation: `Some`: SIGTERM, then SIGKILL after this time;
    /// `None`: SIGKILL at once. The result never waits for it.
    pub grace: Option<Duration>,
    /// How long to wait, after the program has exited, for others that still hold its pipes. What the program
    /// itself wrote is complete without waiting.
    pub drain: Duration,
}

/// A program that can be started in the place of a shell that would do nothing but start it.
#[derive(Clone, Debug)]
pub struct Direct {
    /// Its path, relative to the command's `cwd`.
    pub program: PathBuf,
    /// Its own name, then its arguments.
    pub words: Vec<OsString>,
    /// Its environment, as the shell would hand it on.
    pub env: Environment,
    /// The shell would stay as its parent: it reports a signal n that ends it by an exit code, 128 + n, and a line on
    /// standard error.
    pub forks: bool,
}

impl Command {
    /// A command without arguments, environment and input: 1 MiB of each output kept, 60 s timeout, SIGKILL
    /// at once, 100 ms drain.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            arg0: None,
            direct: None,
            env: Environment::default(),
            cwd: None,
            stdin: Payload::new(),
            stdout_limit: 1 << 20,
            stderr_limit: 1 << 20,
            discard_output: false,
            timeout: Duration::from_secs(60),
            grace: None,
            drain: Duration::from_millis(100),
        }
    }
}
