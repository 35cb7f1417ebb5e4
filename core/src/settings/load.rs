//! From sources to the set of hooks: order, switches, and every entry with its place.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::Scope;
use super::entry::{self, Entry, Finding};
use super::tree::{Node, Spot, Tree, Value};
use crate::diagnostic::{Code, Diagnostic, Level, Origin};
use crate::dialect::{Dedupe, Dialect, EventRule, KEPT, Target};
use crate::error::Error;
use crate::hook::{Action, Hook, HookSet, Off};
use crate::matcher::Matcher;

/// One settings text and where it comes from.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) dialect: &'static Dialect,
    pub(crate) scope: Scope,
    pub(crate) path: Option<String>,
    pub(crate) text: String,
}

/// What holds for every source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Defaults {
    /// The host says that the project is trusted.
    pub(crate) trusted: bool,
}

/// Reads all sources into one set. Bad entries become diagnostics, their neighbours stay.
///
/// # Errors
/// `invalid_settings` when a text is no JSON object: it was named explicitly, so it must not be passed over.
pub(crate) fn load(sources: Vec<Source>, defaults: Defaults) -> Result<HookSet, Error> {
    let mut parsed = Vec::with_capacity(sources.len());
    for source in sources {
        parsed.push(Parsed::new(source)?);
    }
    // A stable sort: sources of one scope stay in the order in which they were given.
    parsed.sort_by_key(|source| source.rank());
    let mut set = HookSet::default();
    let switches = Switches::read(&parsed, defaults, &mut set.diagnostics);
    let mut seen: HashMap<Scope, usize> = HashMap::new();
    for source in &parsed {
        let count = seen.entry(source.scope).and_modify(|count| *count += 1).or_insert(1);
        let prefix = if *count == 1 {
            source.scope.as_str().into()
        } else {
            format!("{}#{count}", source.scope.as_str())
        };
        Loader { source, switches: &switches, defaults, prefix, set: &mut set, first: HashMap::new() }.run();
    }
    Ok(set)
}

/// A source whose text has been read.
struct Parsed {
    dialect: &'static Dialect,
    scope: Scope,
    path: Option<String>,
    tree: Tree,
}

impl Parsed {
    fn new(source: Source) -> Result<Self, Error> {
        let named = |error: Error| {
            let mut place = error.place().clone();
            place.path.clone_from(&source.path);
            error.at(place)
        };
        let tree = Tree::parse(&source.text).map_err(named)?;
        if tree.root.as_object().is_none() {
            let message = format!("the settings are {}, not an object", tree.root.words());
            return Err(named(Error::new(crate::error::ErrorKind::InvalidSettings, message)));
        }
        Ok(Self { dialect: source.dialect, scope: source.scope, path: source.path, tree })
    }

    fn rank(&self) -> usize {
        let order = self.dialect.settings.order;
        order.iter().position(|scope| *scope == self.scope).unwrap_or(order.len())
    }

    fn origin(&self, spot: &Spot) -> Origin {
        Origin {
            scope: self.scope.as_str().to_owned(),
            path: self.path.clone(),
            plugin: None,
            pointer: Some(spot.pointer.clone()),
            line: Some(self.tree.line(spot.at)),
        }
    }

    fn held_back(&self, defaults: Defaults) -> bool {
        self.scope.needs_trust() && !defaults.trusted
    }

    fn hooks(&self) -> Option<&Node> {
        self.tree.root.get("hooks")
    }
}

/// The scalar settings that all sources of one dialect share.
#[derive(Debug, Default)]
struct Switches {
    by_dialect: HashMap<&'static str, Switch>,
}

#[derive(Debug, Default)]
struct Switch {
    /// Why no hook of this dialect runs.
    off: Option<String>,
    timeout: Option<Duration>,
    output_limit: Option<usize>,
}

impl Switches {
    fn read(parsed: &[Parsed], defaults: Defaults, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut switches = Self::default();
        let mut enabled: HashMap<&str, bool> = HashMap::new();
        let mut disabled: HashMap<&str, (u8, bool, String)> = HashMap::new();
        for source in parsed.iter().filter(|source| !source.held_back(defaults)) {
            let rule = &source.dialect.settings;
            let switch = switches.by_dialect.entry(source.dialect.name).or_default();
            if let Some(hooks) = source.hooks().filter(|_| rule.events_key) {
                let spot = Spot::root().child("hooks", hooks);
                // Any root that says true switches the hooks on (zcode-codex-gemini.md section 1.1).
                *enabled.entry(source.dialect.name).or_default() |=
                    hooks.get("enabled").is_some_and(|node| node.value == Value::Bool(true));
                let mut positive = |key: &str| positive_setting(source, hooks, &spot, key, diagnostics);
                if let Some(millis) = positive("timeoutMs") {
                    switch.timeout =
                        Duration::try_from_secs_f64((millis / 1000.0).clamp(0.001, 31_536_000.0)).ok();
                }
                if let Some(bytes) = positive("maxOutputBytes") {
                    // Whole bytes; a float to integer cast saturates.
                    switch.output_limit = Some((bytes as usize).clamp(1, KEPT));
                }
            }
            let Some((key, node)) = rule.disable_key.and_then(|key| Some((key, source.tree.root.get(key)?)))
            else {
                continue;
            };
            match node.value {
                Value::Bool(value) => {
                    let place = source.path.as_deref().unwrap_or("settings given by the host");
                    let why = format!(
                        "`{key}` in {} settings ({place}) switches all hooks off",
                        source.scope.as_str()
                    );
                    let strength = precedence(source.scope);
                    let known = disabled.get(source.dialect.name).map_or(0, |(strength, ..)| *strength);
                    if strength >= known {
                        disabled.insert(source.dialect.name, (strength, value, why));
                    }
                }
                _ => {
                    let text = format!("`{key}` is {}, not true or false; it is ignored", node.words());
                    let origin = source.origin(&Spot::root().child(key, node));
                    diagnostics.push(Diagnostic::warning(Code::WrongType, text).from_origin(&origin));
                }
            }
        }
        for source in parsed {
            let name = source.dialect.name;
            let switch = switches.by_dialect.entry(name).or_default();
            if let Some((_, true, why)) = disabled.get(name) {
                switch.off = Some(why.clone());
            } else if source.dialect.settings.needs_enabled && enabled.get(name) != Some(&true) {
                let text = format!(
                    "{} runs hooks only when some settings say `\"enabled\": true` in `hooks`",
                    source.dialect.product
                );
                switch.off = Some(text);
            }
        }
        switches
    }
}

fn positive_setting(
    source: &Parsed,
    hooks: &Node,
    spot: &Spot,
    key: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<f64> {
    let node = hooks.get(key)?;
    if let Value::Number(value) = node.value
        && value > 0.0
    {
        return Some(value);
    }
    let text = format!("`hooks.{key}` is {} that is no positive number; it is ignored", node.words());
    let origin = source.origin(&spot.child(key, node));
    diagnostics.push(Diagnostic::warning(Code::WrongType, text).from_origin(&origin));
    None
}

/// Which scope's scalar wins: the closer to the person at work, the stronger; what an organisation enforces wins over
/// all (codebuddy-claude.md section 3, qwen.md section 3).
fn precedence(scope: Scope) -> u8 {
    match scope {
        Scope::SystemDefaults => 1,
        Scope::Extension => 2,
        Scope::User => 3,
        Scope::Project => 4,
        Scope::Local => 5,
        Scope::Session => 6,
        Scope::System => 7,
        Scope::Managed => 8,
    }
}

/// Reads one source's entries into the set.
struct Loader<'a> {
    source: &'a Parsed,
    switches: &'a Switches,
    defaults: Defaults,
    prefix: String,
    set: &'a mut HookSet,
    /// Identity of a hook within this source -> id of the first one with it.
    first: HashMap<String, String>,
}

/// A group that is being read.
struct Group<'a> {
    event: &'a str,
    rule: Option<&'static EventRule>,
    index: usize,
    matcher_text: Option<String>,
    /// `None` matches everything.
    matcher: Option<Arc<Matcher>>,
    sequential: bool,
    /// Why none of its hooks can run.
    off: Option<Off>,
}

impl Loader<'_> {
    fn run(&mut self) {
        let before = self.set.hooks.len();
        self.note_form();
        let Some(hooks) = self.source.hooks() else { return };
        let mut spot = Spot::root().child("hooks", hooks);
        let mut events = hooks;
        if self.source.dialect.settings.events_key {
            let Some(inner) = hooks.get("events") else {
                self.note_missing_events(hooks, &spot);
                return;
            };
            spot = spot.child("events", inner);
            events = inner;
        }
        let Some(entries) = events.as_object() else {
            let text =
                format!("the hooks are {}, not an object of events; none of this source run", events.words());
            return self.report(Level::Error, Code::InvalidDefinition, text, &spot);
        };
        for (event, groups) in entries {
            self.read_event(event, groups, &spot.child(event, groups));
        }
        self.note_switched_off(before);
    }

    fn report(&mut self, level: Level, code: Code, message: String, spot: &Spot) {
        let origin = Some(self.source.origin(spot));
        self.set.diagnostics.push(Diagnostic { level, code, message, origin });
    }

    fn note_form(&mut self) {
        let product = self.source.dialect.product;
        if let Some(what) = self.source.tree.lenient
            && (!self.source.dialect.settings.comments || what == "a trailing comma")
        {
            let text = format!("the settings hold {what}, which {product} itself may refuse");
            self.report(Level::Warning, Code::LenientJson, text, &Spot::root());
        }
        for (key, at) in self.source.tree.duplicates.clone() {
            let text = format!("`{key}` stands twice in one object; the last one counts");
            self.report(Level::Warning, Code::DuplicateKey, text, &Spot { at, ..Spot::root() });
        }
    }

    /// The event map of another agent's form, directly under `hooks`.
    fn note_missing_events(&mut self, hooks: &Node, spot: &Spot) {
        let dialect = self.source.dialect;
        let misplaced = hooks
            .as_object()
            .and_then(|entries| entries.iter().find(|(key, _)| dialect.event(key).is_some()))
            .map(|(key, _)| key.clone());
        if let Some(event) = misplaced {
            let text =
                format!("{} reads events under `hooks.events`; `hooks.{event}` is not read", dialect.product);
            self.report(Level::Error, Code::InvalidDefinition, text, spot);
        }
    }

    fn note_switched_off(&mut self, before: usize) {
        let here = self.set.hooks.len().saturating_sub(before);
        if here == 0 {
            return;
        }
        let spot = Spot::root();
        if self.source.held_back(self.defaults) {
            let text = format!(
                "{here} hooks of {} settings are held back: the project is not trusted",
                self.source.scope.as_str()
            );
            self.report(Level::Warning, Code::Untrusted, text, &spot);
        } else if let Some(why) = self.switch().and_then(|switch| switch.off.clone()) {
            self.report(
                Level::Warning,
                Code::HooksDisabled,
                format!("{here} hooks do not run: {why}"),
                &spot,
            );
        }
    }

    fn switch(&self) -> Option<&Switch> {
        self.switches.by_dialect.get(self.source.dialect.name)
    }

    fn read_event(&mut self, event: &str, groups: &Node, spot: &Spot) {
        let dialect = self.source.dialect;
        if dialect.settings.reserved.contains(&event) {
            return;
        }
        let rule = dialect.event(event);
        if rule.is_none() {
            let near = dialect.events.iter().find(|rule| rule.name.eq_ignore_ascii_case(event));
            let hint = near.map_or_else(String::new, |rule| format!("; write `{}`", rule.name));
            let text = format!("{} has no event `{event}`; its hooks never run{hint}", dialect.product);
            self.report(Level::Warning, Code::UnknownEvent, text, spot);
        }
        let Some(items) = groups.as_array() else {
            let text = format!("`{event}` is {}, not a list of groups; it is skipped", groups.words());
            return self.report(Level::Error, Code::InvalidDefinition, text, spot);
        };
        for (index, item) in items.iter().enumerate() {
            self.read_group(event, rule, index, item, &spot.item(index, item));
        }
    }

    fn read_group(
        &mut self,
        event: &str,
        rule: Option<&'static EventRule>,
        index: usize,
        node: &Node,
        spot: &Spot,
    ) {
        if node.as_object().is_none() {
            let text =
                format!("the group is {}, not an object with a list `hooks`; it is skipped", node.words());
            return self.report(Level::Error, Code::InvalidDefinition, text, spot);
        }
        let Some((list, hooks)) = node.get("hooks").and_then(|list| Some((list, list.as_array()?))) else {
            let text = "the group has no list `hooks`; it is skipped".to_owned();
            return self.report(Level::Error, Code::InvalidDefinition, text, spot);
        };
        let mut group = Group {
            event,
            rule,
            index,
            matcher_text: None,
            matcher: None,
            sequential: node.get("sequential").is_some_and(|node| node.value == Value::Bool(true)),
            off: rule.is_none().then(|| {
                let text = format!("{} has no event `{event}`", self.source.dialect.product);
                Off::because(Code::UnknownEvent, text)
            }),
        };
        self.read_matcher(&mut group, node, spot);
        let list_spot = spot.child("hooks", list);
        for (position, hook) in hooks.iter().enumerate() {
            self.read_hook(&group, position, hook, &list_spot.item(position, hook));
        }
    }

    fn read_matcher(&mut self, group: &mut Group<'_>, node: &Node, spot: &Spot) {
        let Some(matcher) = node.get("matcher").filter(|matcher| matcher.value != Value::Null) else {
            return;
        };
        let matcher_spot = spot.child("matcher", matcher);
        let Some(text) = matcher.as_str() else {
            let text = format!("`matcher` is {}, not a string; its group does not run", matcher.words());
            self.report(Level::Error, Code::InvalidMatcher, text.clone(), &matcher_spot);
            group.off.get_or_insert(Off::because(Code::InvalidMatcher, text));
            return;
        };
        group.matcher_text = Some(text.to_owned());
        let looks_at_nothing = group.rule.is_some_and(|rule| rule.target == Target::Nothing);
        if looks_at_nothing {
            if !matches!(text, "" | "*") {
                let text = format!(
                    "`matcher` is ignored: {} has nothing to match; the group always runs",
                    group.event
                );
                self.report(Level::Warning, Code::IgnoredMatcher, text, &matcher_spot);
            }
            return;
        }
        match Matcher::new(self.source.dialect.matching, Some(text)) {
            Ok(matcher) => group.matcher = Some(Arc::new(matcher)),
            Err(why) => {
                let text =
                    format!("the matcher `{text}` is no valid pattern ({why}); its group does not run");
                self.report(Level::Error, Code::InvalidMatcher, text.clone(), &matcher_spot);
                group.off.get_or_insert(Off::because(Code::InvalidMatcher, text));
            }
        }
    }

    fn read_hook(&mut self, group: &Group<'_>, position: usize, node: &Node, spot: &Spot) {
        let dialect = self.source.dialect;
        let default_timeout = self.switch().and_then(|switch| switch.timeout);
        let mut findings: Vec<Finding> = Vec::new();
        let entry = entry::read(dialect, node, spot, default_timeout, &mut findings);
        for Finding { fatal, code, message, spot } in findings {
            let level = if fatal { Level::Error } else { Level::Warning };
            self.report(level, code, message, &spot);
        }
        let Some(entry) = entry else { return };
        let id = format!("{}/{}/{}/{position}", self.prefix, group.event, group.index);
        let off = self.why_off(group, &entry, &id, spot);
        let limit =
            self.switch().and_then(|switch| switch.output_limit).or(dialect.output_limit).unwrap_or(KEPT);
        let hook = Hook {
            dialect,
            scope: self.source.scope,
            event: group.event.to_owned(),
            rule: group.rule,
            matcher_text: group.matcher_text.clone(),
            matcher: group.matcher.clone(),
            sequential: group.sequential,
            kind: entry.kind,
            dedupe_key: dedupe_key(dialect.dedupe, &entry),
            action: entry.action,
            name: entry.name,
            timeout: entry.timeout,
            background: entry.background,
            once: entry.once,
            status_message: entry.status_message,
            env: entry.env,
            fail_mode: entry.fail_mode,
            output_limit: limit,
            origin: self.source.origin(spot),
            off,
            id,
        };
        self.set.hooks.push(Arc::new(hook));
    }

    fn why_off(&mut self, group: &Group<'_>, entry: &Entry, id: &str, spot: &Spot) -> Option<Off> {
        if self.source.held_back(self.defaults) {
            let text = format!(
                "it is held back: {} settings count only in a trusted project",
                self.source.scope.as_str()
            );
            return Some(Off::because(Code::Untrusted, text));
        }
        let switched = self
            .switch()
            .and_then(|switch| switch.off.clone())
            .map(|why| Off::because(Code::HooksDisabled, why));
        if let Some(off) = switched.or_else(|| group.off.clone()).or_else(|| entry.off.clone()) {
            return Some(off);
        }
        self.duplicate(group, entry, id, spot)
    }

    /// Qwen drops, per source, a hook whose name (or command) stands in the same kind of group already (qwen.md
    /// section 5, step 1).
    fn duplicate(&mut self, group: &Group<'_>, entry: &Entry, id: &str, spot: &Spot) -> Option<Off> {
        if self.source.dialect.dedupe != Dedupe::SameNameAndCommand {
            return None;
        }
        let identity = entry.name.as_deref().unwrap_or_else(|| entry.action.label());
        let matcher = group.matcher_text.as_deref().unwrap_or_default();
        let key = format!("{}\0{matcher}\0{}\0{identity}", group.event, group.sequential);
        if let Some(first) = self.first.get(&key) {
            let what = if entry.name.is_some() { "name" } else { "command" };
            let text = format!(
                "its {what} stands in {first} already, so it is the same hook and does not run again"
            );
            self.report(Level::Warning, Code::DuplicateHook, text.clone(), spot);
            return Some(Off::because(Code::DuplicateHook, text));
        }
        self.first.insert(key, id.to_owned());
        None
    }
}

fn dedupe_key(dedupe: Dedupe, entry: &Entry) -> Option<String> {
    match dedupe {
        Dedupe::Never => None,
        Dedupe::SameCommand => {
            let shell = match &entry.action {
                Action::Command { shell, .. } => shell.as_deref().unwrap_or_default(),
                _ => "",
            };
            Some(format!("{}\0{}\0{shell}", entry.kind, entry.action.label()))
        }
        Dedupe::SameNameAndCommand => {
            let name = entry.name.as_ref().map_or_else(String::new, |name| format!("{name}:"));
            Some(format!("{name}{}", entry.action.label()))
        }
    }
}
