//! Hooks that the host answers: prompt, agent and function hooks.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::task::Poll;
use std::time::Instant;

use serde_json::value::RawValue;

use super::{End, RawResult, Surroundings, stdin};
use crate::event::Event;
use crate::hook::{Action, Hook};
use crate::host::{self, Host, NoAnswer, RequestKind};
use crate::json::{indented, quote};
use crate::process::Cancel;
use crate::runtime;

/// Asks the host and waits for its answer, the hook's timeout or the cancellation, whichever comes first.
pub(super) async fn ask(
    hook: &Hook,
    event: &Event,
    surroundings: &Surroundings,
    tag: u64,
    cancel: &Cancel,
) -> RawResult {
    let started = Instant::now();
    let end = match &surroundings.host {
        Some(host) => answer(host.as_ref(), hook, event, surroundings, tag, cancel).await,
        None => {
            let why = format!(
                "the host provides nothing that answers hooks of type {}; give the engine a host, or the option `llm` for prompts",
                hook.kind
            );
            End::Unavailable(why)
        }
    };
    RawResult { duration: started.elapsed(), ..RawResult::without_output(end) }
}

async fn answer(
    host: &dyn Host,
    hook: &Hook,
    event: &Event,
    surroundings: &Surroundings,
    tag: u64,
    cancel: &Cancel,
) -> End {
    let kind = match &hook.action {
        Action::Agent { .. } => RequestKind::Agent,
        Action::Function { .. } => RequestKind::Function,
        _ => RequestKind::Prompt,
    };
    let asked = Instant::now();
    let (request, mut pending) = host::request(kind, tag, |id| describe(id, kind, hook, event, surroundings));
    if std::panic::catch_unwind(AssertUnwindSafe(|| host.request(request))).is_err() {
        return End::HostFailed("the host's callback panicked".to_owned());
    }
    let settle = |pending: host::Pending, answer: host::Answer| {
        pending.settled();
        match answer {
            Ok(text) => End::Answered(text),
            Err(NoAnswer::Failed(why)) => End::HostFailed(why),
            Err(NoAnswer::Unavailable(why)) => End::Unavailable(why),
        }
    };
    // A host that answers at once costs no timer and no thread.
    if let Ok(answer) = pending.answer.try_recv() {
        // One that blocks instead is not heard after its time.
        let in_time = asked.elapsed() <= hook.time_limit();
        return if in_time { settle(pending, answer) } else { End::TimedOut };
    }
    let Ok(timer) = runtime::timer(hook.time_limit()) else {
        return End::HostFailed("no engine thread for its time limit".to_owned());
    };
    let (mut timer, mut cancelled) = (pin!(timer), pin!(cancel.cancelled()));
    let first = std::future::poll_fn(|context| {
        if let Poll::Ready(answer) = std::pin::Pin::new(&mut pending.answer).poll(context) {
            let lost = || Err(NoAnswer::dropped());
            return Poll::Ready(Ok(answer.unwrap_or_else(|_| lost())));
        }
        if cancelled.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(End::Cancelled));
        }
        match timer.as_mut().poll(context) {
            Poll::Ready(Ok(())) => Poll::Ready(Err(End::TimedOut)),
            // The engine was shut down, or the process forked.
            Poll::Ready(Err(_)) => Poll::Ready(Err(End::Cancelled)),
            Poll::Pending => Poll::Pending,
        }
    })
    .await;
    timer.abort();
    match first {
        Ok(answer) => settle(pending, answer),
        Err(end) => end,
    }
}

/// See [`host::Request::json`].
fn describe(id: u64, kind: RequestKind, hook: &Hook, event: &Event, surroundings: &Surroundings) -> String {
    let input = stdin::payload(hook.dialect, event, surroundings, None).to_vec();
    let input = String::from_utf8(input).unwrap_or_default();
    let input = input.trim_end();
    let (prompt, model, agent_type, function) = match &hook.action {
        Action::Goal { prompt, .. } => (Some(prompt), None, None, None),
        Action::Prompt { prompt, model, .. } => (Some(prompt), model.as_ref(), None, None),
        Action::Agent { prompt, model, agent_type } => {
            (Some(prompt), model.as_ref(), agent_type.as_ref(), None)
        }
        Action::Function { id, .. } => (None, None, None, Some(id)),
        _ => (None, None, None, None),
    };
    let prompt = prompt.map(|prompt| filled(hook, prompt, input));
    let text = |text: Option<&String>| text.map_or_else(|| "null".to_owned(), |text| quote(text));
    let system = if kind == RequestKind::Function { "null".to_owned() } else { quote(SYSTEM) };
    let event = if serde_json::from_str::<&RawValue>(input).is_ok() { input } else { "null" };
    format!(
        r#"{{"id":{id},"kind":"{}","hook":{},"function":{},"model":{},"agent_type":{},"system":{system},"prompt":{},"timeout_ms":{},"event":{event}}}"#,
        kind.as_str(),
        quote(&hook.id),
        text(function),
        text(model),
        text(agent_type),
        text(prompt.as_ref()),
        hook.time_limit().as_millis(),
    )
}

/// What the model is told about the form of its answer.
const SYSTEM: &str = "You judge one event in the life of a coding agent. Answer with a single JSON object and nothing else: \
{\"ok\": true} when there is no objection, or {\"ok\": false, \"reason\": \"...\"} with a short reason. You may add \
\"additionalContext\" with text the agent should know, and, when a goal can never be reached, \"impossible\": true.";

/// The prompt with the event in it, in the dialect's form.
fn filled(hook: &Hook, prompt: &str, input: &str) -> String {
    const PLACEHOLDER: &str = "$ARGUMENTS";
    let rule = &hook.dialect.prompts;
    if prompt.contains(PLACEHOLDER) {
        let input = if rule.indent { indented(input) } else { input.to_owned() };
        return prompt.replace(PLACEHOLDER, &input);
    }
    match rule.append {
        Some(label) => format!("{prompt}{label}{input}"),
        None => prompt.to_owned(),
    }
}
