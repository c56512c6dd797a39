//! Numbers of any size in JSON texts.

use json_matcher::read_json;
use serde_json::json;

#[test]
fn numbers_beyond_the_doubles_are_the_largest_double_of_their_sign() {
    let digits = "9".repeat(400);
    let text = format!(
        r#"{{"a":[1E400,-1e999,{digits},-{digits}.5,1e-999,0.{digits},7],"1e400":"\"1E400\\","b":-0}}"#
    );
    let expected = json!({
        "a": [f64::MAX, f64::MIN, f64::MAX, f64::MIN, 0.0, 1.0, 7], "1e400": "\"1E400\\", "b": -0.0,
    });
    assert_eq!(read_json(text.as_bytes()).unwrap(), expected);
}

#[test]
fn what_is_not_json_stays_an_error() {
    for text in [
        "1E400x",
        "[1E400",
        "1E400 1",
        "01E400",
        "1E+",
        "-",
        "+1E400",
        "1.E400",
        ".1E400",
        "[1E400,NaN]",
        r#"{"a":1E400,"b":"cut"#,
        "\"1E400",
    ] {
        assert!(read_json(text.as_bytes()).is_err(), "{text}");
    }
    assert!(read_json(b"[1E400,\"\xff\"]").is_err());
    assert!(read_json(format!("{}1E400", "[".repeat(200)).as_bytes()).is_err());
}

#[test]
fn a_message_has_numbers_as_they_are_written() {
    let json = r#"{"a":1e400,"b":1E2,"c":"1e3","d":12345678901234567890123}"#;
    for (message, written) in [
        ("1.7976931348623157e+308 is large", "1e400 is large"),
        ("100.0 and 1100.0", "1E2 and 1100.0"),
        ("1000.0 is no number of it", "1000.0 is no number of it"),
        ("1.2345678901234568e+22", "12345678901234567890123"),
        ("no number", "no number"),
    ] {
        assert_eq!(json_matcher::numbers_as_written(message, json), written);
    }
}

#[test]
fn what_a_reader_cannot_see_is_escaped() {
    let escaped = json_matcher::escape_hidden("\"a\u{a0}b\" 'é' e\u{301} \u{200b} \\n");
    assert_eq!(escaped, "\"a\\u{a0}b\" 'é' e\\u{301} \\u{200b} \\n");
}
