//! Child processes: a [`Command`] in, a [`Finished`] out. Knows nothing of hooks.
//!
//! Made to live inside a foreign program, whatever that does with signals, threads, forks and descriptors:
//!
//! * Processes are started as `vfork` and `posix_spawn` do, without a copy of the host's memory map, each as the
//!   leader of a process group of its own (and of a session, if the host has a terminal), with no signal blocked or
//!   ignored.
//! * A command whose shell would do nothing but start a program may bring that program as its stand-in
//!   ([`Command::direct`]); where it cannot be started, the shell runs.
//! * Large input is not copied into the pipe: its pages are lent ([`Lent`]).
//! * Their end is noticed through a pidfd, or by one waiting thread each where there are none; no signal
//!   handler is installed and no other child of the host is waited for. Where the host takes exit statuses
//!   from us (SIGCHLD ignored, `waitpid(-1)`), commands run through a *relay shell* that writes the status
//!   down. Of the first command, before the theft is known, the kernel is asked (Linux 6.15); if it cannot
//!   tell, the end is [`End::StatusLost`].
//! * Nothing is written into a pipe that others may have closed on a thread of the host, so no SIGPIPE can
//!   hit it.
//! * A command is over when its process has exited, and shortly after at the latest when others keep its
//!   pipes.
//! * A [`Worker`] is a process that stays: it is sent lines and answers each with one ([`Talk`]).
//! * On timeout, cancellation and [`runtime::shutdown`](crate::runtime::shutdown) the whole process group
//!   dies; the result does not wait for that.
//!
//! The same logic runs on two [`Driver`]s: [`LocalDriver`] on the calling thread, [`EngineDriver`] on the
//! engine's. Commands belong to the process that started them: a child that the host forks meanwhile neither
//! ends nor reaps them.

mod cancel;
mod command;
mod env;
mod finished;
mod lent;
mod payload;
pub(crate) mod per_process;
mod spoken;

#[cfg(unix)]
mod capture;
#[cfg(unix)]
mod child;
#[cfg(unix)]
mod engine;
#[cfg(unix)]
mod epitaph;
#[cfg(unix)]
mod feed;
#[cfg(unix)]
pub(crate) mod group;
#[cfg(unix)]
mod local;
#[cfg(unix)]
mod path;
#[cfg(unix)]
mod pidfd;
#[cfg(unix)]
pub(crate) mod pipes;
#[cfg(unix)]
#[doc(hidden)]
pub mod simulate;
#[cfg(unix)]
mod source;
#[cfg(unix)]
mod spawn;
#[cfg(unix)]
mod spawn_raw;
#[cfg(unix)]
mod spawn_vfork;
#[cfg(unix)]
mod talk;
#[cfg(unix)]
mod terminal;
#[cfg(unix)]
mod undertaker;
#[cfg(unix)]
mod wait;
#[cfg(unix)]
mod wake;
#[cfg(unix)]
mod work;
#[cfg(unix)]
mod worker;

#[cfg(not(unix))]
mod unsupported;

pub use cancel::{Cancel, Cancelled};
pub use command::{Command, Direct};
pub use env::Environment;
pub use finished::{Captured, End, Finished, SpawnError, SpawnStep};
pub use lent::Lent;
pub use payload::{Chunk, Payload};
pub use spoken::{Fault, Rest, Said, Spoken};

#[cfg(unix)]
pub use engine::{EngineDriver, EngineRun, EngineTalk};
#[cfg(unix)]
pub use local::{LocalDriver, LocalRun, LocalTalk};
#[cfg(target_os = "linux")]
pub(crate) use path::find_program;
#[cfg(unix)]
pub use talk::Talk;
#[cfg(not(unix))]
pub use unsupported::{EngineDriver, EngineRun, Exit, LocalDriver, LocalRun, Talk, Worker};
#[cfg(unix)]
pub use worker::{Exit, Worker};

/// Something that runs commands. Write the logic of a dispatch once, generic over this.
pub trait Driver {
    /// The future of one command: starts it when first polled, and ends it, with its process group, when
    /// dropped before it is ready.
    type Run: Future<Output = Finished> + Unpin;

    /// Runs a command until it is over or `cancel` is thrown. Whatever goes wrong is told in
    /// [`Finished::end`].
    fn run(&self, command: Command, cancel: &Cancel) -> Self::Run;

    /// The future of one talk with a worker: begun when first polled; when dropped before it is ready, the worker ends
    /// with its process group.
    type Talk: Future<Output = Spoken> + Unpin;

    /// Says one line to a worker and waits for its line, or until `cancel` is thrown. Whatever goes wrong is told in
    /// [`Spoken::said`].
    fn talk(&self, talk: Talk, cancel: &Cancel) -> Self::Talk;
}

/// Kills, without further grace, the groups of commands whose result is settled. Returns at once; background commands
/// and such as are waited for go on.
pub fn end_condemned() {
    #[cfg(unix)]
    group::kill_condemned();
}
