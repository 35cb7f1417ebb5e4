//! What a call can fail with.

use std::fmt;

/// The kind of an [`Error`]. Its [`code`](ErrorKind::code) is stable and the same in every language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The engine options are not what the documentation of [`Options`](crate::Options) describes.
    InvalidOptions,
    /// A settings file or object that was named explicitly cannot be read or parsed.
    InvalidSettings,
    /// The event is not a JSON object with an event name, or not UTF-8.
    InvalidEvent,
    /// A file that was named explicitly cannot be read.
    Io,
    /// The system refused a resource the engine itself needs (a thread, a descriptor).
    Resource,
    /// The dispatch was cancelled before it had an outcome.
    Cancelled,
    /// The engine has been shut down.
    Closed,
    /// A blocking call on an engine thread, from inside a completion callback: it would wait for itself.
    EngineThread,
    /// A defect in Crosshook: a panic that was caught at the boundary. Treat it as a denied event.
    Internal,
}

impl ErrorKind {
    /// The stable text code of this kind, for example `invalid_event`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::InvalidOptions => "invalid_options",
            Self::InvalidSettings => "invalid_settings",
            Self::InvalidEvent => "invalid_event",
            Self::Io => "io",
            Self::Resource => "resource",
            Self::Cancelled => "cancelled",
            Self::Closed => "closed",
            Self::EngineThread => "engine_thread",
            Self::Internal => "internal",
        }
    }

    /// All kinds, for bindings that map each to something of their own.
    pub const ALL: [Self; 9] = [
        Self::InvalidOptions,
        Self::InvalidSettings,
        Self::InvalidEvent,
        Self::Io,
        Self::Resource,
        Self::Cancelled,
        Self::Closed,
        Self::EngineThread,
        Self::Internal,
    ];
}

/// Where in the input the fault is. Every part may be unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, as it was named.
    pub path: Option<String>,
    /// JSON pointer (RFC 6901) into that file or object.
    pub pointer: Option<String>,
    /// Line, counted from 1.
    pub line: Option<usize>,
}

/// A call failed. The message says what, where and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    place: Place,
}

impl Error {
    /// An error of `kind` with a message for a person.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), place: Place::default() }
    }

    /// The same error, with the place of the fault.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    /// What kind of failure this is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The message, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Where the fault is, as far as it is known.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The error as a JSON object: `{"code", "message", "path", "pointer", "line"}`, every key always present.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::json!({
            "code": self.kind.code(),
            "message": self.message,
            "path": self.place.path,
            "pointer": self.place.pointer,
            "line": self.place.line,
        })
        .to_string()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.place.path {
            write!(f, "{path}")?;
            if let Some(line) = self.place.line {
                write!(f, ":{line}")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.message)?;
        match &self.place.pointer {
            Some(pointer) if !pointer.is_empty() => write!(f, " (at {pointer})"),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for Error {}
