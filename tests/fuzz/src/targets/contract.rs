//! The contract of the outcome (version 1) and of what else is handed out as JSON.

use std::collections::BTreeMap;

use crosshook::{Decision, Diagnostic, Outcome};
use serde_json::value::RawValue;

type Fields<'a> = BTreeMap<String, &'a RawValue>;

const OUTCOME: [&str; 14] = [
    "additional_context",
    "decision",
    "diagnostics",
    "event",
    "extra",
    "hooks",
    "interrupt",
    "reason",
    "stop",
    "suppress_output",
    "system_messages",
    "updated_input",
    "updated_output",
    "updated_permissions",
];

const HOOK: [&str; 15] = [
    "decision",
    "dialect",
    "duration_ms",
    "error",
    "exit_code",
    "id",
    "label",
    "matcher",
    "origin",
    "reason",
    "status",
    "stderr_bytes",
    "stdout_bytes",
    "truncated",
    "type",
];

/// A message for people is no longer than this, whatever a hook or a file said.
const MESSAGE: usize = 8_000;

/// Asserts that an outcome is what every host can rely on. `permission`: whether the event asks for one; `None` when
/// the dialect does not have the event.
pub fn outcome(outcome: &Outcome, permission: Option<bool>) {
    let text = outcome.to_json();
    let fields: Fields<'_> = serde_json::from_str(&text).expect("an outcome is JSON");
    assert!(fields.keys().eq(OUTCOME.iter()), "an outcome has all its keys and no more: {text}");
    for (key, starts) in [
        ("additional_context", "["),
        ("decision", "\""),
        ("diagnostics", "["),
        ("event", "\""),
        ("extra", "{"),
        ("hooks", "["),
        ("interrupt", "tf"),
        ("reason", "n\""),
        ("stop", "n{"),
        ("suppress_output", "tf"),
        ("system_messages", "["),
        ("updated_input", "n{"),
    ] {
        assert!(fields[key].get().starts_with(|c| starts.contains(c)), "the type of `{key}`: {text}");
    }
    let hooks: Vec<Fields<'_>> = serde_json::from_str(fields["hooks"].get()).expect("hooks are objects");
    assert_eq!(hooks.len(), outcome.hooks.len());
    for hook in &hooks {
        assert!(hook.keys().eq(HOOK.iter()), "a hook's report has all its keys and no more: {text}");
    }
    outcome.diagnostics.iter().for_each(diagnostic);
    decision(outcome, permission);
}

/// The part of it that is about the decision, and quick.
pub fn decision(outcome: &Outcome, permission: Option<bool>) {
    let case = Case(outcome);
    match permission {
        Some(true) => assert_ne!(outcome.decision, Decision::Block, "{case}"),
        Some(false) => assert!(matches!(outcome.decision, Decision::None | Decision::Block), "{case}"),
        None => {}
    }
    let strongest = outcome.hooks.iter().map(|hook| hook.decision.strength()).max().unwrap_or_default();
    let strength = outcome.decision.strength();
    assert!(strength == strongest || halted(outcome), "the strongest decision of all hooks wins: {case}");
    if outcome.decision.blocks() {
        let says = outcome.reason.as_deref().is_some_and(|reason| !reason.is_empty());
        assert!(says || !outcome.additional_context.is_empty(), "a block says something: {case}");
        assert!(outcome.updated_input.is_none(), "no input for a call that is denied: {case}");
    } else if outcome.decision == Decision::None {
        assert!(outcome.reason.is_none(), "no reason without a decision: {case}");
    }
}

/// Whether a hook halts the agent, which in some agents ends what another one's block would have kept going: a stop that
/// was to be prevented. A permission is never decided so, and a diagnostic names the block that does not count.
pub fn halted(outcome: &Outcome) -> bool {
    outcome.stop.is_some()
        && outcome.decision == Decision::None
        && outcome.hooks.iter().all(|hook| matches!(hook.decision, Decision::None | Decision::Block))
        && outcome.diagnostics.iter().any(|one| one.code.as_str() == "decision_unused")
}

/// Written only when an assertion fails.
struct Case<'a>(&'a Outcome);

impl std::fmt::Display for Case<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.to_json())
    }
}

/// Asserts that a diagnostic says something, within bounds.
pub fn diagnostic(diagnostic: &Diagnostic) {
    let Diagnostic { message, .. } = diagnostic;
    assert!(!message.is_empty(), "an empty diagnostic: {diagnostic:?}");
    assert!(message.len() <= MESSAGE, "{} bytes of a message: {}", message.len(), head(message));
}

/// Asserts that `text` is a JSON array of `count` objects.
pub fn list(text: &str, count: usize) {
    let items: Vec<Fields<'_>> = serde_json::from_str(text).expect("a list of objects");
    assert_eq!(items.len(), count, "{}", head(text));
}

fn head(text: &str) -> String {
    text.chars().take(500).collect()
}
