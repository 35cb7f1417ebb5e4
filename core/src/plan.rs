//! The second step: which hooks an event selects, in what order, and why the others do not run. Pure.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::budget;
use crate::condition::Condition;
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::dialect::{Dialect, Order, Target};
use crate::fields::{Fields, Value};
use crate::hook::{FailMode, Hook, HookSet};
use crate::json::Kind;
use crate::matcher::{Subject, Verdict};
use crate::settings::Scope;

/// What is to run for one event.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// The selected hooks in configured order.
    pub(crate) hooks: Vec<Arc<Hook>>,
    /// Each dialect's hooks run by its own rule; the groups run beside each other.
    pub(crate) lanes: Vec<Lane>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Hooks of one dialect, as indices into [`Plan::hooks`].
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) hooks: Vec<usize>,
    /// One after the other instead of all at once.
    pub(crate) sequential: bool,
    /// Each hook's answer changes the next one's input.
    pub(crate) chained: bool,
}

/// Why a hook is selected or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Judgement {
    Runs(String),
    /// It cannot run, and denies or blocks because its fail mode is `closed`.
    Denies(String),
    Not(String),
}

/// Plans for the events of one snapshot. An agent fires the same few events for the same few tools again and again, so
/// what was found for an event and what its matchers look at is kept.
#[derive(Debug, Default)]
pub(crate) struct Planner {
    /// Of hooks that have none of their own.
    fail_mode: FailMode,
    by_event: HashMap<String, EventHooks>,
    known: RwLock<HashMap<String, Arc<Plan>>>,
}

/// The hooks configured for one event.
#[derive(Debug, Default)]
struct EventHooks {
    hooks: Vec<Arc<Hook>>,
    /// The event fields that their matchers look at.
    fields: Vec<&'static str>,
    /// Some are for one session or agent only, or for some calls of a tool, so that the plan depends on more than those
    /// fields.
    bound: bool,
}

/// So many plans are kept; tool names may come from a model, so there is no end of them.
const KNOWN: usize = 1024;

/// A plan with a longer key, in bytes, is not kept: a field that matchers look at may hold a whole prompt.
const LONGEST_KEY: u32 = 512;

impl Planner {
    /// Sorts the hooks of `set` by their event. `fail_mode` is that of hooks that have none of their own.
    pub(crate) fn new(set: &HookSet, fail_mode: FailMode) -> Self {
        let mut by_event: HashMap<String, EventHooks> = HashMap::new();
        for hook in &set.hooks {
            let event = by_event.entry(hook.event.clone()).or_default();
            event.hooks.push(hook.clone());
            event.bound |= hook.bound.is_some() || hook.condition.is_some();
            let field = hook.rule.map(|rule| rule.target).and_then(Target::field);
            if let Some(field) = field.filter(|field| !event.fields.contains(field)) {
                event.fields.push(field);
            }
        }
        Self { fail_mode, by_event, known: RwLock::default() }
    }

    /// The fields that alone decide what an event of this name fires; `None` when its session or agent has a say too.
    pub(crate) fn fields(&self, name: &str) -> Option<&[&'static str]> {
        match self.by_event.get(name) {
            None => Some(&[]),
            Some(configured) => (!configured.bound).then_some(&configured.fields),
        }
    }

    /// Selects the hooks that `event` fires. `extra` hooks, which no settings hold, come last.
    pub(crate) fn plan(&self, extra: &[Arc<Hook>], event: &dyn Fields, main: &'static Dialect) -> Arc<Plan> {
        let nothing = EventHooks::default();
        let configured = self.by_event.get(event.name()).unwrap_or(&nothing);
        if configured.bound || !extra.is_empty() {
            return Arc::new(self.select(configured, extra, event, main));
        }
        let Some(key) = key(configured, event) else {
            return Arc::new(self.select(configured, extra, event, main));
        };
        if let Some(plan) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return plan.clone();
        }
        let plan = Arc::new(self.select(configured, extra, event, main));
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= KNOWN {
            known.clear();
        }
        known.insert(key, plan.clone());
        plan
    }

    fn select(
        &self,
        configured: &EventHooks,
        extra: &[Arc<Hook>],
        event: &dyn Fields,
        main: &'static Dialect,
    ) -> Plan {
        let mut plan = Plan::default();
        if main.event(event.name()).is_none() && !configured.hooks.iter().any(|hook| hook.rule.is_some()) {
            let text = format!("{} has no event `{}`; no hook runs for it", main.product, event.name());
            plan.diagnostics.push(Diagnostic::warning(Code::UnknownEvent, text));
            return plan;
        }
        let mut judge = Judge::new(event, self.fail_mode);
        for hook in configured.hooks.iter().chain(extra) {
            if let Judgement::Runs(_) | Judgement::Denies(_) = judge.judge(hook) {
                plan.hooks.push(hook.clone());
            }
        }
        plan.diagnostics.append(&mut judge.diagnostics);
        budget::share(&mut plan.hooks);
        plan.lanes = lanes(&plan.hooks);
        plan
    }
}

/// All that the plan of an event depends on: its name, and of each field that is looked at the text or the kind. No two
/// events have one key: each text stands behind its length, and the name at the end. `None` when it would be too long.
fn key(configured: &EventHooks, event: &dyn Fields) -> Option<String> {
    let mut key = String::with_capacity(64);
    for field in &configured.fields {
        match event.value(field) {
            Value::Missing => key.push('-'),
            Value::Text(text) => {
                let length = u32::try_from(text.len()).ok().filter(|length| *length <= LONGEST_KEY)?;
                key.push('"');
                key.push(char::from_u32(length)?);
                key.push_str(&text);
            }
            Value::Bool(_) => key.push_str(Kind::Bool.words()),
            Value::Other(kind) => key.push_str(kind.words()),
        }
    }
    key.push('\0');
    key.push_str(event.name());
    (key.len() <= LONGEST_KEY as usize).then_some(key)
}

/// Says for every configured hook whether it runs for `event`, and why.
pub(crate) fn explain<'a>(
    set: &'a HookSet,
    extra: &'a [Arc<Hook>],
    event: &dyn Fields,
    fail_mode: FailMode,
) -> Vec<(&'a Arc<Hook>, Judgement)> {
    let mut judge = Judge::new(event, fail_mode);
    set.hooks.iter().chain(extra).map(|hook| (hook, judge.judge(hook))).collect()
}

fn lanes(hooks: &[Arc<Hook>]) -> Vec<Lane> {
    let mut lanes: Vec<(&'static Dialect, Vec<usize>)> = Vec::new();
    for (index, hook) in hooks.iter().enumerate() {
        match lanes.iter_mut().find(|(dialect, _)| *dialect == hook.dialect) {
            Some((_, lane)) => lane.push(index),
            None => lanes.push((hook.dialect, vec![index])),
        }
    }
    lanes
        .into_iter()
        .map(|(dialect, lane)| {
            let asked = lane.iter().filter_map(|index| hooks.get(*index)).any(|hook| hook.sequential);
            let chained = dialect.order == Order::ParallelUnlessAsked && asked;
            Lane { hooks: lane, sequential: chained || dialect.order == Order::Sequential, chained }
        })
        .collect()
}

/// Judges the hooks of a set in configured order: the first of equal hooks runs.
struct Judge<'a> {
    event: &'a dyn Fields,
    fail_mode: FailMode,
    subjects: Vec<(&'static Dialect, Target, Subject)>,
    seen: Vec<(&'a str, String)>,
    taken: Vec<(String, String)>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Judge<'a> {
    fn new(event: &'a dyn Fields, fail_mode: FailMode) -> Self {
        let (subjects, seen, taken, diagnostics) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { event, fail_mode, subjects, seen, taken, diagnostics }
    }

    fn judge(&mut self, hook: &Arc<Hook>) -> Judgement {
        if let Some(off) = hook.off.as_ref().filter(|off| off.code == Code::UnknownEvent) {
            return Judgement::Not(off.why.clone());
        }
        if hook.event != self.event.name() {
            return Judgement::Not(format!("it is for {}, not {}", hook.event, self.event.name()));
        }
        if let Some(why) = hook.bound.as_ref().and_then(|bound| bound.refuses(self.event)) {
            return Judgement::Not(why);
        }
        let closed_off = hook.closed_off(self.fail_mode);
        if let (Some(off), None) = (&hook.off, closed_off) {
            if matches!(off.code, Code::InvalidMatcher | Code::InvalidCondition) {
                self.note(hook, Level::Warning, off.code, &off.why);
            }
            return Judgement::Not(off.why.clone());
        }
        let Some(rule) = hook.rule else {
            return Judgement::Not(format!("{} has no event `{}`", hook.dialect.product, hook.event));
        };
        let why = match &hook.matcher {
            None => "it has no matcher, or the event has nothing to match".to_owned(),
            Some(matcher) => {
                let text = hook.matcher_text.as_deref().unwrap_or_default();
                let subject = self.subject(hook.dialect, rule.target);
                let named = name_of(&subject);
                // What a session brought is matched all the same (qwen.md section 4).
                let of_session = matches!(hook.scope, Scope::Session | Scope::Skill);
                match matcher.matches(&subject) {
                    _ if subject.name.is_empty() && hook.dialect.empty_target_fires && !of_session => {
                        format!("the event has nothing that `{text}` could be compared with")
                    }
                    Verdict::Yes => format!("`{text}` matches {named}"),
                    Verdict::No if matcher.fault().is_some() && hook.is_closed(self.fail_mode) => format!(
                        "`{text}` is no valid pattern and its fail mode is `closed`, so it was taken as a match"
                    ),
                    Verdict::No => return Judgement::Not(format!("`{text}` does not match {named}")),
                    Verdict::LimitExceeded => {
                        let why = format!(
                            "`{text}` took too many steps on {named} and was taken as a match; simplify it"
                        );
                        self.note(hook, Level::Warning, Code::MatcherLimit, &why);
                        why
                    }
                }
            }
        };
        if let Some(condition) = hook.condition.as_ref().filter(|condition| !self.holds(condition)) {
            return Judgement::Not(format!("the call does not match its `if`, `{}`", condition.text()));
        }
        if let Some(key) = &hook.dedupe_key {
            let key = format!("{}\0{key}", hook.dialect.name);
            if let Some((_, first)) = self.taken.iter().find(|(taken, _)| *taken == key) {
                return Judgement::Not(format!("it is the same hook as {first}, which runs"));
            }
            if closed_off.is_none() {
                self.taken.push((key, hook.id.clone()));
            }
        }
        match closed_off {
            Some(off) => Judgement::Denies(format!(
                "{}; its fail mode is `closed`, so it keeps the event from going its way",
                off.why
            )),
            None => Judgement::Runs(why),
        }
    }

    /// A condition reads the whole event; where that is not there, what is concluded does not count.
    fn holds(&self, condition: &Condition) -> bool {
        self.event.whole().is_none_or(|event| condition.holds(event))
    }

    fn note(&mut self, hook: &Hook, level: Level, code: Code, text: &str) {
        let message = format!("{}: {text}", hook.title());
        self.diagnostics.push(Diagnostic { level, code, message, origin: Some(hook.origin.clone()) });
    }

    /// What the matchers of one dialect look at in this event.
    fn subject(&mut self, dialect: &'static Dialect, target: Target) -> Subject {
        if let Some((.., subject)) = self.subjects.iter().find(|(d, t, _)| *d == dialect && *t == target) {
            return subject.clone();
        }
        let field = target.field().unwrap_or_default();
        let mut name = self.event.string(field).unwrap_or_default().into_owned();
        if name.is_empty() {
            self.note_missing(field);
        }
        if matches!(target, Target::FileName(_)) {
            name = name.rsplit('/').next().unwrap_or_default().to_owned();
        }
        let aliases = if target == Target::Tool { dialect.aliases.of(&name) } else { Vec::new() };
        let subject = Subject { name, aliases, aliases_in_patterns: dialect.aliases.in_patterns };
        self.subjects.push((dialect, target, subject.clone()));
        subject
    }

    fn note_missing(&mut self, field: &'static str) {
        if self.seen.iter().any(|(seen, _)| *seen == field) {
            return;
        }
        self.seen.push((field, String::new()));
        let not_text = |kind: Kind| format!("is {}, not a string", kind.words());
        let what = match self.event.value(field) {
            Value::Missing => "is missing".to_owned(),
            Value::Text(_) => "is empty".to_owned(),
            Value::Bool(_) => not_text(Kind::Bool),
            Value::Other(kind) => not_text(kind),
        };
        let text = format!(
            "the event's `{field}` {what}; matchers of {} have nothing to look at",
            self.event.name()
        );
        self.diagnostics.push(Diagnostic::warning(Code::EventField, text));
    }
}

fn name_of(subject: &Subject) -> String {
    if subject.aliases.is_empty() {
        return format!("`{}`", subject.name);
    }
    format!("`{}` (also called {})", subject.name, subject.aliases.join(", "))
}
