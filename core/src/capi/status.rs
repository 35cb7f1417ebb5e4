//! The numbers that calls return.

use super::guard;
use super::text::crosshook_str;
use crate::error::ErrorKind;

/// Declares the statuses with their number and stable text from one table, so that none can lack a part.
macro_rules! statuses {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $code:literal;)*) => {
        impl crosshook_status {
            #[cfg(test)]
            const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The stable text of this status; for the core's own errors the one of [`ErrorKind::code`].
            pub(super) const fn code(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }

            /// The status with this number.
            fn from_number(number: i32) -> Option<Self> {
                match number { $($number => Some(Self::$name),)* _ => None }
            }
        }
    };
}

/// What a fallible call returns. CROSSHOOK_STATUS_OK is 0; every failure has a number of its own from 8600 on, far
/// from errno values, that is never given another meaning. A later version may return numbers that are not listed
/// here: treat each as a failure.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum crosshook_status {
    /// The call did what it says; its outputs are written.
    Ok = 0,
    /// "null_argument": a pointer that must not be NULL is NULL.
    NullArgument = 8600,
    /// "invalid_argument": a number or length is out of its range.
    InvalidArgument = 8601,
    /// "invalid_utf8": a text argument is not UTF-8.
    InvalidUtf8 = 8602,
    /// "engine_thread": a call that waits was made on an engine thread or inside a callback that must not wait, where it
    /// would wait for itself.
    EngineThread = 8603,
    /// "invalid_options": the engine options are not an object of the documented form.
    InvalidOptions = 8610,
    /// "invalid_settings": a settings file or object that was named explicitly cannot be read or parsed.
    InvalidSettings = 8611,
    /// "invalid_event": the event is not a JSON object with an event name.
    InvalidEvent = 8612,
    /// "io": a file that was named explicitly cannot be read.
    Io = 8613,
    /// "resource": the system refused something the engine itself needs, a thread or a descriptor; or the host's
    /// callback dispatches within itself without an end.
    Resource = 8614,
    /// "cancelled": the dispatch was cancelled before it had an outcome.
    Cancelled = 8615,
    /// "closed": the engine has been shut down.
    Closed = 8616,
    /// "internal": a defect in Crosshook, for example a panic that was caught at the boundary. Treat the event as
    /// denied.
    Internal = 8699,
}
// Numbers that were given up are listed here and never used again: none yet.

statuses! {
    Ok = 0, "ok";
    NullArgument = 8600, "null_argument";
    InvalidArgument = 8601, "invalid_argument";
    InvalidUtf8 = 8602, "invalid_utf8";
    EngineThread = 8603, "engine_thread";
    InvalidOptions = 8610, "invalid_options";
    InvalidSettings = 8611, "invalid_settings";
    InvalidEvent = 8612, "invalid_event";
    Io = 8613, "io";
    Resource = 8614, "resource";
    Cancelled = 8615, "cancelled";
    Closed = 8616, "closed";
    Internal = 8699, "internal";
}

impl From<ErrorKind> for crosshook_status {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::InvalidOptions => Self::InvalidOptions,
            ErrorKind::InvalidSettings => Self::InvalidSettings,
            ErrorKind::InvalidEvent => Self::InvalidEvent,
            ErrorKind::Io => Self::Io,
            ErrorKind::Resource => Self::Resource,
            ErrorKind::Cancelled => Self::Cancelled,
            ErrorKind::Closed => Self::Closed,
            ErrorKind::EngineThread => Self::EngineThread,
            ErrorKind::Internal => Self::Internal,
        }
    }
}

/// The stable text code of a status, for example "invalid_event", the same as in every other language; empty for a
/// number that is no status. Static: valid for the life of the process.
#[unsafe(no_mangle)]
pub extern "C" fn crosshook_status_code(status: i32) -> crosshook_str {
    guard::or(crosshook_str::EMPTY, || {
        crosshook_status::from_number(status)
            .map_or(crosshook_str::EMPTY, |status| crosshook_str::lend(status.code()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_kind_has_its_own_status_with_the_same_code() {
        let mut seen = Vec::new();
        for kind in ErrorKind::ALL {
            let status = crosshook_status::from(kind);
            assert_eq!(status.code(), kind.code());
            assert!(!seen.contains(&(status as i32)), "{kind:?} shares its number");
            seen.push(status as i32);
        }
    }

    #[test]
    fn the_table_agrees_with_the_enum() {
        for &status in crosshook_status::ALL {
            assert_eq!(crosshook_status::from_number(status as i32), Some(status));
            assert!(status as i32 == 0 || status as i32 >= 8600, "{status:?} could be an errno");
        }
        assert_eq!(crosshook_status::from_number(1), None);
        assert_eq!(crosshook_status::from_number(-1), None);
    }
}
