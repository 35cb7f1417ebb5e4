//! What tests and fuzzers reach of the inside: a whole dispatch whose processes are made up, and what the dialects'
//! tables say. Not part of the interface.

use crate::dialect::{self, Effect, Exit2};
use crate::engine::Engine;
use crate::error::Error;
use crate::event::Event;
use crate::outcome::{Decision, Outcome};
use crate::process::{Cancel, Command, Driver, EngineDriver, Finished, Talk};

/// Dispatches one event; `run` says what became of each command. Prompt and function hooks go to the engine's host as
/// always, and background hooks to the system: see [`no_processes`].
///
/// # Errors
/// `invalid_event`.
pub fn dispatch(
    engine: &Engine,
    event: impl Into<Vec<u8>>,
    run: impl Fn(&Command) -> Finished,
) -> Result<Outcome, Error> {
    engine.dispatch_on(event, &MadeUp(run))
}

/// A driver whose processes have ended before they began.
struct MadeUp<F>(F);

impl<F: Fn(&Command) -> Finished> Driver for MadeUp<F> {
    type Run = std::future::Ready<Finished>;
    type Talk = <EngineDriver as Driver>::Talk;

    fn talk(&self, talk: Talk, cancel: &Cancel) -> Self::Talk {
        EngineDriver.talk(talk, cancel)
    }

    fn run(&self, command: Command, _: &Cancel) -> Self::Run {
        std::future::ready((self.0)(&command))
    }
}

/// From now on nothing in this process can start another one: settings made by a fuzzer may name any program.
pub fn no_processes() {
    #[cfg(unix)]
    crate::process::simulate::missing(crate::process::simulate::NO_PROCESS);
}

/// What a dialect's table says of an event.
#[derive(Debug, Clone, Copy)]
pub struct EventFacts {
    /// Its name.
    pub name: &'static str,
    /// It asks for a permission: its decisions are none, allow, ask, defer and deny. Else they are none and block.
    pub permission: bool,
    /// Exit code 2 decides, where [`blocking`] says that anything can be decided.
    pub exit2_decides: bool,
    /// The field that matchers look at.
    pub matched_field: Option<&'static str>,
}

/// The events of a dialect, in the order of its table; empty when there is no such dialect.
#[must_use]
pub fn events(dialect: &str) -> Vec<EventFacts> {
    let rules = dialect::by_name(dialect).map(|dialect| dialect.events).unwrap_or_default();
    let facts = |rule: &dialect::EventRule| EventFacts {
        name: rule.name,
        permission: rule.effect == Effect::Permission,
        exit2_decides: rule.exit2 == Exit2::Decide,
        matched_field: rule.target.field(),
    };
    rules.iter().map(facts).collect()
}

/// What a blocking answer means for this event; `None` when nothing, or when the dialect has no such event.
#[must_use]
pub fn blocking(dialect: &str, event: &str) -> Option<Decision> {
    let event = Event::parse(event).ok()?;
    dialect::by_name(dialect)?.event(event.name())?.effect.blocking(&event)
}

/// The keys that lead to the event map in a dialect's settings file.
#[must_use]
pub fn events_path(dialect: &str) -> &'static [&'static str] {
    match dialect::by_name(dialect) {
        Some(dialect) if dialect.settings.events_key => &["hooks", "events"],
        _ => &["hooks"],
    }
}

/// The tables of the page on several dialects, each with the name under which it stands there.
#[must_use]
pub fn tables_of_names() -> Vec<(&'static str, String)> {
    crate::translation::page::tables().into()
}
