//! The same JSON text written otherwise: without blanks, indented, with what Rust's strings can hold.

use std::borrow::Cow;
use std::ops::Range;

use super::scan;

/// Replaces each `\uD800`..`\uDFFF` escape that has no partner by `\uFFFD`. JavaScript keeps such escapes, Rust's
/// strings cannot hold them; everything else of the text must not be lost for that.
pub(crate) fn repair_surrogates(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut out: Option<String> = None;
    let mut copied = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte != b'\\' {
            at += 1;
            continue;
        }
        let Some(unit) = escape_at(bytes, at) else {
            at += 2;
            continue;
        };
        let paired = (0xD800..0xDC00).contains(&unit)
            && escape_at(bytes, at + 6).is_some_and(|next| (0xDC00..0xE000).contains(&next));
        if paired {
            at += 12;
            continue;
        }
        if (0xD800..0xE000).contains(&unit) {
            let out = out.get_or_insert_with(String::new);
            out.push_str(text.get(copied..at).unwrap_or_default());
            out.push_str("\\ufffd");
            copied = at + 6;
        }
        at += 6;
    }
    match out {
        None => Cow::Borrowed(text),
        Some(mut out) => {
            out.push_str(text.get(copied..).unwrap_or_default());
            Cow::Owned(out)
        }
    }
}

/// The code unit of a `\uXXXX` escape that starts at `at`.
fn escape_at(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Trims what JavaScript's `String.prototype.trim` trims (ECMA-262, WhiteSpace and LineTerminator), BOM included.
pub(crate) fn js_trim(text: &str) -> &str {
    text.trim_matches(|c: char| {
        matches!(
            c,
            '\u{9}'..='\u{d}' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}'
                | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
        )
    })
}

/// The valid JSON text without blanks between its tokens; borrowed when there are none.
pub(crate) fn compact(text: &str) -> Cow<'_, str> {
    let mut parts = dense_parts(text);
    match (parts.next(), parts.next()) {
        (None, _) => Cow::Borrowed(""),
        (Some(only), None) => Cow::Borrowed(text.get(only).unwrap_or_default()),
        (Some(first), Some(second)) => {
            let mut out = String::with_capacity(text.len());
            for part in [first, second].into_iter().chain(parts) {
                out.push_str(text.get(part).unwrap_or_default());
            }
            Cow::Owned(out)
        }
    }
}

/// The parts of a valid JSON text that are left without the blanks between its tokens, in order.
pub(crate) fn dense_parts(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    scan::dense_parts(text)
}

/// The text with two blanks a level, as `JSON.stringify(value, null, 2)` writes it. Deeper than [`MAX_INDENT`] it goes no
/// further to the right: a tool input that a model nested 100,000 levels deep would else become gigabytes of blanks.
pub(crate) fn indented(text: &str) -> String {
    let compacted = compact(text);
    let mut out = String::with_capacity(compacted.len() * 2);
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth.min(MAX_INDENT)));
    };
    let mut chars = compacted.chars().peekable();
    while let Some(c) = chars.next() {
        if in_string {
            out.push(c);
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            '{' | '[' => {
                out.push(c);
                if let Some(end) = chars.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(end);
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => {
                in_string = c == '"';
                out.push(c);
            }
        }
    }
    out
}

/// Levels of indentation.
const MAX_INDENT: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trimming_is_javascripts() {
        assert_eq!(js_trim("\u{feff}\u{a0} x\u{2028}\n"), "x");
        assert_eq!(js_trim("\u{85}x"), "\u{85}x", "NEL is no blank in JavaScript");
    }

    #[test]
    fn compacting_leaves_strings_alone() {
        assert_eq!(compact("{ \"a b\" : \"c \\\" d\",\n\t\"e\": [ 1 ] }"), r#"{"a b":"c \" d","e":[1]}"#);
        assert!(matches!(compact(r#"{"a b":1}"#), Cow::Borrowed(_)));
    }

    #[test]
    fn indenting_is_javascripts() {
        let wanted = "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b:c\": \"x,\\\"{\"\n}";
        assert_eq!(indented(r#"{"a":[1,{}],"b:c":"x,\"{"}"#), wanted);
    }

    #[test]
    fn indenting_deep_nesting_stays_small() {
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        let text = indented(&deep);
        assert!(text.len() < 20_000 * 210, "{}", text.len());
        assert_eq!(compact(&text), deep);
    }
}
