//! Reports in every format: one file a format, each a pure function of a [`Report`].

mod json;

use crate::report::Report;
use std::io::{self, Write};

/// A format a report can be rendered in.
#[derive(Debug)]
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is for, in a few words.
    pub about: &'static str,
    /// Writes a report in it.
    pub render: fn(&Report, &mut dyn Write) -> io::Result<()>,
}

/// Every format. A new one is a file and a line here.
pub const FORMATS: &[Format] = &[Format {
    name: "json",
    about: "the report itself, for programs",
    render: json::render,
}];

/// The format of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
