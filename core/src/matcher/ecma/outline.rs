//! Whether a pattern is certainly valid, told in one pass over its bytes and without building anything.
//!
//! Settings may hold thousands of patterns, of which an event needs few: they are compiled when first needed, but a bad one
//! has to be reported when the settings are read (performance.md section 4). Almost all patterns are so plain that this
//! pass is enough; the others are parsed in full.

/// Whether the pattern is certainly valid, in JavaScript and for the crate `regex`. False says nothing.
pub(in crate::matcher) fn is_surely_valid(pattern: &str) -> bool {
    let mut bytes = pattern.bytes().peekable();
    let mut depth = 0u8;
    let mut before = Before::Nothing;
    while let Some(byte) = bytes.next() {
        before = match byte {
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b'_'
            | b'-'
            | b'.'
            | b'/'
            | b':'
            | b' '
            | b','
            | b'@' => Before::Atom,
            b'|' | b'^' | b'$' => Before::Nothing,
            b'*' | b'+' if before == Before::Atom => Before::Quantifier,
            b'?' if before == Before::Atom => Before::Quantifier,
            // Not greedy.
            b'?' if before == Before::Quantifier => Before::Nothing,
            b'(' if depth < MAX_DEPTH => {
                depth += 1;
                // `(?` opens much that is not looked into.
                if bytes.next_if_eq(&b'?').is_some() && bytes.next_if_eq(&b':').is_none() {
                    return false;
                }
                Before::Nothing
            }
            b')' if depth > 0 => {
                depth -= 1;
                Before::Atom
            }
            b'\\' => match bytes.next() {
                // Classes, and punctuation that stands for itself.
                Some(
                    b'd' | b'D' | b's' | b'S' | b'w' | b'W' | b'.' | b'-' | b'/' | b'*' | b'+' | b'?' | b'$'
                    | b'^' | b'|' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'\\',
                ) => Before::Atom,
                Some(b'b' | b'B') => Before::Nothing,
                _ => return false,
            },
            b'[' if is_plain_class(&mut bytes) => Before::Atom,
            _ => return false,
        };
    }
    depth == 0
}

/// Deeper patterns are refused by the parser.
const MAX_DEPTH: u8 = 50;

/// What stands in front of a quantifier.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Nothing that can be repeated.
    Nothing,
    Atom,
    Quantifier,
}

/// The rest of a class of letters, digits and ranges of them, up to its end.
fn is_plain_class(bytes: &mut std::iter::Peekable<std::str::Bytes<'_>>) -> bool {
    bytes.next_if_eq(&b'^');
    // Empty classes are JavaScript's alone.
    if bytes.peek() == Some(&b']') {
        return false;
    }
    while let Some(byte) = bytes.next() {
        match byte {
            b']' => return true,
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => {}
            _ => return false,
        }
        if bytes.next_if_eq(&b'-').is_some() {
            match bytes.next() {
                Some(last) if last.is_ascii_alphanumeric() && last >= byte => {}
                _ => return false,
            }
        }
    }
    false
}
