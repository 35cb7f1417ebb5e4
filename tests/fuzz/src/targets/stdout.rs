//! What hooks print, of each dialect. The first bytes are the dialect, the event, the end of the first hook and the
//! fail mode; then, cut at 0x1E: its standard output, its standard error, and the standard output of more hooks.

use std::cell::RefCell;
use std::collections::HashMap;

use crosshook::process::{Command, End, Finished};
use crosshook::testing::EventFacts;
use crosshook::{Decision, Engine, Outcome, Status};
use serde_json::{Value, json};

use super::{choose, choose_dialect, contract, ended, exited, options, parts, sample_event, settings_with};

/// Hooks of one engine.
const HOOKS: usize = 3;

/// What surrounds a text without changing what JavaScript reads of it.
const BLANKS: [(&str, &str); 4] =
    [("\u{feff}", ""), (" \r\n\t", "\n\n"), ("\u{a0}\u{2028}", "\u{feff}"), ("\n\u{feff} ", "\u{3000}\u{b}")];

/// Promises: the outcome keeps the contract; exit code 2 blocks where anything can block; nothing but an answer that
/// says so consents; blanks and a BOM around an answer change nothing; a failure that closes denies; the strongest of all
/// hooks wins in any order, so that no further hook weakens a denial.
pub fn run(mut bytes: &[u8]) {
    let Some(dialect) = choose_dialect(&mut bytes) else { return };
    let events = crosshook::testing::events(dialect);
    let Some(event) = choose(&mut bytes, &events) else { return };
    let ends: Vec<i32> = (0..7).chain([126, 127, 255, 2, 2, 0, 0, 0, 0, 0, 0]).collect();
    let Some(code) = choose(&mut bytes, &ends) else { return };
    let Some(closed) = choose(&mut bytes, &[false, true]) else { return };
    let bench = Bench { dialect, event, closed: *closed };
    let all: Vec<&[u8]> = parts(bytes).collect();
    let (stdout, stderr) = (all.first().copied().unwrap_or(b""), all.get(1).copied().unwrap_or(b""));
    bench.one_answer(stdout, stderr);
    bench.one_end(*code, stdout, stderr);
    bench.together(*code, stdout, stderr, all.get(2..).unwrap_or_default());
}

struct Bench<'a> {
    dialect: &'static str,
    event: &'a EventFacts,
    closed: bool,
}

thread_local! {
    /// Engines cost more than what is tested with them.
    static ENGINES: RefCell<HashMap<(&'static str, &'static str, bool), Engine>> = RefCell::default();
}

impl Bench<'_> {
    fn engine(&self) -> Engine {
        let make = || {
            let hooks: Vec<Value> = (0..HOOKS)
                .map(|index| json!({"type": "command", "command": format!("hook-{index}")}))
                .collect();
            let settings = settings_with(self.dialect, self.event.name, &json!([{"hooks": hooks}]));
            let mut options = options(self.dialect).settings_text(None, settings);
            options.fail_closed = self.closed;
            Engine::new(options).expect("sound settings")
        };
        ENGINES.with_borrow_mut(|engines| {
            engines.entry((self.dialect, self.event.name, self.closed)).or_insert_with(make).clone()
        })
    }

    /// The outcome when the first hooks end so; the others say nothing.
    fn outcome(&self, given: &[Finished]) -> Outcome {
        let run = |command: &Command| {
            let line =
                command.args.last().map(|line| line.to_string_lossy().into_owned()).unwrap_or_default();
            let index = line.rsplit_once('-').and_then(|(_, index)| index.parse::<usize>().ok());
            let index = index.expect("the command is the one that was configured");
            given.get(index).map_or_else(|| exited(0, b"", b""), copy)
        };
        let event = sample_event(self.event.name).to_string();
        let outcome = crosshook::testing::dispatch(&self.engine(), event, run).expect("a sound event");
        contract::decision(&outcome, Some(self.event.permission));
        assert_eq!(outcome.hooks.len(), HOOKS, "{}", outcome.to_json());
        outcome
    }

    fn alone(&self, finished: Finished) -> Outcome {
        self.outcome(&[finished])
    }

    /// What an objection is here, when there is any.
    fn objection(&self) -> Option<Decision> {
        crosshook::testing::blocking(self.dialect, &sample_event(self.event.name).to_string())
    }

    /// A hook that ended well.
    fn one_answer(&self, stdout: &[u8], stderr: &[u8]) {
        let outcome = self.alone(exited(0, stdout, stderr));
        contract::outcome(&outcome, Some(self.event.permission));
        let text = String::from_utf8_lossy(stdout);
        if outcome.decision == Decision::Allow {
            assert!(may_say(ALLOWS, &text), "{text:?} allows: {}", outcome.to_json());
        }
        // One of them an input: a fuzzer tries lengths of every kind.
        let (before, after) = BLANKS[stdout.len() % BLANKS.len()];
        let padded = [before.as_bytes(), stdout, after.as_bytes()].concat();
        let again = self.alone(exited(0, &padded, stderr));
        let meaning = |outcome: &Outcome| {
            let input = outcome.updated_input.as_ref().map(|input| input.get().to_owned());
            (outcome.decision, outcome.reason.clone(), input, outcome.additional_context.clone())
        };
        assert_eq!(meaning(&outcome), meaning(&again), "{text:?} between {before:?} and {after:?}");
    }

    /// Every other end of the same hook.
    fn one_end(&self, code: i32, stdout: &[u8], stderr: &[u8]) {
        let objection = self.objection();
        let blocked = self.alone(exited(2, stdout, stderr));
        if let Some(objection) = objection.filter(|_| self.event.exit2_decides) {
            // Codex takes exit code 2 without a reason on standard error for a failure, and says so.
            let failed =
                blocked.hooks[0].status == Status::Error && is_blank(&String::from_utf8_lossy(stderr));
            let code_failed = blocked.diagnostics.iter().any(|one| one.code.as_str() == "hook_failed");
            assert!(
                blocked.decision == objection || failed && code_failed,
                "exit code 2 blocks: {}",
                blocked.to_json()
            );
            assert!(blocked.hooks[0].status == Status::Blocked || failed, "{}", blocked.to_json());
        }
        // Some agents read an answer whatever the exit code is, where that code decides nothing.
        let answers = [stdout, stderr].iter().any(|text| may_say(CONSENTS, &String::from_utf8_lossy(text)));
        assert!(answers || !consents(&blocked), "exit code 2 consents: {}", blocked.to_json());
        let failure = match stderr.len() % 4 {
            0 => End::Signaled(9),
            1 => End::TimedOut,
            2 => End::StatusLost,
            _ => End::Exited(code.max(3)),
        };
        let answers = answers && matches!(failure, End::Exited(_));
        let failed = self.alone(ended(failure, stdout, stderr));
        assert!(answers || !consents(&failed), "a failure consents: {}", failed.to_json());
        if self.closed {
            let wanted = objection.unwrap_or_default();
            assert_eq!(failed.decision, wanted, "a failure that closes: {}", failed.to_json());
        }
    }

    /// Several hooks: the strongest wins, in any order.
    fn together(&self, code: i32, stdout: &[u8], stderr: &[u8], more: &[&[u8]]) {
        let mut given = vec![exited(code, stdout, stderr)];
        given.extend(more.iter().take(HOOKS - 1).map(|stdout| exited(0, stdout, b"")));
        let strength = |finished: &Finished| self.alone(copy(finished)).decision.strength();
        let strongest = given.iter().map(strength).max().unwrap_or_default();
        for _ in 0..given.len() {
            let outcome = self.outcome(&given);
            contract::outcome(&outcome, Some(self.event.permission));
            let strength = outcome.decision.strength();
            assert!(strength == strongest || contract::halted(&outcome), "{}", outcome.to_json());
            given.rotate_left(1);
        }
    }
}

fn copy(finished: &Finished) -> Finished {
    let end = match &finished.end {
        End::Exited(code) => End::Exited(*code),
        End::Signaled(signal) => End::Signaled(*signal),
        End::TimedOut => End::TimedOut,
        _ => End::StatusLost,
    };
    ended(end, &finished.stdout.bytes, &finished.stderr.bytes)
}

/// Whether it lets the call go on, with or without asking.
fn consents(outcome: &Outcome) -> bool {
    !outcome.decision.blocks() && outcome.decision != Decision::None
}

fn blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

fn is_blank(text: &str) -> bool {
    text.chars().all(blank)
}

const ALLOWS: &[&str] = &["\"allow\"", "\"approve\""];
const CONSENTS: &[&str] = &["\"allow\"", "\"approve\"", "\"ask\"", "\"defer\""];

/// Whether another parser finds one of `words` in an object, or in a string that holds one. What that parser cannot
/// read, and JavaScript can, may say anything: lone surrogates, deep nesting.
fn may_say(words: &[&str], text: &str) -> bool {
    let says = |text: &str| words.iter().any(|word| text.contains(word));
    match serde_json::from_str::<Value>(text.trim_matches(blank)) {
        Ok(Value::String(inner)) => inner.contains('\\') || says(&inner),
        Ok(object @ Value::Object(_)) => says(&object.to_string()),
        Ok(_) => false,
        Err(error) => text.contains("\\u") || error.to_string().contains("recursion"),
    }
}
