//! The dialects. Each is a value: a table of rules and the few functions that no table can say. The steps consult it;
//! it never calls back. To compare two dialects, lay their files side by side.

mod claude;
mod codebuddy;
mod codex;
mod events;
mod gemini;
#[cfg(test)]
mod invented;
mod names;
mod qwen;
mod redaction;
mod sources;
mod texts;
mod types;
mod version;
mod zcode;

use std::fmt;
use std::time::Duration;

use crate::event::Event;
use crate::json::Raw;
use crate::matcher::Style;
use crate::process::Environment;
use crate::render::Rendering;
use crate::reply::{Answered, Exit, Reply, ReplyContext, Verdict};

pub(crate) use events::{Budget, Effect, EventRule, Exit2, Halt, Message, Plain, Target};
pub(crate) use names::{Gist, McpNames, Names, Pair, ToolName, common_tool, from_common, to_common};
pub(crate) use redaction::{Redaction, RedactionSettings};
pub(crate) use sources::{
    Base, FileRule, Forked, FrontmatterRule, HomeFolder, ManagedKeys, PluginRule, SettingsRule, SwitchKeys,
    SystemFile, Untrusted,
};
pub(crate) use texts::{LongReason, Longest, Pick, Reasons, Rewrites, Texts};
pub(crate) use types::{TimeUnit, TimeoutRule, TypeRule};
pub(crate) use version::Version;

/// All dialects, in the order in which messages name them.
static DIALECTS: &[&Dialect] = &[
    &codebuddy::DIALECT,
    &zcode::DIALECT,
    &qwen::DIALECT,
    &claude::DIALECT,
    &codex::DIALECT,
    &gemini::DIALECT,
    #[cfg(test)]
    &invented::DIALECT,
];

/// The dialect with this name.
pub(crate) fn by_name(name: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().copied().find(|dialect| dialect.name == name)
}

/// All dialects.
pub(crate) fn all() -> &'static [&'static Dialect] {
    DIALECTS
}

/// The names of all dialects.
pub(crate) fn names() -> Vec<&'static str> {
    DIALECTS.iter().map(|dialect| dialect.name).collect()
}

/// The rules of one agent.
pub(crate) struct Dialect {
    /// Its name in options and on the command line.
    pub(crate) name: &'static str,
    /// The agent's name in messages.
    pub(crate) product: &'static str,
    pub(crate) events: &'static [EventRule],
    /// What it calls events, tools and the like, against the common vocabulary.
    pub(crate) names: &'static Names,
    /// The events, hook types and keys of hooks that older versions do not have, with the version that brought them.
    pub(crate) since: &'static [(&'static str, Version)],
    pub(crate) settings: SettingsRule,
    /// The hook types it knows.
    pub(crate) hook_types: &'static [TypeRule],
    pub(crate) matching: Style,
    /// How versions before these read matchers, the oldest first.
    pub(crate) matching_before: &'static [(Version, Style)],
    /// The `if` of a hook is evaluated; where not, the agent only shows it.
    pub(crate) conditions: bool,
    /// Before this version, relative paths in such rules stood for any depth.
    pub(crate) conditions_at_any_depth_before: Option<Version>,
    /// An event that has nothing for the matchers to look at fires the hooks of settings whatever their matcher.
    pub(crate) empty_target_fires: bool,
    pub(crate) aliases: Aliases,
    pub(crate) order: Order,
    pub(crate) dedupe: Dedupe,
    pub(crate) texts: Texts,
    pub(crate) rewrites: Rewrites,
    /// The permission updates of several allowing hooks are one list; else the last hook's count.
    pub(crate) joins_permissions: bool,
    pub(crate) stdin: StdinRule,
    pub(crate) shell: Shell,
    pub(crate) cwd: Cwd,
    /// Set for every hook, laid over what the host lets it inherit.
    pub(crate) env: &'static [EnvRule],
    /// Variables whose `$NAME` in a command line stands for the exact value, wherever it stands in the line.
    pub(crate) line_variables: &'static [&'static str],
    /// `${NAME}` in a command that makes the hook fail, because nothing can stand there.
    pub(crate) refused_placeholders: &'static [&'static str],
    /// Never inherited by a hook, in any case of letters; one that ends in `*` stands for all that begin so.
    pub(crate) withheld_env: &'static [&'static str],
    /// A file for the variables of the agent's later shell commands.
    pub(crate) env_file: Option<EnvFileRule>,
    /// An environment variable with a command that is put before every line for a shell, the line its one argument.
    pub(crate) shell_prefix: Option<&'static str>,
    /// Bytes kept of standard output and of standard error; `None` keeps what memory safety asks for ([`KEPT`]).
    pub(crate) output_limit: Option<usize>,
    /// What is longer goes to a file. `None` is no limit.
    pub(crate) longest_text: Option<Longest>,
    /// On a timeout or a cancellation: SIGTERM, then SIGKILL after this time; `None` is SIGKILL at once.
    pub(crate) grace: Option<Duration>,
    /// How often hooks may prevent a stop; `None` is as often as they like.
    pub(crate) stop_cap: Option<StopCap>,
    /// What a background hook says reaches the host after its event.
    pub(crate) delivers_late: bool,
    /// Who reads the `systemMessage` of a background hook.
    pub(crate) late_message: Message,
    /// Each hook run gets a temporary transcript file when the host gives none.
    pub(crate) transcript: bool,
    /// How many background hooks may run at once.
    pub(crate) background_slots: Option<usize>,
    /// Reads what a finished process gave.
    pub(crate) read: fn(&ReplyContext<'_>, &Exit<'_>) -> Reply,
    pub(crate) http: HttpRule,
    /// Reads what a server answered.
    pub(crate) respond: fn(&ReplyContext<'_>, &Answered<'_>) -> Reply,
    pub(crate) prompts: PromptRule,
    /// What a model's verdict on a prompt hook means.
    pub(crate) judge: fn(&ReplyContext<'_>, &Verdict) -> Reply,
    /// A registered function may answer `true`, to go on, and `false`, which blocks with this reason.
    pub(crate) function_false: Option<&'static str>,
    /// A registered function that does not answer in time denies or blocks these events.
    pub(crate) function_timeout_blocks: &'static [&'static str],
    /// Changes a context before it is handed out: `(event, context, room left for the event)`.
    pub(crate) context: Option<fn(&EventRule, &str, &mut usize) -> String>,
    /// The contexts of an outcome as one text for the model.
    pub(crate) render: fn(&Rendering<'_>) -> String,
    /// Puts two values of an outcome's `extra` together: `(key, before, next)`. `None`: lists are one list, of everything
    /// else the later value counts.
    pub(crate) combine: Option<Combine>,
    /// Which inherited variables a hook does not see when the settings or the surroundings ask for it.
    pub(crate) redaction: Option<&'static Redaction>,
    /// In a sequence: the event fields that the next hook sees changed, as (key, JSON text).
    pub(crate) chain: Option<fn(&ReplyContext<'_>, &Reply) -> FieldChanges>,
}

/// Two values of one key as one: `(key, before, next)`.
pub(crate) type Combine = fn(&str, &Raw, &Raw) -> Option<Raw>;

/// Event fields that change, as (key, JSON text).
pub(crate) type FieldChanges = Vec<(&'static str, String)>;

/// Output kept per stream where the dialect names no limit, so that a runaway hook cannot exhaust the host's memory.
pub(crate) const KEPT: usize = 16 * 1024 * 1024;

impl Dialect {
    /// The rule for an event, by its exact name.
    pub(crate) fn event(&self, name: &str) -> Option<&'static EventRule> {
        self.events.iter().find(|rule| rule.name == name)
    }

    /// How the matchers of an event are read.
    pub(crate) fn matching_of(&self, rule: &EventRule, version: Version) -> Style {
        let older = self.matching_before.iter().find(|(since, _)| version < *since);
        rule.matching.or(older.map(|(_, style)| *style)).unwrap_or(self.matching)
    }

    /// The version that brought an event, a hook type or a key, when `version` is older.
    pub(crate) fn missing_in(&self, version: Version, name: &str) -> Option<Version> {
        self.since.iter().find(|(known, since)| *known == name && version < *since).map(|(_, since)| *since)
    }

    pub(crate) fn hook_type(&self, name: &str) -> Option<&'static TypeRule> {
        self.hook_types.iter().find(|rule| rule.name == name)
    }
}

impl fmt::Debug for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Dialect {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// Other names of tools, for matchers only.
#[derive(Debug)]
pub(crate) struct Aliases {
    /// A tool's name and what else it is called.
    pub(crate) named: &'static [(&'static str, &'static [&'static str])],
    /// Tools whose aliases are their PascalCase name, with and without `Tool` behind it.
    pub(crate) pascal: &'static [&'static str],
    /// The same for tools whose name begins so, without that beginning.
    pub(crate) pascal_after: Option<&'static str>,
    /// Any other tool is also called by its name without a leading `_`.
    pub(crate) bare_underscore: bool,
    /// A regular expression is tried on the aliases too.
    pub(crate) in_patterns: bool,
}

impl Aliases {
    /// Everything a tool is called besides `name`.
    pub(crate) fn of(&self, name: &str) -> Vec<String> {
        if let Some((_, aliases)) = self.named.iter().find(|(tool, _)| *tool == name) {
            return aliases.iter().map(|&alias| alias.to_owned()).collect();
        }
        let rest = self.pascal_after.and_then(|prefix| name.strip_prefix(prefix));
        if let Some(words) = rest.or_else(|| self.pascal.contains(&name).then_some(name)) {
            let pascal: String = words.split('_').map(capitalized).collect();
            return vec![format!("{pascal}Tool"), pascal];
        }
        name.strip_prefix('_').filter(|_| self.bare_underscore).map(str::to_owned).into_iter().collect()
    }
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The order in which the hooks of one event run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// All at once.
    Parallel,
    /// One after the other, each with the original input.
    Sequential,
    /// All at once, unless the group of any of them says `sequential: true`.
    ParallelUnlessAsked,
}

/// When two matching hooks are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dedupe {
    Never,
    /// The same type and command (and shell, arguments and `if`) in settings files; the copy of a plugin, an agent or a
    /// skill stays apart.
    SameCommand,
    /// The same type and command, arguments, URL, prompt or tool, whatever the shell; copies stay apart as there.
    SameHandler,
    /// The same name and command, URL or prompt, whatever else differs; in one source the same name or command alone.
    SameNameAndCommand,
    /// The same name and command, whatever else differs.
    NameAndCommand,
}

/// What a hook reads on standard input.
#[derive(Debug)]
pub(crate) struct StdinRule {
    /// A newline follows the JSON.
    pub(crate) newline: bool,
    /// `timestamp` is filled in when the host left it out.
    pub(crate) timestamp: bool,
    /// Pairs of (own name, alias): each is filled in from the other.
    pub(crate) aliases: &'static [(&'static str, &'static str)],
    /// What else has to change, as (key, JSON text); an empty text removes the key.
    pub(crate) adjust: Option<fn(&Event) -> FieldChanges>,
}

/// Where HTTP hooks may go, and what stands in their requests. Metadata services and link-local addresses are refused
/// in every dialect (design, ruling 10).
#[derive(Debug)]
pub(crate) struct HttpRule {
    /// Host names refused as written.
    pub(crate) refused_hosts: &'static [&'static str],
    pub(crate) private: PrivateNetwork,
    /// An empty list of allowed URLs allows all; else none.
    pub(crate) empty_list_allows_all: bool,
    /// Environment variables may stand in the URL, not only in header values.
    pub(crate) url_variables: bool,
}

impl HttpRule {
    /// Of a dialect without HTTP hooks.
    pub(crate) const NONE: Self = Self {
        refused_hosts: &[],
        private: PrivateNetwork::BySetting,
        empty_list_allows_all: false,
        url_variables: false,
    };
}

/// Whether HTTP hooks reach private networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PrivateNetwork {
    Allowed,
    /// Only when the settings say so, and not those of a project.
    BySetting,
}

/// How often hooks may keep an agent from stopping before it stops all the same.
#[derive(Debug)]
pub(crate) struct StopCap {
    pub(crate) events: &'static [&'static str],
    /// So many times in a row it is kept working.
    pub(crate) continuations: u32,
    /// An environment variable with the number of the block that is no longer honoured.
    pub(crate) env: Option<&'static str>,
    /// The variable has the number of blocks that are honoured instead; 0 is no cap.
    pub(crate) env_counts_honoured: bool,
    /// The version that brought the cap.
    pub(crate) since: Option<Version>,
    /// The number of that block when the variable or the setting is not usable, and the highest one.
    pub(crate) highest: u32,
}

impl StopCap {
    /// `setting` is the cap from the settings; the environment wins (qwen.md section 16).
    pub(crate) fn limit(&self, env: &Environment, setting: Option<f64>) -> u32 {
        if self.env_counts_honoured {
            let honoured = self.env.and_then(|name| env.get(name));
            let honoured = honoured.and_then(|text| text.to_str()?.trim().parse::<u32>().ok());
            return match honoured.unwrap_or(self.continuations) {
                0 => u32::MAX,
                blocks => blocks,
            };
        }
        let usual = self.continuations.saturating_add(1);
        let from_env = self.env.and_then(|name| env.get(name)).map(|text| {
            let number = text.to_str().and_then(|text| text.trim().parse::<u32>().ok());
            number.filter(|number| *number >= 1).unwrap_or(usual)
        });
        let from_settings = setting.map(|number| if number >= 1.0 { number.floor() as u32 } else { usual });
        from_env.or(from_settings).unwrap_or(usual).min(self.highest).saturating_sub(1)
    }
}

/// How a prompt hook's prompt is filled.
#[derive(Debug)]
pub(crate) struct PromptRule {
    /// Stands between the prompt and the event when the prompt has no `$ARGUMENTS`; `None` leaves the event out.
    pub(crate) append: Option<&'static str>,
    /// The event replaces `$ARGUMENTS` indented by two blanks.
    pub(crate) indent: bool,
    /// `\$` is a dollar and no placeholder.
    pub(crate) escapes: bool,
}

/// A file to which hooks write shell commands that set variables. A host that keeps such a file itself names it in the
/// environment; otherwise each run gets one, and what is in it afterwards is in the outcome.
#[derive(Debug)]
pub(crate) struct EnvFileRule {
    pub(crate) variable: &'static str,
    /// Only the hooks of these events get it.
    pub(crate) events: &'static [&'static str],
}

/// The shell that runs a `command` hook.
#[derive(Debug)]
pub(crate) enum Shell {
    /// The first of these environment variables that is set, else `/bin/sh`.
    FromEnv(&'static [&'static str]),
    /// This program, found on the PATH.
    Named(&'static str),
}

/// The working directory of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cwd {
    /// The event's `cwd`; a missing directory fails the hook.
    Event,
    /// The event's `cwd`; when that is gone the project directory, else the home directory.
    EventOrProject,
}

/// One environment variable of a hook.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EnvRule {
    pub(crate) names: &'static [&'static str],
    pub(crate) value: EnvValue,
}

/// Where an environment variable's value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EnvValue {
    /// The hook's working directory.
    Cwd,
    /// The project directory: the engine's option, else the event's `cwd`.
    ProjectDir,
    /// Always this text.
    Text(&'static str),
    /// The number of the host's process.
    HostProcess,
    /// A string field of an object of the event; the variable stays unset when the event has none.
    FieldOf(&'static str, &'static str),
    /// A string field of the event; the variable stays unset when the event has none.
    Field(&'static str),
    /// A string field of the event, empty when the event has none.
    FieldOrEmpty(&'static str),
}
