//! The set of hooks that one dispatch works with.

use std::sync::Arc;

use crate::dialect::{Dialect, Version};
use crate::hook::{FailMode, HookSet};
use crate::plan::Planner;
use crate::run::Surroundings;
use crate::translation::HostTools;

/// What a dispatch works with; a snapshot, so that a dispatch in flight keeps its set.
#[derive(Clone)]
pub(crate) struct Snapshot {
    pub(crate) dialect: &'static Dialect,
    /// The version of that agent whose rules count.
    pub(crate) version: Version,
    /// The host's own names of tools.
    pub(crate) tools: Arc<HostTools>,
    pub(crate) hooks: Arc<HookSet>,
    pub(crate) planner: Arc<Planner>,
    pub(crate) surroundings: Surroundings,
    pub(crate) fail_mode: FailMode,
}
