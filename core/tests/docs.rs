//! The pages below docs/ name everything there is, and nothing that is not.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use std::collections::BTreeSet;

use crosshook::{Code, ErrorKind, HookReport, Options, Outcome, dialect_names, settings_schema};
use serde_json::Value;

use crate::support::workspace;

fn page(name: &str) -> String {
    let path = workspace().join("docs").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What stands between backticks in the first cell of each row of the tables below a heading, up to the next one of
/// the same level.
fn first_cells(page: &str, heading: &str) -> BTreeSet<String> {
    let after = page.split_once(&format!("\n## {heading}\n")).map_or("", |(_, after)| after);
    let section = after.split("\n## ").next().unwrap_or_default();
    let cells = section.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

fn names<'a>(all: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    all.into_iter().map(str::to_owned).collect()
}

#[test]
fn every_code_of_a_diagnostic_is_explained() {
    let page = page("diagnostics.md");
    let sections = [
        "Settings",
        "Plugins and frontmatter",
        "The event",
        "Running a hook",
        "The answer of a hook",
        "Lint",
    ];
    let explained: BTreeSet<String> =
        sections.iter().flat_map(|section| first_cells(&page, section)).collect();
    assert_eq!(explained, names(Code::ALL.iter().map(|code| code.as_str())));
}

#[test]
fn every_kind_of_an_error_is_explained() {
    let explained = first_cells(&page("diagnostics.md"), "Errors");
    assert_eq!(explained, names(ErrorKind::ALL.iter().map(|kind| kind.code())));
}

#[test]
fn every_option_is_explained() {
    // Who misspells an option is told all of them, in both spellings.
    let error = Options::from_json(r#"{"dialect": "qwen", "no such option": 1}"#).unwrap_err().to_string();
    let (_, known) = error.split_once("expected one of").unwrap();
    let mut known: BTreeSet<String> = known.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    known.retain(|name| !name.contains(|letter: char| letter.is_ascii_uppercase()));
    let page = page("options.md").replacen("\n| option |", "\n## Options\n\n| option |", 1);
    assert_eq!(first_cells(&page, "Options"), known);
}

fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().map(|object| names(object.keys().map(String::as_str))).unwrap_or_default()
}

#[test]
fn every_key_of_an_outcome_is_explained() {
    let page = page("outcome.md");
    let whole = page.replacen("\n| key |", "\n## Keys\n\n| key |", 1);
    let outcome: Value = serde_json::from_str(&Outcome::default().to_json()).unwrap();
    assert_eq!(first_cells(&whole, "Keys"), keys(&outcome));

    let settings = r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":":"}]}]}}"#;
    let engine = crosshook::Engine::new(Options::new("qwen").settings_text(None, settings)).unwrap();
    let outcome = engine.dispatch_blocking(r#"{"hook_event_name":"Stop","cwd":"/"}"#).unwrap();
    let report: &HookReport = &outcome.hooks[0];
    let explained = first_cells(&page, "An entry of `hooks`");
    let statuses = names(["ok", "blocked", "error", "timeout", "cancelled", "skipped", "background"]);
    let wanted = keys(&serde_json::to_value(report).unwrap());
    assert_eq!(explained, wanted.union(&statuses).cloned().collect());
}

/// The names of a dialect's events and hook types, as its schema has them.
fn vocabulary(dialect: &str) -> BTreeSet<String> {
    let schema: Value = serde_json::from_str(&settings_schema(dialect).unwrap()).unwrap();
    let mut words = keys(&schema["definitions"]["events"]["properties"]);
    words.retain(|word| word.starts_with(|first: char| first.is_ascii_uppercase()));
    words
}

#[test]
fn every_dialect_has_a_page_with_all_its_events() {
    let index = page("dialects/index.md");
    for dialect in dialect_names() {
        assert!(
            index.contains(&format!("| `{dialect}` |")),
            "docs/dialects/index.md does not name {dialect}"
        );
        let page = page(&format!("dialects/{dialect}.md"));
        let events = vocabulary(dialect);
        assert!(events.len() > 3, "{dialect}: {events:?}");
        for event in events {
            assert!(
                page.contains(&format!("\n| {event} |")),
                "docs/dialects/{dialect}.md has no row for {event}"
            );
        }
    }
}

/// Tables that are made from those of the dialects, between two comments.
#[cfg(feature = "internals")]
#[test]
fn the_tables_of_names_are_those_of_the_dialects() {
    let before = page("several-dialects.md");
    let mut after = before.clone();
    for (name, table) in crosshook::testing::tables_of_names() {
        let (begin, end) = (format!("<!-- table: {name} -->\n"), "<!-- end of table -->");
        let from = after.find(&begin).unwrap_or_else(|| panic!("no {begin}")) + begin.len();
        let to = from + after.get(from..).unwrap().find(end).unwrap();
        after.replace_range(from..to, &table);
    }
    if std::env::var_os("CROSSHOOK_BLESS").is_some() {
        std::fs::write(workspace().join("docs/several-dialects.md"), &after).unwrap();
        return;
    }
    assert_eq!(before, after, "stale: run with CROSSHOOK_BLESS=1");
}
