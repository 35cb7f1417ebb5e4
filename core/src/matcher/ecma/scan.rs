//! What has to be known about a pattern's groups before it is parsed, and group names.
//!
//! Whether `\2` is a back-reference and whether `\k` starts one depends on groups that may come later
//! (ECMA-262 §22.2.1.1 CountLeftCapturingParensWithin; Annex B's `[+NamedCaptureGroups]`).

use super::parse::ascii;

/// The capture groups of a pattern.
#[derive(Debug, Default)]
pub(super) struct Groups {
    count: usize,
    named: bool,
    names: Vec<(String, usize)>,
}

impl Groups {
    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn has_names(&self) -> bool {
        self.named
    }

    /// The number of the first group with this name.
    pub(super) fn index_of(&self, name: &str) -> Option<usize> {
        self.names.iter().find(|(known, _)| known == name).map(|&(_, index)| index)
    }
}

/// Finds the capture groups of `units`, which need not be a valid pattern.
pub(super) fn groups(units: &[u16]) -> Groups {
    let mut groups = Groups::default();
    let mut in_class = false;
    let mut position = 0usize;
    let at = |index: usize| units.get(index).copied().map_or(0, ascii);
    while position < units.len() {
        let next = position.saturating_add(1);
        match at(position) {
            b'\\' => {
                position = position.saturating_add(2);
                continue;
            }
            b'[' => in_class = true,
            b']' => in_class = false,
            b'(' if !in_class && at(next) != b'?' => groups.count = groups.count.saturating_add(1),
            b'(' if !in_class && at(position.saturating_add(2)) == b'<' => {
                let start = position.saturating_add(3);
                if !matches!(at(start), b'=' | b'!') {
                    groups.count = groups.count.saturating_add(1);
                    groups.named = true;
                    if let Some((name, _)) = group_name(units, start) {
                        groups.names.push((name, groups.count));
                    }
                }
            }
            _ => {}
        }
        position = next;
    }
    groups
}

/// A RegExpIdentifierName followed by `>`, from `start` on: the name, and the length including the `>`.
pub(super) fn group_name(units: &[u16], start: usize) -> Option<(String, usize)> {
    let mut name = String::new();
    let mut position = start;
    loop {
        let unit = *units.get(position)?;
        if unit == u16::from(b'>') && !name.is_empty() {
            return Some((name, position.saturating_add(1).saturating_sub(start)));
        }
        let (letter, length) = if unit == u16::from(b'\\') {
            escaped_letter(units, position)?
        } else {
            let letter = decode(unit, units.get(position.saturating_add(1)).copied())?;
            (letter, letter.len_utf16())
        };
        if !is_identifier_part(letter, name.is_empty()) {
            return None;
        }
        name.push(letter);
        position = position.saturating_add(length);
    }
}

/// The code point that starts with `unit`; a lone surrogate is no part of a name.
fn decode(unit: u16, next: Option<u16>) -> Option<char> {
    char::decode_utf16([Some(unit), next].into_iter().flatten()).next()?.ok()
}

/// RegExpUnicodeEscapeSequence `[+UnicodeMode]`: names allow `\u{...}` and surrogate pairs in any mode.
fn escaped_letter(units: &[u16], position: usize) -> Option<(char, usize)> {
    let at = |ahead: usize| units.get(position.saturating_add(ahead)).copied();
    if at(1) != Some(u16::from(b'u')) {
        return None;
    }
    if at(2) == Some(u16::from(b'{')) {
        let (mut value, mut end) = (0u32, 3usize);
        while let Some(digit) = at(end).and_then(hex_digit) {
            value = value.saturating_mul(16).saturating_add(digit);
            end = end.saturating_add(1);
        }
        let closed = end > 3 && at(end) == Some(u16::from(b'}'));
        return closed.then(|| char::from_u32(value))?.map(|letter| (letter, end.saturating_add(1)));
    }
    let first = hex_unit(units, position.saturating_add(2), 4)?;
    let second = (at(6) == Some(u16::from(b'\\')) && at(7) == Some(u16::from(b'u')))
        .then(|| hex_unit(units, position.saturating_add(8), 4))
        .flatten();
    let letter = decode(first, second)?;
    Some((letter, letter.len_utf16().saturating_mul(6)))
}

/// Exactly `digits` (at most four) hexadecimal digits.
pub(super) fn hex_unit(units: &[u16], start: usize, digits: usize) -> Option<u16> {
    let digits = units.get(start..start.saturating_add(digits))?;
    let value = digits.iter().try_fold(0u32, |value, &unit| {
        hex_digit(unit).map(|digit| value.saturating_mul(16).saturating_add(digit))
    })?;
    u16::try_from(value).ok()
}

fn hex_digit(unit: u16) -> Option<u32> {
    char::from(ascii(unit)).to_digit(16)
}

/// RegExpIdentifierStart or RegExpIdentifierPart. The standard library has `Alphabetic` rather than
/// `ID_Start`, so combining vowel signs are accepted at the start and a few marks are refused.
fn is_identifier_part(letter: char, first: bool) -> bool {
    matches!(letter, '$' | '_')
        || letter.is_alphabetic()
        || !first && (letter.is_alphanumeric() || matches!(letter, '\u{200C}' | '\u{200D}'))
}
