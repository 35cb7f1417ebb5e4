//! One hook entry of a settings file in the normal form, types checked key by key.

mod timeout;
mod values;

use std::time::Duration;

use super::tree::{Node, Spot, Value};
use super::worker;
use crate::diagnostic::Code;
use crate::dialect::{Dialect, TypeRule, Version};
use crate::hook::{Action, FailMode, HttpMethod, Off, WorkerRule};
use crate::json::{self, Raw};

/// Keys of every hook type.
pub(super) const COMMON_KEYS: [&str; 7] =
    ["type", "name", "description", "statusMessage", "timeout", "failMode", "fail_mode"];

/// What failures of a hook mean, in either spelling; beside the hooks of a file it counts for all of them.
pub(super) const FAIL_MODE_KEYS: [&str; 2] = ["failMode", "fail_mode"];

/// A hook entry, read.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) kind: &'static str,
    pub(super) action: Action,
    pub(super) name: Option<String>,
    pub(super) timeout: Duration,
    /// The timeout is its own, not a default.
    pub(super) own_timeout: bool,
    pub(super) background: bool,
    /// Its exit code 2 wakes the model.
    pub(super) wakes: bool,
    /// Its `if`, as written.
    pub(super) condition: Option<String>,
    pub(super) once: bool,
    pub(super) worker: Option<WorkerRule>,
    pub(super) status_message: Option<String>,
    pub(super) env: Vec<(String, String)>,
    pub(super) fail_mode: Option<FailMode>,
    /// It has been trusted by its hash.
    pub(super) trusted: bool,
    /// Tokens of a context; 0 is no limit.
    pub(super) context_limit: Option<u64>,
    pub(super) off: Option<Off>,
}

impl Entry {
    /// What is listed of an entry that cannot be used.
    pub(super) fn unusable(dialect: &'static Dialect, node: &Node, off: Off) -> Self {
        let text = |key: &str| node.get(key).and_then(Node::as_str).filter(|text| !text.is_empty());
        let rule = text("type").and_then(|name| dialect.hook_type(name));
        let label = ["command", "url", "prompt"].into_iter().find_map(text).unwrap_or("(unusable)");
        Self {
            kind: rule.map_or("unknown", |rule| rule.name),
            action: Action::Command { line: label.to_owned(), shell: None },
            name: text("name").map(str::to_owned),
            timeout: Duration::ZERO,
            own_timeout: false,
            background: false,
            wakes: false,
            condition: None,
            once: false,
            worker: None,
            status_message: None,
            env: Vec::new(),
            fail_mode: fail_mode_of(node).map(|(_, mode, _)| mode),
            trusted: false,
            context_limit: None,
            off: Some(off),
        }
    }
}

/// What was found wrong: an error when the entry cannot be used, else a warning.
#[derive(Debug)]
pub(super) struct Finding {
    /// The key it is about; `None` is the whole entry.
    pub(super) key: Option<String>,
    pub(super) fatal: bool,
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) spot: Spot,
}

/// What around an entry changes how it is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// From the settings of its dialect.
    pub(super) default_timeout: Option<Duration>,
    /// Of the event, for types that have another default there.
    pub(super) event_timeout: Option<Duration>,
    /// The agent waits no longer than this for the event.
    pub(super) time_limit: Option<Duration>,
    /// The event's hooks may say how long their context may be.
    pub(super) limits_context: bool,
    /// The event's hooks are waited for, whatever they say.
    pub(super) never_background: bool,
    /// The version of the agent whose rules count.
    pub(super) version: Version,
    /// `once` counts on every type.
    pub(super) once: bool,
}

/// Reads a hook entry. `None` when it cannot be used; the findings say why.
pub(super) fn read(
    dialect: &'static Dialect,
    node: &Node,
    spot: &Spot,
    frame: Frame,
    findings: &mut Vec<Finding>,
) -> Option<Entry> {
    let Frame { version, once, .. } = frame;
    let before = findings.len();
    let mut reader = Reader { dialect, version, node, spot, findings };
    let rule = reader.hook_type()?;
    let action = reader.action(rule)?;
    let env = reader.string_map("env", rule);
    let (own_timeout, timeout) = reader.timeout(rule, frame);
    let wakes = reader.knows(rule, "asyncRewake") && reader.bool("asyncRewake") == Some(true);
    let entry = Entry {
        kind: rule.name,
        action,
        name: reader.string("name").filter(|name| !name.is_empty()),
        timeout,
        own_timeout: own_timeout.is_some(),
        background: wakes || reader.knows(rule, "async") && reader.bool("async") == Some(true),
        wakes,
        condition: reader.condition(rule),
        once: (once || reader.knows(rule, "once")) && reader.bool("once") == Some(true),
        worker: reader.worker(rule),
        status_message: reader.string("statusMessage"),
        env,
        fail_mode: reader.fail_mode(),
        trusted: false,
        context_limit: reader.context_limit(rule, frame.limits_context),
        off: reader
            .too_new(rule, frame.never_background)
            .or((reader.knows(rule, "enabled") && reader.bool("enabled") == Some(false))
                .then(|| Off::because(Code::HooksDisabled, "its `enabled` is false".to_owned()))),
    };
    reader.note_other_keys(rule, once);
    let own = findings.get_mut(before..).unwrap_or_default();
    let dropping = own.iter_mut().filter(|_| dialect.settings.strict);
    let dropped = dropping.filter_map(|finding| drops_file(dialect, rule, finding).then_some(())).count() > 0;
    (!dropped).then_some(entry)
}

/// Whether a finding is one for which the agent itself would drop the whole file; the hook is dropped then (design,
/// ruling 13).
fn drops_file(dialect: &Dialect, rule: &TypeRule, finding: &mut Finding) -> bool {
    let read = |key: &str| rule.keys.contains(&key) || matches!(key, "timeout" | "statusMessage");
    let wrong = matches!(finding.code, Code::WrongType | Code::TimeoutIgnored)
        && finding.key.as_deref().is_some_and(read);
    if wrong {
        finding.fatal = true;
        finding.code = Code::InvalidHook;
        finding.message = format!("{}; the hook is skipped{}", finding.message, whole_file(dialect));
    }
    wrong
}

/// What a message about an entry of a wrong form adds.
pub(super) fn whole_file(dialect: &Dialect) -> String {
    if dialect.settings.strict {
        format!(" ({} itself drops the whole file for that)", dialect.product)
    } else {
        String::new()
    }
}

struct Reader<'a> {
    dialect: &'static Dialect,
    version: Version,
    node: &'a Node,
    spot: &'a Spot,
    findings: &'a mut Vec<Finding>,
}

impl Reader<'_> {
    fn refuse(&mut self, code: Code, message: String) {
        let spot = self.spot.clone();
        self.findings.push(Finding { key: None, fatal: true, code, message, spot });
    }

    fn warn(&mut self, key: &str, code: Code, message: String) {
        let spot = self.node.get(key).map_or_else(|| self.spot.clone(), |node| self.spot.child(key, node));
        self.findings.push(Finding { key: Some(key.to_owned()), fatal: false, code, message, spot });
    }

    /// Whether the hook type has this key, in this version.
    fn knows(&self, rule: &TypeRule, key: &str) -> bool {
        rule.keys.contains(&key) && self.dialect.missing_in(self.version, key).is_none()
    }

    fn hook_type(&mut self) -> Option<&'static TypeRule> {
        if self.node.as_object().is_none() {
            self.refuse(
                Code::InvalidHook,
                format!(
                    "the hook is {}, not an object; it is skipped{}",
                    self.node.words(),
                    whole_file(self.dialect)
                ),
            );
            return None;
        }
        let known: Vec<&str> = self.dialect.hook_types.iter().map(|rule| rule.name).collect();
        let known = known.join(", ");
        let whole_file = whole_file(self.dialect);
        match self.node.get("type").map(|node| (node.as_str(), node.words())) {
            None => {
                self.refuse(
                    Code::InvalidHook,
                    format!("the hook has no `type` (one of {known}); it is skipped{whole_file}"),
                );
                None
            }
            Some((None, words)) => {
                self.refuse(
                    Code::InvalidHook,
                    format!("the hook's `type` is {words}, not one of {known}; it is skipped{whole_file}"),
                );
                None
            }
            Some((Some(name), _)) => {
                let since = self.dialect.missing_in(self.version, name);
                let rule = self.dialect.hook_type(name).filter(|_| since.is_none());
                if let Some(since) = since {
                    let product = self.dialect.product;
                    let message = format!(
                        "{product} has the hook type \"{name}\" since version {since}; the hook is skipped"
                    );
                    self.refuse(Code::UnknownHookType, message);
                } else if self.dialect.settings.skipped_types.contains(&name) {
                    let message = format!("{} does not run hooks of type {name}", self.dialect.product);
                    self.refuse(Code::HookTypeUnavailable, message);
                } else if rule.is_none() {
                    let product = self.dialect.product;
                    let message = format!(
                        "{product} has no hook type \"{name}\" (it has {known}); the hook is skipped{whole_file}"
                    );
                    self.refuse(Code::UnknownHookType, message);
                }
                rule
            }
        }
    }

    /// The required field of the type, which must be a non-empty string.
    fn required(&mut self, key: &'static str) -> Option<String> {
        let strict = self.dialect.settings.strict;
        let usable = |text: &str| !(if strict { text.trim() } else { text }).is_empty();
        let whole_file = whole_file(self.dialect);
        let (fault, whole_file) = match self.node.get(key) {
            Some(Node { value: Value::String(text), .. }) if usable(text) => return Some(text.clone()),
            Some(Node { value: Value::String(_), .. }) => ("is empty".to_owned(), ""),
            Some(node) => (format!("is {}, not a string", node.words()), whole_file.as_str()),
            None => ("is missing".to_owned(), whole_file.as_str()),
        };
        let message = format!("the hook's `{key}` {fault}; the hook is skipped{whole_file}");
        self.refuse(Code::InvalidHook, message);
        None
    }

    /// The `if`, where the type evaluates it.
    fn condition(&mut self, rule: &TypeRule) -> Option<String> {
        if !self.knows(rule, "if") {
            return None;
        }
        let evaluated = self.dialect.conditions;
        self.string("if").filter(|text| evaluated && !text.trim().is_empty())
    }

    fn action(&mut self, rule: &TypeRule) -> Option<Action> {
        match rule.name {
            "process" => {
                let program = self.required("command")?;
                Some(Action::Process { program, args: self.arguments()? })
            }
            "http" => self.http(rule),
            "mcp_tool" => Some(Action::McpTool {
                server: self.required("server")?,
                tool: self.required("tool")?,
                input: self.tool_input()?,
            }),
            "prompt" => {
                let prompt = self.required("prompt")?;
                let continue_on_block = self.bool("continueOnBlock") == Some(true);
                Some(Action::Prompt { prompt, model: self.string("model"), continue_on_block })
            }
            "agent" => {
                let prompt = self.required("prompt")?;
                Some(Action::Agent {
                    prompt,
                    model: self.string("model"),
                    agent_type: self.string("agentType"),
                })
            }
            _ => {
                let line = self.required(self.command_key(rule))?;
                // With `args`, even without any in it, the command is a program and not a line for a shell.
                if self.knows(rule, "args")
                    && self.node.get("args").is_some_and(|node| node.value != Value::Null)
                {
                    if self.node.get("shell").is_some() {
                        let message =
                            "`shell` has no effect beside `args`: no shell runs the program".to_owned();
                        self.warn("shell", Code::IgnoredKey, message);
                    }
                    return Some(Action::Process { program: line, args: self.arguments()? });
                }
                Some(Action::Command { line, shell: self.shell() })
            }
        }
    }

    /// Where the line for the shell stands: on Windows it may have a key of its own.
    fn command_key(&self, rule: &TypeRule) -> &'static str {
        let own = ["commandWindows", "command_windows"].into_iter();
        let mut there = own.filter(|key| self.knows(rule, key) && self.node.get(key).is_some());
        there.next().filter(|_| cfg!(windows)).unwrap_or("command")
    }

    /// Tokens of a context, where the event's hooks may say that.
    fn context_limit(&mut self, rule: &TypeRule, counts: bool) -> Option<u64> {
        const KEY: &str = "additionalContextLimit";
        let node = self.node.get(KEY).filter(|node| rule.keys.contains(&KEY) && node.value != Value::Null)?;
        match node.value {
            Value::Number(value) if value >= 0.0 && value.fract() == 0.0 => {
                if !counts {
                    self.warn(KEY, Code::IgnoredKey, format!("`{KEY}` has no effect on this event"));
                }
                // A float to integer cast saturates.
                counts.then_some(value as u64)
            }
            _ => {
                let message = format!("`{KEY}` is {} that is no whole number of tokens", node.words());
                self.warn(KEY, Code::WrongType, message);
                None
            }
        }
    }

    /// Why the version that counts does not run the hook at all, because of what it asks for.
    fn too_new(&mut self, rule: &TypeRule, never_background: bool) -> Option<Off> {
        let asked = matches!(self.node.get("async"), Some(Node { value: Value::Bool(true), .. }));
        let since =
            self.dialect.missing_in(self.version, "async").filter(|_| rule.keys.contains(&"async"))?;
        if !asked || never_background || !self.dialect.settings.skips_newer_keys {
            return None;
        }
        let text = format!(
            "{} runs hooks with `async` since version {since}; the hook is skipped",
            self.dialect.product
        );
        self.warn("async", Code::HookTypeUnavailable, text.clone());
        Some(Off::because(Code::HookTypeUnavailable, text))
    }

    /// What an MCP tool is called with; nothing is an empty object.
    fn tool_input(&mut self) -> Option<Raw> {
        match self.node.get("input") {
            None | Some(Node { value: Value::Null, .. }) => json::to_raw("{}"),
            Some(node) if node.as_object().is_some() => json::to_raw(&node.to_json()),
            Some(node) => {
                let message =
                    format!("the hook's `input` is {}, not an object; the hook is skipped", node.words());
                self.refuse(Code::InvalidHook, message);
                None
            }
        }
    }

    fn http(&mut self, rule: &TypeRule) -> Option<Action> {
        let url = self.required("url")?;
        let method = match self.string("method").filter(|_| rule.keys.contains(&"method")).as_deref() {
            None | Some("POST") => HttpMethod::Post,
            Some("PUT") => HttpMethod::Put,
            Some("PATCH") => HttpMethod::Patch,
            // Ruling 10 of the design.
            Some(other) => {
                let message = format!(
                    "the hook's `method` is \"{other}\", not POST, PUT or PATCH; the hook is skipped"
                );
                self.refuse(Code::InvalidHook, message);
                return None;
            }
        };
        let headers = self.string_map("headers", rule);
        Some(Action::Http { url, method, headers, allowed_env: self.strings("allowedEnvVars") })
    }

    /// Ruling 14 of the design: accepted on every type of every dialect, in either spelling.
    fn fail_mode(&mut self) -> Option<FailMode> {
        let (key, mode, doubt) = fail_mode_of(self.node)?;
        if let Some(message) = doubt {
            self.warn(key, Code::WrongType, message);
        }
        Some(mode)
    }

    /// Crosshook's own addition: the command is a worker.
    fn worker(&mut self, rule: &TypeRule) -> Option<WorkerRule> {
        let node = self.node.get(worker::KEY).filter(|_| worker::counts_on(rule))?;
        let (found, faults) = worker::read(node);
        for (code, message) in faults {
            self.warn(worker::KEY, code, message);
        }
        found
    }

    fn note_other_keys(&mut self, rule: &TypeRule, once: bool) {
        let Some(entries) = self.node.as_object() else { return };
        let unread: Vec<&str> = entries
            .iter()
            .map(|(key, _)| key.as_str())
            .filter(|key| !COMMON_KEYS.contains(key) && !self.knows(rule, key))
            .filter(|key| !(once && *key == "once" || *key == worker::KEY && worker::counts_on(rule)))
            .collect();
        for key in unread {
            let message =
                format!("{} does not read `{key}` on a hook of type {}", self.dialect.product, rule.name);
            self.warn(key, Code::IgnoredKey, message);
        }
    }
}

/// What a hook, a group or a settings file says of failures, in either spelling: the mode, and what is doubtful about it.
pub(super) fn fail_mode_of(node: &Node) -> Option<(&'static str, FailMode, Option<String>)> {
    let said = || FAIL_MODE_KEYS.into_iter().filter_map(|key| fail_mode_at(key, node.get(key)?));
    // Whoever says both has a guard in mind.
    said().find(|(_, mode, _)| *mode == FailMode::Closed).or_else(|| said().next())
}

fn fail_mode_at(key: &'static str, value: &Node) -> Option<(&'static str, FailMode, Option<String>)> {
    let said = match &value.value {
        Value::Null => return None,
        Value::String(text) if text == "open" => return Some((key, FailMode::Open, None)),
        Value::String(text) if text == "closed" => return Some((key, FailMode::Closed, None)),
        Value::String(other) => format!("\"{other}\""),
        _ => value.words().to_owned(),
    };
    // Whoever says anything here has a guard in mind.
    let doubt = format!("`{key}` is {said}, not open or closed; closed is taken");
    Some((key, FailMode::Closed, Some(doubt)))
}
