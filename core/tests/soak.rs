//! Many dispatches, and many engines: no memory, descriptor, thread or child is left behind.
//!
//! Alone in its program, so that nothing else in the process counts. `CROSSHOOK_SOAK` is the number of dispatches
//! (default 2,000), of which half run a hook and half match none.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod support;

use crosshook::{Decision, Engine, Options};
use std::time::Instant;
use support::{block_on, wait_until};

fn engine() -> Engine {
    let settings =
        r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"exit 2"}]}]}}"#;
    Engine::new(Options::new("codebuddy").settings_text(None, settings)).unwrap()
}

fn event(tool: &str) -> String {
    format!(
        r#"{{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_name":"{tool}","tool_input":{{}}}}"#
    )
}

fn dispatches(engine: &Engine, times: usize) {
    let (denied, other) = (event("Bash"), event("Read"));
    for _ in 0..times / 4 {
        assert_eq!(engine.dispatch_blocking(denied.as_str()).unwrap().decision, Decision::Deny);
        assert_eq!(engine.dispatch_blocking(other.as_str()).unwrap().decision, Decision::None);
        assert_eq!(block_on(engine.dispatch(denied.as_str())).unwrap().decision, Decision::Deny);
        assert_eq!(block_on(engine.dispatch(other.as_str())).unwrap().decision, Decision::None);
    }
}

fn engines(times: usize) {
    for n in 0..times {
        let engine = engine();
        if n % 10 == 0 {
            assert_eq!(engine.dispatch_blocking(event("Bash")).unwrap().decision, Decision::Deny);
        }
    }
}

/// Resident memory in KiB.
fn resident() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

fn count(what: &str) -> usize {
    std::fs::read_dir(format!("/proc/self/{what}")).unwrap().count()
}

fn children() -> Vec<String> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
}

#[test]
fn nothing_is_left_behind() {
    let times = std::env::var("CROSSHOOK_SOAK").map_or(2_000, |text| text.parse().unwrap());
    let one = engine();
    dispatches(&one, 800);
    engines(100);
    let (before, descriptors, threads) = (resident(), count("fd"), count("task"));
    let began = Instant::now();
    dispatches(&one, times);
    let took = began.elapsed();
    engines(1_000.min(times / 2));
    let grown = resident() - before;
    println!("{times} dispatches in {took:.1?}, {grown} KiB more resident than before");
    assert!(grown < 1024, "{grown} KiB more than before");
    wait_until(|| count("fd") <= descriptors && count("task") <= threads);
    assert_eq!(children(), [""; 0]);
}
