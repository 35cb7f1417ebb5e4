//! What `explain` and `list` say of a hook.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::diagnostic::Origin;
use crate::dialect::Dialect;
use crate::event::Event;
use crate::hook::{FailMode, Hook, HookSet};
use crate::plan::{self, Judgement};
use crate::run;

/// Whether one configured hook runs for an event, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// The event the hook is configured for.
    pub event: String,
    /// Identifies the hook within its engine.
    pub id: String,
    /// The dialect it is written in.
    pub dialect: &'static str,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Its name, or command, or URL.
    pub label: String,
    /// The matcher of its group, as written.
    pub matcher: Option<String>,
    /// Where it is configured.
    pub origin: Origin,
    /// Whether it would run.
    pub runs: bool,
    /// Why, in words.
    pub why: String,
}

/// One configured hook, as a host's `/hooks` panel shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Listing {
    /// The event the hook is configured for.
    pub event: String,
    /// Identifies the hook within its engine.
    pub id: String,
    /// The dialect it is written in.
    pub dialect: &'static str,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Its name, or command, or URL.
    pub label: String,
    /// The matcher of its group, as written.
    pub matcher: Option<String>,
    /// Where it is configured.
    pub origin: Origin,
    /// Its time limit in seconds.
    pub timeout: f64,
    /// Whether it runs in the background.
    #[serde(rename = "async")]
    pub background: bool,
    /// Whether it runs only once a session.
    pub once: bool,
    /// Whether its command is a worker: started once, and asked for each event.
    pub worker: bool,
    /// What a host shows while it runs.
    pub status_message: Option<String>,
    /// Whether its group asks for one hook after the other.
    pub sequential: bool,
    /// `open` or `closed` when the hook or its settings file says so itself.
    pub fail_mode: Option<&'static str>,
    /// Whether it can run at all.
    pub enabled: bool,
    /// Why it cannot; or, of one that can, what is not there that it needs: a model, an agent or an MCP server of the host's.
    pub why_not: Option<String>,
}

/// Explains every configured hook.
pub(crate) fn explain(
    set: &HookSet,
    extra: &[Arc<Hook>],
    event: &Event,
    host: (&'static Dialect, FailMode),
    has_host: bool,
) -> Vec<Explanation> {
    plan::explain(set, extra, event, host, None)
        .into_iter()
        .map(|(hook, judgement)| {
            let (runs, why) = match judgement {
                Judgement::Runs(why) if hook.worker.is_some() => {
                    (true, format!("{why}; its worker is asked"))
                }
                Judgement::Runs(why) => match run::lacks_host(hook).filter(|_| !has_host) {
                    Some(lacking) => (true, format!("{why}; but it will fail: {lacking}")),
                    None => (true, why),
                },
                Judgement::Denies(why) | Judgement::Not(why) => (false, why),
            };
            Explanation {
                event: hook.event.clone(),
                id: hook.id.clone(),
                dialect: hook.dialect.name,
                kind: hook.kind,
                label: hook.label().to_owned(),
                matcher: hook.matcher_text.clone(),
                origin: hook.origin.clone(),
                runs,
                why,
            }
        })
        .collect()
}

/// Lists every configured hook.
pub(crate) fn list(set: &HookSet) -> Vec<Listing> {
    set.hooks.iter().map(|hook| listing(hook)).collect()
}

/// The same for an engine whose host answers nothing.
pub(crate) fn list_without_host(set: &HookSet) -> Vec<Listing> {
    let lacking = |(listing, hook): (Listing, &Arc<Hook>)| Listing {
        why_not: listing.why_not.or_else(|| run::lacks_host(hook)),
        ..listing
    };
    list(set).into_iter().zip(&set.hooks).map(lacking).collect()
}

fn listing(hook: &Hook) -> Listing {
    Listing {
        event: hook.event.clone(),
        id: hook.id.clone(),
        dialect: hook.dialect.name,
        kind: hook.kind,
        label: hook.label().to_owned(),
        matcher: hook.matcher_text.clone(),
        origin: hook.origin.clone(),
        timeout: seconds(hook.timeout),
        background: hook.background,
        once: hook.once,
        worker: hook.worker.is_some(),
        status_message: hook.status_message.clone(),
        sequential: hook.sequential,
        fail_mode: hook.fail_mode.map(|mode| match mode {
            FailMode::Open => "open",
            FailMode::Closed => "closed",
        }),
        enabled: hook.off.is_none(),
        why_not: hook.off.as_ref().map(|off| off.why.clone()),
    }
}

fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}
