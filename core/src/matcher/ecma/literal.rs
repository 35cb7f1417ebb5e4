//! Patterns that need no automaton: alternatives of plain text, such as `Bash` or `^(?:Edit|Write)$`.

use super::ast::{Assertion, Atom, Node};

/// Plain text, possibly anchored.
#[derive(Debug)]
pub(super) struct Literal {
    text: String,
    at_start: bool,
    at_end: bool,
}

impl Literal {
    fn matches(&self, subject: &str) -> bool {
        let text = self.text.as_str();
        match (self.at_start, self.at_end) {
            (false, false) => subject.contains(text),
            (true, false) => subject.starts_with(text),
            (false, true) => subject.ends_with(text),
            (true, true) => subject == text,
        }
    }
}

pub(super) fn test(literals: &[Literal], subject: &str) -> bool {
    literals.iter().any(|literal| literal.matches(subject))
}

/// The alternatives of `root`, if each is plain text.
///
/// Text that is well-formed UTF-16 occurs in a well-formed subject exactly where its UTF-8 form does, so
/// the search needs no code units.
pub(super) fn literals(root: &Node) -> Option<Vec<Literal>> {
    match root {
        Node::Alternation(nodes) => nodes.iter().map(|node| literal(std::slice::from_ref(node))).collect(),
        Node::Concat(nodes) => match nodes.as_slice() {
            [Node::Assert(Assertion::Start), inner, Node::Assert(Assertion::End)] => anchored(inner),
            nodes => literal(nodes).map(|literal| vec![literal]),
        },
        node => literal(std::slice::from_ref(node)).map(|literal| vec![literal]),
    }
}

/// `^(?:a|b)$`
fn anchored(inner: &Node) -> Option<Vec<Literal>> {
    let inner = match inner {
        Node::Group { body, .. } => body,
        inner => inner,
    };
    let mut literals = literals(inner)?;
    for literal in &mut literals {
        literal.at_start = true;
        literal.at_end = true;
    }
    Some(literals)
}

fn literal(nodes: &[Node]) -> Option<Literal> {
    let nodes = match nodes {
        [Node::Concat(nodes)] => nodes,
        nodes => nodes,
    };
    let (at_start, nodes) = match nodes {
        [Node::Assert(Assertion::Start), rest @ ..] => (true, rest),
        nodes => (false, nodes),
    };
    let (at_end, nodes) = match nodes {
        [rest @ .., Node::Assert(Assertion::End)] => (true, rest),
        nodes => (false, nodes),
    };
    let units: Option<Vec<u16>> = nodes.iter().map(unit).collect();
    let text = String::from_utf16(&units?).ok()?;
    Some(Literal { text, at_start, at_end })
}

fn unit(node: &Node) -> Option<u16> {
    match node {
        Node::Atom(Atom::Unit(unit)) => Some(*unit),
        _ => None,
    }
}
