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

impl Header {
    pub(super) fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        #[derive(Serialize)]
        struct Marked<'a> {
            conform_transcript: u64,
            #[serde(flatten)]
            header: &'a Header,
        }
        serde_json::to_vec(&Marked {
            conform_transcript: VERSION,
            header: self,
        })
    }

    /// Parses the first line of a file; `None` if it is not a header, and the file is a plain capture.
    pub(super) fn from_line(line: &[u8]) -> Option<Result<Header, Problem>> {
        let text = line
            .strip_prefix("\u{feff}".as_bytes())
            .unwrap_or(line)
            .trim_ascii();
        let broken = |error| Problem::of_json("the transcript's header is broken", &error);
        match serde_json::from_slice::<Value>(text) {
            Ok(value) => Some(match value.get(MARK)? {
                version if version.as_u64() == Some(VERSION) => {
                    serde_json::from_value(value).map_err(broken)
                }
                version => Err(Problem::new(format!(
                    "a transcript of version {version}; this program reads version {VERSION}"
                ))),
            }),
            Err(error) => text
                .starts_with(format!("{{\"{MARK}\"").as_bytes())
                .then(|| Err(broken(error))),
        }
    }
}
