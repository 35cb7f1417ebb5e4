//! What can come of asking a [`Worker`], on every system.

use super::{Captured, End, Worker};
use std::time::Duration;

/// What came of a talk.
pub struct Spoken {
    /// The answer, or what came in its place.
    pub said: Said,
    /// What the worker wrote that was no answer; empty beside a line.
    pub unread: Vec<u8>,
    /// What the worker wrote on its standard error since the last talk.
    pub stderr: Captured,
    /// From the line's first byte to the answer's last.
    pub duration: Duration,
    /// The worker, when it can be asked again.
    pub worker: Option<Worker>,
}

/// A worker's answer.
#[derive(Debug)]
pub enum Said {
    /// A line, without its newline.
    Line(Vec<u8>),
    /// None: it ended first, or was ended.
    Ended(End),
    /// None: it ended, and had read nothing of the line.
    Untold(End),
    /// It broke the rules of the exchange, and was ended.
    Fault(Fault),
}

/// How a worker broke the rules of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The line is longer than allowed.
    TooLong,
    /// There is more behind the line.
    TooMuch,
    /// It answered what it had not read.
    TooEarly,
    /// It closed its standard output and stayed.
    Closed,
}

impl Spoken {
    /// A talk that did not take place.
    pub(super) fn nothing(end: End) -> Self {
        Self {
            said: Said::Ended(end),
            unread: Vec::new(),
            stderr: Captured::default(),
            duration: Duration::ZERO,
            worker: None,
        }
    }
}

/// What a worker did since its last line.
#[derive(Debug)]
pub enum Rest {
    /// Nothing, as it should.
    Quiet,
    /// It wrote, though it was asked nothing.
    Spoke,
    /// It has ended, or closed its output, which is as good.
    Ended(Option<End>),
}
