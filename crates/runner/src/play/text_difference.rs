//! Where a text that came in pieces differs from the expected one, in words.

/// The number of characters that are quoted of a text that differs, and of the text before the difference.
const QUOTED: usize = 30;
const QUOTED_BEFORE: usize = 10;

/// Where a joined text first differs from the expected one.
pub(super) fn describe_text_difference(expected: &str, joined: &str) -> String {
    let pairs = expected.chars().zip(joined.chars());
    let same = pairs.take_while(|(one, other)| one == other).count();
    let quoted = |text: &str, from| text.chars().skip(from).take(QUOTED).collect::<String>();
    let excerpt = |text: &str| quoted(text, same.saturating_sub(QUOTED_BEFORE));
    let place = same + 1;
    match (joined.chars().count(), expected.chars().count()) {
        (0, _) => "the pieces of the text join to nothing".to_owned(),
        (length, _) if length == same => {
            let rest = quoted(expected, same);
            format!("the text ends after {length} characters, before {rest:?}")
        }
        (_, whole) if whole == same => {
            let rest = quoted(joined, same);
            format!("the text goes on after its end: {rest:?}")
        }
        _ => {
            let is_replaced = joined.contains(char::REPLACEMENT_CHARACTER)
                && !expected.contains(char::REPLACEMENT_CHARACTER);
            let what = if is_replaced {
                "has U+FFFD (the replacement character)"
            } else {
                "differs"
            };
            let (joined, expected) = (excerpt(joined), excerpt(expected));
            format!(
                "the text {what} at character {place}: {joined:?}, where {expected:?} is expected"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_quoted() {
        for (expected, joined, message) in [
            ("one", "", "the pieces of the text join to nothing"),
            (
                "one two",
                "one",
                "the text ends after 3 characters, before \" two\"",
            ),
            ("one", "one two", "the text goes on after its end: \" two\""),
            (
                "one two three four",
                "one two there four",
                "the text differs at character 11: \"one two there four\", where \"one two three four\" is expected",
            ),
            (
                "a 🦀",
                "a \u{fffd}\u{fffd}",
                "the text has U+FFFD (the replacement character) at character 3: \"a \u{fffd}\u{fffd}\", where \"a 🦀\" is expected",
            ),
        ] {
            assert_eq!(describe_text_difference(expected, joined), message);
        }
    }
}
