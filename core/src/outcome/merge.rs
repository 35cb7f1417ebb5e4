//! Precedence and merging.
pub(crate) fn merge() {}
