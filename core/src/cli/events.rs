//! Reads events one after the other, as they come, so that a host can keep the process and feed it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, stdin};
use std::path::PathBuf;

use serde_json::value::RawValue;

/// The events of a file, or of standard input.
pub(crate) fn read(file: Option<PathBuf>) -> Result<impl Iterator<Item = Result<String, String>>, String> {
    let place = file.as_ref().map_or_else(|| "standard input".to_owned(), |file| file.display().to_string());
    let input: Box<dyn Read> = match &file {
        Some(path) => Box::new(
            File::open(path).map_err(|error| format!("{place}: the event file cannot be read: {error}"))?,
        ),
        None => Box::new(stdin().lock()),
    };
    let mut input = BufReader::with_capacity(1 << 16, input);
    if input.fill_buf().is_ok_and(|start| start.starts_with(b"\xef\xbb\xbf")) {
        input.consume(3);
    }
    let values = serde_json::Deserializer::from_reader(input).into_iter::<Box<RawValue>>();
    Ok(values.map(move |value| match value {
        Ok(raw) => Ok(String::from(Box::<str>::from(raw))),
        Err(error) => Err(format!("{place}: the event is not JSON: {error}")),
    }))
}
