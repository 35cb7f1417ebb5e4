//! Texts that are too long for the model: the whole goes to a file, the model gets its beginning and the path
//! (codebuddy-claude.md section 16).

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::diagnostic::Code;
use crate::reply::{Reply, ReplyContext};

/// So many characters of a text that went to a file are shown.
const SHOWN: usize = 2_000;

/// Cuts the texts of a reply to what its dialect allows.
pub(crate) fn cut(context: &ReplyContext<'_>, reply: &mut Reply) {
    let Some(limit) = context.hook.dialect.longest_text else { return };
    let texts = [("additional context", reply.context.take()), ("system message", reply.message.take())];
    let [context_text, message] = texts.map(|(what, text)| {
        let text = text?;
        let length = text.chars().count();
        if length <= limit {
            return Some(text);
        }
        let (text, place) = shortened(&text, length);
        let note = format!("its {what} has {length} characters, {limit} are allowed; {place}");
        reply.warn(context, Code::OutputTruncated, note);
        Some(text)
    });
    (reply.context, reply.message) = (context_text, message);
}

/// The beginning with a note of where the rest is, and that note for the user.
fn shortened(text: &str, length: usize) -> (String, String) {
    let shown = text.char_indices().nth(SHOWN).map_or(text, |(end, _)| text.get(..end).unwrap_or_default());
    match write(text) {
        Ok(path) => {
            let path = path.display();
            let note = format!("{shown}\n\n[{SHOWN} of {length} characters; the whole text is in {path}]");
            (note, format!("the whole text is in {path}"))
        }
        Err(error) => {
            let note = format!("{shown}\n\n[{SHOWN} of {length} characters; the rest could not be kept]");
            (note, format!("the rest is lost, because it could not be written: {error}"))
        }
    }
}

/// A file that only its owner reads. It is for the model, which may look at it at any time: the system's cleaning of its
/// temporary files removes it.
fn write(text: &str) -> std::io::Result<PathBuf> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let name = format!("crosshook-output-{}-{now:x}-{number}.txt", std::process::id());
    let path = std::env::temp_dir().join(name);
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
        let (short, note) = shortened(&text, 12_000);
        let path = note.strip_prefix("the whole text is in ").unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), text);
        std::fs::remove_file(path).unwrap();
        assert!(short.starts_with(&"é".repeat(2_000)) && !short.starts_with(&"é".repeat(2_001)));
        assert!(short.ends_with(&format!("[2000 of 12000 characters; the whole text is in {path}]")));
    }
}
