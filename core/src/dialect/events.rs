//! What a dialect says of its events.

use std::time::Duration;

use super::{LongReason, Texts};
use crate::event::Event;
use crate::matcher::Style;
use crate::outcome::Decision;

/// What the dialect says of one event.
#[derive(Debug)]
pub(crate) struct EventRule {
    pub(crate) name: &'static str,
    /// What a matcher looks at.
    pub(crate) target: Target,
    /// What a decision means here.
    pub(crate) effect: Effect,
    /// What becomes of plain text on standard output, exit code 0.
    pub(crate) plain: Plain,
    /// What exit code 2 does.
    pub(crate) exit2: Exit2,
    /// What `"continue": false` does.
    pub(crate) halt: Halt,
    /// The agent does not wait for the hooks of this event, and lets them finish.
    pub(crate) detached: bool,
    /// The agent waits no longer than this, whatever a hook's own timeout.
    pub(crate) time_limit: Option<Duration>,
    /// How this event's matchers are read, where it is not as the dialect reads all others.
    pub(crate) matching: Option<Style>,
    /// Who reads `systemMessage`.
    pub(crate) message: Message,
    /// The hook types that it takes; `None` is all.
    pub(crate) types: Option<&'static [&'static str]>,
    /// The time limit of a hook without one of its own, where types that say so ([`TimeoutRule::by_event`]) have another here.
    pub(crate) timeout: Option<Duration>,
    /// A hook may say how long its context may be.
    pub(crate) limits_context: bool,
    /// Which reasons of a block go to a file when they are too long.
    pub(crate) long_reason: LongReason,
    /// Its hooks are waited for, whatever they say.
    pub(crate) never_background: bool,
    /// How the texts of several hooks become one, where it is not as for all other events.
    pub(crate) texts: Option<Texts>,
    /// A halt takes the place of a block, of the same hook or another: the agent stops instead of going on.
    pub(crate) halt_beats_block: bool,
    /// All hooks of the event share this time.
    pub(crate) budget: Option<Budget>,
}

impl EventRule {
    /// An event that decides nothing, without a matcher. What a dialect says of its events is laid over it.
    pub(crate) const USUAL: Self = Self {
        name: "",
        target: Target::Nothing,
        effect: Effect::Inform,
        plain: Plain::Nothing,
        exit2: Exit2::Nothing,
        halt: Halt::Nothing,
        detached: false,
        time_limit: None,
        matching: None,
        message: Message::User,
        types: None,
        timeout: None,
        limits_context: false,
        long_reason: LongReason::Kept,
        never_background: false,
        texts: None,
        halt_beats_block: false,
        budget: None,
    };
}

/// Who reads a hook's `systemMessage`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Message {
    User,
    /// The model, as context.
    Model,
    /// Nobody.
    Nobody,
}

/// A time that all hooks of one event share, because the agent does not wait any longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget {
    pub(crate) usual: Duration,
    /// A hook's own longer timeout raises it for all, at most to this.
    pub(crate) highest: Duration,
    /// An environment variable with the budget in milliseconds.
    pub(crate) env: &'static str,
}

/// What a matcher looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// Nothing: a matcher is ignored, the group always runs.
    Nothing,
    /// `tool_name` and its aliases.
    Tool,
    /// A string field of the event.
    Field(&'static str),
    /// The last path component of a string field.
    FileName(&'static str),
}

impl Target {
    /// The event field it is.
    pub(crate) fn field(self) -> Option<&'static str> {
        match self {
            Self::Nothing => None,
            Self::Tool => Some("tool_name"),
            Self::Field(field) | Self::FileName(field) => Some(field),
        }
    }
}

/// What a decision means for an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// allow, ask, deny.
    Permission,
    /// none or block.
    Block,
    /// none or block, but only while the string field has this value.
    BlockWhile(&'static str, &'static str),
    /// none or block, unless the string field has this value.
    BlockUnless(&'static str, &'static str),
    /// Nothing can be decided; contexts and messages count.
    Inform,
    /// The agent reads nothing of the answer.
    Ignore,
}

impl Effect {
    /// The event field that it depends on.
    pub(crate) fn field(self) -> Option<&'static str> {
        match self {
            Self::BlockWhile(field, _) | Self::BlockUnless(field, _) => Some(field),
            Self::Permission | Self::Block | Self::Inform | Self::Ignore => None,
        }
    }

    /// Whether a blocking answer means anything, for some event at least.
    pub(crate) fn can_block(self) -> bool {
        !matches!(self, Self::Inform | Self::Ignore)
    }

    /// What a blocking answer means for this event, if anything.
    pub(crate) fn blocking(self, event: &Event) -> Option<Decision> {
        match self {
            Self::Permission => Some(Decision::Deny),
            Self::Block => Some(Decision::Block),
            Self::BlockWhile(field, value) => {
                (event.string(field).as_deref() == Some(value)).then_some(Decision::Block)
            }
            Self::BlockUnless(field, value) => {
                (event.string(field).as_deref() != Some(value)).then_some(Decision::Block)
            }
            Self::Inform | Self::Ignore => None,
        }
    }
}

/// What becomes of plain text on standard output, exit code 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plain {
    /// Context for the model.
    Context,
    /// A message for the user.
    Message,
    /// Nothing: transcript or debug log.
    Nothing,
}

/// What exit code 2 does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit2 {
    /// Denies or blocks, as the effect of the event is.
    Decide,
    /// The text is shown to the user; nothing is blocked.
    TellUser,
    /// No effect.
    Nothing,
}

/// What `"continue": false` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Halt {
    /// Denies or blocks, as the effect of the event is.
    Decide,
    /// Halts the agent.
    Stop,
    /// No effect.
    Nothing,
}
