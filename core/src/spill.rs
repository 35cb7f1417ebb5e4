//! Texts that are too long for the model: the whole goes to a file, the model gets a part and the path
//! (codebuddy-claude.md section 16, zcode-codex-gemini.md section 2.10).

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::diagnostic::{Code, Diagnostic, Level};
use crate::dialect::{LongReason, Longest};
use crate::hook::Hook;
use crate::outcome::Outcome;
use crate::record::MARK;
use crate::reply::{Reply, ReplyContext};

/// So many characters of a text that went to a file are shown, where characters are counted.
const SHOWN: usize = 2_000;

/// Bytes that are taken for one token.
pub(crate) const TOKEN: usize = 4;

/// A text that was cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cut {
    pub(crate) what: String,
    /// Where the whole of it is; `None` when it could not be written.
    pub(crate) path: Option<String>,
    /// What became of it. In a recording only where secrets were taken out: then it cannot be cut again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
}

/// Where texts that are too long go.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// A replay writes nothing: these were cut when it was recorded.
    recorded: Option<Vec<Cut>>,
    /// Those that were cut so far.
    pub(crate) cuts: Vec<Cut>,
}

/// What a replay knows of a text whose length is not known, because secrets were taken out of it.
enum Recalled {
    Whole,
    Cut(String),
}

impl Files {
    /// Writes nothing, and names those.
    pub(crate) fn recorded(cuts: Vec<Cut>) -> Self {
        Self { recorded: Some(cuts), cuts: Vec::new() }
    }

    /// The next cut of the recording, when it was one of this text.
    fn next(&self, what: &str) -> Option<&Cut> {
        self.recorded.as_ref()?.get(self.cuts.len()).filter(|cut| cut.what == what)
    }

    fn keep(&mut self, what: &str, text: &str, folder: &Path) -> std::io::Result<String> {
        let kept = match &self.recorded {
            None => write(text, folder).map(|path| path.display().to_string()),
            Some(_) => match self.next(what) {
                None => Ok("a file (not in a replay)".to_owned()),
                Some(cut) => cut.path.clone().ok_or_else(|| std::io::Error::other("as it was recorded")),
            },
        };
        self.cuts.push(Cut { what: what.to_owned(), path: kept.as_ref().ok().cloned(), text: None });
        kept
    }

    /// Notes what became of the text that was kept last.
    fn became(&mut self, short: &str) {
        if let Some(cut) = self.cuts.last_mut() {
            cut.text = Some(short.to_owned());
        }
    }

    /// Whether a text was cut that is not whole any more; `None` where it can be cut as ever.
    fn recall(&mut self, what: &str, text: &str) -> Option<Recalled> {
        if self.recorded.is_none() || !text.contains(MARK) {
            return None;
        }
        let Some(cut) = self.next(what).cloned() else { return Some(Recalled::Whole) };
        let short = cut.text.clone()?;
        self.cuts.push(cut);
        Some(Recalled::Cut(short))
    }
}

/// Cuts the texts of a reply to what its dialect allows.
pub(crate) fn cut(context: &ReplyContext<'_>, reply: &mut Reply, files: &mut Files) {
    match context.hook.dialect.longest_text {
        None => {}
        Some(Longest::Characters(limit)) => {
            let (text, message) = (reply.context.take(), reply.message.take());
            reply.context = within_characters(context, reply, files, "additional context", text, limit);
            reply.message = within_characters(context, reply, files, "system message", message, limit);
        }
        Some(Longest::Tokens(usual)) => {
            let own = context.hook.context_limit.unwrap_or(usual);
            let text = reply.context.take();
            // 0 is no limit.
            let own = if own > 0 { own } else { u64::MAX };
            reply.context = within_tokens(context, reply, files, "additional context", text, own);
            if context.rule.long_reason == LongReason::Each && reply.decision.blocks() {
                let text = reply.reason.take();
                reply.reason = within_tokens(context, reply, files, "reason", text, usual);
            }
        }
    }
}

/// Cuts a reason that was put together from those of several hooks.
pub(crate) fn cut_joined(hooks: &[Arc<Hook>], outcome: &mut Outcome, files: &mut Files) {
    let limited = hooks.iter().find_map(|hook| match hook.dialect.longest_text {
        Some(Longest::Tokens(limit)) if hook.rule?.long_reason == LongReason::Joined => Some((hook, limit)),
        _ => None,
    });
    let Some((hook, limit)) = limited.filter(|_| outcome.decision.blocks()) else { return };
    let Some(text) = outcome.reason.take() else { return };
    let (short, place) = match files.recall(JOINED, &text) {
        None if tokens(&text) > limit => ends(JOINED, &text, limit, &std::env::temp_dir(), files),
        Some(Recalled::Cut(short)) => (short, RECORDED.to_owned()),
        None | Some(Recalled::Whole) => {
            outcome.reason = Some(text);
            return;
        }
    };
    let message = format!("the reasons have {} tokens, {limit} are allowed; {place}", tokens(&text));
    let origin = Some(hook.origin.clone());
    let code = Code::OutputTruncated;
    outcome.diagnostics.push(Diagnostic { level: Level::Warning, code, message, origin });
    outcome.reason = Some(short);
}

const JOINED: &str = "reasons";

/// What a user is told in a replay of a text that secrets were taken out of.
const RECORDED: &str = "that is how it was recorded";

fn within_characters(
    context: &ReplyContext<'_>,
    reply: &mut Reply,
    files: &mut Files,
    what: &str,
    text: Option<String>,
    limit: usize,
) -> Option<String> {
    let text = text?;
    let length = text.chars().count();
    let (text, place) = match files.recall(what, &text) {
        None if length > limit => shortened(what, &text, length, files),
        Some(Recalled::Cut(short)) => (short, RECORDED.to_owned()),
        None | Some(Recalled::Whole) => return Some(text),
    };
    let note = format!("its {what} has {length} characters, {limit} are allowed; {place}");
    reply.warn(context, Code::OutputTruncated, note);
    Some(text)
}

fn within_tokens(
    context: &ReplyContext<'_>,
    reply: &mut Reply,
    files: &mut Files,
    what: &str,
    text: Option<String>,
    limit: u64,
) -> Option<String> {
    let text = text?;
    let (short, place) = match files.recall(what, &text) {
        None if tokens(&text) > limit => ends(what, &text, limit, &std::env::temp_dir(), files),
        Some(Recalled::Cut(short)) => (short, RECORDED.to_owned()),
        None | Some(Recalled::Whole) => return Some(text),
    };
    let note = format!("its {what} has {} tokens, {limit} are allowed; {place}", tokens(&text));
    reply.warn(context, Code::OutputTruncated, note);
    Some(short)
}

fn tokens(text: &str) -> u64 {
    text.len().div_ceil(TOKEN) as u64
}

/// The beginning with a note of where the rest is, and that note for the user.
fn shortened(what: &str, text: &str, length: usize, files: &mut Files) -> (String, String) {
    let shown = text.char_indices().nth(SHOWN).map_or(text, |(end, _)| text.get(..end).unwrap_or_default());
    let (rest, place) = match files.keep(what, text, &std::env::temp_dir()) {
        Ok(path) => (format!("the whole text is in {path}"), format!("the whole text is in {path}")),
        Err(error) => (
            "the rest could not be kept".to_owned(),
            format!("the rest is lost, because it could not be written: {error}"),
        ),
    };
    let short = format!("{shown}\n\n[{SHOWN} of {length} characters; {rest}]");
    files.became(&short);
    (short, place)
}

/// Beginning and end of a text, together with the note of where the whole is within `limit` tokens as far as that is
/// possible; and that note for the user.
fn ends(what: &str, text: &str, limit: u64, folder: &Path, files: &mut Files) -> (String, String) {
    let (footer, place) = match files.keep(what, text, folder) {
        Ok(path) => (format!("\n\n[The whole text is in {path}]"), format!("the whole text is in {path}")),
        Err(error) => (String::new(), format!("the rest is lost, because it could not be written: {error}")),
    };
    let marker = |left_out: u64| format!("\n[{left_out} tokens are left out here]\n");
    let bytes = usize::try_from(limit).unwrap_or(usize::MAX).saturating_mul(TOKEN);
    let room = bytes.saturating_sub(footer.len() + marker(tokens(text)).len());
    let head = (0..=room.div_ceil(2)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let from = text.len().saturating_sub(room / 2);
    let tail = (from..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let (head, tail) = (text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default());
    let left_out = tokens(text).saturating_sub(tokens(head) + tokens(tail));
    let short = format!("{head}{}{tail}{footer}", marker(left_out));
    files.became(&short);
    (short, place)
}

/// A file that only its owner reads. It is for the model, which may look at it at any time: the system's cleaning of its
/// temporary files removes it.
fn write(text: &str, folder: &Path) -> std::io::Result<PathBuf> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("crosshook-output-{}-{now:x}-{number}.txt", std::process::id());
    let path = folder.join(name);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(&path)?.write_all(text.as_bytes())?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_text_is_in_the_file() {
        let text = "é".repeat(12_000);
        let (short, note) = shortened("reason", &text, 12_000, &mut Files::default());
        let path = note.strip_prefix("the whole text is in ").unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), text);
        std::fs::remove_file(path).unwrap();
        assert!(short.starts_with(&"é".repeat(2_000)) && !short.starts_with(&"é".repeat(2_001)));
        assert!(short.ends_with(&format!("[2000 of 12000 characters; the whole text is in {path}]")));
    }

    #[test]
    fn beginning_and_end_stay_within_the_tokens() {
        let folder = std::env::temp_dir();
        let text = format!("begin{}end", "é".repeat(10_000));
        let (short, note) = ends("reason", &text, 1_000, &folder, &mut Files::default());
        let path = note.strip_prefix("the whole text is in ").unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), text);
        assert!(short.starts_with("beginé") && short.contains("éend\n\n[The whole text is in "), "{short}");
        assert!(short.contains(" tokens are left out here]"));
        assert!(short.len() <= 4_000 && short.len() > 3_990, "{}", short.len());
        std::fs::remove_file(path).unwrap();
        let (short, note) =
            ends("reason", &text, 1_000, &folder.join("crosshook-no-such-folder"), &mut Files::default());
        assert!(note.starts_with("the rest is lost") && short.ends_with("end"), "{note}");
    }
}
