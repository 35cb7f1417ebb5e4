//! What a dialect looks at when it renders contexts for its model.

/// What a dialect's rendering looks at.
pub(crate) struct Rendering<'a> {
    pub(crate) event: &'a str,
    /// The reason of a block.
    pub(crate) reason: Option<&'a str>,
    pub(crate) contexts: &'a [String],
}

impl Rendering<'_> {
    /// The contexts joined by `separator`.
    pub(crate) fn joined(&self, separator: &str) -> String {
        self.contexts.join(separator)
    }
}
