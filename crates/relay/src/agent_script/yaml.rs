//! JSON values on one line of a YAML file.

use serde_json::{Map, Value};

/// A value as flow YAML; none if the YAML parser does not read it back, such as a value that is nested too deeply.
pub(super) fn flow(value: &Value) -> Option<String> {
    let text = escaped(&value.to_string());
    let node = spanned_yaml::load_yaml("", &text).ok()?;
    (node.to_value() == *value).then_some(text)
}

/// An item of a list with one action.
pub(super) fn item(action: &str, value: &Value) -> Option<String> {
    let map = Map::from_iter([(action.to_owned(), value.clone())]);
    Some(format!("  - {}\n", flow(&Value::Object(map))?))
}

/// A JSON text with escapes for all characters that YAML does not accept. They only occur in strings.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\u{7f}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                text.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_text_is_the_same_in_yaml(text in any::<String>(), rare in "[\u{7f}-\u{a0}\u{2028}\u{2029}\u{feff}\u{fffe}\u{ffff}\u{0}-\u{20}\\\\\"'#:{}]{0,8}") {
            let value = serde_json::json!({ text.clone(): [rare, text] });
            prop_assert!(flow(&value).is_some(), "{value}");
        }
    }

    #[test]
    fn a_value_that_yaml_cannot_read_is_refused() {
        let deep = (0..80).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
        assert_eq!(flow(&deep), None);
        assert!(
            flow(&serde_json::json!([
                0.1,
                1e300,
                -7,
                u64::MAX,
                null,
                "1",
                "~"
            ]))
            .is_some()
        );
    }
}
