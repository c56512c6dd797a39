//! The parser of one line: its JSON value and its defects.

use super::value::{self, Depth};
use super::{Defect, LINE_LIMIT, surrogate};
use crate::frame::{Body, Eol, Frame, Line};
use serde_json::Value;
use std::borrow::Cow;

const BOM: &str = "\u{feff}";

/// The most levels of a line that is read: what the stack of a thread holds. The tree of a session of 500 entries in a row has so many.
const MOST_LEVELS: usize = 1024;

/// A parsed line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parsed {
    /// The JSON value, also of a line with defects that lenient hosts accept (a byte order mark, bad UTF-8 inside a string). `None` if
    /// there is none.
    pub value: Option<Value>,
    /// The defects; none for a clean line. A defect that follows from another one is not listed.
    pub defects: Vec<Defect>,
}

impl Parsed {
    /// The parsed line of a frame; empty for a frame that is not a line of the host or the agent.
    pub fn new(frame: &Frame) -> Self {
        match &frame.body {
            Body::FromAgent(line) | Body::ToAgent(line) => parse(line),
            _ => Parsed::default(),
        }
    }

    /// Whether the line has a defect of this name.
    pub fn has(&self, defect: &str) -> bool {
        self.defects.iter().any(|one| one.name == defect)
    }
}

/// A frame with its parsed line, for callers that need it again.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedFrame {
    /// The frame.
    pub frame: Frame,
    /// Its line.
    pub parsed: Parsed,
}

impl From<Frame> for ParsedFrame {
    fn from(frame: Frame) -> Self {
        let parsed = Parsed::new(&frame);
        ParsedFrame { frame, parsed }
    }
}

/// Parses one line. No input makes it panic, overflow the stack or use unbounded memory.
pub fn parse(line: &Line) -> Parsed {
    let mut defects = Vec::new();
    let is_blank = line.bytes.iter().all(u8::is_ascii_whitespace);
    match line.eol {
        // A line without a record has none that could be cut off.
        _ if is_blank && line.dropped == 0 => {}
        Eol::Lf => {}
        Eol::CrLf => defects.push(Defect::new("crlf", "")),
        Eol::None => defects.push(Defect::new("no-final-newline", "")),
    }
    let length = line.bytes.len() as u64 + line.dropped;
    if line.dropped > 0 || length > LINE_LIMIT as u64 {
        defects.push(Defect::new("too-long", length));
    }
    let value = if line.dropped > 0 {
        None
    } else if is_blank {
        defects.push(Defect::new("blank-line", ""));
        None
    } else {
        content(&line.bytes, &mut defects)
    };
    Parsed { value, defects }
}

fn content(bytes: &[u8], defects: &mut Vec<Defect>) -> Option<Value> {
    let (text, damaged) = decode(bytes, defects);
    let body = text.strip_prefix(BOM).unwrap_or(&text);
    let skipped = text.len() - body.len();
    if skipped > 0 {
        defects.push(Defect::new("bom", ""));
    }
    let mut duplicates = Vec::new();
    let value = match value::read(body, &mut duplicates) {
        Ok(value) => value,
        Err(_) if damaged => return None,
        Err(error) => {
            duplicates.clear();
            recover(body, &error, skipped, &mut duplicates, defects)?
        }
    };
    let duplicates = duplicates.iter();
    defects.extend(duplicates.map(|pointer| Defect::new("duplicate-key", pointer)));
    if !value.is_object() {
        defects.push(Defect::new("not-object", type_name(&value)));
    }
    Some(value)
}

/// The bytes as text. `true` if they include bytes that no JSON text can include.
fn decode<'a>(bytes: &'a [u8], defects: &mut Vec<Defect>) -> (Cow<'a, str>, bool) {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(error) => {
            defects.push(Defect::new("invalid-utf8", error.valid_up_to() + 1));
            String::from_utf8_lossy(bytes)
        }
    };
    let nul = memchr::memchr(0, bytes);
    if let Some(at) = nul {
        defects.push(Defect::new("nul", at + 1));
    }
    if let Some(at) = line_separator(bytes) {
        defects.push(Defect::new("line-separator", at + 1));
    }
    let damaged = nul.is_some() || matches!(text, Cow::Owned(_));
    (text, damaged)
}

/// The offset of the first raw U+2028 (`E2 80 A8`) or U+2029 (`E2 80 A9`).
fn line_separator(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(0xE2, bytes)
        .find(|&at| matches!(bytes.get(at + 1..at + 3), Some([0x80, 0xA8 | 0xA9])))
}

/// Handles an error of the JSON parser: records the defect, or parses again if only lone surrogates were wrong.
fn recover(
    body: &str,
    error: &serde_json::Error,
    skipped: usize,
    duplicates: &mut Vec<String>,
    defects: &mut Vec<Defect>,
) -> Option<Value> {
    let said = error.to_string();
    let why = said.split(" at line ").next().unwrap_or(&said).to_owned();
    if why == "recursion limit exceeded" {
        let column = error.column() + skipped;
        if levels(body) > MOST_LEVELS {
            defects.push(Defect::new("too-deep", column));
            return None;
        }
        defects.push(Defect::new("deep", column));
        return match value::read_nested(body, duplicates, Depth::Counted) {
            Ok(value) => Some(value),
            Err(error) => {
                duplicates.clear();
                recover(body, &error, skipped, duplicates, defects)
            }
        };
    }
    if let Some((repaired, column)) = surrogate::replace_lone(body)
        && let Ok(value) = value::read(&repaired, duplicates)
    {
        defects.push(Defect::new("lone-surrogate", column + skipped));
        return Some(value);
    }
    let why = foreign_word(body, error.column())
        .map_or(why, |word| format!("`{word}` is not a JSON value"));
    let detail = format!("{why} at column {}", error.column() + skipped);
    defects.push(Defect::new("not-json", detail));
    None
}

/// How deep the brackets of a JSON text are nested.
fn levels(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Values of programming languages that serializers write although JSON does not have them.
const FOREIGN_WORDS: &[&str] = &["NaN", "Infinity", "None", "True", "False", "undefined"];

/// The foreign word at a column, from 1, of a text.
fn foreign_word(body: &str, column: usize) -> Option<&'static str> {
    let rest = body.get(column.saturating_sub(1)..)?;
    let words = FOREIGN_WORDS.iter().copied();
    words.into_iter().find(|word| rest.starts_with(word))
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    /// Lines, each with its value and its defects on the next line.
    const LINES: &str = r#"
{"type":"ready","n":1}
    {"type":"ready","n":1} !
{"a":"\u2028 é 😀 \ud83d\ude00"}
    {"a":"\u2028 é 😀 😀"} !
Loading...
    ! not-json expected value at column 1
{"a":1}{"b":2}
    ! not-json trailing characters at column 8
{"a":"cut
    ! not-json EOF while parsing a string at column 9
bad
    ! not-json expected value at column 1
{"n":NaN}
    ! not-json `NaN` is not a JSON value at column 6
{"n":True}
    ! not-json `True` is not a JSON value at column 6
[1,None]
    ! not-json `None` is not a JSON value at column 4
null
    null ! not-object null
[1]
    [1] ! not-object an array
"s"
    "s" ! not-object a string
3
    3 ! not-object a number
true
    true ! not-object a boolean
{"a":1,"a":2}
    {"a": 2} ! duplicate-key /a
{"a":"\ud83d"}
    {"a": "\ufffd"} ! lone-surrogate 7
"#;

    #[test]
    fn each_line_has_its_value_and_its_defects() {
        let lines: Vec<&str> = LINES.trim().lines().collect();
        let written = lines.chunks(2).map(|pair| {
            let (value, defects) = pair[1].split_once('!').unwrap();
            let value = serde_json::from_str::<Value>(value).ok();
            (pair[0].as_bytes(), value, defects.trim())
        });
        let deep = "[".repeat(1_000_000);
        let deep_members = r#"{"a":"#.repeat(200);
        let unclosed = "deep 636, not-json EOF while parsing a value at column 1000";
        let nested = format!("{deep_members}1{}", "}".repeat(200));
        let tree = (0..200).fold(json!(1), |inner, _| json!({ "a": inner }));
        let control =
            "not-json control character (\\u0000-\\u001F) found while parsing a string at column 7";
        let cut = "bom, not-json key must be a string at column 5";
        let text = |text: &str| Some(json!({ "a": text }));
        let others: [(&[u8], Option<Value>, &str); 15] = [
            (b" {} \t", Some(json!({})), ""),
            (b"", None, "blank-line"),
            (b" \t\r", None, "blank-line"),
            ("\u{feff}{}".as_bytes(), Some(json!({})), "bom"),
            ("\u{feff}{]".as_bytes(), None, cut),
            // As a lenient host would read it.
            (b"{\"a\":\"x\xff\"}", text("x\u{fffd}"), "invalid-utf8 8"),
            (b"\xff\xfe", None, "invalid-utf8 1"),
            (b"{\"a\":\0}", None, "nul 6"),
            (b"{\"a\":\"\x1b\"}", None, control),
            (
                "{\"a\":\"\u{2028}\"}".as_bytes(),
                text("\u{2028}"),
                "line-separator 7",
            ),
            (
                "{\"a\":\"\u{2029}\"}".as_bytes(),
                text("\u{2029}"),
                "line-separator 7",
            ),
            ("{\"a\":\"\u{2027}\"}".as_bytes(), text("\u{2027}"), ""),
            (deep.as_bytes(), None, "too-deep 128"),
            (deep_members.as_bytes(), None, unclosed),
            (nested.as_bytes(), Some(tree), "deep 636"),
        ];
        for (bytes, value, defects) in written.chain(others) {
            let line = Line::new(bytes);
            let parsed = parse(&line);
            let expected = (value.as_ref(), defects.to_owned());
            let found = (parsed.value.as_ref(), listed(&parsed));
            assert_eq!(found, expected, "{}", line.text());
        }
    }

    fn listed(parsed: &Parsed) -> String {
        let each = parsed.defects.iter();
        let each = each.map(|one| format!("{} {}", one.name, one.detail).trim_end().to_owned());
        each.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_terminator_of_the_wrong_kind_is_named_and_so_is_the_length_of_a_line_that_was_cut() {
        for (eol, dropped, defects) in [
            (Eol::CrLf, 0, "crlf"),
            (Eol::None, 0, "no-final-newline"),
            (Eol::Lf, 7, "too-long 9"),
        ] {
            let bytes = b"{}".into();
            let parsed = parse(&Line {
                bytes,
                eol,
                dropped,
            });
            assert_eq!(listed(&parsed), defects);
            assert_eq!(parsed.value.is_some(), dropped == 0);
        }
    }

    proptest! {
        #[test]
        fn no_line_makes_it_fail(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let parsed = parse(&Line::new(bytes));
            prop_assert!(parsed.value.is_some() || !parsed.defects.is_empty());
        }

        #[test]
        fn no_text_of_json_letters_makes_it_fail(text in r#"[{}\[\]",:a0\\ud8\.-]{0,40}"#) {
            let clean = serde_json::from_str::<Value>(&text).is_ok_and(|value| value.is_object());
            let parsed = parse(&Line::new(text));
            prop_assert!(parsed.value.is_some() || !parsed.defects.is_empty());
            prop_assert!(!clean || parsed.value.is_some());
        }
    }
}
