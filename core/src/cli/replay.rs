//! The command `replay`.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write, stdin, stdout};
use std::path::PathBuf;

use serde::Serialize;

use super::output::{Result, print, print_lines};
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
    let (mut tally, mut rows) = (Tally::default(), Vec::new());
    for (number, line) in lines(file, &place)?.enumerate() {
        let line = line.map_err(|error| format!("{place}: the recording cannot be read: {error}"))?;
        let number = number + 1;
        let again = match engine {
            _ if line.trim_ascii().is_empty() => continue,
            Some(engine) => engine.replay(&line),
            None => crate::replay(&line),
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
            Err(_) if is_torn(&line) => {
                tell(&format!("{place}:{number}: the line is not complete and is left out"))?;
            }
            Err(error) => {
                tally.unusable += 1;
                tell(&format!("{place}:{number}: {error}"))?;
            }
        }
    }
    if !json {
        print(|out| {
            if !rows.is_empty() {
                table::write(out, ["LINE", "TIME", "EVENT", "DIFFERENCE"], rows.into_iter(), "")?;
            }
            writeln!(out, "{}", tally.words())
        })?;
    }
    Ok(u8::from(tally.otherwise + tally.unusable > 0))
}

/// The lines of a file, or of standard input.
fn lines(
    file: Option<PathBuf>,
    place: &str,
) -> Result<impl Iterator<Item = std::io::Result<Vec<u8>>> + use<>> {
    let input: Box<dyn Read> = match &file {
        Some(path) => Box::new(
            File::open(path).map_err(|error| format!("{place}: the recording cannot be read: {error}"))?,
        ),
        None => Box::new(stdin().lock()),
    };
    Ok(BufReader::new(input).split(b'\n'))
}

/// Whether it is what a writer left that died in the middle of its line.
fn is_torn(line: &[u8]) -> bool {
    let begin = br#"{"format":"#;
    let complete = serde_json::from_slice::<&serde_json::value::RawValue>(line).is_ok();
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
