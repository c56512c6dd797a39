//! Suggestions for unknown names: "did you mean".

/// Least similarity of a suggestion (Jaro-Winkler, from 0 to 1).
const MIN_SIMILARITY: f64 = 0.8;
/// Longest list of names that is shown in full.
const MAX_SHOWN: usize = 24;

/// Shortest name for which one wrong character suffices for a suggestion.
const MIN_FOR_TYPO: usize = 3;

/// The known name that is most similar to an unknown one, if any is similar enough.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known.into_iter().map(|other| {
        (
            similarity(&name.to_lowercase(), &other.to_lowercase()),
            other,
        )
    });
    scored
        .filter(|(score, _)| *score >= MIN_SIMILARITY)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, other)| other)
}

/// How similar two names are, from 0 to 2. Jaro-Winkler is unreliable for short names, so one wrong, missing, added or swapped character
/// counts for more.
fn similarity(name: &str, other: &str) -> f64 {
    let is_typo = name.chars().count() >= MIN_FOR_TYPO && strsim::osa_distance(name, other) <= 1;
    strsim::jaro_winkler(name, other) + if is_typo { 1.0 } else { 0.0 }
}

/// The suggestion as the end of a sentence, ``; did you mean `y`?``, or nothing.
pub fn suggestion<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let near = did_you_mean(name, known);
    near.map_or(String::new(), |near| format!("; did you mean `{near}`?"))
}

/// The message for an unknown name: ``unknown key `x`; did you mean `y`? (one of …)``.
pub fn unknown<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let guess = suggestion(name, known.iter().copied());
    let list = match known.len() {
        0 => " (there are none)".to_owned(),
        1 => format!(" (only `{}` is known)", known[0]),
        2..=MAX_SHOWN => format!(" (one of {})", known.join(", ")),
        _ if !guess.is_empty() => String::new(),
        more => format!(
            " (one of {}, … {more} in all)",
            known[..MAX_SHOWN].join(", ")
        ),
    };
    format!("unknown {what} `{name}`{guess}{list}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_typo_in_a_short_name_is_enough() {
        let known = ["mcp", "thinking", "stop"];
        for (name, near) in [
            ("mpc", Some("mcp")),
            ("mc", Some("mcp")),
            ("mx", None),
            ("stp", Some("stop")),
            ("Stop", Some("stop")),
            ("thinkin", Some("thinking")),
            ("edit", None),
        ] {
            assert_eq!(did_you_mean(name, known), near, "{name}");
        }
    }

    #[test]
    fn a_message_has_a_suggestion_and_the_known_names() {
        let known = ["text", "number"];
        assert_eq!(
            unknown("type", "txt", known),
            "unknown type `txt`; did you mean `text`? (one of text, number)"
        );
        assert_eq!(
            unknown("type", "x", ["text"]),
            "unknown type `x` (only `text` is known)"
        );
        assert_eq!(
            unknown("type", "x", []),
            "unknown type `x` (there are none)"
        );
    }
}
