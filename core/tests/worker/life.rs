//! When workers start, take turns and end.

use std::sync::mpsc;
use std::time::Duration;

use crosshook::{Code, Decision, Engine, Options, Outcome, Status};
use serde_json::json;

use crate::support::{self, gone, wait_until};
use crate::{Bench, ask, codes, engine, event};

#[test]
fn a_changed_script_is_started_anew() {
    let bench = Bench::new("answer '{\"systemMessage\":\"old\"}'");
    let engine = bench.engine(json!({}));
    assert_eq!(ask(&engine, "Read").system_messages, ["old"]);
    bench.script("answer '{\"systemMessage\":\"brand new\"}'");
    let outcome = ask(&engine, "Read");
    assert_eq!((&outcome.system_messages[..], codes(&outcome)), (&["brand new".to_owned()][..], vec![]));
    let pid = bench.lines("starts")[0].clone();
    wait_until(|| gone(&pid));
    assert_eq!(bench.lines("ends")[0], pid, "it ended by itself, at the end of its input");
}

fn parallel(engine: &Engine, tool: &str) -> mpsc::Receiver<Outcome> {
    let (sender, receiver) = mpsc::channel();
    engine.start(event(tool), move |outcome| sender.send(outcome.unwrap()).unwrap());
    receiver
}

fn soon(receiver: &mpsc::Receiver<Outcome>) -> Outcome {
    receiver.recv_timeout(Duration::from_secs(60)).unwrap()
}

/// Waits until the test says so.
const GATED: &str = "while [ ! -e gate ]; do sleep 0.05; done; answer '{\"systemMessage\":\"seen\"}'";

#[test]
fn events_wait_for_their_turn_and_the_queue_is_bounded() {
    for (mode, decision) in [("open", Decision::None), ("closed", Decision::Deny)] {
        let bench = Bench::new(GATED);
        let engine = bench.engine(json!({"timeout": 60, "failMode": mode, "worker": {"queue": 1}}));
        let first = parallel(&engine, "A");
        wait_until(|| bench.lines("seen").len() == 1);
        let second = parallel(&engine, "B");
        let third = soon(&parallel(&engine, "C"));
        assert_eq!((third.hooks[0].status, third.decision), (Status::Skipped, decision), "{mode}");
        assert!(codes(&third).contains(&Code::WorkerBusy));
        std::fs::write(bench.path("gate"), "").unwrap();
        for receiver in [first, second] {
            assert_eq!(soon(&receiver).system_messages, ["seen"]);
        }
        assert_eq!(bench.lines("starts").len(), 1);
    }
}

#[test]
fn whoever_waits_longer_than_its_time_is_not_asked() {
    let bench = Bench::new(GATED);
    let hooks = |timeout: u32| json!([{"hooks": [bench.hook(json!({"timeout": timeout}))]}]);
    let engine = engine("claude", json!({"PreToolUse": hooks(60), "PostToolUse": hooks(1)}));
    let first = parallel(&engine, "A");
    wait_until(|| bench.lines("seen").len() == 1);
    let second = engine.dispatch_blocking(event("B").replace("PreToolUse", "PostToolUse")).unwrap();
    assert_eq!((second.hooks[0].status, codes(&second)), (Status::Skipped, vec![Code::WorkerBusy]));
    std::fs::write(bench.path("gate"), "").unwrap();
    assert_eq!(soon(&first).system_messages, ["seen"], "the other one's time is its own");
    assert_eq!(bench.lines("seen").len(), 1);
}

#[test]
fn several_at_a_time_are_several_processes() {
    let bench = Bench::new(GATED);
    let engine = bench.engine(json!({"timeout": 60, "worker": {"max_concurrent": 3, "queue": 10}}));
    let all: Vec<_> = (0..5).map(|_| parallel(&engine, "A")).collect();
    wait_until(|| bench.lines("seen").len() == 3);
    std::fs::write(bench.path("gate"), "").unwrap();
    all.iter().for_each(|receiver| assert_eq!(soon(receiver).system_messages, ["seen"]));
    assert_eq!((bench.lines("starts").len(), bench.lines("seen").len()), (3, 5));
}

#[test]
fn an_idle_one_ends() {
    let bench = Bench::new("said");
    let engine = bench.engine(json!({"worker": {"idleSeconds": 0.2}}));
    let _ = ask(&engine, "Read");
    wait_until(|| bench.lines("ends").len() == 1);
    assert_eq!(codes(&ask(&engine, "Read")), []);
    assert_eq!(bench.lines("starts").len(), 2);
}

#[test]
fn workers_end_with_their_engine_and_with_their_hooks() {
    let bench = Bench::new("said");
    let engine = bench.engine(json!({}));
    let _ = ask(&engine, "Read");
    drop(engine);
    wait_until(|| bench.lines("ends").len() == 1);

    let hooks = json!({"PreToolUse": [{"hooks": [bench.hook(json!({}))]}]});
    let path = bench.dir.file("settings.json", json!({"hooks": hooks}).to_string());
    let engine = Engine::new(Options::new("claude").settings_file(None, &path)).unwrap();
    for (others, ends) in [(json!({}), 2), (json!({"hooks": hooks, "disableAllHooks": true}), 3)] {
        std::fs::write(&path, json!({"hooks": hooks}).to_string()).unwrap();
        engine.reload().unwrap();
        assert_eq!(ask(&engine, "Read").hooks.len(), 1);
        std::fs::write(&path, others.to_string()).unwrap();
        engine.reload().unwrap();
        wait_until(|| bench.lines("ends").len() == ends);
    }
}

#[test]
fn one_that_does_not_end_at_the_end_of_its_input_is_killed() {
    let bench = Bench::new("said");
    bench.dir.file(
        "worker.sh",
        format!(
            "echo $$ >> '{}'\nread -r line\necho '{{\"crosshook\":{{\"id\":1}}}}'\nsleep 600",
            bench.path("starts").display()
        ),
    );
    let engine = bench.engine(json!({}));
    let _ = ask(&engine, "Read");
    drop(engine);
    let pid = bench.lines("starts")[0].clone();
    wait_until(|| gone(&pid));
}

#[test]
fn hooks_of_one_event_take_turns() {
    let bench = Bench::new("answer '{\"systemMessage\":\"seen\"}'");
    // Codex runs the same command twice.
    let hooks = json!([bench.hook(json!({})), bench.hook(json!({}))]);
    let engine = engine("codex", json!({"PreToolUse": [{"hooks": hooks}]}));
    assert_eq!(ask(&engine, "Bash").system_messages, ["seen", "seen"]);
    assert_eq!(support::block_on(engine.dispatch(event("Bash"))).unwrap().system_messages, ["seen", "seen"]);
    assert_eq!((bench.lines("starts").len(), bench.lines("seen").len()), (1, 4));
}

#[test]
fn every_event_gets_its_own_answer() {
    let bench = Bench::new(
        "tool=${line#*'\"tool_name\":\"'}; id=${line##*'\"id\":'}\n\
         printf '{\"systemMessage\":\"%s\",\"crosshook\":{\"id\":%s}}\\n' \"${tool%%'\"'*}\" \"${id%%\\}*}\"",
    );
    let engine = bench.engine(json!({"timeout": 60, "worker": {"maxConcurrent": 3, "queue": 100}}));
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let engine = &engine;
            scope.spawn(move || {
                for round in 0..25 {
                    let tool = format!("T{thread}x{round}");
                    let outcome = if round % 2 == 0 {
                        ask(engine, &tool)
                    } else {
                        support::block_on(engine.dispatch(event(&tool))).unwrap()
                    };
                    assert_eq!((outcome.system_messages, outcome.diagnostics.len()), (vec![tool], 0));
                }
            });
        }
    });
    assert!(bench.lines("starts").len() <= 3);
    assert_eq!(bench.lines("seen").len(), 150);
}
