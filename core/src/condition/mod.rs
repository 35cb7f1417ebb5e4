//! The `if` of a hook: one permission rule that the tool call must match, or the hook is not started
//! (codebuddy-claude.md section 4). Pure, and in doubt the hook runs: a guard must not be talked around.

pub(crate) mod glob;
mod paths;
mod shell;
mod words;

use std::path::PathBuf;

use crate::dialect::{Dialect, Gist};
use crate::event::Event;
use crate::json::{Object, decode_string};

use paths::PathPattern;
use shell::LinePattern;

/// Where paths in rules start from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Roots {
    pub(crate) home: Option<PathBuf>,
    pub(crate) project: Option<PathBuf>,
    /// A relative path may stand at any depth below the working directory, as in older versions.
    pub(crate) any_depth: bool,
}

/// A rule, ready to be tried.
#[derive(Debug)]
pub(crate) struct Condition {
    text: String,
    /// May hold `*`.
    tool: String,
    what: What,
}

/// What of the call the rule looks at.
#[derive(Debug)]
enum What {
    /// The tool's name alone.
    Name,
    /// A line for a shell.
    Line(&'static str, LinePattern),
    /// One of several fields.
    Path(&'static [&'static str], PathPattern),
    /// The host of a URL.
    Domain(&'static str, String),
    /// A text field of the input.
    Field(&'static str, String),
    /// The engine does not know what the rule means for this tool, so that it must not hold a hook back.
    Unknown,
}

impl Condition {
    /// Reads `Tool` or `Tool(pattern)` with a tool of `dialect`, or says what is wrong.
    pub(crate) fn new(text: &str, dialect: &Dialect, roots: &Roots) -> Result<Self, String> {
        let rule = text.trim();
        let (tool, pattern) = match rule.split_once('(') {
            Some((tool, rest)) => match rest.strip_suffix(')') {
                Some(pattern) if [") &&", ") ||"].iter().any(|joint| pattern.contains(joint)) => {
                    return Err("it joins several rules; it can be one only".to_owned());
                }
                Some(pattern) => (tool, Some(pattern)),
                None => return Err("its bracket is not closed at the end".to_owned()),
            },
            None => (rule, None),
        };
        let named = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '*' | '.' | ':');
        if tool.is_empty() || !tool.chars().all(named) {
            return Err("it is not one rule of the form `Tool` or `Tool(pattern)`".to_owned());
        }
        let what = match pattern.map(str::trim) {
            None | Some("" | "*") => What::Name,
            Some(pattern) => What::of(dialect.names.gist(tool), pattern, roots),
        };
        Ok(Self { text: rule.to_owned(), tool: tool.to_owned(), what })
    }

    /// The rule as written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Two rules with the same identity, of one version of a dialect, say the same of any call.
    pub(crate) fn identity(&self) -> String {
        match &self.what {
            What::Path(_, pattern) => match pattern.folder() {
                Some(folder) => format!("{} ({})", self.text, folder.display()),
                None => self.text.clone(),
            },
            _ => self.text.clone(),
        }
    }

    /// The first field with `mark` in it that decides whether the call that `event` is about matches.
    pub(crate) fn touched(&self, event: &Event, also: &[String], mark: &str) -> Option<String> {
        let marked = |raw: Option<&str>| raw.is_some_and(|raw| raw.contains(mark));
        if marked(event.get("tool_name")) {
            return Some("tool_name".to_owned());
        }
        if !self.is_about(&event.string("tool_name")?, also) {
            return None;
        }
        let input = event.get("tool_input").and_then(Object::from_raw)?;
        let keys: &[&str] = match &self.what {
            What::Name | What::Unknown => &[],
            What::Line(key, _) | What::Domain(key, _) | What::Field(key, _) => std::slice::from_ref(key),
            What::Path(keys, _) => keys,
        };
        let touched = keys.iter().find(|key| marked(input.get(key)));
        let cwd = || matches!(self.what, What::Path(..)) && marked(event.get("cwd"));
        touched.map(|key| format!("tool_input.{key}")).or_else(|| cwd().then(|| "cwd".to_owned()))
    }

    fn is_about(&self, tool: &str, also: &[String]) -> bool {
        self.names(tool) || also.iter().any(|tool| self.names(tool))
    }

    /// Whether the call that `event` is about matches. `also` are other names that its tool may have.
    pub(crate) fn holds(&self, event: &Event, also: &[String]) -> bool {
        let Some(tool) = event.string("tool_name") else { return true };
        if !self.is_about(&tool, also) {
            return false;
        }
        let input = event.get("tool_input").and_then(Object::from_raw);
        let field = |key: &str| input.as_ref().and_then(|input| input.get(key)).and_then(decode_string);
        match &self.what {
            What::Name | What::Unknown => true,
            What::Line(key, pattern) => field(key).is_none_or(|line| pattern.matches(&line)),
            What::Path(keys, pattern) => {
                let mut paths = keys.iter().filter_map(|key| field(key)).peekable();
                let cwd = event.string("cwd").map(PathBuf::from);
                paths.peek().is_none() || paths.any(|path| pattern.matches(&path, cwd.as_deref()))
            }
            What::Domain(key, pattern) => field(key).is_none_or(|url| {
                host_of(&url).is_none_or(|host| glob::matches(&pattern.to_lowercase(), &host.to_lowercase()))
            }),
            What::Field(key, pattern) => field(key).is_none_or(|text| glob::matches(pattern, &text)),
        }
    }

    /// A rule for an MCP server stands for all its tools.
    fn names(&self, tool: &str) -> bool {
        let server = || {
            self.tool.starts_with("mcp__")
                && tool.strip_prefix(self.tool.as_str()).is_some_and(|rest| rest.starts_with("__"))
        };
        glob::matches(&self.tool, tool) || server()
    }
}

impl What {
    fn of(gist: Gist, pattern: &str, roots: &Roots) -> Self {
        match gist {
            Gist::Line(key) => Self::Line(key, LinePattern::new(pattern)),
            Gist::Paths(keys) => Self::Path(keys, PathPattern::new(pattern, roots)),
            Gist::Url(key) => match pattern.strip_prefix("domain:") {
                Some(domain) => Self::Domain(key, domain.trim().to_owned()),
                None => Self::Field(key, pattern.to_owned()),
            },
            Gist::Text(key) => Self::Field(key, pattern.to_owned()),
            Gist::Unknown => Self::Unknown,
        }
    }
}

/// The host that a URL names; `None` when its readers may differ about that (a browser takes `\` for `/`, drops line
/// ends, and reads letters of other forms as plain ones).
fn host_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = host.rsplit_once(':').map_or(host, |(name, port)| {
        if port.bytes().all(|byte| byte.is_ascii_digit()) { name } else { host }
    });
    let host = host.strip_suffix('.').unwrap_or(host);
    let odd = |c: char| c == '\\' || c.is_whitespace() || c.is_control();
    let named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']');
    (!host.is_empty() && !authority.contains(odd) && host.chars().all(named)).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::by_name;

    fn holds(rule: &str, tool: &str, input: &str) -> bool {
        let roots = Roots { home: Some("/home/u".into()), project: Some("/repo".into()), any_depth: false };
        let event = format!(
            r#"{{"hook_event_name":"PreToolUse","cwd":"/repo","tool_name":"{tool}","tool_input":{input}}}"#
        );
        Condition::new(rule, by_name("claude").unwrap(), &roots)
            .unwrap()
            .holds(&Event::parse(event).unwrap(), &[])
    }

    #[test]
    fn a_rule_without_a_pattern_looks_at_the_name_alone() {
        assert!(holds("Bash", "Bash", "{}"));
        assert!(holds("Bash(*)", "Bash", r#"{"command":"x"}"#));
        assert!(!holds("Bash", "Read", "{}"));
        assert!(holds("mcp__memory", "mcp__memory__search", "{}"));
        assert!(!holds("mcp__mem", "mcp__memory__search", "{}"));
        assert!(holds("mcp__memory__*", "mcp__memory__search", "{}"));
    }

    #[test]
    fn other_tools_are_told_by_their_own_field() {
        assert!(holds("WebFetch(domain:example.com)", "WebFetch", r#"{"url":"https://Example.com:8443/x"}"#));
        assert!(!holds(
            "WebFetch(domain:example.com)",
            "WebFetch",
            r#"{"url":"https://example.com.evil/x"}"#
        ));
        assert!(holds("Agent(Explore)", "Agent", r#"{"subagent_type":"Explore"}"#));
        assert!(!holds("Agent(Explore)", "Agent", r#"{"subagent_type":"Plan"}"#));
        assert!(holds("Cron(x)", "Cron", r#"{"y":1}"#), "what nobody knows does not hold a hook back");
    }

    #[test]
    fn every_path_of_a_call_is_tried() {
        for input in [
            r#"{"file_path":"x","notebook_path":"src/a"}"#,
            r#"{"file_path":"","path":"src/a"}"#,
            r#"{"file_path":"~/x"}"#,
            "{}",
        ] {
            assert!(holds("NotebookEdit(src/**)", "NotebookEdit", input), "{input}");
        }
        assert!(!holds("NotebookEdit(src/**)", "NotebookEdit", r#"{"file_path":"x","path":"y"}"#));
    }

    #[test]
    fn a_domain_cannot_hide_behind_its_spelling() {
        for url in [
            "https://example.com.",
            "https://evil.org:1@example.com:443/x",
            r"https://example.com\\@evil.org",
            "https:///example.com",
            r"https://exam\nple.com",
            "https://ex%61mple.com",
            "https://ｅxample.com",
            r"https:\\\\example.com",
        ] {
            assert!(
                holds("WebFetch(domain:example.com)", "WebFetch", &format!(r#"{{"url":"{url}"}}"#)),
                "{url}"
            );
        }
        let other = r#"{"url":"https://example.com@evil.org/"}"#;
        assert!(!holds("WebFetch(domain:example.com)", "WebFetch", other));
    }

    #[test]
    fn more_than_one_rule_is_refused() {
        for text in ["", "Bash(git *", "Bash(a) && Read(b)", "Bash || Read", "(x)"] {
            assert!(Condition::new(text, by_name("claude").unwrap(), &Roots::default()).is_err(), "{text}");
        }
    }
}
