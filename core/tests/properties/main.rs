//! Properties of merging that hold for any answers in any order: thousands of generated cases, answered by functions of
//! the host, so that no process is started.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod bench;

use bench::{Answer, Bench, Dice, HOOKS, Replies, named};
use crosshook::{Decision, Outcome, Status};
use serde_json::Value;

const BENCHES: [(&str, &str); 27] = [
    ("codebuddy", "PreToolUse"),
    ("codebuddy", "PermissionRequest"),
    ("codebuddy", "UserPromptSubmit"),
    ("codebuddy", "PostToolUse"),
    ("codebuddy", "Stop"),
    ("zcode", "PreToolUse"),
    ("zcode", "PermissionRequest"),
    ("zcode", "UserPromptSubmit"),
    ("zcode", "Stop"),
    ("qwen", "PreToolUse"),
    ("qwen", "PermissionRequest"),
    ("qwen", "Stop"),
    ("qwen", "TodoCreated"),
    ("claude", "PreToolUse"),
    ("claude", "PermissionRequest"),
    ("claude", "UserPromptSubmit"),
    ("claude", "PostToolUse"),
    ("claude", "Stop"),
    ("codex", "PreToolUse"),
    ("codex", "PermissionRequest"),
    ("codex", "UserPromptSubmit"),
    ("codex", "PostToolUse"),
    ("codex", "Stop"),
    ("gemini", "BeforeTool"),
    ("gemini", "BeforeAgent"),
    ("gemini", "AfterTool"),
    ("gemini", "AfterAgent"),
];

fn benches(closed: bool) -> impl Iterator<Item = Bench> {
    BENCHES.iter().map(move |(dialect, event)| Bench::new(dialect, event, closed))
}

#[test]
fn an_objection_is_never_lost_whatever_others_say_and_in_any_order() {
    let mut dice = Dice(0x00c0_ffee);
    for bench in benches(false) {
        let others = bench.others();
        for round in 0..300 {
            let reason = format!("because {round}");
            let objection = dice.one(&bench.objections(&reason)).to_string();
            let mut answers = vec![Answer::Text(objection.clone())];
            for _ in 0..dice.below(HOOKS) {
                answers.push(dice.one(&others).clone());
            }
            dice.shuffle(&mut answers);
            let at = answers.iter().position(|answer| *answer == Answer::Text(objection.clone())).unwrap();
            let outcome = bench.outcome(&answers);
            let case = format!("{} {} {answers:?}: {}", bench.dialect, bench.event, outcome.to_json());
            assert_eq!(outcome.decision, bench.objection(), "{case}");
            assert!(outcome.reason.as_deref().unwrap_or_default().contains(&reason), "{case}");
            let report = &outcome.hooks[at];
            assert_eq!((report.decision, report.status), (bench.objection(), Status::Blocked), "{case}");
            assert!(outcome.updated_input.is_none(), "no input beside a denial: {case}");
        }
    }
}

#[test]
fn the_strongest_single_decision_wins_and_silence_is_no_consent() {
    let mut dice = Dice(0x5eed);
    for bench in benches(false) {
        let others = bench.others();
        let alone: Vec<Decision> =
            others.iter().map(|answer| bench.outcome(std::slice::from_ref(answer)).decision).collect();
        for (answer, decision) in others.iter().zip(&alone) {
            let consents = matches!(answer, Answer::Text(text) if text.starts_with('{') && text.contains("llow\"")
                || text.starts_with("{\"decision\":\"approve\""));
            assert!(consents || *decision != Decision::Allow, "{} {} {answer:?}", bench.dialect, bench.event);
        }
        for _ in 0..200 {
            let picked: Vec<usize> = (0..=dice.below(HOOKS)).map(|_| dice.below(others.len())).collect();
            let answers: Vec<Answer> = picked.iter().map(|index| others[*index].clone()).collect();
            let outcome = bench.outcome(&answers);
            let wanted = picked.iter().map(|index| alone[*index]).max_by_key(|decision| decision.strength());
            let case = format!("{} {} {answers:?}: {}", bench.dialect, bench.event, outcome.to_json());
            assert_eq!(Some(outcome.decision), wanted, "{case}");
            assert_eq!(outcome.hooks.len(), HOOKS, "{case}");
            let mut turned = answers.clone();
            turned.reverse();
            assert_eq!(
                bench.outcome(&turned).decision,
                outcome.decision,
                "the order decides nothing: {case}"
            );
        }
    }
}

#[test]
fn a_failure_that_closes_is_not_lost_and_gives_its_own_reason() {
    let mut dice = Dice(0xc105ed);
    for bench in benches(true) {
        let others = bench.others();
        for _ in 0..200 {
            let failure =
                dice.one(&[Answer::Fails, Answer::Panics, Answer::Text("{\"decision\":".into())]).clone();
            let mut answers = vec![failure];
            for _ in 0..dice.below(HOOKS) {
                answers.push(dice.one(&others).clone());
            }
            dice.shuffle(&mut answers);
            let outcome = bench.outcome(&answers);
            let case = format!("{} {} {answers:?}: {}", bench.dialect, bench.event, outcome.to_json());
            assert_eq!(outcome.decision, bench.objection(), "{case}");
            assert!(
                outcome.reason.as_deref().unwrap_or_default().contains("fail mode is `closed`"),
                "{case}"
            );
        }
    }
}

/// Two hooks of every dialect that has the event, in turn.
fn of_every_dialect(event: &'static str) -> Vec<&'static str> {
    let lacks = |dialect: &str| dialect == "gemini" && event == "PermissionRequest";
    let dialects: Vec<&str> = crosshook::dialect_names().into_iter().filter(|name| !lacks(name)).collect();
    dialects.iter().chain(&dialects).copied().collect()
}

#[test]
fn an_objection_outlives_hooks_of_every_dialect() {
    let mut dice = Dice(0xacce55);
    for event in ["PreToolUse", "PermissionRequest", "UserPromptSubmit", "Stop"] {
        let dialects = of_every_dialect(event);
        for main in crosshook::dialect_names().into_iter().filter(|name| dialects.contains(name)) {
            let bench = Bench::mixed(main, named(main, event), false, &dialects, Replies::AtOnce);
            let others = bench.others();
            for round in 0..100 {
                let mut answers: Vec<Answer> = dialects.iter().map(|_| dice.one(&others).clone()).collect();
                let (at, reason) = (dice.below(dialects.len()), format!("because {round}"));
                let objection = dice.one(&bench.objections_of(dialects[at], &reason)).to_string();
                answers[at] = Answer::Text(objection);
                let outcome = bench.outcome(&answers);
                let case = format!("{main} {event} {answers:?}: {}", outcome.to_json());
                assert_eq!(outcome.decision, bench.objection(), "{case}");
                assert!(outcome.reason.as_deref().unwrap_or_default().contains(&reason), "{case}");
                assert!(outcome.updated_input.is_none(), "{case}");
                let denied = outcome.hooks.iter().filter(|hook| hook.reason.as_deref() == Some(&reason));
                assert!(denied.into_iter().any(|hook| hook.dialect == dialects[at]), "{case}");
            }
        }
    }
}

/// What an outcome says beside how long it took.
fn timeless(outcome: &Outcome) -> Value {
    let mut value: Value = serde_json::from_str(&outcome.to_json()).unwrap();
    value["hooks"].as_array_mut().unwrap().iter_mut().for_each(|hook| hook["duration_ms"] = Value::Null);
    value
}

#[test]
fn the_order_in_which_hooks_finish_changes_nothing() {
    let mut dice = Dice(0x0bde12);
    for (dialect, event) in BENCHES {
        let at_once = Bench::new(dialect, event, false);
        let shuffled = Bench::mixed(dialect, event, false, &[dialect; HOOKS], Replies::Shuffled);
        let others = at_once.others();
        for round in 0..12 {
            let mut answers: Vec<Answer> = (0..HOOKS).map(|_| dice.one(&others).clone()).collect();
            if round % 3 == 0 {
                let at = dice.below(HOOKS);
                answers[at] = Answer::Text(dice.one(&at_once.objections("no")).to_string());
            }
            // The ids of two engines are the same, because their hooks were registered in the same order.
            let (one, other) = (at_once.outcome(&answers), shuffled.outcome(&answers));
            assert_eq!(timeless(&one), timeless(&other), "{dialect} {event} {answers:?}");
        }
    }
}

#[test]
fn the_order_in_which_hooks_are_configured_changes_only_orders() {
    let mut dice = Dice(0x50f7);
    for bench in benches(false) {
        let (others, objections) = (bench.others(), bench.objections("no"));
        for round in 0..100 {
            let mut answers: Vec<Answer> = (0..HOOKS).map(|_| dice.one(&others).clone()).collect();
            if round % 2 == 0 {
                answers[0] = Answer::Text(dice.one(&objections).to_string());
            }
            let sorted = |texts: &[String]| {
                let mut texts = texts.to_vec();
                texts.sort();
                texts
            };
            let meaning = |outcome: &Outcome| {
                let (contexts, messages) =
                    (sorted(&outcome.additional_context), sorted(&outcome.system_messages));
                let rewritten = outcome.updated_input.is_some();
                (outcome.decision, contexts, messages, outcome.suppress_output, outcome.interrupt, rewritten)
            };
            let before = bench.outcome(&answers);
            dice.shuffle(&mut answers);
            let after = bench.outcome(&answers);
            assert_eq!(meaning(&before), meaning(&after), "{} {} {answers:?}", bench.dialect, bench.event);
        }
    }
}

#[test]
fn of_competing_rewrites_the_last_one_configured_wins_and_the_others_are_named() {
    let mut dice = Dice(0x2e1e7e);
    for bench in benches(false).filter(|bench| bench.event == "PreToolUse") {
        for _ in 0..50 {
            let count = 2 + dice.below(HOOKS - 1);
            let rewrite = |number: usize| {
                Answer::Text(format!(
                    r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"allow",
                    "updatedInput":{{"number":{number}}}}}}}"#
                ))
            };
            let outcome = bench.outcome(&(0..count).map(rewrite).collect::<Vec<_>>());
            let case = format!("{}: {}", bench.dialect, outcome.to_json());
            let input: Value = serde_json::from_str(outcome.updated_input.as_ref().unwrap().get()).unwrap();
            assert_eq!(input, serde_json::json!({"number": count - 1}), "{case}");
            let lost = outcome.diagnostics.iter().filter(|one| one.code.as_str() == "rewrite_lost");
            assert_eq!(lost.count(), count - 1, "{case}");
        }
    }
}

#[test]
fn every_key_of_the_contract_is_always_there() {
    const OUTCOME: &str = "additional_context decision diagnostics event extra hooks interrupt reason stop \
                           suppress_output system_messages updated_input updated_output updated_permissions";
    const HOOK: &str = "decision dialect duration_ms error exit_code id label matcher origin reason status \
                        stderr_bytes stdout_bytes truncated type";
    let keys = |value: &Value| {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys.join(" ")
    };
    let mut dice = Dice(0x5e7);
    for bench in benches(false).chain(benches(true)) {
        let others = bench.others();
        for _ in 0..40 {
            let mut answers: Vec<Answer> = (0..HOOKS).map(|_| dice.one(&others).clone()).collect();
            answers[0] = Answer::Text(dice.one(&bench.objections("no")).to_string());
            answers.truncate(1 + dice.below(HOOKS));
            dice.shuffle(&mut answers);
            let outcome: Value = serde_json::from_str(&bench.outcome(&answers).to_json()).unwrap();
            assert_eq!(keys(&outcome), OUTCOME, "{outcome}");
            for hook in outcome["hooks"].as_array().unwrap() {
                assert_eq!(keys(hook), HOOK, "{outcome}");
            }
        }
    }
}
