//! What outlives an event: how often a stop was prevented, and which hooks have had their one run.
//!
//! Keyed by the event's `session_id`. A host that never ends a session costs bounded memory: the session that was not
//! heard of for the longest time is forgotten first.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{Dialect, StopCap, Version, to_common};
use crate::event::Event;
use crate::fields::{Fields, Value};
use crate::goal::Goal;
use crate::hook::Hook;
use crate::json::{Object, shallow_merge};
use crate::outcome::{Decision, Outcome};
use crate::process::Environment;
use crate::reply::Verdict;

/// So many sessions are remembered.
const SESSIONS: usize = 1024;

/// The sessions of one engine.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    sessions: HashMap<String, Session>,
    clock: u64,
}

#[derive(Debug, Default)]
struct Session {
    last_used: u64,
    /// Consecutive prevented stops, by event and agent.
    prevented: HashMap<String, u32>,
    goal: Option<Goal>,
    /// Hooks that have run and run only once.
    used_up: HashSet<String>,
}

impl Sessions {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, id: &str, work: impl FnOnce(&mut Session) -> T) -> T {
        work(self.known().session(id))
    }

    /// Forgets a session.
    pub(crate) fn end(&self, id: &str) -> bool {
        self.known().sessions.remove(id).is_some()
    }

    /// The event with what the session knows: `stop_hook_active`, when the host left it out.
    pub(crate) fn prepare(&self, event: Event, dialect: &Dialect) -> Event {
        match self.begin(&event, dialect) {
            Some(active) => {
                let value = if active { "true" } else { "false" };
                with_field(&event, "stop_hook_active", value).unwrap_or(event)
            }
            None => event,
        }
    }

    /// What a session reads of an event of this name.
    pub(crate) fn reads(name: &str, dialect: &Dialect) -> &'static [&'static str] {
        if is_new_input(name, dialect) {
            &["session_id"]
        } else if counts(name, dialect) {
            &["session_id", "agent_id", "stop_hook_active"]
        } else {
            &[]
        }
    }

    /// Notes that the event happens. Returns what its `stop_hook_active` is to be, when the host left it out.
    pub(crate) fn begin(&self, event: &dyn Fields, dialect: &Dialect) -> Option<bool> {
        if is_new_input(event.name(), dialect) {
            // Only a session that is known has anything to reset.
            if let Some(session) = self.known().sessions.get_mut(&*session_id(event)) {
                session.prevented.clear();
            }
            return None;
        }
        if !counts(event.name(), dialect) {
            return None;
        }
        let (id, key) = (session_id(event), stop_key(event));
        match event.value("stop_hook_active") {
            // The first stop of a turn.
            Value::Bool(false) => {
                self.with(&id, |session| session.prevented.remove(&key));
                None
            }
            Value::Missing => {
                Some(self.with(&id, |session| session.prevented.get(&key).is_some_and(|count| *count > 0)))
            }
            _ => None,
        }
    }

    /// How many stops in a row were prevented before the event's, where they are counted.
    pub(crate) fn prevented(&self, event: &dyn Fields, dialect: &Dialect) -> u32 {
        if !counts(event.name(), dialect) {
            return 0;
        }
        let known = self.known();
        let session = known.sessions.get(&*session_id(event));
        session.and_then(|session| session.prevented.get(&stop_key(event))).copied().unwrap_or_default()
    }

    /// Says how many stops in a row were prevented before the event's.
    pub(crate) fn set_prevented(&self, event: &dyn Fields, count: u32) {
        self.with(&session_id(event), |session| session.prevented.insert(stop_key(event), count));
    }

    /// Counts a prevented stop, and lets the agent stop when the cap is reached.
    pub(crate) fn settle(
        &self,
        event: &dyn Fields,
        dialect: &Dialect,
        version: Version,
        env: &Environment,
        setting: impl FnOnce() -> Option<f64>,
        outcome: &mut Outcome,
    ) {
        let holds = |cap: &&StopCap| {
            cap.events.contains(&event.name()) && cap.since.is_none_or(|since| version >= since)
        };
        let Some(cap) = dialect.stop_cap.as_ref().filter(holds) else {
            return;
        };
        let (id, key) = (session_id(event), stop_key(event));
        let limit = cap.limit(env, setting());
        let honoured = self.with(&id, |session| {
            if !outcome.decision.blocks() || outcome.stop.is_some() {
                session.prevented.remove(&key);
                return true;
            }
            let count = session.prevented.entry(key.clone()).or_default();
            *count = count.saturating_add(1);
            if *count > limit {
                session.prevented.remove(&key);
                return false;
            }
            true
        });
        if !honoured {
            let reason = outcome.reason.take().unwrap_or_default();
            outcome.decision = Decision::None;
            let text = format!(
                "hooks have kept the agent from stopping {limit} times in a row, which is the most {} allows; it stops \
                 now, although a hook still objects: {reason}",
                dialect.product
            );
            outcome.diagnostics.push(Diagnostic::warning(Code::StopCapReached, text));
        }
    }

    /// Sets or takes away a session's goal. Returns whether it had one.
    pub(crate) fn set_goal(&self, id: &str, goal: Option<Goal>) -> bool {
        if goal.is_none() {
            return self.known().sessions.get_mut(id).is_some_and(|session| session.goal.take().is_some());
        }
        self.with(id, |session| std::mem::replace(&mut session.goal, goal).is_some())
    }

    /// A session's goal.
    pub(crate) fn goal(&self, id: &str) -> Option<Goal> {
        self.known().sessions.get(id).and_then(|session| session.goal.clone())
    }

    /// Changes a session's goal. Returns whether it has one.
    pub(crate) fn with_goal(&self, id: &str, work: impl FnOnce(&mut Goal)) -> bool {
        let mut known = self.known();
        let goal = known.sessions.get_mut(id).and_then(|session| session.goal.as_mut());
        goal.map(work).is_some()
    }

    /// The hook that judges the goal of the event's session.
    pub(crate) fn goal_hook(&self, event: &dyn Fields, dialect: &'static Dialect) -> Option<Arc<Hook>> {
        if event.name() != GOAL_EVENT {
            return None;
        }
        let id = session_id(event);
        self.goal(&id)?.hook(dialect, &id)
    }

    /// Notes what the model said of the goal.
    pub(crate) fn judge_goal(&self, event: &Event, verdict: &Verdict) {
        self.with_goal(&session_id(event), |goal| goal.judged(verdict));
    }

    /// Whether a hook that runs only once has its run now. Marks it as used up.
    pub(crate) fn first_run(&self, event: &Event, key: &str) -> bool {
        let key = format!("{}\0{key}", event.name());
        self.with(&session_id(event), |session| session.used_up.insert(key))
    }
}

impl Known {
    fn session(&mut self, id: &str) -> &mut Session {
        self.clock = self.clock.saturating_add(1);
        if !self.sessions.contains_key(id) && self.sessions.len() >= SESSIONS {
            let oldest = self
                .sessions
                .iter()
                .min_by_key(|(_, session)| (session.goal.is_some(), session.last_used))
                .map(|(id, _)| id.clone());
            if let Some(oldest) = oldest {
                self.sessions.remove(&oldest);
            }
        }
        let session = self.sessions.entry(id.to_owned()).or_default();
        session.last_used = self.clock;
        session
    }
}

/// The event at which a session's goal is judged.
pub(crate) const GOAL_EVENT: &str = "Stop";

/// Whether a stop after this event is the first one again.
fn is_new_input(name: &str, dialect: &Dialect) -> bool {
    matches!(to_common(dialect.names.events, name), "UserPromptSubmit" | "SessionStart")
}

/// Whether the stops of this name are counted.
fn counts(name: &str, dialect: &Dialect) -> bool {
    dialect.stop_cap.as_ref().is_some_and(|cap| cap.events.contains(&name))
}

fn session_id(event: &dyn Fields) -> Cow<'_, str> {
    event.string("session_id").unwrap_or_default()
}

/// A subagent's stops are counted apart.
fn stop_key(event: &dyn Fields) -> String {
    format!("{}\0{}", event.name(), event.string("agent_id").unwrap_or_default())
}

fn with_field(event: &Event, key: &str, raw: &str) -> Option<Event> {
    let patch = Object::from_raw(&format!(r#"{{"{key}":{raw}}}"#))?;
    Event::parse(shallow_merge(event.fields(), &patch)?.get()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::by_name;

    fn event(text: &str) -> Event {
        Event::parse(text).unwrap()
    }

    /// What a blocked stop becomes, and whether the hook saw that it had blocked before.
    fn stop(
        sessions: &Sessions,
        dialect: &str,
        text: &str,
        setting: Option<f64>,
    ) -> (Decision, Option<String>) {
        let dialect = by_name(dialect).unwrap();
        let event = sessions.prepare(event(text), dialect);
        let mut outcome =
            Outcome { decision: Decision::Block, reason: Some("r".into()), ..Outcome::default() };
        let env = Environment::new(std::iter::empty::<(&str, &str)>());
        sessions.settle(&event, dialect, Version::NEWEST, &env, || setting, &mut outcome);
        (outcome.decision, event.get("stop_hook_active").map(str::to_owned))
    }

    fn seen(active: &str) -> Option<String> {
        Some(active.to_owned())
    }

    #[test]
    fn zcode_goes_on_three_times() {
        let sessions = Sessions::default();
        let text = r#"{"hook_event_name":"Stop","session_id":"s"}"#;
        assert_eq!(stop(&sessions, "zcode", text, None), (Decision::Block, seen("false")));
        assert_eq!(stop(&sessions, "zcode", text, None), (Decision::Block, seen("true")));
        assert_eq!(stop(&sessions, "zcode", text, None), (Decision::Block, seen("true")));
        assert_eq!(stop(&sessions, "zcode", text, None), (Decision::None, seen("true")));
        assert_eq!(stop(&sessions, "zcode", text, None), (Decision::Block, seen("false")), "a new turn");
        let other = r#"{"hook_event_name":"Stop","session_id":"t"}"#;
        assert_eq!(
            stop(&sessions, "zcode", other, None),
            (Decision::Block, seen("false")),
            "another session"
        );
    }

    #[test]
    fn qwen_does_not_honour_the_eighth_block_or_what_the_settings_say() {
        let sessions = Sessions::default();
        let text = r#"{"hook_event_name":"Stop","session_id":"s","stop_hook_active":true}"#;
        let decisions =
            |setting, count| (0..count).map(|_| stop(&sessions, "qwen", text, setting).0).collect::<Vec<_>>();
        assert_eq!(decisions(None, 8), [[Decision::Block; 7].as_slice(), &[Decision::None]].concat());
        assert_eq!(decisions(Some(2.9), 2), [Decision::Block, Decision::None]);
        assert_eq!(decisions(Some(1.0), 1), [Decision::None]);
        assert_eq!(decisions(Some(-3.0), 8), [[Decision::Block; 7].as_slice(), &[Decision::None]].concat());
    }

    #[test]
    fn the_environment_wins_over_the_settings() {
        let cap = by_name("qwen").unwrap().stop_cap.as_ref().unwrap();
        let limit =
            |value: &str| cap.limit(&Environment::new([("QWEN_CODE_STOP_HOOK_BLOCK_CAP", value)]), Some(3.0));
        assert_eq!((limit("5"), limit("no"), limit("0"), limit("1000")), (4, 7, 7, 99));
    }

    #[test]
    fn new_input_and_the_hosts_word_start_the_count_anew() {
        let sessions = Sessions::default();
        let zcode = by_name("zcode").unwrap();
        let text = r#"{"hook_event_name":"Stop","session_id":"s"}"#;
        for _ in 0..3 {
            stop(&sessions, "zcode", text, None);
        }
        sessions.prepare(event(r#"{"hook_event_name":"UserPromptSubmit","session_id":"s"}"#), zcode);
        assert_eq!(stop(&sessions, "zcode", text, None), (Decision::Block, seen("false")));
        let first = r#"{"hook_event_name":"Stop","session_id":"s","stop_hook_active":false}"#;
        for _ in 0..5 {
            assert_eq!(stop(&sessions, "zcode", first, None), (Decision::Block, seen("false")));
        }
    }

    #[test]
    fn once_is_once_an_event_and_session() {
        let sessions = Sessions::default();
        let stop = event(r#"{"hook_event_name":"Stop","session_id":"s"}"#);
        assert!(sessions.first_run(&stop, "u"));
        assert!(!sessions.first_run(&stop, "u"));
        assert!(sessions.first_run(&event(r#"{"hook_event_name":"Stop","session_id":"t"}"#), "u"));
        assert!(sessions.end("s"));
        assert!(sessions.first_run(&stop, "u"));
    }

    #[test]
    fn memory_is_bounded() {
        let sessions = Sessions::default();
        let used = |n: usize| {
            sessions.first_run(&event(&format!(r#"{{"hook_event_name":"Stop","session_id":"{n}"}}"#)), "u")
        };
        for n in 0..SESSIONS + 10 {
            assert!(used(n));
        }
        assert_eq!(sessions.known().sessions.len(), SESSIONS);
        assert!(!used(SESSIONS + 9), "the latest is remembered");
        assert!(used(0), "the oldest is forgotten");
    }
}
