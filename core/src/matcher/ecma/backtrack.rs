//! Runs programs with captures by backtracking, on an explicit stack and within a number of steps.

use super::Verdict;
use super::backtrack_compile::{Loop, Op, Program, group_slots};
use super::class::CharSet;

/// A step is an instruction, a compared code unit of a back-reference or a few slots.
const MAX_STEPS: usize = 1_000_000;

/// At 32 bytes each, 8 MiB.
const MAX_STACK: usize = 1 << 18;

/// A slot that was never written: an undefined capture.
const UNSET: usize = usize::MAX;

pub(super) fn test(program: &Program, classes: &[CharSet], units: &[u16]) -> Verdict {
    let mut machine = Machine {
        program,
        classes,
        units,
        slots: vec![UNSET; program.slot_count],
        stack: Vec::new(),
        steps: MAX_STEPS,
    };
    let last_start = if program.anchored { 0 } else { units.len() };
    for start in 0..=last_start {
        match machine.attempt(start) {
            Ok(false) => {}
            Ok(true) => return Verdict::Match,
            Err(Exhausted) => return Verdict::LimitExceeded,
        }
    }
    Verdict::NoMatch
}

struct Exhausted;

enum Entry {
    /// Try again from here.
    Branch { pc: usize, position: usize },
    /// Undo a write on the way back.
    Restore { slot: usize, value: usize },
    /// A lookaround is running above this entry.
    Look { negative: bool, exit: usize, position: usize },
}

/// Where to go on; `None` is failure.
type Next = Option<(usize, usize)>;

struct Machine<'a> {
    program: &'a Program,
    classes: &'a [CharSet],
    units: &'a [u16],
    /// Captures first, then the counts and starts of quantifiers. All unset between attempts, because a
    /// failed attempt undoes its writes.
    slots: Vec<usize>,
    stack: Vec<Entry>,
    steps: usize,
}

impl Machine<'_> {
    fn attempt(&mut self, start: usize) -> Result<bool, Exhausted> {
        let (mut pc, mut position) = (0usize, start);
        loop {
            self.spend(1)?;
            let op = self.program.code.get(pc).copied().unwrap_or(Op::Accept);
            if matches!(op, Op::Accept) {
                return Ok(true);
            }
            let next = match self.step(op, pc, position)? {
                Some(next) => Some(next),
                None => self.backtrack(),
            };
            match next {
                Some(next) => (pc, position) = next,
                None => return Ok(false),
            }
        }
    }

    fn spend(&mut self, steps: usize) -> Result<(), Exhausted> {
        self.steps = self.steps.checked_sub(steps).ok_or(Exhausted)?;
        Ok(())
    }

    fn push(&mut self, entry: Entry) -> Result<(), Exhausted> {
        if self.stack.len() >= MAX_STACK {
            return Err(Exhausted);
        }
        self.stack.push(entry);
        Ok(())
    }

    fn slot(&self, slot: usize) -> usize {
        self.slots.get(slot).copied().unwrap_or(UNSET)
    }

    fn write(&mut self, slot: usize, value: usize) -> Result<(), Exhausted> {
        let old = self.slot(slot);
        if old != value {
            self.push(Entry::Restore { slot, value: old })?;
            self.set(slot, value);
        }
        Ok(())
    }

    fn set(&mut self, slot: usize, value: usize) {
        if let Some(slot) = self.slots.get_mut(slot) {
            *slot = value;
        }
    }

    fn step(&mut self, op: Op, pc: usize, position: usize) -> Result<Next, Exhausted> {
        let next = pc.saturating_add(1);
        Ok(match op {
            Op::Atom { atom, backward } => {
                let after = moved(position, 1, backward);
                let unit = after.and_then(|after| self.units.get(position.min(after)));
                let accepted = unit.is_some_and(|&unit| atom.accepts(unit, self.classes));
                after.filter(|_| accepted).map(|after| (next, after))
            }
            Op::BackReference { group, backward } => {
                self.back_reference(group, position, backward)?.map(|after| (next, after))
            }
            Op::Assert(assertion) => assertion.holds(self.units, position).then_some((next, position)),
            Op::Save(slot) => {
                self.write(slot, position)?;
                Some((next, position))
            }
            Op::Split { first, second } => {
                self.push(Entry::Branch { pc: second, position })?;
                Some((first, position))
            }
            Op::Jump(target) => Some((target, position)),
            Op::LoopInit(_) | Op::LoopHead(_) | Op::LoopBody(_) | Op::LoopEnd(_) => {
                self.loop_step(op, next, position)?
            }
            Op::Look { negative, exit } => {
                self.push(Entry::Look { negative, exit, position })?;
                Some((next, position))
            }
            Op::LookEnd => self.end_look()?,
            Op::Accept => Some((pc, position)),
        })
    }

    /// RepeatMatcher (§22.2.2.3.1), split into its parts.
    fn loop_step(&mut self, op: Op, next: usize, position: usize) -> Result<Next, Exhausted> {
        let (Op::LoopInit(number) | Op::LoopHead(number) | Op::LoopBody(number) | Op::LoopEnd(number)) = op
        else {
            return Ok(None);
        };
        let Some(&Loop { head, body, exit, min, max, greedy, first_slot, end_slot, count_slot, start_slot }) =
            self.program.loops.get(number)
        else {
            return Ok(None);
        };
        let count = self.slot(count_slot);
        match op {
            Op::LoopInit(_) => self.write(count_slot, 0)?,
            Op::LoopHead(_) => {
                if count < min {
                    return Ok(Some((body, position)));
                }
                if max.is_some_and(|max| count >= max) {
                    return Ok(Some((exit, position)));
                }
                let (first, second) = if greedy { (body, exit) } else { (exit, body) };
                self.push(Entry::Branch { pc: second, position })?;
                return Ok(Some((first, position)));
            }
            Op::LoopBody(_) => {
                self.spend(end_slot.saturating_sub(first_slot) >> 3)?;
                self.write(count_slot, count.saturating_add(1))?;
                self.write(start_slot, position)?;
                for slot in first_slot..end_slot {
                    self.write(slot, UNSET)?;
                }
            }
            _ if count > min && self.slot(start_slot) == position => return Ok(None),
            _ => return Ok(Some((head, position))),
        }
        Ok(Some((next, position)))
    }

    /// BackreferenceMatcher (§22.2.2.7.2): an undefined capture matches the empty string.
    fn back_reference(
        &mut self,
        group: usize,
        position: usize,
        backward: bool,
    ) -> Result<Option<usize>, Exhausted> {
        let (start, end) = group_slots(group);
        let (start, end) = (self.slot(start), self.slot(end));
        if start == UNSET || end == UNSET {
            return Ok(Some(position));
        }
        let length = end.saturating_sub(start);
        self.spend(length)?;
        Ok(moved(position, length, backward).filter(|&after| {
            let (from, to) = (position.min(after), position.max(after));
            self.units.get(from..to).is_some_and(|here| self.units.get(start..end) == Some(here))
        }))
    }

    /// The body of the innermost lookaround has matched: forget how, since nothing backtracks into a
    /// lookaround (§22.2.2.4), but keep the undo log of the captures that a positive one has set.
    fn end_look(&mut self) -> Result<Next, Exhausted> {
        let is_look = |entry: &Entry| matches!(entry, Entry::Look { .. });
        let Some(base) = self.stack.iter().rposition(is_look) else {
            return Ok(None);
        };
        let above = self.stack.split_off(base.saturating_add(1));
        let Some(Entry::Look { negative, exit, position }) = self.stack.pop() else {
            return Ok(None);
        };
        self.spend(above.len())?;
        if negative {
            for entry in above.into_iter().rev() {
                if let Entry::Restore { slot, value } = entry {
                    self.set(slot, value);
                }
            }
            return Ok(None);
        }
        self.stack.extend(above.into_iter().filter(|entry| matches!(entry, Entry::Restore { .. })));
        Ok(Some((exit, position)))
    }

    fn backtrack(&mut self) -> Next {
        while let Some(entry) = self.stack.pop() {
            match entry {
                Entry::Branch { pc, position } => return Some((pc, position)),
                Entry::Restore { slot, value } => self.set(slot, value),
                Entry::Look { negative: true, exit, position } => return Some((exit, position)),
                Entry::Look { negative: false, .. } => {}
            }
        }
        None
    }
}

/// `position` after `length` units in the given direction, if the subject could reach that far.
fn moved(position: usize, length: usize, backward: bool) -> Option<usize> {
    if backward { position.checked_sub(length) } else { position.checked_add(length) }
}
