//! A hook's time limit: its keys, units and defaults.

use std::time::Duration;

use super::{Frame, Reader};
use crate::diagnostic::Code;
use crate::dialect::{TimeUnit, TimeoutRule, TypeRule};
use crate::settings::tree::{Node, Value};

impl Reader<'_> {
    /// The hook's own time limit, and the one that applies.
    pub(super) fn timeout(&mut self, rule: &TypeRule, frame: Frame) -> (Option<Duration>, Duration) {
        let default = usual_timeout(rule, frame);
        let own = self.own_timeout(rule, default);
        let timeout = own.unwrap_or(default);
        if let Some(limit) = frame.time_limit.filter(|limit| timeout > *limit && timeout != default) {
            let message = format!(
                "`timeout` is {timeout:?}, but {} waits {limit:?} at most here",
                self.dialect.product
            );
            self.warn("timeout", Code::TimeoutClamped, message);
        }
        (own, timeout)
    }

    fn own_timeout(&mut self, rule: &TypeRule, default: Duration) -> Option<Duration> {
        let TimeoutRule { unit, millis_key, millis_from, .. } = rule.timeout;
        if millis_key && let Some(node) = self.node.get("timeoutMs") {
            if let Some(timeout) = usable(node, 0.001) {
                return Some(timeout);
            }
            self.warn(
                "timeoutMs",
                Code::TimeoutIgnored,
                self.unusable_time("timeoutMs", node, unit, default),
            );
        }
        let node = self.node.get("timeout").filter(|node| node.value != Value::Null)?;
        if unit == TimeUnit::Nothing {
            if self.node.get("timeoutMs").is_none() {
                let message = format!("`timeout` has no effect on type {}; write `timeoutMs`", rule.name);
                self.warn("timeout", Code::IgnoredKey, message);
            }
            return None;
        }
        let legacy =
            matches!((&node.value, millis_from), (Value::Number(value), Some(from)) if *value >= from);
        if legacy && let Some(timeout) = usable(node, 0.001) {
            let product = self.dialect.product;
            let message =
                format!("`timeout` is so large that {product} reads it as milliseconds: {timeout:?}");
            self.warn("timeout", Code::TimeoutLegacyMs, message);
            return Some(timeout);
        }
        let timeout = match unit {
            TimeUnit::Millis => usable(node, 0.001),
            TimeUnit::WholeSeconds => whole_seconds(node),
            TimeUnit::Nothing | TimeUnit::Seconds => usable(node, 1.0),
        };
        if timeout.is_none() {
            self.warn("timeout", Code::TimeoutIgnored, self.unusable_time("timeout", node, unit, default));
        }
        timeout
    }

    fn unusable_time(&self, key: &str, node: &Node, unit: TimeUnit, default: Duration) -> String {
        let wanted =
            if unit == TimeUnit::WholeSeconds { "whole number of seconds" } else { "positive number" };
        let message = format!("`{key}` is {} that is no {wanted}", node.words());
        // Where such an entry is dropped, nothing applies in its stead.
        if self.dialect.settings.strict { message } else { format!("{message}; {default:?} applies") }
    }
}

/// A positive number of `unit` seconds as a time, at least 1 ms, at most a year.
fn usable(node: &Node, unit: f64) -> Option<Duration> {
    const YEAR: f64 = 365.0 * 24.0 * 3600.0;
    match node.value {
        Value::Number(value) if value > 0.0 => {
            Duration::try_from_secs_f64((value * unit).clamp(0.001, YEAR)).ok()
        }
        _ => None,
    }
}

/// A whole number of seconds, at least one, at most a year.
fn whole_seconds(node: &Node) -> Option<Duration> {
    match node.value {
        Value::Number(value) if value >= 0.0 && value.fract() == 0.0 => {
            usable(node, 1.0).or(Some(Duration::ZERO))
        }
        _ => None,
    }
    .map(|timeout| timeout.max(Duration::from_secs(1)))
}

/// The time limit of a hook that has none of its own.
fn usual_timeout(rule: &TypeRule, frame: Frame) -> Duration {
    let of_event = frame.event_timeout.filter(|_| rule.timeout.by_event);
    let older = rule.timeout.before.filter(|(since, _)| frame.version < *since).map(|(_, timeout)| timeout);
    frame.default_timeout.or(of_event).or(older).unwrap_or(rule.timeout.default)
}
