//! The tables of `docs/several-dialects.md`, made from those of the dialects.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::called;
use crate::dialect::{Dialect, Effect, all, from_common, to_common};

/// The tables, each with the name under which it stands on the page.
pub(crate) fn tables() -> [(&'static str, String); 5] {
    [
        ("pairs", pairs()),
        ("events", events()),
        ("tools", tools()),
        ("arguments", arguments()),
        ("values", values()),
    ]
}

fn code(name: impl AsRef<str>) -> String {
    format!("`{}`", name.as_ref())
}

fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.into_iter().map(code).collect();
    if names.is_empty() { "-".to_owned() } else { names.join(", ") }
}

fn table(heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut out = String::new();
    let mut line = |cells: &[String]| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    };
    line(&heads.iter().map(|head| (*head).to_owned()).collect::<Vec<_>>());
    line(&vec!["---".to_owned(); heads.len()]);
    rows.into_iter().for_each(|row| line(&row));
    out
}

fn with_dialects(first: &str) -> Vec<&str> {
    std::iter::once(first).chain(all().iter().map(|dialect| dialect.name)).collect()
}

/// For each pair: what of the hooks' dialect has nothing to go with in the host's.
fn pairs() -> String {
    let rows = all().iter().flat_map(|host| all().iter().map(move |hooks| (*host, *hooks)));
    let rows = rows.filter(|(host, hooks)| host != hooks).map(|(host, hooks)| pair(host, hooks));
    table(
        &[
            "host",
            "hooks of",
            "events",
            "without an event",
            "the agent itself does not act on a block of",
            "tools",
        ],
        rows,
    )
}

fn pair(host: &'static Dialect, hooks: &'static Dialect) -> Vec<String> {
    let of_host = |event: &str| host.event_of(hooks, event).and_then(|name| host.event(name));
    let fires = hooks.events.iter().filter(|rule| of_host(rule.name).is_some()).count();
    let never = hooks.events.iter().map(|rule| rule.name).filter(|name| of_host(name).is_none());
    let informs = |effect| matches!(effect, Effect::Inform | Effect::Ignore);
    let weaker = hooks
        .events
        .iter()
        .filter(|rule| !informs(rule.effect) && of_host(rule.name).is_some_and(|own| informs(own.effect)));
    let tools = host.names.tools;
    let known = tools.iter().filter(|tool| {
        let name = called(tool.name, host, hooks).name;
        hooks.names.tool(&name).is_some()
    });
    vec![
        host.name.to_owned(),
        hooks.name.to_owned(),
        format!("{fires} of {}", hooks.events.len()),
        listed(never),
        listed(weaker.map(|rule| rule.name)),
        format!("{} of {}", known.count(), tools.len()),
    ]
}

/// Which dialect has which event, and its name for it.
fn events() -> String {
    let mut names: Vec<&str> = Vec::new();
    for dialect in all() {
        for rule in dialect.events {
            let common = to_common(dialect.names.events, rule.name);
            if !names.contains(&common) {
                names.push(common);
            }
        }
    }
    let own = |dialect: &Dialect, common: &str| {
        let name = from_common(dialect.names.events, common);
        dialect.event(name).map_or("-".to_owned(), |rule| code(rule.name))
    };
    let row = |common: &&str| {
        std::iter::once((*common).to_owned())
            .chain(all().iter().map(|dialect| own(dialect, common)))
            .collect()
    };
    table(&with_dialects("event"), names.iter().map(row))
}

/// What each dialect calls the tools that several have.
fn tools() -> String {
    let mut meanings: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for dialect in all() {
        for tool in dialect.names.tools {
            meanings.entry(tool.means).or_default();
        }
    }
    for (common, cells) in &mut meanings {
        cells.extend(
            all().iter().map(|dialect| listed(dialect.names.tools_meaning(common).map(|tool| tool.name))),
        );
    }
    let several = |cells: &Vec<String>| cells.iter().filter(|cell| *cell != "-").count() > 1;
    let rows = meanings.into_iter().filter(|(_, cells)| several(cells));
    table(
        &with_dialects("tool"),
        rows.map(|(common, cells)| std::iter::once(common.to_owned()).chain(cells).collect()),
    )
}

/// Arguments under other names.
fn arguments() -> String {
    let rows = all().iter().flat_map(|dialect| {
        dialect.names.tools.iter().flat_map(|tool| {
            tool.arguments.iter().map(|(own, common)| {
                let (means, name) = (code(tool.means), code(tool.name));
                vec![dialect.name.to_owned(), name, code(own), means, code(common)]
            })
        })
    });
    table(&["dialect", "tool", "argument", "elsewhere the tool", "the argument"], rows)
}

/// Fields and values under other names.
fn values() -> String {
    let rows = all().iter().flat_map(|dialect| {
        let names = dialect.names;
        let row = |field: String, own: &str, common: &str| {
            vec![dialect.name.to_owned(), field, code(own), code(common)]
        };
        let fields = names
            .fields
            .iter()
            .map(move |field| row(format!("a field of {}", code(field.event)), field.name.0, field.name.1));
        let modes = names.modes.iter().map(move |(own, common)| row(code("permission_mode"), own, common));
        let values = names.values.iter().filter(|(_, (own, common))| own != common);
        let values = values.map(move |(field, (own, common))| row(code(field), own, common));
        fields.chain(modes).chain(values).collect::<Vec<_>>()
    });
    table(&["dialect", "what", "there", "elsewhere"], rows)
}
