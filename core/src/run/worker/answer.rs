//! A worker's line as what the command would have left behind.
//!
//! The line is an object. Its member `crosshook` names the event that is answered by its number, `id`, and says how the
//! command would have ended: `exit_code`, `stdout` and `stderr`. What stands beside it is what the command would have
//! printed. A line that does not name the event in just this way is no answer; what it objects to counts all the same
//! ([`objection`]), as a *deny* is never lost.

use std::borrow::Cow;

use crate::json::{Kind, decode_string, js_trim, members, repair_surrogates, write_object};

const KEY: &str = "crosshook";
/// The exit code that denies in every dialect.
const DENIES: u8 = 2;

/// What a command would have left behind.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) code: u8,
    pub(super) stdout: Vec<u8>,
    /// `None`: what it wrote to its standard error.
    pub(super) stderr: Option<Vec<u8>>,
    /// The line is not UTF-8; what is invalid was read as U+FFFD.
    pub(super) garbled: bool,
}

type Members<'a> = Vec<(String, &'a str)>;

/// Reads the line that answers the event with the number `id`. The error says what makes it no answer.
pub(super) fn read(line: &[u8], id: u64) -> Result<Answer, String> {
    let text = String::from_utf8_lossy(line);
    let garbled = matches!(text, Cow::Owned(_));
    let text = js_trim(&text);
    if let Some(found) = members(text) {
        return strict(found, id, garbled);
    }
    // Only a key can hold a lone surrogate that JavaScript accepts and serde_json does not.
    match members(&repair_surrogates(text)) {
        Some(found) => strict(found, id, garbled),
        None => Err(format!(
            "its worker's line is no JSON object that names the event (`\"{KEY}\": {{\"id\": {id}}}`)"
        )),
    }
}

fn strict(found: Members<'_>, id: u64, garbled: bool) -> Result<Answer, String> {
    let (own, rest): (Members<'_>, Members<'_>) = found.into_iter().partition(|(key, _)| key == KEY);
    let [(_, envelope)] = own.as_slice() else {
        return Err(match own.len() {
            0 => format!("its worker's answer does not name event {id} (`{KEY}.id`)"),
            _ => format!("its worker's answer has the member `{KEY}` more than once"),
        });
    };
    let envelope = Envelope::read(envelope, id)
        .map_err(|why| format!("the member `{KEY}` of its worker's answer is not usable: {why}"))?;
    match envelope.id {
        Some(it) if is(it, id) => {}
        Some(other) => return Err(format!("its worker answered event {other}, not event {id}")),
        None => return Err(format!("its worker's answer does not name event {id} (`{KEY}.id`)")),
    }
    if envelope.stdout.is_some() && !rest.is_empty() {
        return Err(format!("its worker's answer has `{KEY}.stdout` and members beside `{KEY}`"));
    }
    let stdout = envelope.stdout.map_or_else(|| printed(&rest), String::into_bytes);
    Ok(Answer { code: envelope.code, stdout, stderr: envelope.stderr.map(String::into_bytes), garbled })
}

/// The member `crosshook`.
#[derive(Default)]
struct Envelope {
    id: Option<f64>,
    code: u8,
    stdout: Option<String>,
    stderr: Option<String>,
}

impl Envelope {
    fn read(raw: &str, id: u64) -> Result<Self, String> {
        let found = members(raw).ok_or_else(|| format!("it is {}", Kind::of(raw).words()))?;
        let (mut read, mut seen) = (Self::default(), Vec::new());
        for (key, raw) in &found {
            if seen.contains(&key) {
                return Err(format!("it has `{key}` more than once"));
            }
            seen.push(key);
            let wrong = |wanted: &str| format!("`{key}` is {}, not {wanted}", shown(raw));
            // As everywhere, null is as good as nothing.
            match (key.as_str(), Kind::of(raw)) {
                ("id" | "exit_code" | "stdout" | "stderr", Kind::Null) => {}
                ("id", _) => read.id = Some(number(raw).ok_or_else(|| wrong(&format!("the number {id}")))?),
                ("exit_code", _) => {
                    let code = number(raw).and_then(code);
                    read.code = code.ok_or_else(|| wrong("a whole number from 0 to 255"))?;
                }
                ("stdout", _) => read.stdout = Some(decode_string(raw).ok_or_else(|| wrong("a string"))?),
                ("stderr", _) => read.stderr = Some(decode_string(raw).ok_or_else(|| wrong("a string"))?),
                _ => {
                    return Err(format!(
                        "`{key}` is unknown; there are `id`, `exit_code`, `stdout`, `stderr`"
                    ));
                }
            }
        }
        Ok(read)
    }
}

/// What there is in bytes that are no answer, in any of their lines: an object that denies denies, unless it names
/// another event. Nothing of it may count as consent. `None`: there is no such object.
pub(super) fn objection(heard: &[u8], id: u64) -> Option<Answer> {
    let text = String::from_utf8_lossy(heard);
    let mut lines = text.split('\n').filter_map(|line| loose(line, id));
    let mut whole = lines.next()?;
    for more in lines {
        whole.stdout.extend([b"\n", more.stdout.as_slice()].concat());
        if whole.code == 0 {
            (whole.code, whole.stderr) = (more.code, more.stderr.or(whole.stderr));
        }
    }
    Some(whole)
}

fn loose(line: &str, id: u64) -> Option<Answer> {
    let text = repair_surrogates(js_trim(line));
    let (own, rest): (Members<'_>, Members<'_>) =
        members(&text)?.into_iter().partition(|(key, _)| key == KEY);
    let mut answer = Answer { code: 0, stdout: printed(&rest), stderr: None, garbled: false };
    for (key, raw) in own.iter().filter_map(|(_, raw)| members(raw)).flatten() {
        match key.as_str() {
            "id" if number(raw).is_some_and(|it| !is(it, id)) => return None,
            "exit_code" if answer.code == 0 => answer.code = loose_code(raw),
            "stdout" => answer.stdout.extend(decode_string(raw).unwrap_or_default().into_bytes()),
            "stderr" => answer.stderr = decode_string(raw).map(String::into_bytes).or(answer.stderr),
            _ => {}
        }
    }
    Some(answer)
}

/// An exit code in whatever form: what is not nothing and no exit code denies.
fn loose_code(raw: &str) -> u8 {
    let text = decode_string(raw).unwrap_or_else(|| raw.to_owned());
    match text.trim() {
        "" | "null" | "false" => 0,
        text => text.parse().ok().and_then(code).unwrap_or(DENIES),
    }
}

fn number(raw: &str) -> Option<f64> {
    if Kind::of(raw) == Kind::Number { raw.parse().ok() } else { None }
}

/// As in JavaScript, 2.0 is 2.
fn code(number: f64) -> Option<u8> {
    (0..=u8::MAX).find(|code| f64::from(*code) == number)
}

fn is(number: f64, id: u64) -> bool {
    number == id as f64
}

/// A value in a message.
fn shown(raw: &str) -> String {
    if raw.len() <= 40 { format!("`{raw}`") } else { Kind::of(raw).words().to_owned() }
}

/// A command ends what it prints with a newline; nothing stays nothing.
fn printed(rest: &Members<'_>) -> Vec<u8> {
    if rest.is_empty() {
        return Vec::new();
    }
    let mut text = write_object(rest.iter().map(|(key, raw)| (key.as_str(), *raw)));
    text.push('\n');
    text.into_bytes()
}

#[cfg(test)]
mod tests;
