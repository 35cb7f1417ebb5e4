//! Secrets in text that is no JSON: commands, logs, reasons. One pass, told by what stands before them and by how the
//! tokens of well-known services begin.

use std::borrow::Cow;
use std::ops::Range;

use super::MARK;
use super::rules::Rules;

/// How tokens of well-known services begin, and how long they are at least.
const TOKENS: [(&str, usize); 20] = [
    ("sk-", 20),
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("rk_live_", 16),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("xoxb-", 16),
    ("xoxp-", 16),
    ("AKIA", 20),
    ("ASIA", 20),
    ("AIza", 30),
    ("hf_", 20),
    ("npm_", 20),
    ("pypi-", 20),
    // A JSON Web Token begins with an object.
    ("eyJ", 30),
];

/// Words between the name of a header and what is secret in it.
const SCHEMES: [&str; 4] = ["bearer", "basic", "digest", "token"];

/// What follows the word `Bearer` is a token when it is so long.
const BEARER: usize = 16;

const KEY_BEGIN: &str = "-----BEGIN ";
const KEY_KIND: &str = "PRIVATE KEY-----";
const KEY_END: &str = "-----END ";

/// The text without its secrets, and how many were taken out.
pub(super) fn redact<'t>(rules: &Rules, text: &'t str) -> (Cow<'t, str>, usize) {
    let mut found = 0;
    let mut out = Cow::Borrowed(text);
    if rules.usual {
        let places = secrets(rules, text);
        found += places.len();
        if !places.is_empty() {
            out = Cow::Owned(without(text, places));
        }
    }
    for pattern in &rules.patterns {
        let hits = pattern.find_iter(&out).filter(|hit| !hit.is_empty()).count();
        if hits > 0 {
            found += hits;
            let marked = |hit: &regex::Captures<'_>| match hit.get(0).map(|all| all.as_str()) {
                Some("") | None => "",
                Some(_) => MARK,
            };
            out = Cow::Owned(pattern.replace_all(&out, marked).into_owned());
        }
    }
    (out, found)
}

fn without(text: &str, places: Vec<Range<usize>>) -> String {
    let (mut out, mut copied) = (String::with_capacity(text.len()), 0);
    for place in places {
        out.push_str(text.get(copied..place.start).unwrap_or_default());
        out.push_str(MARK);
        copied = place.end;
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    out
}

/// Where secrets stand, in order.
fn secrets(rules: &Rules, text: &str) -> Vec<Range<usize>> {
    let mut places: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(word) = next_word(text, at) {
        at = word.end;
        let place = secret_at(rules, text, &word);
        if let Some(place) = place.filter(|place| !place.is_empty() && text.get(place.clone()) != Some(MARK))
        {
            at = place.end.max(word.end);
            places.push(place);
        }
    }
    places
}

/// The secret that a word is or announces.
fn secret_at(rules: &Rules, text: &str, word: &Range<usize>) -> Option<Range<usize>> {
    let said = text.get(word.clone())?;
    if TOKENS.iter().any(|(begin, length)| said.len() >= *length && said.starts_with(begin)) {
        return Some(word.clone());
    }
    if said.starts_with("-----BEGIN") {
        return private_key(text, word.start);
    }
    let rest = text.get(word.end..)?;
    if let Some(address) = rest.strip_prefix("://") {
        return password_in(address).map(|place| moved(place, word.end + 3));
    }
    let value = after_name(rest).map(|skipped| word.end + skipped);
    if let Some(start) = value.filter(|_| rules.covers(said).is_some()) {
        return Some(value_at(text, start));
    }
    let next = word.end + blanks(rest);
    if said.starts_with("--") && next > word.end && rules.covers(said).is_some() {
        let place = value_at(text, next);
        return Some(place)
            .filter(|place| text.get(place.clone()).is_some_and(|value| !value.starts_with('-')));
    }
    let bearer = said.eq_ignore_ascii_case("bearer") && next > word.end;
    bearer.then(|| value_at(text, next)).filter(|place| place.len() >= BEARER)
}

fn moved(place: Range<usize>, by: usize) -> Range<usize> {
    place.start + by..place.end + by
}

/// The next run of letters, digits, `_`, `-` and `.`.
fn next_word(text: &str, from: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes().get(from..)?;
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let start = from + bytes.iter().position(is_word)?;
    let rest = text.as_bytes().get(start..)?;
    let length = rest.iter().position(|byte| !is_word(byte)).unwrap_or(rest.len());
    Some(start..start + length)
}

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

/// How much stands between a name and its value: `=`, `:` or `=>`, with blanks and a quote where there are some.
fn after_name(rest: &str) -> Option<usize> {
    let mut at = rest.strip_prefix(['"', '\'']).map_or(0, |_| 1);
    at += rest.strip_prefix("\\\"").map_or(0, |_| 2);
    at += blanks(rest.get(at..)?);
    let sign = rest.get(at..)?;
    at += ["=>", "=", ":"].iter().find(|begin| sign.starts_with(**begin))?.len();
    // A path of modules, a comparison, an address.
    if rest.get(at..)?.starts_with([':', '=', '/']) {
        return None;
    }
    Some(at + blanks(rest.get(at..)?))
}

/// The value that begins at `start`, without its quotes; with a scheme, what follows that.
fn value_at(text: &str, start: usize) -> Range<usize> {
    let rest = text.get(start..).unwrap_or_default();
    for quote in ["\\\"", "\"", "'"] {
        if let Some(quoted) = rest.strip_prefix(quote) {
            let from = start + quote.len();
            return moved(scheme_skipped(quoted, end_of_quoted(quoted, quote)), from);
        }
    }
    let end = end_of_word(rest);
    let after = blanks(rest.get(end..).unwrap_or_default());
    let is_scheme = SCHEMES
        .iter()
        .any(|scheme| rest.get(..end).is_some_and(|word| word.eq_ignore_ascii_case(scheme)) && after > 0);
    if !is_scheme {
        return start..start + end;
    }
    let from = end + after;
    let second = end_of_word(rest.get(from..).unwrap_or_default());
    start + from..start + from + second
}

/// What of a quoted value is secret: the scheme may stay.
fn scheme_skipped(quoted: &str, end: usize) -> Range<usize> {
    let value = quoted.get(..end).unwrap_or_default();
    let scheme = value.split_once(' ').map(|(word, _)| word);
    let known = scheme.filter(|word| SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme)));
    known.map_or(0, |word| word.len() + 1)..end
}

fn end_of_quoted(text: &str, quote: &str) -> usize {
    if quote.len() > 1 {
        return text.find(quote).unwrap_or(text.len());
    }
    let mut escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = !escaped && quote.as_bytes().first() == Some(&byte);
        escaped = !escaped && byte == b'\\';
        ends
    });
    end.unwrap_or(text.len())
}

fn end_of_word(text: &str) -> usize {
    let stops =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '&' | ';' | ',' | '<' | '>' | '\\');
    text.find(stops).unwrap_or(text.len())
}

/// The password in what follows a scheme: `user:password@host`.
fn password_in(address: &str) -> Option<Range<usize>> {
    let stops = |c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '`' | '<' | '>');
    let authority = address.get(..address.find(stops).unwrap_or(address.len()))?;
    let (account, _) = authority.rsplit_once('@')?;
    let (user, _) = account.split_once(':')?;
    Some(user.len() + 1..account.len())
}

/// A private key in PEM, its begin and end included.
fn private_key(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = text.get(start..)?.strip_prefix(KEY_BEGIN)?;
    let head = rest.find(KEY_KIND).filter(|length| *length < 32)?;
    let body = rest.get(head..)?;
    let end = body.find(KEY_END).and_then(|end| {
        let after = body.get(end + KEY_END.len()..)?;
        Some(end + KEY_END.len() + after.find("-----")? + 5)
    });
    // One that was cut off is a secret too.
    Some(start..start + KEY_BEGIN.len() + head + end.unwrap_or(body.len()))
}
