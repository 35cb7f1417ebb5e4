//! The command `replay`.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write, stdin, stdout};
use std::path::PathBuf;

use serde::Serialize;

use super::commands::{Result, print, print_lines};
use super::table;
use crate::{Difference, Engine, Replay};

/// A dispatch of the recording, with its line.
#[derive(Serialize)]
struct Numbered<'a> {
    line: usize,
    #[serde(flatten)]
    replay: &'a Replay,
}

/// What was seen so far.
#[derive(Default)]
struct Tally {
    same: usize,
    otherwise: usize,
    unusable: usize,
}

/// Decides all lines of a recording again, by the hooks of `engine` or those of the recording.
pub(super) fn replay(engine: Option<&Engine>, json: bool, file: Option<PathBuf>) -> Result<u8> {
    let place = file.as_ref().map_or_else(|| "standard input".to_owned(), |file| file.display().to_string());
    let input: Box<dyn Read> = match &file {
        Some(path) => Box::new(
            File::open(path).map_err(|error| format!("{place}: the recording cannot be read: {error}"))?,
        ),
        None => Box::new(stdin().lock()),
    };
    let (mut input, mut tally) = (BufReader::new(input), Tally::default());
    let mut rows = Vec::new();
    let (mut line, mut number) = (Vec::new(), 0_usize);
    while input.read_until(b'\n', &mut line)? > 0 {
        number += 1;
        let text = String::from_utf8_lossy(&line).trim().to_owned();
        line.clear();
        if text.is_empty() {
            continue;
        }
        let again = match engine {
            Some(engine) => engine.replay(&text),
            None => crate::replay(&text),
        };
        match again {
            Ok(again) => {
                tally.count(&again);
                if json {
                    print_lines(&[Numbered { line: number, replay: &again }])?;
                } else {
                    rows.extend(again.differences.iter().map(|difference| row(number, &again, difference)));
                }
            }
            Err(_) if is_torn(&text) => {
                tell(&format!("{place}:{number}: the line is not complete and is left out"))?
            }
            Err(error) => {
                tally.unusable += 1;
                tell(&format!("{place}:{number}: {error}"))?;
            }
        }
    }
    if !json {
        let heads = ["LINE", "TIME", "EVENT", "DIFFERENCE"];
        print(|out| {
            if !rows.is_empty() {
                table::write(out, heads, rows.into_iter(), "")?;
            }
            writeln!(out, "{}", tally.words())
        })?;
    }
    Ok(u8::from(tally.otherwise + tally.unusable > 0))
}

/// Whether it is what a writer left that died in the middle of its line.
fn is_torn(line: &str) -> bool {
    let begin = r#"{"format":"#;
    let complete = serde_json::from_str::<&serde_json::value::RawValue>(line).is_ok();
    !complete && (line.starts_with(begin) || begin.starts_with(line))
}

fn row(number: usize, replay: &Replay, difference: &Difference) -> [String; 4] {
    [number.to_string(), replay.time.clone(), replay.event.clone(), difference.message.clone()]
}

/// Beside the results, which may be read by a program.
fn tell(text: &str) -> Result<()> {
    stdout().flush()?;
    Ok(writeln!(std::io::stderr(), "crosshook: {text}")?)
}

impl Tally {
    fn count(&mut self, replay: &Replay) {
        if replay.same {
            self.same += 1;
        } else {
            self.otherwise += 1;
        }
    }

    fn words(&self) -> String {
        let mut text = format!("{} as recorded, {} otherwise", self.same, self.otherwise);
        if self.unusable > 0 {
            text.push_str(&format!(", {} not usable", self.unusable));
        }
        text
    }
}
