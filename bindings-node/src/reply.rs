//! What a call answers: JSON text or a failure. Failures travel as values, and JavaScript makes its own error class of them.

use napi::bindgen_prelude::{Either, Uint8Array};
use napi_derive::napi;

/// JSON text as JavaScript hands it over: a string, or UTF-8 bytes.
pub(crate) type Text = Either<String, Uint8Array>;

/// The bytes of `text`. Copies a byte array: JavaScript may change it while the dispatch runs.
pub(crate) fn bytes(text: Text) -> Vec<u8> {
    match text {
        Either::A(text) => text.into_bytes(),
        Either::B(bytes) => bytes.to_vec(),
    }
}

/// Either `json` or `failure` is there.
#[napi(object)]
pub struct Reply {
    /// The answer as JSON text.
    pub json: Option<String>,
    /// Why there is none.
    pub failure: Option<Failure>,
}

/// A [`crosshook::Error`] as plain data.
#[napi(object)]
pub struct Failure {
    /// The stable text code.
    pub code: String,
    /// The message with the place of the fault in it.
    pub message: String,
    /// The file the fault is in.
    pub path: Option<String>,
    /// JSON pointer to the fault.
    pub pointer: Option<String>,
    /// The line of the fault, counted from 1.
    pub line: Option<u32>,
}

impl From<crosshook::Error> for Failure {
    fn from(error: crosshook::Error) -> Self {
        let place = error.place();
        Self {
            code: error.kind().code().to_owned(),
            message: error.to_string(),
            path: place.path.clone(),
            pointer: place.pointer.clone(),
            line: place.line.and_then(|line| u32::try_from(line).ok()),
        }
    }
}

impl From<Result<String, crosshook::Error>> for Reply {
    fn from(result: Result<String, crosshook::Error>) -> Self {
        match result {
            Ok(json) => Self { json: Some(json), failure: None },
            Err(error) => Self { json: None, failure: Some(error.into()) },
        }
    }
}

impl From<Result<crosshook::Outcome, crosshook::Error>> for Reply {
    fn from(result: Result<crosshook::Outcome, crosshook::Error>) -> Self {
        result.map(|outcome| outcome.to_json()).into()
    }
}
