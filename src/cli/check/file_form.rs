//! Files that are no JSON Lines, told by their first bytes.

/// The first bytes of files in which no line can be read, and what such a file is.
const ENCODED: [(&[u8], &str); 9] = [
    (b"\x1f\x8b", "it is compressed with gzip; unpack it first"),
    (
        b"\x28\xb5\x2f\xfd",
        "it is compressed with zstd; unpack it first",
    ),
    (b"\xfd7zXZ\0", "it is compressed with xz; unpack it first"),
    (b"BZh", "it is compressed with bzip2; unpack it first"),
    (b"PK\x03\x04", "it is a zip archive; unpack it first"),
    (b"\xff\xfe\0\0", "it is UTF-32; JSON Lines are UTF-8"),
    (b"\xff\xfe", UTF_16),
    (b"\xfe\xff", UTF_16),
    (b"\0\0\xfe\xff", "it is UTF-32; JSON Lines are UTF-8"),
];
const UTF_16: &str = "it is UTF-16, as some shells redirect; JSON Lines are UTF-8";

/// Why no line of a file with this beginning can be read, if none can.
pub(super) fn encoding(head: &[u8]) -> Option<&'static str> {
    let known = ENCODED.iter().find(|(first, _)| head.starts_with(first));
    let is_wide = || matches!(head, [b'{' | b'[', 0, ..] | [0, b'{' | b'[', ..]);
    known
        .map(|(_, what)| *what)
        .or_else(|| is_wide().then_some(UTF_16))
}

/// Why no frame was found in a plain capture with this beginning, if its form is the reason.
pub(super) fn layout(head: &[u8]) -> Option<&'static str> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let mut lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let Some(first) = lines.find(|line| !line.is_empty()) else {
        return Some(if head.is_empty() {
            "it is empty"
        } else {
            "it is blank"
        });
    };
    let mut values = serde_json::Deserializer::from_slice(first).into_iter::<serde_json::Value>();
    match (values.next()?, values.next()) {
        (Err(error), _) if error.is_eof() && lines.next().is_some() => {
            Some("its JSON is pretty-printed; each frame must be one object on a line of its own")
        }
        (Ok(serde_json::Value::Array(_)), None) => {
            Some("it is a JSON array; each frame must be one object on a line of its own")
        }
        (Ok(_), Some(_)) => Some(
            "it has several values on one line; each frame must be one object on a line of its own",
        ),
        (Err(_), _) if stands_before_json(first) => Some(
            "something stands before the JSON of its lines, such as a time or `data:`; each frame must be a line of its own",
        ),
        _ => None,
    }
}

/// Whether an object begins in the middle of a line and ends with it.
fn stands_before_json(line: &[u8]) -> bool {
    let at = line.iter().position(|byte| *byte == b'{');
    at.is_some_and(|at| {
        serde_json::from_slice::<serde_json::Map<_, serde_json::Value>>(&line[at..]).is_ok()
    })
}
