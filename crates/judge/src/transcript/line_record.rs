//! Fast path of the transcript reader: the record of one line, in the layout that [`TranscriptWriter`](super::TranscriptWriter) gives it.
//!
//! Nearly every record is `{"at":1,"dir":"from_agent","line":"…"}`. Every other record, and every mistake, is left to the JSON parser.

use crate::frame::{Body, Frame, Line};

/// The frame of a record that holds a line and nothing unusual; `None` leaves the record to the JSON parser.
pub(super) fn read(record: &[u8]) -> Option<Frame> {
    let rest = member(record, b"{", b"\"at\"")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = rest.split_at(digits);
    let at = microseconds(number)?;
    let rest = member(rest, b",", b"\"dir\"")?;
    let (to_body, rest) = direction(rest)?;
    let rest = member(rest, b",", b"\"line\"")?;
    let text = unescaped(rest.strip_prefix(b"\"")?)?;
    let body = to_body(Line::new(text));
    Some(Frame { at, body })
}

/// How many bytes are examined at once.
const WORD: usize = 8;

/// The text before the end of a record. Nearly all escapes in a line of JSON are of quotes.
fn unescaped(mut rest: &[u8]) -> Option<String> {
    let mut text = vec![0; rest.len() + WORD];
    let mut length = 0;
    loop {
        let plain = match rest.first_chunk::<WORD>() {
            Some(word) => {
                text[length..length + WORD].copy_from_slice(word);
                plain_bytes(*word)
            }
            None => {
                let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | ..0x20);
                let plain = rest.iter().position(is_special)?;
                text[length..length + plain].copy_from_slice(&rest[..plain]);
                plain
            }
        };
        length += plain;
        rest = &rest[plain..];
        if plain == WORD {
            continue;
        }
        let (byte, after) = match rest {
            b"\"}" => {
                text.truncate(length);
                return String::from_utf8(text).ok();
            }
            [b'\\', byte @ (b'"' | b'\\' | b'/'), after @ ..] => (*byte, after),
            [b'\\', b'n', after @ ..] => (b'\n', after),
            [b'\\', b't', after @ ..] => (b'\t', after),
            [b'\\', b'r', after @ ..] => (b'\r', after),
            _ => return None,
        };
        text[length] = byte;
        length += 1;
        rest = after;
    }
}

/// How many bytes come before the first quote, backslash or control character of a word.
fn plain_bytes(word: [u8; WORD]) -> usize {
    const EACH: u64 = u64::MAX / 0xFF;
    let word = u64::from_le_bytes(word);
    // The high bit of a byte is set where the byte is below the limit. A borrow can only set bits after the first such byte.
    let below = |word: u64, limit: u8| word.wrapping_sub(EACH * u64::from(limit)) & !word;
    let is = |byte: u8| below(word ^ (EACH * u64::from(byte)), 1);
    let special = (below(word, 0x20) | is(b'"') | is(b'\\')) & (EACH << 7);
    special.trailing_zeros() as usize / 8
}

/// What follows the name of a member: `before`, the name and a colon, with at most one space after `before` and the colon.
fn member<'r>(record: &'r [u8], before: &[u8], name: &[u8]) -> Option<&'r [u8]> {
    let rest = skip_space(record.strip_prefix(before)?);
    let rest = rest.strip_prefix(name)?.strip_prefix(b":")?;
    Some(skip_space(rest))
}

fn skip_space(text: &[u8]) -> &[u8] {
    text.strip_prefix(b" ").unwrap_or(text)
}

fn microseconds(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() || (digits.len() > 1 && digits[0] == b'0') {
        return None;
    }
    digits.iter().try_fold(0_u64, |number, digit| {
        number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
    })
}

/// A constructor of a frame's content from a line.
type ToBody = fn(Line) -> Body;

fn direction(text: &[u8]) -> Option<(ToBody, &[u8])> {
    let known: [(&[u8], ToBody); 3] = [
        (b"\"from_agent\"", Body::FromAgent),
        (b"\"to_agent\"", Body::ToAgent),
        (b"\"stderr\"", Body::Stderr),
    ];
    let mut known = known.into_iter();
    known.find_map(|(word, body)| Some((body, text.strip_prefix(word)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::record;
    use proptest::prelude::*;

    fn line(at: u64, body: fn(Line) -> Body, text: &str) -> Option<Frame> {
        let body = body(Line::new(text));
        Some(Frame { at, body })
    }

    #[test]
    fn a_plain_record_of_a_line_is_read() {
        let read = |text: &str| read(text.as_bytes());
        assert_eq!(
            read(r#"{"at":12,"dir":"from_agent","line":"{\"a\":\"\\n\né\"}"}"#),
            line(12, Body::FromAgent, "{\"a\":\"\\n\n\u{e9}\"}")
        );
        assert_eq!(
            read(r#"{"at": 0, "dir": "to_agent", "line": ""}"#),
            line(0, Body::ToAgent, "")
        );
    }

    #[test]
    fn anything_unusual_is_left_to_the_json_parser() {
        for text in [
            r#"{"at":01,"dir":"stderr","line":"x"}"#,
            r#"{"at":1.0,"dir":"stderr","line":"x"}"#,
            r#"{"at":18446744073709551616,"dir":"stderr","line":"x"}"#,
            r#"{"at":1,"dir":"stderr","line":"x","eol":"crlf"}"#,
            r#"{"at":1,"dir":"end","line":"x"}"#,
            r#"{"at":1,"dir":"stderr","line":"\ud83d"}"#,
            r#"{"at":1,"dir":"stderr","line":"\x"}"#,
            r#"{"at":1,"dir":"stderr","line":"x"#,
            r#"{"at":1,"dir":"stderr","line":"x"} "#,
            "{\"at\":1,\"dir\":\"stderr\",\"line\":\"\t\"}",
            "",
        ] {
            assert_eq!(read(text.as_bytes()), None, "{text}");
        }
        assert_eq!(
            read(b"{\"at\":1,\"dir\":\"stderr\",\"line\":\"\xff\"}"),
            None
        );
    }

    proptest! {
        #[test]
        fn it_agrees_with_the_json_parser(text in r#"([ -~é😀]|\\(["\\/bfnrtu0x]|u[0-9a-fA-F+]{4})){0,12}"#) {
            let record = format!(r#"{{"at":7,"dir":"from_agent","line":"{text}"}}"#);
            if let Some(frame) = read(record.as_bytes()) {
                prop_assert_eq!(Some(frame), record::parse(record.as_bytes()).ok().flatten());
            }
        }
    }
}
