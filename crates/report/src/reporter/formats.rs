//! The table of report formats (`--report FORMAT`): each format is a pure function of a [`Report`].

use super::{github, html, junit, sarif, tap, template, terminal};
use crate::{NamedReport, Report};
use std::io::{self, Write};

/// A format of reports.
#[derive(Debug)]
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its purpose, in a few words.
    pub about: &'static str,
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
    Format {
        name: "github",
        about: "annotations of GitHub Actions",
        coloured: false,
        render: github::render,
        compare: None,
    },
    Format {
        name: "html",
        about: "one page for a browser",
        coloured: false,
        render: html::render,
        compare: Some(html::compared),
    },
    Format {
        name: "json",
        about: "the report itself, for programs",
        coloured: false,
        render: json,
        compare: None,
    },
    Format {
        name: "junit",
        about: "JUnit XML, for CI servers",
        coloured: false,
        render: junit::render,
        compare: None,
    },
    Format {
        name: "markdown",
        about: "tables for a pull request or a job's summary",
        coloured: false,
        render: template::markdown,
        compare: Some(template::comparison),
    },
    Format {
        name: "sarif",
        about: "SARIF 2.1.0, for code scanning",
        coloured: false,
        render: sarif::render,
        compare: None,
    },
    Format {
        name: "tap",
        about: "TAP 14, for test harnesses",
        coloured: false,
        render: tap::render,
        compare: None,
    },
    Format {
        name: "terminal",
        about: "as on the screen",
        coloured: true,
        render: terminal::render,
        compare: None,
    },
];

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reporter::sample;
    use snapbox::{assert_data_eq, file};

    fn rendered(name: &str) -> String {
        let format = find(name).unwrap();
        let mut out = Vec::new();
        (format.render)(&sample::report(), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        if format.coloured {
            anstream::adapter::strip_str(&text).to_string()
        } else {
            text
        }
    }

    #[test]
    fn each_format_reads_as_it_should() {
        for (name, expected) in [
            ("terminal", file!["snapshots/terminal.txt"]),
            ("junit", file!["snapshots/junit.xml"]),
            ("github", file!["snapshots/github.txt"]),
            ("sarif", file!["snapshots/report.sarif"]),
            ("tap", file!["snapshots/report.tap"]),
            ("markdown", file!["snapshots/report.md"]),
            ("json", file!["snapshots/report.json"]),
        ] {
            assert_data_eq!(rendered(name), expected.raw());
        }
    }

    #[test]
    fn the_json_report_is_the_report() {
        assert_eq!(
            serde_json::from_str::<Report>(&rendered("json")).unwrap(),
            sample::report()
        );
    }

    #[test]
    fn every_format_renders_an_empty_report() {
        for format in FORMATS {
            let mut out = Vec::new();
            (format.render)(&Report::default(), &mut out).unwrap();
            assert!(!out.is_empty(), "{}", format.name);
        }
    }
}
