//! The C ABI behind the cargo feature `capi`.
//!
//! `include/crosshook.h` is generated from this module and opens with the conventions that hold for every function
//! here (they are written in `core/cbindgen.toml`): read them first. The Rust API is [`crate::Engine`]; nothing in
//! here is meant to be called from Rust.
//!
//! The exported functions only convert: JSON text in, one call of the core, JSON text out. What is unsafe about the
//! boundary lies in five small places: `text` (bytes in and out), `handle` (opaque pointers), `outputs` (out
//! parameters), `callback` (calls into the host) and `guard` (panics). The files that export functions are in the
//! order in which the header shows them.

// Names are the C names, so that a reader finds the same word in the header and here. The documentation of an
// exported function becomes the header's comment and speaks to a C programmer; what `unsafe` asks of the caller is
// said once, in the header's conventions, instead of in a `# Safety` section of every function.
#![allow(non_camel_case_types, clippy::missing_safety_doc)]

#[cfg(not(panic = "unwind"))]
compile_error!(
    "the panic guards of the C ABI need unwinding: build the feature `capi` with panic = \"unwind\""
);

mod version;

mod text;

mod status;

mod error;

mod engine;

mod run;

mod request;

mod settings;

mod background;

mod session;

mod display;

mod watch;

mod callback;
mod guard;
mod handle;
mod outputs;

pub use background::{
    crosshook_background, crosshook_cancel_background, crosshook_take_late_results, crosshook_wait_background,
};
pub use callback::{crosshook_done, crosshook_user_data_free};
pub use display::{
    crosshook_display, crosshook_display_abort, crosshook_display_finish, crosshook_display_free,
    crosshook_display_push, crosshook_message_display, crosshook_render_context,
};
pub use engine::{
    crosshook_diagnostics, crosshook_dispatch, crosshook_end_foreground, crosshook_engine,
    crosshook_engine_free, crosshook_engine_new, crosshook_engine_new_with_host, crosshook_explain,
    crosshook_lint, crosshook_list, crosshook_replay, crosshook_shutdown,
};
pub use error::{
    crosshook_error, crosshook_error_code, crosshook_error_details, crosshook_error_free,
    crosshook_error_message, crosshook_error_status,
};
pub use request::{
    crosshook_cancelled, crosshook_host, crosshook_kind, crosshook_request, crosshook_request_fail,
    crosshook_request_free, crosshook_request_id, crosshook_request_is_cancelled, crosshook_request_json,
    crosshook_request_kind, crosshook_request_kind_name, crosshook_request_on_cancel,
    crosshook_request_reply,
};
pub use run::{crosshook_run, crosshook_run_cancel, crosshook_run_free, crosshook_run_wait, crosshook_start};
pub use session::{
    crosshook_clear_goal, crosshook_end_session, crosshook_goal, crosshook_note_goal_usage,
    crosshook_restore_goal, crosshook_set_goal,
};
pub use settings::{
    crosshook_changes, crosshook_close_scope, crosshook_dialect_names, crosshook_grant, crosshook_grants,
    crosshook_open_scope, crosshook_register, crosshook_register_function, crosshook_reload,
    crosshook_revoke, crosshook_settings_schema, crosshook_unregister, crosshook_wanted_grants,
};
pub use status::{crosshook_status, crosshook_status_code};
pub use text::{crosshook_buf, crosshook_buf_free, crosshook_str};
pub use version::{CROSSHOOK_ABI_VERSION, crosshook_abi_version, crosshook_version};
pub use watch::{crosshook_listener, crosshook_unwatch, crosshook_watch};
