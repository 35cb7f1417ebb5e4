//! Exported: listeners.

use std::ffi::c_void;

use super::callback::{Callback, UserData, crosshook_user_data_free};
use super::engine::{act, crosshook_engine};
use super::error::crosshook_error;
use super::guard;
use super::handle;
use super::outputs::Out;
use super::status::crosshook_status;
use super::text::crosshook_str;
use crate::watch::Notice;

/// Hears what happens in an engine's dispatches. `notice` is a JSON object, valid during the call only; its "type" is
/// "started", "finished", "background_finished" or "diagnostic", and later versions may have more. Called on the thread
/// where it happens, perhaps on several at once. It must be quick, must not throw, longjmp or end the thread, and must
/// not make a call that waits.
pub type crosshook_listener = Option<unsafe extern "C" fn(user_data: *mut c_void, notice: crosshook_str)>;

type Listener = Callback<unsafe extern "C" fn(*mut c_void, crosshook_str)>;

/// Tells a listener of the host's.
fn tell(listener: &Listener, notice: &Notice) {
    let text = notice.to_json();
    // SAFETY: a function of this type, not NULL; the text outlives the call.
    listener.notify(|listener, user_data| unsafe { listener(user_data, crosshook_str::lend(&text)) });
}

/// Calls `listener` for everything that happens in this engine from now on: for progress lines with the hooks' status
/// messages, and for logs. Nothing of a prompt or of a tool's input is in a notice. `*out_number` is for
/// crosshook_unwatch().
///
/// `user_data` (may be NULL) is passed to `listener`; `user_data_free` (may be NULL) is called with it exactly once:
/// after the last call of `listener`, when it was taken away or the engine and its runs have ended or, when this call
/// fails, before it returns.
///
/// Fails with null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_watch(
    engine: *const crosshook_engine,
    listener: crosshook_listener,
    user_data: *mut c_void,
    user_data_free: crosshook_user_data_free,
    out_number: *mut u64,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all arguments.
    unsafe {
        let user_data = UserData::adopt(user_data, user_data_free);
        guard::call(out_error, move || {
            let listener: Listener = Callback::new(listener, "listener", user_data)?;
            let engine = handle::borrow(engine, "engine")?;
            let out = Out::at(out_number, "out_number")?;
            out.write(engine.watch(move |notice| tell(&listener, notice)));
            Ok(())
        })
    }
}

/// Takes a listener away; one that is being called at the moment may still finish. May be called inside the listener.
/// `*out_found` (`out_found` may be NULL) says whether there was one with this number.
///
/// Fails with null_argument.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_unwatch(
    engine: *const crosshook_engine,
    number: u64,
    out_found: *mut bool,
    out_error: *mut *mut crosshook_error,
) -> crosshook_status {
    // SAFETY: the header's conventions hold for all three pointers.
    unsafe { act(engine, out_found, out_error, |engine| Ok(engine.unwatch(number))) }
}
