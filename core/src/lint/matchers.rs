//! Matchers that match nothing the agent has, or more than their author thought of.

use std::collections::HashSet;

use super::Lint;
use crate::diagnostic::Code;
use crate::dialect::{Dialect, Target, ToolName, common_tool};
use crate::hook::Hook;
use crate::matcher::{Matcher, Style, Subject, Verdict};
use crate::translation;

impl Lint<'_> {
    pub(super) fn matchers(&mut self) {
        let mut seen: HashSet<String> = HashSet::new();
        for hook in self.hooks.clone() {
            // The matcher belongs to the group; one word for all of its hooks is enough.
            let group = hook.id.rsplit_once('/').map_or(hook.id.as_str(), |(group, _)| group);
            let Some(matching) = Matching::of(hook).filter(|_| seen.insert(group.to_owned())) else {
                continue;
            };
            if let Some(text) = matching.never() {
                self.warn(hook, Code::LintMatcherNeverMatches, &text);
            }
            if let Some(text) = matching.more() {
                self.warn(hook, Code::LintMatcherMatchesMore, &text);
            }
        }
    }
}

/// What the matchers of a hook's event can meet, as far as the agent's documentation lists it.
pub(super) fn known_subjects(hook: &Hook) -> Vec<Subject> {
    known_names(hook).into_iter().filter_map(|name| as_seen_by(hook, hook.dialect, name)).collect()
}

/// The names of that, in the words of the hook's dialect.
pub(super) fn known_names(hook: &Hook) -> Vec<&'static str> {
    let Some(rule) = hook.rule else { return Vec::new() };
    let names = hook.dialect.names;
    match rule.target {
        Target::Tool => names.tools.iter().map(|tool| tool.name).collect(),
        Target::Field(_) => {
            let listed = names.matched.iter().find(|(event, _)| *event == rule.name);
            listed.into_iter().flat_map(|(_, values)| *values).copied().collect()
        }
        Target::Nothing | Target::FileName(_) => Vec::new(),
    }
}

/// What a hook's matcher is compared with when an agent that speaks `from` says `name`.
pub(super) fn as_seen_by(hook: &Hook, from: &'static Dialect, name: &str) -> Option<Subject> {
    Some(translation::subject(name.to_owned(), hook.rule?.target, from, hook.dialect))
}

struct Matching<'a> {
    hook: &'a Hook,
    text: &'a str,
    style: Style,
    subjects: Vec<Subject>,
    is_tool: bool,
}

impl<'a> Matching<'a> {
    /// `None` when there is nothing to compare with.
    fn of(hook: &'a Hook) -> Option<Self> {
        let (text, rule) = (hook.matcher_text.as_deref()?, hook.rule?);
        let matcher = hook.matcher.as_ref()?;
        let subjects = known_subjects(hook);
        let whole = matches!(text.trim(), "" | "*" | ".*");
        if whole || matcher.fault().is_some() || subjects.is_empty() {
            return None;
        }
        let style = hook.dialect.matching_of(rule, hook.version);
        Some(Self { hook, text, style, subjects, is_tool: rule.target == Target::Tool })
    }

    /// The alternatives of which it consists; one, when it is a pattern.
    fn parts(&self) -> Vec<&'a str> {
        let separators: &[char] = match self.style {
            Style::NameList { .. } => &['|', ','],
            Style::Literal => &[],
            _ => &['|'],
        };
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '|' | ',' | ' ');
        if !self.text.chars().all(plain) {
            return vec![self.text];
        }
        self.text.split(separators).filter(|part| !part.trim().is_empty()).collect()
    }

    fn meets(&self, part: &str, subject: &Subject) -> bool {
        let matcher = Matcher::new(self.style, Some(part));
        matcher.is_ok_and(|matcher| matcher.matches(subject) != Verdict::No)
    }

    fn meets_any(&self, part: &str) -> bool {
        self.subjects.iter().any(|subject| self.meets(part, subject))
    }

    /// What of the matcher matches nothing, and what was probably meant.
    fn never(&self) -> Option<String> {
        if self.style == Style::Literal && self.text.contains('|') {
            // Said when the settings were read.
            return None;
        }
        let dead = self.parts().into_iter().filter(|part| !part.trim().starts_with("mcp_"));
        let dead = dead.filter(|part| !self.meets_any(part));
        dead.filter_map(|part| {
            let hint = self.hint(part)?;
            let product = self.hook.dialect.product;
            let what = if self.is_tool { "no tool" } else { "no value" };
            let shown = part.trim();
            Some(format!("the matcher `{shown}` matches {what} that {product} documents; {hint}"))
        })
        .next()
    }

    /// What is to be written instead of a part that matches nothing. Tools are not all known, so that of theirs is said
    /// only what has an explanation.
    fn hint(&self, part: &str) -> Option<String> {
        let bare = part.trim().trim_start_matches('^').trim_end_matches('$');
        let entries: Vec<&str> = bare.split(',').map(str::trim).collect();
        if entries.len() > 1 && entries.iter().all(|entry| self.meets_any(entry)) {
            return Some(format!("separate names by `|`: `{}`", entries.join("|")));
        }
        if part.trim() != part && self.meets_any(part.trim()) {
            return Some(format!("blanks count here; write `{}`", part.trim()));
        }
        if let Some(name) = self.same_letters(bare) {
            // The very name: it is one of those that only whole names are compared with.
            let why =
                if name == bare { "patterns do not see this name" } else { "upper and lower case count" };
            return Some(format!("{why}: write `{name}`"));
        }
        if !self.is_tool {
            let values: Vec<&str> = self.subjects.iter().map(|subject| subject.name.as_str()).collect();
            return Some(format!("it has {}", values.join(", ")));
        }
        if let Some((tool, _)) = bare.split_once('(') {
            let tool = self.same_letters(tool).filter(|_| bare.ends_with(')'))?;
            let rule = if self.hook.dialect.conditions {
                format!("and `\"if\": \"{bare}\"` in the hook")
            } else {
                "and let the hook look at the rest".to_owned()
            };
            return Some(format!("it looks like a permission rule: write the matcher `{tool}`, {rule}"));
        }
        let name = self.name_here(bare)?;
        Some(format!("its name for that is `{name}`"))
    }

    /// A known name that only the case of its letters sets apart.
    fn same_letters(&self, name: &str) -> Option<&str> {
        let names =
            self.subjects.iter().flat_map(|subject| std::iter::once(&subject.name).chain(&subject.aliases));
        names.map(String::as_str).find(|known| known.eq_ignore_ascii_case(name))
    }

    /// What this agent calls a tool that another agent calls so.
    fn name_here(&self, name: &str) -> Option<&'static str> {
        self.hook.dialect.tool_called(name)
    }

    /// Which other tools a plain name matches, because it is searched in theirs.
    fn more(&self) -> Option<String> {
        if !self.is_tool {
            return None;
        }
        let parts: Vec<&str> = self.parts().into_iter().map(str::trim).collect();
        let meant: Vec<&ToolName> = parts.iter().filter_map(|part| self.tool(part)).collect();
        if meant.is_empty() || meant.len() < parts.len() {
            return None;
        }
        let names = self.hook.dialect.names;
        let of_today = |tool: &&ToolName| {
            names.tools_meaning(tool.means).next().is_some_and(|first| first.name == tool.name)
        };
        let stray = |tool: &&ToolName| {
            let wanted = |one: &&ToolName| {
                one.means == tool.means
                    || common_tool(tool.means).is_some_and(|common| common.like.contains(&one.means))
            };
            !meant.iter().any(wanted)
                && self.subjects.iter().any(|subject| {
                    subject.name == tool.name && parts.iter().any(|part| self.meets(part, subject))
                })
        };
        let strays: Vec<String> = names
            .tools
            .iter()
            .filter(of_today)
            .filter(stray)
            .map(|tool| format!("`{}`", tool.name))
            .collect();
        if strays.is_empty() {
            return None;
        }
        let names: Vec<&str> = meant.iter().map(|tool| tool.name).collect();
        let exact = if names.len() == 1 { names.concat() } else { format!("({})", names.join("|")) };
        Some(format!(
            "the matcher `{}` is searched in the tool's name, so it matches {} too; write `^{exact}$` if that is not meant",
            self.text,
            strays.join(", ")
        ))
    }

    /// The tool that a plain name is exactly.
    fn tool(&self, part: &str) -> Option<&'static ToolName> {
        let called =
            |subject: &&Subject| subject.name == part || subject.aliases.iter().any(|alias| alias == part);
        let subject = self.subjects.iter().find(called)?;
        self.hook.dialect.names.tool(&subject.name)
    }
}
