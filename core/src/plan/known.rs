//! Judging an event of which texts were taken out: what a matcher or an `if` said of the whole event stands in the
//! recording, or is not known.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Judge, Planner};
use crate::event::Event;
use crate::hook::Hook;
use crate::matcher::Verdict;

/// What of a hook is asked about an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Asked {
    Matcher,
    If,
    /// The session or agent that it is for.
    Session,
}

/// What a matcher or an `if` said of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Judged {
    pub(crate) dialect: String,
    pub(crate) version: Option<String>,
    pub(crate) asked: Asked,
    pub(crate) text: String,
    pub(crate) held: bool,
}

/// What is known of an event of which texts were taken out.
pub(crate) struct Known<'a> {
    /// Stands where something was taken out.
    pub(crate) mark: &'static str,
    pub(crate) judged: &'a [Judged],
    /// Whether a hook ran then; what it is taken for where nothing is known.
    pub(crate) ran: &'a dyn Fn(&Hook) -> bool,
}

/// A hook of which it is not known whether it would run, and why.
pub(crate) type Unknown = (Arc<Hook>, String);

impl Planner {
    /// What was said of `event` that `left`, the same event after texts were taken out of it, cannot tell any more. A
    /// rule that is not to be written down itself (`plain`) is left out.
    pub(crate) fn judged(
        &self,
        event: &Event,
        left: &Event,
        mark: &'static str,
        plain: &dyn Fn(&str) -> bool,
    ) -> Vec<Judged> {
        let configured = self.configured(event.name());
        let mut whole = Judge::new(event, self.main, self.fail_mode);
        let mut left = Judge::new(left, self.main, self.fail_mode);
        let mut all = Vec::new();
        for hook in configured.iter().flat_map(|configured| &configured.hooks) {
            for asked in [Asked::Matcher, Asked::If] {
                if !whole.fires(hook) || left.touched(hook, asked, mark).is_none() {
                    continue;
                }
                let judged = whole.ask(hook, asked).map(|held| Judged { held, ..rule(hook, asked) });
                if let Some(judged) = judged.filter(|one| !all.contains(one) && plain(&one.text)) {
                    all.push(judged);
                }
            }
        }
        all
    }
}

/// The rule that is asked, as it is recorded.
fn rule(hook: &Hook, asked: Asked) -> Judged {
    let text = match asked {
        Asked::Matcher => hook.matcher_text.clone(),
        Asked::If => hook.condition.as_ref().map(|condition| condition.identity()),
        Asked::Session => None,
    };
    Judged {
        dialect: hook.dialect.name.to_owned(),
        version: hook.version.recorded(),
        asked,
        text: text.unwrap_or_default(),
        held: false,
    }
}

impl Judge<'_> {
    /// What the recording says of a judgement that what is left of the event cannot tell; `None` when it can.
    pub(super) fn recall(&mut self, hook: &Arc<Hook>, asked: Asked) -> Option<bool> {
        let known = self.known?;
        let field = self.touched(hook, asked, known.mark)?;
        let rule = rule(hook, asked);
        let is_same = |one: &&Judged| Judged { held: false, ..Judged::clone(one) } == rule;
        if let Some(judged) = known.judged.iter().find(is_same) {
            return Some(judged.held);
        }
        let looks = match asked {
            Asked::Matcher => format!("its matcher, `{}`, looks", hook.matcher_text.as_deref().unwrap_or("")),
            Asked::If => format!("its `if`, `{}`, looks", hook.condition.as_ref().map_or("", |it| it.text())),
            Asked::Session => "it is for one session or agent and looks".to_owned(),
        };
        self.unknown.push((hook.clone(), format!("{looks} at `{field}`, and a part of that was taken out")));
        Some((known.ran)(hook))
    }

    /// The field with `mark` in it that the answer depends on.
    fn touched(&mut self, hook: &Hook, asked: Asked, mark: &str) -> Option<String> {
        let event = self.event.whole()?;
        let marked = |field: &str| event.get(field).is_some_and(|raw| raw.contains(mark));
        match asked {
            Asked::Session => {
                hook.bound.as_ref()?;
                ["session_id", "agent_id"].into_iter().find(|field| marked(field)).map(str::to_owned)
            }
            Asked::Matcher => {
                hook.matcher.as_ref().filter(|matcher| !matcher.is_everything())?;
                let field = hook.rule.and_then(|rule| rule.target.field());
                field.filter(|field| marked(field)).map(str::to_owned)
            }
            Asked::If => {
                let condition = hook.condition.clone()?;
                let foreign = hook.dialect != self.main;
                if foreign && marked("mcp_context") {
                    return Some("mcp_context".to_owned());
                }
                let also = self.also(hook);
                condition.touched(self.told(hook.dialect)?, &also, mark)
            }
        }
    }

    /// What a matcher or an `if` says; `None` when there is no sure answer.
    fn ask(&mut self, hook: &Hook, asked: Asked) -> Option<bool> {
        match asked {
            Asked::Matcher => {
                let (matcher, rule) = (hook.matcher.clone()?, hook.rule?);
                match matcher.matches(&self.subject(hook.dialect, rule.target)) {
                    Verdict::Yes => Some(true),
                    Verdict::No => Some(false),
                    Verdict::LimitExceeded => None,
                }
            }
            Asked::If => {
                let condition = hook.condition.clone()?;
                Some(self.holds(&condition, hook))
            }
            Asked::Session => None,
        }
    }
}
