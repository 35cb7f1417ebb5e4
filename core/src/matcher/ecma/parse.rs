//! The pattern grammar of ECMA-262 §22.2.1 without the `u` and `v` flags, as amended by Annex B §B.1.2.
//!
//! The parser keeps its own stack of open groups, so that nesting costs no call stack.

use super::SyntaxError;
use super::ast::{Assertion, Atom, Extent, Look, Node, Repeat};
use super::class::{self, CharSet};
use super::scan::{self, Groups};

/// Deeper nesting of groups is refused: the later stages recurse once per level, and must fit the small
/// stacks of other languages' threads.
const MAX_NESTING: usize = 100;

/// Counts are clamped here, which JavaScript engines treat as infinity.
const MAX_COUNT: usize = 0x7FFF_FFFF;

/// A parsed pattern.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) root: Node,
    pub(super) classes: Vec<CharSet>,
    pub(super) group_count: usize,
    pub(super) look_count: usize,
    pub(super) has_back_references: bool,
}

pub(super) fn parse(pattern: &str) -> Result<Parsed, SyntaxError> {
    let units: Vec<u16> = pattern.encode_utf16().collect();
    let groups = scan::groups(&units);
    let mut parser = Parser {
        units: &units,
        position: 0,
        groups,
        opened_groups: 0,
        look_count: 0,
        has_back_references: false,
        classes: Vec::new(),
        frame: Frame::new(Opening::Pattern, 0, 0),
        outer: Vec::new(),
    };
    while let Some(unit) = parser.peek(0) {
        parser.term(unit)?;
    }
    parser.finish()
}

/// What closes at the next `)`.
#[derive(Clone, Copy, Debug)]
enum Opening {
    Pattern,
    Plain,
    Capture(usize),
    Look { id: usize, behind: bool, negative: bool },
}

#[derive(Debug)]
struct Frame {
    opening: Opening,
    start: usize,
    first_group: usize,
    alternatives: Vec<Node>,
    terms: Vec<Node>,
}

impl Frame {
    fn new(opening: Opening, start: usize, first_group: usize) -> Self {
        Self { opening, start, first_group, alternatives: Vec::new(), terms: Vec::new() }
    }

    fn end_alternative(&mut self) {
        let mut terms = std::mem::take(&mut self.terms);
        let alternative = match (terms.pop(), terms.is_empty()) {
            (None, _) => Node::Empty,
            (Some(only), true) => only,
            (Some(last), false) => {
                terms.push(last);
                Node::Concat(terms)
            }
        };
        self.alternatives.push(alternative);
    }

    fn into_node(mut self) -> Node {
        self.end_alternative();
        match (self.alternatives.pop(), self.alternatives.is_empty()) {
            (None, _) => Node::Empty,
            (Some(only), true) => only,
            (Some(last), false) => {
                self.alternatives.push(last);
                Node::Alternation(self.alternatives)
            }
        }
    }
}

pub(super) struct Parser<'a> {
    pub(super) units: &'a [u16],
    pub(super) position: usize,
    pub(super) groups: Groups,
    opened_groups: usize,
    look_count: usize,
    has_back_references: bool,
    classes: Vec<CharSet>,
    frame: Frame,
    outer: Vec<Frame>,
}

/// The unit as an ASCII byte, or a byte that no pattern syntax uses.
pub(super) fn ascii(unit: u16) -> u8 {
    u8::try_from(unit).unwrap_or(u8::MAX)
}

impl Parser<'_> {
    pub(super) fn peek(&self, ahead: usize) -> Option<u16> {
        self.units.get(self.position.saturating_add(ahead)).copied()
    }

    pub(super) fn next_is(&self, ahead: usize, expected: u8) -> bool {
        self.peek(ahead) == Some(u16::from(expected))
    }

    pub(super) fn advance(&mut self, count: usize) {
        self.position = self.position.saturating_add(count);
    }

    fn finish(mut self) -> Result<Parsed, SyntaxError> {
        if !self.outer.is_empty() {
            return Err(SyntaxError::new("unterminated group", self.frame.start));
        }
        let whole = Frame::new(Opening::Pattern, 0, 0);
        let root = std::mem::replace(&mut self.frame, whole).into_node();
        Ok(Parsed {
            root,
            classes: self.classes,
            group_count: self.opened_groups,
            look_count: self.look_count,
            has_back_references: self.has_back_references,
        })
    }

    fn term(&mut self, unit: u16) -> Result<(), SyntaxError> {
        match ascii(unit) {
            b'(' => self.open_group(),
            b')' => self.close_group(),
            b'|' => {
                self.advance(1);
                self.frame.end_alternative();
                Ok(())
            }
            b'^' => self.assertion(1, Assertion::Start),
            b'$' => self.assertion(1, Assertion::End),
            b'*' | b'+' | b'?' => Err(SyntaxError::new("nothing to repeat", self.position)),
            // Annex B: InvalidBracedQuantifier; any other `{` is an ExtendedPatternCharacter.
            b'{' if self.braces().is_some() => Err(SyntaxError::new("nothing to repeat", self.position)),
            b'.' => self.atom(1, Atom::NotLineTerminator),
            b'[' => {
                let set = self.class()?;
                self.class_atom(set)
            }
            b'\\' => self.escape(),
            _ => self.atom(1, Atom::Unit(unit)),
        }
    }

    fn escape(&mut self) -> Result<(), SyntaxError> {
        let letter = self.peek(1).map_or(0, ascii);
        if let Some(ranges) = class::escape_ranges(letter) {
            self.advance(2);
            return self.class_atom(CharSet::new(ranges, false));
        }
        match letter {
            b'b' => return self.assertion(2, Assertion::WordBoundary),
            b'B' => return self.assertion(2, Assertion::NotWordBoundary),
            b'k' if self.groups.has_names() => {
                let group = self.named_reference()?;
                return self.back_reference(group);
            }
            b'1'..=b'9' => {
                // Annex B: a DecimalEscape only if the whole pattern has that many groups.
                if let Some(group) = self.decimal_escape() {
                    return self.back_reference(group);
                }
            }
            _ => {}
        }
        let unit = self.character_escape(false)?;
        self.atom(0, Atom::Unit(unit))
    }

    fn back_reference(&mut self, group: usize) -> Result<(), SyntaxError> {
        self.has_back_references = true;
        self.quantified(Node::BackReference(group), self.opened_groups)
    }

    fn class_atom(&mut self, set: CharSet) -> Result<(), SyntaxError> {
        let index = self.classes.len();
        self.classes.push(set);
        self.atom(0, Atom::Class(index))
    }

    fn atom(&mut self, length: usize, atom: Atom) -> Result<(), SyntaxError> {
        self.advance(length);
        self.quantified(Node::Atom(atom), self.opened_groups)
    }

    /// An assertion cannot be quantified: a quantifier after it finds "nothing to repeat".
    fn assertion(&mut self, length: usize, assertion: Assertion) -> Result<(), SyntaxError> {
        self.advance(length);
        self.frame.terms.push(Node::Assert(assertion));
        Ok(())
    }

    fn open_group(&mut self) -> Result<(), SyntaxError> {
        let start = self.position;
        if self.outer.len() >= MAX_NESTING {
            return Err(SyntaxError::limit("groups nested too deeply", start));
        }
        let first_group = self.opened_groups;
        let opening = if self.next_is(1, b'?') { self.special_group()? } else { self.capture_group(1) };
        let frame = Frame::new(opening, start, first_group);
        self.outer.push(std::mem::replace(&mut self.frame, frame));
        Ok(())
    }

    fn capture_group(&mut self, length: usize) -> Opening {
        self.advance(length);
        self.opened_groups = self.opened_groups.saturating_add(1);
        Opening::Capture(self.opened_groups)
    }

    fn special_group(&mut self) -> Result<Opening, SyntaxError> {
        let (length, behind, negative) = match (self.peek(2).map_or(0, ascii), self.peek(3).map_or(0, ascii))
        {
            (b':', _) => {
                self.advance(3);
                return Ok(Opening::Plain);
            }
            (b'=', _) => (3, false, false),
            (b'!', _) => (3, false, true),
            (b'<', b'=') => (4, true, false),
            (b'<', b'!') => (4, true, true),
            (b'<', _) => return self.named_group(),
            _ => return Err(SyntaxError::new("invalid group", self.position)),
        };
        self.advance(length);
        let id = self.look_count;
        self.look_count = id.saturating_add(1);
        Ok(Opening::Look { id, behind, negative })
    }

    fn named_group(&mut self) -> Result<Opening, SyntaxError> {
        let start = self.position;
        let Some((name, length)) = scan::group_name(self.units, start.saturating_add(3)) else {
            return Err(SyntaxError::new("invalid capture group name", start));
        };
        let opening = self.capture_group(length.saturating_add(3));
        if self.groups.index_of(&name) != Some(self.opened_groups) {
            return Err(SyntaxError::new("duplicate capture group name", start));
        }
        Ok(opening)
    }

    fn close_group(&mut self) -> Result<(), SyntaxError> {
        let Some(parent) = self.outer.pop() else {
            return Err(SyntaxError::new("unmatched ')'", self.position));
        };
        self.advance(1);
        let closed = std::mem::replace(&mut self.frame, parent);
        let (opening, first_group) = (closed.opening, closed.first_group);
        let body = closed.into_node();
        match opening {
            Opening::Pattern | Opening::Plain => self.quantified(body, first_group),
            Opening::Capture(index) => {
                self.quantified(Node::Group { index, body: Box::new(body) }, first_group)
            }
            Opening::Look { id, behind, negative } => {
                let look = Node::Look(Box::new(Look { id, behind, negative, body }));
                // Annex B: QuantifiableAssertion covers the lookaheads only.
                if behind {
                    self.frame.terms.push(look);
                    return Ok(());
                }
                self.quantified(look, first_group)
            }
        }
    }

    /// Adds `body` to the current alternative, under the quantifier that follows it, if any.
    fn quantified(&mut self, body: Node, first_group: usize) -> Result<(), SyntaxError> {
        let start = self.position;
        let (min, max, length) = match self.peek(0).map_or(0, ascii) {
            b'*' => (0, None, 1),
            b'+' => (1, None, 1),
            b'?' => (0, Some(1), 1),
            _ => match self.braces() {
                Some(bounds) => bounds,
                None => {
                    self.frame.terms.push(body);
                    return Ok(());
                }
            },
        };
        if max.is_some_and(|max| max < min) {
            return Err(SyntaxError::new("numbers out of order in {} quantifier", start));
        }
        self.advance(length);
        let greedy = !self.next_is(0, b'?');
        self.advance(usize::from(!greedy));
        // Group numbers start at 1, so the groups opened since are `first_group + 1 ..= opened_groups`.
        let (first_group, end_group) = (first_group.saturating_add(1), self.opened_groups.saturating_add(1));
        let extent = Extent::of(&body);
        let max = max.filter(|&max| max < MAX_COUNT);
        let repeat = Repeat { body, min, max, greedy, first_group, end_group, extent };
        self.frame.terms.push(Node::Repeat(Box::new(repeat)));
        Ok(())
    }

    /// A braced quantifier at the current position: minimum, maximum, length.
    fn braces(&self) -> Option<(usize, Option<usize>, usize)> {
        if !self.next_is(0, b'{') {
            return None;
        }
        let (min, mut length) = self.count(1)?;
        let mut max = Some(min);
        if self.next_is(length, b',') {
            length = length.saturating_add(1);
            max = None;
            if let Some((limit, end)) = self.count(length) {
                max = Some(limit);
                length = end;
            }
        }
        self.next_is(length, b'}').then(|| (min, max, length.saturating_add(1)))
    }

    /// DecimalDigits `ahead` of the current position: the clamped value, and how far ahead they end.
    fn count(&self, ahead: usize) -> Option<(usize, usize)> {
        let (mut value, mut end) = (0usize, ahead);
        while let Some(digit) = self.peek(end).and_then(|unit| char::from(ascii(unit)).to_digit(10)) {
            let digit = usize::try_from(digit).unwrap_or(0);
            value = value.saturating_mul(10).saturating_add(digit).min(MAX_COUNT);
            end = end.saturating_add(1);
        }
        (end > ahead).then_some((value, end))
    }
}
