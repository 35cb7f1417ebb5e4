//! Where an agent keeps its hooks: files, plugins and frontmatter, what their scalars mean, and who may say what.

use super::Version;
use crate::diagnostic::Code;
use crate::settings::Scope;

/// Where hooks come from, and how a source is read.
#[derive(Debug)]
pub(crate) struct SettingsRule {
    /// The event map is `hooks.events` instead of `hooks`, beside `enabled`, `timeoutMs` and `maxOutputBytes`.
    pub(crate) events_key: bool,
    /// A file's hooks run only when a source says `hooks.enabled: true`; those of a plugin, of frontmatter and of the
    /// host run anyway.
    pub(crate) needs_enabled: bool,
    /// The top-level key that switches all hooks off.
    pub(crate) disable_key: Option<&'static str>,
    /// Environment variables that switch all hooks off with `1` or `true`.
    pub(crate) disable_env: &'static [&'static str],
    /// Keys beside the events that are no events and no mistake.
    pub(crate) reserved: &'static [&'static str],
    /// Where the agent reads now what the reserved keys said once; a warning names it.
    pub(crate) reserved_moved_to: Option<&'static str>,
    /// A wrong type anywhere makes the agent drop the whole file: here the entry is dropped (design, ruling 13).
    pub(crate) strict: bool,
    /// All keys that a settings file in JSON may have; empty when there may be others.
    pub(crate) json_keys: &'static [&'static str],
    /// Hook types that the agent knows and does not run.
    pub(crate) skipped_types: &'static [&'static str],
    /// A version that does not have a key skips hooks that use it; else it runs them without.
    pub(crate) skips_newer_keys: bool,
    /// Where the agent keeps what it knows of single hooks: a table of objects with `enabled` and `trusted_hash`.
    pub(crate) hook_states: Option<&'static str>,
    /// A folder is meant to hold one file with hooks; two are read, with a warning.
    pub(crate) one_form_a_layer: bool,
    /// What other agents call an event, and what it is called here, for a hint.
    pub(crate) foreign_events: &'static [(&'static str, &'static str)],
    /// The agent itself accepts comments and a BOM.
    pub(crate) comments: bool,
    /// A matcher of a project's or local settings that is there must not be empty; it matches all, with a warning.
    pub(crate) warns_of_empty_matcher: bool,
    /// The scope of a source that names none.
    pub(crate) default_scope: Scope,
    /// The order of the sources.
    pub(crate) order: &'static [Scope],
    /// Whose scalar wins: the weakest scope first. A scope that is not named is weaker than all.
    pub(crate) strength: &'static [Scope],
    pub(crate) keys: SwitchKeys,
    /// The agent's own files, in the order of the sources.
    pub(crate) files: &'static [FileRule],
    /// What stands in system files that cannot be read any more is kept on a reload; any other such file keeps the
    /// whole old set.
    pub(crate) reload_keeps_system: bool,
    /// A reload takes over hooks, not scalars.
    pub(crate) reload_keeps_switches: bool,
    /// What does not count while the project is not trusted.
    pub(crate) untrusted: Untrusted,
    /// The hooks of a project that is not trusted run when the digest of their declaration has been granted.
    pub(crate) grants: bool,
    pub(crate) plugins: PluginRule,
    /// `None`: the agent reads no hooks from frontmatter.
    pub(crate) frontmatter: Option<FrontmatterRule>,
}

impl SettingsRule {
    /// The form that most agents share: an event map under `hooks`, user settings, the usual order.
    pub(crate) const USUAL: Self = Self {
        events_key: false,
        needs_enabled: false,
        disable_key: None,
        disable_env: &[],
        reserved: &[],
        reserved_moved_to: None,
        strict: false,
        json_keys: &[],
        skipped_types: &[],
        skips_newer_keys: false,
        hook_states: None,
        one_form_a_layer: false,
        foreign_events: &[],
        comments: false,
        warns_of_empty_matcher: false,
        default_scope: Scope::User,
        order: Scope::USUAL_ORDER,
        strength: &[
            Scope::SystemDefaults,
            Scope::User,
            Scope::Project,
            Scope::Local,
            Scope::Session,
            Scope::System,
            Scope::Managed,
        ],
        keys: SwitchKeys::NONE,
        files: &[],
        reload_keeps_system: false,
        reload_keeps_switches: false,
        untrusted: Untrusted::OfProject,
        grants: false,
        plugins: PluginRule::USUAL,
        frontmatter: None,
    };
}

impl SettingsRule {
    /// The place of a scope in the order of the sources.
    pub(crate) fn rank(&self, scope: Scope) -> usize {
        self.order.iter().position(|known| *known == scope).unwrap_or(self.order.len())
    }

    /// How much a scope's scalars weigh.
    pub(crate) fn weight(&self, scope: Scope) -> usize {
        self.strength.iter().position(|known| *known == scope).map_or(0, |at| at.saturating_add(1))
    }
}

/// What does not count while the project is not trusted (design, ruling 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Untrusted {
    /// The project's and the local settings, and what lies in the project's agents and skills.
    OfProject,
    /// Everything but what an organisation manages.
    AllButManaged,
}

/// Scalars beside the hooks, as paths from the root, the steps joined by dots.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SwitchKeys {
    /// HTTP hooks may reach private networks. Never honoured from a project's settings.
    pub(crate) private_network: Option<&'static str>,
    /// The URL patterns that HTTP hooks may reach. A project's list counts only when no other scope has one.
    pub(crate) http_urls: Option<&'static str>,
    /// The environment variables that HTTP hooks may use.
    pub(crate) http_env: Option<&'static str>,
    /// These two lists are those of all sources together.
    pub(crate) lists_add_up: bool,
    /// How often in a row a stop may be prevented.
    pub(crate) stop_cap: Option<&'static str>,
    /// `false` in any of them switches all hooks off.
    pub(crate) enabled: &'static [&'static str],
    /// The hooks that are switched off, by name, or by command when they have none. The lists of all sources count.
    pub(crate) disabled_hooks: Option<&'static str>,
    /// An object with `enabled`, `allowed` and `blocked`: which variables of the host hooks do not inherit. A project can
    /// only make it stricter.
    pub(crate) redaction: Option<&'static str>,
    /// What managed settings alone can say.
    pub(crate) managed: Option<ManagedKeys>,
}

/// How managed settings rule over all others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ManagedKeys {
    /// With `true` only managed hooks, those of plugins that are managed, and the host's own run.
    pub(crate) only_managed: &'static str,
    /// With `true`, or a list that holds `hooks`, no hooks of user, project and local settings run.
    pub(crate) only_plugins: Option<&'static str>,
    /// Since this version, hooks can be switched off by others only as far as they are not managed.
    pub(crate) outlast_disabling_since: Option<Version>,
}

impl SwitchKeys {
    pub(crate) const NONE: Self = Self {
        private_network: None,
        http_urls: None,
        http_env: None,
        lists_add_up: false,
        stop_cap: None,
        enabled: &[],
        disabled_hooks: None,
        redaction: None,
        managed: None,
    };
}

/// One of the agent's own files.
#[derive(Debug)]
pub(crate) struct FileRule {
    pub(crate) scope: Scope,
    pub(crate) base: Base,
    /// Below the base, in the order in which they count.
    pub(crate) paths: &'static [&'static str],
}

/// A folder of the home directory, or the folder that the variable names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HomeFolder {
    pub(crate) folder: &'static str,
    pub(crate) moved_by: Option<&'static str>,
}

/// What a file's path starts from.
#[derive(Debug)]
pub(crate) enum Base {
    Home(HomeFolder),
    /// The project directory.
    Project,
    /// The nearest directory with a `.git` (folder or file), from the project directory up; without any the project
    /// directory.
    GitRoot,
    /// Every directory from the nearest one with a `.git` (folder or file) down to the project directory, outermost
    /// first; without any the project directory alone.
    GitRootToProject,
    /// A file of the machine, or the one that the variable names. The rule's paths are not used.
    System(SystemFile),
    /// The `.json` files in a folder beside a file of the machine, in the order of their names.
    FolderBesideSystem(SystemFile),
    /// In the folder of a file of the machine, or the file that the variable names.
    BesideSystem {
        file: SystemFile,
        moved_by: &'static str,
    },
}

/// A file of the machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SystemFile {
    pub(crate) linux: &'static str,
    pub(crate) macos: &'static str,
    pub(crate) windows: &'static str,
    /// The variable that names another file.
    pub(crate) moved_by: Option<&'static str>,
}

/// How plugins or extensions bring hooks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PluginRule {
    /// Manifest files, the one that counts first.
    pub(crate) manifests: &'static [&'static str],
    /// A hooks file may be the bare event map, without the wrapper `{"hooks": ...}`.
    pub(crate) bare_map: bool,
    /// Variables that hold the plugin's folder.
    pub(crate) root: &'static [&'static str],
    /// Variables that hold the folder for its data.
    pub(crate) data: &'static [&'static str],
    pub(crate) id: &'static [&'static str],
    pub(crate) name: &'static [&'static str],
    /// The manifest's `hooks` take the place of the usual file, unless they are empty: `{}` is none at all.
    pub(crate) manifest_replaces: bool,
    /// Holds the project directory.
    pub(crate) workspace: Option<&'static str>,
    /// Each stands for the character between the names of a path.
    pub(crate) separators: &'static [&'static str],
    /// Starts the variable of one of the plugin's options; in hooks `${user_config.KEY}` stands for it.
    pub(crate) option_prefix: Option<&'static str>,
    /// Since this version, that keeps a line for a shell from running.
    pub(crate) options_not_in_shell_since: Option<Version>,
    /// Where data folders are: below this path in a folder of the home directory.
    pub(crate) data_home: Option<(HomeFolder, &'static str)>,
    /// With `1` or `true` only `command` hooks of plugins run.
    pub(crate) commands_only_env: Option<&'static str>,
    /// How an event that the dialect does not have is reported.
    pub(crate) unknown_event: Code,
}

impl PluginRule {
    pub(crate) const USUAL: Self = Self {
        manifests: &[CLAUDE_MANIFEST],
        bare_map: false,
        root: &["CLAUDE_PLUGIN_ROOT"],
        data: &[],
        id: &[],
        name: &[],
        manifest_replaces: false,
        workspace: None,
        separators: &[],
        option_prefix: None,
        options_not_in_shell_since: None,
        data_home: None,
        commands_only_env: None,
        unknown_event: Code::UnknownEvent,
    };
}

/// The manifest that every dialect takes when its own is not there (design, ruling 6).
pub(crate) const CLAUDE_MANIFEST: &str = ".claude-plugin/plugin.json";

/// Hooks in the frontmatter of agents and skills.
#[derive(Debug)]
pub(crate) struct FrontmatterRule {
    pub(crate) skills: Forked,
    /// `once` counts in agents too, not only in skills.
    pub(crate) once_in_agents: bool,
    /// The agents of plugins may bring hooks.
    pub(crate) agents_of_plugins: bool,
    /// What `Stop` means in an agent, and in a skill that runs as one.
    pub(crate) stop_becomes: Option<&'static str>,
    /// The top-level settings key without which only what is built in counts; honoured from the user and from
    /// those above.
    pub(crate) gate: Option<&'static str>,
    /// Variables that hold a skill's folder.
    pub(crate) skill_dir: &'static [&'static str],
}

/// Which skills may bring hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Forked {
    /// Only one with `context: fork`.
    Only,
    /// Any.
    OrNot,
}
