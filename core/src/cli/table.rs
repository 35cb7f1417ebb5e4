//! Plain tables for people.

use std::io::{self, Write};

/// No column but the last is wider than this.
const WIDEST: usize = 48;

/// Writes aligned columns, or `nothing` when there are no rows.
pub(crate) fn write<const N: usize>(
    out: &mut dyn Write,
    heads: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
    nothing: &str,
) -> io::Result<()> {
    let rows: Vec<[String; N]> = rows.map(|row| row.map(|cell| one_line(&cell))).collect();
    if rows.is_empty() {
        return writeln!(out, "{nothing}");
    }
    let mut widths = heads.map(str::len);
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count()).min(WIDEST);
        }
    }
    let heads = heads.map(str::to_owned);
    for row in std::iter::once(&heads).chain(&rows) {
        let mut line = String::new();
        for (index, (width, cell)) in widths.iter().zip(row).enumerate() {
            if index + 1 == N {
                line.push_str(cell);
            } else {
                line.push_str(&format!("{:<width$}  ", shortened(cell)));
            }
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r', '\t'], " ")
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= WIDEST {
        return text.to_owned();
    }
    text.chars().take(WIDEST - 3).chain("...".chars()).collect()
}
