//! Finds secrets in plain text: what looks like one, and what stands behind a name that announces one.

use std::borrow::Cow;
use std::ops::Range;

use super::MARK;
use super::rules::Rules;
use super::value::{After, Around, ahead, blanks, end_of_line, value};

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

/// What follows the word `Bearer` in running text is a token when it is so long.
const BEARER: usize = 16;

/// An account in an address is no longer, in bytes; all is looked at once.
const ACCOUNT: usize = 512;

/// So far the end of an element of XML is looked for, in bytes.
const CONTENT: usize = 4096;

const KEY_END: &str = "-----END ";

/// A text without its secrets.
pub(super) struct Plain<'t> {
    pub(super) text: Cow<'t, str>,
    /// So many were taken out.
    pub(super) found: usize,
    /// What becomes of the text behind this one.
    pub(super) after: After,
}

pub(super) fn redact<'t>(rules: &Rules, text: &'t str) -> Plain<'t> {
    let mut plain = Plain { text: Cow::Borrowed(text), found: 0, after: After::Free };
    if rules.usual || rules.has_keys() {
        let (places, after) = Search { rules, text, around: Around::default() }.secrets();
        (plain.found, plain.after) = (places.len(), after);
        if !places.is_empty() {
            plain.text = Cow::Owned(without(text, places));
        }
    }
    for pattern in &rules.patterns {
        let hits = pattern.find_iter(&plain.text).filter(|hit| !hit.is_empty()).count();
        if hits > 0 {
            plain.found += hits;
            let marked = |hit: &regex::Captures<'_>| match hit.get(0).map(|all| all.as_str()) {
                Some("") | None => "",
                Some(_) => MARK,
            };
            plain.text = Cow::Owned(pattern.replace_all(&plain.text, marked).into_owned());
        }
    }
    plain
}

/// What of a name looks like a secret; patterns of the host do not count, for they may well be those of a name.
pub(super) fn looks<'t>(rules: &Rules, name: &'t str) -> Plain<'t> {
    let mut plain = Plain { text: Cow::Borrowed(name), found: 0, after: After::Free };
    if rules.usual {
        let (places, _) = Search { rules, text: name, around: Around::default() }.secrets();
        plain.found = places.len();
        plain.text = Cow::Owned(without(name, places));
    }
    plain
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

/// One text that is gone through from left to right.
struct Search<'a> {
    rules: &'a Rules,
    text: &'a str,
    /// The quotes that the place at hand stands in.
    around: Around,
}

/// Where a secret stands, and whether its end was seen.
type Found = (Range<usize>, After);

impl Search<'_> {
    /// Where secrets stand, in order, and what becomes of the text behind.
    fn secrets(mut self) -> (Vec<Range<usize>>, After) {
        let mut places: Vec<Range<usize>> = Vec::new();
        let (mut at, mut after) = (0, After::Free);
        while let Some(word) = next_word(self.text, at) {
            at = word.end;
            let Some((place, then)) = self.secret_at(&word) else { continue };
            after = then;
            let taken = self.text.get(place.clone()).unwrap_or_default();
            if !taken.trim().is_empty() && taken != MARK {
                at = place.end.max(word.end);
                places.push(place);
            }
        }
        (places, after)
    }

    fn rest(&self, from: usize) -> &str {
        self.text.get(from..).unwrap_or_default()
    }

    /// The secret that a word is or announces.
    fn secret_at(&mut self, word: &Range<usize>) -> Option<Found> {
        let said = self.text.get(word.clone())?;
        if self.rules.usual
            && let Some(found) = self.by_its_looks(said, word)
        {
            return Some(found);
        }
        let rest = self.rest(word.end);
        // Whether the word is such a name is asked last: most words have no sign behind them.
        let names = || self.rules.covers(said).is_some();
        let before = self.text.get(..word.start)?.bytes().next_back();
        if before == Some(b'<') && rest.starts_with('>') && names() {
            let content = head(self.rest(word.end + 1), CONTENT);
            let end = content.find("</").unwrap_or_else(|| end_of_line(content));
            return Some(closed(word.end + 1..word.end + 1 + end));
        }
        if let Some(sign) = after_name(rest).filter(|_| names()) {
            let start = word.end + sign.length;
            self.around.go_to(self.text, start);
            let query = matches!(before, Some(b'?' | b'&'));
            return Some(value(self.text, start, sign.whole_line, query, self.around.quote()));
        }
        let next = word.end + ahead(rest);
        if next > word.end && is_flag_or_variable(said) && !is_flag(self.rest(next)) && names() {
            self.around.go_to(self.text, next);
            return Some(value(self.text, next, false, false, self.around.quote()));
        }
        None
    }

    /// What needs no name that announces it.
    fn by_its_looks(&mut self, said: &str, word: &Range<usize>) -> Option<Found> {
        if TOKENS.iter().any(|(begin, length)| said.len() >= *length && said.starts_with(begin)) {
            return Some(closed(word.clone()));
        }
        if said.ends_with("-----BEGIN") || said.starts_with("PuTTY-User-Key-File") {
            return private_key(self.text, word);
        }
        let rest = self.rest(word.end);
        if let Some(address) = rest.strip_prefix("://") {
            return account_in(address).map(|place| closed(moved(place, word.end + 3)));
        }
        if let Some(place) = rest.strip_prefix(':').and_then(password_before_host) {
            return Some(closed(moved(place, word.end + 1)));
        }
        let next = word.end + ahead(rest);
        if next == word.end {
            return None;
        }
        if matches!(said, "-u" | "--user") {
            let account = self.rest(next);
            let end = account.find(char::is_whitespace).unwrap_or(account.len());
            let colon = account.get(..end)?.find(':')?;
            self.around.go_to(self.text, next);
            return Some(value(self.text, next + colon + 1, false, false, self.around.quote()));
        }
        if !said.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let announced = self.text.get(..word.start)?.trim_end_matches([' ', '"', '\'']).ends_with([':', '=']);
        self.around.go_to(self.text, next);
        let found = value(self.text, next, false, false, self.around.quote());
        Some(found).filter(|(place, _)| announced || place.len() >= BEARER)
    }
}

fn closed(place: Range<usize>) -> Found {
    (place, After::Free)
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

/// `--token x`, `-token x`, and `set API_TOKEN x`: a blank is enough before the value.
fn is_flag_or_variable(name: &str) -> bool {
    let is_variable = || name.contains('_') && !name.contains(|c: char| c.is_ascii_lowercase());
    name.starts_with(['-', '_']) || is_variable()
}

/// `--user` or `-u`, no value.
pub(super) fn is_flag(text: &str) -> bool {
    let word = text.split(char::is_whitespace).next().unwrap_or_default();
    word.starts_with("--") || (word.starts_with('-') && word.len() < 3)
}

/// What stands between a name and its value.
struct Sign {
    length: usize,
    /// The value may be of several words.
    whole_line: bool,
}

fn after_name(rest: &str) -> Option<Sign> {
    // The end of the name's own quotes and brackets, however often they were escaped.
    let closing = rest.trim_start_matches('\\').trim_start_matches(['"', '\'', '`', ')', ']']);
    let mut at = rest.len() - closing.len();
    let is_quoted = at > 0;
    at += blanks(closing);
    let sign = rest.get(at..)?;
    if sign.starts_with("::") {
        // A path of modules.
        return None;
    }
    let signs = ["===", "==", "=>", "=", ":=", ":", "+=", "?=", "!=", "%3D", "%3d", "%3A", "%3a"];
    let found = signs.iter().find(|begin| sign.starts_with(**begin));
    let Some(found) = found else {
        // `define("PASSWORD", "x")`, `["--token", "x"]`
        let next = sign.strip_prefix(',').filter(|_| is_quoted)?;
        let gap = blanks(next);
        let quoted = next.get(gap..)?.trim_start_matches('\\').starts_with(['"', '\'', '`']);
        return quoted.then_some(Sign { length: at + 1 + gap, whole_line: false });
    };
    at += found.len();
    let gap = blanks(rest.get(at..)?);
    Some(Sign { length: at + gap, whole_line: found.starts_with(':') || gap > 0 })
}

/// What is secret before the host in an address behind its scheme: `user:password@host`, `token@host`.
fn account_in(address: &str) -> Option<Range<usize>> {
    let stops = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>');
    let all = head(address, ACCOUNT);
    let all = all.get(..all.find(stops).unwrap_or(all.len()))?;
    let authority = all.get(..all.find(['/', '?', '#']).unwrap_or(all.len()))?;
    if let Some((account, _)) = authority.rsplit_once('@') {
        let from = account.find(':').map_or(0, |colon| colon + 1);
        return Some(from..account.len());
    }
    // A password with a slash in it: no port has letters.
    let (_, port) = authority.split_once(':').filter(|_| !authority.starts_with('['))?;
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit());
    let account = all.rsplit_once('@').filter(|_| !is_port)?.0;
    Some(account.find(':')? + 1..account.len())
}

/// The password in what follows a user and a colon: `password@host`.
fn password_before_host(rest: &str) -> Option<Range<usize>> {
    let stops = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>');
    let all = head(rest, ACCOUNT);
    let all = all.get(..all.find(stops).unwrap_or(all.len()))?;
    let (password, host) = all.rsplit_once('@')?;
    let is_host = host.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '[');
    // `host:80/path@x` has a port.
    let has_port =
        password.split_once('/').is_some_and(|(port, _)| port.bytes().all(|byte| byte.is_ascii_digit()));
    (is_host && !has_port && !password.starts_with([':', '/'])).then_some(0..password.len())
}

/// The beginning of a text, at most so many bytes.
fn head(text: &str, bytes: usize) -> &str {
    let end = (bytes..bytes.saturating_add(4)).find(|end| text.is_char_boundary(*end));
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

/// A private key in PEM or as PGP and PuTTY write it, its begin and end included.
fn private_key(text: &str, word: &Range<usize>) -> Option<Found> {
    const HEAD: usize = 64;
    let rest = text.get(word.end..)?;
    // One that was cut off is a secret too.
    let all = (word.start..text.len(), After::Goes);
    if text.get(word.clone())?.starts_with("PuTTY") {
        return Some(all);
    }
    let start = word.end - "-----BEGIN".len();
    let line = head(rest, HEAD);
    let kind = line.get(..line.find("-----")?)?;
    if !kind.contains("PRIVATE KEY") {
        return None;
    }
    let end = rest.find(KEY_END).and_then(|end| {
        let after = rest.get(end + KEY_END.len()..)?;
        Some(end + KEY_END.len() + after.find("-----")? + 5)
    });
    Some(end.map_or((start..text.len(), After::Goes), |end| closed(start..word.end + end)))
}
