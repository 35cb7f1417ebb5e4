//! Watching: what a host shows while hooks run. Nothing of a prompt or a tool's input is in a notice.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use serde::Serialize;

use crate::diagnostic::Diagnostic;
use crate::hook::Hook;
use crate::outcome::{Decision, Status};

/// Something that happened in a dispatch. As JSON, `type` tells which.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Notice {
    /// A hook starts.
    Started {
        /// Which dispatch; counted from 1 in each process.
        dispatch: u64,
        /// The event's name.
        event: String,
        /// The hook.
        hook: HookNote,
    },
    /// A hook has ended, or was started in the background.
    Finished {
        /// Which dispatch.
        dispatch: u64,
        /// The event's name.
        event: String,
        /// The hook.
        hook: HookNote,
        /// How it ended.
        status: Status,
        /// Its own decision.
        decision: Decision,
        /// From start to end, in milliseconds.
        duration_ms: f64,
    },
    /// A background hook has ended.
    BackgroundFinished {
        /// The dispatch that started it.
        dispatch: u64,
        /// The event's name.
        event: String,
        /// The hook.
        hook: HookNote,
        /// How it ended.
        status: Status,
        /// Its exit code, when there was one.
        exit_code: Option<i32>,
        /// From start to end, in milliseconds.
        duration_ms: f64,
    },
    /// Something a user should know.
    Diagnostic {
        /// Which dispatch.
        dispatch: u64,
        /// The event's name.
        event: String,
        /// What it is.
        diagnostic: Diagnostic,
    },
}

impl Notice {
    /// The notice as one line of JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|_| "{}".to_owned())
    }
}

/// A hook as a progress line needs it.
#[derive(Debug, Clone, Serialize)]
pub struct HookNote {
    /// Identifies the hook within its engine.
    pub id: String,
    /// The dialect it is written in.
    pub dialect: &'static str,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Its name, or command, or URL.
    pub label: String,
    /// What a host shows while it runs.
    pub status_message: Option<String>,
}

impl HookNote {
    pub(crate) fn of(hook: &Hook) -> Self {
        Self {
            id: hook.id.clone(),
            dialect: hook.dialect.name,
            kind: hook.kind,
            label: hook.label().to_owned(),
            status_message: hook.status_message.clone(),
        }
    }
}

type Listener = Arc<dyn Fn(&Notice) + Send + Sync>;

/// The listeners of one engine.
#[derive(Default)]
pub(crate) struct Listeners {
    all: RwLock<Vec<(u64, Listener)>>,
    next: AtomicU64,
}

impl Listeners {
    /// Adds a listener; the number takes it away again.
    pub(crate) fn add(&self, listener: Listener) -> u64 {
        let id = self.next.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        self.all.write().unwrap_or_else(PoisonError::into_inner).push((id, listener));
        id
    }

    pub(crate) fn remove(&self, id: u64) -> bool {
        // Dropped after the lock is released: a listener's destructor may come here again.
        let removed = {
            let mut all = self.all.write().unwrap_or_else(PoisonError::into_inner);
            let place = all.iter().position(|(known, _)| *known == id);
            place.map(|place| all.remove(place))
        };
        removed.is_some()
    }

    /// Tells every listener. The notice is made only when somebody listens; a listener that panics harms nobody.
    pub(crate) fn tell(&self, notice: impl FnOnce() -> Notice) {
        let all: Vec<Listener> = {
            let all = self.all.read().unwrap_or_else(PoisonError::into_inner);
            if all.is_empty() {
                return;
            }
            all.iter().map(|(_, listener)| listener.clone()).collect()
        };
        let notice = notice();
        for listener in all {
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| listener(&notice)));
        }
    }
}

impl fmt::Debug for Listeners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listeners").finish_non_exhaustive()
    }
}

/// A number for the next dispatch.
pub(crate) fn next_dispatch() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
