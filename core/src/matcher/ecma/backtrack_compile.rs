//! Programs for patterns with back-references, which need captures and hence backtracking.
//!
//! The code follows the continuation semantics of ECMA-262 §22.2.2 one to one: counted quantifiers keep
//! their count in a slot, and the terms inside a lookbehind run from right to left.

use super::SyntaxError;
use super::ast::{Assertion, Atom, Look, Node, Repeat};

/// The most instructions of one pattern; nothing is written out here, so only enormous patterns get there.
const MAX_PROGRAM: usize = 250_000;

#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    Atom {
        atom: Atom,
        backward: bool,
    },
    BackReference {
        group: usize,
        backward: bool,
    },
    Assert(Assertion),
    /// Stores the position in a slot.
    Save(usize),
    /// Continues at `first`; on failure at `second`.
    Split {
        first: usize,
        second: usize,
    },
    Jump(usize),
    /// Sets a quantifier's count to zero.
    LoopInit(usize),
    /// Decides between another iteration and the code after the quantifier.
    LoopHead(usize),
    /// Begins an iteration.
    LoopBody(usize),
    /// Ends an iteration, which must not have been empty once the minimum is reached.
    LoopEnd(usize),
    /// Runs the code up to the `LookEnd`, then goes on at `exit` from the same position.
    Look {
        negative: bool,
        exit: usize,
    },
    LookEnd,
    Accept,
}

/// A counted quantifier: code addresses, bounds and slots.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Loop {
    pub(super) head: usize,
    pub(super) body: usize,
    pub(super) exit: usize,
    pub(super) min: usize,
    pub(super) max: Option<usize>,
    pub(super) greedy: bool,
    /// Capture slots `first_slot..end_slot` are reset by each iteration.
    pub(super) first_slot: usize,
    pub(super) end_slot: usize,
    pub(super) count_slot: usize,
    pub(super) start_slot: usize,
}

#[derive(Debug)]
pub(super) struct Program {
    pub(super) code: Vec<Op>,
    pub(super) loops: Vec<Loop>,
    pub(super) slot_count: usize,
    /// Can only match from position 0.
    pub(super) anchored: bool,
}

/// The slots of a group's start and end.
pub(super) fn group_slots(group: usize) -> (usize, usize) {
    let start = group.saturating_sub(1).saturating_mul(2);
    (start, start.saturating_add(1))
}

pub(super) fn compile(root: &Node, group_count: usize) -> Result<Program, SyntaxError> {
    let slot_count = group_count.saturating_mul(2);
    let anchored = super::compile::is_anchored(root);
    let program = Program { code: Vec::new(), loops: Vec::new(), slot_count, anchored };
    let mut compiler = Compiler { program, backward: false };
    compiler.node(root)?;
    compiler.push(Op::Accept)?;
    Ok(compiler.program)
}

struct Compiler {
    program: Program,
    backward: bool,
}

impl Compiler {
    fn push(&mut self, op: Op) -> Result<usize, SyntaxError> {
        let at = self.here();
        if at >= MAX_PROGRAM {
            return Err(SyntaxError::too_large());
        }
        self.program.code.push(op);
        Ok(at)
    }

    fn here(&self) -> usize {
        self.program.code.len()
    }

    fn patch(&mut self, at: usize, op: Op) {
        if let Some(slot) = self.program.code.get_mut(at) {
            *slot = op;
        }
    }

    fn slot(&mut self) -> usize {
        let slot = self.program.slot_count;
        self.program.slot_count = slot.saturating_add(1);
        slot
    }

    fn node(&mut self, node: &Node) -> Result<(), SyntaxError> {
        let backward = self.backward;
        match node {
            Node::Empty => Ok(()),
            Node::Atom(atom) => self.push(Op::Atom { atom: *atom, backward }).map(drop),
            Node::Assert(assertion) => self.push(Op::Assert(*assertion)).map(drop),
            Node::BackReference(group) => self.push(Op::BackReference { group: *group, backward }).map(drop),
            Node::Group { index, body } => self.group(*index, body),
            Node::Look(look) => self.look(look),
            Node::Concat(nodes) if backward => nodes.iter().rev().try_for_each(|node| self.node(node)),
            Node::Concat(nodes) => nodes.iter().try_for_each(|node| self.node(node)),
            Node::Alternation(nodes) => self.alternation(nodes),
            Node::Repeat(repeat) => self.repeat(repeat),
        }
    }

    /// Running backward, a group is entered at its end (§22.2.2.7, Atom :: `(` Disjunction `)`).
    fn group(&mut self, index: usize, body: &Node) -> Result<(), SyntaxError> {
        let (start, end) = group_slots(index);
        let (entry, exit) = if self.backward { (end, start) } else { (start, end) };
        self.push(Op::Save(entry))?;
        self.node(body)?;
        self.push(Op::Save(exit)).map(drop)
    }

    fn look(&mut self, look: &Look) -> Result<(), SyntaxError> {
        let outer = std::mem::replace(&mut self.backward, look.behind);
        let at = self.push(Op::LookEnd)?;
        self.node(&look.body)?;
        self.push(Op::LookEnd)?;
        self.patch(at, Op::Look { negative: look.negative, exit: self.here() });
        self.backward = outer;
        Ok(())
    }

    fn alternation(&mut self, nodes: &[Node]) -> Result<(), SyntaxError> {
        let Some((last, firsts)) = nodes.split_last() else {
            return Ok(());
        };
        let mut jumps = Vec::with_capacity(firsts.len());
        for node in firsts {
            let split = self.push(Op::Accept)?;
            self.node(node)?;
            jumps.push(self.push(Op::Accept)?);
            self.patch(split, Op::Split { first: split.saturating_add(1), second: self.here() });
        }
        self.node(last)?;
        let end = self.here();
        for jump in jumps {
            self.patch(jump, Op::Jump(end));
        }
        Ok(())
    }

    fn repeat(&mut self, repeat: &Repeat) -> Result<(), SyntaxError> {
        let has_groups = repeat.first_group < repeat.end_group;
        if repeat.max == Some(0) {
            return Ok(());
        }
        if repeat.min == 0 && repeat.max.is_none() && repeat.extent.shortest > 0 && !has_groups {
            return self.plain_star(&repeat.body, repeat.greedy);
        }
        let number = self.program.loops.len();
        self.program.loops.push(Loop::default());
        let (count_slot, start_slot) = (self.slot(), self.slot());
        self.push(Op::LoopInit(number))?;
        let head = self.push(Op::LoopHead(number))?;
        let body = self.push(Op::LoopBody(number))?;
        self.node(&repeat.body)?;
        let end = self.push(Op::LoopEnd(number))?;
        let finished = Loop {
            head,
            body,
            exit: end.saturating_add(1),
            min: repeat.min,
            max: repeat.max,
            greedy: repeat.greedy,
            first_slot: group_slots(repeat.first_group).0,
            end_slot: group_slots(repeat.end_group).0,
            count_slot,
            start_slot,
        };
        if let Some(slot) = self.program.loops.get_mut(number) {
            *slot = finished;
        }
        Ok(())
    }

    /// `body*` where neither a count nor the empty check nor a capture reset can matter.
    fn plain_star(&mut self, body: &Node, greedy: bool) -> Result<(), SyntaxError> {
        let split = self.push(Op::Accept)?;
        self.node(body)?;
        let jump = self.push(Op::Jump(split))?;
        let (body, exit) = (split.saturating_add(1), jump.saturating_add(1));
        let (first, second) = if greedy { (body, exit) } else { (exit, body) };
        self.patch(split, Op::Split { first, second });
        Ok(())
    }
}
