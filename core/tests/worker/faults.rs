//! Workers that break the rules, end, linger or flood.

use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use crosshook::{Code, Decision, Status};
use serde_json::json;

use crate::support::{gone, wait_until};
use crate::{Bench, ask, codes, engine, event};

#[test]
fn a_worker_that_ends_before_it_answers_has_failed() {
    for (each, why) in [
        ("exit 0", "its worker ended before it had answered"),
        ("echo 'no idea' >&2; exit 1", "its worker ended with exit code 1 before it had answered: no idea"),
        ("printf '{\"decision\":'; exit 0", "its worker ended before it had answered"),
        ("kill -9 $$", "its worker was killed by signal 9 before it had answered"),
        ("exec >&-; sleep 60", "its worker closed its standard output; it was ended"),
    ] {
        let bench = Bench::new(each);
        let open = bench.engine(json!({}));
        for round in 1..3 {
            let outcome = ask(&open, "Read");
            let hook = &outcome.hooks[0];
            assert_eq!((outcome.decision, hook.status), (Decision::None, Status::Error), "{each}");
            let error = hook.error.clone().unwrap();
            // Where a shell stays as its parent, that reports the signal as a code.
            assert!(error == why || each.starts_with("kill") && error.contains("exit code 137"), "{error}");
            assert_eq!(codes(&outcome), [Code::WorkerFailed], "{each}");
            assert_eq!(bench.lines("starts").len(), round, "{each}: another one for each event");
        }
        let closed = bench.engine(json!({"failMode": "closed"}));
        let outcome = ask(&closed, "Read");
        assert_eq!(outcome.decision, Decision::Deny, "{each}");
        assert!(outcome.reason.unwrap().contains("its worker "), "{each}");
    }
}

#[test]
fn a_worker_that_ends_with_the_code_that_denies_has_denied() {
    let bench = Bench::new("echo 'no way' >&2; exit 2");
    let outcome = ask(&bench.engine(json!({})), "Read");
    assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Deny, Some("no way")));
}

#[test]
fn a_worker_that_crashed_after_its_answer_is_replaced_and_that_is_said() {
    let bench = Bench::new("echo '{\"systemMessage\":\"seen\"}'; exit 3");
    let engine = bench.engine(json!({}));
    assert_eq!(ask(&engine, "Read").system_messages, ["seen"]);
    let pid = bench.lines("starts")[0].clone();
    wait_until(|| gone(&pid));
    let outcome = ask(&engine, "Read");
    assert_eq!(
        (&outcome.system_messages[..], codes(&outcome)),
        (&["seen".to_owned()][..], vec![Code::WorkerFailed])
    );
    assert!(outcome.diagnostics[0].message.contains("exit code 3"), "{}", outcome.diagnostics[0].message);
    // Whoever ends content needs no words.
    bench.script("echo '{\"systemMessage\":\"seen\"}'; exit 0");
    let _ = ask(&engine, "Read");
    let pid = bench.lines("starts").last().unwrap().clone();
    wait_until(|| gone(&pid));
    let _ = ask(&engine, "Read");
    let pid = bench.lines("starts").last().unwrap().clone();
    wait_until(|| gone(&pid));
    assert_eq!(codes(&ask(&engine, "Read")), []);
}

#[test]
fn one_that_takes_too_long_is_killed_with_its_group_and_replaced() {
    let bench = Bench::new("case $line in *Slow*) sleep 600 & echo $! > child; wait ;; *) echo ok ;; esac");
    let engine = bench.engine(json!({"timeout": 1}));
    let outcome = ask(&engine, "Slow");
    assert_eq!((outcome.hooks[0].status, codes(&outcome)), (Status::Timeout, vec![Code::HookTimeout]));
    let (pid, child) = (bench.lines("starts")[0].clone(), bench.lines("child")[0].clone());
    wait_until(|| gone(&pid) && gone(&child));
    let engine = bench.engine(json!({"timeout": 60}));
    let outcome = ask(&engine, "Read");
    assert_eq!((outcome.hooks[0].status, codes(&outcome)), (Status::Ok, vec![]));
    assert_eq!(bench.lines("starts").len(), 2);
}

#[test]
fn a_cancelled_one_is_killed() {
    let bench = Bench::new("sleep 600");
    let engine = bench.engine(json!({"timeout": 600}));
    let (sender, receiver) = mpsc::channel();
    let run = engine.start(event("Read"), move |outcome| sender.send(outcome).unwrap());
    wait_until(|| bench.lines("seen").len() == 1);
    run.cancel();
    let outcome = receiver.recv_timeout(Duration::from_secs(20)).unwrap().unwrap();
    assert_eq!(outcome.hooks[0].status, Status::Cancelled);
    let pid = bench.lines("starts")[0].clone();
    wait_until(|| gone(&pid));
}

#[test]
fn whatever_is_not_one_line_is_no_answer() {
    let long = "head -c 20000000 /dev/zero | tr '\\0' x; echo";
    for (each, why) in [
        ("printf 'log\\n{\"decision\":\"block\"}\\n'", "more than one line"),
        (long, "longer than"),
        ("yes | tr -d '\\n'", "longer than"),
        ("echo '{\"crosshook\":{\"exit_code\":-1}}'", "not usable"),
        ("echo '{\"crosshook\":{\"id\":0}}'", "answered event 0, not event 1"),
    ] {
        let bench = Bench::new(each);
        let outcome = ask(&bench.engine(json!({})), "Read");
        let error = outcome.hooks[0].error.clone().unwrap();
        assert_eq!((outcome.decision, outcome.hooks[0].status), (Decision::None, Status::Error), "{each}");
        assert!(
            error.contains(why) && error.ends_with("was ended") || error.contains("`crosshook.stdout`"),
            "{error}"
        );
        assert_eq!(codes(&outcome), [Code::WorkerFailed]);
        let pid = bench.lines("starts")[0].clone();
        wait_until(|| gone(&pid));
        let closed = ask(&bench.engine(json!({"failMode": "closed"})), "Read");
        assert_eq!(closed.decision, Decision::Deny, "{each}");
    }
}

#[test]
fn what_it_says_unasked_is_never_an_answer() {
    // It goes on talking after its answer; the second line is not taken for that of the next event.
    let bench = Bench::new(
        "case $line in *Late*) echo ok; sleep 0.2; echo '{\"systemMessage\":\"stale\"}'; touch said ;; *) echo '{\"systemMessage\":\"fresh\"}' ;; esac",
    );
    let engine = bench.engine(json!({}));
    assert_eq!(codes(&ask(&engine, "Late")), []);
    wait_until(|| bench.path("said").exists());
    let outcome = ask(&engine, "Read");
    assert_eq!(
        (&outcome.system_messages[..], codes(&outcome)),
        (&["fresh".to_owned()][..], vec![Code::WorkerFailed])
    );
    assert!(outcome.diagnostics[0].message.contains("unasked"), "{}", outcome.diagnostics[0].message);
    let pid = bench.lines("starts")[0].clone();
    wait_until(|| gone(&pid));
    assert_eq!(codes(&ask(&engine, "Read")), []);
}

#[test]
fn who_names_events_is_held_to_it() {
    let bench = Bench::new(
        "case $line in *Stray*) echo '{\"systemMessage\":\"stray\"}' ;; *) echo '{\"crosshook\":{\"id\":1}}' ;; esac",
    );
    let engine = bench.engine(json!({}));
    assert_eq!(ask(&engine, "Read").hooks[0].status, Status::Ok);
    let outcome = ask(&engine, "Stray");
    assert_eq!((outcome.hooks[0].status, outcome.system_messages.len()), (Status::Error, 0));
    assert!(outcome.hooks[0].error.as_deref().unwrap().contains("does not name event 2"));
}

#[test]
fn a_flood_on_standard_error_harms_nobody() {
    let bench = Bench::new("head -c 8000000 /dev/zero | tr '\\0' x >&2; echo '{\"systemMessage\":\"seen\"}'");
    let outcome = ask(&bench.engine(json!({})), "Read");
    assert_eq!(outcome.system_messages, ["seen"]);
    assert_eq!((outcome.hooks[0].stderr_bytes, outcome.hooks[0].truncated), (8_000_000, false));
}

#[test]
fn one_that_cannot_be_started_says_so() {
    let hook = json!({"type": "command", "command": "/no/such/worker", "args": [], "worker": true});
    let engine = engine("claude", json!({"PreToolUse": [{"hooks": [hook]}]}));
    let outcome = ask(&engine, "Read");
    assert_eq!((outcome.hooks[0].status, codes(&outcome)), (Status::Error, vec![Code::SpawnFailed]));
    assert!(Path::new("/no/such/worker").parent().is_some_and(|dir| !dir.exists()));
}
