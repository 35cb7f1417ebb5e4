//! Out parameters: checked before the work is done, written after it has succeeded.

use super::error::Failure;

/// A place the host gave for a result.
#[derive(Debug)]
pub(super) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// The place at `pointer`; `argument` names it in the error when it is NULL.
    ///
    /// # Safety
    /// `pointer` is NULL or points to room for a `T` that stays valid until [`Out::write`].
    pub(super) unsafe fn at(pointer: *mut T, argument: &str) -> Result<Self, Failure> {
        if pointer.is_null() { Err(Failure::null(argument)) } else { Ok(Self(pointer)) }
    }

    /// The same for a result that the host may do without: `None` when `pointer` is NULL.
    ///
    /// # Safety
    /// As [`Out::at`].
    pub(super) unsafe fn optional(pointer: *mut T) -> Option<Self> {
        (!pointer.is_null()).then_some(Self(pointer))
    }

    /// Writes the result. What was there before is overwritten, not dropped: to the library it is no value.
    pub(super) fn write(self, value: T) {
        // SAFETY: not NULL and valid for writing, as promised when `self` was made.
        unsafe { self.0.write(value) };
    }
}
