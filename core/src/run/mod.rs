//! The third step: one hook and its input in, its raw result out. Knows nothing of decisions.

mod ask;
#[cfg(feature = "http")]
mod call;
#[cfg(feature = "http")]
pub(crate) mod chat;
mod command;
#[cfg(target_os = "linux")]
mod direct;
mod env_file;
#[cfg(feature = "http")]
pub(crate) mod http;
mod stdin;
mod transcript;
pub(crate) mod worker;

pub(crate) use ask::lacks_host;
#[cfg(feature = "http")]
pub(crate) use {call::reach, http::Reach};

use std::sync::Arc;
use std::time::Duration;

use crate::diagnostic::Code;
use crate::event::Event;
use crate::hook::{Action, Hook, HookSet, Off};
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
    /// The server's answer; its body is what was kept of standard output.
    Responded {
        status: u16,
        content_type: Option<String>,
    },
    /// A rule forbids the request; which.
    Refused(String),
    /// The server was not reached, or its answer is not understood.
    NoResponse(String),
    /// Its worker did not answer as it should, and is gone; why, and its exit code when it ended by itself.
    WorkerFailed {
        why: String,
        code: Option<i32>,
    },
    /// Not started on purpose; why.
    Skipped(Code, String),
    /// It can never run, and its fail mode is `closed`; why.
    Off(Code, String),
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
    /// What it wrote to the file for variables.
    pub(crate) env_file: Option<String>,
    /// What else was noticed.
    pub(crate) notes: Vec<(Code, String)>,
}

impl RawResult {
    pub(crate) fn without_output(end: End) -> Self {
        Self {
            end,
            stdout: Vec::new(),
            stderr: Vec::new(),
            stdout_total: 0,
            stderr_total: 0,
            duration: Duration::ZERO,
            env_file: None,
            notes: Vec::new(),
        }
    }
}

impl RawResult {
    /// The exit code, when there was one.
    pub(crate) fn exit_code(&self) -> Option<i32> {
        match self.end {
            End::Exited(code) | End::WorkerFailed { code: Some(code), .. } => Some(code),
            _ => None,
        }
    }

    /// From start to end, in milliseconds.
    pub(crate) fn duration_ms(&self) -> f64 {
        millis(self.duration)
    }

    /// A hook that can never run, and whose fail mode is `closed`.
    pub(crate) fn off(off: &Off) -> Self {
        Self::without_output(End::Off(off.code, off.why.clone()))
    }

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
            env_file: None,
            notes: Vec::new(),
        }
    }
}

/// What hooks run in; part of an engine's snapshot.
#[derive(Clone)]
pub(crate) struct Surroundings {
    /// What hooks inherit, before their dialect withholds and adds.
    pub(crate) env: Environment,
    pub(crate) project_dir: Option<String>,
    pub(crate) home: Option<String>,
    /// Answers prompt, agent and function hooks.
    pub(crate) host: Option<Arc<dyn Host>>,
    /// Whether the host takes what background hooks have to say later.
    pub(crate) late_results: bool,
    /// The workers of this engine's hooks.
    pub(crate) workers: worker::Workers,
}

#[cfg(test)]
impl Surroundings {
    pub(crate) fn for_tests() -> Self {
        Self {
            env: Environment::inherited(),
            project_dir: None,
            home: None,
            host: None,
            late_results: true,
            workers: worker::Workers::default(),
        }
    }
}

/// What one run needs beside the hook and its event.
pub(crate) struct Context<'a, D> {
    pub(crate) surroundings: &'a Surroundings,
    /// The settings beside the hooks, of every dialect.
    pub(crate) settings: &'a HookSet,
    pub(crate) driver: &'a D,
    pub(crate) cancel: &'a Cancel,
    /// Nobody will read what a command writes.
    pub(crate) discard_output: bool,
    /// The host's own mark, for what it is asked.
    pub(crate) tag: u64,
}

/// Runs one hook and waits for it.
pub(crate) async fn run<D: Driver>(hook: &Hook, event: &Event, context: &Context<'_, D>) -> RawResult {
    match &hook.action {
        Action::Command { .. } | Action::Process { .. } => {}
        Action::Http { .. } => return web(hook, event, context).await,
        Action::Prompt { .. }
        | Action::Agent { .. }
        | Action::Goal { .. }
        | Action::McpTool { .. }
        | Action::Function { .. } => {
            return ask::ask(hook, event, context.surroundings, context.tag, context.cancel).await;
        }
    }
    if let Some(rule) = &hook.worker {
        return worker::ask(hook, rule, event, context).await;
    }
    match command::prepare(hook, event, context.surroundings, context.settings, context.discard_output) {
        Ok(command::Prepared { command, transcript, env_file }) => {
            let mut result: RawResult = context.driver.run(command, context.cancel).await.into();
            drop(transcript);
            result.env_file = env_file.and_then(|file| file.text());
            result
        }
        Err(why) => RawResult::without_output(End::NotStarted(why)),
    }
}

/// A time in milliseconds, to the microsecond.
pub(crate) fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

#[cfg(feature = "http")]
async fn web<D>(hook: &Hook, event: &Event, context: &Context<'_, D>) -> RawResult {
    let settings = context.settings.merged(hook.dialect);
    call::call(hook, event, context.surroundings, &settings, context.cancel).await
}

#[cfg(not(feature = "http"))]
async fn web<D>(hook: &Hook, _: &Event, _: &Context<'_, D>) -> RawResult {
    let why =
        format!("Crosshook was built without its feature `http`, which hooks of type {} need", hook.kind);
    RawResult::without_output(End::Unavailable(why))
}
