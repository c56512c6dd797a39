//! The header of a transcript: its first line.

use super::error::Problem;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the format that this program reads and writes.
pub const VERSION: u64 = 1;

const MARK: &str = "conform_transcript";

/// The header of a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Header {
    /// The dialect spoken, `NAME@VERSION`, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// The agent's command line.
    #[serde(default)]
    pub agent: Vec<String>,
}

#[derive(Serialize)]
struct HeaderRecord<'a> {
    conform_transcript: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    dialect: Option<&'a str>,
    agent: &'a [String],
}

impl Header {
    pub(super) fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        let marked = HeaderRecord {
            conform_transcript: VERSION,
            dialect: self.dialect.as_deref(),
            agent: &self.agent,
        };
        serde_json::to_vec(&marked)
    }

    /// Parses the first line of a file; `None` if it is no header, and the file is a plain capture.
    pub(super) fn from_line(line: &[u8]) -> Option<Result<Header, (Option<usize>, Problem)>> {
        let text = line
            .strip_prefix("\u{feff}".as_bytes())
            .unwrap_or(line)
            .trim_ascii();
        match serde_json::from_slice::<Value>(text) {
            Ok(value) => Some(Self::from_value(value.get(MARK)?.clone(), value)),
            Err(error) if text.starts_with(format!("{{\"{MARK}\"").as_bytes()) => Some(Err((
                Some(error.column()),
                Problem::BadHeader(super::record::reason(&error)),
            ))),
            Err(_) => None,
        }
    }

    fn from_value(version: Value, header: Value) -> Result<Header, (Option<usize>, Problem)> {
        if version.as_u64() != Some(VERSION) {
            return Err((None, Problem::UnsupportedVersion(version.to_string())));
        }
        serde_json::from_value(header)
            .map_err(|error| (None, Problem::BadHeader(super::record::reason(&error))))
    }
}
