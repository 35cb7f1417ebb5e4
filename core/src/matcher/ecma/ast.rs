//! The parsed pattern, and the size facts about it that bound the compiled program.

use super::class::{self, CharSet};
use super::exec::MAX_STEPS;

/// One code unit's worth of pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Atom {
    Unit(u16),
    /// `.` without the `s` flag.
    NotLineTerminator,
    /// An index into the pattern's character sets.
    Class(usize),
}

impl Atom {
    pub(super) fn accepts(self, unit: u16, classes: &[CharSet]) -> bool {
        match self {
            Self::Unit(expected) => expected == unit,
            Self::NotLineTerminator => !class::is_line_terminator(unit),
            Self::Class(index) => classes.get(index).is_some_and(|set| set.contains(unit)),
        }
    }
}

/// A zero-width assertion that looks at no more than the two neighbouring code units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assertion {
    Start,
    End,
    WordBoundary,
    NotWordBoundary,
}

impl Assertion {
    pub(super) fn holds(self, units: &[u16], position: usize) -> bool {
        match self {
            Self::Start => position == 0,
            Self::End => position == units.len(),
            Self::WordBoundary => at_boundary(units, position),
            Self::NotWordBoundary => !at_boundary(units, position),
        }
    }
}

fn at_boundary(units: &[u16], position: usize) -> bool {
    let word_at = |index: usize| units.get(index).is_some_and(|&unit| class::is_word(unit));
    position.checked_sub(1).is_some_and(word_at) != word_at(position)
}

#[derive(Debug)]
pub(super) enum Node {
    Empty,
    Atom(Atom),
    Assert(Assertion),
    BackReference(usize),
    Group { index: usize, body: Box<Node> },
    Look(Box<Look>),
    Concat(Vec<Node>),
    Alternation(Vec<Node>),
    Repeat(Box<Repeat>),
}

/// A lookahead or lookbehind. `id` is unique in the pattern.
#[derive(Debug)]
pub(super) struct Look {
    pub(super) id: usize,
    pub(super) behind: bool,
    pub(super) negative: bool,
    pub(super) body: Node,
}

/// A quantified term. The capture groups inside it are `first_group..end_group`.
#[derive(Debug)]
pub(super) struct Repeat {
    pub(super) body: Node,
    pub(super) min: usize,
    pub(super) max: Option<usize>,
    pub(super) greedy: bool,
    pub(super) first_group: usize,
    pub(super) end_group: usize,
    pub(super) extent: Extent,
}

/// What a node's expanded code costs and what it can consume. Computed once per `Repeat`, so that nested
/// quantifiers are never walked twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Instructions when every counted quantifier inside is written out.
    pub(super) size: usize,
    /// No match is shorter than this.
    pub(super) shortest: usize,
    /// Only ever matches the empty string.
    pub(super) zero_width: bool,
}

impl Extent {
    const ASSERTION: Self = Self { size: 1, shortest: 0, zero_width: true };

    pub(super) fn of(node: &Node) -> Self {
        match node {
            Node::Empty => Self { size: 0, ..Self::ASSERTION },
            Node::Assert(_) | Node::Look(_) => Self::ASSERTION,
            Node::Atom(_) => Self { size: 1, shortest: 1, zero_width: false },
            Node::BackReference(_) => Self { size: 1, shortest: 0, zero_width: false },
            Node::Group { body, .. } => Self::of(body),
            Node::Concat(nodes) => nodes.iter().map(Self::of).fold(Self::of(&Node::Empty), Self::then),
            Node::Alternation(nodes) => {
                nodes.iter().map(Self::of).reduce(Self::or).unwrap_or_else(|| Self::of(&Node::Empty))
            }
            Node::Repeat(repeat) => repeat.extent.repeated(repeat.min, repeat.max),
        }
    }

    fn then(self, next: Self) -> Self {
        Self {
            size: self.size.saturating_add(next.size),
            shortest: self.shortest.saturating_add(next.shortest),
            zero_width: self.zero_width && next.zero_width,
        }
    }

    fn or(self, other: Self) -> Self {
        Self {
            size: self.size.saturating_add(other.size).saturating_add(2),
            shortest: self.shortest.min(other.shortest),
            zero_width: self.zero_width && other.zero_width,
        }
    }

    fn repeated(self, min: usize, max: Option<usize>) -> Self {
        let expansion = self.expansion(min, max);
        let optional = match expansion.tail {
            Tail::Nothing => 0,
            Tail::AnyNumber => self.size.saturating_add(2),
            Tail::UpTo(count) => self.size.saturating_add(1).saturating_mul(count),
            Tail::Impossible => 1,
            Tail::ManyNullable => self.size.saturating_add(2).saturating_mul(3),
        };
        Self {
            size: self.size.saturating_mul(expansion.copies).saturating_add(optional),
            shortest: self.shortest.saturating_mul(min),
            zero_width: self.zero_width || max == Some(0),
        }
    }

    /// How to write out `body{min,max}` when captures do not matter, for a body of this extent.
    ///
    /// Counts that would make the program explode are replaced by something that no subject of at most
    /// `exact_up_to` code units can tell apart: such a subject has no room for that many iterations that
    /// consume anything, and iterations that consume nothing change nothing.
    pub(super) fn expansion(self, min: usize, max: Option<usize>) -> Expansion {
        let step = self.shortest.max(1);
        if self.zero_width || max == Some(0) {
            let copies = if max == Some(0) { 0 } else { min.min(1) };
            return Expansion { copies, tail: Tail::Nothing, exact_up_to: usize::MAX };
        }
        let longest_short = step.saturating_mul(min).saturating_sub(1);
        if too_costly(self.size.saturating_mul(min), longest_short) {
            let tail = if self.shortest == 0 { Tail::ManyNullable } else { Tail::Impossible };
            return Expansion { copies: 0, tail, exact_up_to: longest_short };
        }
        let optional = max.map(|max| max.saturating_sub(min));
        match (max, optional) {
            (_, Some(0)) => Expansion { copies: min, tail: Tail::Nothing, exact_up_to: usize::MAX },
            (Some(max), Some(count))
                if too_costly(self.size.saturating_mul(count), step.saturating_mul(max)) =>
            {
                let exact_up_to = step.saturating_mul(max);
                Expansion { copies: min, tail: Tail::AnyNumber, exact_up_to }
            }
            (_, Some(count)) => Expansion { copies: min, tail: Tail::UpTo(count), exact_up_to: usize::MAX },
            (_, None) => Expansion { copies: min, tail: Tail::AnyNumber, exact_up_to: usize::MAX },
        }
    }
}

/// The most instructions that one counted quantifier is written out to.
const MAX_EXPANSION: usize = 200_000;

/// Whether to replace `size` instructions by something that is exact for subjects of `exact_up_to` units:
/// when they are too many, or would exhaust the steps of a run on a shorter subject than that.
fn too_costly(size: usize, exact_up_to: usize) -> bool {
    size > MAX_EXPANSION || size.saturating_mul(exact_up_to) > MAX_STEPS
}

/// `copies` mandatory copies of a quantifier's body, then `tail`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Expansion {
    pub(super) copies: usize,
    pub(super) tail: Tail,
    /// The longest subject for which the expansion is exact.
    pub(super) exact_up_to: usize,
}

/// What follows the mandatory copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tail {
    Nothing,
    AnyNumber,
    UpTo(usize),
    /// The mandatory part is longer than any subject of `exact_up_to` code units.
    Impossible,
    /// More iterations than the subject has code units, of a body that may match nothing: at least one
    /// does, and then any number of them can, at the same place.
    ManyNullable,
}
