//! Settings in TOML, as the same tree as those in JSON.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::tree::{Node, Tree, Value};
use crate::error::{Error, ErrorKind, Place};

/// Parses a TOML document. The parser bounds how deep it may nest.
///
/// # Errors
/// `invalid_settings`, with the line.
pub(super) fn parse(text: &str) -> Result<Tree, Error> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let line_starts: Vec<usize> =
        std::iter::once(0).chain(body.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let table = DeTable::parse(body).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let line = line_starts.partition_point(|start| *start <= at).max(1);
        let place = Place { line: Some(line), ..Place::default() };
        Error::new(ErrorKind::InvalidSettings, format!("not valid TOML: {}", error.message())).at(place)
    })?;
    let root = Node { at: 0, value: object(table.get_ref()) };
    // A key that stands twice is an error in TOML.
    Ok(Tree::new(root, Vec::new(), line_starts))
}

fn object(table: &DeTable<'_>) -> Value {
    // As they stand in the text: the table itself is sorted by key.
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    Value::Object(entries.into_iter().map(|(key, value)| (key.get_ref().to_string(), node(value))).collect())
}

fn node(value: &Spanned<DeValue<'_>>) -> Node {
    let at = value.span().start;
    let value = match value.get_ref() {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => {
            let whole = i64::from_str_radix(number.as_str(), number.radix()).ok();
            Value::Number(whole.map_or(f64::NAN, |whole| whole as f64))
        }
        DeValue::Float(number) => Value::Number(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Datetime(time) => Value::String(time.to_string()),
        DeValue::Array(items) => Value::Array(items.iter().map(node).collect()),
        DeValue::Table(table) => object(table),
    };
    Node { value, at }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_a_tree_that_knows_its_lines() {
        let text = "model = \"m\"\n[features]\nhooks = true\n[[hooks.Stop]]\nmatcher = '''a'b'''\n\
                    [[hooks.Stop.hooks]]\ntype = \"command\"\ntimeout = 1_0\nwhen = 2026-01-01\nhex = 0x1F\nhalf = .5\n";
        assert_eq!(parse(text).unwrap_err().place().line, Some(11), "no number starts with a point");
        let tree = parse(&text.replace(".5", "0.5")).unwrap();
        let group = &tree.root.get("hooks").unwrap().get("Stop").unwrap().as_array().unwrap()[0];
        assert_eq!(group.get("matcher").unwrap().as_str(), Some("a'b"));
        let hook = &group.get("hooks").unwrap().as_array().unwrap()[0];
        let keys: Vec<&str> = hook.as_object().unwrap().iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["type", "timeout", "when", "hex", "half"]);
        for (key, value, line) in [("timeout", 10.0, 8), ("hex", 31.0, 10), ("half", 0.5, 11)] {
            let node = hook.get(key).unwrap();
            assert_eq!((&node.value, tree.line(node.at)), (&Value::Number(value), line), "{key}");
        }
        assert_eq!(hook.get("when").unwrap().as_str(), Some("2026-01-01"));
        assert_eq!(tree.lenient, None);
    }

    #[test]
    fn faults_name_the_line_and_nesting_is_bounded() {
        for text in ["a = 1\nb = ", "a = 1\na = 2", "a = 1\n[hooks\n"] {
            let error = parse(text).unwrap_err();
            assert_eq!((error.kind(), error.place().line), (ErrorKind::InvalidSettings, Some(2)), "{text}");
            assert!(error.message().starts_with("not valid TOML: "), "{}", error.message());
        }
        assert!(parse(&format!("a = {}{}", "[".repeat(100_000), "]".repeat(100_000))).is_err());
        assert!(parse("\u{feff}a = 1").is_ok());
        assert!(parse("").unwrap().root.as_object().unwrap().is_empty());
    }
}
