//! Automata for patterns without back-references.
//!
//! Captures cannot influence whether such a pattern matches, so a match is plain reachability in a
//! nondeterministic automaton, and a lookaround is a set of positions. Each lookaround becomes a sweep of
//! its own that yields the positions where its body matches: a lookbehind runs over the subject from left
//! to right, a lookahead runs in reverse from right to left, and inner ones come before outer ones.

use super::SyntaxError;
use super::ast::{Assertion, Atom, Expansion, Look, Node, Repeat, Tail};

/// The most instructions of one pattern.
const MAX_PROGRAM: usize = 250_000;

#[derive(Clone, Copy, Debug)]
pub(super) enum Inst {
    Atom(Atom),
    Assert(Assertion),
    /// Passes where the sweep of this number did (or did not) find its body.
    Look {
        sweep: usize,
        negative: bool,
    },
    Split(usize, usize),
    Jump(usize),
    Fail,
    Accept,
}

/// One automaton, started at every position of the subject.
#[derive(Debug)]
pub(super) struct Sweep {
    pub(super) code: Vec<Inst>,
    /// Runs from the end of the subject to its start.
    pub(super) backward: bool,
}

#[derive(Debug)]
pub(super) struct Automaton {
    pub(super) main: Sweep,
    /// The lookarounds, each after those that it contains.
    pub(super) looks: Vec<Sweep>,
    /// The longest subject for which the verdict is exact.
    pub(super) exact_up_to: usize,
    /// Can only match from position 0.
    pub(super) anchored: bool,
}

pub(super) fn compile(root: &Node, look_count: usize) -> Result<Automaton, SyntaxError> {
    let mut compiler = Compiler {
        code: Vec::new(),
        backward: false,
        empty_only: false,
        emitted: 0,
        looks: Vec::new(),
        sweep_of: vec![None; look_count],
        exact_up_to: usize::MAX,
    };
    compiler.node(root)?;
    compiler.push(Inst::Accept)?;
    Ok(Automaton {
        main: Sweep { code: compiler.code, backward: false },
        looks: compiler.looks,
        exact_up_to: compiler.exact_up_to,
        anchored: is_anchored(root),
    })
}

/// Whether every path through `node` begins with `^`.
pub(super) fn is_anchored(node: &Node) -> bool {
    match node {
        Node::Assert(Assertion::Start) => true,
        Node::Group { body, .. } => is_anchored(body),
        Node::Concat(nodes) => nodes.first().is_some_and(is_anchored),
        Node::Alternation(nodes) => nodes.iter().all(is_anchored),
        _ => false,
    }
}

struct Compiler {
    code: Vec<Inst>,
    backward: bool,
    /// Compile only the ways to match the empty string.
    empty_only: bool,
    /// Instructions in all sweeps so far.
    emitted: usize,
    looks: Vec<Sweep>,
    /// The sweep of each lookaround of the pattern, once compiled: copies of a quantifier's body share it.
    sweep_of: Vec<Option<usize>>,
    exact_up_to: usize,
}

impl Compiler {
    fn push(&mut self, inst: Inst) -> Result<usize, SyntaxError> {
        self.emitted = self.emitted.saturating_add(1);
        if self.emitted > MAX_PROGRAM {
            return Err(SyntaxError::too_large());
        }
        self.code.push(inst);
        Ok(self.code.len().saturating_sub(1))
    }

    fn patch(&mut self, at: usize, inst: Inst) {
        if let Some(slot) = self.code.get_mut(at) {
            *slot = inst;
        }
    }

    fn node(&mut self, node: &Node) -> Result<(), SyntaxError> {
        match node {
            Node::Empty => Ok(()),
            Node::Atom(_) if self.empty_only => self.push(Inst::Fail).map(drop),
            Node::Atom(atom) => self.push(Inst::Atom(*atom)).map(drop),
            Node::Assert(assertion) => self.push(Inst::Assert(*assertion)).map(drop),
            Node::Group { body, .. } => self.node(body),
            Node::Look(look) => self.look(look),
            Node::Concat(nodes) if self.backward => nodes.iter().rev().try_for_each(|node| self.node(node)),
            Node::Concat(nodes) => nodes.iter().try_for_each(|node| self.node(node)),
            Node::Alternation(nodes) => self.alternation(nodes),
            Node::Repeat(repeat) => self.repeat(repeat),
            // Such patterns are never compiled to an automaton.
            Node::BackReference(_) => self.push(Inst::Fail).map(drop),
        }
    }

    fn alternation(&mut self, nodes: &[Node]) -> Result<(), SyntaxError> {
        let Some((last, firsts)) = nodes.split_last() else {
            return Ok(());
        };
        let mut jumps = Vec::with_capacity(firsts.len());
        for node in firsts {
            let split = self.push(Inst::Fail)?;
            self.node(node)?;
            jumps.push(self.push(Inst::Fail)?);
            self.patch(split, Inst::Split(split.saturating_add(1), self.code.len()));
        }
        self.node(last)?;
        let end = self.code.len();
        for jump in jumps {
            self.patch(jump, Inst::Jump(end));
        }
        Ok(())
    }

    fn look(&mut self, look: &Look) -> Result<(), SyntaxError> {
        let known = self.sweep_of.get(look.id).copied().flatten();
        let sweep = match known {
            Some(sweep) => sweep,
            None => self.look_sweep(look)?,
        };
        self.push(Inst::Look { sweep, negative: look.negative }).map(drop)
    }

    fn look_sweep(&mut self, look: &Look) -> Result<usize, SyntaxError> {
        let outer = (std::mem::take(&mut self.code), self.backward, self.empty_only);
        (self.backward, self.empty_only) = (!look.behind, false);
        self.node(&look.body)?;
        self.push(Inst::Accept)?;
        let code = std::mem::replace(&mut self.code, outer.0);
        self.looks.push(Sweep { code, backward: self.backward });
        (self.backward, self.empty_only) = (outer.1, outer.2);
        let sweep = self.looks.len().saturating_sub(1);
        if let Some(slot) = self.sweep_of.get_mut(look.id) {
            *slot = Some(sweep);
        }
        Ok(sweep)
    }

    fn repeat(&mut self, repeat: &Repeat) -> Result<(), SyntaxError> {
        let Expansion { copies, tail, exact_up_to } = repeat.extent.expansion(repeat.min, repeat.max);
        self.exact_up_to = self.exact_up_to.min(exact_up_to);
        for _ in 0..copies {
            let before = self.emitted;
            self.node(&repeat.body)?;
            if self.emitted == before {
                // An empty body: further copies are as empty, and their number is not bounded by the
                // program's size.
                return Ok(());
            }
        }
        match tail {
            Tail::Nothing => Ok(()),
            Tail::AnyNumber => self.star(&repeat.body),
            Tail::UpTo(count) => self.optional(&repeat.body, count),
            Tail::Impossible => self.push(Inst::Fail).map(drop),
            Tail::ManyNullable => {
                self.star(&repeat.body)?;
                let outer = std::mem::replace(&mut self.empty_only, true);
                self.node(&repeat.body)?;
                self.empty_only = outer;
                self.star(&repeat.body)
            }
        }
    }

    fn star(&mut self, body: &Node) -> Result<(), SyntaxError> {
        let split = self.push(Inst::Fail)?;
        self.node(body)?;
        let jump = self.push(Inst::Jump(split))?;
        self.patch(split, Inst::Split(split.saturating_add(1), jump.saturating_add(1)));
        Ok(())
    }

    fn optional(&mut self, body: &Node, count: usize) -> Result<(), SyntaxError> {
        let mut splits = Vec::new();
        for _ in 0..count {
            splits.push(self.push(Inst::Fail)?);
            self.node(body)?;
        }
        let end = self.code.len();
        for split in splits {
            self.patch(split, Inst::Split(split.saturating_add(1), end));
        }
        Ok(())
    }
}
