//! Goals: a session works on until a condition is met (codebuddy-claude.md section 15, `/goal`).
//!
//! A goal is a prompt hook on Stop that belongs to one session. The model has three verdicts: met, not met (the agent
//! goes on, told why), and impossible.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::diagnostic::Origin;
use crate::dialect::{Dialect, KEPT, Version};
use crate::error::{Error, ErrorKind};
use crate::hook::{Action, Bound, Hook};
use crate::reply::{Reply, ReplyContext, Verdict};
use crate::settings::Scope;

/// A condition may have so many characters.
const LONGEST: usize = 4_000;

/// How a goal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalStatus {
    /// The agent works on it.
    #[default]
    Active,
    /// The condition is met.
    Met,
    /// It cannot be met in this session.
    Impossible,
}

/// A session's goal; as JSON a host can save it and restore it when the session is resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Goal {
    /// What is to be reached.
    pub condition: String,
    /// How it stands.
    #[serde(default)]
    pub status: GoalStatus,
    /// Turns spent on it, as the host counted them.
    #[serde(default)]
    pub turns: u64,
    /// Tokens spent on it, as the host counted them.
    #[serde(default)]
    pub tokens: u64,
    /// How often it was judged.
    #[serde(default)]
    pub checks: u64,
    /// What the last verdict said.
    #[serde(default)]
    pub last_reason: Option<String>,
    /// When it was set (RFC 3339, UTC).
    #[serde(default)]
    pub set_at: String,
}

impl Goal {
    /// A goal that was not worked on yet.
    pub(crate) fn new(condition: &str) -> Result<Self, Error> {
        let refused = |text: String| Err(Error::new(ErrorKind::InvalidOptions, text));
        let condition = condition.trim();
        if condition.is_empty() {
            return refused("a goal needs a condition".to_owned());
        }
        let length = condition.chars().count();
        if length > LONGEST {
            return refused(format!(
                "a goal's condition has at most {LONGEST} characters, this one {length}"
            ));
        }
        let set_at = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
        Ok(Self {
            condition: condition.to_owned(),
            status: GoalStatus::Active,
            turns: 0,
            tokens: 0,
            checks: 0,
            last_reason: None,
            set_at,
        })
    }

    /// The hook that judges it.
    pub(crate) fn hook(&self, dialect: &'static Dialect, session_id: &str) -> Option<Arc<Hook>> {
        let rule = dialect.event("Stop").filter(|_| self.status == GoalStatus::Active)?;
        let bound = Bound { session_id: Some(session_id.to_owned()), agent_id: None };
        Some(Arc::new(Hook {
            id: "session/goal".to_owned(),
            dialect,
            version: Version::NEWEST,
            scope: Scope::Session,
            event: rule.name.to_owned(),
            rule: Some(rule),
            matcher_text: None,
            matcher: None,
            condition: None,
            sequential: false,
            kind: "prompt",
            action: Action::Goal { condition: self.condition.clone(), prompt: self.prompt() },
            name: Some("goal".to_owned()),
            timeout: Duration::from_secs(30),
            own_timeout: true,
            budget: None,
            background: false,
            wakes: false,
            once: false,
            worker: None,
            status_message: None,
            env: Vec::new(),
            fail_mode: None,
            output_limit: KEPT,
            origin: Origin { scope: Scope::Session.as_str().to_owned(), ..Origin::default() },
            dedupe_key: None,
            bound: Some(bound),
            data_dir: None,
            digest: None,
            context_limit: None,
            off: None,
        }))
    }

    fn prompt(&self) -> String {
        format!(
            "A coding agent is about to stop. It was given this goal at {}:\n\n{}\n\nSo far {} turns and {} tokens were \
             spent on it. Judge only by what has happened since the goal was set whether it is reached. Say {{\"ok\": \
             true}} when it is, {{\"ok\": false, \"reason\": \"...\"}} with what is missing when it is not, and add \
             \"impossible\": true when it cannot be reached in this session at all.\n\nThe event:\n$ARGUMENTS",
            self.set_at, self.condition, self.turns, self.tokens
        )
    }

    /// Notes a verdict.
    pub(crate) fn judged(&mut self, verdict: &Verdict) {
        self.checks = self.checks.saturating_add(1);
        self.last_reason.clone_from(&verdict.reason);
        if verdict.ok {
            self.status = GoalStatus::Met;
        } else if verdict.impossible {
            self.status = GoalStatus::Impossible;
        }
    }
}

/// What a verdict on a goal means, in every dialect.
pub(crate) fn judge(context: &ReplyContext<'_>, condition: &str, verdict: Verdict) -> Reply {
    let mut reply = Reply { answered: true, ..Reply::default() };
    let reason = verdict.reason.clone().unwrap_or_else(|| "it is not reached yet".to_owned());
    if !verdict.ok && verdict.impossible {
        reply.message = Some(format!("The goal [{condition}] cannot be reached: {reason}"));
    } else if !verdict.ok {
        reply.block(context, "an unmet goal");
        let text = format!("Stop hook feedback: [{condition}] {reason}");
        reply.parts.top = Some(text.clone());
        reply.reason = Some(text);
    }
    reply.verdict = Some(verdict);
    reply
}
