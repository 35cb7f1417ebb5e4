//! The scalars that all sources of one dialect share, merged as the dialect merges them.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Scope;
use super::hook_state::{self, HookState};
use super::places::Ground;
use super::source::{Form, Source};
use super::tree::{Node, Spot, Value};
use super::trust::Trust;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{self, Dialect, KEPT, ManagedKeys, RedactionSettings};
use crate::hook::{Merged, Off};

/// The scalars of each dialect, by its name. One that is not there has the usual ones.
#[derive(Debug, Default)]
pub(crate) struct Switches {
    by_dialect: BTreeMap<&'static str, Switch>,
}

/// The scalars of one dialect.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Switch {
    /// Why no hook of this dialect runs.
    pub(crate) off: Option<String>,
    /// Why no hook runs that is not managed.
    unmanaged_off: Option<String>,
    /// The same, the host's own excepted.
    only_managed: Option<String>,
    /// Why no hook of user, project and local settings runs.
    customization_off: Option<String>,
    /// Why no hook of a file runs.
    pub(crate) files_off: Option<String>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) output_limit: Option<usize>,
    /// Hooks that are switched off by name, with the source that says so.
    pub(crate) disabled_hooks: Vec<(String, String)>,
    /// What the agent keeps of single hooks.
    pub(super) hook_states: Vec<HookState>,
    /// The frontmatter of agents and skills that are not built in counts.
    pub(crate) frontmatter: bool,
    pub(crate) merged: Merged,
}

impl Switches {
    /// Merges what the sources say; those that are held back say nothing.
    pub(crate) fn read(
        sources: &[Source],
        main: &'static Dialect,
        trust: &Trust,
        ground: &Ground,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Self {
        // Those without a source, too: hooks of any dialect may come later, and the environment may have switched it off.
        let mut dialects = vec![main];
        for dialect in sources.iter().map(|source| source.dialect).chain(dialect::all().iter().copied()) {
            if !dialects.contains(&dialect) {
                dialects.push(dialect);
            }
        }
        let by_dialect = dialects.into_iter().map(|dialect| {
            let own = sources
                .iter()
                .filter(|source| source.dialect == dialect && source.form == Form::Settings)
                .filter(|source| trust.holds_back(source).is_none())
                .collect();
            (dialect.name, Reader { dialect, sources: own, diagnostics }.run(ground))
        });
        let says_something =
            |(name, switch): &(&str, Switch)| *name == main.name || *switch != Switch::default();
        Self { by_dialect: by_dialect.filter(says_something).collect() }
    }

    pub(crate) fn of(&self, dialect: &Dialect) -> Switch {
        self.by_dialect.get(dialect.name).cloned().unwrap_or_default()
    }

    /// The merged settings that the steps need, by dialect.
    pub(crate) fn merged(&self) -> BTreeMap<&'static str, Merged> {
        self.by_dialect.iter().map(|(name, switch)| (*name, switch.merged.clone())).collect()
    }

    /// The names of dialects whose scalars differ from those of `other`.
    pub(crate) fn differing(&self, other: &Self) -> Vec<&'static str> {
        let differs = |name: &&&'static str| self.by_dialect.get(**name) != other.by_dialect.get(**name);
        self.by_dialect.keys().filter(differs).copied().collect()
    }

    /// Takes the scalars of `dialect` from `older`.
    pub(crate) fn keep(&mut self, dialect: &Dialect, older: &Self) {
        self.by_dialect.insert(dialect.name, older.of(dialect));
    }
}

impl Switch {
    /// Why a source's hooks are switched off.
    pub(crate) fn off(&self, source: &Source, registered: bool) -> Option<Off> {
        let of_file = source.form == Form::Settings && !registered;
        let by_host = source.scope == Scope::Session;
        let of_user = matches!(source.scope, Scope::User | Scope::Project | Scope::Local);
        let why = [
            self.off.as_ref(),
            self.unmanaged_off.as_ref().filter(|_| !source.managed),
            self.only_managed.as_ref().filter(|_| !source.managed && !by_host),
            self.customization_off.as_ref().filter(|_| of_user),
            self.files_off.as_ref().filter(|_| of_file),
        ]
        .into_iter()
        .flatten()
        .next()?;
        Some(Off::because(Code::HooksDisabled, why.clone()))
    }
}

/// Reads the scalars of one dialect from its sources, which stand in their order.
struct Reader<'a> {
    dialect: &'static Dialect,
    sources: Vec<&'a Source>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn run(mut self, ground: &Ground) -> Switch {
        let rule = &self.dialect.settings;
        let mut switch = Switch::default();
        self.disable(ground, &mut switch);
        if rule.events_key {
            self.read_hooks_root(&mut switch);
        }
        if self.sources.is_empty() {
            // All that follows is what sources say.
            return switch;
        }
        if let Some(gate) = rule.frontmatter.as_ref().and_then(|rule| rule.gate) {
            switch.frontmatter = self.not_from_workspace(gate) == Some(true);
        }
        if let Some(path) = rule.hook_states {
            switch.hook_states = hook_state::read(&self.sources, path);
        }
        if let Some(key) = rule.keys.disabled_hooks {
            switch.disabled_hooks = self.lists(key);
        }
        if let Some(key) = rule.keys.redaction {
            switch.merged.redaction = self.redaction(key);
        }
        if let Some(key) = rule.keys.private_network {
            switch.merged.allow_private_network = self.not_from_workspace(key) == Some(true);
        }
        if let Some(key) = rule.keys.http_urls {
            switch.merged.allowed_http_urls =
                if rule.keys.lists_add_up { self.united(key) } else { self.http_urls(key) };
        }
        if let Some(key) = rule.keys.http_env {
            switch.merged.allowed_http_env = self.united(key);
        }
        if let Some(keys) = rule.keys.managed {
            self.read_managed(keys, &mut switch);
        }
        if let Some(key) = rule.keys.stop_cap {
            let cap = self.strongest(key, "a number", |node| match node.value {
                Value::Number(value) => Some(value),
                _ => None,
            });
            switch.merged.stop_hook_blocking_cap = cap.map(|(cap, _)| cap);
        }
        switch
    }

    fn warn(&mut self, source: &Source, spot: &Spot, code: Code, text: String) {
        self.diagnostics.push(Diagnostic::warning(code, text).from_origin(&source.origin(spot)));
    }

    /// The value of the strongest scope that has a usable one; of equals the later.
    fn strongest<T>(
        &mut self,
        key: &str,
        wanted: &str,
        read: impl Fn(&Node) -> Option<T>,
    ) -> Option<(T, usize)> {
        let mut best: Option<(usize, T, usize)> = None;
        for (index, source) in self.sources.clone().into_iter().enumerate() {
            let Some((node, spot)) = source.setting(key) else { continue };
            let Some(value) = read(node) else {
                let text = format!("`{key}` is {}, not {wanted}; it is ignored", node.words());
                self.warn(source, &spot, Code::WrongType, text);
                continue;
            };
            let weight = self.dialect.settings.weight(source.scope);
            if weight == 0 {
                let text = format!("`{key}` in {} is ignored: it does not count there", source.title());
                self.warn(source, &spot, Code::IgnoredKey, text);
                continue;
            }
            if best.as_ref().is_none_or(|(known, ..)| weight >= *known) {
                best = Some((weight, value, index));
            }
        }
        best.map(|(_, value, index)| (value, index))
    }

    fn disable(&mut self, ground: &Ground, switch: &mut Switch) {
        if let Some(name) = self.dialect.settings.disable_env.iter().find(|name| ground.flag(name)) {
            switch.off = Some(format!("the environment variable `{name}` switches all hooks off"));
            return;
        }
        let settings = &self.dialect.settings;
        let managed = settings.keys.managed;
        let outlasts = managed
            .and_then(|keys| keys.outlast_disabling_since)
            .is_some_and(|since| ground.version_of(self.dialect) >= since);
        let enabling = settings.keys.enabled.iter().map(|key| (*key, false));
        for (key, disables) in settings.disable_key.map(|key| (key, true)).into_iter().chain(enabling) {
            let Some((said, index)) = self.strongest(key, "true or false", as_bool) else { continue };
            let Some(source) = self.sources.get(index).filter(|_| said == disables) else { continue };
            if outlasts && !source.managed {
                let why =
                    format!("`{key}` in {} switches all hooks off that are not managed", source.title());
                switch.unmanaged_off = Some(why);
            } else {
                switch.off = Some(format!("`{key}` in {} switches all hooks off", source.title()));
            }
        }
    }

    /// What only managed settings can say (codebuddy-claude.md section 14).
    fn read_managed(&mut self, keys: ManagedKeys, switch: &mut Switch) {
        for key in std::iter::once(keys.only_managed).chain(keys.only_plugins) {
            for source in self.sources.clone().into_iter().filter(|source| !source.managed) {
                if let Some((_, spot)) = source.setting(key) {
                    let text = format!(
                        "`{key}` in {} is ignored: it counts in managed settings only",
                        source.title()
                    );
                    self.warn(source, &spot, Code::IgnoredKey, text);
                }
            }
        }
        let all = self.sources.clone();
        self.sources.retain(|source| source.managed);
        if let Some((true, index)) = self.strongest(keys.only_managed, "true or false", as_bool) {
            let title = self.sources.get(index).map(|source| source.title()).unwrap_or_default();
            switch.only_managed =
                Some(format!("`{}` in {title} lets only managed hooks run", keys.only_managed));
        }
        let names_hooks = |node: &Node| match &node.value {
            Value::Bool(value) => Some(*value),
            Value::Array(items) => Some(items.iter().any(|item| item.as_str() == Some("hooks"))),
            _ => None,
        };
        let wanted = "true, false or a list of what is locked";
        if let Some(key) = keys.only_plugins
            && let Some((true, index)) = self.strongest(key, wanted, names_hooks)
        {
            let title = self.sources.get(index).map(|source| source.title()).unwrap_or_default();
            switch.customization_off =
                Some(format!("`{key}` in {title} lets no hooks of user, project and local settings run"));
        }
        self.sources = all;
    }

    /// The lists of all sources as one; `None` when nobody has one. A list whose entries are all unusable stays a list, so
    /// that it does not open up.
    fn united(&mut self, key: &str) -> Option<Vec<String>> {
        let listed =
            |source: &&Source| source.setting(key).is_some_and(|(node, _)| node.as_array().is_some());
        let any = self.sources.iter().any(listed);
        let texts: Vec<String> = self.lists(key).into_iter().map(|(text, _)| text).collect();
        any.then_some(texts)
    }

    /// The strings of all sources' lists, each with its source.
    fn lists(&mut self, key: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for source in self.sources.clone() {
            let Some((node, spot)) = source.setting(key) else { continue };
            let items = node.as_array().unwrap_or_default();
            let texts = items.iter().filter_map(|item| item.as_str().map(str::to_owned));
            let before = found.len();
            found.extend(texts.map(|text| (text, source.title())));
            if node.as_array().is_none() || found.len() - before < items.len() {
                let text = format!("`{key}` is not a list of strings; what is no string in it is ignored");
                self.warn(source, &spot, Code::WrongType, text);
            }
        }
        found
    }

    /// Which of the host's variables hooks do not inherit. A project can only take more away.
    fn redaction(&mut self, key: &str) -> RedactionSettings {
        let [enabled, allowed, blocked] =
            ["enabled", "allowed", "blocked"].map(|last| format!("{key}.{last}"));
        let on = self.strongest(&enabled, "true or false", as_bool).is_some_and(|(on, _)| on)
            || self.strongest_outside(&enabled) == Some(true);
        self.drop_from_workspace(&allowed, "a project cannot give its hooks the secrets of the host");
        let all = self.sources.clone();
        self.sources.retain(|source| source.scope.is_above_projects());
        let allowed = self.lists(&allowed);
        self.sources = all;
        let names = |list: Vec<(String, String)>| list.into_iter().map(|(name, _)| name).collect();
        RedactionSettings { enabled: on, allowed: names(allowed), blocked: names(self.lists(&blocked)) }
    }

    /// `hooks.enabled`, `timeoutMs` and `maxOutputBytes` (zcode-codex-gemini.md section 1.1): any root that says true
    /// switches the hooks on; of the numbers the last one counts.
    fn read_hooks_root(&mut self, switch: &mut Switch) {
        let enabled = self.sources.iter().any(|source| {
            source.setting("hooks.enabled").is_some_and(|(node, _)| node.value == Value::Bool(true))
        });
        for source in self.sources.clone() {
            if let Some((node, spot)) = source.setting("hooks.enabled")
                && as_bool(node).is_none()
            {
                let text = format!("`hooks.enabled` is {}, not true or false; it is ignored", node.words());
                self.warn(source, &spot, Code::WrongType, text);
            }
        }
        if self.dialect.settings.needs_enabled && !enabled {
            switch.files_off = Some(format!(
                "{} runs hooks of settings only when one of them says `\"enabled\": true` in `hooks`",
                self.dialect.product
            ));
        }
        if let Some(millis) = self.last_positive("hooks.timeoutMs") {
            switch.timeout = Duration::try_from_secs_f64((millis / 1000.0).clamp(0.001, 31_536_000.0)).ok();
        }
        if let Some(bytes) = self.last_positive("hooks.maxOutputBytes") {
            // Whole bytes; a float to integer cast saturates.
            switch.output_limit = Some((bytes as usize).clamp(1, KEPT));
        }
    }

    fn last_positive(&mut self, key: &str) -> Option<f64> {
        let mut last = None;
        for source in self.sources.clone() {
            let Some((node, spot)) = source.setting(key) else { continue };
            match node.value {
                Value::Number(value) if value > 0.0 => last = Some(value),
                _ => {
                    let text =
                        format!("`{key}` is {} that is no positive number; it is ignored", node.words());
                    self.warn(source, &spot, Code::WrongType, text);
                }
            }
        }
        last
    }

    /// A switch that a project can never set for itself.
    fn not_from_workspace(&mut self, key: &str) -> Option<bool> {
        self.drop_from_workspace(key, "only the user's settings and those above can say so");
        self.strongest_outside(key)
    }

    fn drop_from_workspace(&mut self, key: &str, why: &str) {
        for source in self.sources.clone().into_iter().filter(|source| !source.scope.is_above_projects()) {
            if let Some((_, spot)) = source.setting(key) {
                let text = format!("`{key}` in {} is ignored: {why}", source.title());
                self.warn(source, &spot, Code::WorkspaceSettingIgnored, text);
            }
        }
    }

    fn strongest_outside(&mut self, key: &str) -> Option<bool> {
        let all = self.sources.clone();
        self.sources.retain(|source| source.scope.is_above_projects());
        let value = self.strongest(key, "true or false", as_bool).map(|(value, _)| value);
        self.sources = all;
        value
    }

    /// A project's list counts only when nobody above has one, even an empty one (qwen.md section 3).
    fn http_urls(&mut self, key: &str) -> Option<Vec<String>> {
        let above = |source: &&Source| source.scope.is_above_projects();
        if self.sources.iter().copied().filter(above).any(|source| source.setting(key).is_some()) {
            self.drop_from_workspace(key, "the user's or the machine's settings have a list already");
            self.sources.retain(|source| source.scope.is_above_projects() || source.setting(key).is_none());
        }
        let list = self.strongest(key, "a list of strings", |node| {
            node.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        });
        list.map(|(list, _)| list)
    }
}

fn as_bool(node: &Node) -> Option<bool> {
    match node.value {
        Value::Bool(value) => Some(value),
        _ => None,
    }
}
