//! Settings: from sources to the set of hooks.

mod entry;
mod load;
mod scope;
mod tree;

pub(crate) use load::{Defaults, Source, load};
pub use scope::Scope;
