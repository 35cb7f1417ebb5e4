//! Escapes and character classes of the Annex B grammar.

use super::SyntaxError;
use super::class::{self, CharSet, Range};
use super::parse::{Parser, ascii};
use super::scan;

/// A ClassAtom: one code unit, or a class escape such as `\w`.
enum Member {
    Unit(u16),
    Set(Vec<Range>),
}

impl Member {
    fn add_to(self, ranges: &mut Vec<Range>) {
        match self {
            Self::Unit(unit) => ranges.push((unit, unit)),
            Self::Set(mut set) => ranges.append(&mut set),
        }
    }
}

impl Parser<'_> {
    /// The number after a backslash, if the pattern has that many groups. Consumes it only then.
    pub(super) fn decimal_escape(&mut self) -> Option<usize> {
        let (mut value, mut end) = (0usize, 1usize);
        while let Some(digit) = self.peek(end).and_then(|unit| char::from(ascii(unit)).to_digit(10)) {
            value = value.saturating_mul(10).saturating_add(usize::try_from(digit).unwrap_or(0));
            end = end.saturating_add(1);
        }
        let refers = value <= self.groups.count();
        if refers {
            self.advance(end);
        }
        refers.then_some(value)
    }

    /// `\k<name>`, in a pattern that has named groups.
    pub(super) fn named_reference(&mut self) -> Result<usize, SyntaxError> {
        let start = self.position;
        let name =
            if self.next_is(2, b'<') { scan::group_name(self.units, start.saturating_add(3)) } else { None };
        let Some((name, length)) = name else {
            return Err(SyntaxError::new("invalid named reference", start));
        };
        let Some(group) = self.groups.index_of(&name) else {
            return Err(SyntaxError::new("reference to an undefined group name", start));
        };
        self.advance(length.saturating_add(3));
        Ok(group)
    }

    /// A CharacterEscape, from its backslash on.
    pub(super) fn character_escape(&mut self, in_class: bool) -> Result<u16, SyntaxError> {
        let Some(unit) = self.peek(1) else {
            return Err(SyntaxError::new("\\ at end of pattern", self.position));
        };
        let (value, length) = match ascii(unit) {
            b'f' => (0x0C, 2),
            b'n' => (0x0A, 2),
            b'r' => (0x0D, 2),
            b't' => (0x09, 2),
            b'v' => (0x0B, 2),
            b'b' if in_class => (0x08, 2),
            b'c' => self.control_escape(in_class),
            b'0'..=b'7' => self.legacy_octal(),
            b'x' => self.hex_escape(unit, 2),
            b'u' => self.hex_escape(unit, 4),
            // SourceCharacterIdentityEscape[+NamedCaptureGroups] excludes `k`.
            b'k' if self.groups.has_names() => {
                return Err(SyntaxError::new("invalid escape", self.position));
            }
            _ => (unit, 2),
        };
        self.advance(length);
        Ok(value)
    }

    /// Annex B: `\c` without a control letter is a literal backslash; the `c` is the next atom.
    fn control_escape(&self, in_class: bool) -> (u16, usize) {
        let letter = self.peek(2).map_or(0, ascii);
        let also_in_class = letter.is_ascii_digit() || letter == b'_';
        if letter.is_ascii_alphabetic() || in_class && also_in_class {
            (u16::from(letter & 0x1F), 3)
        } else {
            (u16::from(b'\\'), 1)
        }
    }

    /// LegacyOctalEscapeSequence (Annex B): at most three digits and at most 0o377.
    fn legacy_octal(&self) -> (u16, usize) {
        let (mut value, mut end) = (0u16, 1usize);
        while let Some(digit) = self.peek(end).and_then(|unit| char::from(ascii(unit)).to_digit(8)) {
            let longer = value.saturating_mul(8).saturating_add(u16::try_from(digit).unwrap_or(0));
            if longer > 0xFF || end > 3 {
                break;
            }
            value = longer;
            end = end.saturating_add(1);
        }
        (value, end)
    }

    /// `\x` or `\u` without its digits is an identity escape.
    fn hex_escape(&self, letter: u16, digits: usize) -> (u16, usize) {
        match scan::hex_unit(self.units, self.position.saturating_add(2), digits) {
            Some(value) => (value, digits.saturating_add(2)),
            None => (letter, 2),
        }
    }

    /// A character class, from its `[` on.
    pub(super) fn class(&mut self) -> Result<CharSet, SyntaxError> {
        let start = self.position;
        self.advance(1);
        let negated = self.next_is(0, b'^');
        self.advance(usize::from(negated));
        let mut ranges = Vec::new();
        loop {
            let Some(unit) = self.peek(0) else {
                return Err(SyntaxError::new("unterminated character class", start));
            };
            if unit == u16::from(b']') {
                self.advance(1);
                return Ok(CharSet::new(ranges, negated));
            }
            self.class_range(unit, &mut ranges)?;
        }
    }

    /// A ClassAtom, or two of them with a `-` between.
    fn class_range(&mut self, unit: u16, ranges: &mut Vec<Range>) -> Result<(), SyntaxError> {
        let start = self.position;
        let low = self.class_member(unit)?;
        let Some(unit) = self.peek(1).filter(|&unit| self.next_is(0, b'-') && unit != u16::from(b']')) else {
            low.add_to(ranges);
            return Ok(());
        };
        self.advance(1);
        match (low, self.class_member(unit)?) {
            (Member::Unit(low), Member::Unit(high)) if low > high => {
                return Err(SyntaxError::new("range out of order in character class", start));
            }
            (Member::Unit(low), Member::Unit(high)) => ranges.push((low, high)),
            // Annex B: CharacterRangeOrUnion, when either end is a class escape.
            (low, high) => {
                low.add_to(ranges);
                high.add_to(ranges);
                ranges.push((u16::from(b'-'), u16::from(b'-')));
            }
        }
        Ok(())
    }

    fn class_member(&mut self, unit: u16) -> Result<Member, SyntaxError> {
        if unit != u16::from(b'\\') {
            self.advance(1);
            return Ok(Member::Unit(unit));
        }
        let letter = self.peek(1).map_or(0, ascii);
        if let Some(ranges) = class::escape_ranges(letter) {
            self.advance(2);
            return Ok(Member::Set(ranges));
        }
        self.character_escape(true).map(Member::Unit)
    }
}
