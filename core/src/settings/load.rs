//! From sources to the set of hooks: order, switches, and every entry with its place.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::Scope;
use super::entry::{fail_mode_of, whole_file};
use super::places::Ground;
use super::source::{Form, Source};
use super::switches::{Switch, Switches};
use super::tree::{Node, Spot};
use super::trust::Trust;
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::dialect::{Dialect, Version};
use crate::hook::{FailMode, Hook, HookSet, Off};

/// What holds for every source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Common<'a> {
    /// The dialect that the host speaks.
    pub(crate) main: &'static Dialect,
    pub(crate) switches: &'a Switches,
    pub(crate) trust: &'a Trust,
    pub(crate) ground: &'a Ground,
    /// What the failure of a hook means whose source does not say it.
    pub(crate) fail_mode: FailMode,
}

/// Reads all sources, which stand in their order, into one set. Bad entries become diagnostics, their neighbours stay.
pub(crate) fn load(sources: &[Source], common: Common<'_>) -> HookSet {
    let mut set = HookSet { merged: common.switches.merged(), ..HookSet::default() };
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for source in sources {
        let scope = source.scope.as_str();
        let count = seen.entry(scope).and_modify(|count| *count += 1).or_insert(1);
        let prefix = if *count == 1 { scope.to_owned() } else { format!("{scope}#{count}") };
        Loader::new(source, common, prefix, &mut set).run();
    }
    set
}

/// Reads one source that the host registered: its hooks and what was noticed.
pub(crate) fn load_registered(
    source: &Source,
    prefix: &str,
    common: Common<'_>,
) -> (Vec<Arc<Hook>>, Vec<Diagnostic>) {
    let mut set = HookSet::default();
    let mut loader = Loader::new(source, common, prefix.to_owned(), &mut set);
    loader.off = common.trust.holds_back(source).or_else(|| loader.switch.off(source, true));
    loader.run();
    (set.hooks, set.diagnostics)
}

/// Puts sources in their order: those of the engine's own dialect first, then those of each other one as they came, each
/// in the order of the dialect. Those of one scope stay as they are.
pub(crate) fn sort(sources: &mut [Source], main: &'static Dialect) {
    let dialects = appearing(main, sources.iter().map(|source| source.dialect));
    sources.sort_by_key(|source| place(&dialects, source.dialect, source.scope));
}

/// The same for hooks.
pub(crate) fn sort_hooks(hooks: &mut [Arc<Hook>], main: &'static Dialect) {
    let dialects = appearing(main, hooks.iter().map(|hook| hook.dialect));
    hooks.sort_by_key(|hook| place(&dialects, hook.dialect, hook.scope));
}

fn appearing(main: &'static Dialect, all: impl Iterator<Item = &'static Dialect>) -> Vec<&'static Dialect> {
    let mut dialects = vec![main];
    for dialect in all {
        if !dialects.contains(&dialect) {
            dialects.push(dialect);
        }
    }
    dialects
}

fn place(dialects: &[&'static Dialect], dialect: &'static Dialect, scope: Scope) -> (Option<usize>, usize) {
    (dialects.iter().position(|known| *known == dialect), dialect.settings.rank(scope))
}

/// Reads one source's entries into the set.
pub(super) struct Loader<'a> {
    /// The dialect that the host speaks.
    pub(super) main: &'static Dialect,
    pub(super) source: &'a Source,
    pub(super) switch: Switch,
    pub(super) ground: &'a Ground,
    pub(super) trust: &'a Trust,
    pub(super) prefix: String,
    /// The event that is being read, as it is written.
    pub(super) written: String,
    pub(super) set: &'a mut HookSet,
    /// Identity of a hook within this source -> id of the first one with it.
    pub(super) first: HashMap<String, String>,
    /// Why none of its hooks runs.
    pub(super) off: Option<Off>,
    /// What the source says of failures of its hooks.
    pub(super) fail_mode: Option<FailMode>,
    /// What counts where it says nothing.
    pub(super) usual_fail_mode: FailMode,
}

impl<'a> Loader<'a> {
    fn new(source: &'a Source, common: Common<'a>, prefix: String, set: &'a mut HookSet) -> Self {
        let switch = common.switches.of(source.dialect);
        let off = common.trust.holds_back(source).or_else(|| switch.off(source, false));
        let (main, ground, trust) = (common.main, common.ground, common.trust);
        let (written, first) = (String::new(), HashMap::new());
        let (fail_mode, usual_fail_mode) = (None, common.fail_mode);
        Self {
            main,
            source,
            switch,
            ground,
            trust,
            prefix,
            written,
            set,
            first,
            off,
            fail_mode,
            usual_fail_mode,
        }
    }

    fn run(&mut self) {
        let before = self.set.hooks.len();
        self.note_form();
        self.read_fail_mode();
        if let Some((events, spot)) = self.events() {
            match events.as_object() {
                Some(entries) => {
                    for (event, groups) in entries {
                        self.read_event(event, groups, &spot.child(event, groups));
                    }
                }
                None => {
                    let text = format!(
                        "the hooks are {}, not an object of events; none of this source run{}",
                        events.words(),
                        whole_file(self.source.dialect)
                    );
                    self.report(Level::Error, self.definition_code(), text, &spot);
                }
            }
        }
        self.note_off(before);
    }

    /// The event map, when there is one.
    fn events(&mut self) -> Option<(&'a Node, Spot)> {
        let source = self.source;
        match &source.form {
            Form::Events(path) => source.walk(path.iter().map(String::as_str)),
            Form::Frontmatter => source.walk(["hooks"]),
            Form::Settings if source.dialect.settings.events_key => {
                let found = source.walk(["hooks", "events"]);
                match (found, source.walk(["hooks"])) {
                    // Reported like an event map of a wrong type.
                    (None, Some((hooks, spot))) if hooks.as_object().is_none() => Some((hooks, spot)),
                    (None, Some((hooks, spot))) => {
                        self.note_missing_events(hooks, &spot);
                        None
                    }
                    (found, _) => found,
                }
            }
            Form::Settings => source.walk(["hooks"]),
        }
    }

    /// The version of the agent whose rules count.
    pub(super) fn version(&self) -> Version {
        self.ground.version_of(self.source.dialect)
    }

    pub(super) fn report(&mut self, level: Level, code: Code, message: String, spot: &Spot) {
        let origin = Some(self.source.origin(spot));
        self.set.diagnostics.push(Diagnostic { level, code, message, origin });
    }

    /// The code for a bad form.
    pub(super) fn definition_code(&self) -> Code {
        let own = self.source.dialect.settings.plugins.unknown_event != Code::UnknownEvent;
        if self.source.plugin.is_some() && own { Code::PluginHookInvalid } else { Code::InvalidDefinition }
    }

    fn note_form(&mut self) {
        let product = self.source.dialect.product;
        if let Some(what) = self.source.tree.lenient
            && (!self.source.dialect.settings.comments || what == "a trailing comma")
        {
            let text = format!("the settings hold {what}, which {product} itself may refuse");
            self.report(Level::Warning, Code::LenientJson, text, &Spot::root());
        }
        for (key, at) in self.source.tree.duplicates.clone() {
            let text = format!("`{key}` stands twice in one object; the last one counts");
            self.report(Level::Warning, Code::DuplicateKey, text, &Spot { at, ..Spot::root() });
        }
        if self.source.form == Form::Settings {
            self.note_other_case();
            self.note_bare_events();
            self.note_unknown_keys();
            self.note_entry();
        }
    }

    /// What belongs into an entry for a source, and stands among the settings themselves, where nothing reads it.
    fn note_entry(&mut self) {
        let source = self.source;
        if source.path.is_some() {
            return;
        }
        let misplaced = |(key, node): &&(String, Node)| match key.as_str() {
            "dialect" => node.as_str().is_some(),
            "settings" => node.get("hooks").is_some(),
            _ => false,
        };
        let entries = source.tree.root.as_object().unwrap_or_default();
        for (key, node) in entries.iter().filter(misplaced) {
            let text = format!(
                "`{key}` has no effect among settings; an entry is {{\"dialect\": ..., \"settings\": {{...}}}} without \
                 `hooks` of its own, and the option `settings` takes a list of entries"
            );
            self.report(Level::Warning, Code::IgnoredKey, text, &Spot::root().child(key, node));
        }
    }

    /// The `failMode` beside the hooks, an extension of Crosshook's: it counts for the hooks of its own source.
    /// Where the events have an object of their own in the hooks, either place is beside them.
    fn read_fail_mode(&mut self) {
        let source = self.source;
        let events_key = source.form == Form::Settings && source.dialect.settings.events_key;
        let inner = events_key.then(|| source.walk(["hooks"])).flatten();
        for (node, spot) in [Some((&source.tree.root, Spot::root())), inner].into_iter().flatten() {
            self.fail_mode = self.fail_mode_at(node, &spot).or(self.fail_mode);
        }
    }

    /// What the object at `spot` says of failures; what is doubtful about it is reported.
    pub(super) fn fail_mode_at(&mut self, node: &Node, spot: &Spot) -> Option<FailMode> {
        let (key, mode, doubt) = fail_mode_of(node)?;
        if let (Some(message), Some(value)) = (doubt, node.get(key)) {
            self.report(Level::Warning, Code::WrongType, message, &spot.child(key, value));
        }
        Some(mode)
    }

    /// Keys beside the hooks, where the agent allows none.
    fn note_unknown_keys(&mut self) {
        let (dialect, source) = (self.source.dialect, self.source);
        let known = dialect.settings.json_keys;
        let in_toml = source.path.as_deref().is_some_and(|path| path.ends_with(".toml"));
        if known.is_empty() || in_toml {
            return;
        }
        for (key, node) in source.tree.root.as_object().into_iter().flatten() {
            if let Some((ours, ..)) = fail_mode_of(&source.tree.root).filter(|(ours, ..)| ours == key) {
                let text = format!(
                    "`{ours}` counts here, but {} does not know it and drops the whole file; write it on each hook",
                    dialect.product
                );
                self.report(Level::Warning, Code::IgnoredKey, text, &Spot::root().child(key, node));
            } else if !known.contains(&key.as_str()) {
                let text = format!("`{key}` does not belong into a file of hooks{}", whole_file(dialect));
                self.report(Level::Error, Code::IgnoredKey, text, &Spot::root().child(key, node));
            }
        }
    }

    /// Keys that only their letters' case keeps from counting.
    fn note_other_case(&mut self) {
        let wanted = [Some("hooks"), self.source.dialect.settings.disable_key];
        let found: Vec<(String, &str, Spot)> = self
            .source
            .tree
            .root
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(key, node)| {
                let near =
                    wanted.iter().flatten().find(|name| *name != key && name.eq_ignore_ascii_case(key))?;
                Some((key.clone(), *near, Spot::root().child(key, node)))
            })
            .collect();
        for (key, near, spot) in found {
            let text = format!("`{key}` is not read; write `{near}`");
            self.report(Level::Warning, Code::IgnoredKey, text, &spot);
        }
    }

    /// Events at the top of a settings file, where no agent reads them.
    fn note_bare_events(&mut self) {
        let dialect = self.source.dialect;
        let entries = self.source.tree.root.as_object().into_iter().flatten();
        let bare: Vec<(&str, Spot)> = entries
            .filter(|(key, node)| dialect.event(key).is_some() && node.as_array().is_some())
            .map(|(key, node)| (key.as_str(), Spot::root().child(key, node)))
            .collect();
        let place = if dialect.settings.events_key { "hooks.events" } else { "hooks" };
        for (event, spot) in bare {
            let text =
                format!("{} reads events under `{place}`; `{event}` is not read here", dialect.product);
            self.report(Level::Error, Code::InvalidDefinition, text, &spot);
        }
    }

    /// The event map of another agent's form, directly under `hooks`.
    fn note_missing_events(&mut self, hooks: &Node, spot: &Spot) {
        let dialect = self.source.dialect;
        let misplaced = hooks
            .as_object()
            .and_then(|entries| entries.iter().find(|(key, _)| dialect.event(key).is_some()))
            .map(|(key, _)| key.clone());
        if let Some(event) = misplaced {
            let text =
                format!("{} reads events under `hooks.events`; `hooks.{event}` is not read", dialect.product);
            self.report(Level::Error, Code::InvalidDefinition, text, spot);
        }
    }

    fn note_off(&mut self, before: usize) {
        let own = self.set.hooks.iter().skip(before);
        let here = own.filter(|hook| hook.off.is_some() && hook.off == self.off).count();
        let Some(off) = self.off.clone().filter(|_| here > 0) else { return };
        let hooks = if here == 1 { "1 hook".to_owned() } else { format!("{here} hooks") };
        let text = match off.code {
            Code::Untrusted if self.source.form == Form::Settings => {
                let scope = self.source.scope.as_str();
                format!("{hooks} of {scope} settings are held back: the project is not trusted")
            }
            Code::FrontmatterSkipped => off.why,
            _ => format!("{hooks} of {} do not run: {}", self.source.title(), off.why),
        };
        self.report(Level::Warning, off.code, text, &Spot::root());
    }
}
