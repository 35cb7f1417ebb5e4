//! Matchers: classified and checked once when the settings are read, matched many times.
//!
//! What needs no regular expression gets none: `*`, plain names and lists of names are compared as text. A regular
//! expression is compiled when an event first needs it.

mod ecma;
mod pattern;

use std::fmt;

use crate::json::js_trim;
use pattern::{Pattern, Syntax};

/// How a dialect reads a matcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// An unanchored regular expression (CodeBuddy: codebuddy-claude.md section 5).
    Search,
    /// Only letters, digits, `_` and `|`: a list of exact names; else an unanchored regular expression (ZCode:
    /// zcode-codex-gemini.md section 1.4).
    ExactListOrSearch,
    /// Only letters, digits, `_`, blanks, `,` and `|` (and `-`): a list of exact names, separated by `|` or `,`; else an
    /// unanchored regular expression (Claude Code: codebuddy-claude.md section 5).
    NameList { hyphens: bool },
    /// Trimmed; compared exactly, entry by entry; else an unanchored regular expression (Qwen: qwen.md section 4).
    TrimmedList,
    /// Trimmed; an unanchored regular expression, or compared as text when it is none (Gemini's tools:
    /// zcode-codex-gemini.md section 3.4).
    SearchOrLiteral,
    /// Trimmed; compared as text, whatever it looks like (Gemini's other events: the same section).
    Literal,
    /// As [`Style::ExactListOrSearch`], with the syntax of Rust's `regex` (Codex: zcode-codex-gemini.md section 2.4).
    ExactListOrRust,
}

/// What a matcher is compared with.
#[derive(Debug, Clone, Default)]
pub(crate) struct Subject {
    pub(crate) name: String,
    /// Other names that count as much.
    pub(crate) also: Vec<String>,
    pub(crate) aliases: Vec<String>,
    /// Regular expressions are tried on the aliases too.
    pub(crate) aliases_in_patterns: bool,
}

/// The answer of [`Matcher::matches`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Yes,
    No,
    /// The pattern took more steps than allowed: counts as a match, with a diagnostic (design, rule 10).
    LimitExceeded,
}

/// A pattern that is no regular expression of its dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InvalidPattern(String);

impl fmt::Display for InvalidPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A matcher that is ready for use.
#[derive(Debug)]
pub(crate) struct Matcher {
    exact: Vec<String>,
    rest: Rest,
    fault: Option<InvalidPattern>,
}

/// What decides when no exact name did.
#[derive(Debug)]
enum Rest {
    Everything,
    Nothing,
    Pattern(Pattern),
}

impl Matcher {
    /// Reads `text` as `style` says; no text matches everything.
    pub(crate) fn new(style: Style, text: Option<&str>) -> Result<Self, InvalidPattern> {
        let everything = Self { exact: Vec::new(), rest: Rest::Everything, fault: None };
        match (style, text) {
            (_, None | Some("" | "*")) => Ok(everything),
            (Style::Search, Some(text)) => Self::pattern(Vec::new(), Syntax::JavaScript, text),
            (Style::ExactListOrSearch | Style::ExactListOrRust, Some(text)) => {
                if text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'|')) {
                    let exact = text.split('|').map(str::to_owned).collect();
                    return Ok(Self { exact, rest: Rest::Nothing, fault: None });
                }
                let is_rust = style == Style::ExactListOrRust;
                Self::pattern(Vec::new(), if is_rust { Syntax::Rust } else { Syntax::JavaScript }, text)
            }
            (Style::SearchOrLiteral | Style::Literal, Some(text)) => {
                let text = js_trim(text);
                if matches!(text, "" | "*") {
                    return Ok(everything);
                }
                let literal = |fault| Self { exact: vec![text.to_owned()], rest: Rest::Nothing, fault };
                if style == Style::Literal {
                    return Ok(literal(None));
                }
                Ok(Self::pattern(Vec::new(), Syntax::JavaScript, text)
                    .unwrap_or_else(|fault| literal(Some(fault))))
            }
            (Style::NameList { hyphens }, Some(text)) => {
                let named = |byte: u8| {
                    byte.is_ascii_alphanumeric()
                        || matches!(byte, b'_' | b' ' | b',' | b'|')
                        || (hyphens && byte == b'-')
                };
                if text.bytes().all(named) {
                    let entries = text.split(['|', ',']).map(str::trim).filter(|entry| !entry.is_empty());
                    let exact = entries.map(str::to_owned).collect();
                    return Ok(Self { exact, rest: Rest::Nothing, fault: None });
                }
                Self::pattern(Vec::new(), Syntax::JavaScript, text)
            }
            (Style::TrimmedList, Some(text)) => {
                let text = trim_unescaped(text);
                if matches!(text, "" | "*" | ".*") {
                    return Ok(everything);
                }
                if !text.contains('|') || text.starts_with(['^', '(']) {
                    return Self::pattern(vec![text.to_owned()], Syntax::JavaScript, text);
                }
                let entries: Vec<String> = split_list(text);
                if entries.iter().any(|entry| entry == "*" || entry == ".*") {
                    return Ok(everything);
                }
                if entries.is_empty() {
                    return Ok(Self { exact: Vec::new(), rest: Rest::Nothing, fault: None });
                }
                let joined = entries.join("|");
                let exact = [vec![text.to_owned()], entries].concat();
                // Its names are compared before it becomes a pattern, so one bad entry costs only the pattern.
                Ok(Self::pattern(exact.clone(), Syntax::JavaScript, &joined).unwrap_or_else(|fault| Self {
                    exact,
                    rest: Rest::Nothing,
                    fault: Some(fault),
                }))
            }
        }
    }

    fn pattern(exact: Vec<String>, syntax: Syntax, text: &str) -> Result<Self, InvalidPattern> {
        Ok(Self { exact, rest: Rest::Pattern(Pattern::new(syntax, text)?), fault: None })
    }

    /// Why only its plain names count, when the rest of it is no pattern.
    pub(crate) fn fault(&self) -> Option<&InvalidPattern> {
        self.fault.as_ref()
    }

    /// Whether it matches whatever it is asked about.
    pub(crate) fn is_everything(&self) -> bool {
        matches!(self.rest, Rest::Everything)
    }

    /// The first of its names that is an MCP server's alone: compared exactly, it is no tool's.
    pub(crate) fn bare_mcp_server(&self) -> Option<&str> {
        if !matches!(self.rest, Rest::Nothing) {
            return None;
        }
        let bare = |entry: &&String| {
            entry.strip_prefix("mcp__").is_some_and(|server| !server.is_empty() && !server.contains("__"))
        };
        self.exact.iter().find(bare).map(String::as_str)
    }

    /// Whether it matches `subject`.
    pub(crate) fn matches(&self, subject: &Subject) -> Verdict {
        let named = |entry: &String| {
            *entry == subject.name || subject.also.contains(entry) || subject.aliases.contains(entry)
        };
        if self.exact.iter().any(named) {
            return Verdict::Yes;
        }
        let test = |name: &str| match &self.rest {
            Rest::Everything => ecma::Verdict::Match,
            Rest::Nothing => ecma::Verdict::NoMatch,
            Rest::Pattern(pattern) => pattern.test(name),
        };
        let aliases: &[String] = if subject.aliases_in_patterns { &subject.aliases } else { &[] };
        let mut verdict = Verdict::No;
        for name in std::iter::once(&subject.name).chain(&subject.also).chain(aliases) {
            match test(name) {
                ecma::Verdict::Match => return Verdict::Yes,
                ecma::Verdict::LimitExceeded => verdict = Verdict::LimitExceeded,
                ecma::Verdict::NoMatch => {}
            }
        }
        verdict
    }
}

/// Trims blanks, but keeps a trailing one that a backslash escapes (qwen.md section 4, step 1).
fn trim_unescaped(text: &str) -> &str {
    let trimmed = js_trim(text);
    let start = trimmed.as_ptr() as usize - text.as_ptr() as usize;
    let end = start + trimmed.len();
    let backslashes = trimmed.bytes().rev().take_while(|&byte| byte == b'\\').count();
    let rest = text.get(end..).unwrap_or_default();
    match rest.chars().next() {
        Some(blank) if backslashes % 2 == 1 => text.get(start..end + blank.len_utf8()).unwrap_or(trimmed),
        _ => trimmed,
    }
}

/// The non-empty entries of a list: split at each `|` that is not escaped and not inside `[...]` or `(...)`.
fn split_list(text: &str) -> Vec<String> {
    let mut entries = vec![String::new()];
    let (mut escaped, mut in_class, mut depth) = (false, false, 0usize);
    for c in text.chars() {
        let separates = c == '|' && !escaped && !in_class && depth == 0;
        if separates {
            entries.push(String::new());
            continue;
        }
        if let Some(entry) = entries.last_mut() {
            entry.push(c);
        }
        if escaped {
            escaped = false;
            continue;
        }
        match c {
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => depth += 1,
            ')' if !in_class => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    entries.iter().map(|entry| trim_unescaped(entry).to_owned()).filter(|entry| !entry.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(style: Style, matcher: &str, name: &str) -> bool {
        let subject = Subject { name: name.into(), ..Subject::default() };
        Matcher::new(style, Some(matcher)).unwrap().matches(&subject) == Verdict::Yes
    }

    #[test]
    fn each_style_reads_a_plain_name_its_own_way() {
        assert!(verdict(Style::Search, "Write", "NotebookWrite"));
        assert!(!verdict(Style::ExactListOrSearch, "Write", "NotebookWrite"));
        assert!(verdict(Style::ExactListOrSearch, "Edit|Write", "Write"));
        assert!(verdict(Style::ExactListOrSearch, "brave-search", "mcp__brave-search__web"));
        assert!(verdict(Style::TrimmedList, " read ", "read_file"));
        assert!(!verdict(Style::Search, "write", "Write"));
        let names = Style::NameList { hyphens: true };
        assert!(verdict(names, "Bash, PowerShell", "PowerShell"));
        assert!(!verdict(names, "mcp__brave-search", "mcp__brave-search__web"));
        assert!(verdict(Style::NameList { hyphens: false }, "brave-search", "mcp__brave-search__web"));
        assert!(!verdict(names, " , ", ""));
        assert!(verdict(names, "Edit.*", "NotebookEdit"));
    }

    #[test]
    fn lists_split_outside_classes_groups_and_escapes() {
        assert_eq!(split_list(r"a | b|"), ["a", "b"]);
        assert_eq!(split_list(r"foo[ |]bar|x"), ["foo[ |]bar", "x"]);
        assert_eq!(split_list(r"a(b | c)|d"), ["a(b | c)", "d"]);
        assert_eq!(split_list(r"notes\|todo"), [r"notes\|todo"]);
        assert_eq!(split_list(r"\.env\ |\.pem"), [r"\.env\ ", r"\.pem"]);
        assert_eq!(split_list("|"), Vec::<String>::new());
    }

    #[test]
    fn aliases_are_exact_unless_the_dialect_tries_patterns_on_them() {
        let mut subject =
            Subject { name: "agent".into(), aliases: vec!["Task".into()], ..Subject::default() };
        let anchored = Matcher::new(Style::TrimmedList, Some("^Task$")).unwrap();
        assert_eq!(anchored.matches(&subject), Verdict::No);
        subject.aliases_in_patterns = true;
        assert_eq!(anchored.matches(&subject), Verdict::Yes);
    }

    #[test]
    fn a_bad_entry_of_a_list_leaves_the_plain_names() {
        let matcher = Matcher::new(Style::TrimmedList, Some("Bash | Write(")).unwrap();
        let subject = |name: &str| Subject { name: name.into(), ..Subject::default() };
        assert_eq!(matcher.matches(&subject("Bash")), Verdict::Yes);
        assert_eq!(matcher.matches(&subject("Write")), Verdict::No);
        assert_eq!(matcher.matches(&subject("BashOutput")), Verdict::No, "nothing is searched");
        assert!(matcher.fault().is_some());
        assert!(Matcher::new(Style::TrimmedList, Some("Bash|Write")).unwrap().fault().is_none());
    }

    #[test]
    fn a_bad_pattern_is_an_error() {
        assert!(Matcher::new(Style::Search, Some("Write(")).is_err());
        assert!(Matcher::new(Style::ExactListOrSearch, Some("[oops")).is_err());
    }

    #[test]
    fn gemini_searches_and_compares_what_is_no_pattern() {
        assert!(verdict(Style::SearchOrLiteral, " ^write_ ", "write_file"));
        assert!(verdict(Style::SearchOrLiteral, "file", "write_file"));
        assert!(verdict(Style::SearchOrLiteral, " ", "x"));
        assert!(verdict(Style::SearchOrLiteral, "tool[1", "tool[1"));
        assert!(!verdict(Style::SearchOrLiteral, "tool[1", "tool[12"));
        assert!(Matcher::new(Style::SearchOrLiteral, Some("[")).unwrap().fault().is_some());
        assert!(verdict(Style::Literal, " startup ", "startup"));
        assert!(verdict(Style::Literal, "*", "startup"));
        for other in ["start.*", "startup|resume", "^startup$"] {
            assert!(!verdict(Style::Literal, other, "startup"), "{other}");
        }
    }

    #[test]
    fn codex_has_lists_of_names_and_the_patterns_of_rust() {
        assert!(!verdict(Style::ExactListOrRust, "mcp__memory", "mcp__memory__create"));
        assert!(verdict(Style::ExactListOrRust, "Edit|Write", "Write"));
        assert!(verdict(Style::ExactListOrRust, "mcp__memory__.*", "mcp__memory__create"));
        assert!(verdict(Style::ExactListOrRust, "(?i)^bash$", "Bash"), "flags in the pattern");
        assert!(verdict(Style::ExactListOrRust, r"\p{Greek}", "α"));
        assert!(!verdict(Style::ExactListOrRust, " Bash ", "Bash"), "it is not trimmed");
        for invalid in ["[", "a(?!b)", r"(a)\1", "(?<=a)b"] {
            assert!(Matcher::new(Style::ExactListOrRust, Some(invalid)).is_err(), "{invalid}");
        }
        let look = Matcher::new(Style::ExactListOrRust, Some("a(?!b)")).unwrap_err();
        assert!(look.to_string().starts_with("look-around"), "{look}");
        let large = Matcher::new(Style::ExactListOrRust, Some(r"(\w{200}){200}")).unwrap();
        let subject = Subject { name: "x".into(), ..Subject::default() };
        assert_eq!(large.matches(&subject), Verdict::LimitExceeded);
    }

    #[test]
    fn a_pattern_that_is_too_large_counts_as_a_match() {
        let nested = format!("{}x{}", "(".repeat(5_000), ")".repeat(5_000));
        let subject = Subject { name: "x".into(), ..Subject::default() };
        assert_eq!(
            Matcher::new(Style::Search, Some(&nested)).unwrap().matches(&subject),
            Verdict::LimitExceeded
        );
    }
}
