//! What commands print, and how they end that cannot.

use std::error::Error;
use std::io::{self, BufWriter, Write, stdout};

use serde::Serialize;

use super::signals;
use crate::Origin;

pub(super) type Result<T> = std::result::Result<T, Box<dyn Error>>;

pub(super) fn place(origin: &Origin) -> String {
    let path = origin.path.as_deref().unwrap_or(&origin.scope);
    let line = origin.line.map_or_else(String::new, |line| format!(":{line}"));
    let pointer = origin.pointer.as_deref().filter(|pointer| !pointer.is_empty());
    let pointer = pointer.map_or_else(String::new, |pointer| format!(" {pointer}"));
    format!("{path}{line}{pointer}: ")
}

pub(super) fn print_lines<T: Serialize>(values: &[T]) -> Result<()> {
    let lines = values.iter().map(serde_json::to_string).collect::<std::result::Result<Vec<_>, _>>()?;
    print(|out| lines.iter().try_for_each(|line| writeln!(out, "{line}")))
}

/// Writes to standard output and flushes, so that a waiting host sees each outcome at once.
pub(super) fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    signals::stay_if_interrupted();
    let mut out = BufWriter::new(stdout().lock());
    write(&mut out)?;
    Ok(out.flush()?)
}
