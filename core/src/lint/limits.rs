//! Time limits in another unit than their author thought of, and requests that lead where they should not.

use super::Lint;
use crate::diagnostic::Code;
use crate::dialect::TimeUnit;
use crate::hook::Hook;

/// Limits below this many milliseconds are hardly meant: a process alone takes a good part of it to start.
const SHORTEST: u128 = 100;

impl Lint<'_> {
    pub(super) fn limits(&mut self) {
        for hook in self.hooks.clone() {
            self.time_limit(hook);
            self.request(hook);
        }
    }

    fn time_limit(&mut self, hook: &Hook) {
        let Some(rule) = hook.dialect.hook_type(hook.kind).filter(|_| hook.own_timeout) else { return };
        let limit = hook.timeout;
        let product = hook.dialect.product;
        match rule.timeout.unit {
            // Who counts seconds writes 600 or 3600; a multiple of 1000 was thought of as milliseconds.
            TimeUnit::Seconds | TimeUnit::WholeSeconds
                if limit.as_secs() >= 1000 && limit.as_millis().is_multiple_of(1_000_000) =>
            {
                let (seconds, meant) = (limit.as_secs(), limit.as_secs() / 1000);
                let text = format!(
                    "`timeout` is {seconds}, and {product} counts seconds here; write {meant} if milliseconds were meant"
                );
                self.warn(hook, Code::LintTimeoutUnit, &text);
            }
            // Beside a `timeout` in seconds, only a key in milliseconds gives such a limit.
            unit if limit.as_millis() < SHORTEST
                && (unit != TimeUnit::WholeSeconds && unit != TimeUnit::Seconds
                    || rule.timeout.millis_key) =>
            {
                let (millis, meant) = (limit.as_millis(), limit.as_millis().saturating_mul(1000));
                let text = format!(
                    "its time limit is {millis} ms, and {product} counts milliseconds here; write {meant} if seconds were meant"
                );
                self.warn(hook, Code::LintTimeoutUnit, &text);
            }
            _ => {}
        }
    }

    #[cfg(feature = "http")]
    fn request(&mut self, hook: &Hook) {
        use crate::run::{Reach, reach};
        match reach(hook, &self.set.merged(hook.dialect)) {
            None => {}
            Some(Reach::Refused(why)) => {
                let text =
                    format!("every request will be refused: {why}; correct the URL, or what may be reached");
                self.warn(hook, Code::LintPrivateAddress, &text);
            }
            Some(Reach::Private(what)) => {
                let text = format!(
                    "it leads to {what}, and the event goes there whatever network the machine is in; write the name of a \
                     host that only yours can be, with https"
                );
                self.warn(hook, Code::LintPrivateAddress, &text);
            }
        }
    }

    #[cfg(not(feature = "http"))]
    fn request(&mut self, _: &Hook) {}
}
