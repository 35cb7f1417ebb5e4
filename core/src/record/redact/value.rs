//! How far a value reaches that a name in a text announces. In doubt it reaches further.

use std::ops::Range;

/// Words between the name of a header and what is secret in it.
const SCHEMES: [&str; 4] = ["bearer", "basic", "digest", "token"];

const QUOTES: [char; 3] = ['"', '\'', '`'];

/// What becomes of the text behind a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// It is a text of its own.
    Free,
    /// A secret reaches to the end of the part: what follows at once belongs to it.
    Next,
    /// A secret has not ended: all that follows goes.
    Goes,
}

/// The quotes that a place of a text stands in, as far as its line tells.
#[derive(Default)]
pub(super) struct Around {
    at: usize,
    quote: Option<char>,
}

impl Around {
    pub(super) fn quote(&self) -> Option<char> {
        self.quote
    }

    /// Goes on to `to`, which is not before where it was.
    pub(super) fn go_to(&mut self, text: &str, to: usize) {
        let mut escaped = false;
        let mut before = ' ';
        for c in text.get(self.at..to).unwrap_or_default().chars() {
            match c {
                '\n' => self.quote = None,
                _ if escaped => {}
                _ if self.quote == Some(c) => self.quote = None,
                // An apostrophe opens nothing.
                '\'' if before.is_alphanumeric() => {}
                _ if self.quote.is_none() && QUOTES.contains(&c) => self.quote = Some(c),
                _ => {}
            }
            escaped = !escaped && c == '\\';
            before = c;
        }
        self.at = self.at.max(to);
    }
}

pub(super) fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

/// Blanks, and ends of lines that a backslash takes away.
pub(super) fn ahead(text: &str) -> usize {
    let mut at = blanks(text);
    while let Some(next) = text.get(at..).and_then(|rest| rest.strip_prefix("\\\n")) {
        at += 2 + blanks(next);
    }
    at
}

pub(super) fn end_of_line(text: &str) -> usize {
    text.find(['\n', '\r']).unwrap_or(text.len())
}

/// The value that begins at `start` without its quotes. `whole_line`: it may be of several words; `query`: it stands
/// in an address; `around`: the quote that it stands in.
pub(super) fn value(
    text: &str,
    start: usize,
    whole_line: bool,
    query: bool,
    around: Option<char>,
) -> (Range<usize>, After) {
    let rest = text.get(start..).unwrap_or_default();
    let found = |place: Range<usize>, open: bool| {
        let after = match place.end >= rest.len() {
            true if open => After::Goes,
            true => After::Next,
            false => After::Free,
        };
        (start + place.start..start + place.end, after)
    };
    if rest.trim_start().is_empty() {
        return (text.len()..text.len(), After::Next);
    }
    if rest.starts_with(['\n', '\r']) || is_block(rest) {
        return found(lines(rest), false);
    }
    let bracket = rest.strip_prefix(['$', '<']).unwrap_or(rest);
    if bracket.starts_with(['{', '[', '(']) {
        let end = end_of_bracket(rest);
        return found(0..end.unwrap_or(rest.len()), end.is_none());
    }
    if let Some((quoted, closing)) = quoted(rest, around) {
        let Some(closing) = closing else { return found(quoted, true) };
        // It goes on, unless a sign ends it.
        let behind = rest.get(closing..).unwrap_or_default();
        let ends = |c: char| c.is_whitespace() || ",;:)]}&|<>\\".contains(c) || around == Some(c);
        if behind.is_empty() || behind.starts_with(ends) {
            return found(scheme_skipped(rest, quoted), false);
        }
        let (end, open) = end_of_word(rest, closing, query, around);
        return found(0..end, open);
    }
    let skipped = scheme_skipped(rest, 0..rest.len()).start;
    if whole_line {
        let line = end_of_line(rest);
        let end = around.and_then(|quote| rest.get(..line)?.find(quote)).unwrap_or(line);
        return found(skipped.min(end)..end, false);
    }
    let (end, open) = end_of_word(rest, skipped, query, around);
    found(skipped..end, open)
}

/// The content of the quotes that a value begins with, and where they end; `None` when they do not.
fn quoted(rest: &str, around: Option<char>) -> Option<(Range<usize>, Option<usize>)> {
    let dollar = usize::from(rest.starts_with("$'") || rest.starts_with("$\""));
    let inner = rest.get(dollar..)?;
    let escapes = inner.len() - inner.trim_start_matches('\\').len();
    let quote = inner.get(escapes..)?.chars().next().filter(|c| QUOTES.contains(c))?;
    if escapes == 0 && around == Some(quote) {
        return None;
    }
    let single = inner.get(..=escapes)?;
    let triple = single.repeat(3);
    let opening = if inner.starts_with(&triple) { triple.as_str() } else { single };
    let from = dollar + opening.len();
    let body = rest.get(from..)?;
    let end = if opening.len() == 1 { end_of_quoted(body, quote) } else { body.find(opening) };
    let content = from..end.map_or(rest.len(), |end| from + end);
    Some((content, end.map(|end| from + end + opening.len())))
}

fn end_of_quoted(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let ends = !escaped && c == quote;
        escaped = !escaped && c == '\\';
        ends.then_some(at)
    })
}

/// What of a value is secret: the scheme may stay.
fn scheme_skipped(rest: &str, value: Range<usize>) -> Range<usize> {
    let text = rest.get(value.clone()).unwrap_or_default();
    // No scheme is longer.
    let word = text.bytes().take(8).position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or_default();
    let known = text.get(..word).is_some_and(|word| SCHEMES.iter().any(|it| word.eq_ignore_ascii_case(it)));
    let skipped = if known { word + blanks(text.get(word..).unwrap_or_default()) } else { 0 };
    value.start + skipped..value.end
}

/// Where a word of a command line ends whose first `from` bytes belong to it, and whether quotes in it did not end.
fn end_of_word(text: &str, from: usize, query: bool, around: Option<char>) -> (usize, bool) {
    let mut open: Option<char> = None;
    let mut escaped = false;
    for (at, c) in text.char_indices().skip_while(|(at, _)| *at < from) {
        match c {
            _ if escaped => {}
            _ if open == Some(c) => open = None,
            _ if open.is_some() => {}
            _ if around == Some(c) => return (at, false),
            '\'' if from < at && around.is_some() => {}
            _ if QUOTES.contains(&c) => open = Some(c),
            _ if c.is_whitespace() || (query && matches!(c, '&' | '#')) => return (at, false),
            _ => {}
        }
        escaped = !escaped && c == '\\';
    }
    (text.len(), open.is_some())
}

/// Where the bracket at the beginning is closed.
fn end_of_bracket(text: &str) -> Option<usize> {
    let (mut depth, mut quote, mut escaped) = (0_usize, None, false);
    for (at, c) in text.char_indices() {
        match (c, quote) {
            _ if escaped => {}
            (_, Some(open)) if open == c => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(c),
            ('{' | '[' | '(', None) => depth += 1,
            ('}' | ']' | ')', None) => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        escaped = !escaped && c == '\\';
    }
    None
}

/// Whether a block of YAML begins.
fn is_block(rest: &str) -> bool {
    let Some(marks) = rest.strip_prefix(['|', '>']) else { return false };
    let marks = marks.trim_start_matches(|c: char| "+- ".contains(c) || c.is_ascii_digit());
    marks.starts_with(['\n', '\r'])
}

/// A value that begins on the next line: that line, and those that are set in as far.
fn lines(rest: &str) -> Range<usize> {
    let indent = |line: &str| blanks(line.trim_start_matches(['\n', '\r']));
    let mut end = end_of_line(rest);
    let start = end;
    let mut first: Option<usize> = None;
    for line in rest.get(end..).unwrap_or_default().split_inclusive('\n') {
        let is_blank = line.trim().is_empty();
        let belongs = first.is_none_or(|first| {
            is_blank || (first > 0 && indent(line) >= first) || line.trim_start().starts_with("- ")
        });
        if !belongs {
            break;
        }
        if !is_blank && first.is_none() {
            first = Some(indent(line));
        }
        end += line.len();
    }
    let taken = rest.get(start..end).unwrap_or_default();
    start + (taken.len() - taken.trim_start().len())..start + taken.trim_end().len()
}
