//! The name of a tool in another dialect.

use super::Arguments;
use crate::dialect::{Dialect, McpNames, common_tool};

/// What a tool is called in another dialect.
#[derive(Debug, Clone, Default)]
pub(crate) struct Called {
    /// The name that hooks read.
    pub(crate) name: String,
    /// Other names that it may have, or that tools have which do the same: hooks for those are not to miss it.
    pub(crate) also: Vec<String>,
    /// Its arguments' names.
    pub(crate) arguments: Arguments,
}

/// So many places are tried where the name of an MCP server may end: more than names have, and few enough for one that is
/// made of nothing but `_`.
const MOST_SPLITS: usize = 64;

/// What the tool `name` of `from` is called in `to`. One that `to` does not have keeps its name and its arguments.
pub(crate) fn called(name: &str, from: &Dialect, to: &Dialect) -> Called {
    if let Some(called) = of_server(name, from.names.mcp, to.names.mcp) {
        return called;
    }
    let own = from.names.tool(name);
    let common = own.map_or(name, |tool| tool.means);
    let mut counterparts: Vec<_> = to.names.tools_meaning(common).collect();
    // Today's name, unless the host's is one of the dialect's, too.
    counterparts.sort_by_key(|tool| tool.name != name);
    let arguments = counterparts.first().map_or_else(Arguments::default, |tool| {
        Arguments::between(own.map_or(&[], |own| own.arguments), tool.arguments)
    });
    let mut names = counterparts.iter().map(|tool| tool.name);
    let told = names.next().unwrap_or(name).to_owned();
    // Those with which it has anything in common: a patch and a list of edits both edit.
    let does = |common: &str, name: &str| {
        common == name || common_tool(common).is_some_and(|tool| tool.like.contains(&name))
    };
    let alike = to.names.tools.iter().filter(|tool| {
        let likes = common_tool(tool.means).map_or(&[] as &[&str], |tool| tool.like);
        tool.means != common && (does(common, tool.means) || likes.iter().any(|like| does(common, like)))
    });
    let otherwise = common_tool(common).and_then(|tool| tool.otherwise).filter(|_| counterparts.is_empty());
    let stand_ins = otherwise.into_iter().flat_map(|other| to.names.tools_meaning(other));
    let more = alike.chain(stand_ins).map(|tool| tool.name);
    let mut also: Vec<String> = names.chain(more).map(str::to_owned).collect();
    also.retain(|name| *name != told);
    Called { name: told, also, arguments }
}

/// The tool of an MCP server. Its arguments are the server's.
fn of_server(name: &str, from: McpNames, to: McpNames) -> Option<Called> {
    let rest = name.strip_prefix("mcp_")?;
    let named = |name: String| Called { name, ..Called::default() };
    let (server, tool) = match rest.strip_prefix('_') {
        Some(rest) => rest.split_once("__")?,
        None if from == McpNames::Underscore && to == McpNames::Underscores => return Some(guessed(rest)),
        None => return (from == McpNames::Underscore).then(|| named(name.to_owned())),
    };
    Some(named(match to {
        McpNames::Underscores => name.to_owned(),
        McpNames::Underscore => format!("mcp_{server}_{tool}"),
    }))
}

/// Where the name of the server ends is not said: it may be at any `_`.
fn guessed(rest: &str) -> Called {
    let places = rest.match_indices('_').map(|(at, _)| (rest.get(..at), rest.get(at.saturating_add(1)..)));
    let named = |(server, tool): (Option<&str>, Option<&str>)| match (server?, tool?) {
        ("", _) | (_, "") => None,
        (server, tool) => Some(format!("mcp__{server}__{tool}")),
    };
    let mut names = places.filter_map(named).take(MOST_SPLITS);
    let name = names.next().unwrap_or_else(|| format!("mcp_{rest}"));
    Called { name, also: names.collect(), arguments: Arguments::default() }
}

impl Called {
    /// Of the names that it may have takes the one with this server.
    pub(super) fn prefer_server(&mut self, server: &str) {
        let begin = format!("mcp__{server}__");
        if self.name.starts_with(&begin) {
            return;
        }
        if let Some(place) = self.also.iter().position(|name| name.starts_with(&begin)) {
            let name = self.also.remove(place);
            self.also.insert(0, std::mem::replace(&mut self.name, name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::by_name;

    fn names(name: &str, from: &str, to: &str) -> (String, Vec<String>) {
        let Called { name, also, .. } = called(name, by_name(from).unwrap(), by_name(to).unwrap());
        (name, also)
    }

    fn name(name: &str, from: &str, to: &str) -> String {
        names(name, from, to).0
    }

    #[test]
    fn each_dialect_has_its_own_name() {
        for (own, dialect) in [
            ("Bash", "claude"),
            ("Bash", "codebuddy"),
            ("Bash", "codex"),
            ("Bash", "zcode"),
            ("run_shell_command", "qwen"),
            ("run_shell_command", "gemini"),
        ] {
            assert_eq!(name(own, dialect, "claude"), "Bash");
            assert_eq!(name("Bash", "claude", dialect), own);
        }
        assert_eq!(name("edit", "qwen", "gemini"), "replace");
        assert_eq!(name("save_memory", "qwen", "gemini"), "save_memory");
        assert_eq!(name("spawn_agent", "codex", "qwen"), "agent");
    }

    #[test]
    fn a_name_that_both_know_stays() {
        assert_eq!(names("Task", "claude", "codebuddy").0, "Task");
        assert_eq!(
            names("agent", "qwen", "codebuddy"),
            ("Agent".into(), vec!["Task".into(), "TaskTool".into()])
        );
    }

    #[test]
    fn what_a_dialect_does_not_have_keeps_its_name_and_is_matched_as_what_it_is_like() {
        assert_eq!(
            names("apply_patch", "codex", "claude"),
            ("apply_patch".into(), vec!["Edit".into(), "Write".into(), "MultiEdit".into()])
        );
        assert_eq!(names("Edit", "claude", "codex"), ("Edit".into(), vec!["apply_patch".into()]));
        assert_eq!(names("MultiEdit", "codebuddy", "qwen"), ("MultiEdit".into(), vec!["edit".into()]));
        assert_eq!(names("apply_patch", "codex", "zcode").0, "ApplyPatch");
        assert_eq!(names("Mine", "codex", "zcode"), ("Mine".into(), vec![]));
        for (to, shell) in [("gemini", "run_shell_command"), ("qwen", "run_shell_command"), ("codex", "Bash")]
        {
            assert_eq!(names("PowerShell", "claude", to), ("PowerShell".into(), vec![shell.into()]), "{to}");
            assert_eq!(names(shell, to, "claude"), ("Bash".into(), vec![]), "{to}");
        }
        assert_eq!(names("PowerShell", "claude", "codebuddy"), ("PowerShell".into(), vec![]));
    }

    #[test]
    fn tools_of_mcp_servers() {
        assert_eq!(name("mcp__memory__create", "claude", "qwen"), "mcp__memory__create");
        assert_eq!(name("mcp__memory__create", "claude", "gemini"), "mcp_memory_create");
        assert_eq!(
            names("mcp_my_db_query", "gemini", "claude"),
            ("mcp__my__db_query".into(), vec!["mcp__my_db__query".into()])
        );
        let parts = vec!["a"; 30].join("_");
        let found = names(&format!("mcp_{parts}_t"), "gemini", "claude");
        assert!(found.1.contains(&format!("mcp__{parts}__t")), "{found:?}");
        assert_eq!(name("mcp_x", "gemini", "claude"), "mcp_x");
        assert_eq!(name("mcp_mine", "claude", "gemini"), "mcp_mine");
    }
}
