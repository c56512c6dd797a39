//! Parser of durations in YAML and on the command line: `500ms`, `2s`, `1.5s`, `250us`, `1m`.

use std::time::Duration;

const UNITS: &[(&str, f64)] = &[("us", 1e-6), ("ms", 1e-3), ("s", 1.0), ("m", 60.0)];

/// The duration that the text denotes; `None` if it is not a number with a unit.
#[must_use]
pub fn parse(text: &str) -> Option<Duration> {
    let split = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(split);
    let (_, seconds) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let number: f64 = number.trim_end().parse().ok()?;
    Duration::try_from_secs_f64(number * seconds).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_number_and_a_unit() {
        assert_eq!(parse("500ms"), Some(Duration::from_millis(500)));
        assert_eq!(parse("1.5s"), Some(Duration::from_millis(1500)));
        assert_eq!(parse("2m"), Some(Duration::from_secs(120)));
        for bad in ["", "5", "s", "-1s", "5 parsecs", "1e999s"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
