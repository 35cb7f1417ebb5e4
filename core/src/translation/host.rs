//! The host's own names of tools, where it has others than the dialect that it speaks.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Arguments, map_objects, permissions};
use crate::dialect::Dialect;
use crate::error::{Error, ErrorKind, Place};
use crate::event::{Event, snake_case};
use crate::fields::{Fields, Value};
use crate::json::{Object, Raw, decode_string, quote, to_raw, write_object};
use crate::options::ToolName;

/// The tools of the host that have another name in its dialect.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct HostTools {
    tools: BTreeMap<String, (String, Arguments)>,
}

/// An event with the dialect's names.
pub(crate) struct Mapped {
    pub(crate) event: Event,
    /// How the arguments of its tool were renamed.
    pub(crate) arguments: Arguments,
    /// Arguments that hooks do not see, because one of theirs has that name.
    pub(crate) hidden: Vec<String>,
}

impl HostTools {
    /// Reads the option `tools`.
    ///
    /// # Errors
    /// `invalid_options`: two arguments of a tool have one name in the dialect. Hooks would see one of them only, and whoever
    /// writes the call could hide the one behind the other.
    pub(crate) fn new(tools: &BTreeMap<String, ToolName>) -> Result<Self, Error> {
        let mut own = BTreeMap::new();
        for (name, tool) in tools {
            let mut told: BTreeMap<&String, &String> = BTreeMap::new();
            for (argument, dialects) in &tool.arguments {
                if let Some(other) = told.insert(dialects, argument) {
                    let pointer = Some(format!("/tools/{name}/arguments/{argument}"));
                    let text = format!(
                        "`{other}` and `{argument}` of the tool `{name}` are both `{dialects}`; hooks can read only one, so \
                         name the one that the tool reads"
                    );
                    let place = Place { pointer, ..Place::default() };
                    return Err(Error::new(ErrorKind::InvalidOptions, text).at(place));
                }
            }
            own.insert(name.clone(), (tool.name.clone(), Arguments::new(&tool.arguments)));
        }
        Ok(Self { tools: own })
    }

    /// The names that are none of a dialect's tools, as (the host's, the dialect's).
    pub(crate) fn unknown(&self, dialect: &Dialect) -> Vec<(&str, &str)> {
        let known = |name: &str| name.starts_with("mcp_") || dialect.names.tool(name).is_some();
        let names = self.tools.iter().map(|(own, (name, _))| (own.as_str(), name.as_str()));
        names.filter(|(_, name)| !known(name)).collect()
    }

    /// Whether the host has no names of its own.
    pub(crate) fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Those that the host's event `own` names.
    pub(crate) fn of(&self, own: &Event) -> Self {
        let calls: Vec<Raw> =
            own.get("tool_calls").and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
        let called = |raw: &Raw| Object::from_raw(raw.get())?.get("tool_name").and_then(decode_string);
        let named: Vec<String> =
            own.string("tool_name").into_iter().chain(calls.iter().filter_map(called)).collect();
        let tools = self.tools.iter().filter(|(name, _)| named.contains(name));
        Self { tools: tools.map(|(name, tool)| (name.clone(), tool.clone())).collect() }
    }

    /// The event with the dialect's names in the place of the host's.
    pub(crate) fn tell(&self, event: Event) -> Mapped {
        let unchanged = |event| Mapped { event, arguments: Arguments::default(), hidden: Vec::new() };
        if self.tools.is_empty() {
            return unchanged(event);
        }
        let batch = event.get("tool_calls").is_some();
        let own = event.string("tool_name").and_then(|name| self.tools.get(&name));
        if own.is_none() && !batch {
            return unchanged(event);
        }
        let mut arguments = Arguments::default();
        let mut hidden = Vec::new();
        let mut entries: Vec<(&str, Cow<'_, str>)> = Vec::new();
        for (key, raw) in event.fields().iter() {
            let told = match (snake_case(key).as_str(), own) {
                ("tool_name", Some((name, _))) => Cow::Owned(quote(name)),
                ("tool_input", Some((_, renames))) => {
                    let (input, renamed, unseen) = renames.tell(raw);
                    // Of two inputs the one in snake_case counts, as everywhere.
                    if event.get("tool_input") == Some(raw) {
                        (arguments, hidden) = (renamed, unseen);
                    }
                    input
                }
                ("tool_calls", _) => Cow::Owned(map_objects(raw, |call| self.call(call))),
                _ => Cow::Borrowed(raw),
            };
            entries.push((key, told));
        }
        let text = write_object(entries.iter().map(|(key, raw)| (*key, raw.as_ref())));
        match Event::parse(text) {
            Ok(event) => Mapped { event, arguments, hidden },
            Err(_) => unchanged(event),
        }
    }

    fn call(&self, call: &Object) -> Option<String> {
        let (name, arguments) = self.tools.get(&call.get("tool_name").and_then(decode_string)?)?;
        let entries: Vec<(&str, Cow<'_, str>)> = call
            .iter()
            .map(|(key, raw)| match key {
                "tool_name" => (key, Cow::Owned(quote(name))),
                "tool_input" => (key, arguments.tell(raw).0),
                _ => (key, Cow::Borrowed(raw)),
            })
            .collect();
        Some(write_object(entries.iter().map(|(key, raw)| (*key, raw.as_ref()))))
    }

    /// The other names that the arguments of an event's tools have; the event has the dialect's names.
    pub(crate) fn arguments(&self, event: &Event) -> Vec<Arguments> {
        if self.tools.is_empty() {
            return Vec::new();
        }
        let name = event.string("tool_name");
        let batch = event.get("tool_calls").is_some();
        let told = self.tools.values().filter(|(told, _)| batch || name.as_ref() == Some(told));
        told.map(|(_, arguments)| arguments.clone()).collect()
    }

    /// Permission updates under the host's names.
    pub(crate) fn permissions(&self, raw: Raw) -> Raw {
        if self.tools.is_empty() {
            return raw;
        }
        let own = |name: &str, _: bool| {
            let own = self.tools.iter().filter(|(_, (told, _))| told == name);
            let own: Vec<String> = own.map(|(own, _)| own.clone()).collect();
            if own.is_empty() { vec![name.to_owned()] } else { own }
        };
        to_raw(&permissions::told(raw.get(), &own, &str::to_owned)).unwrap_or(raw)
    }

    /// The fields of an event as the selection is to see them.
    pub(crate) fn over<'a>(&'a self, event: &'a dyn Fields) -> impl Fields + 'a {
        Over { tools: self, event }
    }
}

struct Over<'a> {
    tools: &'a HostTools,
    event: &'a dyn Fields,
}

impl Fields for Over<'_> {
    fn name(&self) -> &str {
        self.event.name()
    }

    fn value(&self, key: &str) -> Value<'_> {
        match self.event.value(key) {
            Value::Text(text) if key == "tool_name" => match self.tools.tools.get(&*text) {
                Some((name, _)) => Value::Text(Cow::Borrowed(name)),
                None => Value::Text(text),
            },
            value => value,
        }
    }

    fn whole(&self) -> Option<&Event> {
        self.event.whole()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools() -> HostTools {
        let mut execute = ToolName::new("Bash");
        execute.arguments.insert("cmd".to_owned(), "command".to_owned());
        HostTools::new(&BTreeMap::from([
            ("execute".to_owned(), execute),
            ("fetch".to_owned(), ToolName::new("Fetch")),
        ]))
        .unwrap()
    }

    #[test]
    fn an_argument_cannot_hide_behind_another_with_the_same_name() {
        let mut execute = ToolName::new("Bash");
        for own in ["cmd", "line"] {
            execute.arguments.insert(own.to_owned(), "command".to_owned());
        }
        let error = HostTools::new(&BTreeMap::from([("execute".to_owned(), execute)])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidOptions);
        assert!(
            error.to_string().contains("`cmd` and `line` of the tool `execute` are both `command`"),
            "{error}"
        );
    }

    fn told(event: &str) -> (String, Vec<String>) {
        let Mapped { event, hidden, .. } = tools().tell(Event::parse(event).unwrap());
        (event.json().to_owned(), hidden)
    }

    #[test]
    fn the_tool_and_its_arguments_are_renamed_and_nothing_else() {
        let event = r#"{"hook_event_name":"PreToolUse","toolName":"execute","tool_input":{"cmd":"ls","x":1},"cmd":2}"#;
        let wanted = r#"{"hook_event_name":"PreToolUse","toolName":"Bash","tool_input":{"command":"ls","x":1},"cmd":2}"#;
        assert_eq!(told(event), (wanted.to_owned(), vec![]));
        let other = r#"{ "hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"cmd":"ls"}}"#;
        assert_eq!(told(other).0, other);
        let batch = r#"{"hook_event_name":"PostToolBatch","tool_calls":[{"tool_name":"execute","tool_input":{"cmd":"a"}}]}"#;
        let wanted = r#"{"hook_event_name":"PostToolBatch","tool_calls":[{"tool_name":"Bash","tool_input":{"command":"a"}}]}"#;
        assert_eq!(told(batch).0, wanted);
    }

    #[test]
    fn what_is_hidden_is_said() {
        let event = r#"{"hook_event_name":"PreToolUse","tool_name":"execute","tool_input":{"command":"ls","cmd":"rm"}}"#;
        assert_eq!(told(event).1, ["command"]);
    }

    #[test]
    fn unknown_names_are_found() {
        let claude = crate::dialect::by_name("claude").unwrap();
        assert_eq!(tools().unknown(claude), [("fetch", "Fetch")]);
    }
}
