#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    unsafe_code,
    clippy::print_stdout,
    clippy::undocumented_unsafe_blocks,
    clippy::string_slice,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
//! What the tests share.

use crosshook::process::*;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

/// Tests that each run in a process of their own.
macro_rules! each_alone {
    ($($name:ident => $inner:ident $body:block)*) => { $(
        #[test]
        fn $name() {
            assert_alone(stringify!($inner));
        }
        #[test]
        #[ignore = "run in a process of its own"]
        fn $inner() $body
    )* };
}
pub(crate) use each_alone;

/// The exit status of `child`, run in a forked child of this process.
pub fn fork(child: impl FnOnce() -> i32) -> i32 {
    unsafe {
        let pid = libc::fork();
        if pid == 0 {
            // A hang in the child shall fail the test.
            libc::alarm(30);
            libc::_exit(std::panic::catch_unwind(std::panic::AssertUnwindSafe(child)).unwrap_or(99));
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(pid, &mut status, 0), pid);
        status
    }
}

pub fn sh(script: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args = vec!["-c".into(), script.into()];
    command.env = Environment::inherited();
    command
}

pub fn with_stdin(script: &str, stdin: impl Into<Payload>) -> Command {
    Command { stdin: stdin.into(), ..sh(script) }
}

pub fn local(command: Command) -> Finished {
    let driver = LocalDriver::new();
    driver.block_on(driver.run(command, &Cancel::new()))
}

pub fn engine(command: Command) -> Finished {
    LocalDriver::new().block_on(EngineDriver.run(command, &Cancel::new()))
}

/// Runs on both drivers.
pub fn both(command: Command, check: impl Fn(Finished)) {
    check(local(command.clone()));
    check(engine(command));
}

pub fn code(finished: &Finished) -> i32 {
    match finished.end {
        End::Exited(code) => code,
        ref other => panic!("{other:?}, stderr {}", text(&finished.stderr)),
    }
}

pub fn text(captured: &Captured) -> String {
    String::from_utf8(captured.bytes.clone()).unwrap()
}

pub fn spawn_error(finished: Finished) -> SpawnError {
    match finished.end {
        End::NotStarted(error) => error,
        other => panic!("{other:?}"),
    }
}

pub struct JoinAll<F: Future + Unpin>(Vec<(Option<F>, Option<F::Output>)>);

pub fn join_all<F: Future + Unpin>(futures: impl IntoIterator<Item = F>) -> JoinAll<F> {
    JoinAll(futures.into_iter().map(|future| (Some(future), None)).collect())
}

impl<F: Future + Unpin> Unpin for JoinAll<F> {}

impl<F: Future + Unpin> Future for JoinAll<F> {
    type Output = Vec<F::Output>;
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        for (future, output) in &mut self.0 {
            if let Some(f) = future
                && let Poll::Ready(value) = Pin::new(f).poll(context)
            {
                *output = Some(value);
                *future = None;
            }
        }
        match self.0.iter().all(|(_, output)| output.is_some()) {
            true => Poll::Ready(self.0.drain(..).map(|(_, output)| output.unwrap()).collect()),
            false => Poll::Pending,
        }
    }
}

/// Polls once; a result is dropped.
pub async fn poll_once<F: Future + Unpin>(future: &mut F) -> bool {
    std::future::poll_fn(|context| Poll::Ready(Pin::new(&mut *future).poll(context).is_ready())).await
}

pub fn eventually(what: &str, check: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(10);
    while !check() {
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Processes whose command line holds the marker.
pub fn marked(marker: &str) -> Vec<i32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    ids.filter(|id| {
        let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        line.windows(marker.len()).any(|part| part == marker.as_bytes())
    })
    .collect()
}

/// A sleep time that no other process uses; also a marker.
pub fn marker() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("1000.{}{:04}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

pub fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Children of this process that have exited and were not reaped, or still run.
pub fn children() -> Vec<String> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Runs one ignored test of this binary in a process of its own.
pub fn alone(name: &str) -> std::process::Output {
    let exe = std::env::current_exe().unwrap();
    std::process::Command::new(exe)
        .args(["--exact", name, "--ignored", "--nocapture", "--test-threads=1"])
        .output()
        .unwrap()
}

pub fn assert_alone(name: &str) {
    let output = alone(name);
    let out = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && out.contains("1 passed"), "{name}: {:?}\n{out}\n{err}", output.status);
}
