//! The entries of one source: events and groups. A bad entry never takes its neighbours with it.

use std::sync::Arc;

use super::Scope;
use super::entry::{FAIL_MODE_KEYS, whole_file};
use super::load::Loader;
use super::source::Form;
use super::tree::{Node, Spot, Value};
use crate::diagnostic::{Code, Level};
use crate::dialect::{EventRule, Target};
use crate::hook::{FailMode, Off};
use crate::matcher::{Matcher, Style};

/// What a group may say, beside what it says of failures. `description` is for people.
const GROUP_KEYS: [&str; 4] = ["matcher", "hooks", "sequential", "description"];

/// A group that is being read.
pub(super) struct Group<'a> {
    pub(super) event: &'a str,
    pub(super) rule: Option<&'static EventRule>,
    pub(super) index: usize,
    pub(super) matcher_text: Option<String>,
    /// `None` matches everything.
    pub(super) matcher: Option<Arc<Matcher>>,
    pub(super) sequential: bool,
    /// What it says of failures, for all of its hooks.
    pub(super) fail_mode: Option<FailMode>,
    /// Why none of its hooks can run.
    pub(super) off: Option<Off>,
}

impl<'a> Group<'a> {
    /// One for every occurrence of an event.
    fn of(event: &'a str, rule: Option<&'static EventRule>, index: usize) -> Self {
        let (matcher_text, matcher) = (None, None);
        Self { event, rule, index, matcher_text, matcher, sequential: false, fail_mode: None, off: None }
    }
}

impl Loader<'_> {
    pub(super) fn read_event(&mut self, event: &str, groups: &Node, spot: &Spot) {
        let dialect = self.source.dialect;
        if dialect.settings.reserved.contains(&event) {
            if let Some(place) = dialect.settings.reserved_moved_to {
                let text = format!(
                    "{} does not read `hooks.{event}` any more; write `{place}.{event}`",
                    dialect.product
                );
                self.report(Level::Warning, Code::IgnoredKey, text, spot);
            }
            return;
        }
        self.written = event.to_owned();
        let event = self.own_name(event);
        let since = dialect.missing_in(self.version(), event);
        let rule = dialect.event(event).filter(|_| since.is_none());
        if let Some(since) = since {
            let text = format!(
                "unknown event '{event}' in {}: {} has it since version {since}, its hooks never run",
                self.source.title(),
                dialect.product
            );
            self.report(Level::Warning, self.unknown_event_code(), text, spot);
        } else if rule.is_none() {
            let near = dialect.events.iter().map(|rule| (rule.name, rule.name));
            let mut known = near.chain(dialect.settings.foreign_events.iter().copied());
            let hint = known.find(|(name, _)| name.eq_ignore_ascii_case(event));
            let hint = hint.map_or_else(String::new, |(_, own)| format!("; write `{own}`"));
            let text = format!(
                "unknown event '{event}' in {}: {} does not have it, its hooks never run{hint}",
                self.source.title(),
                dialect.product
            );
            self.report(Level::Warning, self.unknown_event_code(), text, spot);
        } else {
            self.note_no_counterpart(event, spot);
        }
        let Some(items) = groups.as_array() else {
            let text = format!(
                "`{event}` is {}, not a list of groups; it is skipped{}",
                groups.words(),
                whole_file(dialect)
            );
            self.stand_in(&Group::of(event, rule, 0), groups, spot, text.clone());
            return self.invalid_definition(event, text, spot);
        };
        for (index, item) in items.iter().enumerate() {
            self.read_group(event, rule, index, item, &spot.item(index, item));
        }
    }

    /// An event that the host's agent does not have.
    fn note_no_counterpart(&mut self, event: &str, spot: &Spot) {
        let (dialect, main) = (self.source.dialect, self.main);
        if dialect == main || main.event_of(dialect, event).is_some() {
            return;
        }
        let text = format!(
            "{} has nothing like {}'s event `{event}`; hooks for it run only if the host itself sends `{event}`",
            main.product, dialect.product
        );
        self.report(Level::Warning, Code::NoCounterpart, text, spot);
    }

    /// What an event is called where it runs: in frontmatter `Stop` is the end of the subagent.
    fn own_name<'e>(&self, event: &'e str) -> &'e str {
        let rule = self.source.dialect.settings.frontmatter.as_ref();
        match rule.and_then(|rule| rule.stop_becomes).filter(|_| self.source.form == Form::Frontmatter) {
            Some(name) if event == "Stop" && self.runs_as_agent() => name,
            _ => event,
        }
    }

    /// Whether the frontmatter is that of an agent, or of a skill that runs as one.
    fn runs_as_agent(&self) -> bool {
        let bound_to_agent = self.source.bound.as_ref().is_some_and(|bound| bound.agent_id.is_some());
        let context = self.source.tree.root.get("context").and_then(Node::as_str);
        self.source.scope != Scope::Skill || bound_to_agent || context == Some("fork")
    }

    fn unknown_event_code(&self) -> Code {
        match &self.source.plugin {
            Some(_) => self.source.dialect.settings.plugins.unknown_event,
            None => Code::UnknownEvent,
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
            let text = format!(
                "the group is {}, not an object with a list `hooks`; it is skipped{}",
                node.words(),
                whole_file(self.source.dialect)
            );
            self.stand_in(&Group::of(event, rule, index), node, spot, text.clone());
            return self.invalid_definition(event, text, spot);
        }
        let Some((list, hooks)) = node.get("hooks").and_then(|list| Some((list, list.as_array()?))) else {
            let wrong = node.get("hooks").map(|_| whole_file(self.source.dialect)).unwrap_or_default();
            let text = format!("the group has no list `hooks`; it is skipped{wrong}");
            let mut group = Group::of(event, rule, index);
            group.fail_mode = self.fail_mode_at(node, spot);
            self.read_matcher(&mut group, node, spot);
            self.stand_in(&group, node, spot, text.clone());
            return self.invalid_definition(event, text, spot);
        };
        let mut group = Group {
            sequential: node.get("sequential").is_some_and(|node| node.value == Value::Bool(true)),
            off: rule.is_none().then(|| {
                let text = format!("{} has no event `{event}`", self.source.dialect.product);
                Off::because(Code::UnknownEvent, text)
            }),
            ..Group::of(event, rule, index)
        };
        self.note_other_keys(node, spot);
        self.note_sequential(node, spot);
        group.fail_mode = self.fail_mode_at(node, spot);
        self.read_matcher(&mut group, node, spot);
        let list_spot = spot.child("hooks", list);
        for (position, hook) in hooks.iter().enumerate() {
            self.read_hook(&group, position, hook, &list_spot.item(position, hook));
        }
    }

    fn note_other_keys(&mut self, node: &Node, spot: &Spot) {
        for (key, value) in node.as_object().into_iter().flatten() {
            if !GROUP_KEYS.contains(&key.as_str()) && !FAIL_MODE_KEYS.contains(&key.as_str()) {
                let text =
                    format!("{} does not read `{key}` on a group of hooks", self.source.dialect.product);
                self.report(Level::Warning, Code::IgnoredKey, text, &spot.child(key, value));
            }
        }
    }

    fn note_sequential(&mut self, node: &Node, spot: &Spot) {
        let Some(asked) = node.get("sequential").filter(|asked| !matches!(asked.value, Value::Bool(_)))
        else {
            return;
        };
        let text = format!("`sequential` is {}, not true or false; it is ignored", asked.words());
        self.report(Level::Warning, Code::WrongType, text, &spot.child("sequential", asked));
    }

    fn read_matcher(&mut self, group: &mut Group<'_>, node: &Node, spot: &Spot) {
        let Some(matcher) = node.get("matcher").filter(|matcher| matcher.value != Value::Null) else {
            return;
        };
        let matcher_spot = spot.child("matcher", matcher);
        let Some(text) = matcher.as_str() else {
            let text = format!(
                "`matcher` is {}, not a string; its group does not run{}",
                matcher.words(),
                whole_file(self.source.dialect)
            );
            self.report(Level::Error, Code::InvalidMatcher, text.clone(), &matcher_spot);
            group.off.get_or_insert(Off::because(Code::InvalidMatcher, text));
            return;
        };
        group.matcher_text = Some(text.to_owned());
        let looks_at_nothing = group.rule.is_some_and(|rule| rule.target == Target::Nothing);
        if text.is_empty() && self.wants_a_matcher() {
            let text = format!(
                "{} wants a matcher that is not empty here; this one matches everything",
                self.source.dialect.product
            );
            self.report(Level::Warning, Code::EmptyMatcher, text, &matcher_spot);
        }
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
        let dialect = self.source.dialect;
        let style = group.rule.map_or(dialect.matching, |rule| dialect.matching_of(rule, self.version()));
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ');
        if style == Style::Literal && text != "*" && !text.chars().all(plain) {
            let text = format!(
                "the matcher `{text}` is compared as text: {} takes no patterns and no lists here; write a group for each \
                 value",
                dialect.product
            );
            self.report(Level::Warning, Code::LiteralMatcher, text, &matcher_spot);
        }
        match Matcher::new(style, Some(text)) {
            Ok(matcher) => {
                if let Some(why) = matcher.fault() {
                    let text = format!(
                        "the matcher `{text}` is no valid pattern ({why}); only its plain names are compared"
                    );
                    self.report(Level::Error, Code::InvalidMatcher, text, &matcher_spot);
                }
                self.note_bare_server(group, &matcher, &matcher_spot);
                group.matcher = Some(Arc::new(matcher));
            }
            Err(why) => {
                let text =
                    format!("the matcher `{text}` is no valid pattern ({why}); its group does not run");
                self.report(Level::Error, Code::InvalidMatcher, text.clone(), &matcher_spot);
                group.off.get_or_insert(Off::because(Code::InvalidMatcher, text));
            }
        }
    }

    fn note_bare_server(&mut self, group: &Group<'_>, matcher: &Matcher, spot: &Spot) {
        if group.rule.is_none_or(|rule| rule.target != Target::Tool) {
            return;
        }
        if let Some(server) = matcher.bare_mcp_server() {
            let text = format!(
                "`{server}` is compared with whole tool names, so it matches no tool of that server; write `{server}__.*`"
            );
            self.report(Level::Warning, Code::MatcherNeverMatches, text, spot);
        }
    }

    fn wants_a_matcher(&self) -> bool {
        self.source.dialect.settings.warns_of_empty_matcher && self.source.scope.needs_trust()
    }

    fn invalid_definition(&mut self, event: &str, text: String, spot: &Spot) {
        let text = self.in_words(event, text);
        self.report(Level::Error, self.definition_code(), text, spot);
    }

    /// The words that CodeBuddy uses for a bad entry of frontmatter.
    pub(super) fn in_words(&self, event: &str, text: String) -> String {
        if self.source.form == Form::Frontmatter { format!("event '{event}' invalid: {text}") } else { text }
    }
}
