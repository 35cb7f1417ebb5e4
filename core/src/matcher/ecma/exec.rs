//! Runs automata: all states at once, one position after the other, so that the work is at most
//! program size x subject length, whatever the pattern.

use super::Verdict;
use super::class::CharSet;
use super::compile::{Automaton, Inst, Sweep};

/// Very large programs on very long subjects stop here (a few hundred milliseconds).
pub(super) const MAX_STEPS: usize = 50_000_000;

/// The most memory, in bytes, for the positions where lookarounds hold.
const MAX_LOOK_BYTES: usize = 16 << 20;

pub(super) fn test(automaton: &Automaton, classes: &[CharSet], units: &[u16]) -> Verdict {
    let look_bytes = automaton.looks.len().saturating_mul(units.len().saturating_add(1));
    let too_long = units.len() > automaton.exact_up_to || u32::try_from(units.len()).is_err();
    if too_long || look_bytes > MAX_LOOK_BYTES {
        return Verdict::LimitExceeded;
    }
    let mut matcher = Matcher { classes, units, found: Vec::new(), steps: MAX_STEPS };
    for sweep in &automaton.looks {
        let Some(found) = matcher.positions(sweep) else {
            return Verdict::LimitExceeded;
        };
        matcher.found.push(found);
    }
    match matcher.search(&automaton.main, automaton.anchored) {
        Some(true) => Verdict::Match,
        Some(false) => Verdict::NoMatch,
        None => Verdict::LimitExceeded,
    }
}

struct Matcher<'a> {
    classes: &'a [CharSet],
    units: &'a [u16],
    /// For each lookaround that has been swept, whether its body matches at each position.
    found: Vec<Vec<bool>>,
    steps: usize,
}

/// The states of one sweep at one position.
struct States {
    /// The turn in which each instruction was last reached.
    reached: Vec<u32>,
    turn: u32,
    /// Instructions reached in this turn that consume a unit.
    consuming: Vec<usize>,
    /// An empty list, kept for its allocation.
    spare: Vec<usize>,
    pending: Vec<usize>,
    accepted: bool,
}

impl States {
    fn new(sweep: &Sweep) -> Self {
        Self {
            reached: vec![0; sweep.code.len()],
            turn: 0,
            consuming: Vec::new(),
            spare: Vec::new(),
            pending: Vec::new(),
            accepted: false,
        }
    }
}

impl Matcher<'_> {
    /// Whether a match starts anywhere; `None` when the steps ran out.
    fn search(&mut self, sweep: &Sweep, anchored: bool) -> Option<bool> {
        let mut states = States::new(sweep);
        for position in 0..=self.units.len() {
            self.enter(sweep, &mut states, position, !anchored || position == 0)?;
            if states.accepted {
                return Some(true);
            }
            if anchored && states.consuming.is_empty() {
                break;
            }
        }
        Some(false)
    }

    /// Where a lookaround's body matches; `None` when the steps ran out.
    fn positions(&mut self, sweep: &Sweep) -> Option<Vec<bool>> {
        let length = self.units.len();
        let mut states = States::new(sweep);
        let mut found = vec![false; length.saturating_add(1)];
        for turn in 0..=length {
            let position = if sweep.backward { length.saturating_sub(turn) } else { turn };
            self.enter(sweep, &mut states, position, true)?;
            if let Some(slot) = found.get_mut(position) {
                *slot = states.accepted;
            }
        }
        Some(found)
    }

    /// Moves `states` to `position` from the one before it, and starts afresh there if `inject`.
    fn enter(&mut self, sweep: &Sweep, states: &mut States, position: usize, inject: bool) -> Option<()> {
        states.turn = states.turn.saturating_add(1);
        states.accepted = false;
        let index = if sweep.backward { Some(position) } else { position.checked_sub(1) };
        let passed = index.and_then(|index| self.units.get(index)).copied();
        let spare = std::mem::take(&mut states.spare);
        let mut previous = std::mem::replace(&mut states.consuming, spare);
        self.steps = self.steps.checked_sub(previous.len())?;
        for &pc in &previous {
            if let (Some(Inst::Atom(atom)), Some(unit)) = (sweep.code.get(pc), passed)
                && atom.accepts(unit, self.classes)
            {
                self.reach(sweep, states, pc.saturating_add(1), position)?;
            }
        }
        previous.clear();
        states.spare = previous;
        if inject { self.reach(sweep, states, 0, position) } else { Some(()) }
    }

    /// Adds `start` and everything reachable from it without consuming a unit.
    fn reach(&mut self, sweep: &Sweep, states: &mut States, start: usize, position: usize) -> Option<()> {
        states.pending.push(start);
        while let Some(pc) = states.pending.pop() {
            self.steps = self.steps.checked_sub(1)?;
            match states.reached.get_mut(pc) {
                Some(turn) if *turn != states.turn => *turn = states.turn,
                _ => continue,
            }
            let next = pc.saturating_add(1);
            match sweep.code.get(pc) {
                Some(Inst::Atom(_)) => states.consuming.push(pc),
                Some(Inst::Assert(assertion)) if assertion.holds(self.units, position) => {
                    states.pending.push(next);
                }
                Some(&Inst::Look { sweep, negative }) => {
                    let found = self.found.get(sweep).and_then(|found| found.get(position));
                    if found.is_some_and(|&found| found != negative) {
                        states.pending.push(next);
                    }
                }
                Some(&Inst::Split(first, second)) => states.pending.extend([second, first]),
                Some(&Inst::Jump(target)) => states.pending.push(target),
                Some(Inst::Accept) => states.accepted = true,
                Some(Inst::Assert(_) | Inst::Fail) | None => {}
            }
        }
        Some(())
    }
}
