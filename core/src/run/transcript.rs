//! The temporary transcript of one hook run (zcode-codex-gemini.md section 1.5).

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::event::Event;
use crate::json::quote;

/// A JSONL file in a directory of its own; both are gone when this is dropped.
#[derive(Debug)]
pub(crate) struct Transcript {
    dir: PathBuf,
    file: PathBuf,
}

impl Transcript {
    /// Writes the transcript that a hook of `event` may read. `None` when there is no room for it.
    pub(super) fn write(event: &Event) -> Option<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
        let name =
            format!("crosshook-{}-{now:x}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let dir = std::env::temp_dir().join(name);
        create_private_dir(&dir).ok()?;
        let transcript = Self { file: dir.join("transcript.jsonl"), dir };
        let mut file = OpenOptions::new().write(true).create_new(true).open(&transcript.file).ok()?;
        file.write_all(line(event).as_bytes()).ok()?;
        Some(transcript)
    }

    pub(super) fn path(&self) -> &Path {
        &self.file
    }
}

impl Drop for Transcript {
    fn drop(&mut self) {
        // With what the hook put beside it; links are removed, not followed. What cannot be removed is left to the system's
        // cleaning of its temporary files.
        let _ = fs::remove_dir_all(&self.dir);
    }
}

#[cfg(unix)]
fn create_private_dir(dir: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().mode(0o700).create(dir)
}

#[cfg(not(unix))]
fn create_private_dir(dir: &Path) -> std::io::Result<()> {
    fs::create_dir(dir)
}

/// The prompt or the answer; nothing for other events.
fn line(event: &Event) -> String {
    let (role, text) = match event.name() {
        "UserPromptSubmit" => ("user", event.string("prompt")),
        "Stop" => {
            ("assistant", event.string("last_assistant_message").or_else(|| event.string("response_text")))
        }
        _ => return String::new(),
    };
    let text = quote(&text.unwrap_or_default());
    format!("{{\"message\":{{\"content\":[{{\"text\":{text},\"type\":\"text\"}}],\"role\":\"{role}\"}}}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_whatever_the_hook_did_to_it() {
        let event = Event::parse(r#"{"hook_event_name":"Stop","last_assistant_message":"a"}"#).unwrap();
        for hook in [
            |_: &Path| {},
            |dir: &Path| fs::write(dir.join("extra"), "x").unwrap(),
            |dir: &Path| fs::remove_file(dir.join("transcript.jsonl")).unwrap(),
            |dir: &Path| fs::remove_dir_all(dir).unwrap(),
        ] {
            let transcript = Transcript::write(&event).unwrap();
            let dir = transcript.path().parent().unwrap().to_owned();
            let wanted =
                "{\"message\":{\"content\":[{\"text\":\"a\",\"type\":\"text\"}],\"role\":\"assistant\"}}\n";
            assert_eq!(fs::read_to_string(transcript.path()).unwrap(), wanted);
            hook(&dir);
            drop(transcript);
            assert!(!dir.exists());
        }
    }
}
