//! The second step: which hooks an event selects, in what order, and why the others do not run. Pure.

use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Level};
use crate::dialect::{Dialect, Order, Target};
use crate::event::Event;
use crate::hook::{Hook, HookSet};
use crate::json::Kind;
use crate::matcher::{Subject, Verdict};

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
    Not(String),
}

/// Selects the hooks of `set` that `event` fires.
/// `extra` hooks, which no settings hold, come last.
pub(crate) fn plan(set: &HookSet, extra: &[Arc<Hook>], event: &Event, main: &'static Dialect) -> Plan {
    let mut plan = Plan::default();
    if main.event(event.name()).is_none()
        && !set.hooks.iter().any(|hook| hook.rule.is_some() && hook.event == event.name())
    {
        let text = format!("{} has no event `{}`; no hook runs for it", main.product, event.name());
        plan.diagnostics.push(Diagnostic::warning(Code::UnknownEvent, text));
        return plan;
    }
    let mut judge = Judge::new(event);
    for hook in set.hooks.iter().chain(extra).filter(|hook| hook.event == event.name()) {
        if let Judgement::Runs(_) = judge.judge(hook) {
            plan.hooks.push(hook.clone());
        }
    }
    plan.diagnostics.append(&mut judge.diagnostics);
    plan.lanes = lanes(&plan.hooks);
    plan
}

/// Says for every configured hook whether it runs for `event`, and why.
pub(crate) fn explain<'a>(
    set: &'a HookSet,
    extra: &'a [Arc<Hook>],
    event: &Event,
) -> Vec<(&'a Arc<Hook>, Judgement)> {
    let mut judge = Judge::new(event);
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
    event: &'a Event,
    subjects: Vec<(&'static Dialect, Target, Subject)>,
    seen: Vec<(&'a str, String)>,
    taken: Vec<(String, String)>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Judge<'a> {
    fn new(event: &'a Event) -> Self {
        Self { event, subjects: Vec::new(), seen: Vec::new(), taken: Vec::new(), diagnostics: Vec::new() }
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
        if let Some(off) = &hook.off {
            if off.code == Code::InvalidMatcher {
                self.note(hook, Level::Warning, Code::InvalidMatcher, &off.why);
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
                match matcher.matches(&subject) {
                    Verdict::Yes => format!("`{text}` matches {named}"),
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
        if let Some(key) = &hook.dedupe_key {
            let key = format!("{}\0{key}", hook.dialect.name);
            if let Some((_, first)) = self.taken.iter().find(|(taken, _)| *taken == key) {
                return Judgement::Not(format!("it is the same hook as {first}, which runs"));
            }
            self.taken.push((key, hook.id.clone()));
        }
        Judgement::Runs(why)
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
        let (field, only_file_name) = match target {
            Target::Nothing => ("", false),
            Target::Tool => ("tool_name", false),
            Target::Field(field) => (field, false),
            Target::FileName(field) => (field, true),
        };
        let mut name = self.event.string(field).unwrap_or_default();
        if name.is_empty() {
            self.note_missing(field);
        }
        if only_file_name {
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
        let what = match self.event.get(field).map(Kind::of) {
            None => "is missing".to_owned(),
            Some(Kind::String) => "is empty".to_owned(),
            Some(kind) => format!("is {}, not a string", kind.words()),
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
