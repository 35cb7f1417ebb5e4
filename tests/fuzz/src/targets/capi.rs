//! The C entry points: sequences of calls with arbitrary bytes. The input is cut at 0x1E; each piece is one call, named
//! by its first byte, and what follows is its text, cut at 0x1F where the call takes two. The pieces `r`, `f`, `t` and
//! `d` are what the host answers when it is asked (reply, failure, reply on another thread, no answer), one after the
//! other.

use std::ffi::c_void;
use std::ptr;
use std::sync::Mutex;

use crosshook::capi::*;
use serde_json::value::RawValue;

use super::parts;

/// So many calls are made at most.
const CALLS: usize = 48;

/// Promises: a call succeeds and writes JSON, or fails with an error that has a code, a message and details; bytes that
/// are no UTF-8 are refused; and what was given is freed once (the sanitizer sees to that).
pub fn run(bytes: &[u8]) {
    crosshook::testing::no_processes();
    let answers = parts(bytes).filter(|part| part.first().is_some_and(|first| b"rftd".contains(first)));
    let host = Host { answers: Mutex::new(answers.map(<[u8]>::to_vec).rev().collect()) };
    let mut session = Session::new(&host);
    for part in parts(bytes).take(CALLS) {
        if let Some((name, text)) = part.split_first() {
            session.call(*name, text);
        }
    }
    session.end();
}

/// What the host answers, the next one last.
struct Host {
    answers: Mutex<Vec<Vec<u8>>>,
}

struct Session<'a> {
    host: &'a Host,
    engine: *mut crosshook_engine,
    display: *mut crosshook_display,
    listener: u64,
    /// What the last registration is called.
    registered: Vec<u8>,
}

/// A text in memory of exactly its size, so that a sanitizer sees every byte read beyond it.
struct Text(Box<[u8]>);

impl Text {
    fn new(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }

    fn lend(&self) -> crosshook_str {
        let data = if self.0.is_empty() { ptr::null() } else { self.0.as_ptr().cast() };
        crosshook_str { data, len: self.0.len() }
    }

    fn sound(&self) -> bool {
        std::str::from_utf8(&self.0).is_ok()
    }
}

impl<'a> Session<'a> {
    fn new(host: &'a Host) -> Self {
        Self { host, engine: ptr::null_mut(), display: ptr::null_mut(), listener: 0, registered: Vec::new() }
    }

    /// One call; names that stand for none are answers, or nothing.
    fn call(&mut self, name: u8, text: &[u8]) {
        let split = text.iter().position(|byte| *byte == 0x1f).unwrap_or(text.len());
        let second = Text::new(text.get(split + 1..).unwrap_or_default());
        let (first, whole, none) = (Text::new(&text[..split]), Text::new(text), Text::new(b""));
        let engine: *const crosshook_engine = self.engine;
        let (mut flag, mut count) = (false, 0_usize);
        // SAFETY: the engine and the display are NULL or live, texts live for the call, and every place is valid.
        unsafe {
            match name {
                b'N' => self.open(&whole),
                b'D' if self.goes_nowhere() => {
                    self.ask(&whole, |out, error| crosshook_dispatch(engine, whole.lend(), out, error))
                }
                b'P' if self.goes_nowhere() => self.start(&whole),
                b'X' => self.ask(&whole, |out, error| crosshook_explain(engine, whole.lend(), out, error)),
                b'L' => self.ask(&none, |out, error| crosshook_list(engine, out, error)),
                b'G' => self.ask(&none, |out, error| crosshook_diagnostics(engine, out, error)),
                b'H' => self.ask(&none, |out, error| crosshook_changes(engine, out, error)),
                b'h' => self.ask(&none, |out, error| crosshook_reload(engine, out, error)),
                b'R' => self.ask(&second, |out, error| {
                    crosshook_register(engine, first.lend(), second.lend(), out, error)
                }),
                b'F' => self
                    .ask(&whole, |out, error| crosshook_register_function(engine, whole.lend(), out, error)),
                b'O' => self.ask(&whole, |out, error| crosshook_open_scope(engine, whole.lend(), out, error)),
                b'V' => {
                    self.ask(&whole, |out, error| crosshook_render_context(engine, whole.lend(), out, error))
                }
                b'W' => self.ask(&none, |out, error| crosshook_wanted_grants(engine, out, error)),
                b'Q' => self.ask(&whole, |out, error| crosshook_goal(engine, whole.lend(), out, error)),
                b'B' => self.ask(&none, |out, error| crosshook_background(engine, out, error)),
                b'l' => self.ask(&none, |out, error| crosshook_take_late_results(engine, out, error)),
                b'U' => {
                    self.act(&whole, |error| crosshook_unregister(engine, whole.lend(), &mut flag, error))
                }
                b'u' => {
                    let last = Text::new(&std::mem::take(&mut self.registered));
                    self.act(&last, |error| crosshook_unregister(engine, last.lend(), &mut flag, error));
                }
                b'C' => self
                    .act(&whole, |error| crosshook_close_scope(engine, whole.lend(), ptr::null_mut(), error)),
                b'g' => self.act(&whole, |error| crosshook_grant(engine, whole.lend(), error)),
                b'v' => self.act(&whole, |error| crosshook_revoke(engine, whole.lend(), error)),
                b'E' => {
                    self.act(&whole, |error| crosshook_end_session(engine, whole.lend(), &mut flag, error))
                }
                b'S' => {
                    self.act(&second, |error| crosshook_set_goal(engine, first.lend(), second.lend(), error))
                }
                b'T' => self
                    .act(&second, |error| crosshook_restore_goal(engine, first.lend(), second.lend(), error)),
                b'K' => {
                    self.act(&whole, |error| crosshook_clear_goal(engine, whole.lend(), &mut flag, error))
                }
                b'n' => self.act(&whole, |error| {
                    crosshook_note_goal_usage(engine, whole.lend(), u64::MAX, 7, &mut flag, error)
                }),
                b'b' => self.act(&none, |error| crosshook_cancel_background(engine, 0, &mut count, error)),
                b'w' => self.act(&none, |error| crosshook_wait_background(engine, 0, &mut flag, error)),
                b'M' if self.goes_nowhere() => self.show(&whole),
                b'p' => {
                    let display: *const crosshook_display = self.display;
                    self.act(&whole, |error| crosshook_display_push(display, whole.lend(), error));
                }
                b'e' => {
                    let display: *const crosshook_display = self.display;
                    self.act(&none, |error| crosshook_display_finish(display, 2_000, &mut flag, error));
                }
                b'a' => crosshook_display_abort(self.display),
                b'k' => self.watch(),
                b'j' => {
                    let number = self.listener;
                    self.act(&none, |error| crosshook_unwatch(engine, number, &mut flag, error));
                }
                b'z' => drop(lent(crosshook_status_code(i32::from_ne_bytes(take4(text))))),
                b'Z' => self.act(&none, |error| crosshook_shutdown(error)),
                b'!' => self.nothing(),
                _ => {}
            }
        }
    }

    /// Frees everything; also when nothing was made.
    fn end(mut self) {
        // SAFETY: each is NULL or owned, and not used again.
        unsafe {
            crosshook_display_free(std::mem::replace(&mut self.display, ptr::null_mut()));
            crosshook_engine_free(std::mem::replace(&mut self.engine, ptr::null_mut()));
        }
    }

    /// An engine in the place of the one that was there. What would read or write files at places that nobody has looked
    /// at is left out.
    unsafe fn open(&mut self, options: &Text) {
        let text = String::from_utf8_lossy(&options.0);
        if ["path", "plugin", "tore", "llm", "\\u"].iter().any(|word| text.contains(word)) {
            return;
        }
        let mut made = ptr::null_mut();
        let user_data = ptr::from_ref(self.host).cast_mut().cast();
        // SAFETY: the host outlives the engine, which is freed before `run` returns.
        unsafe {
            self.act(options, |error| {
                crosshook_engine_new_with_host(options.lend(), Some(asked), user_data, None, &mut made, error)
            });
            if !made.is_null() {
                crosshook_display_free(std::mem::replace(&mut self.display, ptr::null_mut()));
                crosshook_engine_free(std::mem::replace(&mut self.engine, made));
            }
        }
    }

    /// Whether no hook would use the network.
    unsafe fn goes_nowhere(&self) -> bool {
        let mut out = crosshook_buf { data: ptr::null_mut(), len: 0 };
        // SAFETY: the engine is NULL or live, the place is valid.
        unsafe {
            let status = crosshook_list(self.engine, &mut out, ptr::null_mut());
            status != crosshook_status::Ok || !taken(&mut out).contains("\"type\":\"http\"")
        }
    }

    /// A call that writes JSON. `text` is the argument that has to be UTF-8.
    unsafe fn ask(
        &mut self,
        text: &Text,
        call: impl FnOnce(*mut crosshook_buf, *mut *mut crosshook_error) -> crosshook_status,
    ) {
        let mut out = crosshook_buf { data: ptr::null_mut(), len: 0 };
        let mut error = ptr::null_mut();
        let status = call(&mut out, &mut error);
        // SAFETY: both are as the call left them.
        unsafe {
            if status == crosshook_status::Ok {
                let json = taken(&mut out);
                let value: &RawValue = serde_json::from_str(&json).expect("what a call writes is JSON");
                let fields =
                    serde_json::from_str::<std::collections::BTreeMap<String, &RawValue>>(value.get());
                let id = fields
                    .ok()
                    .and_then(|fields| serde_json::from_str::<String>(fields.get("id")?.get()).ok());
                self.registered = id.map_or_else(|| std::mem::take(&mut self.registered), String::into_bytes);
            }
            assert!(out.data.is_null(), "a call that fails writes nothing");
            judged(status, error, text);
        }
    }

    /// A call that writes no JSON.
    unsafe fn act(&self, text: &Text, call: impl FnOnce(*mut *mut crosshook_error) -> crosshook_status) {
        let mut error = ptr::null_mut();
        let status = call(&mut error);
        // SAFETY: as the call left it.
        unsafe { judged(status, error, text) };
    }

    /// Starts an event, waits for it, and frees the run.
    unsafe fn start(&mut self, event: &Text) {
        let (mut run, mut finished, mut calls) = (ptr::null_mut(), false, 0_u32);
        let counter = ptr::from_mut(&mut calls).cast();
        // SAFETY: the counter outlives the run, whose end is waited for; the engine is NULL or live.
        unsafe {
            self.act(event, |error| {
                crosshook_start(self.engine, event.lend(), Some(done), counter, None, &mut run, error)
            });
            if run.is_null() {
                assert_eq!(calls, 0, "done is not called when the start fails");
                return;
            }
            if event.0.len().is_multiple_of(3) {
                crosshook_run_cancel(run);
            }
            let status = crosshook_run_wait(run, -1, &mut finished, ptr::null_mut());
            assert_eq!((status, finished), (crosshook_status::Ok, true));
            crosshook_run_free(run);
        }
        assert_eq!(calls, 1, "done is called exactly once");
    }

    unsafe fn show(&mut self, event: &Text) {
        let mut made = ptr::null_mut();
        // SAFETY: the engine is NULL or live; the old display is not used again.
        unsafe {
            self.act(event, |error| crosshook_message_display(self.engine, event.lend(), &mut made, error));
            if !made.is_null() {
                crosshook_display_free(std::mem::replace(&mut self.display, made));
            }
        }
    }

    unsafe fn watch(&mut self) {
        let mut number = 0;
        // SAFETY: the engine is NULL or live; the listener uses no user data.
        unsafe {
            self.act(&Text::new(b""), |error| {
                crosshook_watch(self.engine, Some(heard), ptr::null_mut(), None, &mut number, error)
            });
        }
        self.listener = number;
    }

    /// NULL wherever a pointer may stand.
    unsafe fn nothing(&self) {
        let (engine, nowhere) = (ptr::null(), ptr::null_mut());
        let text = crosshook_str { data: ptr::null(), len: 3 };
        let null = crosshook_status::NullArgument;
        // SAFETY: NULL is allowed everywhere, with a status that says so.
        unsafe {
            assert_eq!(crosshook_dispatch(engine, text, nowhere, ptr::null_mut()), null);
            assert_eq!(crosshook_engine_new(text, ptr::null_mut(), ptr::null_mut()), null);
            assert_eq!(crosshook_dispatch(self.engine, text, nowhere, ptr::null_mut()), null);
            assert_eq!(crosshook_run_wait(ptr::null(), 0, ptr::null_mut(), ptr::null_mut()), null);
            crosshook_buf_free(ptr::null_mut());
            crosshook_error_free(ptr::null_mut());
            crosshook_run_free(ptr::null_mut());
            crosshook_run_cancel(ptr::null());
            crosshook_display_abort(ptr::null());
            crosshook_request_free(ptr::null_mut());
        }
    }
}

/// The text of a buffer, which is freed.
unsafe fn taken(buf: &mut crosshook_buf) -> String {
    // SAFETY: written by the library, which says how long it is.
    let bytes = unsafe { std::slice::from_raw_parts(buf.data.cast::<u8>(), buf.len) }.to_vec();
    // SAFETY: as the library wrote it; a second call does no harm.
    unsafe {
        crosshook_buf_free(buf);
        crosshook_buf_free(buf);
    }
    String::from_utf8(bytes).expect("the library writes UTF-8")
}

/// The text of a view.
unsafe fn lent(view: crosshook_str) -> String {
    if view.data.is_null() {
        return String::new();
    }
    // SAFETY: lent by the library, and still valid.
    let bytes = unsafe { std::slice::from_raw_parts(view.data.cast::<u8>(), view.len) };
    String::from_utf8(bytes.to_vec()).expect("the library lends UTF-8")
}

/// A status and its error fit together; the error is freed.
unsafe fn judged(status: crosshook_status, error: *mut crosshook_error, text: &Text) {
    if status == crosshook_status::Ok {
        assert!(error.is_null(), "an error beside success");
        assert!(text.sound(), "bytes that are no UTF-8 were taken: {:?}", text.0);
        return;
    }
    assert_ne!(status, crosshook_status::Internal, "a panic was caught");
    // SAFETY: a failed call has filled in the error, which lives until the free.
    unsafe {
        assert_eq!(crosshook_error_status(error), status);
        assert_eq!(lent(crosshook_error_code(error)), lent(crosshook_status_code(status as i32)));
        assert!(!lent(crosshook_error_message(error)).is_empty());
        let details = lent(crosshook_error_details(error));
        assert!(serde_json::from_str::<&RawValue>(&details).is_ok(), "{details}");
        crosshook_error_free(error);
    }
}

fn take4(bytes: &[u8]) -> [u8; 4] {
    bytes.first_chunk().copied().unwrap_or([152, 33, 0, 0])
}

/// The host's callback: the next answer, else a failure.
unsafe extern "C" fn asked(user_data: *mut c_void, request: *mut crosshook_request) {
    // SAFETY: the user data is the `Host` of `run`, which outlives the engine; the request is the host's from here on.
    unsafe {
        let host = &*user_data.cast::<Host>();
        assert_ne!(crosshook_request_kind(request), crosshook_kind::None);
        let json = lent(crosshook_request_json(request));
        assert!(serde_json::from_str::<&RawValue>(&json).is_ok(), "a request is JSON: {json}");
        let answer = host.answers.lock().expect("no panic holds it").pop().unwrap_or_default();
        let text = Text::new(answer.get(1..).unwrap_or_default());
        match answer.first() {
            Some(b'r') => crosshook_request_reply(request, text.lend()),
            Some(b't') => {
                let request = request as usize;
                std::thread::spawn(move || {
                    crosshook_request_reply(request as *mut crosshook_request, text.lend())
                });
            }
            Some(b'd') => crosshook_request_free(request),
            _ => crosshook_request_fail(request, text.lend()),
        }
    }
}

unsafe extern "C" fn done(
    user_data: *mut c_void,
    status: crosshook_status,
    outcome: crosshook_str,
    error: *const crosshook_error,
) {
    // SAFETY: the counter of `start`, which waits for this call; the texts are valid for its time.
    unsafe {
        *user_data.cast::<u32>() += 1;
        assert_eq!(status == crosshook_status::Ok, error.is_null());
        let outcome = lent(outcome);
        assert_eq!(
            status == crosshook_status::Ok,
            serde_json::from_str::<&RawValue>(&outcome).is_ok(),
            "{outcome}"
        );
    }
}

unsafe extern "C" fn heard(_: *mut c_void, notice: crosshook_str) {
    // SAFETY: valid for the time of this call.
    let notice = unsafe { lent(notice) };
    assert!(serde_json::from_str::<&RawValue>(&notice).is_ok(), "a notice is JSON: {notice}");
}
