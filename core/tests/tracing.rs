//! The spans of a dispatch and its hooks.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write;
use std::sync::{Arc, Mutex};

use crosshook::{Engine, Options};
use serde_json::json;
use tracing_subscriber::fmt::format::FmtSpan;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_dispatch_and_its_hooks_are_spans_without_contents() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(false)
        .finish();
    let hook = json!({"type": "command", "command": "exit 2"});
    let settings = json!({"hooks": {"Stop": [{"hooks": [hook]}]}});
    let engine = Engine::new(Options::new("codebuddy").settings_text(None, settings.to_string())).unwrap();
    tracing::subscriber::with_default(subscriber, || {
        engine.dispatch_blocking(r#"{"hook_event_name":"Stop","last_assistant_message":"SECRET"}"#).unwrap();
    });
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(text.contains(r#"crosshook.dispatch{event="Stop""#), "{text}");
    assert!(text.contains(r#"crosshook.hook{id="user/Stop/0/0""#), "{text}");
    assert!(text.contains(r#"status=Blocked decision="block""#), "{text}");
    assert!(!text.contains("SECRET"), "{text}");
}
