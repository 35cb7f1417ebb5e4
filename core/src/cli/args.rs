//! Arguments.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{
    CannedReplies, FrontmatterOwner, FrontmatterScope, FrontmatterSource, Host, LlmOptions, Options,
    PluginSource, RecordOptions, RedactRule, Scope, SettingsContent, SettingsSource, ToolName,
};
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Runs the hooks of coding agents and tells what they decide.
#[derive(Parser)]
#[command(name = "crosshook", version, about, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run the hooks of one or more events and print one outcome a line
    Dispatch {
        #[command(flatten)]
        sources: Sources,
        #[command(flatten)]
        record: Record,
        /// Indent the outcome
        #[arg(long)]
        pretty: bool,
        /// The event as JSON, or several of them; standard input when left out
        event_file: Option<PathBuf>,
    },
    /// Say which hooks would run for an event, which not, and why; run nothing
    Explain {
        #[command(flatten)]
        sources: Sources,
        /// One JSON object a line instead of a table
        #[arg(long)]
        json: bool,
        /// The event as JSON; standard input when left out
        event_file: Option<PathBuf>,
    },
    /// Validate the settings and warn of what is probably not meant; exit status 1 when there is an error (what will not
    /// run), not for warnings
    Check {
        #[command(flatten)]
        sources: Sources,
        /// Exit status 1 for warnings too
        #[arg(long)]
        strict: bool,
        /// One JSON object a line instead of a table
        #[arg(long)]
        json: bool,
    },
    /// List every configured hook
    List {
        #[command(flatten)]
        sources: Sources,
        /// One JSON object a line instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Decide a recording of `dispatch --record` again, running nothing; exit status 1 when something would be decided
    /// otherwise. Without settings or other sources, by the hooks of the recording itself
    Replay {
        /// The dialect of the settings, as in claude
        #[arg(long, value_parser = dialect)]
        dialect: Option<String>,
        #[command(flatten)]
        places: Places,
        /// One JSON object a dispatch instead of a table of the differences
        #[arg(long)]
        json: bool,
        /// The recording; standard input when left out
        file: Option<PathBuf>,
    },
    /// List, give and take back grants for the hooks of projects that are not trusted (ZCode, Codex)
    Trust {
        #[command(subcommand)]
        action: TrustAction,
    },
    /// Print the JSON Schema of a dialect's settings files, for editors
    Schema {
        /// The dialect of the settings, as in claude
        #[arg(long, value_parser = dialect)]
        dialect: String,
    },
}

#[derive(Subcommand)]
pub(crate) enum TrustAction {
    /// List what waits for a grant, with the hooks it is for, and what has been granted
    List {
        #[command(flatten)]
        sources: Sources,
        /// One JSON object a line instead of a table
        #[arg(long)]
        json: bool,
    },
    /// Let the hooks of a declaration run from now on; needs --trust-store
    Grant {
        #[command(flatten)]
        sources: Sources,
        /// The declaration, as `trust list` shows it: sha256:...
        digest: String,
    },
    /// Take a grant back; needs --trust-store
    Revoke {
        #[command(flatten)]
        sources: Sources,
        /// The declaration, as `trust list` shows it: sha256:...
        digest: String,
    },
}

/// What is recorded.
#[derive(Args)]
pub(crate) struct Record {
    /// Append each dispatch to this file, for `replay`; what looks like a secret is left out
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Leave this out of the recording too: key:NAME (`*` is any text), pointer:/path/to/value or pattern:REGEX; may be
    /// given several times
    #[arg(long, value_name = "RULE", value_parser = redact_rule, requires = "record")]
    redact: Vec<RedactRule>,
    /// The recording must not have more bytes than this
    #[arg(long, value_name = "BYTES", requires = "record")]
    record_max_bytes: Option<u64>,
}

impl Record {
    pub(crate) fn options(self) -> Option<RecordOptions> {
        let mut options = RecordOptions::new(self.record?);
        options.redact = self.redact;
        options.max_bytes = self.record_max_bytes.unwrap_or(options.max_bytes);
        Some(options)
    }
}

fn redact_rule(text: &str) -> Result<RedactRule, String> {
    let (kind, rule) = text.split_once(':').unwrap_or_default();
    let rule = match kind {
        "key" => RedactRule::Key(rule.to_owned()),
        "pointer" => RedactRule::Pointer(rule.to_owned()),
        "pattern" => RedactRule::Pattern(rule.to_owned()),
        _ => return Err("write key:NAME, pointer:/path/to/value or pattern:REGEX".to_owned()),
    };
    rule.check().map_err(|error| error.message().to_owned())?;
    Ok(rule)
}

/// Where the hooks come from; the same for every command that reads hooks.
#[derive(Args)]
pub(crate) struct Sources {
    /// The dialect of the settings and the event, as in claude
    #[arg(long, value_parser = dialect)]
    pub(crate) dialect: String,
    #[command(flatten)]
    pub(crate) places: Places,
}

/// The sources of a dialect.
#[derive(Args)]
#[group(requires = "dialect")]
pub(crate) struct Places {
    /// The version of that agent to follow, as in 2.1.240; the newest that is documented when left out
    #[arg(long, value_name = "VERSION")]
    agent_version: Option<String>,
    /// A settings file, with its dialect and scope where they are not the usual ones (project for qwen, else user); may be given several times.
    /// Without any, the dialect's own files are looked up
    #[arg(long, value_name = "[DIALECT:][SCOPE=]FILE", value_parser = settings)]
    settings: Vec<SettingsSource>,
    /// Other dialects whose own files are looked up as well, separated by commas
    #[arg(long, value_name = "DIALECTS", value_delimiter = ',', value_parser = dialect)]
    dialects: Vec<String>,
    /// The host's tools that have another name in its dialect: a JSON object such as {"execute": "Bash"} or
    /// {"execute": {"name": "Bash", "arguments": {"cmd": "command"}}}
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// The folder of a plugin or extension, with its dialect where it is another one; may be given several times
    #[arg(long, value_name = "[DIALECT:]DIR", value_parser = in_dialect)]
    plugin: Vec<InDialect>,
    /// The Markdown file of an agent whose frontmatter holds hooks; may be given several times
    #[arg(long, value_name = "[DIALECT:]FILE.md", value_parser = in_dialect)]
    agent: Vec<InDialect>,
    /// The SKILL.md of a skill whose frontmatter holds hooks; may be given several times
    #[arg(long, value_name = "[DIALECT:]FILE.md", value_parser = in_dialect)]
    skill: Vec<InDialect>,
    /// The project's root
    #[arg(long, value_name = "DIR")]
    project_dir: Option<PathBuf>,
    /// The home directory
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
    /// The project is not trusted: its own hooks do not run
    #[arg(long)]
    pub(crate) untrusted: bool,
    /// The file that keeps grants for the hooks of projects (ZCode, Codex)
    #[arg(long, value_name = "FILE")]
    pub(crate) trust_store: Option<PathBuf>,
    /// What happens when a hook itself fails
    #[arg(long, value_enum, default_value_t = FailMode::Open)]
    fail_mode: FailMode,
    /// Canned replies of the model for prompt hooks, in order: a JSON list of strings
    #[arg(long, value_name = "FILE")]
    llm_replies: Option<PathBuf>,
    /// Ask the model at this endpoint (OpenAI's chat completions) for prompt hooks; the URL without /chat/completions
    #[arg(long, value_name = "URL", requires = "llm_model", conflicts_with = "llm_replies")]
    llm_url: Option<String>,
    /// The model to ask
    #[arg(long, value_name = "NAME", requires = "llm_url")]
    llm_model: Option<String>,
    /// The environment variable that holds the endpoint's key
    #[arg(long, value_name = "VARIABLE", default_value = "OPENAI_API_KEY")]
    llm_key_env: String,
}

impl Places {
    /// Canned model replies, when there are any.
    pub(crate) fn host(&self) -> Result<Option<Arc<dyn Host>>, String> {
        let Some(path) = &self.llm_replies else { return Ok(None) };
        let refused = |why: String| format!("{}: the replies cannot be used: {why}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
        let replies = serde_json::from_str(&text)
            .map_err(|error| refused(format!("{error}; write a JSON list of strings")))?;
        Ok(Some(Arc::new(CannedReplies::new(replies))))
    }

    /// The agents and skills that are open from the start.
    pub(crate) fn scopes(&self) -> Result<Vec<FrontmatterScope>, String> {
        let agents = self.agent.iter().map(|path| (FrontmatterOwner::Agent, path));
        let skills = self.skill.iter().map(|path| (FrontmatterOwner::Skill, path));
        let project = self.project_dir.as_ref().and_then(|dir| dir.canonicalize().ok());
        let read = |(owner, InDialect { dialect, path }): (FrontmatterOwner, &InDialect)| {
            let text = std::fs::read_to_string(path)
                .map_err(|error| format!("{}: the file cannot be read: {error}", path.display()))?;
            let inside = path
                .canonicalize()
                .is_ok_and(|file| project.as_ref().is_some_and(|dir| file.starts_with(dir)));
            let source = if inside { FrontmatterSource::Project } else { FrontmatterSource::User };
            let mut scope = FrontmatterScope::new(owner, source, text);
            scope.path = Some(path.clone());
            scope.dialect.clone_from(dialect);
            Ok(scope)
        };
        agents.chain(skills).map(read).collect()
    }
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum FailMode {
    /// The event goes on
    Open,
    /// The event is denied or blocked
    Closed,
}

impl Sources {
    pub(crate) fn options(self) -> Result<Options, String> {
        let Self { dialect, places } = self;
        let mut options = Options::new(dialect);
        options.tools = places.tools.as_deref().map(tools).transpose()?.unwrap_or_default();
        options.dialects = places.dialects;
        options.version = places.agent_version;
        options.settings = places.settings;
        options.plugins = places.plugin.into_iter().map(plugin).collect();
        options.trust_store = places.trust_store;
        // The command is over before they come.
        options.late_results = Some(false);
        options.project_dir = places.project_dir;
        options.home = places.home;
        options.trusted = Some(!places.untrusted);
        options.fail_closed = places.fail_mode == FailMode::Closed;
        options.llm = places.llm_url.zip(places.llm_model).map(|(url, model)| {
            let mut llm = LlmOptions::new(url, model);
            llm.key_env = Some(places.llm_key_env);
            llm
        });
        Ok(options)
    }
}

/// The names of the host's tools.
fn tools(path: &Path) -> Result<BTreeMap<String, ToolName>, String> {
    let refused = |why: String| format!("{}: the names of tools cannot be used: {why}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| refused(error.to_string()))
}

fn dialect(name: &str) -> Result<String, String> {
    let known = crate::dialect_names();
    if known.contains(&name) {
        Ok(name.to_owned())
    } else {
        Err(format!("it is one of {}", known.join(", ")))
    }
}

/// A file or folder, and the dialect that it is written in when that is not the host's.
#[derive(Clone)]
pub(crate) struct InDialect {
    dialect: Option<String>,
    path: PathBuf,
}

/// `[DIALECT:]PATH`, read as that of [`settings`].
fn in_dialect(text: &str) -> Result<InDialect, String> {
    let (dialect, path) = split_dialect(text)?;
    if path.is_empty() {
        return Err("the path is missing".to_owned());
    }
    Ok(InDialect { dialect, path: path.into() })
}

fn plugin(InDialect { dialect, path }: InDialect) -> PluginSource {
    let mut plugin = PluginSource::new(path);
    plugin.dialect = dialect;
    plugin
}

fn like_a_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

fn split_dialect(text: &str) -> Result<(Option<String>, &str), String> {
    match text.split_once(':').filter(|(name, _)| like_a_name(name)) {
        Some((name, rest)) => {
            let name = dialect(name).map_err(|known| format!("there is no dialect `{name}`; {known}"))?;
            Ok((Some(name), rest))
        }
        None => Ok((None, text)),
    }
}

/// `[DIALECT:][SCOPE=]FILE`. What stands before the first `:` or `=` counts when it is written like a name; a file whose
/// own name looks like that is given as `./FILE`.
fn settings(text: &str) -> Result<SettingsSource, String> {
    let (dialect, rest) = split_dialect(text)?;
    let (scope, file) = match rest.split_once('=').filter(|(name, _)| like_a_name(name)) {
        Some((name, file)) => {
            let scope = Scope::by_name(name)
                .ok_or_else(|| format!("there is no scope `{name}`; it is one of {}", Scope::names()))?;
            (Some(scope), file)
        }
        None => (None, rest),
    };
    Ok(SettingsSource { scope, dialect, content: SettingsContent::File(file.into()) })
}
