//! Text that crosses the boundary: borrowed views and owned buffers.

use std::ffi::c_char;
use std::ptr;

use super::error::Failure;
use super::guard;
use super::status::crosshook_status;

/// UTF-8 text that somebody else owns; not terminated by NUL.
///
/// As an argument it belongs to the caller and is copied, or no longer read, when the call returns. As a result it
/// belongs to the library and is valid as long as the function that gave it says. `data` may be NULL when `len` is 0.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct crosshook_str {
    /// The first byte.
    pub data: *const c_char,
    /// The number of bytes.
    pub len: usize,
}

/// UTF-8 text that the library gave to the caller; not terminated by NUL. Release it with crosshook_buf_free(), never
/// with free().
#[repr(C)]
#[derive(Debug)]
pub struct crosshook_buf {
    /// The first byte; NULL when the buffer has been freed.
    pub data: *mut c_char,
    /// The number of bytes.
    pub len: usize,
}

impl crosshook_str {
    /// What a function that cannot report an error returns when it has no text.
    pub(super) const EMPTY: Self = Self { data: ptr::null(), len: 0 };

    /// A view of `text`. The caller sees to it that `text` lives as long as the documentation promises.
    pub(super) const fn lend(text: &str) -> Self {
        Self { data: text.as_ptr().cast(), len: text.len() }
    }

    /// The text, when it is UTF-8. `argument` names it in the error.
    ///
    /// # Safety
    /// `data` is NULL or points to `len` bytes that nobody changes or frees before the end of `'a`.
    pub(super) unsafe fn read<'a>(self, argument: &str) -> Result<&'a str, Failure> {
        if self.data.is_null() {
            return if self.len == 0 { Ok("") } else { Err(Failure::null(argument)) };
        }
        if isize::try_from(self.len).is_err() {
            let message =
                format!("`{argument}` is said to be {} bytes long, more than memory can hold", self.len);
            return Err(Failure::new(crosshook_status::InvalidArgument, message));
        }
        // SAFETY: not NULL, not longer than isize::MAX, and readable for `'a` as the caller promises.
        let bytes: &'a [u8] = unsafe { std::slice::from_raw_parts(self.data.cast(), self.len) };
        std::str::from_utf8(bytes).map_err(|error| {
            let at = error.valid_up_to();
            let message = format!("`{argument}` is not UTF-8: invalid byte at offset {at}; send UTF-8 JSON");
            Failure::new(crosshook_status::InvalidUtf8, message)
        })
    }
}

impl crosshook_buf {
    /// Hands `text` over to C, which owes a [`crosshook_buf_free`].
    pub(super) fn give(text: String) -> Self {
        let bytes = Box::leak(text.into_bytes().into_boxed_slice());
        Self { data: bytes.as_mut_ptr().cast(), len: bytes.len() }
    }
}

/// Frees the text and sets `buf` to {NULL, 0}, so that a second call does no harm. Does nothing when `buf` or its
/// `data` is NULL. The fields must be as the library wrote them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn crosshook_buf_free(buf: *mut crosshook_buf) {
    guard::or((), || {
        if buf.is_null() {
            return;
        }
        // SAFETY: not NULL, so it points to a crosshook_buf that the caller may write to.
        let crosshook_buf { data, len } =
            unsafe { ptr::replace(buf, crosshook_buf { data: ptr::null_mut(), len: 0 }) };
        if !data.is_null() {
            // SAFETY: `data` and `len` come from `give`, which leaked exactly this boxed slice.
            drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(data.cast::<u8>(), len)) });
        }
    });
}
