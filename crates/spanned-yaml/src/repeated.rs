//! Short forms of long texts: `{ repeat: TEXT, times: N }` can replace any text.

use crate::node::{Key, Kind, Node};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// The most bytes of all repeated texts of a file.
pub(super) const MAX_REPEATED: usize = 64 << 20;

/// The JSON Schema of a text, which may be a repeated one.
pub struct TextSchema;

/// The text that a map describes, `{n}` in it replaced by the number of each repetition; none if it is another map.
///
/// # Errors
/// The repeated text has more bytes than are left.
pub(super) fn repeated_text(
    map: &[(Key, Node)],
    bytes_left: usize,
) -> Option<Result<String, String>> {
    let value = |name| map.iter().find(|(key, _)| key.name == name);
    let ((_, text), (_, times), 2) = (value("repeat")?, value("times")?, map.len()) else {
        return None;
    };
    let (text, Kind::Number(times)) = (text.as_str()?, times.kind()) else {
        return None;
    };
    let times = times.as_u64()?;
    // A number is as wide as the last one at most.
    let width = text.len() + text.matches("{n}").count() * times.to_string().len();
    let bytes = u64::try_from(width)
        .unwrap_or(u64::MAX)
        .saturating_mul(times);
    if usize::try_from(bytes).is_ok_and(|bytes| bytes <= bytes_left) {
        return Some(Ok(if text.contains("{n}") {
            (1..=times)
                .map(|n| text.replace("{n}", &n.to_string()))
                .collect()
        } else {
            text.repeat(usize::try_from(times).unwrap_or_default())
        }));
    }
    let message = format!("the repeated texts of a file have at most {MAX_REPEATED} bytes");
    Some(Err(message))
}

impl JsonSchema for TextSchema {
    fn schema_name() -> Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A text, or one that is repeated, with `{n}` in it for the number of the repetition.",
            "anyOf": [{ "type": "string" }, {
                "type": "object",
                "properties": { "repeat": { "type": "string" }, "times": { "type": "integer", "minimum": 0 } },
                "required": ["repeat", "times"],
                "additionalProperties": false
            }]
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::load_yaml;
    use serde_json::json;

    #[test]
    fn a_repeated_text_is_a_text_and_any_other_map_is_a_map() {
        let node = load_yaml(
            "f.yaml",
            "a: &long { repeat: 'x{n};', times: 3 }\nb: *long\nc: { repeat: x }\nd: { repeat: x, times: often }\n",
        );
        let expected = json!({
            "a": "x1;x2;x3;", "b": "x1;x2;x3;", "c": { "repeat": "x" }, "d": { "repeat": "x", "times": "often" }
        });
        assert_eq!(node.expect("good YAML").to_value(), expected);
    }

    #[test]
    fn the_repeated_texts_of_a_file_are_bounded() {
        for text in [
            "a: { repeat: x, times: 99999999999 }",
            "[{ repeat: x, times: 50000000 }, { repeat: x, times: 50000000 }]",
        ] {
            let error = load_yaml("f.yaml", text).expect_err("refused");
            assert!(error.message.contains("at most 67108864 bytes"));
        }
    }
}
