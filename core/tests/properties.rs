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

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crosshook::{Decision, Engine, FunctionSpec, Options, Outcome, Request, Status};
use serde_json::{Value, json};

/// Hooks of one engine.
const HOOKS: usize = 6;

/// A small generator of pseudo-random numbers (xorshift); the same numbers in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    fn one<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

/// What a function answers.
#[derive(Debug, Clone, PartialEq)]
enum Answer {
    Text(String),
    Fails,
    Panics,
}

/// An engine whose functions answer what the case says, in the order of their registration.
struct Bench {
    dialect: &'static str,
    event: &'static str,
    engine: Engine,
    answers: Arc<Mutex<HashMap<String, Answer>>>,
    ids: Vec<String>,
}

impl Bench {
    fn new(dialect: &'static str, event: &'static str, closed: bool) -> Self {
        let answers = Arc::new(Mutex::new(HashMap::<String, Answer>::new()));
        let known = answers.clone();
        let host = move |request: Request| {
            let asked: Value = serde_json::from_str(request.json()).unwrap();
            let answer = known.lock().unwrap().get(asked["function"].as_str().unwrap()).cloned();
            match answer {
                Some(Answer::Text(text)) => request.reply(text),
                Some(Answer::Fails) | None => request.fail("no answer"),
                Some(Answer::Panics) => std::panic::resume_unwind(Box::new("the host fails")),
            }
        };
        let settings = if dialect == "zcode" { json!({"hooks": {"enabled": true}}) } else { json!({}) };
        let mut options = Options::new(dialect).settings_text(None, settings.to_string());
        options.fail_closed = closed;
        let engine = Engine::with_host(options, Arc::new(host)).unwrap();
        let ids =
            (0..HOOKS).map(|_| engine.register_function(FunctionSpec::new(event)).unwrap().id).collect();
        Self { dialect, event, engine, answers, ids }
    }

    /// The outcome of these answers; hooks without one say nothing.
    fn outcome(&self, given: &[Answer]) -> Outcome {
        {
            let mut answers = self.answers.lock().unwrap();
            answers.clear();
            for (index, id) in self.ids.iter().enumerate() {
                let answer = given.get(index).cloned().unwrap_or_else(|| Answer::Text(String::new()));
                answers.insert(id.clone(), answer);
            }
        }
        let event = json!({
            "hook_event_name": self.event, "session_id": "s", "cwd": "/", "tool_name": "T", "tool_input": {"a": 1},
            "prompt": "p", "stop_hook_active": false, "phase": "validation",
        });
        self.engine.dispatch_blocking(event.to_string()).unwrap()
    }

    fn permission(&self) -> bool {
        matches!(self.event, "PreToolUse" | "PermissionRequest")
    }

    fn objection(&self) -> Decision {
        if self.permission() { Decision::Deny } else { Decision::Block }
    }

    /// Answers that object in the dialect's own words; each names `reason`.
    fn objections(&self, reason: &str) -> Vec<Value> {
        let specific = |mut fields: Value| {
            fields["hookEventName"] = json!(self.event);
            json!({"hookSpecificOutput": fields})
        };
        let deny = specific(json!({"permissionDecision": "deny", "permissionDecisionReason": reason}));
        let refuse = specific(json!({"decision": {"behavior": "deny", "message": reason}}));
        let block = json!({"decision": "block", "reason": reason});
        let halt = json!({"continue": false, "stopReason": reason});
        let mixed = {
            let mut both =
                specific(json!({"permissionDecision": "allow", "permissionDecisionReason": "fine"}));
            both["decision"] = json!("block");
            both["reason"] = json!(reason);
            both
        };
        match (self.dialect, self.event) {
            (_, "PreToolUse") => vec![deny, block, halt, mixed],
            (_, "PermissionRequest") => vec![refuse],
            ("zcode", "Stop") | (_, "TodoCreated") => vec![block],
            ("codebuddy" | "zcode", "PostToolUse") => vec![block],
            _ => vec![block, halt],
        }
    }

    /// Answers that do not object: consent, text, contexts, rewrites, nonsense.
    fn others(&self) -> Vec<Answer> {
        let event = self.event;
        let values = [
            json!({}),
            json!({"reason": "just so"}),
            json!({"decision": "approve", "reason": "fine"}),
            json!({"systemMessage": "m", "suppressOutput": true}),
            json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": "c"}}),
            json!({"hookSpecificOutput": {"hookEventName": event, "permissionDecision": "allow",
                "permissionDecisionReason": "fine", "updatedInput": {"b": 2}}}),
            json!({"hookSpecificOutput": {"hookEventName": event, "permissionDecision": "ask",
                "permissionDecisionReason": "sure?", "modifiedInput": {"c": 3}}}),
            json!({"hookSpecificOutput": {"hookEventName": event, "decision": {"behavior": "allow",
                "updatedInput": {"d": 4}, "updatedPermissions": []}}}),
            json!({"hookSpecificOutput": {"hookEventName": "Nothing", "additionalContext": "c"}}),
            json!({"hookSpecificOutput": 7, "continue": "yes", "decision": 1}),
            json!({"decision": "allow"}),
            json!({"continue": true}),
        ];
        let texts =
            ["", "plain", "{\"decision\":", "[1]", "null", "\u{0}", "log\n{\"decision\":\"approve\"}"];
        let values = values.iter().map(Value::to_string);
        let texts = values.chain(texts.iter().map(|text| (*text).to_owned())).map(Answer::Text);
        texts.chain([Answer::Fails, Answer::Panics]).collect()
    }
}

const BENCHES: [(&str, &str); 13] = [
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
