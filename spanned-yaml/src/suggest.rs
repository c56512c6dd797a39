//! "did you mean".

/// Names nearer than this (by Jaro-Winkler, from 0 to 1) are offered.
const NEAR: f64 = 0.8;
/// Longest list of names shown in full.
const SHOWN: usize = 24;

/// The known name that is most like an unknown one, if any is near enough.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scored = known.into_iter().map(|other| {
        (
            strsim::jaro_winkler(&name.to_lowercase(), &other.to_lowercase()),
            other,
        )
    });
    scored
        .filter(|(score, _)| *score >= NEAR)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, other)| other)
}

/// The message for a name that is not known: ``unknown key `x`; did you mean `y`? (one of …)``.
#[must_use]
pub fn unknown<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let near = did_you_mean(name, known.iter().copied());
    let guess = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    let list = match known.len() {
        0 => " (there are none)".to_owned(),
        1 => format!(" (only `{}` is known)", known[0]),
        2..=SHOWN => format!(" (one of {})", known.join(", ")),
        _ if near.is_some() => String::new(),
        more => format!(" (one of {}, … {more} in all)", known[..SHOWN].join(", ")),
    };
    format!("unknown {what} `{name}`{guess}{list}")
}
