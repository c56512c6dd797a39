//! Lone surrogate escapes: valid by the grammar of JSON, but no Unicode text. Programs that split text by UTF-16 units write them.

/// Replaces each `\uD800`…`\uDFFF` escape that has no partner by `\ufffd`, which has the same length. Gives the new text and
/// the byte column (from 1) of the first one; `None` if there is none.
pub(super) fn replace_lone(text: &str) -> Option<(String, usize)> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let mut first = None;
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        at += found;
        match (unit(bytes, at), unit(bytes, at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => at += 12,
            (Some(0xD800..=0xDFFF), _) => {
                first.get_or_insert(at + 1);
                out.push_str(&text[copied..at]);
                out.push_str("\\ufffd");
                at += 6;
                copied = at;
            }
            _ => at += 2,
        }
        if at >= bytes.len() {
            break;
        }
    }
    first.map(|column| {
        out.push_str(&text[copied..]);
        (out, column)
    })
}

/// The UTF-16 unit of a `\u` escape at this offset.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let hex = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_escapes_without_a_partner_are_replaced() {
        let cases = [
            (r#""\ud83d\ude00""#, None),
            (r#""\\ud83d""#, None),
            (r#""plain""#, None),
            (r#""a\ud83d""#, Some((r#""a\ufffd""#, 3))),
            (
                r#""\ude00\ud83d\ude00\ud83dx""#,
                Some((r#""\ufffd\ud83d\ude00\ufffdx""#, 2)),
            ),
            (r#""\ud83d\"#, Some((r#""\ufffd\"#, 2))),
        ];
        for (text, expected) in cases {
            assert_eq!(
                replace_lone(text),
                expected.map(|(text, column)| (text.to_owned(), column)),
                "{text}"
            );
        }
    }
}
