//! Hooks that the host answers: prompt, agent and function hooks.

use std::borrow::Cow;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use serde_json::Value;
use serde_json::value::RawValue;

use super::{End, RawResult, Surroundings, stdin};
use crate::event::Event;
use crate::hook::{Action, Hook};
use crate::host::{self, Host, NoAnswer, RequestKind};
use crate::json::{Kind, Object, decode_string, indented, quote};
use crate::process::Cancel;
use crate::runtime::{self, Task};
use crate::stepping::in_steps;

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
        None => End::Unavailable(nobody_answers(hook)),
    };
    RawResult { duration: started.elapsed(), ..RawResult::without_output(end) }
}

fn nobody_answers(hook: &Hook) -> String {
    format!(
        "the host provides nothing that answers hooks of type {}; give the engine a host, or the option `llm` for prompts",
        hook.kind
    )
}

/// What a hook lacks where there is no host that could answer it.
pub(crate) fn lacks_host(hook: &Hook) -> Option<String> {
    match hook.action {
        Action::Command { .. } | Action::Process { .. } | Action::Http { .. } => None,
        Action::Prompt { .. }
        | Action::Agent { .. }
        | Action::Goal { .. }
        | Action::McpTool { .. }
        | Action::Function { .. } => Some(nobody_answers(hook)),
    }
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
        Action::McpTool { .. } => RequestKind::McpTool,
        Action::Function { .. } => RequestKind::Function,
        _ => RequestKind::Prompt,
    };
    let asked = Instant::now();
    let (request, mut pending) = host::request(kind, tag, |id| describe(id, kind, hook, event, surroundings));
    if std::panic::catch_unwind(AssertUnwindSafe(|| host.request(request))).is_err() {
        return End::HostFailed("the host's callback panicked".to_owned());
    }
    let mut timer = Timer { begun: asked, limit: hook.time_limit(), task: None };
    let mut cancelled = pin!(cancel.cancelled());
    let first = std::future::poll_fn(|context| {
        if let Poll::Ready(answer) = Pin::new(&mut pending.answer).poll(context) {
            return Poll::Ready(match answer.unwrap_or_else(|_| Err(NoAnswer::dropped())) {
                // One that blocked this thread instead is not heard after its time.
                _ if timer.is_late() => Err(End::TimedOut),
                answer => Ok(answer),
            });
        }
        if cancelled.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(End::Cancelled));
        }
        timer.poll(context).map(Err)
    })
    .await;
    timer.stop();
    match first {
        Ok(answer) => {
            pending.settled();
            match answer {
                Ok(text) => End::Answered(text),
                Err(NoAnswer::Failed(why)) => End::HostFailed(why),
                Err(NoAnswer::Unavailable(why)) => End::Unavailable(why),
            }
        }
        Err(end) => end,
    }
}

/// The time limit of a question. A host that answers at once costs no timer and no thread.
struct Timer {
    begun: Instant,
    limit: Duration,
    task: Option<Task<()>>,
}

impl Timer {
    /// Whether the time is over, and nobody has looked after it.
    fn is_late(&self) -> bool {
        self.task.is_none() && self.begun.elapsed() > self.limit
    }

    /// Looks after it from now on, unless whoever polls comes again by itself. Ends with how the question does.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<End> {
        if self.task.is_none() {
            if in_steps(context) {
                return Poll::Pending;
            }
            match runtime::timer(self.limit.saturating_sub(self.begun.elapsed())) {
                Ok(task) => self.task = Some(task),
                Err(_) => {
                    return Poll::Ready(End::HostFailed("no engine thread for its time limit".to_owned()));
                }
            }
        }
        let Some(task) = &mut self.task else { return Poll::Pending };
        Pin::new(task).poll(context).map(|ended| match ended {
            Ok(()) => End::TimedOut,
            // The engine was shut down, or the process forked.
            Err(_) => End::Cancelled,
        })
    }

    fn stop(&self) {
        if let Some(task) = &self.task {
            task.abort();
        }
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
    let judges = !matches!(kind, RequestKind::Function | RequestKind::McpTool);
    let system = if judges { quote(SYSTEM) } else { "null".to_owned() };
    let tool = match &hook.action {
        Action::McpTool { server, tool, input } => {
            let input = interpolated(input.get(), event);
            format!(r#""server":{},"tool":{},"input":{input},"#, quote(server), quote(tool))
        }
        _ => String::new(),
    };
    format!(
        r#"{{"id":{id},"kind":"{}","hook":{},"function":{},"model":{},"agent_type":{},"system":{system},"prompt":{},{tool}"timeout_ms":{},"event":{input}}}"#,
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
    let input = if rule.indent { Cow::Owned(indented(input)) } else { Cow::Borrowed(input) };
    let (mut text, mut rest, mut placed) = (String::with_capacity(prompt.len()), prompt, false);
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        if let Some(before) = before.strip_suffix('\\').filter(|_| rule.escapes) {
            text.push_str(before);
            text.push('$');
            rest = from.strip_prefix('$').unwrap_or_default();
        } else if let Some(after) = from.strip_prefix(PLACEHOLDER) {
            text.push_str(before);
            text.push_str(&input);
            (rest, placed) = (after, true);
        } else {
            text.push_str(before);
            text.push('$');
            rest = from.strip_prefix('$').unwrap_or_default();
        }
    }
    text.push_str(rest);
    match rule.append.filter(|_| !placed) {
        Some(label) => format!("{text}{label}{input}"),
        None => text,
    }
}

/// What an MCP tool is called with: `${path.into.event}` in its strings is the value there, as text. What the event does
/// not have is nothing.
fn interpolated(input: &str, event: &Event) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(input) else { return "{}".to_owned() };
    fill_strings(&mut value, event);
    value.to_string()
}

fn fill_strings(value: &mut Value, event: &Event) {
    match value {
        Value::String(text) => *text = with_values(text, event),
        Value::Array(items) => items.iter_mut().for_each(|item| fill_strings(item, event)),
        Value::Object(members) => members.values_mut().for_each(|member| fill_strings(member, event)),
        _ => {}
    }
}

fn with_values(text: &str, event: &Event) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, from)) = rest.split_once("${") {
        out.push_str(before);
        match from.split_once('}') {
            Some((path, after)) => {
                out.push_str(&value_at(path, event));
                rest = after;
            }
            None => {
                out.push_str("${");
                rest = from;
            }
        }
    }
    out + rest
}

fn value_at(path: &str, event: &Event) -> String {
    let mut steps = path.trim().split('.');
    let Some(mut raw) = steps.next().and_then(|key| event.get(key)).map(str::to_owned) else {
        return String::new();
    };
    for step in steps {
        let inner = match Kind::of(&raw) {
            Kind::Array => serde_json::from_str::<Vec<Box<RawValue>>>(&raw).ok().and_then(|items| {
                let index: usize = step.parse().ok()?;
                items.get(index).map(|item| item.get().to_owned())
            }),
            _ => Object::from_raw(&raw).and_then(|object| object.get(step).map(str::to_owned)),
        };
        match inner {
            Some(inner) => raw = inner,
            None => return String::new(),
        }
    }
    match Kind::of(&raw) {
        Kind::Null => String::new(),
        _ => decode_string(&raw).unwrap_or(raw),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_event_stand_in_what_a_tool_is_called_with() {
        let event = Event::parse(
            r#"{"hook_event_name":"PostToolUse","tool_name":"W","tool_input":{"file_path":"/a","n":[1,{"x":"y"}]}}"#,
        )
        .unwrap();
        let input = r#"{"path":"${tool_input.file_path}","deep":["${tool_input.n.1.x}-${tool_input.n}"],"k":1,"none":"${no.where}${"}"#;
        let value: Value = serde_json::from_str(&interpolated(input, &event)).unwrap();
        assert_eq!(
            value,
            serde_json::json!({"path": "/a", "deep": ["y-[1,{\"x\":\"y\"}]"], "k": 1, "none": "${"})
        );
    }
}
