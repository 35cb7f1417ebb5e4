//! Opaque pointers: which Rust value stands behind which C type, and who owns it.
//!
//! A C type states once, in its [`Handle`] implementation, what it stands for and whether C holds it as a `Box` or as
//! an `Arc`. Giving, borrowing and taking back all go through that statement, so that the compiler rejects a function
//! that would free a value in another way than it was made.

use std::sync::Arc;

use super::error::Failure;

/// An opaque C type.
pub(super) trait Handle: Sized {
    /// The Rust value behind the pointer.
    type Value;
    /// How C owns it.
    type Owner: Owner<Self::Value>;
}

/// A smart pointer that can be turned into a raw one and back.
pub(super) trait Owner<T> {
    /// Gives up ownership; whoever gets the pointer owes a `from_raw`.
    fn into_raw(self) -> *mut T;

    /// Takes ownership back.
    ///
    /// # Safety
    /// `raw` comes from `into_raw` of the same kind of owner and is used for this once only.
    unsafe fn from_raw(raw: *mut T) -> Self;
}

impl<T> Owner<T> for Box<T> {
    fn into_raw(self) -> *mut T {
        Self::into_raw(self)
    }

    unsafe fn from_raw(raw: *mut T) -> Self {
        // SAFETY: the same promise, passed on.
        unsafe { Self::from_raw(raw) }
    }
}

impl<T> Owner<T> for Arc<T> {
    fn into_raw(self) -> *mut T {
        Self::into_raw(self).cast_mut()
    }

    unsafe fn from_raw(raw: *mut T) -> Self {
        // SAFETY: the same promise, passed on.
        unsafe { Self::from_raw(raw) }
    }
}

/// Hands `owner` over to C, which owes one [`take`].
pub(super) fn give<H: Handle>(owner: H::Owner) -> *mut H {
    owner.into_raw().cast()
}

/// Takes back what C owned; `None` when `pointer` is NULL.
///
/// # Safety
/// `pointer` is NULL or comes from [`give`] for the same `H`, and C does not use it again.
pub(super) unsafe fn take<H: Handle>(pointer: *mut H) -> Option<H::Owner> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: not NULL, so it comes from `give`, which made it from `H::Owner`.
    Some(unsafe { H::Owner::from_raw(pointer.cast()) })
}

/// Looks at what C owns. `argument` names the pointer in the error when it is NULL.
///
/// # Safety
/// `pointer` is NULL or comes from [`give`] for the same `H` and is not taken back before the end of `'a`.
pub(super) unsafe fn borrow<'a, H: Handle>(
    pointer: *const H,
    argument: &str,
) -> Result<&'a H::Value, Failure> {
    // SAFETY: NULL or a live value, shared only: nothing here ever makes a `&mut` from a handle.
    unsafe { pointer.cast::<H::Value>().as_ref() }.ok_or_else(|| Failure::null(argument))
}
