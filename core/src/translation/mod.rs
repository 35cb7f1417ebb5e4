//! One event, told in the words of another dialect: what a hook reads when its dialect is not the host's, and the way
//! back for what it changes. What the words are stands in the dialects' tables (`dialect/names.rs`).

mod arguments;
mod host;
#[cfg(feature = "internals")]
pub(crate) mod page;
mod permissions;
mod subject;
mod tools;

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::dialect::{Dialect, FieldChanges, from_common, to_common};
use crate::event::{Event, NAME_KEYS, snake_case};
use crate::json::{Object, Raw, decode_string, quote, to_raw, write_object};

pub(crate) use arguments::Arguments;
pub(crate) use host::{HostTools, Mapped};
pub(crate) use subject::subject;
pub(crate) use tools::{Called, called};

/// An event in the words of another dialect.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) event: Event,
    /// How the arguments of its tool were renamed.
    pub(crate) arguments: Arguments,
    /// Arguments that hooks do not see, because one of theirs has that name.
    pub(crate) hidden: Vec<String>,
}

/// Tells an event of a host that speaks `from` to the hooks of `to`. An event that `to` does not have keeps its name.
pub(crate) fn tell(event: &Event, from: &'static Dialect, to: &'static Dialect) -> Option<Told> {
    Teller { event, from, to, name: to.event_of(from, event.name()).unwrap_or(event.name()) }.tell()
}

/// The value of a field of the event in the words of `to`.
pub(crate) fn value<'a>(field: &str, value: &'a str, from: &Dialect, to: &Dialect) -> &'a str {
    let of_field = |dialect: &Dialect| -> Vec<(&'static str, &'static str)> {
        dialect.names.values.iter().filter(|(named, _)| *named == field).map(|(_, pair)| *pair).collect()
    };
    from_common(&of_field(to), to_common(&of_field(from), value))
}

/// The permission updates of a hook of `hooks`, for a host that speaks `host`: a rule that denies a tool is not to be lost
/// because the host calls it differently.
pub(crate) fn permissions(raw: &Raw, hooks: &'static Dialect, host: &'static Dialect) -> Raw {
    to_raw(&told_permissions(raw.get(), hooks, host, true)).unwrap_or_else(|| raw.clone())
}

/// `alike`: a rule that does not allow is for tools that do the same, too.
fn told_permissions(raw: &str, from: &'static Dialect, to: &'static Dialect, alike: bool) -> String {
    let mode = |name: &str| mode(name, from, to).to_owned();
    let tools = |name: &str, allows: bool| {
        let Called { name, also, .. } = called(name, from, to);
        std::iter::once(name).chain(also.into_iter().filter(|_| alike && !allows)).collect()
    };
    permissions::told(raw, &tools, &mode)
}

fn mode<'a>(name: &'a str, from: &Dialect, to: &Dialect) -> &'a str {
    from_common(to.names.modes, to_common(from.names.modes, name))
}

struct Teller<'a> {
    event: &'a Event,
    from: &'static Dialect,
    to: &'static Dialect,
    /// The event's name in the words of `to`.
    name: &'a str,
}

impl Teller<'_> {
    fn tell(&self) -> Option<Told> {
        let called = self.event.string("tool_name").map(|name| self.called(&name));
        let (mut arguments, mut hidden) = (Arguments::default(), Vec::new());
        let changes = self.from.stdin.adjust.map(|adjust| adjust(self.event)).unwrap_or_default();
        let mut entries: Vec<(String, Cow<'_, str>)> = Vec::new();
        for (key, raw) in self.event.fields().iter() {
            let Some(key) = self.key(key) else { continue };
            let raw = changed(&changes, &key).unwrap_or(raw);
            if raw.is_empty() {
                continue;
            }
            let told = match (key.as_str(), &called) {
                ("tool_name", Some(called)) => Cow::Owned(quote(&called.name)),
                ("tool_input", Some(called)) => {
                    let (input, renamed, unseen) = called.arguments.tell(raw);
                    (arguments, hidden) = (renamed, unseen);
                    input
                }
                ("tool_calls", _) => Cow::Owned(self.calls(raw)),
                ("permission_suggestions", _) => Cow::Owned(told_permissions(raw, self.from, self.to, false)),
                _ => self.text(&key, raw),
            };
            entries.push((self.field(key), told));
        }
        let text = write_object(entries.iter().map(|(key, raw)| (key.as_str(), raw.as_ref())));
        Some(Told { event: Event::parse(text).ok()?, arguments, hidden })
    }

    /// The name of a top-level field in the common vocabulary; `None` when another field has that name and counts.
    fn key(&self, key: &str) -> Option<String> {
        let alias = self.from.stdin.aliases.iter().find(|(own, _)| *own == key).map(|(_, alias)| *alias);
        let common = alias.map_or_else(|| snake_case(key), str::to_owned);
        (common == key || !self.event.fields().has(&common)).then_some(common)
    }

    /// A field's name in the words of `to`.
    fn field(&self, key: String) -> String {
        let of_event = |dialect: &Dialect, event: &str| -> Vec<(&'static str, &'static str)> {
            let own = dialect.names.fields.iter().filter(|field| field.event == event);
            own.map(|field| field.name).collect()
        };
        let common = to_common(&of_event(self.from, self.event.name()), &key).to_owned();
        from_common(&of_event(self.to, self.name), &common).to_owned()
    }

    /// A value that is a text, where the dialects write it differently.
    fn text<'r>(&self, key: &str, raw: &'r str) -> Cow<'r, str> {
        if NAME_KEYS.contains(&key) {
            return Cow::Owned(quote(self.name));
        }
        let has_words = |dialect: &Dialect| dialect.names.values.iter().any(|(field, _)| *field == key);
        // Most texts are the same everywhere; a prompt or a result may be long, and is not even read.
        if key != "permission_mode" && !has_words(self.from) && !has_words(self.to) {
            return Cow::Borrowed(raw);
        }
        let Some(text) = decode_string(raw) else { return Cow::Borrowed(raw) };
        let told = match key {
            "permission_mode" => mode(&text, self.from, self.to),
            _ => value(key, &text, self.from, self.to),
        };
        if told == text { Cow::Borrowed(raw) } else { Cow::Owned(quote(told)) }
    }

    fn called(&self, name: &str) -> Called {
        let mut called = called(name, self.from, self.to);
        // The event says which server it is, where the name alone does not.
        let context = self.event.get("mcp_context").and_then(Object::from_raw);
        let server = context.and_then(|context| context.get("server_name").and_then(decode_string));
        if let Some(server) = server {
            called.prefer_server(&server);
        }
        called
    }

    /// The calls of a batch, each told like an event's own.
    fn calls(&self, raw: &str) -> String {
        map_objects(raw, |call| {
            let name = call.get("tool_name").and_then(decode_string)?;
            let called = called(&name, self.from, self.to);
            let entries: Vec<(&str, Cow<'_, str>)> = call
                .iter()
                .map(|(key, raw)| match key {
                    "tool_name" => (key, Cow::Owned(quote(&called.name))),
                    "tool_input" => (key, called.arguments.tell(raw).0),
                    _ => (key, Cow::Borrowed(raw)),
                })
                .collect();
            Some(write_object(entries.iter().map(|(key, raw)| (*key, raw.as_ref()))))
        })
    }
}

fn changed<'c>(changes: &'c FieldChanges, key: &str) -> Option<&'c str> {
    changes.iter().find(|(changed, _)| *changed == key).map(|(_, raw)| raw.as_str())
}

/// The list with each object that `tell` can tell told.
fn map_objects(raw: &str, tell: impl Fn(&Object) -> Option<String>) -> String {
    let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(raw) else { return raw.to_owned() };
    let told = |item: &&RawValue| {
        let object = Object::from_raw(item.get());
        object.and_then(|object| tell(&object)).unwrap_or_else(|| item.get().to_owned())
    };
    let items: Vec<String> = items.iter().map(told).collect();
    format!("[{}]", items.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::by_name;
    use serde_json::{Value, json};

    fn told(from: &str, to: &str, event: Value) -> Value {
        let event = Event::parse(event.to_string()).unwrap();
        let told = tell(&event, by_name(from).unwrap(), by_name(to).unwrap()).unwrap();
        serde_json::from_str(told.event.json()).unwrap()
    }

    #[test]
    fn names_of_events_tools_arguments_and_modes() {
        let event = json!({"hook_event_name": "PreToolUse", "cwd": "/p", "permission_mode": "auto_edit",
            "tool_name": "run_shell_command", "tool_input": {"command": "ls", "is_background": true}});
        assert_eq!(
            told("qwen", "claude", event.clone()),
            json!({"hook_event_name": "PreToolUse", "cwd": "/p", "permission_mode": "acceptEdits",
                "tool_name": "Bash", "tool_input": {"command": "ls", "run_in_background": true}})
        );
        assert_eq!(
            told("qwen", "gemini", event),
            json!({"hook_event_name": "BeforeTool", "cwd": "/p", "permission_mode": "acceptEdits",
                "tool_name": "run_shell_command", "tool_input": {"command": "ls", "is_background": true}})
        );
    }

    #[test]
    fn fields_of_one_event_alone() {
        let event = json!({"hook_event_name": "AfterAgent", "prompt": "p", "prompt_response": "done",
            "stop_hook_active": true});
        assert_eq!(
            told("gemini", "codebuddy", event),
            json!({"hook_event_name": "Stop", "prompt": "p", "last_assistant_message": "done",
                "stop_hook_active": true})
        );
        let event = json!({"hook_event_name": "Stop", "last_assistant_message": "done", "session_crons": []});
        assert_eq!(
            told("claude", "gemini", event.clone()),
            json!({"hook_event_name": "AfterAgent", "prompt_response": "done", "session_crons": []})
        );
        assert_eq!(told("claude", "qwen", event)["crons"], json!([]));
        let other = json!({"hook_event_name": "SubagentStop", "last_assistant_message": "done"});
        assert_eq!(told("claude", "gemini", other.clone()), other, "Gemini has no such event");
    }

    #[test]
    fn a_host_may_write_camel_case() {
        let event = json!({"hookEventName": "PreToolUse", "sessionId": "s", "mode": "plan", "toolName": "Bash",
            "tool_input": {"command": "a"}, "toolInput": {"command": "b"}, "toolCallId": "t", "riskLevel": 2});
        assert_eq!(
            told("zcode", "gemini", event),
            json!({"hook_event_name": "BeforeTool", "session_id": "s", "permission_mode": "plan",
                "tool_name": "run_shell_command", "tool_input": {"command": "a"}, "tool_use_id": "t", "risk_level": 2})
        );
        let failure = json!({"hookEventName": "PostToolUseFailure", "error": {"message": "m", "type": "t"}});
        assert_eq!(told("zcode", "claude", failure)["error"], "m");
    }

    #[test]
    fn values_that_are_written_differently() {
        let event = json!({"hook_event_name": "Notification", "notification_type": "ToolPermission"});
        assert_eq!(told("gemini", "claude", event.clone())["notification_type"], "permission_prompt");
        assert_eq!(told("gemini", "gemini", event)["notification_type"], "ToolPermission");
        let end = |reason: &str| json!({"hook_event_name": "SessionEnd", "reason": reason});
        assert_eq!(told("gemini", "claude", end("exit"))["reason"], "other");
        assert_eq!(told("claude", "gemini", end("other"))["reason"], "other");
        assert_eq!(told("claude", "gemini", end("clear"))["reason"], "clear");
    }

    #[test]
    fn the_calls_of_a_batch() {
        let event = json!({"hook_event_name": "PostToolBatch", "tool_calls": [
            {"tool_name": "edit", "tool_input": {"file_path": "a"}, "status": "success"},
            {"tool_name": "run_shell_command", "tool_input": {"is_background": false}}, 7]});
        assert_eq!(
            told("qwen", "claude", event)["tool_calls"],
            json!([{"tool_name": "Edit", "tool_input": {"file_path": "a"}, "status": "success"},
                {"tool_name": "Bash", "tool_input": {"run_in_background": false}}, 7])
        );
    }

    #[test]
    fn the_server_of_an_mcp_tool_is_taken_from_the_event() {
        let event =
            json!({"hook_event_name": "BeforeTool", "tool_name": "mcp_my_db_query", "tool_input": {}});
        assert_eq!(told("gemini", "claude", event.clone())["tool_name"], "mcp__my__db_query");
        let mut event = event;
        event["mcp_context"] = json!({"server_name": "my_db", "tool_name": "query"});
        assert_eq!(told("gemini", "claude", event)["tool_name"], "mcp__my_db__query");
        let event =
            json!({"hook_event_name": "PreToolUse", "tool_name": "mcp__my_db__query", "tool_input": {}});
        assert_eq!(told("claude", "gemini", event)["tool_name"], "mcp_my_db_query");
    }

    /// What the matchers of any dialect look at has one name, so that the selection need not translate it.
    #[test]
    fn no_field_that_matchers_look_at_is_called_differently() {
        for dialect in crate::dialect::names().into_iter().filter_map(by_name) {
            let looked_at: Vec<&str> = dialect.events.iter().filter_map(|rule| rule.target.field()).collect();
            for field in dialect.names.fields {
                assert!(!looked_at.contains(&field.name.0) && !looked_at.contains(&field.name.1));
            }
        }
    }
}
