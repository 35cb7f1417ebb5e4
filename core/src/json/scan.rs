//! Checks a JSON text in one pass over its bytes and finds the top level of its object.
//!
//! Accepts exactly what serde_json accepts (a test compares them). It is faster because nothing is built: where nothing
//! matches an event, reading it is most of the work (performance.md section 4).

use std::ops::Range;

/// One member of the object: where its key, without the quotes, and its value stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) key: Range<usize>,
    /// The key has escapes.
    pub(super) escaped: bool,
    pub(super) value: Range<usize>,
}

/// The text is not valid JSON, or no object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault;

type Checked<T> = Result<T, Fault>;

/// Checks that `text` is one JSON object, and hands its members to `member`. Whether there are blanks between tokens.
pub(super) fn object(text: &str, member: impl FnMut(Member)) -> Checked<bool> {
    let mut scan = Scan { bytes: text.as_bytes(), at: 0, blanks: false };
    scan.object(member)?;
    Ok(scan.blanks)
}

/// What the JSON string `raw` says, if it is one and has no escapes.
pub(super) fn plain_string(raw: &str) -> Option<&str> {
    let mut scan = Scan { bytes: raw.as_bytes(), at: 0, blanks: false };
    let escaped = scan.string().ok()?;
    if escaped || scan.peek().is_some() { None } else { raw.get(1..raw.len() - 1) }
}

/// The parts of a valid JSON text between its blanks, strings included, in order.
pub(super) fn dense_parts(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut scan = Scan { bytes: text.as_bytes(), at: 0, blanks: false };
    std::iter::from_fn(move || {
        scan.skip_blanks();
        let start = scan.at;
        loop {
            match scan.peek() {
                Some(b'"') => match scan.string() {
                    Ok(_) => {}
                    Err(Fault) => scan.at = scan.bytes.len(),
                },
                None | Some(b' ' | b'\n' | b'\r' | b'\t') => break,
                Some(_) => scan.at += 1,
            }
        }
        (scan.at > start).then_some(start..scan.at)
    })
}

/// Words of a string's run that are looked at one by one, before whole blocks are.
const SHORT_RUN: usize = 6;
const ONES: u64 = u64::from_ne_bytes([1; 8]);
const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);

/// Marks the first byte of `word` (counted from its lowest) that ends a run of plain characters in a string, by its highest
/// bit: a quote, a backslash, a control character. Bytes behind it may be marked wrongly.
#[inline(always)]
fn stops(word: u64) -> u64 {
    let quote = (word ^ (ONES * u64::from(b'"'))).wrapping_sub(ONES);
    let escape = (word ^ (ONES * u64::from(b'\\'))).wrapping_sub(ONES);
    let control = word.wrapping_sub(ONES * 0x20);
    (quote | escape | control) & !word & HIGH
}

#[inline(always)]
fn is_stop(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..0x20)
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    /// There was a blank between tokens.
    blanks: bool,
}

impl Scan<'_> {
    #[inline(always)]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Steps over `byte`, if it comes next.
    #[inline(always)]
    fn takes(&mut self, byte: u8) -> bool {
        let comes = self.peek() == Some(byte);
        self.at += usize::from(comes);
        comes
    }

    #[inline(always)]
    fn expect(&mut self, byte: u8) -> Checked<()> {
        if self.takes(byte) { Ok(()) } else { Err(Fault) }
    }

    #[inline(always)]
    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.blanks = true;
            self.at += 1;
        }
    }

    fn object(&mut self, mut member: impl FnMut(Member)) -> Checked<()> {
        self.skip_blanks();
        self.expect(b'{')?;
        self.skip_blanks();
        if !self.takes(b'}') {
            loop {
                let (key, escaped) = self.key()?;
                let start = self.at;
                self.value()?;
                member(Member { key, escaped, value: start..self.at });
                self.skip_blanks();
                if self.takes(b'}') {
                    break;
                }
                self.expect(b',')?;
                self.skip_blanks();
            }
        }
        self.skip_blanks();
        if self.peek().is_none() { Ok(()) } else { Err(Fault) }
    }

    /// A key, its colon and the blanks around that: where the key stands, and whether it has escapes.
    #[inline(always)]
    fn key(&mut self) -> Checked<(Range<usize>, bool)> {
        let start = self.at + 1;
        let escaped = self.string()?;
        let key = start..self.at - 1;
        self.skip_blanks();
        self.expect(b':')?;
        self.skip_blanks();
        Ok((key, escaped))
    }

    /// Any value. Nesting costs no stack, and one bit a level.
    #[inline(always)]
    fn value(&mut self) -> Checked<()> {
        match self.peek() {
            Some(b'{' | b'[') => self.nested(),
            Some(first) => self.scalar(first),
            None => Err(Fault),
        }
    }

    fn nested(&mut self) -> Checked<()> {
        let mut levels = Levels::default();
        loop {
            match self.peek() {
                Some(open @ (b'{' | b'[')) => {
                    self.at += 1;
                    self.skip_blanks();
                    let is_object = open == b'{';
                    if !self.takes(if is_object { b'}' } else { b']' }) {
                        levels.push(is_object);
                        if is_object {
                            self.key()?;
                        }
                        continue;
                    }
                }
                Some(first) => self.scalar(first)?,
                None => return Err(Fault),
            }
            if self.close(&mut levels)? {
                return Ok(());
            }
        }
    }

    /// What follows a value: the ends of the levels that it ends, and a comma. Whether it ended the outermost.
    #[inline(always)]
    fn close(&mut self, levels: &mut Levels) -> Checked<bool> {
        loop {
            let Some(is_object) = levels.top() else { return Ok(true) };
            self.skip_blanks();
            if self.takes(b',') {
                self.skip_blanks();
                if is_object {
                    self.key()?;
                }
                return Ok(false);
            }
            self.expect(if is_object { b'}' } else { b']' })?;
            levels.pop();
        }
    }

    #[inline(always)]
    fn scalar(&mut self, first: u8) -> Checked<()> {
        match first {
            b'"' => self.string().map(drop),
            b't' => self.literal(b"true"),
            b'f' => self.literal(b"false"),
            b'n' => self.literal(b"null"),
            _ => self.number(),
        }
    }

    fn literal(&mut self, literal: &[u8]) -> Checked<()> {
        let matches = self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(literal));
        self.at += literal.len();
        if matches { Ok(()) } else { Err(Fault) }
    }

    fn number(&mut self) -> Checked<()> {
        self.takes(b'-');
        if !self.takes(b'0') {
            self.digits()?;
        }
        if self.takes(b'.') {
            self.digits()?;
        }
        if self.takes(b'e') || self.takes(b'E') {
            let _ = self.takes(b'+') || self.takes(b'-');
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Checked<()> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(Fault) }
    }

    /// A string, from its quote on. Whether it has escapes.
    #[inline(always)]
    fn string(&mut self) -> Checked<bool> {
        self.expect(b'"')?;
        let mut escaped = false;
        loop {
            self.skip_plain();
            // Branches, which the processor foresees; `takes` would make the next step wait for this one.
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(escaped);
                }
                Some(b'\\') => self.at += 1,
                _ => return Err(Fault),
            }
            escaped = true;
            self.escape()?;
        }
    }

    /// Goes to the next quote, backslash or control character.
    #[inline(always)]
    fn skip_plain(&mut self) {
        let mut rest = self.bytes.get(self.at..).unwrap_or_default();
        // Most runs are short.
        for _ in 0..SHORT_RUN {
            let Some((word, after)) = rest.split_first_chunk::<8>() else { break };
            let stop = stops(u64::from_le_bytes(*word));
            if stop != 0 {
                self.at = self.bytes.len() - rest.len() + (stop.trailing_zeros() / 8) as usize;
                return;
            }
            rest = after;
        }
        // Without a way out of the inner loop, so that the compiler makes vector instructions of it.
        while let Some((block, after)) = rest.split_first_chunk::<64>() {
            let is_hit = |hit, &byte: &u8| {
                hit | u8::from(byte == b'"') | u8::from(byte == b'\\') | u8::from(byte < 0x20)
            };
            if block.iter().fold(0, is_hit) != 0 {
                break;
            }
            rest = after;
        }
        while let Some((word, after)) = rest.split_first_chunk::<8>() {
            let stop = stops(u64::from_le_bytes(*word));
            if stop != 0 {
                self.at = self.bytes.len() - rest.len() + (stop.trailing_zeros() / 8) as usize;
                return;
            }
            rest = after;
        }
        let end = rest.iter().position(|&byte| is_stop(byte)).unwrap_or(rest.len());
        self.at = self.bytes.len() - rest.len() + end;
    }

    /// What follows a backslash.
    #[inline(always)]
    fn escape(&mut self) -> Checked<()> {
        // Not one `match`: the processor cannot foresee the jump that becomes of it.
        let byte = self.peek().ok_or(Fault)?;
        let length = if byte == b'u' {
            let digits = self.bytes.get(self.at + 1..self.at + 5).ok_or(Fault)?;
            if !digits.iter().all(u8::is_ascii_hexdigit) {
                return Err(Fault);
            }
            5
        } else if matches!(byte, b'n' | b'"' | b'\\' | b'/' | b'b' | b'f' | b'r' | b't') {
            1
        } else {
            return Err(Fault);
        };
        self.at += length;
        Ok(())
    }
}

/// The open levels of a value, a bit each: whether it is an object.
#[derive(Default)]
struct Levels {
    bits: u64,
    count: usize,
    /// Full words below the one at hand.
    below: Vec<u64>,
}

impl Levels {
    #[inline(always)]
    fn push(&mut self, is_object: bool) {
        if self.count > 0 && self.count.is_multiple_of(64) {
            self.below.push(self.bits);
        }
        self.bits = self.bits << 1 | u64::from(is_object);
        self.count += 1;
    }

    #[inline(always)]
    fn top(&self) -> Option<bool> {
        (self.count > 0).then_some(self.bits & 1 == 1)
    }

    #[inline(always)]
    fn pop(&mut self) {
        self.bits >>= 1;
        self.count = self.count.saturating_sub(1);
        if self.count > 0 && self.count.is_multiple_of(64) {
            self.bits = self.below.pop().unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;
    use std::collections::BTreeMap;

    fn ours(text: &str) -> Option<Vec<(String, String)>> {
        let mut members = Vec::new();
        object(text, |member| {
            let part = |range: Range<usize>| text.get(range).unwrap().to_owned();
            members.push((format!("\"{}\"", part(member.key)), part(member.value)));
        })
        .ok()?;
        Some(members)
    }

    /// serde_json, which knows only the last of equal keys.
    fn theirs(text: &str) -> Option<BTreeMap<String, String>> {
        let read: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
        Some(read.into_iter().map(|(key, raw)| (key, raw.get().to_owned())).collect())
    }

    fn compare(text: &str) -> bool {
        let (ours, theirs) = (ours(text), theirs(text));
        assert_eq!(ours.is_some(), theirs.is_some(), "{text:?}");
        for (key, raw) in ours.iter().flatten() {
            let key: String = serde_json::from_str(key).unwrap();
            let last = ours
                .iter()
                .flatten()
                .rfind(|(other, _)| serde_json::from_str::<String>(other).unwrap() == key);
            assert_eq!(theirs.as_ref().unwrap().get(&key), last.map(|(_, raw)| raw), "{text:?} {raw}");
        }
        ours.is_some()
    }

    #[test]
    fn it_accepts_what_serde_json_accepts() {
        let nested = |open: &str, close: &str| format!("{{\"x\":{}1{}}}", open.repeat(70), close.repeat(70));
        let bases = [
            r#" {"a":[1,-0.5e+3,{"b":[],"c":{}},"x\u00e9\n",true,false,null], "d" : {"e":[[[[{}]]]]}} "#.to_owned(),
            r#"{"k":0,"key with \"escape\"":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\\é","k":1}"#.into(),
            "{}".into(),
            "\t[1]\n".into(),
            nested("[", "]"),
            nested("{\"a\":[", "]}"),
            nested("[{\"b\":", "}]"),
        ];
        let parts = [
            "{",
            "}",
            "[",
            "]",
            "\"",
            ",",
            ":",
            "\\",
            " ",
            "\n",
            "0",
            "1",
            "9",
            "-",
            "+",
            ".",
            "e",
            "E",
            "t",
            "true",
            "n",
            "\0",
            "\u{1f}",
            "\u{7f}",
            "u",
            "/",
            "é",
            "\u{1f600}",
            "\\u12",
            "\\ud800",
            "\"a\":",
            ",\"a\"",
            "null",
        ];
        let mut random = 0x9E37_79B9_7F4A_7C15_u64;
        let mut next = |bound: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 16) as usize % bound
        };
        let rounds = if cfg!(miri) { 200 } else { 60_000 };
        let mut valid = 0;
        for round in 0..rounds {
            let mut chars: Vec<char> = bases[round % bases.len()].chars().collect();
            for _ in 0..next(3) {
                let at = next(chars.len() + 1);
                let end = (at + next(3)).min(chars.len());
                let put: Vec<char> =
                    if next(3) == 0 { Vec::new() } else { parts[next(parts.len())].chars().collect() };
                chars.splice(at..end, put);
            }
            let text: String = chars.into_iter().collect();
            // Only serde_json builds the keys, and refuses a lone surrogate in one.
            if !text.contains("\\ud800") {
                valid += usize::from(compare(&text));
            }
        }
        assert!((rounds / 6..rounds).contains(&valid), "{valid}");
    }

    #[test]
    fn a_stop_is_found_at_every_place() {
        for length in (0..150).step_by(if cfg!(miri) { 29 } else { 1 }) {
            for stop in ['"', '\\', '\u{1}'] {
                let text = format!("{{\"{}{stop}\":1}}", "x".repeat(length));
                assert!(!compare(&text), "{text}");
                let text = format!("{{\"{}\\n\":\"{}\"}}", "é".repeat(length), "\u{80}".repeat(length));
                assert!(compare(&text), "{text}");
            }
        }
    }

    #[test]
    fn plain_strings_are_whole_strings() {
        assert_eq!(plain_string("\"a é\""), Some("a é"));
        assert_eq!(plain_string("\"\""), Some(""));
        for other in ["", "\"", "\"a", "\"a\" ", "\"a\"b\"", "\"a\\n\"", "a", "\"a\nb\"", "7"] {
            assert_eq!(plain_string(other), None, "{other}");
        }
    }

    #[test]
    fn blanks_are_noticed_between_tokens_only() {
        assert_eq!(object(r#"{"a b":" \" ","c":[1,{"d":" "}]}"#, drop), Ok(false));
        for text in [r#" {}"#, "{}\n", r#"{ "a":1}"#, r#"{"a" :1}"#, r#"{"a":[1, 2]}"#, r#"{"a":{"b":1 }}"#] {
            assert_eq!(object(text, drop), Ok(true), "{text}");
        }
    }

    #[test]
    fn dense_parts_are_all_but_the_blanks() {
        let text = " {\"a b\" : \"c \\\" d\",\n\t\"e\":[ 1 ]}\n";
        let parts: Vec<&str> = dense_parts(text).map(|part| text.get(part).unwrap()).collect();
        assert_eq!(parts, ["{\"a b\"", ":", "\"c \\\" d\",", "\"e\":[", "1", "]}"]);
        assert!(dense_parts("{\"a\":1}").eq(std::iter::once(0..7)));
        assert_eq!(dense_parts(" \n").count(), 0);
    }
}
