//! What would have been allowed where something is wrong: data, and the words for it.

use indexmap::IndexMap;
use json_matcher::object_in_words;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::{self, Display, Formatter};

/// One of the alternatives that would have been allowed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Expected {
    /// A frame that a rule names.
    Frame {
        /// The name of an event, of a command behind `>`, or of something else that a rule sees, such as `#end`.
        name: String,
        /// The conditions on single places of it, in the language of rules.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        with: Vec<String>,
    },
    /// What must hold of the frame: conditions in the language of rules, and words between them.
    Condition(String),
    /// An event with these members, each with its value in words.
    Event(IndexMap<String, String>),
    /// The members of these names.
    Members(Vec<String>),
    /// A value of one of these JSON types.
    Types(Vec<String>),
    /// One of these values.
    Values(Vec<Value>),
    /// Something else, in words.
    #[serde(untagged)]
    Words(String),
}

/// Frames that are not lines of the agent, in words.
const SYMBOLS: &[(&str, &str)] = &[
    ("!#unknown", "an event that the protocol defines"),
    (">#malformed", "a line of the host that is no command"),
    (">#unknown", "a command that the protocol does not have"),
    (">#invalid", "a command that does not fit the protocol"),
    ("#end", "the end of the process"),
    ("#stdin_closed", "the end of stdin"),
    ("@request", "a request to the model"),
    ("@reply", "a reply of the model"),
    ("@mcp", "a message to an MCP server"),
];

impl Expected {
    /// The name of the frame, if it is one that a rule names.
    pub fn frame(&self) -> Option<&str> {
        match self {
            Expected::Frame { name, .. } => Some(name),
            _ => None,
        }
    }

    /// The texts in it, which may be long.
    pub fn texts_mut(&mut self) -> Vec<&mut String> {
        match self {
            Expected::Event(members) => members.values_mut().collect(),
            Expected::Condition(text) | Expected::Words(text) => vec![text],
            Expected::Values(values) => {
                let texts = values.iter_mut().filter_map(|value| match value {
                    Value::String(text) => Some(text),
                    _ => None,
                });
                texts.collect()
            }
            Expected::Frame { .. } | Expected::Members(_) | Expected::Types(_) => Vec::new(),
        }
    }
}

impl From<String> for Expected {
    fn from(words: String) -> Self {
        Expected::Words(words)
    }
}

/// In words that follow "expected".
impl Display for Expected {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Expected::Frame { name, with } => write_frame(name, &with.join(", "), f),
            Expected::Condition(text) | Expected::Words(text) => f.write_str(text),
            Expected::Event(members) => f.write_str(&object_in_words(members)),
            Expected::Members(names) => match &names[..] {
                [name] => write!(f, "a member `{name}`"),
                names => write!(f, "the members {}", in_a_row(names, "and")),
            },
            Expected::Types(names) => {
                let quoted = names.iter().map(|name| format!("{name:?}"));
                let names: Vec<_> = quoted.collect();
                write!(f, "a value of type {}", names.join(", "))
            }
            Expected::Values(values) => match &values[..] {
                [value] => write!(f, "{value}"),
                values => {
                    let values: Vec<_> = values.iter().map(Value::to_string).collect();
                    write!(f, "one of {}", values.join(", "))
                }
            },
        }
    }
}

fn write_frame(name: &str, places: &str, f: &mut Formatter<'_>) -> fmt::Result {
    let symbol = SYMBOLS.iter().find(|(symbol, _)| *symbol == name);
    match (symbol, name.strip_prefix('>')) {
        (Some((_, words)), _) if places.is_empty() => f.write_str(words),
        (Some((_, words)), _) => write!(f, "{words} with {places}"),
        (None, Some(command)) => write!(f, "the host's `{command}`"),
        _ if places.is_empty() => f.write_str(name),
        _ => write!(f, "{name}{{{places}}}"),
    }
}

/// `a`, `b` and `c`, with this word before the last one.
pub fn in_a_row<T: Display>(names: impl IntoIterator<Item = T>, word: &str) -> String {
    let quoted = names.into_iter().map(|name| format!("`{name}`"));
    let quoted: Vec<_> = quoted.collect();
    match quoted.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} {word} {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_expected_is_data_and_reads_as_words() {
        let cases = r##"
            {"frame":{"name":"end"}} => end
            {"frame":{"name":"end","with":["/code = 0","/ok = true"]}} => end{/code = 0, /ok = true}
            {"frame":{"name":"#end","with":["/code = 0"]}} => the end of the process with /code = 0
            {"frame":{"name":">stop"}} => the host's `stop`
            {"condition":"/name present"} => /name present
            {"event":{"type":"\"end\"","usage":"an object"}} => {type: "end", usage: an object}
            {"members":["a"]} => a member `a`
            {"members":["a","b","c"]} => the members `a`, `b` and `c`
            {"types":["string","null"]} => a value of type "string", "null"
            {"values":[1]} => 1
            {"values":["a",null]} => one of "a", null
            "an exit" => an exit
        "##;
        for case in cases.trim().lines() {
            let (data, words) = case.trim().split_once(" => ").unwrap();
            let expected: Expected = serde_json::from_str(data).unwrap();
            assert_eq!(expected.to_string(), words);
            assert_eq!(serde_json::to_string(&expected).unwrap(), data);
        }
    }
}
