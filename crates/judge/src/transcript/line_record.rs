//! Fast path of the transcript reader: the record of one line, in the layout that [`TranscriptWriter`](super::TranscriptWriter) gives it.
//!
//! Nearly every record is `{"at":1,"dir":"from_agent","line":"…"}`. Such a record is read without a JSON parser: the text of the line is
//! unescaped straight into a buffer of the right size. Every other record, and every mistake, is left to the JSON parser.

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
    let (bytes, rest) = unescape(rest.strip_prefix(b"\"")?)?;
    std::str::from_utf8(&bytes).ok()?;
    (rest == b"}").then(|| Frame {
        at,
        body: to_body(Line::new(bytes)),
    })
}

/// What follows the name of a member: `before`, the name and a colon, with at most one space behind `before` and the colon.
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

/// The bytes of a JSON string, given what stands behind its opening quote, and what stands behind its closing quote.
fn unescape(string: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut bytes = Vec::with_capacity(string.len());
    let mut rest = string;
    loop {
        let run = plain_run(rest)?;
        bytes.extend_from_slice(&rest[..run]);
        let [special, behind @ ..] = &rest[run..] else {
            return None;
        };
        match special {
            b'"' => return Some((bytes, behind)),
            b'\\' => rest = escape(behind, &mut bytes)?,
            _ => return None,
        }
    }
}

/// The number of bytes before the first quote, backslash or control character; `None` if there is none.
fn plain_run(string: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 0xFF;
    const HIGH: u64 = ONES << 7;
    // Bytes below a bound, eight at a time; bits above the first such byte may be wrong.
    let below = |word: u64, bound: u8| word.wrapping_sub(ONES * u64::from(bound)) & !word;
    let words = string.chunks_exact(8);
    let rest = words.remainder();
    for (n, bytes) in words.enumerate() {
        let word = <[u8; 8]>::try_from(bytes).map_or(0, u64::from_le_bytes);
        let quotes = below(word ^ (ONES * u64::from(b'"')), 1);
        let backslashes = below(word ^ (ONES * u64::from(b'\\')), 1);
        let special = (below(word, 0x20) | quotes | backslashes) & HIGH;
        if special != 0 {
            return Some(n * 8 + special.trailing_zeros() as usize / 8);
        }
    }
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | ..0x20);
    let in_rest = rest.iter().position(is_special)?;
    Some(string.len() - rest.len() + in_rest)
}

/// Appends what an escape sequence denotes, given what stands behind its backslash; gives what stands behind the sequence.
fn escape<'s>(sequence: &'s [u8], bytes: &mut Vec<u8>) -> Option<&'s [u8]> {
    let (letter, behind) = sequence.split_first()?;
    bytes.push(match letter {
        b'"' | b'\\' | b'/' => *letter,
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 0x08,
        b'f' => 0x0C,
        b'u' => {
            let (digits, behind) = behind.split_at_checked(4)?;
            if !digits.iter().all(u8::is_ascii_hexdigit) {
                return None;
            }
            let digits = std::str::from_utf8(digits).ok()?;
            // Half of a surrogate pair is no character.
            let character = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            return Some(behind);
        }
        _ => return None,
    });
    Some(behind)
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
            read(r#"{"at":12,"dir":"from_agent","line":"{\"a\":\"\\n\u00e9\"}"}"#),
            line(12, Body::FromAgent, r#"{"a":"\né"}"#)
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
            r#"{"at":1,"dir":"stderr","line":"\ud83d\ude00"}"#,
            r#"{"at":1,"dir":"stderr","line":"\u+123"}"#,
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
        fn a_plain_run_ends_at_the_first_special_byte(bytes in proptest::collection::vec(prop_oneof![9 => any::<u8>(), 1 => Just(b'"')], 0..40)) {
            let special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
            prop_assert_eq!(plain_run(&bytes), bytes.iter().position(special));
        }

        #[test]
        fn it_agrees_with_the_json_parser(text in r#"([ -~é😀]|\\(["\\/bfnrtu0x]|u[0-9a-fA-F+]{4})){0,12}"#) {
            let record = format!(r#"{{"at":7,"dir":"from_agent","line":"{text}"}}"#);
            if let Some(frame) = read(record.as_bytes()) {
                prop_assert_eq!(Some(frame), record::parse(record.as_bytes()).ok().flatten());
            }
        }
    }
}
