//! The third step: one hook and its input in, its raw result out. Knows nothing of decisions.

mod ask;
mod command;
mod stdin;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::diagnostic::Code;
use crate::event::Event;
use crate::hook::{Action, Hook};
use crate::host::Host;
use crate::process::{self, Cancel, Driver, Environment};

/// How a hook's run ended.
#[derive(Debug)]
pub(crate) enum End {
    Exited(i32),
    Signaled(i32),
    TimedOut,
    Cancelled,
    /// It never ran; why.
    NotStarted(String),
    /// It ended, but the host took the exit status and it could not be recovered.
    StatusLost,
    /// Nothing here can run this type of hook; why.
    Unavailable(String),
    /// Started, and not waited for.
    Background,
    /// The host's answer: a model's or an agent's text, or a function's JSON.
    Answered(String),
    /// The host gave no answer; why.
    HostFailed(String),
    /// Not started on purpose; why.
    Skipped(Code, String),
}

/// What a hook's run gave.
#[derive(Debug)]
pub(crate) struct RawResult {
    pub(crate) end: End,
    /// What was kept of its standard output.
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    /// Bytes written, kept or not.
    pub(crate) stdout_total: u64,
    pub(crate) stderr_total: u64,
    pub(crate) duration: Duration,
}

impl RawResult {
    fn without_output(end: End) -> Self {
        Self {
            end,
            stdout: Vec::new(),
            stderr: Vec::new(),
            stdout_total: 0,
            stderr_total: 0,
            duration: Duration::ZERO,
        }
    }
}

impl RawResult {
    /// A hook that was not started on purpose.
    pub(crate) fn skipped(code: Code, why: String) -> Self {
        Self::without_output(End::Skipped(code, why))
    }
}

impl From<process::Finished> for RawResult {
    fn from(finished: process::Finished) -> Self {
        let end = match finished.end {
            process::End::Exited(code) => End::Exited(code),
            process::End::Signaled(signal) => End::Signaled(signal),
            process::End::TimedOut => End::TimedOut,
            process::End::Cancelled => End::Cancelled,
            process::End::NotStarted(error) => End::NotStarted(error.to_string()),
            process::End::StatusLost => End::StatusLost,
        };
        Self {
            end,
            stdout: finished.stdout.bytes,
            stderr: finished.stderr.bytes,
            stdout_total: finished.stdout.total,
            stderr_total: finished.stderr.total,
            duration: finished.duration,
        }
    }
}

/// What every run of an engine shares.
#[derive(Clone)]
pub(crate) struct Surroundings {
    /// What hooks inherit, before their dialect withholds and adds.
    pub(crate) env: Environment,
    pub(crate) project_dir: Option<String>,
    pub(crate) home: Option<String>,
    /// Answers prompt, agent and function hooks.
    pub(crate) host: Option<Arc<dyn Host>>,
    /// Background hooks that run now.
    pub(crate) background: Arc<AtomicUsize>,
}

#[cfg(test)]
impl Surroundings {
    pub(crate) fn for_tests() -> Self {
        Self {
            env: Environment::inherited(),
            project_dir: None,
            home: None,
            host: None,
            background: Arc::default(),
        }
    }
}

/// Runs one hook.
pub(crate) async fn run<D: Driver>(
    hook: &Hook,
    event: &Event,
    surroundings: &Surroundings,
    driver: &D,
    cancel: &Cancel,
) -> RawResult {
    let prepared = match &hook.action {
        Action::Command { .. } | Action::Process { .. } => command::prepare(hook, event, surroundings),
        Action::Prompt { .. } | Action::Agent { .. } | Action::Function { .. } => {
            return ask::ask(hook, event, surroundings, cancel).await;
        }
        Action::Http { .. } => {
            let why = format!("this version of Crosshook cannot run hooks of type {}", hook.kind);
            return RawResult::without_output(End::Unavailable(why));
        }
    };
    let command = match prepared {
        Ok(command) => command,
        Err(why) => return RawResult::without_output(End::NotStarted(why)),
    };
    if hook.background {
        return start_in_background(hook, command, surroundings);
    }
    driver.run(command, cancel).await.into()
}

fn start_in_background(hook: &Hook, command: process::Command, surroundings: &Surroundings) -> RawResult {
    let Some(slot) = Slot::take(&surroundings.background, hook.dialect.background_slots) else {
        let why =
            format!("all {} background slots are taken", hook.dialect.background_slots.unwrap_or_default());
        return RawResult::without_output(End::Skipped(Code::AsyncSlotsFull, why));
    };
    let started = crate::runtime::spawn(async move {
        let _slot = slot;
        process::EngineDriver.run(command, &Cancel::new()).await;
    });
    match started {
        // A dropped task goes on.
        Ok(_) => RawResult::without_output(End::Background),
        Err(error) => RawResult::without_output(End::NotStarted(format!("no engine thread: {error}"))),
    }
}

/// One background hook's place, given back when it ends.
struct Slot(Arc<AtomicUsize>);

impl Slot {
    fn take(running: &Arc<AtomicUsize>, limit: Option<usize>) -> Option<Self> {
        let limit = limit.unwrap_or(usize::MAX);
        running
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |count| {
                (count < limit).then(|| count.saturating_add(1))
            })
            .ok()
            .map(|_| Self(running.clone()))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}
