//! The report as it is.

use crate::report::Report;
use std::io::{self, Write};

pub(super) fn render(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, report)?;
    writeln!(out)
}
