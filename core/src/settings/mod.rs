//! Settings: from sources to the set of hooks.

mod entry;
mod file;
mod frontmatter;
mod gather;
mod groups;
mod hook_state;
mod hooks;
mod load;
mod places;
mod plugin;
mod schema;
mod scope;
mod source;
mod switches;
mod toml;
mod tree;
mod trust;
mod variables;
mod worker;
mod yaml;

pub(crate) use file::hex;
pub use frontmatter::{FrontmatterOwner, FrontmatterScope, FrontmatterSource};
pub(crate) use frontmatter::{Opened, open};
pub(crate) use gather::{Broken, Gathered, Recipe, gather, known_dialect, named_dialect};
pub(crate) use load::{Common, load, load_registered, sort, sort_hooks};
pub(crate) use places::{Ground, named_folder};
pub(crate) use schema::schema;
pub use scope::Scope;
pub(crate) use source::{Source, has_keys};
pub(crate) use switches::Switches;
pub(crate) use tree::Spot;
pub use trust::Grant;
pub(crate) use trust::Trust;
