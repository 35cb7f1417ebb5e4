//! Hooks that run twice for one event.

use super::Lint;
use super::matchers::{as_seen_by, known_names};
use crate::diagnostic::Code;
use crate::dialect::to_common;
use crate::hook::{Action, Hook};
use crate::matcher::Verdict;

impl Lint<'_> {
    pub(super) fn twice(&mut self) {
        for (index, hook) in self.hooks.clone().into_iter().enumerate() {
            let before = self.hooks.get(..index).unwrap_or_default();
            let twin = before.iter().find_map(|first| Some((*first, both_run(first, hook)?)));
            let Some((first, on)) = twin else { continue };
            let text = format!("{} runs the same, and both run {on}; remove one of them", first.title());
            self.warn(hook, Code::LintRunsTwice, &text);
        }
    }
}

/// For what both hooks run, when they do the same.
fn both_run(first: &Hook, second: &Hook) -> Option<String> {
    let common = |hook: &'_ Hook| to_common(hook.dialect.names.events, &hook.event).to_owned();
    let same_event = common(first) == common(second) && first.rule.is_some();
    let one = first.dialect == second.dialect
        && first.dedupe_key.is_some()
        && first.dedupe_key == second.dedupe_key;
    let condition = |hook: &Hook| hook.condition.as_ref().map(|condition| condition.text().to_owned());
    let alike = first.bound == second.bound
        && condition(first) == condition(second)
        && first.env == second.env
        && does_the_same(&first.action, &second.action);
    if !same_event || one || !alike {
        return None;
    }
    let same_text = first.dialect == second.dialect && first.matcher_text == second.matcher_text;
    if same_text || first.matcher.is_none() && second.matcher.is_none() {
        let text = first.matcher_text.as_deref().unwrap_or_default();
        return Some(if text.is_empty() {
            format!("on every {}", first.event)
        } else {
            format!("for `{text}`")
        });
    }
    let fires = |hook: &Hook, name: &str| {
        let subject = as_seen_by(hook, first.dialect, name);
        let matches = |subject| hook.matcher.as_ref().is_none_or(|own| own.matches(&subject) == Verdict::Yes);
        subject.is_some_and(matches)
    };
    let shared = known_names(first).into_iter().find(|name| fires(first, name) && fires(second, name))?;
    Some(format!("for `{shared}`"))
}

/// Only of commands and requests is it certain; a question to a model may well be asked twice.
fn does_the_same(first: &Action, second: &Action) -> bool {
    match (first, second) {
        (Action::Command { line, shell }, Action::Command { line: other, shell: by }) => {
            line.trim() == other.trim() && shell == by
        }
        (Action::Process { program, args }, Action::Process { program: other, args: others }) => {
            program == other && args == others
        }
        (Action::Http { url, method, .. }, Action::Http { url: other, method: by, .. }) => {
            url == other && method == by
        }
        _ => false,
    }
}
