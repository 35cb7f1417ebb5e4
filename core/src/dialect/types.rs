//! What a dialect says of its hook types.

use std::time::Duration;

use super::Version;

/// One hook type of a dialect.
#[derive(Debug)]
pub(crate) struct TypeRule {
    pub(crate) name: &'static str,
    pub(crate) timeout: TimeoutRule,
    /// Keys it reads beside `type`; a known key of another type is named in a warning.
    pub(crate) keys: &'static [&'static str],
}

/// How a timeout is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeoutRule {
    pub(crate) default: Duration,
    /// What `timeout` counts.
    pub(crate) unit: TimeUnit,
    /// `timeoutMs` is in milliseconds and wins over `timeout`.
    pub(crate) millis_key: bool,
    /// A `timeout` of this or more is in milliseconds.
    pub(crate) millis_from: Option<f64>,
    /// The default is the event's, where the event has one.
    pub(crate) by_event: bool,
    /// The default before this version.
    pub(crate) before: Option<(Version, Duration)>,
}

impl TimeoutRule {
    /// `timeout` in seconds, with this default in seconds.
    pub(crate) const fn seconds(default: u64) -> Self {
        Self {
            default: Duration::from_secs(default),
            unit: TimeUnit::Seconds,
            millis_key: false,
            millis_from: None,
            by_event: false,
            before: None,
        }
    }
}

/// What a `timeout` counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeUnit {
    /// It has no effect on this type.
    Nothing,
    Seconds,
    /// A fraction is a mistake, and 0 is 1.
    WholeSeconds,
    Millis,
}
