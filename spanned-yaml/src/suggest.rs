//! Suggestions for unknown names: "did you mean".

/// Least similarity of a suggestion (Jaro-Winkler, from 0 to 1).
const MIN_SIMILARITY: f64 = 0.8;
/// Longest list of names that is shown in full.
const MAX_SHOWN: usize = 24;

/// The known name that is most similar to an unknown one, if any is similar enough.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known.into_iter().map(|other| {
        (
            strsim::jaro_winkler(&name.to_lowercase(), &other.to_lowercase()),
            other,
        )
    });
    scored
        .filter(|(score, _)| *score >= MIN_SIMILARITY)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, other)| other)
}

/// The message for an unknown name: ``unknown key `x`; did you mean `y`? (one of …)``.
#[must_use]
pub fn unknown<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let near = did_you_mean(name, known.iter().copied());
    let guess = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    let list = match known.len() {
        0 => " (there are none)".to_owned(),
        1 => format!(" (only `{}` is known)", known[0]),
        2..=MAX_SHOWN => format!(" (one of {})", known.join(", ")),
        _ if near.is_some() => String::new(),
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
