//! The engine as a JavaScript object.

use napi::bindgen_prelude::Either;
use napi_derive::napi;

use crate::reply::{Failure, Reply, Text, bytes};

/// A [`crosshook::Engine`]. JavaScript owns it; a dispatch that runs holds its own share.
#[napi]
pub struct NativeEngine {
    pub(crate) core: crosshook::Engine,
}

#[napi]
impl NativeEngine {
    /// Makes an engine from the options object as JSON text.
    #[napi(catch_unwind)]
    pub fn create(options: String) -> Either<NativeEngine, Failure> {
        match crosshook::Engine::from_json(&options) {
            Ok(core) => Either::A(Self { core }),
            Err(error) => Either::B(error.into()),
        }
    }

    /// Runs one event and blocks the JavaScript thread until its outcome is there.
    #[napi(catch_unwind)]
    pub fn dispatch_sync(&self, event: Text) -> Reply {
        self.core.dispatch_blocking(bytes(event)).into()
    }

    /// Which hooks would run for this event, which not, and why.
    #[napi(catch_unwind)]
    pub fn explain(&self, event: Text) -> Reply {
        self.core.explain_json(bytes(event)).into()
    }

    /// Every configured hook.
    #[napi(catch_unwind)]
    pub fn list(&self) -> String {
        self.core.list_json()
    }

    /// What was noticed while the settings were loaded.
    #[napi(catch_unwind)]
    pub fn diagnostics(&self) -> String {
        self.core.diagnostics_json()
    }
}
