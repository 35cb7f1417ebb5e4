//! How the texts and changes of several hooks become one, and how long they may be.

/// How the texts of several hooks become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Texts {
    pub(crate) reasons: Reasons,
    /// The reasons of those that halt the agent.
    pub(crate) stops: Pick,
    /// What is for the user.
    pub(crate) messages: Pick,
}

impl Texts {
    pub(crate) const USUAL: Self =
        Self { reasons: Reasons::OfWinners, stops: Pick::First, messages: Pick::All };
}

/// How the reasons of several hooks become one text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reasons {
    /// Those of the hooks whose decision won, in hook order, joined by a newline.
    OfWinners,
    /// The last stop reason of a halting hook; else the last reason given for the winning permission; else the
    /// reasons of all hooks, joined by a newline.
    OfAll,
    /// The stop reasons of all halting hooks, else the reasons of all hooks, joined by a newline.
    StopsElseAll,
    /// The first one of the hooks whose decision won.
    FirstWinner,
    /// The last one of the hooks whose decision won.
    LastWinner,
    /// Those of the hooks whose decision won, in hook order, joined by a blank line.
    OfWinnersApart,
}

/// Which of several changes of the tool's input counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rewrites {
    /// That of the later hook in configured order (design, rule 3).
    LastConfigured,
    /// That of the hook that finishes last.
    LastToFinish,
}

/// Which of the texts of several hooks count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pick {
    First,
    All,
    Last,
}

/// How long a text for the model may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Longest {
    /// So many characters, contexts and messages.
    Characters(usize),
    /// So many tokens of four bytes, contexts only, unless the hook says otherwise. The model gets beginning and end.
    Tokens(u64),
}

/// Which reasons of a block go to a file when they are too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LongReason {
    /// None.
    Kept,
    /// Each by itself.
    Each,
    /// All together, as they are joined.
    Joined,
}
