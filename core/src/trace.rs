//! Spans for hosts that trace: one a dispatch, one a hook within it. Without the feature `tracing` they cost nothing.
//! Nothing of a prompt or a tool's input is in them.

use std::future::Future;

use crate::hook::Hook;
use crate::reply::Reply;

/// The future, in the span of its dispatch.
#[cfg(feature = "tracing")]
pub(crate) fn dispatch<F: Future>(event: &str, number: u64, future: F) -> impl Future<Output = F::Output> {
    use tracing::Instrument;
    future.instrument(tracing::info_span!("crosshook.dispatch", event, dispatch = number))
}

/// The span of a dispatch that runs nothing.
#[cfg(feature = "tracing")]
pub(crate) fn idle(event: &str, number: u64) {
    drop(tracing::info_span!("crosshook.dispatch", event, dispatch = number).entered());
}

/// The future, in the span of its hook.
#[cfg(feature = "tracing")]
pub(crate) fn hook<F: Future>(hook: &Hook, future: F) -> impl Future<Output = F::Output> {
    use tracing::Instrument;
    let span = tracing::info_span!(
        "crosshook.hook",
        id = hook.id.as_str(),
        dialect = hook.dialect.name,
        r#type = hook.kind,
        status = tracing::field::Empty,
        decision = tracing::field::Empty,
    );
    future.instrument(span)
}

/// Notes in the current hook's span how it ended.
#[cfg(feature = "tracing")]
pub(crate) fn ended(reply: &Reply) {
    let span = tracing::Span::current();
    span.record("status", tracing::field::debug(reply.status));
    span.record("decision", reply.decision.as_str());
}

/// The future as it is.
#[cfg(not(feature = "tracing"))]
pub(crate) fn dispatch<F: Future>(_: &str, _: u64, future: F) -> F {
    future
}

/// Nothing.
#[cfg(not(feature = "tracing"))]
pub(crate) fn idle(_: &str, _: u64) {}

/// The future as it is.
#[cfg(not(feature = "tracing"))]
pub(crate) fn hook<F: Future>(_: &Hook, future: F) -> F {
    future
}

/// Nothing.
#[cfg(not(feature = "tracing"))]
pub(crate) fn ended(_: &Reply) {}
