//! A settings text as a tree that knows where each value stands, so that a message can name the line.

use std::sync::Arc;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use crate::error::{Error, ErrorKind, Place};
use crate::json::{quote, repair_surrogates};

/// One value and where it starts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) value: Value,
    /// Byte offset in the text.
    pub(crate) at: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(f64),
    String(String),
    Array(Vec<Node>),
    Object(Vec<(String, Node)>),
}

impl Node {
    /// The word for its type in a message, with its article.
    pub(crate) fn words(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        }
    }

    pub(crate) fn as_object(&self) -> Option<&[(String, Node)]> {
        match &self.value {
            Value::Object(entries) => Some(entries),
            _ => None,
        }
    }

    pub(crate) fn as_array(&self) -> Option<&[Node]> {
        match &self.value {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The member with this key.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.as_object()?.iter().find(|(known, _)| known == key).map(|(_, node)| node)
    }

    /// The value as JSON.
    pub(crate) fn to_json(&self) -> String {
        let joined = |parts: Vec<String>| parts.join(",");
        match &self.value {
            Value::Null => "null".to_owned(),
            Value::Bool(value) => value.to_string(),
            Value::Number(value) => value.to_string(),
            Value::String(text) => quote(text),
            Value::Array(items) => format!("[{}]", joined(items.iter().map(Self::to_json).collect())),
            Value::Object(entries) => {
                let member = |(key, value): &(String, Self)| format!("{}:{}", quote(key), value.to_json());
                format!("{{{}}}", joined(entries.iter().map(member).collect()))
            }
        }
    }

    /// The member with this key, or the item with this index.
    pub(crate) fn step(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Array(items) => items.get(key.parse::<usize>().ok()?),
            _ => self.get(key),
        }
    }
}

/// Where something stands: the JSON pointer built on the way down, and the offset.
#[derive(Debug, Clone)]
pub(crate) struct Spot {
    pub(crate) pointer: String,
    pub(crate) at: usize,
}

impl Spot {
    pub(crate) fn root() -> Self {
        Self { pointer: String::new(), at: 0 }
    }

    /// One step down (RFC 6901 escapes `~` and `/`).
    pub(crate) fn child(&self, key: &str, node: &Node) -> Self {
        let key = key.replace('~', "~0").replace('/', "~1");
        Self { pointer: format!("{}/{key}", self.pointer), at: node.at }
    }

    pub(crate) fn item(&self, index: usize, node: &Node) -> Self {
        self.child(&index.to_string(), node)
    }
}

/// A parsed settings text.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) root: Node,
    /// Something in it is no strict JSON: a BOM, a comment, a trailing comma.
    pub(crate) lenient: Option<&'static str>,
    /// Keys that stand more than once in their object, with the offset of the later one.
    pub(crate) duplicates: Vec<(String, usize)>,
    line_starts: Arc<[usize]>,
}

impl Tree {
    /// Parses JSON with comments, trailing commas and a BOM.
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let (body, bom) = text.strip_prefix('\u{feff}').map_or((text, false), |body| (body, true));
        let body = repair_surrogates(body);
        let line_starts: Arc<[usize]> =
            std::iter::once(0).chain(body.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let collect = CollectOptions { comments: CommentCollectionStrategy::Separate, tokens: false };
        let parsed = parse_to_ast(&body, &collect, &OPTIONS).map_err(|error| {
            let place = Place { line: Some(error.line_display()), ..Place::default() };
            Error::new(ErrorKind::InvalidSettings, format!("not valid JSON: {}", error.kind())).at(place)
        })?;
        let Some(value) = parsed.value else {
            return Err(Error::new(ErrorKind::InvalidSettings, "the settings are empty; write at least {}"));
        };
        let mut duplicates = Vec::new();
        let root = convert(value, &mut duplicates);
        let has_comments = parsed.comments.is_some_and(|comments| !comments.is_empty());
        let lenient = match (bom, has_comments) {
            (true, _) => Some("a byte order mark"),
            (_, true) => Some("comments"),
            _ if serde_json::from_str::<serde::de::IgnoredAny>(&body).is_err() => Some("a trailing comma"),
            _ => None,
        };
        Ok(Self { root, lenient, duplicates, line_starts })
    }

    /// A tree from another syntax; offsets in it are those of `line_starts`.
    pub(crate) fn new(root: Node, duplicates: Vec<(String, usize)>, line_starts: Vec<usize>) -> Self {
        Self { root, lenient: None, duplicates, line_starts: line_starts.into() }
    }

    /// The line of an offset, counted from 1.
    pub(crate) fn line(&self, at: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= at).max(1)
    }
}

/// What the agents' own readers of commented JSON accept, and no more: a typo must not turn into another value.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// The parser refuses more than 512 levels, so this recursion is bounded.
fn convert(value: ast::Value<'_>, duplicates: &mut Vec<(String, usize)>) -> Node {
    let at = value.range().start;
    let value = match value {
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::BooleanLit(literal) => Value::Bool(literal.value),
        ast::Value::NumberLit(literal) => Value::Number(literal.value.parse().unwrap_or(f64::NAN)),
        ast::Value::StringLit(literal) => Value::String(literal.value.into_owned()),
        ast::Value::Array(array) => {
            Value::Array(array.elements.into_iter().map(|item| convert(item, duplicates)).collect())
        }
        ast::Value::Object(object) => {
            let mut entries: Vec<(String, Node)> = Vec::with_capacity(object.properties.len());
            let mut places = std::collections::HashMap::with_capacity(object.properties.len());
            for property in object.properties {
                let key_at = property.range.start;
                let key = property.name.into_string();
                let node = convert(property.value, duplicates);
                // JavaScript: the last of several equal keys counts.
                match places.get(&key).and_then(|index: &usize| entries.get_mut(*index)) {
                    Some(entry) => {
                        entry.1 = node;
                        duplicates.push((key, key_at));
                    }
                    None => {
                        places.insert(key.clone(), entries.len());
                        entries.push((key, node));
                    }
                }
            }
            Value::Object(entries)
        }
    };
    Node { value, at }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_their_lines() {
        let tree = Tree::parse("{\n  // why\n  \"a\": [1,\n   {\"b\": \"x\"},],\n}").unwrap();
        let list = tree.root.get("a").unwrap();
        let item = &list.as_array().unwrap()[1];
        assert_eq!((tree.line(list.at), tree.line(item.at)), (3, 4));
        assert_eq!(item.get("b").unwrap().as_str(), Some("x"));
        assert_eq!(tree.lenient, Some("comments"));
    }

    #[test]
    fn leniency_and_duplicates_are_noticed() {
        assert_eq!(Tree::parse("{\"a\":1}").unwrap().lenient, None);
        assert_eq!(Tree::parse("{\"a\":1,}").unwrap().lenient, Some("a trailing comma"));
        assert_eq!(Tree::parse("\u{feff}{}").unwrap().lenient, Some("a byte order mark"));
        let tree = Tree::parse("{\"a\":1,\n\"a\":2}").unwrap();
        assert_eq!(tree.root.get("a").unwrap().value, Value::Number(2.0));
        assert_eq!(tree.duplicates, [("a".to_owned(), 8)]);
    }

    #[test]
    fn faults_name_the_line() {
        for text in ["{\n\"a\": }", "{\n'a': 1}", "{\n\"a\": 0x1}", "{\n\"a\": 1 \"b\": 2}"] {
            let error = Tree::parse(text).unwrap_err();
            assert_eq!((error.kind(), error.place().line), (ErrorKind::InvalidSettings, Some(2)), "{text}");
        }
        assert!(Tree::parse(" ").is_err());
        assert!(Tree::parse(&"[".repeat(100_000)).is_err());
        assert!(Tree::parse("{\"a\":\"\\ud800\"}").unwrap().root.get("a").is_some());
    }
}
