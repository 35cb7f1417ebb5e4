//! The JSON Schema of a dialect's settings, made from its tables, so that editors complain where `check` would.

use serde_json::{Map, Value, json};

use super::entry::{COMMON_KEYS, FAIL_MODE_KEYS};
use super::worker;
use crate::dialect::{Dialect, SettingsRule, Target, TimeUnit, TypeRule};

/// The schema of the settings files of a dialect (JSON Schema, draft 7), pretty-printed. It takes exactly what
/// the agent's settings may hold beside other things: what breaks it makes a finding of `check` too.
pub(crate) fn schema(dialect: &Dialect) -> String {
    let rule = &dialect.settings;
    let mut properties = Map::new();
    let events = json!({"$ref": "#/definitions/events"});
    let hooks = if rule.events_key { hooks_root(&events) } else { events };
    properties.insert("hooks".to_owned(), hooks);
    let alone = !rule.json_keys.is_empty();
    for key in rule.json_keys.iter().filter(|key| **key != "hooks") {
        properties.insert((*key).to_owned(), Value::Bool(true));
    }
    for (key, value) in scalars(rule).into_iter().filter(|_| !alone) {
        insert(&mut properties, key, value);
    }
    for key in FAIL_MODE_KEYS.into_iter().filter(|_| !alone) {
        let text = "Crosshook's own: whether an event goes on when a hook of this file fails that does not say it itself.";
        properties.insert(key.to_owned(), fail_mode(text));
    }
    let types = dialect.hook_types.iter().map(|rule| json!({"$ref": format!("#/definitions/{}", rule.name)}));
    let mut types: Vec<Value> = types.collect();
    if !rule.skipped_types.is_empty() {
        types.push(json!({"type": "object", "properties": {"type": {"enum": rule.skipped_types}}, "required": ["type"],
            "description": "The agent knows this type and does not run it."}));
    }
    let mut definitions = Map::new();
    definitions.insert("events".to_owned(), event_map(dialect));
    definitions.insert("groups".to_owned(), groups());
    definitions.insert("hook".to_owned(), json!({"oneOf": types}));
    for rule in dialect.hook_types {
        definitions.insert(rule.name.to_owned(), hook_type(rule));
    }
    let mut schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": format!("Hooks in the settings of {}", dialect.product),
        "description": format!("Made from the tables of the dialect `{}` of Crosshook; do not edit.", dialect.name),
        "type": "object",
        "properties": properties,
        "definitions": definitions,
    });
    if let Some(schema) = schema.as_object_mut().filter(|_| alone) {
        schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

/// ZCode's form: the events beside three scalars.
fn hooks_root(events: &Value) -> Value {
    json!({
        "type": "object",
        "properties": {
            "enabled": {"type": "boolean", "description": "Hooks of settings run only when some trusted file says true."},
            "timeoutMs": positive("The time limit of a hook that has none of its own, in milliseconds."),
            "maxOutputBytes": positive("How much of a hook's output is kept, in bytes."),
            "events": events,
        },
    })
}

/// The dialect's scalars, as paths of keys joined by dots.
fn scalars(rule: &SettingsRule) -> Vec<(&'static str, Value)> {
    let flag = |text: &str| json!({"type": "boolean", "description": text});
    let gate = rule.frontmatter.as_ref().and_then(|rule| rule.gate);
    let found = [
        (rule.disable_key, flag("Switches all hooks off.")),
        (gate, flag("Hooks in the frontmatter of agents and skills count. Only from the user's settings.")),
        (
            rule.keys.private_network,
            flag("HTTP hooks may reach private networks. Not from a project's settings."),
        ),
        (
            rule.keys.http_urls,
            json!({"type": "array", "items": {"type": "string"},
                "description": "Patterns of the URLs that HTTP hooks may reach."}),
        ),
        (
            rule.keys.disabled_hooks,
            json!({"type": "array", "items": {"type": "string"},
                "description": "Hooks that are switched off, by name, or by command when they have none."}),
        ),
        (
            rule.keys.redaction,
            json!({"type": "object", "properties": {
                "enabled": flag("Hooks do not inherit variables that look like secrets."),
                "allowed": {"type": "array", "items": {"type": "string"}},
                "blocked": {"type": "array", "items": {"type": "string"}},
            }}),
        ),
        (
            rule.keys.http_env,
            json!({"type": "array", "items": {"type": "string"},
                "description": "The environment variables that HTTP hooks may use."}),
        ),
        (
            rule.keys.managed.map(|keys| keys.only_managed),
            flag("Only managed hooks run. Only from managed settings."),
        ),
        (
            rule.keys.managed.and_then(|keys| keys.only_plugins),
            json!({"anyOf": [{"type": "boolean"}, {"type": "array"}],
                "description": "Hooks of user, project and local settings do not run. Only from managed settings."}),
        ),
        (
            rule.keys.stop_cap,
            json!({"type": "number", "description": "How often in a row hooks may keep the agent from stopping."}),
        ),
    ];
    let enabling = rule.keys.enabled.iter().map(|key| (*key, flag("false switches all hooks off.")));
    found.into_iter().filter_map(|(key, value)| Some((key?, value))).chain(enabling).collect()
}

/// Inserts a schema at a path of keys joined by dots.
fn insert(properties: &mut Map<String, Value>, path: &str, value: Value) {
    let Some((first, rest)) = path.split_once('.') else {
        properties.insert(path.to_owned(), value);
        return;
    };
    let outer = properties.entry(first).or_insert_with(|| json!({"type": "object", "properties": {}}));
    if let Some(inner) = outer.get_mut("properties").and_then(Value::as_object_mut) {
        insert(inner, rest, value);
    }
}

fn event_map(dialect: &Dialect) -> Value {
    let mut properties = Map::new();
    for event in dialect.events {
        let matched = match event.target {
            Target::Nothing => "Always: a matcher is ignored.".to_owned(),
            Target::Tool => "A matcher looks at the tool's name.".to_owned(),
            Target::Field(field) => format!("A matcher looks at `{field}`."),
            Target::FileName(field) => format!("A matcher looks at the file name in `{field}`."),
        };
        properties.insert(
            event.name.to_owned(),
            json!({"allOf": [{"$ref": "#/definitions/groups"}], "description": matched}),
        );
    }
    // What the agent does not read any more makes a finding.
    let current = dialect.settings.reserved_moved_to.is_none();
    for key in dialect.settings.reserved.iter().filter(|_| current) {
        properties.insert((*key).to_owned(), Value::Bool(true));
    }
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

fn groups() -> Value {
    let mut properties = Map::new();
    let matcher = json!({"type": ["string", "null"], "description": "What the hooks of this group are for; none is all."});
    insert(&mut properties, "matcher", matcher);
    let hooks = json!({"type": "array", "items": {"$ref": "#/definitions/hook"}});
    insert(&mut properties, "hooks", hooks);
    for key in FAIL_MODE_KEYS {
        let text = "Crosshook's own: whether an event goes on when a hook of this group fails that does not say it itself.";
        insert(&mut properties, key, fail_mode(text));
    }
    let group = json!({"type": "object", "properties": properties, "required": ["hooks"]});
    json!({"type": "array", "items": group})
}

fn hook_type(rule: &TypeRule) -> Value {
    let mut properties = Map::new();
    for key in COMMON_KEYS.iter().chain(rule.keys) {
        properties.insert((*key).to_owned(), of_key(rule, key));
    }
    if worker::counts_on(rule) {
        properties.insert(worker::KEY.to_owned(), worker::schema());
    }
    properties.insert("type".to_owned(), json!({"const": rule.name}));
    let required: Vec<&str> = std::iter::once("type")
        .chain(rule.keys.iter().copied().filter(|key| REQUIRED.contains(key)))
        .collect();
    let mut schema = json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    if rule.timeout.unit == TimeUnit::Nothing
        && let Some(map) = schema.as_object_mut()
    {
        // A `timeout` that has no effect does no harm beside the key that has one.
        let none = json!({"properties": {"timeout": {"const": null}}});
        map.insert("anyOf".to_owned(), json!([{"required": ["timeoutMs"]}, none]));
    }
    schema
}

/// The keys without which a hook of a type that has them cannot run.
const REQUIRED: [&str; 5] = ["command", "url", "prompt", "server", "tool"];

/// The schema of one key of a hook.
fn of_key(rule: &TypeRule, key: &str) -> Value {
    let text = |description: &str| json!({"type": ["string", "null"], "description": description});
    let flag = |description: &str| json!({"type": ["boolean", "null"], "description": description});
    match key {
        "command" if rule.name == "process" => filled("The program to run, without a shell."),
        "command" => filled("The line for the shell."),
        "url" => filled("Where the event is sent."),
        "server" => filled("The MCP server, as the host knows it."),
        "tool" => filled("The tool of that server."),
        "input" => json!({"type": ["object", "null"],
            "description": "What the tool is called with; `${path.into.event}` stands for a value of the event."}),
        "if" => text("A permission rule, as in `Bash(git *)`, that the tool call must match."),
        "asyncRewake" => flag("In the background; exit code 2 wakes the model."),
        "prompt" => filled("What the model is asked; `$ARGUMENTS` stands for the event."),
        "additionalContextLimit" => json!({"type": ["number", "null"], "minimum": 0, "multipleOf": 1,
            "description": "How many tokens of the hook's context the model gets; 0 is all."}),
        "args" => {
            json!({"type": "array", "items": {"type": "string"}, "description": "The program's arguments."})
        }
        "name" => text("What the hook is called."),
        "description" => json!({"description": "What the hook is for."}),
        "statusMessage" => text("What is shown while the hook runs."),
        "model" => text("The model that answers."),
        "agentType" => text("The agent that answers."),
        "failMode" | "fail_mode" => fail_mode("Whether the event goes on when the hook itself fails."),
        "async" => flag("The hook is started and not waited for."),
        "once" => flag("The hook runs once a session."),
        "enabled" => flag("false: the hook does not run."),
        "continueOnBlock" => flag("An objection keeps the agent working."),
        "timeout" => timeout(rule),
        "timeoutMs" => positive("The time limit in milliseconds."),
        "env" => json!({"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]},
            "description": "Variables for the hook."}),
        "shell" => json!({"anyOf": [{"const": true},
                {"type": "string", "minLength": 1, "not": {"const": "powershell"}}],
            "description": "The shell's program."}),
        _ => Value::Bool(true),
    }
}

fn fail_mode(description: &str) -> Value {
    json!({"enum": ["open", "closed", null], "description": description})
}

fn timeout(rule: &TypeRule) -> Value {
    match rule.timeout.unit {
        TimeUnit::Nothing => json!({"description": "Has no effect here; write `timeoutMs`."}),
        TimeUnit::Seconds => seconds(rule),
        TimeUnit::WholeSeconds => json!({"type": ["number", "null"], "minimum": 0, "multipleOf": 1,
            "description": format!("The time limit in whole seconds; {} when left out.", rule.timeout.default.as_secs())}),
        TimeUnit::Millis => json!({"type": ["number", "null"], "exclusiveMinimum": 0,
            "description": format!("The time limit in milliseconds; {} when left out.", rule.timeout.default.as_millis())}),
    }
}

fn seconds(rule: &TypeRule) -> Value {
    let mut schema = json!({"type": ["number", "null"], "exclusiveMinimum": 0,
        "description": format!("The time limit in seconds; {} when left out.", rule.timeout.default.as_secs())});
    if let (Some(from), Some(map)) = (rule.timeout.millis_from, schema.as_object_mut()) {
        // That much is taken for milliseconds, with a warning.
        map.insert("exclusiveMaximum".to_owned(), json!(from));
    }
    schema
}

fn positive(description: &str) -> Value {
    json!({"type": "number", "exclusiveMinimum": 0, "description": description})
}

fn filled(description: &str) -> Value {
    json!({"type": "string", "minLength": 1, "description": description})
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::dialect::{self, Effect, Target};

    /// The schema of events is written by hand; what the tables know of events holds in it.
    #[test]
    fn the_schema_of_events_agrees_with_the_tables() {
        let schema: Value = serde_json::from_str(include_str!("../../schema/event.schema.json")).unwrap();
        let definitions = &schema["definitions"];
        let mut seen = std::collections::BTreeSet::new();
        // The agent that does not exist is not published.
        let published = dialect::names().into_iter().filter(|name| *name != "invented");
        for dialect in published.filter_map(dialect::by_name) {
            for event in dialect.events {
                let (name, found) = (event.name, &definitions[event.name]);
                seen.insert(name);
                assert!(found.is_object(), "{}: {name} is missing", dialect.name);
                let decisions = if event.effect == Effect::Permission { "permission" } else { "block" };
                assert_eq!(found["x-decisions"], decisions, "{}, {name}", dialect.name);
                let target = match event.target {
                    Target::Nothing => continue,
                    Target::Tool => "tool_name",
                    Target::Field(field) | Target::FileName(field) => field,
                };
                let shared = ["common", "tool_call"].map(|base| &definitions[base]["properties"][target]);
                let inherits = |at: usize| {
                    let base = ["#/definitions/common", "#/definitions/tool_call"][at];
                    found["allOf"].as_array().unwrap().iter().any(|part| part["$ref"] == base)
                };
                let known = found["properties"][target].is_object()
                    || (0..2).any(|at| inherits(at) && shared[at].is_object());
                assert!(known, "{}: a matcher of {name} looks at `{target}`, which is missing", dialect.name);
            }
        }
        assert_eq!(
            schema["oneOf"].as_array().unwrap().len(),
            seen.len(),
            "there are events that no dialect has"
        );
    }
}
