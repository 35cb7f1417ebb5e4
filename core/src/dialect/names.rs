//! What agents call the same things. Each dialect has one table against a common vocabulary, so that an event of one
//! dialect can be told in the words of any other: n dialects need n tables.
//!
//! The common vocabulary is Claude Code's where Claude Code has a word, because most dialects took theirs from it.

use super::Dialect;

/// A name of a dialect's own, and what the common vocabulary says.
pub(crate) type Pair = (&'static str, &'static str);

/// What a dialect calls events, fields, tools, their arguments and permission modes. What is in no table has the same
/// name in the common vocabulary.
#[derive(Debug)]
pub(crate) struct Names {
    /// Its events that others call differently.
    pub(crate) events: &'static [Pair],
    /// Fields of its events that others call differently.
    pub(crate) fields: &'static [FieldName],
    /// Values of fields that others write differently.
    pub(crate) values: &'static [(&'static str, Pair)],
    /// Its permission modes, as they stand in `permission_mode`.
    pub(crate) modes: &'static [Pair],
    /// Its tools, as its documentation names them. Of several that mean the same the first is today's name.
    pub(crate) tools: &'static [ToolName],
    /// What matchers of its events can meet, where its documentation lists all of that.
    pub(crate) matched: &'static [(&'static str, &'static [&'static str])],
    pub(crate) mcp: McpNames,
}

impl Names {
    /// All as in the common vocabulary, and no tool of its own.
    pub(crate) const COMMON: Self = Self {
        events: &[],
        fields: &[],
        values: &[],
        modes: &[],
        tools: &[],
        matched: &[],
        mcp: McpNames::Underscores,
    };
}

/// A field of an event.
#[derive(Debug)]
pub(crate) struct FieldName {
    /// The dialect's own name of the event.
    pub(crate) event: &'static str,
    pub(crate) name: Pair,
}

/// A tool of a dialect.
#[derive(Debug)]
pub(crate) struct ToolName {
    pub(crate) name: &'static str,
    /// Its name in the common vocabulary.
    pub(crate) means: &'static str,
    /// Its arguments that others call differently.
    pub(crate) arguments: &'static [Pair],
}

/// A tool whose name is that of the common vocabulary.
pub(crate) const fn same(name: &'static str) -> ToolName {
    tool(name, name)
}

/// A tool with another name and the same arguments.
pub(crate) const fn tool(name: &'static str, means: &'static str) -> ToolName {
    ToolName { name, means, arguments: &[] }
}

/// How the tools of MCP servers are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum McpNames {
    /// `mcp__server__tool`.
    Underscores,
    /// `mcp_server_tool`: where the server's name ends cannot be told from the name alone.
    Underscore,
}

/// A tool that several agents have.
#[derive(Debug)]
pub(crate) struct CommonTool {
    pub(crate) name: &'static str,
    /// What the pattern of a permission rule for it is compared with.
    pub(crate) gist: Gist,
    /// It does what these do in another form: hooks for them are not to miss it.
    pub(crate) like: &'static [&'static str],
    /// Where an agent has no such tool, its hooks for this one are not to miss it.
    pub(crate) otherwise: Option<&'static str>,
}

/// What of a call of a tool a permission rule looks at (codebuddy-claude.md section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gist {
    /// A line for a shell.
    Line(&'static str),
    /// Paths; which of these fields the tool goes by, only the tool knows.
    Paths(&'static [&'static str]),
    /// A URL: its host after `domain:`, else all of it.
    Url(&'static str),
    /// A text.
    Text(&'static str),
    /// Nothing is known.
    Unknown,
}

const PATHS: Gist = Gist::Paths(&["file_path", "notebook_path", "path"]);

/// The tools of the common vocabulary of which more is known than their names.
static TOOLS: &[CommonTool] = &[
    of("Bash", Gist::Line("command")),
    CommonTool { otherwise: Some("Bash"), ..of("PowerShell", Gist::Line("command")) },
    of("Read", PATHS),
    of("Edit", PATHS),
    of("Write", PATHS),
    CommonTool { like: &["Edit"], ..of("MultiEdit", PATHS) },
    of("NotebookEdit", PATHS),
    of("NotebookRead", PATHS),
    of("Glob", PATHS),
    of("Grep", PATHS),
    of("LS", PATHS),
    of("WebFetch", Gist::Url("url")),
    of("WebSearch", Gist::Text("query")),
    of("Agent", Gist::Text("subagent_type")),
    of("Skill", Gist::Text("skill")),
    // One patch may add, change and remove several files.
    CommonTool { like: &["Edit", "Write"], ..of("ApplyPatch", Gist::Unknown) },
    CommonTool { like: &["Read"], ..of("ReadMany", Gist::Unknown) },
];

const fn of(name: &'static str, gist: Gist) -> CommonTool {
    CommonTool { name, gist, like: &[], otherwise: None }
}

/// What is known of a tool of the common vocabulary.
pub(crate) fn common_tool(name: &str) -> Option<&'static CommonTool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

impl Names {
    /// A tool by the name that the dialect gives it.
    pub(crate) fn tool(&self, name: &str) -> Option<&'static ToolName> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// The dialect's tools that are this one of the common vocabulary, today's name first.
    pub(crate) fn tools_meaning(&self, common: &str) -> impl Iterator<Item = &'static ToolName> {
        self.tools.iter().filter(move |tool| tool.means == common)
    }

    /// What a permission rule that names this tool looks at.
    pub(crate) fn gist(&self, name: &str) -> Gist {
        let common = self.tool(name).map_or(name, |tool| tool.means);
        common_tool(common).map_or(Gist::Unknown, |tool| tool.gist)
    }
}

impl Dialect {
    /// The event of this dialect that another's event is; `None` when it has none.
    pub(crate) fn event_of(&self, other: &Dialect, name: &str) -> Option<&'static str> {
        let common = to_common(other.names.events, name);
        // A name that this dialect alone has for what the other one calls differently is none of the other's.
        if self.names.events.iter().any(|(own, _)| *own == common) {
            return None;
        }
        let own = from_common(self.names.events, common);
        self.event(own).map(|rule| rule.name)
    }
}

impl Dialect {
    /// What this dialect calls the tool that some other one calls so.
    pub(crate) fn tool_called(&self, name: &str) -> Option<&'static str> {
        let means = super::all().iter().find_map(|other| other.names.tool(name)).map(|tool| tool.means)?;
        self.names.tools_meaning(means).next().map(|tool| tool.name)
    }
}

/// What the common vocabulary says for a name of the dialect's own.
pub(crate) fn to_common<'a>(pairs: &[Pair], own: &'a str) -> &'a str {
    pairs.iter().find(|(name, _)| *name == own).map_or(own, |(_, common)| common)
}

/// What the dialect says for a name of the common vocabulary.
pub(crate) fn from_common<'a>(pairs: &[Pair], common: &'a str) -> &'a str {
    pairs.iter().find(|(_, name)| *name == common).map_or(common, |(own, _)| own)
}

#[cfg(test)]
mod tests {
    use super::super::{DIALECTS, by_name};
    use super::*;

    #[test]
    fn events_are_told_in_any_dialect_through_the_common_vocabulary() {
        let named =
            |to: &str, from: &str, event: &str| by_name(to).unwrap().event_of(by_name(from).unwrap(), event);
        assert_eq!(named("gemini", "claude", "PreToolUse"), Some("BeforeTool"));
        assert_eq!(named("qwen", "gemini", "AfterAgent"), Some("Stop"));
        assert_eq!(named("codex", "zcode", "Stop"), Some("Stop"));
        assert_eq!(named("claude", "gemini", "BeforeModel"), None);
        assert_eq!(named("zcode", "qwen", "SubagentStop"), None);
        assert_eq!(named("gemini", "codex", "BeforeTool"), None, "Codex says PreToolUse");
        assert_eq!(named("gemini", "codex", "BeforeModel"), Some("BeforeModel"), "Codex has no word for it");
    }

    /// What would make a name ambiguous, or a table entry of no effect.
    #[test]
    fn the_tables_hold_together() {
        for dialect in DIALECTS {
            let names = dialect.names;
            for (own, common) in names.events {
                assert!(dialect.event(own).is_some(), "{dialect:?} has no event {own}");
                assert!(dialect.event(common).is_none(), "{dialect:?} has both {own} and {common}");
            }
            for field in names.fields {
                assert!(dialect.event(field.event).is_some(), "{dialect:?} has no event {}", field.event);
            }
            let mut seen: Vec<&str> = names.tools.iter().map(|tool| tool.name).collect();
            seen.sort_unstable();
            let count = seen.len();
            seen.dedup();
            assert_eq!(seen.len(), count, "{dialect:?} names a tool twice");
            for tool in names.tools {
                let mut own: Vec<&str> = tool.arguments.iter().map(|(own, _)| *own).collect();
                own.sort_unstable();
                own.dedup();
                assert_eq!(own.len(), tool.arguments.len(), "{dialect:?}, {}", tool.name);
            }
        }
    }

    #[test]
    fn what_is_like_another_tool_is_one_of_the_vocabulary() {
        for tool in TOOLS {
            for like in tool.like.iter().chain(&tool.otherwise) {
                assert!(common_tool(like).is_some(), "{} is like {like}", tool.name);
            }
        }
    }
}
