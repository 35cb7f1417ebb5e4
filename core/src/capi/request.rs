//! Exported: questions to the host, and its answers.

use std::ffi::c_void;

use super::callback::{Callback, UserData, crosshook_user_data_free};
use super::guard;
use super::handle::{self, Handle};
use super::text::crosshook_str;
use crate::host::{Host, Request, RequestKind};

/// A question to the host: what a model, an agent or a function of the host's says to a hook. The host owns it and
/// ends it exactly once, on any thread, now or later: with crosshook_request_reply(), crosshook_request_fail() or
/// crosshook_request_free(). Until then it may be read by several threads at once. It may outlive its engine.
///
/// An answer that comes after the hook's timeout or after a cancellation has no effect. Whatever goes wrong, the hook
/// has failed ("error", "timeout"), with a diagnostic; that never reads as consent.
#[derive(Debug)]
pub struct crosshook_request {
    _opaque: [u8; 0],
}

impl Handle for crosshook_request {
    type Value = Request;
    type Owner = Box<Request>;
}

// Hosts answer on other threads: the header promises it, the compiler checks it.
const _: () = {
    const fn shared_by_threads<T: Send + Sync>() {}
    shared_by_threads::<<crosshook_request as Handle>::Value>();
};

/// What a request asks for. A later version may ask for more: fail a request whose kind you do not know.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum crosshook_kind {
    /// Nothing: the request is NULL.
    None = 0,
    /// "prompt": a model's reply to a prompt, as it came.
    Prompt = 1,
    /// "agent": an agent's final text for a task.
    Agent = 2,
    /// "function": what a function of crosshook_register_function() has to say, in the form of what a command hook
    /// prints: a JSON object, text, or nothing for "no opinion".
    Function = 3,
    /// "mcp_tool": the result of a tool of an MCP server that the host is connected to, its text or the whole result as
    /// JSON. The request's JSON has `server`, `tool` and `input`.
    McpTool = 4,
}

impl From<RequestKind> for crosshook_kind {
    fn from(kind: RequestKind) -> Self {
        match kind {
            RequestKind::Prompt => Self::Prompt,
            RequestKind::Agent => Self::Agent,
            RequestKind::Function => Self::Function,
            RequestKind::McpTool => Self::McpTool,
        }
    }
}

/// Asks the host. `request` belongs to the host from now on, see crosshook_request.
///
/// Called on the thread that runs the event: the one that waits in crosshook_dispatch(), or an engine thread, perhaps on
/// several at once. On an engine thread it must be quick, because all other runs wait for it, and a call that waits is
/// refused there; on a thread of the host's own it may take its time and may even dispatch. Either way the hook's
/// timeout cannot interrupt it: what takes long goes to a thread of the host's own, which answers later. It must not
/// throw, longjmp, end the thread or free the engine whose crosshook_dispatch() it is called by.
pub type crosshook_host =
    Option<unsafe extern "C" fn(user_data: *mut c_void, request: *mut crosshook_request)>;

/// Says that the answer to a request is no longer wanted: it has timed out, its run was cancelled, or the engine was
/// shut down. Called on an engine thread or the dispatching one. It must be quick, and must not throw or wait. It gets
/// no request, because the host may be answering it on another thread at the moment.
pub type crosshook_cancelled = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// The host behind an engine: its callback.
#[derive(Debug)]
pub(super) struct Asking(pub(super) Callback<unsafe extern "C" fn(*mut c_void, *mut crosshook_request)>);

impl Host for Asking {
    fn request(&self, request: Request) {
        let request = handle::give(Box::new(request));
        // SAFETY: a function of this type, not NULL; the host takes the request over.
        self.0.ask(|host, user_data| unsafe { host(user_data, request) });
    }
}

/// What is asked for; CROSSHOOK_KIND_NONE when `request` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_request_kind(request: *const crosshook_request) -> crosshook_kind {
    // SAFETY: NULL or a live request, as the header's conventions ask.
    unsafe { look(request, crosshook_kind::None, |request| request.kind().into()) }
}

/// The same as text: "prompt", "agent", "function"; empty when `request` is NULL. Static: valid for the life of the
/// process.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_request_kind_name(request: *const crosshook_request) -> crosshook_str {
    // SAFETY: NULL or a live request, as the header's conventions ask.
    unsafe { look(request, crosshook_str::EMPTY, |request| crosshook_str::lend(request.kind().as_str())) }
}

/// A number that no other request of this process has; 0 when `request` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_request_id(request: *const crosshook_request) -> u64 {
    // SAFETY: NULL or a live request, as the header's conventions ask.
    unsafe { look(request, 0, Request::id) }
}

/// The whole request as a JSON object: id; kind; hook (its id); function (the id that crosshook_register_function()
/// gave, or null); model (as configured, or null for the host's own choice); agent_type; system and prompt (texts or
/// null); timeout_ms; event (as the hook's dialect writes it). Empty when `request` is NULL. Valid until the request is
/// answered or freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_request_json(request: *const crosshook_request) -> crosshook_str {
    // SAFETY: NULL or a live request, as the header's conventions ask.
    unsafe { look(request, crosshook_str::EMPTY, |request| crosshook_str::lend(request.json())) }
}

/// Whether the answer is no longer wanted; false when `request` is NULL. The request is to be answered or freed all the
/// same.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_request_is_cancelled(request: *const crosshook_request) -> bool {
    // SAFETY: NULL or a live request, as the header's conventions ask.
    unsafe { look(request, false, Request::is_cancelled) }
}

/// Calls `cancelled` once when the answer is no longer wanted; at once, on the calling thread, when that is so already;
/// never when the request is answered in time. Replaces an earlier notice. `user_data_free` (may be NULL) is called
/// with `user_data` exactly once: after the notice, or when it has become pointless. Frees `user_data` and does nothing
/// else when `request` or `cancelled` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_request_on_cancel(
    request: *const crosshook_request,
    cancelled: crosshook_cancelled,
    user_data: *mut c_void,
    user_data_free: crosshook_user_data_free,
) {
    // SAFETY: `user_data` is the library's from now on, as the header says.
    let user_data = unsafe { UserData::adopt(user_data, user_data_free) };
    guard::or((), move || {
        // SAFETY: NULL or a live request, as the header's conventions ask.
        let request = unsafe { handle::borrow(request, "request") };
        let notice = Callback::new(cancelled, "cancelled", user_data);
        if let (Ok(request), Ok(notice)) = (request, notice) {
            // SAFETY: a function of this type, not NULL.
            request.on_cancel(move || notice.notify(|notice, user_data| unsafe { notice(user_data) }));
        }
    });
}

/// Answers a request with text, which is copied, and frees the request. Text that is not UTF-8 counts as
/// crosshook_request_fail(). Does nothing when `request` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_request_reply(request: *mut crosshook_request, text: crosshook_str) {
    guard::or((), || {
        // SAFETY: NULL or a request that the host owns and gives up here, as the header's conventions ask.
        let Some(request) = (unsafe { handle::take(request) }) else { return };
        // SAFETY: readable for the time of this call, as the header's conventions ask.
        match unsafe { text.read("text") } {
            Ok(text) => request.reply(text),
            Err(failure) => request.fail(format!("the host's answer is not usable: {}", failure.message())),
        }
    });
}

/// Says that there is no answer, and why, and frees the request. The hook has failed then. Does nothing when `request`
/// is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_request_fail(request: *mut crosshook_request, why: crosshook_str) {
    guard::or((), || {
        // SAFETY: NULL or a request that the host owns and gives up here, as the header's conventions ask.
        let Some(request) = (unsafe { handle::take(request) }) else { return };
        // SAFETY: readable for the time of this call, as the header's conventions ask.
        let why = unsafe { why.read("why") };
        request.fail(why.unwrap_or("the host failed, with a message that is not UTF-8"));
    });
}

/// Frees a request without an answer: the hook has failed. Does nothing when `request` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_request_free(request: *mut crosshook_request) {
    // SAFETY: NULL or a request that the host owns, as the header's conventions ask.
    guard::or((), || drop(unsafe { handle::take(request) }));
}

/// Reads something of a request; `missing` when it is NULL.
///
/// # Safety
/// `request` is NULL or a live request.
unsafe fn look<T: Copy>(
    request: *const crosshook_request,
    missing: T,
    read: impl FnOnce(&Request) -> T,
) -> T {
    guard::or(missing, || {
        // SAFETY: passed on from the caller.
        unsafe { handle::borrow(request, "request") }.map_or(missing, read)
    })
}
