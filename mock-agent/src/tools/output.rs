//! How much of a tool's output is kept.

/// The most bytes of a tool's output that the host and the model get.
pub(super) const LIMIT: usize = 30_000;

/// The text, cut at the limit with a note of how much is missing. `more` counts bytes that were already dropped.
pub(super) fn clip(mut text: String, more: u64) -> String {
    let mut cut = text.len().min(LIMIT);
    while !text.is_char_boundary(cut) {
        cut -= 1;
    }
    let missing = (text.len() - cut) as u64 + more;
    if missing > 0 {
        text.truncate(cut);
        text.push_str(&format!("\n[output truncated: {missing} bytes more]"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_within_the_limit_stays_whole() {
        assert_eq!(clip("x".repeat(LIMIT), 0).len(), LIMIT);
    }

    #[test]
    fn a_longer_text_is_cut_between_characters_and_says_so() {
        let clipped = clip(format!("{}ää", "x".repeat(LIMIT - 1)), 5);

        let expected = format!(
            "{}\n[output truncated: 9 bytes more]",
            "x".repeat(LIMIT - 1)
        );
        assert_eq!(clipped, expected);
    }
}
