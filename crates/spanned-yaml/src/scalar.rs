//! Types of plain (unquoted) scalars, by the core schema of YAML 1.2 (section 10.3.2).

use crate::node::Kind;
use serde_json::Number;

const NULLS: &[&str] = &["", "~", "null", "Null", "NULL"];
const TRUES: &[&str] = &["true", "True", "TRUE"];
const FALSES: &[&str] = &["false", "False", "FALSE"];
const NOT_FINITE: &[&str] = &[".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"];

/// The value of an unquoted scalar.
///
/// # Errors
/// A message, if it is a number that JSON cannot hold.
pub(super) fn resolve(text: &str) -> Result<Kind, String> {
    if NULLS.contains(&text) {
        return Ok(Kind::Null);
    }
    if TRUES.contains(&text) || FALSES.contains(&text) {
        return Ok(Kind::Bool(TRUES.contains(&text)));
    }
    if NOT_FINITE.contains(&text.trim_start_matches(['+', '-'])) {
        return Err(format!(
            "`{text}` is not a number that JSON can hold; quote it if it is meant as text"
        ));
    }
    match integer(text).or_else(|| float(text)) {
        None => Ok(Kind::Text(text.to_owned())),
        Some(Some(number)) => Ok(Kind::Number(number)),
        Some(None) => Err(format!(
            "the number {text} is too large; quote it if it is meant as text"
        )),
    }
}

/// `Some(None)` for an integer that does not fit 64 bits.
fn integer(text: &str) -> Option<Option<Number>> {
    for (prefix, radix) in [("0o", 8), ("0x", 16)] {
        if let Some(digits) = text.strip_prefix(prefix)
            && !digits.is_empty()
            && digits.chars().all(|digit| digit.is_digit(radix))
        {
            return Some(u64::from_str_radix(digits, radix).ok().map(Number::from));
        }
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let signed = text.parse::<i64>().ok().map(Number::from);
    Some(signed.or_else(|| text.parse::<u64>().ok().map(Number::from)))
}

/// `Some(None)` for a float beyond the range of 64 bits. Words such as `inf` are not numbers here.
fn float(text: &str) -> Option<Option<Number>> {
    let is_plain = |byte: u8| byte.is_ascii_digit() || b".eE+-".contains(&byte);
    let number = text
        .parse::<f64>()
        .ok()
        .filter(|_| text.bytes().all(is_plain));
    number.map(Number::from_f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_yaml_1_1_are_text() {
        for word in [
            "yes", "no", "on", "off", "y", "n", "tRue", "1_000", "0b1", "12:30", "1.2.3", "e5",
            ".", "+", "-",
        ] {
            assert_eq!(resolve(word), Ok(Kind::Text(word.to_owned())));
        }
    }

    #[test]
    fn numbers_are_read_as_the_core_schema_says() {
        let cases: &[(&str, Number)] = &[
            ("0", 0.into()),
            ("-7", (-7).into()),
            ("+7", 7.into()),
            ("007", 7.into()),
            ("0o17", 15.into()),
            ("0xFf", 255.into()),
            ("18446744073709551615", u64::MAX.into()),
        ];
        for (text, number) in cases {
            assert_eq!(resolve(text), Ok(Kind::Number(number.clone())), "{text}");
        }
        for (text, value) in [
            ("1.5", 1.5),
            ("-.5", -0.5),
            ("1.", 1.0),
            ("1e3", 1000.0),
            ("2.5E-1", 0.25),
        ] {
            assert_eq!(
                resolve(text),
                Ok(Kind::Number(Number::from_f64(value).expect("finite"))),
                "{text}"
            );
        }
    }

    #[test]
    fn a_number_that_json_cannot_hold_is_refused() {
        for text in ["99999999999999999999", "1e999", ".inf", "-.INF", ".nan"] {
            assert!(resolve(text).is_err(), "{text}");
        }
    }
}
