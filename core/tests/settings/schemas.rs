//! The published schemas say what `check` says.

use std::collections::BTreeSet;

use crosshook::{Code, Diagnostic, Engine, Options, Scope, settings_schema};
use serde_json::{Value, json};

use crate::support::workspace;

fn committed(dialect: &str) -> std::path::PathBuf {
    workspace().join(format!("core/schema/{dialect}.schema.json"))
}

/// With `CROSSHOOK_BLESS=1` in the environment the files are written instead.
#[test]
fn the_committed_schemas_are_those_of_the_tables() {
    let bless = std::env::var_os("CROSSHOOK_BLESS").is_some_and(|value| value == "1");
    for dialect in crosshook::dialect_names() {
        let path = committed(dialect);
        let fresh = settings_schema(dialect).unwrap();
        if bless {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &fresh).unwrap();
        }
        let known = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(known == fresh, "{} is stale; run the tests with CROSSHOOK_BLESS=1", path.display());
    }
    let unknown = settings_schema("pascal").unwrap_err();
    assert_eq!(unknown.kind(), crosshook::ErrorKind::InvalidOptions);
    assert_eq!(
        unknown.message(),
        "there is no dialect \"pascal\"; it is one of codebuddy, zcode, qwen, claude, codex, gemini"
    );
}

/// What a schema can tell of a settings object: the findings that are about its form.
const OF_FORM: [Code; 9] = [
    Code::UnknownEvent,
    Code::InvalidDefinition,
    Code::InvalidHook,
    Code::UnknownHookType,
    Code::WrongType,
    Code::IgnoredKey,
    Code::TimeoutIgnored,
    Code::TimeoutLegacyMs,
    Code::InvalidSettings,
];

/// A matcher of a wrong type; whether a text is a pattern, no schema can tell.
fn is_no_text(found: &Diagnostic) -> bool {
    found.code == Code::InvalidMatcher && found.message.contains("not a string")
}

fn findings(dialect: &str, settings: &Value) -> Vec<Code> {
    let options = Options::new(dialect).settings_text(Some(Scope::User), settings.to_string());
    match Engine::new(options) {
        Ok(engine) => engine
            .diagnostics()
            .iter()
            .filter(|found| OF_FORM.contains(&found.code) || is_no_text(found))
            .map(|found| found.code)
            .collect(),
        Err(_) => vec![Code::InvalidSettings],
    }
}

fn vectors(dialect: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(workspace().join(format!("tests/vectors/{dialect}.jsonl"))).unwrap();
    text.split('\n')
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn schema_and_check_agree_on_the_settings_of_every_vector() {
    for dialect in crosshook::dialect_names() {
        let schema: Value = serde_json::from_str(&settings_schema(dialect).unwrap()).unwrap();
        let mut good = 0;
        for vector in vectors(dialect) {
            for source in vector["sources"].as_array().unwrap() {
                if source["scope"] == "plugin" {
                    continue;
                }
                let found = findings(dialect, &source["settings"]);
                let faults = faults(&schema, &schema, &source["settings"], "");
                assert_eq!(found.is_empty(), faults.is_empty(), "{}: {found:?} {faults:#?}", vector["id"]);
                good += usize::from(found.is_empty());
            }
        }
        assert!(good > 20, "{dialect}: {good} good ones say too little");
    }
}

#[test]
fn schema_and_check_agree_on_every_kind_of_mistake() {
    let command = json!({"type": "command", "command": "x"});
    for dialect in crosshook::dialect_names() {
        let schema: Value = serde_json::from_str(&settings_schema(dialect).unwrap()).unwrap();
        let settings = |groups: Value| match dialect {
            "zcode" => json!({"hooks": {"enabled": true, "events": {"Stop": groups}}}),
            "gemini" => json!({"hooks": {"AfterAgent": groups}}),
            _ => json!({"hooks": {"Stop": groups}}),
        };
        let with = |key: &str, value: Value| {
            let mut hook = command.clone();
            hook[key] = value;
            settings(json!([{"hooks": [hook]}]))
        };
        // A key that the dialect does not read makes a finding.
        let reads = |key: &str| settings_schema(dialect).unwrap().contains(&format!("\"{key}\": {{"));
        let mut fine = vec![
            json!({}),
            settings(json!([])),
            settings(json!([{"matcher": "*", "sequential": true, "hooks": [command.clone()]}])),
            with("timeout", json!(30)),
            with("timeout", json!(null)),
            with("failMode", json!("closed")),
        ];
        let alone =
            settings_schema(dialect).unwrap().contains("\"additionalProperties\": false,\n  \"definitions\"");
        fine.extend((!alone).then(|| json!({"model": "m", "hooks": {}})));
        fine.extend(reads("shell").then(|| with("shell", json!("bash"))));
        fine.extend(reads("async").then(|| with("async", json!(true))));
        let wrong = [
            settings(json!({})),
            settings(json!([{}])),
            settings(json!([{"hooks": {}}])),
            settings(json!([{"hooks": ["x"]}])),
            settings(json!([{"hooks": [{}]}])),
            settings(json!([{"hooks": [{"type": "unheard"}]}])),
            with("type", json!(7)),
            with("command", json!("")),
            with("command", json!(null)),
            with("timeout", json!(-1)),
            with("timeout", json!("5")),
            with("failMode", json!("maybe")),
            with("async", json!("yes")),
            with("name", json!(1)),
            with("shell", json!("powershell")),
            with("shell", json!(5)),
            with("comand", json!("x")),
            json!([]),
        ];
        for (settings, valid) in
            fine.iter().map(|one| (one, true)).chain(wrong.iter().map(|one| (one, false)))
        {
            let found = findings(dialect, settings);
            let faults = faults(&schema, &schema, settings, "");
            assert_eq!(
                (found.is_empty(), faults.is_empty()),
                (valid, valid),
                "{dialect} {settings}: {found:?} {faults:?}"
            );
        }
    }
}

/// Hosts write ZCode's events in camelCase, too: those are not described.
#[test]
fn the_events_of_every_vector_fit_their_schema() {
    let text = std::fs::read_to_string(workspace().join("core/schema/event.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    let mut good = 0;
    for vector in crosshook::dialect_names().into_iter().flat_map(vectors) {
        let event = &vector["event"];
        let Some(name) = event["hook_event_name"].as_str() else { continue };
        let Some(own) = schema["definitions"].get(name) else { continue };
        let faults = faults(&schema, own, event, "");
        assert!(faults.is_empty(), "{}: {faults:?}", vector["id"]);
        good += 1;
    }
    assert!(good > 500, "{good} events say too little");
    let nameless = json!({"hook_event_name": "PreToolUse", "tool_input": {}});
    let found = faults(&schema, &schema["definitions"]["PreToolUse"], &nameless, "");
    assert!(found.iter().any(|fault| fault.contains("tool_name")), "{found:?}");
}

/// The keywords of JSON Schema that the schemas use, and no other: an unknown one fails the test.
fn faults(root: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let Some(rules) = schema.as_object() else {
        return if schema == &json!(true) { vec![] } else { vec![format!("{at}: nothing is allowed")] };
    };
    let mut found = Vec::new();
    let mut fault = |text: String| found.push(format!("{at}: {text}"));
    let tried = |schema: &Value| faults(root, schema, value, at).is_empty();
    let mut inner = Vec::new();
    for (keyword, rule) in rules {
        match keyword.as_str() {
            "$schema" | "title" | "description" | "definitions" | "x-decisions" => {}
            "$ref" => {
                let target = root.pointer(rule.as_str().unwrap().strip_prefix('#').unwrap()).unwrap();
                inner.extend(faults(root, target, value, at));
            }
            "type" => {
                let names: BTreeSet<&str> = match rule {
                    Value::Array(names) => names.iter().map(|name| name.as_str().unwrap()).collect(),
                    name => BTreeSet::from([name.as_str().unwrap()]),
                };
                if !names.contains(kind(value)) {
                    fault(format!("{} is none of {names:?}", kind(value)));
                }
            }
            "const" if value != rule => fault(format!("it is not {rule}")),
            "enum" if !rule.as_array().unwrap().contains(value) => fault(format!("it is none of {rule}")),
            "const" | "enum" => {}
            "minLength" => {
                if value.as_str().is_some_and(|text| (text.chars().count() as u64) < rule.as_u64().unwrap()) {
                    fault("it is too short".into());
                }
            }
            "minimum" if value.as_f64().is_some_and(|number| number < rule.as_f64().unwrap()) => {
                fault("it is too small".into());
            }
            "multipleOf" if value.as_f64().is_some_and(|number| number % rule.as_f64().unwrap() != 0.0) => {
                fault("it is no multiple".into());
            }
            "minimum" | "multipleOf" => {}
            "exclusiveMinimum" if value.as_f64().is_some_and(|number| number <= rule.as_f64().unwrap()) => {
                fault("it is too small".into());
            }
            "exclusiveMaximum" if value.as_f64().is_some_and(|number| number >= rule.as_f64().unwrap()) => {
                fault("it is too large".into());
            }
            "exclusiveMinimum" | "exclusiveMaximum" => {}
            "not" if tried(rule) => fault("it must not be that".into()),
            "not" => {}
            "anyOf" | "oneOf" | "allOf" => {
                let all = rule.as_array().unwrap();
                let fitting = all.iter().filter(|schema| tried(schema)).count();
                let fits = match keyword.as_str() {
                    "anyOf" => fitting > 0,
                    "oneOf" => fitting == 1,
                    _ => fitting == all.len(),
                };
                if !fits {
                    let why: Vec<_> = all.iter().flat_map(|schema| faults(root, schema, value, at)).collect();
                    fault(format!("{fitting} of {keyword} fit: {why:?}"));
                }
            }
            "required" => {
                for key in rule.as_array().unwrap() {
                    if value.as_object().is_some_and(|object| !object.contains_key(key.as_str().unwrap())) {
                        fault(format!("{key} is missing"));
                    }
                }
            }
            "properties" => {
                for (key, schema) in rule.as_object().unwrap() {
                    if let Some(value) = value.get(key) {
                        inner.extend(faults(root, schema, value, &format!("{at}/{key}")));
                    }
                }
            }
            "additionalProperties" => {
                let known = rules.get("properties").and_then(Value::as_object);
                for (key, value) in value.as_object().into_iter().flatten() {
                    if !known.is_some_and(|known| known.contains_key(key)) {
                        inner.extend(faults(root, rule, value, &format!("{at}/{key}")));
                    }
                }
            }
            "items" => {
                for (index, value) in value.as_array().into_iter().flatten().enumerate() {
                    inner.extend(faults(root, rule, value, &format!("{at}/{index}")));
                }
            }
            other => panic!("the schema uses `{other}`, which this test does not know"),
        }
    }
    found.extend(inner);
    found
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
