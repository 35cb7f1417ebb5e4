use std::sync::Mutex;

use super::*;
use crate::error::ErrorKind;

/// What the host saw, in order.
#[derive(Debug, Default)]
struct Host(Mutex<Vec<String>>);

impl Host {
    fn log(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }
}

unsafe extern "C" fn done(
    user_data: *mut c_void,
    status: crosshook_status,
    outcome: crosshook_str,
    error: *const crosshook_error,
) {
    // SAFETY: the tests pass a `Host` that outlives the answer, and the text is alive during the call.
    let (host, outcome) = unsafe { (&*user_data.cast::<Host>(), outcome.read("outcome").unwrap()) };
    let refused = refuse_on_engine_thread("crosshook_dispatch").is_err();
    host.log(format!("done {} {} {} {refused}", status.code(), outcome.len() > 2, error.is_null()));
}

unsafe extern "C" fn free(user_data: *mut c_void) {
    // SAFETY: as in `done`.
    unsafe { &*user_data.cast::<Host>() }.log("free".to_owned());
}

fn answer(host: &Host, run: &Arc<RunState>) -> Answer {
    // SAFETY: `free` takes a `Host` and leaves it alive.
    let user_data = unsafe { UserData::adopt(ptr::from_ref(host).cast_mut().cast(), Some(free)) };
    Answer::new(done, user_data, Arc::clone(run))
}

fn seen(with: impl FnOnce(Answer)) -> Vec<String> {
    let (host, run) = (Host::default(), Arc::new(RunState::default()));
    with(answer(&host, &run));
    assert!(run.wait(None), "not marked as finished");
    host.0.into_inner().unwrap()
}

#[test]
fn an_outcome_and_a_failure_arrive_once_and_inside_the_mark() {
    let outcome = Outcome { event: "Stop".to_owned(), ..Outcome::default() };
    assert_eq!(seen(|answer| answer.give(Ok(outcome))), ["done ok true true true", "free"]);
    let failure = Error::new(ErrorKind::InvalidEvent, "no");
    assert_eq!(seen(|answer| answer.give(Err(failure))), ["done invalid_event false false true", "free"]);
    assert!(refuse_on_engine_thread("x").is_ok(), "the mark outlived the callback");
}

#[test]
fn a_lost_answer_is_an_internal_error_not_silence() {
    assert_eq!(seen(drop), ["done internal false false true", "free"]);
}

#[test]
fn a_panic_on_the_way_to_the_answer_is_reported() {
    let lost = |answer: Answer| {
        let run = move || -> () {
            let _answer = answer;
            panic!("on the way");
        };
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
    };
    assert_eq!(seen(lost), ["done internal false false true", "free"]);
}

type Nothing = unsafe extern "C" fn(*mut c_void);

fn asked(times: u32, callback: &Callback<Nothing>, end: &mut dyn FnMut()) {
    match times {
        0 => end(),
        _ => callback.ask(|_, _| asked(times - 1, callback, end)),
    }
}

#[test]
fn a_host_that_is_asked_may_wait_to_a_certain_depth() {
    let host = Host::default();
    // SAFETY: `free` takes a `Host` and leaves it alive.
    let user_data = unsafe { UserData::adopt(ptr::from_ref(&host).cast_mut().cast(), Some(free)) };
    let callback = Callback::new(Some(free as Nothing), "callback", user_data).unwrap();
    let status = |result: Result<(), Failure>| result.err().map(|failure| failure.status());
    asked(DEEPEST - 1, &callback, &mut || {
        assert_eq!(status(refuse_on_engine_thread("x")), None);
        assert_eq!(status(refuse_in_callbacks("x")), Some(crosshook_status::EngineThread));
    });
    asked(DEEPEST, &callback, &mut || {
        assert_eq!(status(refuse_on_engine_thread("x")), Some(crosshook_status::Resource));
    });
    asked(1, &callback, &mut || {
        callback.notify(|_, _| {
            assert_eq!(status(refuse_on_engine_thread("x")), Some(crosshook_status::EngineThread));
        });
    });
    assert_eq!(status(refuse_in_callbacks("x")), None);
    drop(callback);
    assert_eq!(host.0.into_inner().unwrap(), ["free"]);
}

#[test]
fn a_missing_function_frees_the_user_data() {
    let host = Host::default();
    // SAFETY: `free` takes a `Host` and leaves it alive.
    let user_data = unsafe { UserData::adopt(ptr::from_ref(&host).cast_mut().cast(), Some(free)) };
    let failure = Callback::<Nothing>::new(None, "callback", user_data).unwrap_err();
    assert_eq!(failure.status(), crosshook_status::NullArgument);
    assert_eq!(host.0.into_inner().unwrap(), ["free"]);
}
