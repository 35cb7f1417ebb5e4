//! The most memory that one dispatch needs.

use std::error::Error;

use crosshook::Engine;

use crate::{Figures, expect};

/// Peak resident memory while one event is read and dispatched, above what was resident before, in multiples of the
/// event's size. Wants a process that has not had a large event before.
pub fn most(engine: &Engine, event: &str) -> Figures {
    let small = r#"{"hook_event_name": "PreToolUse", "cwd": "/", "tool_name": "Write", "tool_input": {}}"#;
    expect(&engine.dispatch_blocking(small)?, "ok")?;
    std::fs::write("/proc/self/clear_refs", "5")?;
    let before = kilobytes("VmRSS:")?;
    let event = std::fs::read(event)?;
    let bytes = event.len();
    expect(&engine.dispatch_blocking(event)?, "ok")?;
    let most = kilobytes("VmHWM:")?;
    Ok(vec![(most - before) * 1024.0 / bytes as f64])
}

fn kilobytes(key: &str) -> Result<f64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line =
        status.lines().find(|line| line.starts_with(key)).ok_or("no such line in /proc/self/status")?;
    Ok(line.split_whitespace().nth(1).ok_or("no figure in /proc/self/status")?.parse()?)
}
