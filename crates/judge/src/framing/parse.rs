//! The parser of one line: its JSON value and its defects.

use super::{Defect, surrogate, value};
use crate::frame::{Body, Eol, Frame, Line};
use serde_json::Value;
use std::borrow::Cow;

const BOM: &str = "\u{feff}";

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
    /// The parsed line of a frame; empty for a frame that is no line of the host or the agent.
    #[must_use]
    pub fn of(frame: &Frame) -> Self {
        match &frame.body {
            Body::FromAgent(line) | Body::ToAgent(line) => parse(line),
            _ => Parsed::default(),
        }
    }
}

/// A frame with its parsed line, for those who look at it again.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedFrame {
    /// The frame.
    pub frame: Frame,
    /// Its line.
    pub parsed: Parsed,
}

impl From<Frame> for ParsedFrame {
    fn from(frame: Frame) -> Self {
        let parsed = Parsed::of(&frame);
        ParsedFrame { frame, parsed }
    }
}

/// Parses one line. No input makes it panic, overflow the stack or use unbounded memory.
#[must_use]
pub fn parse(line: &Line) -> Parsed {
    let mut defects = Vec::new();
    match line.eol {
        Eol::Lf => {}
        Eol::CrLf => defects.push(Defect::CrLf),
        Eol::None => defects.push(Defect::NoFinalNewline),
    }
    let value = if line.dropped > 0 {
        defects.push(Defect::TooLong {
            length: line.bytes.len() as u64 + line.dropped,
        });
        None
    } else if line.bytes.iter().all(u8::is_ascii_whitespace) {
        defects.push(Defect::Blank);
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
        defects.push(Defect::Bom);
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
    defects.extend(
        duplicates
            .into_iter()
            .map(|pointer| Defect::DuplicateKey { pointer }),
    );
    if !value.is_object() {
        defects.push(Defect::NotObject {
            found: type_name(&value),
        });
    }
    Some(value)
}

/// The bytes as text. `true` if they include bytes that no JSON text can include.
fn decode<'a>(bytes: &'a [u8], defects: &mut Vec<Defect>) -> (Cow<'a, str>, bool) {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(error) => {
            defects.push(Defect::InvalidUtf8 {
                column: error.valid_up_to() + 1,
            });
            String::from_utf8_lossy(bytes)
        }
    };
    let nul = memchr::memchr(0, bytes);
    if let Some(at) = nul {
        defects.push(Defect::Nul { column: at + 1 });
    }
    if let Some(at) = line_separator(bytes) {
        defects.push(Defect::LineSeparator { column: at + 1 });
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
        defects.push(Defect::TooDeep {
            column: error.column() + skipped,
        });
        return None;
    }
    if let Some((repaired, column)) = surrogate::replace_lone(body)
        && let Ok(value) = value::read(&repaired, duplicates)
    {
        defects.push(Defect::LoneSurrogate {
            column: column + skipped,
        });
        return Some(value);
    }
    let why =
        foreign_word(body, error.column()).map_or(why, |word| format!("`{word}` is no JSON value"));
    defects.push(Defect::NotJson {
        column: error.column() + skipped,
        why,
    });
    None
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

    fn check(bytes: impl Into<Vec<u8>>, value: Option<Value>, defects: &[Defect]) {
        let line = Line::new(bytes);
        let parsed = parse(&line);
        assert_eq!(
            parsed,
            Parsed {
                value,
                defects: defects.to_vec()
            },
            "{}",
            line.text()
        );
    }

    fn not_json(column: usize, why: &str) -> Defect {
        Defect::NotJson {
            column,
            why: why.to_owned(),
        }
    }

    #[test]
    fn a_clean_object_has_no_defect() {
        check(
            r#"{"type":"ready","n":1}"#,
            Some(json!({"type": "ready", "n": 1})),
            &[],
        );
        check(" {} \t", Some(json!({})), &[]);
        check(
            r#"{"a":"\u2028 é 😀 \ud83d\ude00"}"#,
            Some(json!({"a": "\u{2028} é 😀 😀"})),
            &[],
        );
    }

    #[test]
    fn a_word_of_a_programming_language_is_named() {
        for (text, column, word) in [
            (r#"{"n":NaN}"#, 6, "NaN"),
            (r#"{"n":True}"#, 6, "True"),
            (r#"[1,None]"#, 4, "None"),
        ] {
            let why = format!("`{word}` is no JSON value");
            check(text, None, &[not_json(column, &why)]);
        }
    }

    #[test]
    fn a_terminator_of_the_wrong_kind_is_named_and_the_value_is_kept() {
        for (eol, defect) in [
            (Eol::CrLf, Defect::CrLf),
            (Eol::None, Defect::NoFinalNewline),
        ] {
            let parsed = parse(&Line {
                bytes: b"{}".into(),
                eol,
                dropped: 0,
            });
            assert_eq!(
                parsed,
                Parsed {
                    value: Some(json!({})),
                    defects: vec![defect]
                }
            );
        }
    }

    #[test]
    fn blank_lines_are_named() {
        check("", None, &[Defect::Blank]);
        check(" \t\r", None, &[Defect::Blank]);
    }

    #[test]
    fn a_byte_order_mark_is_named_and_skipped() {
        check("\u{feff}{}", Some(json!({})), &[Defect::Bom]);
        check(
            "\u{feff}{]",
            None,
            &[Defect::Bom, not_json(5, "key must be a string")],
        );
    }

    #[test]
    fn invalid_utf8_is_named_with_its_place_and_read_as_a_lenient_host_would() {
        check(
            b"{\"a\":\"x\xff\"}",
            Some(json!({"a": "x\u{fffd}"})),
            &[Defect::InvalidUtf8 { column: 8 }],
        );
        check(b"\xff\xfe", None, &[Defect::InvalidUtf8 { column: 1 }]);
    }

    #[test]
    fn a_nul_byte_is_named_once() {
        check(b"{\"a\":\0}", None, &[Defect::Nul { column: 6 }]);
    }

    #[test]
    fn an_over_long_line_is_named_with_its_whole_length() {
        let parsed = parse(&Line {
            bytes: b"{\"a".into(),
            eol: Eol::Lf,
            dropped: 7,
        });
        assert_eq!(
            parsed,
            Parsed {
                value: None,
                defects: vec![Defect::TooLong { length: 10 }]
            }
        );
    }

    #[test]
    fn a_line_that_is_not_json_is_named_with_column_and_reason() {
        check("Loading...", None, &[not_json(1, "expected value")]);
        check(
            r#"{"a":1}{"b":2}"#,
            None,
            &[not_json(8, "trailing characters")],
        );
        check(
            r#"{"a":"cut"#,
            None,
            &[not_json(9, "EOF while parsing a string")],
        );
        check(
            "{\"a\":\"\u{1b}\"}",
            None,
            &[not_json(
                7,
                "control character (\\u0000-\\u001F) found while parsing a string",
            )],
        );
        check("bad", None, &[not_json(1, "expected value")]);
    }

    #[test]
    fn json_that_is_no_object_is_named_by_its_type() {
        for (text, found) in [
            ("null", "null"),
            ("[1]", "an array"),
            ("\"s\"", "a string"),
            ("3", "a number"),
            ("true", "a boolean"),
        ] {
            check(
                text,
                serde_json::from_str(text).ok(),
                &[Defect::NotObject { found }],
            );
        }
    }

    #[test]
    fn duplicate_keys_are_named_by_pointer() {
        check(
            r#"{"a":1,"a":2}"#,
            Some(json!({"a": 2})),
            &[Defect::DuplicateKey {
                pointer: "/a".into(),
            }],
        );
    }

    #[test]
    fn raw_line_separators_are_named() {
        check(
            "{\"a\":\"x\u{2028}\"}",
            Some(json!({"a": "x\u{2028}"})),
            &[Defect::LineSeparator { column: 8 }],
        );
        check(
            "{\"a\":\"\u{2029}\"}",
            Some(json!({"a": "\u{2029}"})),
            &[Defect::LineSeparator { column: 7 }],
        );
        check("{\"a\":\"\u{2027}\"}", Some(json!({"a": "\u{2027}"})), &[]);
    }

    #[test]
    fn a_lone_surrogate_is_named_and_the_value_is_kept() {
        check(
            r#"{"a":"\ud83d"}"#,
            Some(json!({"a": "\u{fffd}"})),
            &[Defect::LoneSurrogate { column: 7 }],
        );
    }

    #[test]
    fn deep_nesting_is_named_and_does_not_overflow_the_stack() {
        let deep = "[".repeat(1_000_000);
        check(deep, None, &[Defect::TooDeep { column: 128 }]);
        check(
            r#"{"a":"#.repeat(200),
            None,
            &[Defect::TooDeep { column: 636 }],
        );
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
