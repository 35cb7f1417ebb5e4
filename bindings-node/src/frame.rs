//! Calls into JavaScript while `dispatchSync` blocks its thread.
//!
//! The event loop stands still then, so a queued message would wait for ever. But what the core asks on that very thread
//! it asks inside a native call, and there JavaScript may be called directly. So the presence of a frame is at once the
//! check of the thread and of the situation.

use std::cell::RefCell;
use std::rc::Rc;

use napi::Env;
use napi::bindgen_prelude::{FnArgs, FunctionRef};
use napi_derive::napi;

use crate::channel::{DeliverRef, Message};

/// What `askNow` of the JavaScript side gives: a text, or why there is none.
#[napi(object)]
pub struct Answer {
    /// The answer of the host's function.
    pub text: Option<String>,
    /// What went wrong with it.
    pub why: Option<String>,
}

/// The JavaScript side's functions, for calls on its own thread.
pub(crate) struct Functions {
    pub(crate) deliver: DeliverRef,
    pub(crate) ask_now: FunctionRef<FnArgs<(i64, String)>, Answer>,
}

/// A `dispatchSync` that is on this thread's stack.
#[derive(Clone)]
pub(crate) struct Frame {
    env: Env,
    functions: Rc<Functions>,
}

thread_local! {
    /// The innermost one.
    static FRAME: RefCell<Option<Frame>> = const { RefCell::new(None) };
}

impl Frame {
    pub(crate) fn new(env: Env, functions: &Rc<Functions>) -> Self {
        Self { env, functions: Rc::clone(functions) }
    }

    /// The frame of this thread, if it is in a `dispatchSync` now.
    pub(crate) fn current() -> Option<Self> {
        // A thread that is ending has no frame.
        FRAME.try_with(|frame| frame.borrow().clone()).ok().flatten()
    }

    /// Asks the host's function. Its exceptions have become a `why` in JavaScript; an error here means that no JavaScript
    /// can run any more (the worker is being terminated).
    pub(crate) fn ask(&self, engine: i64, request: String) -> Result<String, String> {
        let called =
            self.functions.ask_now.borrow_back(&self.env).and_then(|ask| ask.call((engine, request).into()));
        match called {
            Ok(Answer { text: Some(text), why: None }) => Ok(text),
            Ok(Answer { why, .. }) => Err(why.unwrap_or_else(|| "there is no answer".to_owned())),
            Err(error) => Err(format!("no JavaScript can be called: {error}")),
        }
    }

    /// Tells JavaScript at once. What cannot be told is lost, as it is in an environment that ends.
    pub(crate) fn tell(&self, message: Message) {
        let deliver = self.functions.deliver.borrow_back(&self.env);
        let _ = deliver.and_then(|deliver| deliver.call(message.into_args()));
    }
}

/// Runs `work` with this frame as the innermost one, or with none.
pub(crate) fn within<R>(frame: Option<Frame>, work: impl FnOnce() -> R) -> R {
    /// Puts the outer frame back, also after a panic.
    struct Outer(Option<Frame>);
    impl Drop for Outer {
        fn drop(&mut self) {
            let outer = self.0.take();
            let _ = FRAME.try_with(|frame| drop(frame.replace(outer)));
        }
    }
    let _outer = Outer(FRAME.with(|slot| slot.replace(frame)));
    work()
}
