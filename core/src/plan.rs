//! The second step: which hooks an event selects, in what order, and why the others do not run. Pure.

mod known;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::budget;
use crate::condition::Condition;
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::dialect::{Dialect, Order, Target, to_common};
use crate::event::Event;
use crate::fields::{Fields, Value};
use crate::hook::{FailMode, Hook, HookSet};
use crate::json::Kind;
use crate::matcher::{Subject, Verdict};
use crate::settings::Scope;
use crate::translation;

pub(crate) use known::{Asked, Judged, Known, Unknown};

/// What is to run for one event.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// The selected hooks in configured order.
    pub(crate) hooks: Vec<Arc<Hook>>,
    /// Each dialect's hooks run by its own rule; the groups run beside each other.
    pub(crate) lanes: Vec<Lane>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Plan {
    /// A plan of hooks that were selected before.
    pub(crate) fn of(hooks: Vec<Arc<Hook>>, diagnostics: Vec<Diagnostic>) -> Self {
        Self { lanes: lanes(&hooks), hooks, diagnostics }
    }
}

/// Hooks of one dialect, as indices into [`Plan::hooks`].
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) dialect: &'static Dialect,
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
#[derive(Debug)]
pub(crate) struct Planner {
    /// The dialect that the host speaks.
    main: &'static Dialect,
    /// Of hooks that have none of their own.
    fail_mode: FailMode,
    /// By the event's name in the common vocabulary.
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
    /// Sorts the hooks of `set` by their event, for a host that speaks `main`. `fail_mode` is that of hooks that have none
    /// of their own.
    pub(crate) fn new(set: &HookSet, main: &'static Dialect, fail_mode: FailMode) -> Self {
        let mut by_event: HashMap<String, EventHooks> = HashMap::new();
        for hook in &set.hooks {
            let common = to_common(hook.dialect.names.events, &hook.event);
            let event = by_event.entry(common.to_owned()).or_default();
            event.hooks.push(hook.clone());
            event.bound |= hook.bound.is_some() || hook.condition.is_some();
            let field = hook.rule.map(|rule| rule.target).and_then(Target::field);
            if let Some(field) = field.filter(|field| !event.fields.contains(field)) {
                event.fields.push(field);
            }
        }
        Self { main, fail_mode, by_event, known: RwLock::default() }
    }

    fn configured(&self, name: &str) -> Option<&EventHooks> {
        self.by_event.get(to_common(self.main.names.events, name))
    }

    /// The fields that alone decide what an event of this name fires; `None` when its session or agent has a say too.
    pub(crate) fn fields(&self, name: &str) -> Option<&[&'static str]> {
        match self.configured(name) {
            None => Some(&[]),
            Some(configured) => (!configured.bound).then_some(&configured.fields),
        }
    }

    /// Selects the hooks that `event` fires. `extra` hooks, which no settings hold, come last.
    pub(crate) fn plan(&self, extra: &[Arc<Hook>], event: &dyn Fields) -> Arc<Plan> {
        let nothing = EventHooks::default();
        let configured = self.configured(event.name()).unwrap_or(&nothing);
        let select =
            || Arc::new(self.select(configured, extra, Judge::new(event, self.main, self.fail_mode)).0);
        if configured.bound || !extra.is_empty() {
            return select();
        }
        let Some(key) = key(configured, event) else {
            return select();
        };
        if let Some(plan) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return plan.clone();
        }
        let plan = select();
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= KNOWN {
            known.clear();
        }
        known.insert(key, plan.clone());
        plan
    }

    /// The same for an event of which texts were taken out; and the hooks of which it is not known whether they run.
    pub(crate) fn plan_of_rest(
        &self,
        extra: &[Arc<Hook>],
        event: &dyn Fields,
        known: &Known<'_>,
    ) -> (Plan, Vec<Unknown>) {
        let nothing = EventHooks::default();
        let configured = self.configured(event.name()).unwrap_or(&nothing);
        let judge = Judge { known: Some(known), ..Judge::new(event, self.main, self.fail_mode) };
        self.select(configured, extra, judge)
    }

    fn select(
        &self,
        configured: &EventHooks,
        extra: &[Arc<Hook>],
        mut judge: Judge<'_>,
    ) -> (Plan, Vec<Unknown>) {
        let (main, event, mut plan) = (self.main, judge.event, Plan::default());
        let fires = |hook: &Arc<Hook>| hook.rule.is_some() && judge.fires(hook);
        if main.event(event.name()).is_none() && !configured.hooks.iter().any(fires) {
            let text = format!("{} has no event `{}`; no hook runs for it", main.product, event.name());
            plan.diagnostics.push(Diagnostic::warning(Code::UnknownEvent, text));
            return (plan, Vec::new());
        }
        for hook in configured.hooks.iter().chain(extra) {
            if let Judgement::Runs(_) | Judgement::Denies(_) = judge.judge(hook) {
                plan.hooks.push(hook.clone());
            }
        }
        for hook in plan.hooks.iter_mut().filter(|hook| judge.closed.contains(&hook.id)) {
            let fail_mode = Some(FailMode::Closed);
            *hook = Arc::new(Hook { fail_mode, ..Hook::clone(hook) });
        }
        plan.diagnostics.append(&mut judge.diagnostics);
        budget::share(&mut plan.hooks);
        plan.lanes = lanes(&plan.hooks);
        (plan, judge.unknown)
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

/// Says for every configured hook whether it runs for `event`, and why. `known` when texts were taken out of the event.
pub(crate) fn explain<'a>(
    set: &'a HookSet,
    extra: &'a [Arc<Hook>],
    event: &dyn Fields,
    (main, fail_mode): (&'static Dialect, FailMode),
    known: Option<&Known<'_>>,
) -> Vec<(&'a Arc<Hook>, Judgement)> {
    let mut judge = Judge { known, ..Judge::new(event, main, fail_mode) };
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
            Lane { dialect, hooks: lane, sequential: chained || dialect.order == Order::Sequential, chained }
        })
        .collect()
}

/// Judges the hooks of a set in configured order: the first of equal hooks runs.
struct Judge<'a> {
    event: &'a dyn Fields,
    /// The dialect of the event.
    main: &'static Dialect,
    fail_mode: FailMode,
    subjects: Vec<(&'static Dialect, Target, Subject)>,
    /// The event in the words of other dialects.
    told: Vec<(&'static Dialect, Option<Event>)>,
    seen: Vec<(&'a str, String)>,
    taken: Vec<(String, String)>,
    /// Hooks whose failure denies because that of an equal one does.
    closed: Vec<String>,
    diagnostics: Vec<Diagnostic>,
    /// Texts were taken out of the event.
    known: Option<&'a Known<'a>>,
    unknown: Vec<Unknown>,
}

impl<'a> Judge<'a> {
    fn new(event: &'a dyn Fields, main: &'static Dialect, fail_mode: FailMode) -> Self {
        let (subjects, told, seen, taken, closed) = Default::default();
        let (diagnostics, known, unknown) = Default::default();
        Self { event, main, fail_mode, subjects, told, seen, taken, closed, diagnostics, known, unknown }
    }

    /// Whether the event is the one that the hook is for.
    fn fires(&self, hook: &Hook) -> bool {
        if hook.dialect == self.main {
            return hook.event == self.event.name();
        }
        hook.dialect.event_of(self.main, self.event.name()) == Some(hook.event.as_str())
    }

    /// Why the event is not the one that the hook is for.
    fn another_event(&self, hook: &Hook) -> String {
        let own = self.main.event_of(hook.dialect, &hook.event);
        let here = match own.filter(|_| hook.dialect != self.main) {
            Some(own) if own == hook.event => String::new(),
            Some(own) => format!(" ({own} in {})", self.main.product),
            None if hook.dialect == self.main => String::new(),
            None => format!(", which {} does not have", self.main.product),
        };
        format!("it is for {}{here}, not {}", hook.event, self.event.name())
    }

    fn judge(&mut self, hook: &Arc<Hook>) -> Judgement {
        if let Some(off) = hook.off.as_ref().filter(|off| off.code == Code::UnknownEvent) {
            return Judgement::Not(off.why.clone());
        }
        if !self.fires(hook) {
            return Judgement::Not(self.another_event(hook));
        }
        let refused = hook.bound.as_ref().and_then(|bound| bound.refuses(self.event));
        if let Some(why) = refused.filter(|_| self.recall(hook, Asked::Session) != Some(true)) {
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
                let named = self.name_of(&subject, hook.dialect, rule.target);
                // What a session brought is matched all the same (qwen.md section 4).
                let of_session = matches!(hook.scope, Scope::Session | Scope::Skill);
                let verdict = match self.recall(hook, Asked::Matcher) {
                    Some(true) => Verdict::Yes,
                    Some(false) => Verdict::No,
                    None => matcher.matches(&subject),
                };
                match verdict {
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
        let condition = hook.condition.as_ref();
        let fails = |condition: &&Arc<Condition>| {
            !self.recall(hook, Asked::If).unwrap_or_else(|| self.holds(condition, hook))
        };
        if let Some(condition) = condition.filter(fails) {
            return Judgement::Not(format!("the call does not match its `if`, `{}`", condition.text()));
        }
        if let Some(key) = &hook.dedupe_key {
            let key = format!("{}\0{key}", hook.dialect.name);
            if let Some((_, first)) = self.taken.iter().find(|(taken, _)| *taken == key) {
                if hook.is_closed(self.fail_mode) {
                    self.closed.push(first.clone());
                }
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
            None if hook.event != self.event.name() => {
                let (product, here) = (hook.dialect.product, self.event.name());
                Judgement::Runs(format!("{why}; {here} is {} in {product}", hook.event))
            }
            None => Judgement::Runs(why),
        }
    }

    /// A condition reads the whole event; where that is not there, what is concluded does not count.
    fn holds(&mut self, condition: &Condition, hook: &Hook) -> bool {
        if self.event.whole().is_none() {
            return true;
        }
        let also = self.also(hook);
        // What cannot be told holds no hook back.
        self.told(hook.dialect).is_none_or(|event| condition.holds(event, &also))
    }

    /// Other names that the event's tool has for the hook.
    fn also(&mut self, hook: &Hook) -> Vec<String> {
        if hook.dialect == self.main { Vec::new() } else { self.subject(hook.dialect, Target::Tool).also }
    }

    /// The whole event in the words of a dialect; `None` when it cannot be told in them.
    fn told(&mut self, dialect: &'static Dialect) -> Option<&Event> {
        let whole = self.event.whole()?;
        if dialect == self.main {
            return Some(whole);
        }
        let known = self.told.iter().position(|(told, _)| *told == dialect);
        let place = known.unwrap_or_else(|| {
            let told = translation::tell(whole, self.main, dialect).map(|told| told.event);
            self.told.push((dialect, told));
            self.told.len().saturating_sub(1)
        });
        self.told.get(place).and_then(|(_, told)| told.as_ref())
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
        let subject = translation::subject(name, target, self.main, dialect);
        self.subjects.push((dialect, target, subject.clone()));
        subject
    }

    /// How a message names what a matcher was compared with: in the words of the hook, and of the host where they differ.
    fn name_of(&self, subject: &Subject, dialect: &'static Dialect, target: Target) -> String {
        let other = || subject.also.iter().chain(&subject.aliases).map(String::as_str);
        let mut notes = Vec::new();
        if other().next().is_some() {
            notes.push(format!("also called {}", other().collect::<Vec<_>>().join(", ")));
        }
        let own = target.field().and_then(|field| self.event.string(field));
        if let Some(own) = own.filter(|own| dialect != self.main && *own != subject.name)
            && !matches!(target, Target::FileName(_))
        {
            notes.push(format!("{own} in {}", self.main.product));
        }
        if notes.is_empty() {
            return format!("`{}`", subject.name);
        }
        format!("`{}` ({})", subject.name, notes.join("; "))
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
