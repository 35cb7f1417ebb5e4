//! Engines whose hooks are functions of the host that answer what a case says.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use crosshook::{Decision, Engine, FunctionSpec, Options, Outcome, Request};
use serde_json::{Value, json};

/// Hooks of one engine.
pub(crate) const HOOKS: usize = 6;

/// A small generator of pseudo-random numbers (xorshift); the same numbers in every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    pub(crate) fn one<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

/// What a function answers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Text(String),
    Fails,
    Panics,
}

fn give(request: Request, answer: Option<Answer>) {
    match answer {
        Some(Answer::Text(text)) => request.reply(text),
        _ => request.fail("no answer"),
    }
}

/// Answers what has come in, in an order of its own, whenever nothing more comes.
fn answering_thread() -> mpsc::Sender<(Request, Option<Answer>)> {
    let (sender, receiver) = mpsc::channel::<(Request, Option<Answer>)>();
    std::thread::spawn(move || {
        let mut dice = Dice(0xfeed);
        while let Ok(first) = receiver.recv() {
            let mut waiting = vec![first];
            while let Ok(next) = receiver.recv_timeout(Duration::from_millis(1)) {
                waiting.push(next);
            }
            dice.shuffle(&mut waiting);
            waiting.into_iter().for_each(|(request, answer)| give(request, answer));
        }
    });
    sender
}

/// When a host answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Replies {
    /// At once.
    AtOnce,
    /// Later, on another thread, in an order of its own.
    Shuffled,
}

/// Events that Gemini CLI calls differently, as (its own name, everybody else's).
const OF_GEMINI: [(&str, &str); 4] = [
    ("BeforeTool", "PreToolUse"),
    ("AfterTool", "PostToolUse"),
    ("BeforeAgent", "UserPromptSubmit"),
    ("AfterAgent", "Stop"),
];

/// What a dialect calls an event, whoever named it.
pub(crate) fn named(dialect: &str, event: &'static str) -> &'static str {
    let pair = OF_GEMINI.iter().find(|(own, other)| *own == event || *other == event);
    pair.map_or(event, |(own, other)| if dialect == "gemini" { own } else { other })
}

/// An engine whose functions answer what the case says, in the order of their registration.
pub(crate) struct Bench {
    pub(crate) dialect: &'static str,
    pub(crate) event: &'static str,
    engine: Engine,
    answers: Arc<Mutex<HashMap<String, Answer>>>,
    ids: Vec<String>,
}

impl Bench {
    pub(crate) fn new(dialect: &'static str, event: &'static str, closed: bool) -> Self {
        Self::mixed(dialect, event, closed, &[dialect; HOOKS], Replies::AtOnce)
    }

    /// Hooks of several dialects: one for each in `dialects`, in their order.
    pub(crate) fn mixed(
        dialect: &'static str,
        event: &'static str,
        closed: bool,
        dialects: &[&'static str],
        replies: Replies,
    ) -> Self {
        let answers = Arc::new(Mutex::new(HashMap::<String, Answer>::new()));
        let known = answers.clone();
        let later = (replies == Replies::Shuffled).then(answering_thread);
        let host = move |request: Request| {
            let asked: Value = serde_json::from_str(request.json()).unwrap();
            let answer = known.lock().unwrap().get(asked["function"].as_str().unwrap()).cloned();
            match (answer, &later) {
                (Some(Answer::Panics), _) => std::panic::resume_unwind(Box::new("the host fails")),
                (answer, Some(later)) => later.send((request, answer)).unwrap(),
                (answer, None) => give(request, answer),
            }
        };
        let settings = if dialect == "zcode" { json!({"hooks": {"enabled": true}}) } else { json!({}) };
        let mut options = Options::new(dialect).settings_text(None, settings.to_string());
        options.fail_closed = closed;
        let engine = Engine::with_host(options, Arc::new(host)).unwrap();
        let register = |own: &&'static str| {
            let mut spec = FunctionSpec::new(named(own, event));
            spec.dialect = Some((*own).to_owned());
            // Only what a test says decides, however loaded the machine is.
            spec.timeout_ms = Some(600_000);
            engine.register_function(spec).unwrap().id
        };
        let ids = dialects.iter().map(register).collect();
        Self { dialect, event, engine, answers, ids }
    }

    /// The outcome of these answers; hooks without one say nothing.
    pub(crate) fn outcome(&self, given: &[Answer]) -> Outcome {
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

    pub(crate) fn permission(&self) -> bool {
        matches!(self.event, "PreToolUse" | "PermissionRequest" | "BeforeTool")
    }

    pub(crate) fn objection(&self) -> Decision {
        if self.permission() { Decision::Deny } else { Decision::Block }
    }

    /// Answers that object in the dialect's own words; each names `reason`.
    pub(crate) fn objections(&self, reason: &str) -> Vec<Value> {
        self.objections_of(self.dialect, reason)
    }

    /// The same in the words of another dialect.
    pub(crate) fn objections_of(&self, dialect: &str, reason: &str) -> Vec<Value> {
        let event = named(dialect, self.event);
        let specific = |mut fields: Value| {
            fields["hookEventName"] = json!(event);
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
        match (dialect, event) {
            // There a halt is no decision.
            ("claude", "PreToolUse") => vec![deny, block, mixed],
            ("gemini", _) => vec![block, json!({"decision": "deny", "reason": reason})],
            // A `continue` of false is a failure there, and so is an allow without a rewrite.
            ("codex", "PreToolUse") => vec![deny, block],
            ("claude" | "codex", event) if event != "PermissionRequest" => vec![block],
            (_, "PreToolUse") => vec![deny, block, halt, mixed],
            (_, "PermissionRequest") => vec![refuse],
            ("zcode", "Stop") | (_, "TodoCreated") => vec![block],
            ("codebuddy" | "zcode", "PostToolUse") => vec![block],
            _ => vec![block, halt],
        }
    }

    /// Answers that do not object: consent, text, contexts, rewrites, nonsense.
    pub(crate) fn others(&self) -> Vec<Answer> {
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
