//! The engine as a JavaScript object.

use std::sync::Arc;

use crosshook::Options;
use napi::bindgen_prelude::Either;
use napi_derive::napi;

use crate::channel::Message;
use crate::host::NativeHost;
use crate::life::Life;
use crate::reply::{Failure, Reply, Text, bytes};
use crate::requests::Caller;

/// A [`crosshook::Engine`]. JavaScript owns it; a dispatch that runs holds its own share.
#[napi]
pub struct NativeEngine {
    pub(crate) core: crosshook::Engine,
    life: Arc<Life>,
    number: i64,
}

#[napi]
impl NativeEngine {
    /// Makes an engine from the options object as JSON text. `number` is the caller's own for it; `model`,
    /// `agent` and `mcp_tool` say whether there is somebody to ask.
    #[napi(catch_unwind)]
    pub fn create(
        host: &NativeHost,
        number: i64,
        options: String,
        model: bool,
        agent: bool,
        mcp_tool: bool,
    ) -> Either<NativeEngine, Failure> {
        let life = Arc::clone(&host.life);
        let caller = Caller { life: Arc::clone(&life), engine: number, model, agent, mcp_tool };
        let made = Options::from_json(&options)
            .and_then(|options| crosshook::Engine::with_host(options, Arc::new(caller)));
        match made {
            Ok(core) => Either::A(Self { core, life, number }),
            Err(error) => Either::B(error.into()),
        }
    }

    /// The fields that alone decide what events of this name fire, as pairs of names.
    #[napi(catch_unwind)]
    pub fn selection_fields(&self, event_name: String) -> Option<Vec<Vec<String>>> {
        self.core.selection_fields(&event_name).map(|fields| fields.into_iter().map(Vec::from).collect())
    }

    /// Which hooks would run for this event, which not, and why.
    #[napi(catch_unwind)]
    pub fn explain(&self, event: Text) -> Reply {
        self.core.explain_json(bytes(event)).into()
    }

    /// A line of a recording decided again.
    #[napi(catch_unwind)]
    pub fn replay(&self, line: Text) -> Reply {
        self.core.replay_json(bytes(line)).into()
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

    /// What in the settings is probably not meant.
    #[napi(catch_unwind)]
    pub fn lint(&self) -> String {
        self.core.lint_json()
    }

    /// How the files differ from the set that runs.
    #[napi(catch_unwind)]
    pub fn changes(&self) -> String {
        self.core.changes_json()
    }

    /// Takes the files over as they are now.
    #[napi(catch_unwind)]
    pub fn reload(&self) -> Reply {
        self.core.reload_json().into()
    }

    /// Adds hooks for one session, from settings as JSON text.
    #[napi(catch_unwind)]
    pub fn register(&self, session_id: String, settings: String) -> Reply {
        self.core.register_json(&session_id, &settings).into()
    }

    /// Makes a function of the host a hook; `spec` is JSON text.
    #[napi(catch_unwind)]
    pub fn register_function(&self, spec: String) -> Reply {
        self.core.register_function_json(&spec).into()
    }

    /// Removes what was registered or opened under `id`: hooks, a function, a scope.
    #[napi(catch_unwind)]
    pub fn unregister(&self, id: String) -> bool {
        self.core.unregister(&id)
    }

    /// Opens the scope of an agent or skill; `scope` is JSON text.
    #[napi(catch_unwind)]
    pub fn open_scope(&self, scope: String) -> Reply {
        self.core.open_scope_json(&scope).into()
    }

    /// What has been granted.
    #[napi(catch_unwind)]
    pub fn grants(&self) -> String {
        self.core.grants_json()
    }

    /// What waits for a grant.
    #[napi(catch_unwind)]
    pub fn wanted_grants(&self) -> String {
        self.core.wanted_grants_json()
    }

    /// Grants a declaration by its digest.
    #[napi(catch_unwind)]
    pub fn grant(&self, digest: String) -> Option<Failure> {
        self.core.grant(&digest).err().map(Failure::from)
    }

    /// Takes a grant back.
    #[napi(catch_unwind)]
    pub fn revoke(&self, digest: String) -> Option<Failure> {
        self.core.revoke(&digest).err().map(Failure::from)
    }

    /// The background hooks that run now.
    #[napi(catch_unwind)]
    pub fn background(&self) -> String {
        self.core.background_json()
    }

    /// Ends one background hook, or all. Returns how many it was.
    #[napi(catch_unwind)]
    pub fn cancel_background(&self, number: Option<i64>) -> u32 {
        let number = match number.map(u64::try_from) {
            None => None,
            Some(Ok(number)) => Some(number),
            // There is none with a negative number.
            Some(Err(_)) => return 0,
        };
        u32::try_from(self.core.cancel_background(number)).unwrap_or(u32::MAX)
    }

    /// What background hooks had to say since the last call.
    #[napi(catch_unwind)]
    pub fn take_late_results(&self) -> String {
        self.core.take_late_results_json()
    }

    /// Delivers every notice from now on to the caller's own number `listener`. Returns what `unwatch` takes.
    #[napi(catch_unwind)]
    pub fn watch(&self, listener: i64) -> i64 {
        let (life, engine) = (Arc::clone(&self.life), self.number);
        let number = self.core.watch(move |notice| {
            life.tell(Message::Noticed { engine, listener, notice: notice.to_json() });
        });
        i64::try_from(number).unwrap_or(i64::MAX)
    }

    /// Ends a watch.
    #[napi(catch_unwind)]
    pub fn unwatch(&self, number: i64) -> bool {
        u64::try_from(number).is_ok_and(|number| self.core.unwatch(number))
    }
}

impl Drop for NativeEngine {
    /// An engine that is merely forgotten leaves its background hooks alone. One that goes with its environment takes
    /// them along: nobody is left who could end them.
    fn drop(&mut self) {
        if self.life.has_ended() {
            self.core.cancel_background(None);
        }
    }
}
