//! Texts that are too long for the model: the whole goes to a file, the model gets a part and the path
//! (codebuddy-claude.md section 16, zcode-codex-gemini.md section 2.10).

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::diagnostic::{Code, Diagnostic, Level};
use crate::dialect::{LongReason, Longest};
use crate::hook::Hook;
use crate::outcome::Outcome;
use crate::reply::{Reply, ReplyContext};

/// So many characters of a text that went to a file are shown, where characters are counted.
const SHOWN: usize = 2_000;

/// Bytes that are taken for one token.
const TOKEN: usize = 4;

/// Where texts that are too long go.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// A replay writes nothing: these were written when it was recorded.
    recorded: Option<Vec<String>>,
    /// Those that were named so far.
    pub(crate) named: Vec<String>,
}

impl Files {
    /// Writes nothing, and names those.
    pub(crate) fn recorded(files: Vec<String>) -> Self {
        Self { recorded: Some(files), named: Vec::new() }
    }

    fn keep(&mut self, text: &str, folder: &Path) -> std::io::Result<String> {
        let path = match &self.recorded {
            None => write(text, folder)?.display().to_string(),
            Some(files) => {
                files.get(self.named.len()).cloned().unwrap_or_else(|| "a file (not in a replay)".to_owned())
            }
        };
        self.named.push(path.clone());
        Ok(path)
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
            // 0 is no limit.
            if let Some(text) = reply.context.take_if(|text| own > 0 && tokens(text) > own) {
                reply.context = Some(within_tokens(context, reply, files, "additional context", &text, own));
            }
            let each = context.rule.long_reason == LongReason::Each && reply.decision.blocks();
            if let Some(text) = reply.reason.take_if(|text| each && tokens(text) > usual) {
                reply.reason = Some(within_tokens(context, reply, files, "reason", &text, usual));
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
    if let Some(text) = outcome.reason.take_if(|text| tokens(text) > limit) {
        let (short, place) = ends(&text, limit, &std::env::temp_dir(), files);
        let message = format!("the reasons have {} tokens, {limit} are allowed; {place}", tokens(&text));
        let origin = Some(hook.origin.clone());
        let code = Code::OutputTruncated;
        outcome.diagnostics.push(Diagnostic { level: Level::Warning, code, message, origin });
        outcome.reason = Some(short);
    }
}

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
    if length <= limit {
        return Some(text);
    }
    let (text, place) = shortened(&text, length, files);
    let note = format!("its {what} has {length} characters, {limit} are allowed; {place}");
    reply.warn(context, Code::OutputTruncated, note);
    Some(text)
}

fn within_tokens(
    context: &ReplyContext<'_>,
    reply: &mut Reply,
    files: &mut Files,
    what: &str,
    text: &str,
    limit: u64,
) -> String {
    let (short, place) = ends(text, limit, &std::env::temp_dir(), files);
    let note = format!("its {what} has {} tokens, {limit} are allowed; {place}", tokens(text));
    reply.warn(context, Code::OutputTruncated, note);
    short
}

fn tokens(text: &str) -> u64 {
    text.len().div_ceil(TOKEN) as u64
}

/// The beginning with a note of where the rest is, and that note for the user.
fn shortened(text: &str, length: usize, files: &mut Files) -> (String, String) {
    let shown = text.char_indices().nth(SHOWN).map_or(text, |(end, _)| text.get(..end).unwrap_or_default());
    match files.keep(text, &std::env::temp_dir()) {
        Ok(path) => {
            let note = format!("{shown}\n\n[{SHOWN} of {length} characters; the whole text is in {path}]");
            (note, format!("the whole text is in {path}"))
        }
        Err(error) => {
            let note = format!("{shown}\n\n[{SHOWN} of {length} characters; the rest could not be kept]");
            (note, format!("the rest is lost, because it could not be written: {error}"))
        }
    }
}

/// Beginning and end of a text, together with the note of where the whole is within `limit` tokens as far as that is
/// possible; and that note for the user.
fn ends(text: &str, limit: u64, folder: &Path, files: &mut Files) -> (String, String) {
    let (footer, place) = match files.keep(text, folder) {
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
    (format!("{head}{}{tail}{footer}", marker(left_out)), place)
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
        let (short, note) = shortened(&text, 12_000, &mut Files::default());
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
        let (short, note) = ends(&text, 1_000, &folder, &mut Files::default());
        let path = note.strip_prefix("the whole text is in ").unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), text);
        assert!(short.starts_with("beginé") && short.contains("éend\n\n[The whole text is in "), "{short}");
        assert!(short.contains(" tokens are left out here]"));
        assert!(short.len() <= 4_000 && short.len() > 3_990, "{}", short.len());
        std::fs::remove_file(path).unwrap();
        let (short, note) =
            ends(&text, 1_000, &folder.join("crosshook-no-such-folder"), &mut Files::default());
        assert!(note.starts_with("the rest is lost") && short.ends_with("end"), "{note}");
    }
}
