//! Commands that are ended: timeout, cancellation, dropping, shutdown.

// They look at /proc.
#![cfg(target_os = "linux")]
#![allow(
    unsafe_code,
    clippy::print_stdout,
    clippy::undocumented_unsafe_blocks,
    clippy::string_slice,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

#[path = "support/process.rs"]
mod common;
use common::*;
use crosshook::process::*;
use std::time::{Duration, Instant};

fn gone(id: &str) {
    eventually("the group is gone", || marked(id).is_empty());
}

fn quick(mut command: Command) -> Command {
    command.timeout = Duration::from_millis(200);
    command
}

#[test]
fn a_timeout_kills_the_whole_group() {
    for script in [
        "sleep ID & sleep ID",
        "exec sleep ID",
        "(sleep ID; true) | (sleep ID; true)",
        "kill -STOP $$; sleep ID",
    ] {
        let id = marker();
        let command =
            quick(with_stdin(&format!("echo some; {}", script.replace("ID", &id)), vec![b'x'; 1 << 20]));
        both(command, |f| {
            assert!(matches!(f.end, End::TimedOut), "{f:?}");
            assert_eq!(text(&f.stdout), "some\n");
            assert!(f.duration >= Duration::from_millis(200));
            gone(&id);
        });
    }
}

#[test]
fn a_polite_end_is_noticed_and_a_deaf_one_is_killed_after_the_grace() {
    let dir = std::env::temp_dir();
    let mark = dir.join(format!("crosshook-polite-{}", std::process::id()));
    let id = marker();
    let mut polite =
        quick(sh(&format!("trap 'echo bye > {}; exit' TERM; sleep {id} & wait", mark.display())));
    polite.grace = Some(Duration::from_secs(30));
    assert!(matches!(local(polite).end, End::TimedOut));
    eventually("the trap ran", || std::fs::read_to_string(&mark).is_ok_and(|text| text == "bye\n"));
    gone(&id);
    std::fs::remove_file(mark).unwrap();

    let id = marker();
    let mut deaf = quick(sh(&format!("trap '' TERM; sleep {id} & sleep {id}")));
    deaf.grace = Some(Duration::from_millis(500));
    both(deaf, |f| {
        assert!(matches!(f.end, End::TimedOut));
        assert!(!marked(&id).is_empty());
        gone(&id);
    });

    // The leader obeys, a descendant does not.
    let id = marker();
    let mut mixed = quick(sh(&format!("(trap '' TERM; sleep {id}; sleep {id}) & sleep {id}")));
    mixed.grace = Some(Duration::from_millis(500));
    both(mixed, |f| {
        assert!(matches!(f.end, End::TimedOut));
        gone(&id);
    });
}

#[test]
fn cancelling_from_another_thread() {
    for large in [10, 1 << 20] {
        let id = marker();
        let command = with_stdin(&format!("echo a; sleep {id}"), vec![b'x'; large]);
        for local_driver in [true, false] {
            let cancel = Cancel::new();
            let other = cancel.clone();
            let thread = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(100));
                other.cancel();
            });
            let driver = LocalDriver::new();
            let command = command.clone();
            let f = match local_driver {
                true => driver.block_on(driver.run(command, &cancel)),
                false => driver.block_on(EngineDriver.run(command, &cancel)),
            };
            thread.join().unwrap();
            assert!(matches!(f.end, End::Cancelled), "{f:?}");
            gone(&id);
        }
    }
    let cancel = Cancel::new();
    cancel.cancel();
    let driver = LocalDriver::new();
    assert!(matches!(driver.block_on(driver.run(sh("exit 2"), &cancel)).end, End::Cancelled));
    assert!(matches!(driver.block_on(EngineDriver.run(sh("exit 2"), &cancel)).end, End::Cancelled));
    let cancel = Cancel::new();
    let id = marker();
    let many = (0..64).map(|_| driver.run(sh(&format!("sleep {id}")), &cancel));
    let other = cancel.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        other.cancel();
    });
    assert!(driver.block_on(join_all(many)).iter().all(|f| matches!(f.end, End::Cancelled)));
    thread.join().unwrap();
    gone(&id);
}

#[test]
fn dropping_the_future_ends_the_command() {
    let id = marker();
    let driver = LocalDriver::new();
    let cancel = Cancel::new();
    driver.block_on(async {
        let mut run = driver.run(sh(&format!("sleep {id} & sleep {id}")), &cancel);
        assert!(!poll_once(&mut run).await);
        drop(run);
        let mut run = EngineDriver.run(sh(&format!("sleep {id} & sleep {id}")), &cancel);
        assert!(!poll_once(&mut run).await);
        eventually("it runs", || !marked(&id).is_empty());
        drop(run);
    });
    gone(&id);
    // The whole driver at once.
    let id = marker();
    let driver = LocalDriver::new();
    let mut run = driver.run(sh(&format!("sleep {id}")), &cancel);
    driver.block_on(poll_once(&mut run));
    eventually("it runs", || !marked(&id).is_empty());
    drop((driver, run));
    gone(&id);
}

#[test]
fn background_commands_outlive_their_task_handle() {
    let task = EngineDriver.spawn(sh("sleep 0.2; exit 6"), &Cancel::new()).unwrap();
    assert_eq!(code(&LocalDriver::new().block_on(task).unwrap()), 6);
    let mark = std::env::temp_dir().join(format!("crosshook-background-{}", std::process::id()));
    drop(EngineDriver.spawn(sh(&format!("sleep 0.1; echo x > {}", mark.display())), &Cancel::new()).unwrap());
    eventually("it ran on", || std::fs::read_to_string(&mark).is_ok_and(|text| text == "x\n"));
    std::fs::remove_file(mark).unwrap();
    let id = marker();
    let task = EngineDriver.spawn(sh(&format!("sleep {id}")), &Cancel::new()).unwrap();
    eventually("it runs", || !marked(&id).is_empty());
    task.abort();
    gone(&id);
}

#[test]
fn shutdown_ends_everything_and_the_engine_starts_again() {
    assert_alone("shutdown_alone");
}

#[test]
#[ignore = "run in a process of its own"]
fn shutdown_alone() {
    use crosshook::runtime;
    assert!(runtime::shutdown(Duration::from_secs(1)), "nothing to end");
    let before = descriptors();
    for _ in 0..3 {
        let id = marker();
        let cancel = Cancel::new();
        let background = EngineDriver.spawn(sh(&format!("sleep {id} & sleep {id}")), &cancel).unwrap();
        let other = id.clone();
        let blocked = std::thread::spawn(move || local(sh(&format!("sleep {other}"))));
        let mut deaf = quick(sh(&format!("trap '' TERM; sleep {id}; sleep {id}")));
        deaf.grace = Some(Duration::from_secs(1000));
        assert!(matches!(local(deaf).end, End::TimedOut));
        eventually("all run", || marked(&id).len() >= 5);
        let started = Instant::now();
        assert!(runtime::shutdown(Duration::from_secs(20)));
        assert!(started.elapsed() < Duration::from_secs(15));
        assert!(matches!(blocked.join().unwrap().end, End::Cancelled));
        match LocalDriver::new().block_on(background) {
            Ok(f) => assert!(matches!(f.end, End::Cancelled), "{f:?}"),
            Err(lost) => assert_eq!(lost, runtime::TaskLost),
        }
        // Killed descendants may take a moment to vanish; the system reaps them.
        gone(&id);
        assert_eq!(children(), Vec::<String>::new());
        let threads = std::fs::read_dir("/proc/self/task").unwrap().flatten();
        let names =
            threads.filter_map(|t| std::fs::read_to_string(t.path().join("comm")).ok()).collect::<Vec<_>>();
        assert!(!names.iter().any(|name| name.starts_with("crosshook")), "{names:?}");
        assert_eq!(descriptors(), before);
        assert_eq!(code(&engine(sh("exit 5"))), 5);
        assert!(runtime::shutdown(Duration::from_secs(20)));
    }
}
