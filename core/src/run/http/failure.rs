//! Why there is no response, in words that a user can act on.

use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

/// Why a request got no response. Its text never contains the URL's path or query, nor a header's value: those may hold secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// A header cannot be sent; which, and why. Nothing was sent.
    Invalid(String),
    /// A rule forbids this URL or address; which rule. Nothing was sent.
    Refused(String),
    /// The deadline passed.
    TimedOut {
        /// The time that the request had in all.
        after: Duration,
        /// What it was doing then.
        phase: Phase,
    },
    /// The name was not found, or nobody could be reached at its addresses. Nothing was sent.
    Connect(String),
    /// No secure connection could be made. Nothing of the request was sent.
    Tls(String),
    /// The exchange broke off, or the answer is not understood. The server may have got the request.
    Protocol(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(text) => write!(f, "the request cannot be sent: {text}"),
            Self::Refused(text) => write!(f, "refused: {text}"),
            Self::TimedOut { after, phase } => write!(f, "no answer within {after:?}: timed out {phase}"),
            Self::Connect(text) => write!(f, "cannot connect: {text}"),
            Self::Tls(text) => write!(f, "no secure connection: {text}"),
            Self::Protocol(text) => write!(f, "no usable answer: {text}"),
        }
    }
}

impl std::error::Error for Failure {}

/// What a request is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Looking up the host's addresses.
    LookUp,
    /// Opening the connection.
    Connect,
    /// Agreeing on TLS.
    Handshake,
    /// Sending the request, and waiting for the head of the answer.
    Exchange,
    /// Receiving the body.
    Body,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LookUp => "while looking up the host name",
            Self::Connect => "while connecting",
            Self::Handshake => "while setting up TLS",
            Self::Exchange => "while sending the request and waiting for the answer to begin",
            Self::Body => "while receiving the answer's body",
        })
    }
}

/// Where a request has got to, still known when its future has been dropped at the deadline.
#[derive(Debug, Default)]
pub(super) struct Progress(AtomicU8);

impl Progress {
    pub(super) fn enter(&self, phase: Phase) {
        self.0.store(phase as u8, Ordering::Relaxed);
    }

    pub(super) fn phase(&self) -> Phase {
        [Phase::LookUp, Phase::Connect, Phase::Handshake, Phase::Exchange]
            .into_iter()
            .find(|phase| *phase as u8 == self.0.load(Ordering::Relaxed))
            .unwrap_or(Phase::Body)
    }
}

/// An error's own words and those of all its causes, each once.
pub(super) fn causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let words = cause.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        next = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_phase_is_kept() {
        let progress = Progress::default();
        assert_eq!(progress.phase(), Phase::LookUp);
        for phase in [Phase::Connect, Phase::Handshake, Phase::Exchange, Phase::Body] {
            progress.enter(phase);
            assert_eq!(progress.phase(), phase);
        }
    }

    #[test]
    fn words() {
        let timed_out = Failure::TimedOut { after: Duration::from_millis(1500), phase: Phase::Connect };
        assert_eq!(timed_out.to_string(), "no answer within 1.5s: timed out while connecting");
        assert_eq!(Failure::Refused("no".into()).to_string(), "refused: no");
    }
}
