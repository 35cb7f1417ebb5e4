//! The key `worker` of a hook that starts a program: Crosshook's own addition to every dialect.

use std::time::Duration;

use serde_json::json;

use super::entry::Entry;
use super::tree::{Node, Value};
use crate::diagnostic::Code;
use crate::dialect::{Dialect, TypeRule};
use crate::hook::{Action, WorkerRule};

pub(super) const KEY: &str = "worker";

/// The members of its object, in either spelling.
const MEMBERS: [[&str; 2]; 3] =
    [["maxConcurrent", "max_concurrent"], ["idleSeconds", "idle_seconds"], ["queue", "queue"]];
const MOST_CONCURRENT: f64 = 64.0;
const LONGEST_IDLE: f64 = 7.0 * 24.0 * 3600.0;
const LONGEST_QUEUE: f64 = 10_000.0;
const USUAL_IDLE: Duration = Duration::from_secs(300);
const USUAL_QUEUE: usize = 64;

/// Whether hooks of this type start a program.
pub(super) fn counts_on(rule: &TypeRule) -> bool {
    matches!(rule.name, "command" | "process")
}

/// Reads the key's value; `None`: no worker. What is not usable is named, and the usual value applies.
pub(super) fn read(node: &Node) -> (Option<WorkerRule>, Vec<(Code, String)>) {
    let usual = WorkerRule { key: String::new(), max_concurrent: 1, idle: USUAL_IDLE, queue: USUAL_QUEUE };
    let mut faults = Vec::new();
    match &node.value {
        Value::Bool(false) | Value::Null => (None, faults),
        Value::Bool(true) => (Some(usual), faults),
        Value::Object(_) => {
            let rule = members(node, usual, &mut faults);
            (Some(rule), faults)
        }
        _ => {
            let text = format!("`{KEY}` is {}, not true, false or an object; it is ignored", node.words());
            faults.push((Code::WrongType, text));
            (None, faults)
        }
    }
}

fn members(node: &Node, mut rule: WorkerRule, faults: &mut Vec<(Code, String)>) -> WorkerRule {
    for (key, value) in node.as_object().unwrap_or_default() {
        let Some([name, _]) = MEMBERS.iter().find(|names| names.contains(&key.as_str())) else {
            faults.push((Code::IgnoredKey, format!("`{KEY}.{key}` means nothing; it is ignored")));
            continue;
        };
        let (least, most, whole) = match *name {
            "maxConcurrent" => (1.0, MOST_CONCURRENT, true),
            "idleSeconds" => (0.001, LONGEST_IDLE, false),
            _ => (0.0, LONGEST_QUEUE, true),
        };
        let number = match value.value {
            Value::Number(number)
                if number >= least && number <= most && (!whole || number.fract() == 0.0) =>
            {
                number
            }
            _ => {
                let kind = if whole { "a whole number" } else { "a number" };
                let text = format!(
                    "`{KEY}.{key}` is {} that is not {kind} from {least} to {most}; the usual value applies",
                    value.words()
                );
                faults.push((Code::WrongType, text));
                continue;
            }
        };
        match *name {
            // A float to integer cast saturates.
            "maxConcurrent" => rule.max_concurrent = number as usize,
            "idleSeconds" => rule.idle = Duration::try_from_secs_f64(number).unwrap_or(USUAL_IDLE),
            _ => rule.queue = number as usize,
        }
    }
    rule
}

/// The rule with its key: hooks that would start the same program in the same way share their workers, whatever their
/// event.
pub(super) fn keyed(mut rule: WorkerRule, dialect: &Dialect, entry: &Entry) -> WorkerRule {
    let program = match &entry.action {
        Action::Command { line, shell } => json!([line, shell]),
        Action::Process { program, args } => json!([program, args, 0]),
        _ => json!(null),
    };
    let bounds = json!([rule.max_concurrent, rule.idle.as_millis() as u64, rule.queue]);
    rule.key = json!([dialect.name, program, entry.env, bounds]).to_string();
    rule
}

/// The schema of the key.
pub(super) fn schema() -> serde_json::Value {
    let whole = |least: f64, most: f64, text: &str| json!({"type": "number", "minimum": least, "maximum": most, "multipleOf": 1, "description": text});
    let concurrent =
        whole(1.0, MOST_CONCURRENT, "How many events are asked about at the same time; 1 when left out.");
    let idle = json!({"type": "number", "minimum": 0.001, "maximum": LONGEST_IDLE,
        "description": format!("A worker that is asked nothing for so many seconds ends; {} when left out.", USUAL_IDLE.as_secs())});
    let queue = whole(0.0, LONGEST_QUEUE, "How many more events may wait for their turn; 64 when left out.");
    let mut members = serde_json::Map::new();
    for (names, schema) in MEMBERS.iter().zip([concurrent, idle, queue]) {
        for name in names {
            members.insert((*name).to_owned(), schema.clone());
        }
    }
    json!({
        "anyOf": [
            {"type": ["boolean", "null"]},
            {"type": "object", "properties": members, "additionalProperties": false},
        ],
        "description": "Crosshook's own: the command is started once and answers each event, a line of JSON, with a line.",
    })
}
