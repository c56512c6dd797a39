//! Defects of a line: CR LF, byte order mark, bad UTF-8, duplicate keys and others that some readers fail on.

use std::fmt;

/// A defect of one line that a host could fail on. Columns count bytes from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Defect {
    /// The line ended in `\r\n`.
    CrLf,
    /// Nothing but white space.
    Blank,
    /// A byte order mark at the start.
    Bom,
    /// The stream ended without a newline after the last byte.
    NoFinalNewline,
    /// Bytes that are not UTF-8.
    InvalidUtf8 {
        /// Of the first bad byte.
        column: usize,
    },
    /// A NUL byte.
    Nul {
        /// Of the first one.
        column: usize,
    },
    /// Longer than the framer's limit.
    TooLong {
        /// The whole length in bytes.
        length: u64,
    },
    /// Not one JSON value.
    NotJson {
        /// Where parsing stopped.
        column: usize,
        /// What the parser said.
        why: String,
    },
    /// JSON nested deeper than common parsers go (128 levels).
    TooDeep {
        /// Where the limit was reached.
        column: usize,
    },
    /// JSON, but not an object.
    NotObject {
        /// The type of the value.
        found: &'static str,
    },
    /// The same key twice in one object; readers differ in which of the two they keep.
    DuplicateKey {
        /// A JSON Pointer to the member.
        pointer: String,
    },
    /// A raw U+2028 or U+2029: legal JSON, but line readers of the JavaScript kind split the line there.
    LineSeparator {
        /// Of the first one.
        column: usize,
    },
    /// An escaped half of a surrogate pair (`\ud83d` alone): no Unicode text, and many parsers refuse the whole line.
    LoneSurrogate {
        /// Of the first one.
        column: usize,
    },
}

impl Defect {
    /// Every name that [`Defect::name`] can give.
    pub const NAMES: &[&str] = &[
        "crlf",
        "blank-line",
        "bom",
        "no-final-newline",
        "invalid-utf8",
        "nul",
        "too-long",
        "not-json",
        "too-deep",
        "not-object",
        "duplicate-key",
        "line-separator",
        "lone-surrogate",
    ];

    /// The name by which rules know it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Defect::CrLf => "crlf",
            Defect::Blank => "blank-line",
            Defect::Bom => "bom",
            Defect::NoFinalNewline => "no-final-newline",
            Defect::InvalidUtf8 { .. } => "invalid-utf8",
            Defect::Nul { .. } => "nul",
            Defect::TooLong { .. } => "too-long",
            Defect::NotJson { .. } => "not-json",
            Defect::TooDeep { .. } => "too-deep",
            Defect::NotObject { .. } => "not-object",
            Defect::DuplicateKey { .. } => "duplicate-key",
            Defect::LineSeparator { .. } => "line-separator",
            Defect::LoneSurrogate { .. } => "lone-surrogate",
        }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Defect::CrLf => write!(f, "the line ends in CR LF instead of a single LF"),
            Defect::Blank => write!(f, "the line is blank"),
            Defect::Bom => write!(f, "a byte order mark stands in front of the line"),
            Defect::NoFinalNewline => {
                write!(f, "the stream ended without a newline behind the last line")
            }
            Defect::InvalidUtf8 { column } => {
                write!(f, "the line is not UTF-8: bad byte at column {column}")
            }
            Defect::Nul { column } => write!(f, "the line holds a NUL byte at column {column}"),
            Defect::TooLong { length } => write!(f, "the line is over-long: {length} bytes"),
            Defect::NotJson { column, why } => {
                write!(f, "the line is not JSON: {why} at column {column}")
            }
            Defect::TooDeep { column } => write!(
                f,
                "the JSON is nested more than 128 levels deep at column {column}"
            ),
            Defect::NotObject { found } => write!(f, "the line is not a JSON object but {found}"),
            Defect::DuplicateKey { pointer } => {
                write!(f, "the key {pointer} stands twice in one object")
            }
            Defect::LineSeparator { column } => write!(
                f,
                "a raw U+2028 or U+2029 at column {column} tears the line for some readers"
            ),
            Defect::LoneSurrogate { column } => write!(
                f,
                "a lone surrogate escape at column {column} is no Unicode text"
            ),
        }
    }
}
