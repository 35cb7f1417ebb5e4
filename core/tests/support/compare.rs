//! The comparison rules of the vectors (design, section 6).

use serde_json::Value;

/// These are compared as a whole.
const WHOLE: [&str; 3] = ["updated_input", "updated_output", "updated_permissions"];

/// A line for each place where `got` does not hold what `want` asks.
pub(crate) fn differences(want: &Value, got: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare(want, got, "", "", &mut found);
    found
}

fn compare(want: &Value, got: &Value, key: &str, path: &str, found: &mut Vec<String>) {
    match (want, got) {
        _ if WHOLE.contains(&key) => {
            if want != got {
                found.push(format!("{path}: want {want}, got {got}"));
            }
        }
        (Value::Array(want), Value::Array(got)) if key == "diagnostics" => {
            if want.is_empty() && !got.is_empty() {
                found.push(format!("{path}: want none, got {got:?}"));
            }
            for item in want {
                if !got.iter().any(|candidate| differences(item, candidate).is_empty()) {
                    found.push(format!("{path}: nothing like {item} in {got:?}"));
                }
            }
        }
        (Value::Object(want), Value::Object(got)) => {
            for (key, value) in want {
                let path = format!("{path}/{key}");
                match got.get(key) {
                    Some(got) => compare(value, got, key, &path, found),
                    None => found.push(format!("{path}: missing")),
                }
            }
        }
        (Value::Array(want), Value::Array(got)) if want.len() == got.len() => {
            for (index, (want, got)) in want.iter().zip(got).enumerate() {
                compare(want, got, "", &format!("{path}/{index}"), found);
            }
        }
        _ if want == got => {}
        _ => found.push(format!("{path}: want {want}, got {got}")),
    }
}
