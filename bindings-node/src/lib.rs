//! Node bindings.
