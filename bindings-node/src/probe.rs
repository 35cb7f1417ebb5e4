//! Panics on demand, so that a test can see where they end up. Only with the cargo feature `probe`, never in the package.

use napi_derive::napi;

/// Panics in a synchronous call.
#[napi(catch_unwind)]
pub(crate) fn probe_panic() {
    hit(b"probe-sync", "probe-sync");
}

/// Panics when `event` names the place `place`.
#[allow(clippy::panic, reason = "this is what it is for")]
pub(crate) fn hit(event: &[u8], place: &str) {
    if event.windows(place.len()).any(|part| part == place.as_bytes()) {
        panic!("{place}");
    }
}
