//! YAML frontmatter as the tree that JSON settings have, read as the JavaScript agents read it: YAML 1.2, core schema
//! (`yes` is a string), the last of two equal keys counts. Aliases are expanded within bounds.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};

use super::tree::{Node, Tree, Value};

/// Frontmatter longer than this is refused.
const LONGEST: usize = 1024 * 1024;
/// Values, those that aliases repeat included. Small texts must not become large trees.
const MOST_NODES: usize = 100_000;
/// Hooks are six levels deep.
const DEEPEST: usize = 100;

/// Why a frontmatter is not usable, and the line, counted from 1 in the whole file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    pub(crate) why: String,
    pub(crate) line: usize,
}

/// The frontmatter of a Markdown file: what stands between a first line `---` and the next one. `None` when there is
/// none.
///
/// # Errors
/// When it is no YAML mapping, or exceeds a limit.
pub(crate) fn frontmatter(file: &str) -> Result<Option<Tree>, Malformed> {
    let body = file.strip_prefix('\u{feff}').unwrap_or(file);
    let mut lines = body.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| is_fence(line)) else { return Ok(None) };
    let mut end = first.len();
    for line in lines {
        if is_fence(line) {
            let text = body.get(first.len()..end).unwrap_or_default();
            return parse(text).map(Some);
        }
        end = end.saturating_add(line.len());
    }
    Err(Malformed { why: "the closing line `---` is missing".to_owned(), line: 1 })
}

fn is_fence(line: &str) -> bool {
    line.trim_end() == "---"
}

/// Parses YAML that starts on the second line of its file.
fn parse(text: &str) -> Result<Tree, Malformed> {
    if text.len() > LONGEST {
        let why = format!("it is longer than {} KiB", LONGEST >> 10);
        return Err(Malformed { why, line: 2 });
    }
    let mut builder = Builder {
        parser: Parser::new_from_str(text),
        anchors: HashMap::new(),
        nodes: 0,
        duplicates: Vec::new(),
        line: 1,
    };
    let root = builder.document()?;
    // Offsets stand for lines here: each line is one long, and the fence is the first.
    let starts = (0..=text.lines().count().saturating_add(1)).collect();
    match root {
        Node { value: Value::Object(_), .. } => Ok(Tree::new(root, builder.duplicates, starts)),
        Node { value: Value::Null, at } => {
            Ok(Tree::new(Node { value: Value::Object(Vec::new()), at }, Vec::new(), starts))
        }
        other => Err(Malformed { why: format!("it is {}, not a mapping", other.words()), line: 2 }),
    }
}

struct Builder<'i> {
    parser: Parser<'i, StrInput<'i>>,
    /// The value of each anchor and how many nodes it has.
    anchors: HashMap<usize, (Node, usize)>,
    nodes: usize,
    duplicates: Vec<(String, usize)>,
    /// Of the last event, in the frontmatter.
    line: usize,
}

impl<'i> Builder<'i> {
    fn fail<T>(&self, why: impl Into<String>) -> Result<T, Malformed> {
        Err(Malformed { why: why.into(), line: self.line.saturating_add(1) })
    }

    fn next(&mut self) -> Result<(Event<'i>, Span), Malformed> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => {
                self.line = span.start.line();
                Ok((event, span))
            }
            Some(Err(error)) => {
                self.line = error.marker().line();
                self.fail(error.info())
            }
            None => self.fail("it ends too early"),
        }
    }

    fn document(&mut self) -> Result<Node, Malformed> {
        let mut root = None;
        loop {
            let (event, _) = self.next()?;
            match event {
                Event::Nothing | Event::StreamStart | Event::DocumentEnd => {}
                Event::DocumentStart(_) if root.is_some() => return self.fail("it holds a second document"),
                Event::DocumentStart(_) => {
                    let first = self.next()?;
                    root = Some(self.value(first, 0)?);
                }
                Event::StreamEnd => return Ok(root.unwrap_or(Node { value: Value::Null, at: 1 })),
                _ => return self.fail("it is no single value"),
            }
        }
    }

    /// The offset that stands for a line of the frontmatter.
    fn offset(span: Span) -> usize {
        span.start.line()
    }

    fn count(&mut self, nodes: usize) -> Result<(), Malformed> {
        self.nodes = self.nodes.saturating_add(nodes);
        if self.nodes > MOST_NODES {
            return self
                .fail(format!("it has more than {MOST_NODES} values, those that aliases repeat included"));
        }
        Ok(())
    }

    fn value(&mut self, (event, span): (Event<'i>, Span), depth: usize) -> Result<Node, Malformed> {
        if depth > DEEPEST {
            return self.fail(format!("it is nested more than {DEEPEST} levels deep"));
        }
        self.count(1)?;
        let (before, at) = (self.nodes, Self::offset(span));
        let (value, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let tag = tag.filter(|tag| tag.is_yaml_core_schema()).map(|tag| tag.suffix.clone());
                (scalar(&text, style, tag.as_deref()), anchor)
            }
            Event::SequenceStart(anchor, _) => (Value::Array(self.items(depth)?), anchor),
            Event::MappingStart(anchor, _) => (Value::Object(self.entries(depth)?), anchor),
            Event::Alias(anchor) => {
                // An alias inside its own anchor has no value yet: it would never end.
                let Some((_, size)) = self.anchors.get(&anchor) else {
                    return self.fail("an alias stands for nothing, or for what it is part of");
                };
                self.count(*size)?;
                let node = self.anchors.get(&anchor).map(|(node, _)| node.value.clone());
                (node.unwrap_or(Value::Null), 0)
            }
            _ => return self.fail("it is cut off"),
        };
        let node = Node { value, at };
        if anchor > 0 {
            let size = self.nodes.saturating_sub(before).saturating_add(1);
            // A copy: it counts, so that many anchors around one another stay within bounds too.
            self.count(size)?;
            self.anchors.insert(anchor, (node.clone(), size));
        }
        Ok(node)
    }

    fn items(&mut self, depth: usize) -> Result<Vec<Node>, Malformed> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(items),
                event => items.push(self.value(event, depth.saturating_add(1))?),
            }
        }
    }

    fn entries(&mut self, depth: usize) -> Result<Vec<(String, Node)>, Malformed> {
        let mut entries: Vec<(String, Node)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        loop {
            let event = self.next()?;
            if matches!(event.0, Event::MappingEnd) {
                return Ok(entries);
            }
            let key = self.value(event, depth.saturating_add(1))?;
            let key_at = key.at;
            let key = match key.value {
                Value::String(text) => text,
                Value::Number(number) => number.to_string(),
                Value::Bool(value) => value.to_string(),
                Value::Null => "null".to_owned(),
                Value::Array(_) | Value::Object(_) => return self.fail("a key is no plain text"),
            };
            let next = self.next()?;
            let node = self.value(next, depth.saturating_add(1))?;
            match places.get(&key).and_then(|index| entries.get_mut(*index)) {
                Some(entry) => {
                    entry.1 = node;
                    self.duplicates.push((key, key_at));
                }
                None => {
                    places.insert(key.clone(), entries.len());
                    entries.push((key, node));
                }
            }
        }
    }
}

/// A scalar in the core schema of YAML 1.2: only a plain one can be anything but a string.
fn scalar(text: &str, style: ScalarStyle, tag: Option<&str>) -> Value {
    if tag == Some("str") || (style != ScalarStyle::Plain && tag.is_none()) {
        return Value::String(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

/// Decimal, `0o` octal and `0x` hexadecimal integers, decimal fractions with or without exponent. Infinities and NaN
/// are no numbers that settings could use.
fn number(text: &str) -> Option<f64> {
    let radix = |digits: &str, radix| {
        let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
        plain.then(|| u64::from_str_radix(digits, radix).ok()).flatten().map(|value| value as f64)
    };
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let starts = unsigned.strip_prefix('.').unwrap_or(unsigned).starts_with(|c: char| c.is_ascii_digit());
    let plain = unsigned.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'-' | b'+'));
    if starts && plain { text.parse().ok().filter(|value: &f64| value.is_finite()) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(yaml: &str) -> Tree {
        frontmatter(&format!("---\n{yaml}\n---\nbody")).unwrap().unwrap()
    }

    fn refused(yaml: &str) -> Malformed {
        frontmatter(&format!("---\n{yaml}\n---\n")).unwrap_err()
    }

    #[test]
    fn scalars_are_those_of_yaml_1_2() {
        let tree = read(
            "a: yes\nb: on\nc: true\nd: 10\ne: 0x1F\nf: 1_000\ng: 1.5e3\nh: ~\ni: '5'\nj: !!str 7\nk: .inf\nl: 0o17\nm: 1:30",
        );
        let text = |text: &str| Value::String(text.into());
        for (key, value) in [
            ("a", text("yes")),
            ("b", text("on")),
            ("c", Value::Bool(true)),
            ("d", Value::Number(10.0)),
            ("e", Value::Number(31.0)),
            ("f", text("1_000")),
            ("g", Value::Number(1500.0)),
            ("h", Value::Null),
            ("i", text("5")),
            ("j", text("7")),
            ("k", text(".inf")),
            ("l", Value::Number(15.0)),
            ("m", text("1:30")),
        ] {
            assert_eq!(tree.root.get(key).unwrap().value, value, "{key}");
        }
    }

    #[test]
    fn values_know_their_line_in_the_file() {
        let tree = read(
            "name: x\nhooks:\n  Stop:\n    - hooks:\n        - type: command\n          command: |\n            a\n            b",
        );
        let hook = tree
            .root
            .step("hooks")
            .and_then(|n| n.step("Stop")?.step("0")?.step("hooks")?.step("0"))
            .unwrap();
        assert_eq!(tree.line(hook.at), 6);
        assert_eq!(hook.get("command").unwrap().as_str(), Some("a\nb\n"));
    }

    #[test]
    fn the_last_of_equal_keys_counts() {
        let tree = read("a: 1\na: 2");
        assert_eq!(tree.root.get("a").unwrap().value, Value::Number(2.0));
        assert_eq!(tree.duplicates.len(), 1);
        assert_eq!(tree.line(tree.duplicates[0].1), 3);
    }

    #[test]
    fn aliases_are_expanded_within_bounds() {
        let tree = read("a: &x [1, 2]\nb: *x");
        assert_eq!(tree.root.get("b").unwrap().as_array().unwrap().len(), 2);
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let below = format!("*a{}, ", level - 1).repeat(10);
            bomb.push_str(&format!("a{level}: &a{level} [{below}]\n"));
        }
        assert!(refused(&bomb).why.contains("100000 values"));
        assert!(refused("a: &x [*x]").why.contains("alias"));
        assert!(refused("a: *nothing").line >= 2);
    }

    #[test]
    fn what_is_no_mapping_is_refused_with_its_line() {
        assert_eq!(refused("- a").why, "it is an array, not a mapping");
        assert_eq!(refused("ok: 1\nbad: a: b\nmore: 1").line, 3);
        for (opening, many) in [("[", 500_000), ("{a: ", 200_000), ("- ", 200_000), ("? ", 200_000)] {
            for depth in [600, many] {
                let why = refused(&format!("a:\n {}", opening.repeat(depth))).why;
                assert!(why.contains("100 levels") || why.contains("limit"), "{opening}: {why}");
            }
        }
        assert!(refused(&format!("a: {}", "x".repeat(LONGEST))).why.contains("1024 KiB"));
        assert_eq!(frontmatter("---\na: 1").unwrap_err().line, 1);
        assert!(frontmatter("# no frontmatter\n---\n").unwrap().is_none());
        assert!(frontmatter("").unwrap().is_none());
        assert!(frontmatter("---\r\na: 1\r\n---\r\n").unwrap().unwrap().root.get("a").is_some());
        assert!(read("").root.as_object().unwrap().is_empty());
    }
}
