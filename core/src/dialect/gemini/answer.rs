//! What Gemini CLI reads of a hook's output (sections 3.6 to 3.8, and 3.11).

use super::{AFTER_AGENT, SELECTION};
use crate::diagnostic::Code;
use crate::dialect::{Effect, Halt, Plain};
use crate::event::Event;
use crate::json::{self, Kind, Object, Raw, js_trim};
use crate::outcome::{Decision, Status, Stop};
use crate::reply::exit::{SILENT_BLOCK, failed, note_answer, plain, silent, trimmed};
use crate::reply::{Answer, Exit, InputChange, Reply, ReplyContext, holds_answer};

/// What a hook printed, as section 3.6 reads it.
enum Printed {
    Nothing,
    Object(Object),
    /// JSON that is no object has no effect.
    Other(Kind),
    Text(String),
}

fn printed(text: &str) -> Printed {
    let text = js_trim(text);
    if text.is_empty() {
        return Printed::Nothing;
    }
    match (as_json(text), json::decode_string(text)) {
        (None, _) => Printed::Text(text.to_owned()),
        // A JSON string is read once more; one that holds no JSON is text after all.
        (Some(Printed::Other(Kind::String)), Some(inner)) => {
            as_json(js_trim(&inner)).unwrap_or_else(|| Printed::Text(text.to_owned()))
        }
        (Some(printed), _) => printed,
    }
}

fn as_json(text: &str) -> Option<Printed> {
    let repaired = json::repair_surrogates(text);
    let raw = json::to_raw(&repaired)?;
    Some(match Object::from_raw(raw.get()) {
        Some(object) => Printed::Object(object),
        None => Printed::Other(Kind::of(raw.get())),
    })
}

/// Section 3.6 with the choices of section 3.11: exit code 2 always blocks, and standard error holds no answer when the
/// hook succeeded.
pub(super) fn read(context: &ReplyContext<'_>, exit: &Exit<'_>) -> Reply {
    let stdout = printed(exit.stdout);
    let answer = match stdout {
        Printed::Nothing if exit.code == 0 && holds_answer(exit.stderr) => return silent(context, exit),
        Printed::Nothing => printed(exit.stderr),
        printed => printed,
    };
    match answer {
        Printed::Object(object) => {
            let said = object.get("decision").and_then(json::decode_string);
            let consents = matches!(said.as_deref(), Some("allow" | "approve" | "ask"));
            let mut reply = json(context, Answer::new(object, "", false));
            end_of_answer(context, exit, consents, &mut reply);
            reply
        }
        _ if exit.code == 2 => {
            deny(context, trimmed(exit.stderr).or_else(|| trimmed(exit.stdout)), "exit code 2")
        }
        Printed::Nothing if exit.code == 0 => Reply::default(),
        Printed::Nothing => failed(context, exit),
        Printed::Other(kind) => {
            let mut reply = if exit.code == 0 { Reply::default() } else { failed(context, exit) };
            reply.answered = true;
            let text = format!("its output is {}, not an object; it has no effect", kind.words());
            reply.warn(context, Code::InvalidOutput, text);
            reply
        }
        Printed::Text(text) => plain_text(context, exit, &text),
    }
}

fn plain_text(context: &ReplyContext<'_>, exit: &Exit<'_>, text: &str) -> Reply {
    match exit.code {
        0 => {
            let mut reply = plain(context, text);
            if text.starts_with('{') {
                let text =
                    "its output looks like JSON but does not parse; Gemini CLI shows it to the user as text";
                reply.warn(context, Code::InvalidJson, text);
            }
            reply
        }
        1 => {
            let message = (context.rule.plain == Plain::Message).then(|| format!("Warning: {text}"));
            Reply { message, answered: true, ..failed(context, exit) }
        }
        code => deny(context, Some(text.to_owned()), &format!("exit code {code} with a text")),
    }
}

/// Denies or blocks for an exit code.
fn deny(context: &ReplyContext<'_>, reason: Option<String>, what: &str) -> Reply {
    let mut reply = Reply { answered: true, ..Reply::default() };
    reply.block(context, what);
    if reply.decision.blocks() {
        let reason = reason.unwrap_or_else(|| SILENT_BLOCK.to_owned());
        reply.parts.top = Some(reason.clone());
        reply.reason = Some(reason);
    }
    reply
}

/// What the exit code adds to a JSON answer. With 2 the hook blocks whatever the answer says, unless that denies itself.
fn end_of_answer(context: &ReplyContext<'_>, exit: &Exit<'_>, consents: bool, reply: &mut Reply) {
    match exit.code {
        0 => {}
        2 if reply.decision.blocks() && reply.parts.top.is_some() => {}
        2 => {
            let own = trimmed(exit.stderr).filter(|text| as_json(text).is_none());
            if consents {
                let text = "its answer allows or asks, but exit code 2 blocks";
                reply.warn(context, Code::JsonNotRead, text);
                // That text says why the call was to go on.
                reply.parts.top = None;
            }
            let blocked = deny(context, own.or_else(|| reply.parts.top.take()), "exit code 2");
            (reply.decision, reply.status) = (blocked.decision, blocked.status);
            (reply.reason, reply.parts.top) = (blocked.reason, blocked.parts.top);
            reply.diagnostics.extend(blocked.diagnostics);
        }
        code if reply.status == Status::Ok => {
            reply.status = Status::Error;
            reply.error = Some(format!("exit code {code}"));
            let text = format!("it printed an answer, which counts, and failed with exit code {code}");
            reply.warn(context, Code::HookFailed, text);
        }
        _ => {}
    }
}

fn non_empty(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

/// The reason where a hook gave none (section 3.7).
const NO_REASON: &str = "No reason provided";

/// Section 3.7. An allow has no power: it would not skip the agent's own confirmation (section 3.12).
fn json(context: &ReplyContext<'_>, mut answer: Answer) -> Reply {
    let mut reply = Reply { answered: true, ..Reply::default() };
    let halts = answer.bool("continue") == Some(false);
    let stop_reason = non_empty(answer.string("stopReason")).filter(|_| halts);
    let reason = non_empty(answer.string("reason"));
    reply.suppress_output = answer.bool("suppressOutput") == Some(true);
    reply.message = non_empty(answer.string("systemMessage"));
    reply.parts.top.clone_from(&reason);
    let shown = || stop_reason.clone().or_else(|| reason.clone());
    match answer.choice("decision", &["allow", "approve", "ask", "block", "deny"]) {
        Some("block" | "deny") => {
            reply.block(context, "a deny");
            if reply.decision.blocks() {
                reply.reason = Some(shown().unwrap_or_else(|| NO_REASON.to_owned()));
            }
        }
        Some("ask") if context.rule.effect == Effect::Permission => {
            reply.decision = Decision::Ask;
            reply.reason.clone_from(&reason);
        }
        Some("ask") => reply.unused(context, "`decision: ask`"),
        _ => {}
    }
    if halts && context.rule.halt == Halt::Stop {
        reply.parts.stop.clone_from(&stop_reason);
        reply.stop = Some(Stop { reason: shown() });
    } else if halts {
        reply.unused(context, "`continue: false`");
    }
    if context.rule.name == SELECTION && reply.message.take().is_some() {
        reply.unused(context, "`systemMessage`");
    }
    let mut specific = answer.object("hookSpecificOutput", "hookSpecificOutput.");
    if let Some(fields) = &mut specific {
        fields.skip(&["hookEventName"]);
        read_specific(context, fields, &mut reply);
    }
    let answers: Vec<&Answer> = std::iter::once(&answer).chain(&specific).collect();
    note_answer(context, &mut reply, &answers, &[]);
    reply
}

/// What each event reads besides (section 3.3).
fn read_specific(context: &ReplyContext<'_>, fields: &mut Answer, reply: &mut Reply) {
    let mut keep = |key: &str, value: Option<Raw>| {
        reply.extra.extend(value.map(|value| (key.to_owned(), value)));
    };
    match context.rule.name {
        "BeforeTool" => {
            // In a sequence the next hook has seen the change; side by side the later one counts (section 3.8).
            let change = if context.chained { InputChange::Patch } else { InputChange::PatchOfOriginal };
            reply.input = fields.raw_object("tool_input").map(change);
        }
        "AfterTool" => {
            keep("tailToolCallRequest", fields.raw_object("tailToolCallRequest"));
            reply.context = non_empty(fields.string("additionalContext"));
        }
        "BeforeAgent" | "SessionStart" => reply.context = non_empty(fields.string("additionalContext")),
        AFTER_AGENT => {
            let clear = fields.bool("clearContext").filter(|clear| *clear);
            keep("clearContext", clear.and_then(|_| json::to_raw("true")));
        }
        "BeforeModel" => {
            let request = fields.raw_object("llm_request");
            keep("llm_request", request.map(|patch| over_request(context.event, patch)));
            keep("llm_response", fields.raw_object("llm_response"));
        }
        "AfterModel" => keep("llm_response", fields.raw_object("llm_response")),
        SELECTION => {
            let config = fields.raw_object("toolConfig").and_then(|raw| ToolConfig::read(raw.get()));
            keep("toolConfig", config.and_then(|config| config.write()));
        }
        _ => {}
    }
}

/// The complete request: what the hook gave, laid over the event's.
fn over_request(event: &Event, patch: Raw) -> Raw {
    let base = event.get("llm_request").and_then(Object::from_raw);
    let both = base.zip(Object::from_raw(patch.get()));
    both.and_then(|(base, patch)| json::shallow_merge(&base, &patch)).unwrap_or(patch)
}

/// Which tools the model may call.
struct ToolConfig {
    mode: &'static str,
    names: Vec<String>,
}

impl ToolConfig {
    /// The modes, the one that wins first (section 3.8).
    const MODES: [&'static str; 3] = ["NONE", "ANY", "AUTO"];

    fn read(text: &str) -> Option<Self> {
        let object = Object::from_raw(text)?;
        let mode = object.get("mode").and_then(json::decode_string);
        let mode = Self::MODES.into_iter().find(|known| mode.as_deref() == Some(known)).unwrap_or("AUTO");
        let names = object.get("allowedFunctionNames").and_then(|raw| serde_json::from_str(raw).ok());
        Some(Self { mode, names: names.unwrap_or_default() })
    }

    fn write(mut self) -> Option<Raw> {
        if self.mode == "NONE" {
            self.names.clear();
        }
        self.names.sort();
        self.names.dedup();
        let names: Vec<String> = self.names.iter().map(|name| json::quote(name)).collect();
        json::to_raw(&format!(r#"{{"mode":"{}","allowedFunctionNames":[{}]}}"#, self.mode, names.join(",")))
    }
}

/// The strongest mode, and the tools of all hooks.
pub(super) fn combine(key: &str, before: &Raw, next: &Raw) -> Option<Raw> {
    if key != "toolConfig" {
        return None;
    }
    let (mut before, next) = (ToolConfig::read(before.get())?, ToolConfig::read(next.get())?);
    let stronger = |mode: &&str| *mode == before.mode || *mode == next.mode;
    before.mode = ToolConfig::MODES.into_iter().find(stronger)?;
    before.names.extend(next.names);
    before.write()
}
