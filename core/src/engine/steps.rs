//! Dispatches that wait for nothing but the host: the thread that waits for the outcome does their work.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::Context;

use super::{Engine, Run};
use crate::error::Error;
use crate::outcome::Outcome;
use crate::runtime;
use crate::stepping;

/// What is left of a dispatch whose hooks are all functions of the host, begun with [`Engine::start_in_steps`]. Goes on
/// on an engine thread when it is dropped, or when there is nothing more for the host to answer.
pub struct Steps {
    /// Behind a lock only to be `Sync`.
    work: Mutex<Option<Pin<Box<dyn Future<Output = ()> + Send>>>>,
}

impl fmt::Debug for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Steps").finish_non_exhaustive()
    }
}

impl Engine {
    /// [`Engine::start_tagged`] for a thread that is going to wait, and that answers what its own dispatch asks. When every
    /// hook that is selected is a function of the host, nothing happens on another thread as long as the host answers by
    /// itself: the first questions are asked before this returns, on the calling thread, and [`Steps::step`] goes on.
    /// Without steps it was started as with [`Engine::start_tagged`], or is over.
    pub fn start_in_steps(
        &self,
        tag: u64,
        event: impl Into<Vec<u8>>,
        done: impl FnOnce(Result<Outcome, Error>) + Send + 'static,
    ) -> (Run, Option<Steps>) {
        let (run, begun) = self.begin(tag, event.into(), done);
        let steps = match begun {
            Some((true, work)) => Steps { work: Mutex::new(Some(Box::pin(work))) }.step(),
            Some((false, work)) => {
                // As in `start_tagged`.
                drop(runtime::spawn(work));
                None
            }
            None => None,
        };
        (run, steps)
    }
}

impl Steps {
    /// Goes on, on the calling thread, until the host is to answer; to be called when all questions have been answered.
    /// Answers that come later than their hook's time limit do not count. `None`: the dispatch is over, and its `done` was
    /// called.
    #[must_use = "a dispatch whose steps are dropped goes on on an engine thread"]
    pub fn step(self) -> Option<Self> {
        let mut slot = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        let over = match &mut *slot {
            Some(work) => work.as_mut().poll(&mut Context::from_waker(stepping::nobody())).is_ready(),
            None => true,
        };
        if over {
            *slot = None;
        }
        drop(slot);
        (!over).then_some(self)
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        let slot = self.work.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(work) = slot.take() {
            // It is asked again there first of all, and so gets to know who is to be woken from now on.
            drop(runtime::spawn(work));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Host, Request};
    use crate::options::Options;
    use crate::{Decision, FunctionSpec};
    use std::sync::{Arc, mpsc};
    use std::thread;
    use std::time::Duration;

    const EVENT: &str = r#"{"hook_event_name":"PreToolUse","cwd":"/","tool_name":"Write","tool_input":{}}"#;
    const DENY: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"not today"}}"#;

    type Asked = mpsc::Receiver<(thread::ThreadId, Request)>;
    type Ended = mpsc::Receiver<Result<Outcome, Error>>;

    /// An engine with so many functions, and what it asks.
    fn engine(functions: usize, timeout_ms: u64, settings: &str) -> (Engine, Asked) {
        let (sender, asked) = mpsc::channel();
        let host: Arc<dyn Host> = Arc::new(move |request: Request| {
            drop(sender.send((thread::current().id(), request)));
        });
        let engine = Engine::with_host(Options::new("claude").settings_text(None, settings), host).unwrap();
        for _ in 0..functions {
            let mut spec = FunctionSpec::new("PreToolUse");
            spec.timeout_ms = Some(timeout_ms);
            engine.register_function(spec).unwrap();
        }
        (engine, asked)
    }

    fn start(engine: &Engine) -> (Option<Steps>, Ended) {
        let (sender, ended) = mpsc::channel();
        let (_, steps) = engine.start_in_steps(0, EVENT, move |result| drop(sender.send(result)));
        (steps, ended)
    }

    fn outcome(ended: &Ended) -> Outcome {
        ended.recv_timeout(Duration::from_secs(60)).unwrap().unwrap()
    }

    #[test]
    fn all_is_asked_here_and_one_step_ends_it() {
        let (engine, asked) = engine(2, 60_000, "{}");
        let (steps, ended) = start(&engine);
        for answer in ["", DENY] {
            let (thread, request) = asked.try_recv().unwrap();
            assert_eq!(thread, thread::current().id());
            request.reply(answer);
        }
        assert!(ended.try_recv().is_err(), "it was over before the step");
        assert!(steps.unwrap().step().is_none());
        let outcome = ended.try_recv().unwrap().unwrap();
        assert_eq!((outcome.decision, outcome.hooks.len()), (Decision::Deny, 2));
        assert!(outcome.to_json().contains("not today"));
    }

    #[test]
    fn an_answer_after_the_time_limit_does_not_count() {
        let (engine, asked) = engine(1, 5, "{}");
        let (steps, ended) = start(&engine);
        thread::sleep(Duration::from_millis(50));
        asked.try_recv().unwrap().1.reply(DENY);
        assert!(steps.unwrap().step().is_none());
        let outcome = outcome(&ended);
        let text = outcome.to_json();
        assert!(text.contains(r#""status":"timeout""#) && !text.contains("not today"), "{text}");
    }

    #[test]
    fn without_its_steps_it_goes_on_by_itself() {
        let (engine, asked) = engine(1, 60_000, "{}");
        let (steps, ended) = start(&engine);
        drop(steps);
        asked.try_recv().unwrap().1.reply(DENY);
        assert_eq!(outcome(&ended).decision, Decision::Deny);
    }

    #[test]
    fn the_time_limit_holds_when_nobody_makes_steps() {
        let (engine, asked) = engine(1, 20, "{}");
        let (steps, ended) = start(&engine);
        let (_, request) = asked.try_recv().unwrap();
        drop(steps);
        assert!(outcome(&ended).to_json().contains(r#""status":"timeout""#));
        assert!(request.is_cancelled());
    }

    #[test]
    fn a_command_beside_the_function_leaves_no_steps() {
        let settings = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"exit 0"}]}]}}"#;
        let (engine, asked) = engine(1, 60_000, settings);
        let (steps, ended) = start(&engine);
        assert!(steps.is_none());
        let (thread, request) = asked.recv_timeout(Duration::from_secs(60)).unwrap();
        assert_ne!(thread, thread::current().id());
        request.reply(DENY);
        let outcome = outcome(&ended);
        assert_eq!((outcome.decision, outcome.hooks.len()), (Decision::Deny, 2));
    }
}
