//! Recording: one JSON line a dispatch, with all that it takes to decide it again (docs/record-replay.md).

mod file;
pub(crate) mod form;
pub(crate) mod note;
mod options;
pub(crate) mod redact;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

pub use options::{RecordOptions, RedactRule};

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect;
use crate::error::{Error, ErrorKind, Place};
use crate::event::{Event, NAME_KEYS, camel_case};
use crate::hook::HookSet;
use crate::json::{Object, Raw, decode_string, quote, to_raw, write_object};
use crate::outcome::{Answered, Outcome};
use crate::plan::Judged;
use crate::snapshot::Snapshot;
use crate::spill::Cut;
use crate::translation::Arguments;
use file::{Lines, Unwritten};
pub(crate) use form::SessionState;
use form::{FORMAT, HookForm, Line};
pub(crate) use redact::MARK;
use redact::{Document, Redactor, Rules};

/// Records the dispatches of one engine.
#[derive(Debug)]
pub(crate) struct Recorder {
    lines: Lines,
    rules: Rules,
    /// The last line was not written, and that was said.
    failing: AtomicBool,
}

/// What is kept of a dispatch until its outcome is there.
pub(crate) struct Begun<'a> {
    recorder: &'a Recorder,
    redactor: Redactor<'a>,
    session: SessionState,
    plan: Vec<Diagnostic>,
    hooks: Vec<HookForm>,
    /// What is left of texts that were cut and held secrets: nobody can tell whether a part of one is in it.
    sealed: Vec<String>,
}

/// What a dispatch ended with.
pub(crate) struct Ended<'a> {
    pub(crate) snapshot: &'a Snapshot,
    /// In the words of the host.
    pub(crate) own: &'a Event,
    /// In the words of its dialect.
    pub(crate) event: &'a Event,
    /// The texts of several hooks that were too long.
    pub(crate) spilled: Vec<Cut>,
    pub(crate) outcome: &'a Outcome,
}

impl Recorder {
    /// Opens the recording.
    ///
    /// # Errors
    /// `invalid_options`: a rule is none. `io`: the file cannot be written.
    pub(crate) fn new(options: &RecordOptions) -> Result<Self, Error> {
        let rules = Rules::new(options.usual_rules, &options.redact)?;
        let lines = Lines::new(&options.path, options.max_bytes).map_err(|error| {
            let place = Place { path: Some(options.path.display().to_string()), ..Place::default() };
            let mut text = format!("dispatches cannot be recorded there: {error}");
            // What is said of the file's kind says what to do, too.
            if error.kind() != std::io::ErrorKind::InvalidInput {
                text.push_str("; name a file that can be written");
            }
            Error::new(ErrorKind::Io, text).at(place)
        })?;
        Ok(Self { lines, rules, failing: AtomicBool::new(false) })
    }

    /// Keeps what the hooks of a dispatch gave, before it is merged.
    /// `aliases` are the other names that the arguments of its tool have.
    pub(crate) fn begin(
        &self,
        (answered, settings): (&[Answered], &HookSet),
        session: SessionState,
        plan: &[Diagnostic],
        aliases: Vec<Arguments>,
    ) -> Begun<'_> {
        let redactor = Redactor::new(&self.rules).with_aliases(aliases);
        let hooks: Vec<HookForm> = answered.iter().map(|one| note::hook(&redactor, one, settings)).collect();
        let pairs = answered.iter().zip(&hooks);
        let sealed = pairs.flat_map(|(one, form)| sealed(&one.spilled, &form.result.spilled)).collect();
        Begun { recorder: self, redactor, session, plan: plan.to_vec(), hooks, sealed }
    }

    fn append(&self, line: String) -> Option<Diagnostic> {
        match self.lines.append(line) {
            Ok(()) => {
                self.failing.store(false, Ordering::Relaxed);
                None
            }
            Err(Unwritten::Full(size)) => self.failed(format!(
                "the recording has {size} bytes and must not grow any further; move the file away, or raise `max_bytes`"
            )),
            Err(Unwritten::Failed(error)) => self.failed(format!("the recording cannot be written: {error}")),
        }
    }

    fn failed(&self, why: String) -> Option<Diagnostic> {
        if self.failing.swap(true, Ordering::Relaxed) {
            return None;
        }
        let text = format!(
            "{}: {why}; dispatches go on without being recorded, which is not said again",
            self.lines.path().display()
        );
        Some(Diagnostic::warning(Code::RecordFailed, text))
    }
}

impl Begun<'_> {
    /// Writes the line of the dispatch. What goes wrong never touches the dispatch; it is said once, until it goes well
    /// again.
    pub(crate) fn end(self, ended: Ended<'_>) -> Option<Diagnostic> {
        let recorder = self.recorder;
        match line(self, ended) {
            Some(line) => recorder.append(line),
            None => recorder.failed("the dispatch has no JSON form; please report this defect".to_owned()),
        }
    }
}

fn line(begun: Begun<'_>, ended: Ended<'_>) -> Option<String> {
    let Begun { recorder, redactor, session, plan, hooks, sealed: texts } = begun;
    let Ended { snapshot, own, outcome, .. } = ended;
    let event = to_raw(&redacted_event(&redactor, own))?;
    let judged = judged(&redactor, &ended, &event);
    // A rule of permissions may name any tool.
    let all = outcome.updated_permissions.is_some();
    let tools = if all { snapshot.tools.as_ref().clone() } else { snapshot.tools.of(own) };
    let spilled = note::cuts(&ended.spilled, redactor.count() > 0);
    let texts = texts.into_iter().chain(sealed(&ended.spilled, &spilled)).collect::<Vec<_>>();
    let outcome = redacted_outcome(&redactor, outcome, &texts)?;
    let said = |one: Diagnostic| Diagnostic { message: redactor.text(&one.message), ..one };
    let line = Line {
        format: FORMAT,
        time: humantime::format_rfc3339_millis(SystemTime::now()).to_string(),
        crosshook: crate::VERSION.to_owned(),
        dialect: snapshot.dialect.name.to_owned(),
        version: snapshot.version.recorded(),
        fail_mode: snapshot.fail_mode,
        event,
        tools,
        session,
        plan: plan.into_iter().map(said).collect(),
        judged,
        hooks,
        spilled,
        outcome,
        redacted: redactor.count(),
        own_rules: recorder.rules.has_own(),
    };
    serde_json::to_string(&line).ok()
}

/// What matchers and `if` rules said of texts that were taken out of the event, which is `left`.
fn judged(redactor: &Redactor<'_>, ended: &Ended<'_>, left: &Raw) -> Vec<Judged> {
    if !left.get().contains(MARK) {
        return Vec::new();
    }
    let Ok(left) = Event::parse(left.get()) else { return Vec::new() };
    let left = ended.snapshot.tools.tell(left).event;
    // What a rule tells by its place, it does not find in a rule of the settings.
    let plain = |text: &str| !redactor.goes_by_place() && redactor.text(text) == text;
    ended.snapshot.planner.judged(ended.event, &left, MARK, &plain)
}

/// The event's JSON text. What hooks are selected by stays.
fn redacted_event(redactor: &Redactor<'_>, event: &Event) -> String {
    let selecting = selecting_fields(event.name());
    let stays = |key: &str, raw: &str| {
        raw.len() <= LONGEST_NAME && selecting.iter().any(|field| *field == key || camel_case(field) == key)
    };
    redactor.json(event.json(), Document { stays: &stays, ..Document::ANSWER })
}

/// A field that selects hooks is a name; what is longer, in bytes, is a text and may hold a secret.
const LONGEST_NAME: usize = 256;

/// The fields that decide which hooks an event selects and what it can decide, in any dialect.
fn selecting_fields(event: &str) -> Vec<&'static str> {
    let rules = dialect::names().into_iter().filter_map(dialect::by_name).filter_map(|it| it.event(event));
    let of_events = rules.flat_map(|rule| [rule.target.field(), rule.effect.field()]).flatten();
    NAME_KEYS.into_iter().chain(["tool_name", "session_id", "agent_id"]).chain(of_events).collect()
}

/// The texts that were cut of which nothing is written down.
fn sealed(cuts: &[Cut], written: &[Cut]) -> Vec<String> {
    let pairs = cuts.iter().zip(written).filter(|(_, written)| written.text.is_some());
    pairs.filter_map(|(cut, _)| cut.text.clone()).filter(|text| !text.is_empty()).collect()
}

/// The outcome as JSON text. Its own keys and words stay; nothing is left of the texts in `sealed`.
fn redacted_outcome(redactor: &Redactor<'_>, outcome: &Outcome, sealed: &[String]) -> Option<Raw> {
    let mut outcome = outcome.to_json();
    for text in sealed {
        // As it stands in a string of JSON.
        let quoted = quote(text);
        if let Some(inner) = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            outcome = outcome.replace(inner, MARK);
        }
    }
    let object = Object::parse(outcome).ok()?;
    let fields: Vec<(&str, String)> = object
        .iter()
        .map(|(key, raw)| {
            let roots: &[&[&str]] = match key {
                // What a pointer says of the tool's input holds for the changed one too.
                "updated_input" => &[&["tool_input"], &["updated_input"]],
                _ => &[&[key]],
            };
            let whole = redactor.names_a_secret(key);
            let text = match key {
                "event" | "decision" => raw.to_owned(),
                "hooks" | "diagnostics" => redacted_reports(redactor, key, raw),
                _ if whole => redactor.json(raw, Document { whole, ..Document::OWN }),
                "updated_input" | "updated_output" | "updated_permissions" | "extra" => {
                    redactor.json(raw, Document { roots, ..Document::ANSWER })
                }
                _ => redactor.json(raw, Document { roots, ..Document::OWN }),
            };
            (key, text)
        })
        .collect();
    to_raw(&write_object(fields.iter().map(|(key, text)| (*key, text.as_str()))))
}

/// What of a report of a hook, or of a diagnostic, is no text of anybody's.
const FACTS: [&str; 12] = [
    "id",
    "dialect",
    "type",
    "status",
    "decision",
    "exit_code",
    "duration_ms",
    "stdout_bytes",
    "stderr_bytes",
    "truncated",
    "level",
    "code",
];

/// A list of reports as JSON text: the facts stay.
fn redacted_reports(redactor: &Redactor<'_>, list: &str, raw: &str) -> String {
    let reports: Vec<Raw> = serde_json::from_str(raw).unwrap_or_default();
    let redacted = reports.iter().enumerate().map(|(index, report)| {
        let report = Object::from_raw(report.get())?;
        let index = index.to_string();
        let fields: Vec<(&str, String)> = report
            .iter()
            .map(|(key, raw)| {
                let roots: &[&[&str]] = &[&[list, &index, key]];
                let whole = redactor.names_a_secret(key);
                let document = Document { whole, roots, ..Document::OWN };
                (key, if FACTS.contains(&key) { raw.to_owned() } else { redactor.json(raw, document) })
            })
            .collect();
        Some(write_object(fields.iter().map(|(key, text)| (*key, text.as_str()))))
    });
    let redacted: Vec<String> = redacted.flatten().collect();
    format!("[{}]", redacted.join(","))
}

impl Line {
    /// Reads a line of a recording.
    ///
    /// # Errors
    /// What is wrong with it, for people.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let object = Object::parse(text).map_err(|error| format!("it is no JSON object: {error}"))?;
        match object.get("format") {
            Some("2") => {}
            None => return Err("it has no `format`; it is no line of a recording".to_owned()),
            Some(other) => {
                let format = decode_string(other).unwrap_or_else(|| other.to_owned());
                return Err(format!(
                    "its format is {format}, and this version of Crosshook reads {FORMAT}; use the version that wrote it"
                ));
            }
        }
        serde_json::from_str(text).map_err(|error| format!("it is not what a recording holds: {error}"))
    }
}
