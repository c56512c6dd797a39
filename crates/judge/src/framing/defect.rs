//! Defects of a line: CR LF, byte order mark, bad UTF-8, duplicate keys and others that some readers fail on.

use std::fmt;

/// The name of every defect, which rules use, and its sentence, with `{}` for the detail. Columns count bytes from 1.
pub const DEFECTS: &[(&str, &str)] = &[
    ("crlf", "the line ends in CR LF instead of a single LF"),
    ("blank-line", "the line is blank"),
    ("bom", "a byte order mark stands in front of the line"),
    (
        "no-final-newline",
        "the stream ended without a newline behind the last line",
    ),
    (
        "invalid-utf8",
        "the line is not UTF-8: bad byte at column {}",
    ),
    ("nul", "the line holds a NUL byte at column {}"),
    ("too-long", "the line is over-long: {} bytes"),
    ("not-json", "the line is not JSON: {}"),
    // Many parsers refuse the whole line.
    (
        "deep",
        "the JSON is nested more than 128 levels deep at column {}",
    ),
    // As "deep", and so deep that it is not read.
    (
        "too-deep",
        "the JSON is nested more than 1,024 levels deep; it passes level 128 at column {}",
    ),
    ("not-object", "the line is not a JSON object but {}"),
    // Readers differ in which of the two they keep.
    ("duplicate-key", "the key {} stands twice in one object"),
    // Legal JSON, but line readers of the JavaScript kind split the line there.
    (
        "line-separator",
        "a raw U+2028 or U+2029 at column {} tears the line for some readers",
    ),
    // Many parsers refuse the whole line.
    (
        "lone-surrogate",
        "a lone surrogate escape at column {} is not Unicode text",
    ),
    ("no-discriminator", "the object has no text at `{}`"),
];

/// A defect of one line that a host could fail on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    /// One of the names in [`DEFECTS`].
    pub name: &'static str,
    /// The part of its message that is about this line.
    pub detail: String,
}

impl Defect {
    pub(crate) fn new(name: &'static str, detail: impl fmt::Display) -> Self {
        let detail = detail.to_string();
        Defect { name, detail }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = DEFECTS.iter().find(|(name, _)| *name == self.name);
        let (_, sentence) = known.unwrap_or(&("", "{}"));
        f.write_str(&sentence.replacen("{}", &self.detail, 1))
    }
}
