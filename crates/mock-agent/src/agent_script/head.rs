//! Recognizes an agent script by its first keys, without reading all of it.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Keys that only an agent script has.
const OWN_KEYS: &[&str] = &["session", "commands", "start"];

/// The number of bytes that are read of a file without such a key.
const LIMIT: u64 = 64 << 10;

/// The settings of an agent script before its actions.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ScriptHead {
    /// The dialect, `NAME@VERSION`, if it is named.
    pub(crate) dialect: Option<String>,
}

impl ScriptHead {
    /// The head of an agent script; `None` for any other file, such as a model script.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        // A pipe could be read only once.
        if !path.is_file() {
            return None;
        }
        ScriptHead::parse(BufReader::new(File::open(path).ok()?.take(LIMIT)))
    }

    fn parse(text: impl BufRead) -> Option<Self> {
        let mut head = ScriptHead::default();
        for line in text.lines() {
            let line = line.ok()?;
            if line.starts_with(['#', ' ', '%']) || line.trim().is_empty() || line == "---" {
                continue;
            }
            let (key, value) = line.split_once(':')?;
            match key {
                "dialect" => {
                    let value = value.split(" #").next().unwrap_or_default().trim();
                    head.dialect = Some(value.trim_matches(['"', '\'']).to_owned());
                }
                key if OWN_KEYS.contains(&key) => return Some(head),
                "gate_timeout" | "unknown" | "malformed" | "end_of_input" | "terminate" => {}
                _ => return None,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Option<ScriptHead> {
        ScriptHead::parse(text.as_bytes())
    }

    #[test]
    fn an_agent_script_is_known_by_its_keys() {
        let named = head("# A session.\ndialect: 'pi@0.87' # newest\n\nsession:\n  - stop\n");
        assert_eq!(named.unwrap().dialect.as_deref(), Some("pi@0.87"));
        let unnamed = head("terminate:\n  - stop\ncommands: []\n");
        assert_eq!(unnamed, Some(ScriptHead::default()));
        for other in ["- text: a\n", "name: x\nmodel: []\n", "[]", "{a: 1}", ""] {
            assert_eq!(head(other), None, "{other}");
        }
    }
}
