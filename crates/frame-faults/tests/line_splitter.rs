//! The lines of a stream do not depend on its chunks.

use frame_faults::LineSplitter;
use proptest::prelude::*;

fn lines(bytes: &[u8], limit: usize, size: usize) -> Vec<Vec<u8>> {
    let mut splitter = LineSplitter::new(limit);
    let chunks = bytes.chunks(size);
    let mut lines: Vec<_> = chunks.flat_map(|chunk| splitter.push(chunk)).collect();
    lines.extend(Some(splitter.rest()).filter(|rest| !rest.is_empty()));
    lines
}

#[test]
fn a_line_keeps_its_newline_and_a_longer_one_comes_in_parts() {
    for (text, parts) in [
        ("", ""),
        ("ab\n\r\nc", "ab\n|\r\n|c"),
        ("abc\nabc", "abc\n|abc"),
        ("abcd\nabcdefg\n\n", "abc|d\n|abc|def|g\n|\n"),
        ("abcdef\nabcdef", "abc|def\n|abc|def"),
    ] {
        let found = lines(text.as_bytes(), 3, usize::MAX);
        let parts = parts.split('|').filter(|part| !part.is_empty());
        let parts: Vec<_> = parts.map(|part| part.as_bytes().to_vec()).collect();
        assert_eq!(found, parts, "{text:?}");
    }
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same_lines_and_loses_no_byte(text in "[ab\r\n]{0,40}", limit in 0_usize..9, size in 1_usize..20) {
        let found = lines(text.as_bytes(), limit, size);
        prop_assert_eq!(found.concat(), text.as_bytes());
        prop_assert_eq!(found, lines(text.as_bytes(), limit, usize::MAX));
    }
}
