//! Sets of UTF-16 code units: `[...]`, `\d`, `\s`, `\w` and their complements.

/// An inclusive range of code units.
pub(super) type Range = (u16, u16);

const DIGIT: &[Range] = &[(0x30, 0x39)];
const WORD: &[Range] = &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
/// WhiteSpace and LineTerminator (ECMA-262 §12.2, §12.3): `\s` includes U+FEFF and every `Zs`.
const SPACE: &[Range] = &[
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
];

const ASCII: usize = 128;

/// The ranges behind a CharacterClassEscape letter (`d D s S w W`), or `None` for any other letter.
pub(super) fn escape_ranges(letter: u8) -> Option<Vec<Range>> {
    let base = match letter.to_ascii_lowercase() {
        b'd' => DIGIT,
        b's' => SPACE,
        b'w' => WORD,
        _ => return None,
    };
    Some(if letter.is_ascii_uppercase() { complement(base) } else { base.to_vec() })
}

/// Whether `unit` is a LineTerminator, which `.` does not match.
pub(super) fn is_line_terminator(unit: u16) -> bool {
    matches!(unit, 0x0A | 0x0D | 0x2028 | 0x2029)
}

/// WordCharacters without the `i` flag (ECMA-262 §22.2.2.9.3): ASCII only.
pub(super) fn is_word(unit: u16) -> bool {
    u8::try_from(unit).is_ok_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// An immutable set of code units, with a table for the ASCII ones.
#[derive(Clone, Debug)]
pub(super) struct CharSet {
    ascii: [bool; ASCII],
    /// Sorted, disjoint.
    ranges: Vec<Range>,
    negated: bool,
}

impl CharSet {
    /// The union of `ranges` (in any order), or its complement.
    pub(super) fn new(ranges: Vec<Range>, negated: bool) -> Self {
        let ranges = merge(ranges);
        let mut ascii = [negated; ASCII];
        for &(low, high) in &ranges {
            for unit in low..=high.min(0x7F) {
                if let Some(slot) = ascii.get_mut(usize::from(unit)) {
                    *slot = !negated;
                }
            }
        }
        Self { ascii, ranges, negated }
    }

    pub(super) fn contains(&self, unit: u16) -> bool {
        if let Some(&member) = self.ascii.get(usize::from(unit)) {
            return member;
        }
        let after = self.ranges.partition_point(|&(low, _)| low <= unit);
        let candidate = after.checked_sub(1).and_then(|index| self.ranges.get(index));
        candidate.is_some_and(|&(_, high)| unit <= high) != self.negated
    }
}

fn merge(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_unstable();
    let mut merged: Vec<Range> = Vec::with_capacity(ranges.len());
    for (low, high) in ranges {
        match merged.last_mut() {
            Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
            _ => merged.push((low, high)),
        }
    }
    merged
}

/// The complement of sorted, disjoint, non-adjacent ranges that contain neither end of the code unit space.
fn complement(ranges: &[Range]) -> Vec<Range> {
    let mut next = 0u16;
    let mut gaps = Vec::with_capacity(ranges.len().saturating_add(1));
    for &(low, high) in ranges {
        gaps.push((next, low.saturating_sub(1)));
        next = high.saturating_add(1);
    }
    gaps.push((next, u16::MAX));
    gaps
}
