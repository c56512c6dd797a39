//! The table of report formats (`--report FORMAT`): each format is a pure function of a [`Report`].

use super::{github, html, junit, sarif, tap, template, terminal};
use crate::{NamedReport, Report};
use std::io::{self, Write};

/// A format of reports.
#[derive(Debug)]
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// Whether it contains terminal colours. They must be stripped when the output is not a terminal.
    pub coloured: bool,
    /// Writes a report in this format.
    pub render: Render,
    /// Writes the reports of several agents side by side, if the format can.
    pub compare: Option<Compare>,
}

/// Writes a report.
pub type Render = fn(&Report, &mut dyn Write) -> io::Result<()>;
/// Writes the reports of several agents side by side.
pub type Compare = fn(&[NamedReport], &mut dyn Write) -> io::Result<()>;

/// Every format. To add one, add a file and a line here.
pub const FORMATS: &[Format] = &[
    plain("github", github::render),
    Format {
        compare: Some(html::compared),
        ..plain("html", html::render)
    },
    plain("json", json),
    plain("junit", junit::render),
    Format {
        compare: Some(template::comparison),
        ..plain("markdown", template::markdown)
    },
    plain("sarif", sarif::render),
    plain("tap", tap::render),
    Format {
        coloured: true,
        ..plain("terminal", terminal::render)
    },
];

/// A format without colours, for the report of one agent.
const fn plain(name: &'static str, render: Render) -> Format {
    Format {
        name,
        coloured: false,
        render,
        compare: None,
    }
}

/// The report itself.
fn json(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, report)?;
    writeln!(out)
}

/// The format of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
