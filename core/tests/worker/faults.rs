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
        (
            "printf '{\"decision\":'; exit 0",
            "its worker ended before it had answered; it had written a line without its end: `{\"decision\":`",
        ),
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
    let bench = Bench::new("answer '{\"systemMessage\":\"seen\"}'; exit 3");
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
    bench.script("answer '{\"systemMessage\":\"seen\"}'; exit 0");
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
    let bench = Bench::new("case $line in *Slow*) sleep 600 & echo $! > child; wait ;; *) said ;; esac");
    let engine = bench.engine(json!({"timeout": 1}));
    let outcome = ask(&engine, "Slow");
    let late = vec![Code::HookTimeout, Code::WorkerFailed];
    assert_eq!((outcome.hooks[0].status, codes(&outcome)), (Status::Timeout, late));
    let (pid, child) = (bench.lines("starts")[0].clone(), bench.lines("child")[0].clone());
    wait_until(|| gone(&pid) && gone(&child));
    let engine = bench.engine(json!({"timeout": 60}));
    let outcome = ask(&engine, "Read");
    assert_eq!((outcome.hooks[0].status, codes(&outcome)), (Status::Ok, vec![]));
    assert_eq!(bench.lines("starts").len(), 2);
}

#[test]
fn one_that_reads_its_input_to_the_end_is_told_of() {
    let bench = Bench::new("");
    let hook =
        json!({"type": "command", "command": "input=$(cat); echo \"$input\"", "worker": true, "timeout": 1});
    let said = |outcome: &crosshook::Outcome| -> Vec<String> {
        let of_worker = |found: &&crosshook::Diagnostic| found.code == Code::WorkerFailed;
        outcome.diagnostics.iter().filter(of_worker).map(|found| found.message.clone()).collect()
    };
    let outcome = ask(&engine("claude", json!({"PreToolUse": [{"hooks": [hook]}]})), "Read");
    assert_eq!(outcome.hooks[0].status, Status::Timeout);
    let messages = said(&outcome);
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(messages[0].contains("reads its input to the end"), "{messages:?}");
    // Of one that has answered before, it cannot be that.
    bench.script("case $line in *Slow*) sleep 600 ;; *) said ;; esac");
    let engine = bench.engine(json!({"timeout": 1}));
    assert_eq!(codes(&ask(&engine, "Read")), []);
    let outcome = ask(&engine, "Slow");
    assert_eq!((outcome.hooks[0].status, codes(&outcome)), (Status::Timeout, vec![Code::HookTimeout]));
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

/// Lines that are no answer, with what is said of them. All are for the first event.
const NO_ANSWERS: [(&str, &str); 16] = [
    ("head -c 40000000 /dev/zero | tr '\\0' x; echo", "longer than"),
    ("yes | tr -d '\\n'", "longer than"),
    ("said '\"exit_code\":0,\"x\":1'", "`x` is unknown"),
    ("echo '{\"crosshook\":{\"id\":0}}'", "answered event 0, not event 1"),
    ("echo '{\"crosshook\":{\"id\":2,\"exit_code\":2}}'", "answered event 2, not event 1"),
    (
        "echo guard ready",
        "no JSON object that names the event (`\"crosshook\": {\"id\": 1}`): `guard ready`; it was ended",
    ),
    ("echo", "no JSON object that names the event"),
    (
        "echo 'INFO {\"crosshook\":{\"id\":1,\"exit_code\":2}}'",
        ": `INFO {\"crosshook\":{\"id\":1,\"exit_code\":2}}`; it was",
    ),
    (
        "echo '[{\"crosshook\":{\"id\":1,\"exit_code\":2}}]'",
        ": `[{\"crosshook\":{\"id\":1,\"exit_code\":2}}]`; it was",
    ),
    ("echo '{\"crosshook\":{\"id\":1}'", "no JSON object"),
    ("echo '{}'", "does not name event 1 (`crosshook.id`): `{}`"),
    ("echo '{\"systemMessage\":\"x\"}'", "does not name event 1"),
    (
        "echo '{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"allow\"}}'",
        "does not name event 1",
    ),
    ("printf '%s\\nlog\\n' '{\"crosshook\":{\"id\":1}}'", "more than one line"),
    ("printf 'log\\n%s\\n' '{\"crosshook\":{\"id\":1}}'", "more than one line"),
    ("echo '{\"crosshook\":{\"id\":1},\"crosshook\":{\"id\":1}}'", "the member `crosshook` more than once"),
];

#[test]
fn whatever_is_not_one_line_that_names_the_event_is_no_answer() {
    for (each, why) in NO_ANSWERS {
        let bench = Bench::new(each);
        let outcome = ask(&bench.engine(json!({})), "Read");
        let error = outcome.hooks[0].error.clone().unwrap();
        assert_eq!((outcome.decision, outcome.hooks[0].status), (Decision::None, Status::Error), "{each}");
        assert!(error.contains(why) && error.ends_with("; it was ended"), "{each}: {error}");
        assert_eq!(codes(&outcome), [Code::WorkerFailed]);
        assert_eq!(outcome.system_messages.len(), 0);
        let pid = bench.lines("starts")[0].clone();
        wait_until(|| gone(&pid));
        let closed = ask(&bench.engine(json!({"failMode": "closed"})), "Read");
        assert_eq!(closed.decision, Decision::Deny, "{each}");
        assert!(closed.reason.unwrap().contains(why), "{each}");
    }
}

/// What is no answer and objects, with the reason.
const OBJECTIONS: [(&str, &str); 15] = [
    ("echo '{\"decision\":\"block\",\"reason\":\"r\"}'", "r"),
    ("echo '{\"crosshook\":{\"exit_code\":2,\"stderr\":\"r\"}}'", "r"),
    ("echo '{\"crosshook\":{\"id\":\"1\"},\"decision\":\"block\",\"reason\":\"r\"}'", "r"),
    (
        "echo '{\"crosshook\":{\"id\":\"1\"},\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"r\"}}'",
        "r",
    ),
    ("said '\"exit_code\":\"2\",\"stderr\":\"r\"'", "r"),
    ("said '\"exit_code\":256,\"stderr\":\"r\"'", "r"),
    ("said '\"exit_code\":2,\"stderr\":\"r\",\"more\":1'", "r"),
    ("said '\"exit_code\":2,\"exit_code\":0,\"stderr\":\"r\"'", "r"),
    (
        "echo '{\"crosshook\":{\"id\":1,\"exit_code\":2,\"stderr\":\"r\"},\"crosshook\":{\"id\":1,\"exit_code\":0}}'",
        "r",
    ),
    ("printf '%s\\nlog\\n' '{\"decision\":\"block\",\"reason\":\"r\"}'", "r"),
    ("printf 'log\\n%s\\n' '{\"crosshook\":{\"id\":1,\"exit_code\":2,\"stderr\":\"r\"}}'", "r"),
    ("printf '%s\\n%s\\n' '{\"crosshook\":{\"id\":1}}' '{\"decision\":\"block\",\"reason\":\"r\"}'", "r"),
    ("printf '{\"decision\":\"block\",\"reason\":\"r\"}'; exit 0", "r"),
    ("printf '{\"crosshook\":{\"id\":1,\"exit_code\":2,\"stderr\":\"r\"}}'; exit 1", "r"),
    ("printf '{\"crosshook\":{\"id\":1,\"exit_code\":2,\"stderr\":\"r\"}}'; exec >&-; sleep 60", "r"),
];

#[test]
fn what_is_no_answer_may_deny_all_the_same() {
    for (each, reason) in OBJECTIONS {
        let bench = Bench::new(each);
        let outcome = ask(&bench.engine(json!({})), "Read");
        assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Deny, Some(reason)), "{each}");
        assert_eq!(
            (outcome.hooks[0].status, codes(&outcome)),
            (Status::Blocked, vec![Code::WorkerFailed]),
            "{each}"
        );
        let pid = bench.lines("starts")[0].clone();
        wait_until(|| gone(&pid));
    }
    // Without the newline it goes on waiting; its time is over, and what it said counts.
    let bench = Bench::new("printf '{\"crosshook\":{\"id\":1,\"exit_code\":2,\"stderr\":\"r\"}}'");
    let outcome = ask(&bench.engine(json!({"timeout": 1})), "Read");
    assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Deny, Some("r")));
    assert!(outcome.diagnostics[0].message.contains("did not end the line"), "{:?}", outcome.diagnostics);
}

#[test]
fn bytes_and_escapes_that_are_no_unicode_lose_no_denial() {
    for (each, reason, codes_wanted) in [
        (
            "said '\"exit_code\":2,\"stderr\":\"caf@\"' | tr @ '\\351'",
            "caf\u{fffd}",
            vec![Code::InvalidOutput],
        ),
        ("said '\"exit_code\":2,\"stderr\":\"a\\udcff\"'", "a\u{fffd}", vec![]),
        ("said '\"exit_code\":2.0,\"stderr\":\"two\"'", "two", vec![]),
        (
            "answer '{\"decision\":\"block\",\"reason\":\"caf@\"}' | tr @ '\\351'",
            "caf\u{fffd}",
            vec![Code::InvalidOutput],
        ),
        ("answer '{\"decision\":\"block\",\"reason\":\"\\udcff!\"}'", "\u{fffd}!", vec![]),
        (
            "said '\"stdout\":\"{\\\"decision\\\":\\\"block\\\",\\\"reason\\\":\\\"\\udcff!\\\"}\"'",
            "\u{fffd}!",
            vec![],
        ),
    ] {
        let bench = Bench::new(each);
        let outcome = ask(&bench.engine(json!({})), "Read");
        assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Deny, Some(reason)), "{each}");
        assert_eq!(codes(&outcome), codes_wanted, "{each}");
    }
}

#[test]
fn what_it_says_unasked_is_never_an_answer() {
    // It goes on talking after its answer; the second line is not taken for that of the next event.
    let bench = Bench::new(
        "case $line in *Late*) said; sleep 0.2; answer '{\"systemMessage\":\"stale\"}'; touch said ;; *) answer '{\"systemMessage\":\"fresh\"}' ;; esac",
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

/// A guard in sh that denies the tool `Deny` and allows others; `first` is done before the first event is read, `after`
/// after each answer.
fn shifting(first: &str, answer: &str, after: &str) -> Bench {
    let bench = Bench::new("");
    let script = std::fs::read_to_string(bench.path("worker.sh")).unwrap();
    let (head, _) = script.split_once("while").unwrap();
    bench
        .dir
        .file("worker.sh", format!("{head}{first}\nwhile IFS= read -r line; do\n{answer}\n{after}\ndone\n"));
    bench
}

const ALLOW: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}"#;

#[test]
fn no_line_that_comes_too_early_or_too_late_shifts_the_answers() {
    let nameless = format!(
        "case $line in *'\"Deny\"'*) echo '{{\"crosshook\":{{\"exit_code\":2,\"stderr\":\"no\"}}}}' ;; *) echo '{ALLOW}' ;; esac"
    );
    let naming = format!(
        "case $line in *'\"Deny\"'*) said '\"exit_code\":2,\"stderr\":\"no\"' ;; *) answer '{ALLOW}' ;; esac"
    );
    let allow = format!("echo '{ALLOW}'");
    let early = "echo '{\"crosshook\":{\"id\":1}}'; sleep 0.3";
    for (first, answer, after) in [
        ("echo guard ready", &nameless, ""),
        (&*allow, &nameless, ""),
        ("echo guard ready", &naming, ""),
        (&*allow, &naming, ""),
        (early, &naming, ""),
        ("", &naming, "sleep 0.05; echo log"),
        ("", &naming, &*allow),
        ("", &naming, "sleep 0.02; said"),
    ] {
        let bench = shifting(first, answer, after);
        let engine = bench.engine(json!({"failMode": "closed", "timeout": 60}));
        for tool in ["A", "Deny", "B", "Deny", "Deny", "C"] {
            let outcome = ask(&engine, tool);
            let hook = &outcome.hooks[0];
            // Whatever an event is allowed by is the worker's own answer to it.
            let wanted = tool != "Deny" && answer == &naming;
            assert!(
                outcome.decision == Decision::Deny || outcome.decision == Decision::Allow && wanted,
                "{first} {answer} {after} {tool}: {outcome:?}"
            );
            assert!(hook.status == Status::Error || hook.error.is_none(), "{hook:?}");
            let own = hook.status == Status::Blocked && outcome.reason.as_deref() == Some("no");
            assert!(!own || tool == "Deny", "{first} {after} {tool}: a denial of another event");
        }
    }
}

#[test]
fn an_exit_after_an_answer_is_no_answer_to_the_next_event() {
    // The next event comes before or after the end, as it happens; the answers are the same.
    for pause in ["", "sleep 0.02;", "sleep 0.1;"] {
        let bench = Bench::new(&format!(
            "case $line in *Last*) said; {pause} echo 'not that' >&2; exit 2 ;; *) answer '{{\"systemMessage\":\"seen\"}}' ;; esac"
        ));
        let engine = bench.engine(json!({}));
        for round in 0..8 {
            let last = ask(&engine, "Last");
            assert_eq!(
                (last.decision, last.hooks[0].status),
                (Decision::None, Status::Ok),
                "{pause} {round}"
            );
            let next = ask(&engine, "Read");
            assert_eq!(
                (next.decision, &next.system_messages[..]),
                (Decision::None, &["seen".to_owned()][..])
            );
            assert_eq!(codes(&next), [Code::WorkerFailed], "{pause} {round}");
            assert!(next.diagnostics[0].message.contains("ended with exit code 2"), "{:?}", next.diagnostics);
        }
        assert_eq!(bench.lines("starts").len(), 9, "one more after each end");
    }
}

#[test]
fn one_that_closes_its_output_after_its_answer_is_replaced() {
    let bench = Bench::new("said; exec >&-; touch closed; sleep 60");
    let engine = bench.engine(json!({}));
    assert_eq!(codes(&ask(&engine, "Read")), []);
    wait_until(|| bench.path("closed").exists());
    let outcome = ask(&engine, "Read");
    assert_eq!((outcome.hooks[0].status, codes(&outcome)), (Status::Ok, vec![Code::WorkerFailed]));
    assert!(outcome.diagnostics[0].message.contains("closed its standard output after its last answer"));
    let pid = bench.lines("starts")[0].clone();
    wait_until(|| gone(&pid));
}

#[test]
fn an_answer_before_the_event_was_read_is_none() {
    // It knows the number, but not the event.
    for size in [10, 30_000, 300_000] {
        let bench = shifting("echo '{\"crosshook\":{\"id\":1}}'; sleep 60", "said", "");
        let large = event("Read").replace("{}", &format!("{{\"a\":\"{}\"}}", "x".repeat(size)));
        let outcome = bench.engine(json!({})).dispatch_blocking(large).unwrap();
        let error = outcome.hooks[0].error.clone().unwrap();
        assert!(error.contains("before it had read the event"), "{size}: {error}");
    }
}

#[test]
fn a_flood_on_standard_error_harms_nobody() {
    let bench =
        Bench::new("head -c 8000000 /dev/zero | tr '\\0' x >&2; answer '{\"systemMessage\":\"seen\"}'");
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
