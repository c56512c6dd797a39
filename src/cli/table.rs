//! Aligned columns.

use anstyle::Style;
use std::io::{self, Write};

const HEAD: Style = Style::new().bold();

/// Writes rows below their headings, which are separated by ` | `; the last column is not padded.
pub(super) fn write(head: &str, rows: &[Vec<String>], out: &mut dyn Write) -> io::Result<()> {
    let head: Vec<String> = head.split(" | ").map(str::to_owned).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let lengths = cells
            .chain([&head[column]])
            .map(|cell| cell.chars().count());
        lengths.max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: &[String]| {
        let cells = cells.iter().zip(&widths);
        let padded: Vec<_> = cells
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        padded.join("  ").trim_end().to_owned()
    };
    writeln!(out, "{HEAD}{}{HEAD:#}", line(&head))?;
    rows.iter()
        .try_for_each(|row| writeln!(out, "{}", line(row)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_no_line_ends_in_blanks() {
        let mut out = Vec::new();
        let rows = [
            vec!["é".into(), "1".into(), String::new()],
            vec!["abc".into(), "22".into(), "z".into()],
        ];
        write(
            "A | NUMBER | LAST",
            &rows,
            &mut anstream::StripStream::new(&mut out),
        )
        .unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "A    NUMBER  LAST\né    1\nabc  22      z\n"
        );
    }
}
