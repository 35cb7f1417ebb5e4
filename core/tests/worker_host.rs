//! Workers in hosts that fork, shut down, or are gone all of a sudden. Each in a process of its own.

#![allow(
    unsafe_code,
    clippy::print_stdout,
    clippy::undocumented_unsafe_blocks,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
#![cfg(unix)]

#[path = "support/process.rs"]
mod common;
mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::{assert_alone, each_alone, fork};
use crosshook::{Engine, Options, runtime};
use serde_json::json;
use support::{TempDir, gone, wait_until};

const EVENT: &str =
    r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/","tool_name":"Read","tool_input":{}}"#;

/// A worker that says which process it is, and how often it was asked.
fn engine(dir: &TempDir) -> Engine {
    let ends = dir.path().join("ends");
    let script = format!(
        "n=0; while IFS= read -r line; do n=$((n+1)); echo \"{{\\\"systemMessage\\\":\\\"$$ $n\\\",\\\"crosshook\\\":{{\\\"id\\\":$n}}}}\"; done; echo $$ >> '{}'",
        ends.display()
    );
    let path = dir.file("worker.sh", script);
    let command = format!("sh '{}'", path.display());
    let hook = json!({"type": "command", "command": command, "worker": true, "timeout": 60});
    let settings = json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}}).to_string();
    Engine::new(Options::new("claude").settings_text(None, settings)).unwrap()
}

/// The worker's process, and its count.
fn ask(engine: &Engine) -> (String, u64) {
    let outcome = engine.dispatch_blocking(EVENT).unwrap();
    let said = outcome.system_messages.first().unwrap_or_else(|| panic!("{outcome:?}"));
    let (pid, count) = said.split_once(' ').unwrap();
    (pid.to_owned(), count.parse().unwrap())
}

each_alone! {
    a_forked_child_has_workers_of_its_own => fork_alone {
        let dir = TempDir::new();
        let engine = engine(&dir);
        let (pid, _) = ask(&engine);
        let stop = Arc::new(AtomicBool::new(false));
        // Another engine, whose worker is asked all the time.
        let (other_dir, stopped) = (TempDir::new(), stop.clone());
        let busy = std::thread::spawn(move || {
            let engine = self::engine(&other_dir);
            let (pid, _) = ask(&engine);
            while !stopped.load(Ordering::Relaxed) {
                assert_eq!(ask(&engine).0, pid);
            }
        });
        for _ in 0..5 {
            let status = fork(|| {
                let (own, first) = ask(&engine);
                let (again, second) = ask(&engine);
                assert!(own != pid && own == again);
                assert_eq!((first, second), (1, 2));
                drop(engine.clone());
                Engine::shutdown();
                assert!(gone(&own) && !gone(&pid));
                7
            });
            assert_eq!(status, 7 << 8);
        }
        stop.store(true, Ordering::Relaxed);
        busy.join().unwrap();
        assert_eq!(ask(&engine).0, pid);
    }

    a_shutdown_ends_them_at_once => shutdown_alone {
        let dir = TempDir::new();
        let engine = engine(&dir);
        for _ in 0..3 {
            let (pid, count) = ask(&engine);
            assert_eq!(count, 1, "it starts anew");
            assert!(runtime::shutdown(Duration::from_secs(20)), "nothing is left over");
            assert!(gone(&pid));
        }
    }

    the_end_of_the_host_ends_their_input => exit_alone {
        let dir = TempDir::new();
        let status = fork(|| {
            let engine = engine(&dir);
            assert_eq!(ask(&engine).1, 1);
            // No goodbye.
            unsafe { libc::_exit(7) }
        });
        assert_eq!(status, 7 << 8);
        wait_until(|| dir.path().join("ends").exists());
    }
}
