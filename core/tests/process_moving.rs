//! Commands that start on one thread and are waited for on the engine's.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "support/process.rs"]
mod common;
use common::*;
use crosshook::process::*;
use crosshook::runtime;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// Starts it here. Whether it is over already.
fn begin(run: &mut EngineRun) -> bool {
    Pin::new(run).poll(&mut Context::from_waker(Waker::noop())).is_ready()
}

fn on_the_engine(run: EngineRun) -> Finished {
    LocalDriver::new().block_on(runtime::spawn(run).unwrap()).unwrap()
}

#[test]
fn it_runs_before_the_engine_hears_of_it() {
    let file = std::env::temp_dir().join(format!("crosshook-{}", marker()));
    let script = format!("echo why >&2; : > {}; exit 2", file.display());
    let mut run = MovingDriver.run(sh(&script), &Cancel::new());
    assert!(!begin(&mut run));
    eventually("started by the first look", || file.exists());
    assert!(!begin(&mut run), "nobody but the engine's thread takes it to its end");
    let finished = on_the_engine(run);
    assert_eq!((code(&finished), text(&finished.stderr).as_str()), (2, "why\n"));
    std::fs::remove_file(file).unwrap();
}

#[test]
fn input_that_does_not_fit_waits_for_the_engine() {
    let marker = marker();
    let mut run =
        MovingDriver.run(with_stdin(&format!(": {marker}; wc -c"), vec![b'x'; 1 << 20]), &Cancel::new());
    assert!(!begin(&mut run));
    assert!(marked(&marker).is_empty());
    let finished = on_the_engine(run);
    assert_eq!((code(&finished), text(&finished.stdout).trim()), (0, "1048576"));
}

#[test]
fn what_cannot_start_says_so_at_once() {
    let mut run = MovingDriver.run(Command::new("/no/such/program"), &Cancel::new());
    match Pin::new(&mut run).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(finished) => assert_eq!(spawn_error(finished).step, SpawnStep::Program),
        Poll::Pending => panic!("it is pending"),
    }
}

#[test]
fn cancelled_or_dropped_it_ends() {
    let (first, second, third) = (marker(), marker(), marker());
    let cancel = Cancel::new();
    let mut run = MovingDriver.run(sh(&format!("sleep {first}; :")), &cancel);
    assert!(!begin(&mut run));
    cancel.cancel();
    assert!(matches!(on_the_engine(run).end, End::Cancelled));
    let mut dropped = MovingDriver.run(sh(&format!("sleep {second}; :")), &Cancel::new());
    assert!(!begin(&mut dropped));
    drop(dropped);
    let mut never = MovingDriver.run(sh(&format!("sleep {third}; :")), &cancel);
    assert!(begin(&mut never));
    eventually("they are gone", || [&first, &second, &third].iter().all(|marker| marked(marker).is_empty()));
}
