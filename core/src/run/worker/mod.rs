//! Worker hooks: a command that is started once and then asked, one JSON line for each event, one line back.
//!
//! Crosshook's own addition to every dialect. What a worker says is read as what the command would have printed; how it
//! says "exit code 2" stands in [`answer`].

mod answer;
mod pool;
mod stamp;

use std::time::{Duration, Instant};

use super::transcript::Transcript;
use super::{Context, End, RawResult, command, stdin};
use crate::diagnostic::Code;
use crate::dialect::KEPT;
use crate::event::Event;
use crate::hook::{Hook, WorkerRule};
use crate::process::{self, Driver, Fault, Rest, Said, Spoken, Talk, Worker};
use answer::Answer;
use pool::{Member, Pool};

pub(crate) use pool::Workers;

/// Asks the hook's worker, which is started when there is none.
pub(super) async fn ask<D: Driver>(
    hook: &Hook,
    rule: &WorkerRule,
    event: &Event,
    context: &Context<'_, D>,
) -> RawResult {
    let started = Instant::now();
    let pool = context.surroundings.workers.pool(rule);
    let place = match pool.enter(rule, hook.time_limit(), context.cancel).await {
        Ok(place) => place,
        Err(end) => return RawResult::without_output(end),
    };
    let mut notes = pool.take_notes();
    let mut raw = loop {
        let member = match ready(&pool, rule, hook, event, context, &mut notes) {
            Ok(member) => member,
            Err(end) => break RawResult::without_output(end),
        };
        let rest = hook.time_limit().saturating_sub(started.elapsed());
        match talk(&pool, member, hook, event, context, rest).await {
            Ok(raw) => break raw,
            Err(Untold(end)) => notes.extend(replaced(&end)),
        }
    };
    drop(place);
    notes.append(&mut raw.notes);
    raw.notes = notes;
    raw.duration = started.elapsed();
    raw
}

/// A worker that waits for a line: one of those that are idle, or a new one.
fn ready<D>(
    pool: &std::sync::Arc<Pool>,
    rule: &WorkerRule,
    hook: &Hook,
    event: &Event,
    context: &Context<'_, D>,
    notes: &mut Vec<(Code, String)>,
) -> Result<Member, End> {
    let cwd = command::event_cwd(event, context.surroundings);
    while let Some(mut member) = pool.take(cwd.as_deref()) {
        if !member.is_current() {
            continue;
        }
        match member.worker.rest() {
            Rest::Quiet => return Ok(member),
            Rest::Spoke => {
                let text = "its worker wrote to standard output after its answer, unasked; it was ended and another \
                            one started: one line for each event, logs to standard error";
                notes.push((Code::WorkerFailed, text.to_owned()));
                member.worker.end();
            }
            Rest::Ended(Some(end)) => notes.extend(replaced(&end)),
            Rest::Ended(None) => {
                let text = "its worker closed its standard output after its last answer; it was ended and another one started";
                notes.push((Code::WorkerFailed, text.to_owned()));
                member.worker.end();
            }
        }
    }
    let command = command::lasting(hook, event, context.surroundings, context.settings);
    let command = command.map_err(End::NotStarted)?;
    let files = stamp::files(hook, &command);
    let worker = Worker::start(&command).map_err(not_started)?;
    pool.adopt(worker, cwd, files, rule.idle).map_err(|error| End::NotStarted(error.to_string()))
}

/// A worker ended after its last answer, before it had read anything of the event: that says nothing of the event.
struct Untold(process::End);

/// What is said of such an end, if it was none by itself, content.
fn replaced(end: &process::End) -> Option<(Code, String)> {
    let why = crash(end)?;
    Some((Code::WorkerFailed, format!("its worker {why} after its last answer; another one was started")))
}

fn not_started(end: process::End) -> End {
    match end {
        process::End::NotStarted(error) => End::NotStarted(error.to_string()),
        process::End::Cancelled => End::Cancelled,
        _ => failed("its worker ended as soon as it was started".to_owned(), None),
    }
}

/// How a worker ended that should not have; `None` when it ended by itself, content.
fn crash(end: &process::End) -> Option<String> {
    match end {
        process::End::Exited(0) | process::End::Cancelled => None,
        process::End::Exited(code) => Some(format!("ended with exit code {code}")),
        process::End::Signaled(signal) => Some(format!("was killed by signal {signal}")),
        _ => Some("ended".to_owned()),
    }
}

async fn talk<D: Driver>(
    pool: &Pool,
    mut member: Member,
    hook: &Hook,
    event: &Event,
    context: &Context<'_, D>,
    limit: Duration,
) -> Result<RawResult, Untold> {
    let id = member.next_id();
    let wanted = hook.dialect.transcript && event.get("transcript_path").is_none();
    let transcript = if wanted { Transcript::write(event) } else { None };
    let path = transcript.as_ref().map(Transcript::path);
    let line = stdin::line(hook.dialect, event, context.surroundings, path, id);
    let (worker, seat) = member.part();
    // What is kept of an answer is cut below. Its line may be longer, for a denial stands in it, and an event that is repeated
    // in the reason must not make that too long.
    let longest = KEPT.max(line.len()).saturating_mul(2);
    let talk = Talk::new(worker, line, longest, limit);
    let Spoken { said, unread, stderr, worker, .. } = context.driver.talk(talk, context.cancel).await;
    let mut raw = RawResult { stderr_total: stderr.total, ..RawResult::without_output(End::Cancelled) };
    raw.stderr = stderr.bytes;
    let mut member = worker.map(|worker| seat.with(worker));
    raw.end = match said {
        Said::Line(line) => match answer::read(&line, id) {
            Ok(answer) => End::Exited(take_over(answer, &mut raw)),
            Err(why) => {
                if let Some(member) = member.take() {
                    member.worker.end();
                }
                no_answer(format!("{why}{}; it was ended", quoted(&line)), None, &line, id, &mut raw)
            }
        },
        // The first event is the only one that its end can be about.
        Said::Untold(end) if id > 1 && !matches!(end, process::End::Cancelled) => return Err(Untold(end)),
        Said::Untold(end) | Said::Ended(end) => ended(end, &unread, id, &mut raw),
        Said::Fault(fault) => {
            let why = format!("{}{}; it was ended", words(fault, longest), quoted(&unread));
            no_answer(why, None, &unread, id, &mut raw)
        }
    };
    raw.stdout.truncate(hook.output_limit);
    raw.stderr.truncate(hook.output_limit);
    if let Some(member) = member {
        pool.put(member);
    }
    Ok(raw)
}

/// The exit code; the rest goes into `raw`.
fn take_over(answer: Answer, raw: &mut RawResult) -> i32 {
    raw.stdout_total = answer.stdout.len() as u64;
    raw.stdout = answer.stdout;
    if let Some(stderr) = answer.stderr {
        raw.stderr_total = stderr.len() as u64;
        raw.stderr = stderr;
    }
    if answer.garbled {
        let text = "its worker's answer is not UTF-8; what is invalid was read as U+FFFD; print UTF-8";
        raw.notes.push((Code::InvalidOutput, text.to_owned()));
    }
    answer.code.into()
}

/// What is said of a worker that was silent until its time was over, and had never answered anything: mostly a script that
/// was made a worker by its settings alone.
const NEVER_ANSWERED: &str = "its worker has never answered an event; a script that reads its input to the end waits for \
                              ever as a worker: let it read one line, answer with one line and read on (`serve` of \
                              Crosshook's packages does that), or take `worker` out of its settings";

/// A worker that ends before it has answered has failed, however it ended: silence is never consent.
fn ended(end: process::End, unread: &[u8], id: u64, raw: &mut RawResult) -> End {
    let partly = match unread {
        [] => String::new(),
        text => format!("; it had written a line without its end{}", quoted(text)),
    };
    let (why, code) = match end {
        process::End::TimedOut if answer::objection(unread, id).is_some() => {
            (format!("its worker did not end the line of its answer in time{}", quoted(unread)), None)
        }
        process::End::TimedOut => {
            if !unread.is_empty() {
                raw.notes.push((Code::WorkerFailed, format!("its worker did not answer in time{partly}")));
            } else if id == 1 {
                raw.notes.push((Code::WorkerFailed, NEVER_ANSWERED.to_owned()));
            }
            return End::TimedOut;
        }
        process::End::Cancelled => return End::Cancelled,
        process::End::NotStarted(error) => (format!("its worker cannot be waited for: {error}"), None),
        end => {
            let code = if let process::End::Exited(code) = end { Some(code) } else { None };
            let how = crash(&end).unwrap_or_else(|| "ended".to_owned());
            let mut why = format!("its worker {how} before it had answered");
            let text = String::from_utf8_lossy(&raw.stderr);
            if let Some(line) = text.trim().lines().last() {
                let line: String = line.chars().take(QUOTED).collect();
                why = format!("{why}: {line}");
            }
            (format!("{why}{partly}"), code)
        }
    };
    no_answer(why, code, unread, id, raw)
}

/// There is no answer; what there is in its place goes into `raw`, for it may deny.
fn no_answer(why: String, code: Option<i32>, unread: &[u8], id: u64, raw: &mut RawResult) -> End {
    let said = answer::objection(unread, id).map(|objection| take_over(objection, raw));
    End::WorkerFailed { why, code: said.filter(|code| *code != 0).or(code) }
}

fn failed(why: String, code: Option<i32>) -> End {
    End::WorkerFailed { why, code }
}

/// So many characters of what was not understood are shown.
const QUOTED: usize = 200;

/// What was not read, for the end of a sentence.
fn quoted(unread: &[u8]) -> String {
    let text = String::from_utf8_lossy(unread);
    let text = text.trim_end();
    if text.is_empty() {
        return String::new();
    }
    let shown: String = text.chars().take(QUOTED).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let more = if text.chars().nth(QUOTED).is_some() { "…" } else { "" };
    format!(": `{shown}`{more}")
}

fn words(fault: Fault, limit: usize) -> String {
    match fault {
        Fault::TooLong => format!("its worker's answer is longer than {limit} bytes"),
        Fault::TooMuch => {
            "its worker wrote more than one line; print the answer alone, logs to standard error \
                           (`crosshook.stdout` holds text of several lines)"
                .to_owned()
        }
        Fault::TooEarly => "its worker answered before it had read the event".to_owned(),
        Fault::Closed => "its worker closed its standard output".to_owned(),
    }
}
