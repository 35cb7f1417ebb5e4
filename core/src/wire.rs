//! What is wrong with an object that a host gave, in words: which value it is, what it is, and what it must be. A host in
//! Python or JavaScript has never seen the JSON text, so a line and column of it would tell nothing.

use serde::Deserialize;
use serde_json::Value;

use crate::error::Place;

/// Reads `text`, or says what is wrong and where.
pub(crate) fn read<'a, T: Deserialize<'a>>(
    text: &'a str,
    attempt: impl Fn(&str) -> Option<serde_json::Error>,
) -> Result<T, (String, Place)> {
    serde_json::from_str(text).map_err(|error| describe(text, &error, attempt))
}

/// A function for [`read`] that tries another text as the same type.
macro_rules! attempt {
    ($type:ty) => {
        |text: &str| serde_json::from_str::<$type>(text).err()
    };
}
pub(crate) use attempt;

fn describe(
    text: &str,
    error: &serde_json::Error,
    attempt: impl Fn(&str) -> Option<serde_json::Error>,
) -> (String, Place) {
    let in_text = || (error.to_string(), Place { line: Some(error.line()), ..Place::default() });
    if !error.is_data() {
        return in_text();
    }
    let Ok(mut root) = serde_json::from_str::<Value>(text) else { return in_text() };
    let attempt = |value: &Value| attempt(&value.to_string()).map(|error| bare(&error));
    let Some(fault) = attempt(&root) else { return in_text() };
    let mut pointer = String::new();
    let mut name = String::new();
    while let Some((key, step)) = guilty(&mut root, &pointer, &fault, &attempt) {
        pointer = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
        name.push_str(&step);
    }
    let value = root.pointer(&pointer).map_or("nothing", kind);
    let message = words(&fault, name.trim_start_matches('.'), value);
    (message, Place { pointer: Some(pointer).filter(|pointer| !pointer.is_empty()), ..Place::default() })
}

/// The member or item of the value at `pointer` that the fault is about, and how a name goes on with it: the first one up to
/// which the value has to be kept for the fault to be there. What follows it is dropped.
fn guilty(
    root: &mut Value,
    pointer: &str,
    fault: &str,
    attempt: &impl Fn(&Value) -> Option<String>,
) -> Option<(String, String)> {
    let whole = root.pointer(pointer)?.clone();
    let mut kept = match &whole {
        Value::Object(_) => Value::Object(serde_json::Map::new()),
        Value::Array(_) => Value::Array(Vec::new()),
        _ => return None,
    };
    let members: Vec<(Option<String>, Value)> = match &whole {
        Value::Object(map) => map.iter().map(|(key, value)| (Some(key.clone()), value.clone())).collect(),
        Value::Array(items) => items.iter().map(|item| (None, item.clone())).collect(),
        _ => return None,
    };
    let mut has_fault = |kept: &Value| {
        if let Some(slot) = root.pointer_mut(pointer) {
            *slot = kept.clone();
        }
        attempt(root).as_deref() == Some(fault)
    };
    let of_itself = has_fault(&kept);
    for (index, (key, value)) in members.into_iter().enumerate().filter(|_| !of_itself) {
        // A field is missing in an object, and not in its members.
        let may_be = !fault.starts_with("missing field") || value.is_object() || value.is_array();
        let found = match (&key, &mut kept) {
            (Some(key), Value::Object(map)) => {
                map.insert(key.clone(), value);
                (key.clone(), format!(".{key}"))
            }
            (None, Value::Array(items)) => {
                items.push(value);
                (index.to_string(), format!("[{index}]"))
            }
            _ => return None,
        };
        if has_fault(&kept) && may_be {
            return Some(found);
        }
    }
    has_fault(&whole);
    None
}

/// The message without the place in a text that nobody has seen.
fn bare(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&end).map_or_else(|| text.clone(), str::to_owned)
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn words(fault: &str, name: &str, value: &str) -> String {
    let known = ["invalid type: ", "invalid value: "].into_iter().find_map(|start| fault.strip_prefix(start));
    if let Some((_, expected)) = known.and_then(|rest| rest.split_once(", expected "))
        && !name.is_empty()
    {
        return format!("`{name}` is {value}, it must be {}", wanted(expected));
    }
    if let Some((given, expected)) =
        fault.strip_prefix("unknown variant `").and_then(|rest| rest.split_once("`, expected "))
    {
        // Where the variant is a key, it is the last step of the name.
        return match name.strip_suffix(given).and_then(|rest| rest.strip_suffix('.')) {
            Some(outer) => format!("`{outer}` has the key `{given}`, it must be {expected}"),
            None => format!("`{name}` is \"{given}\", it must be {expected}"),
        };
    }
    if let Some(missing) = fault.strip_prefix("missing field ") {
        let place = if name.is_empty() { String::new() } else { format!(" in `{name}`") };
        return format!("{missing} is missing{place}");
    }
    if name.is_empty() || fault.starts_with("unknown field") {
        return fault.to_owned();
    }
    format!("`{name}` is {value}: {fault}")
}

/// What a type is called where people write it.
fn wanted(expected: &str) -> &str {
    match expected {
        "a boolean" => "true or false",
        "path string" => "a path, as a string",
        "a map" => "an object",
        "a sequence" => "a list",
        "u64" | "u32" | "u16" | "usize" => "a whole number that is not negative",
        "f64" => "a number",
        other if other.starts_with("struct ") => "an object",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code, reason = "only read")]
    struct Sample {
        name: String,
        on: Option<bool>,
        env: Option<BTreeMap<String, String>>,
        many: Option<Vec<Inner>>,
        limit: Option<u64>,
    }

    #[derive(Debug, Deserialize)]
    #[allow(dead_code, reason = "only read")]
    struct Inner {
        path: String,
        deep: bool,
    }

    fn fault(text: &str) -> (String, Option<String>) {
        let (message, place) = read::<Sample>(text, attempt!(Sample)).unwrap_err();
        (message, place.pointer)
    }

    #[test]
    fn the_value_is_named_and_what_it_must_be() {
        for (text, message, pointer) in [
            (r#"{"name":"n","on":3}"#, "`on` is a number, it must be true or false", "/on"),
            (r#"{"on":[true],"name":"n"}"#, "`on` is a list, it must be true or false", "/on"),
            (
                r#"{"name":"n","env":{"A":"a","B":1,"C":"c"}}"#,
                "`env.B` is a number, it must be a string",
                "/env/B",
            ),
            (r#"{"name":"n","env":{"A":1,"B":2}}"#, "`env.A` is a number, it must be a string", "/env/A"),
            (r#"{"name":"n","env":{"a/b":1}}"#, "`env.a/b` is a number, it must be a string", "/env/a~1b"),
            (
                r#"{"name":"n","many":[{"path":"p","deep":true},{"path":"p","deep":"yes"}]}"#,
                "`many[1].deep` is a string, it must be true or false",
                "/many/1/deep",
            ),
            (r#"{"name":"n","many":{}}"#, "`many` is an object, it must be a list", "/many"),
            (r#"{"name":"n","many":[{"path":"p"}]}"#, "`deep` is missing in `many[0]`", "/many/0"),
            (
                r#"{"name":"n","limit":-1}"#,
                "`limit` is a number, it must be a whole number that is not negative",
                "/limit",
            ),
        ] {
            assert_eq!(fault(text), (message.to_owned(), Some(pointer.to_owned())), "{text}");
        }
        assert_eq!(fault("{}"), ("`name` is missing".to_owned(), None));
        assert!(fault(r#"{"name":"n","nmae":1}"#).0.starts_with("unknown field `nmae`, expected one of"));
    }

    #[test]
    fn what_is_no_json_has_a_line() {
        let (message, place) = read::<Sample>("{\n\"name\": }", attempt!(Sample)).unwrap_err();
        assert_eq!((place.line, place.pointer), (Some(2), None));
        assert!(message.contains("line 2"), "{message}");
    }
}
