//! The way from any thread to JavaScript: one queue an environment, in order, through one weak thread-safe function.

use std::sync::{Mutex, MutexGuard, PoisonError};

use napi::bindgen_prelude::{FnArgs, Function, FunctionRef};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Result, Status};

use crate::reply::{Failure, Reply};

/// What the JavaScript side's `deliver` is called with: what it is, the engine's number, a number, text, a failure.
pub(crate) type Args = FnArgs<(u32, i64, i64, Option<String>, Option<Failure>)>;

/// `deliver` as it is handed over.
pub(crate) type Deliver<'a> = Function<'a, Args, ()>;

/// `deliver`, kept.
pub(crate) type DeliverRef = FunctionRef<Args, ()>;

type Tsfn = ThreadsafeFunction<Message, (), Args, Status, false, true>;

/// Something that JavaScript is told. bridge.cjs has the same numbers.
pub(crate) enum Message {
    /// The dispatch `id` has ended.
    Settled { id: i64, reply: Reply },
    /// A hook asks for an answer; it is given by `NativeHost.answer` with the same `id`.
    Asked { engine: i64, id: i64, request: String },
    /// Nobody waits for the answer `id` any more.
    Unasked { id: i64 },
    /// A listener of an engine is to hear this.
    Noticed { engine: i64, listener: i64, notice: String },
    /// The wait `id` may have come to its end; `NativeHost.poll` tells.
    Woken { id: i64 },
}

impl Message {
    /// As arguments of `deliver`.
    pub(crate) fn into_args(self) -> Args {
        match self {
            Self::Settled { id, reply } => (0, 0, id, reply.json, reply.failure),
            Self::Asked { engine, id, request } => (1, engine, id, Some(request), None),
            Self::Unasked { id } => (2, 0, id, None, None),
            Self::Noticed { engine, listener, notice } => (3, engine, listener, Some(notice), None),
            Self::Woken { id } => (4, 0, id, None, None),
        }
        .into()
    }
}

/// The queue. It keeps the environment's loop alive only while it is held.
pub(crate) struct Channel {
    /// Behind a lock because holding it needs `&mut`.
    tsfn: Mutex<Tsfn>,
}

impl Channel {
    pub(crate) fn new(deliver: &Deliver<'_>) -> Result<Self> {
        let tsfn = deliver
            .build_threadsafe_function::<Message>()
            .weak::<true>()
            .build_callback(|context| Ok(context.value.into_args()))?;
        Ok(Self { tsfn: Mutex::new(tsfn) })
    }

    /// Queues a message. `false`: the environment has ended, and nobody will hear it.
    pub(crate) fn send(&self, message: Message) -> bool {
        self.lock().call(message, ThreadsafeFunctionCallMode::NonBlocking) == Status::Ok
    }

    /// Whether the queue keeps the loop alive, from now on.
    #[allow(deprecated, reason = "napi-rs has no other safe way to change this after the creation")]
    pub(crate) fn hold(&self, env: &Env, hold: bool) -> Result<()> {
        let mut tsfn = self.lock();
        if hold { tsfn.refer(env) } else { tsfn.unref(env) }
    }

    // A panic elsewhere leaves the function whole: this code does not change it.
    fn lock(&self) -> MutexGuard<'_, Tsfn> {
        self.tsfn.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
