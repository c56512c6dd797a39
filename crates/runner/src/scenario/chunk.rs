//! Byte chunks of the step `send_bytes`: a text, Base64, or a repeated text.

use data_encoding::BASE64;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use spanned_yaml::{Error, Kind, Node, Spanned, decode_all};
use std::borrow::Cow;

/// The most bytes of a chunk.
const MAX_BYTES: usize = 64 << 20;

/// The JSON Schema of a chunk.
pub(super) struct ChunkSchema;

/// A text that is repeated, as one chunk.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Repeated {
    /// The text.
    repeat: Spanned<String>,
    /// The number of repetitions.
    times: Spanned<usize>,
}

/// The bytes of a chunk.
///
/// # Errors
/// It is neither a text nor a map of `repeat` and `times`, its Base64 is invalid, or it is too large.
pub(super) fn bytes(node: &Node) -> Result<Vec<u8>, Vec<Error>> {
    match node.kind() {
        Kind::Text(text) => plain(text).map_err(|message| vec![node.error(message)]),
        Kind::Map(_) => repeated(node),
        _ => Err(vec![node.error(format!(
            "expected a text, or `{{ repeat: text, times: N }}`, found {}",
            node.describe()
        ))]),
    }
}

fn plain(text: &str) -> Result<Vec<u8>, String> {
    match text.strip_prefix("base64:") {
        Some(coded) => BASE64
            .decode(coded.as_bytes())
            .map_err(|error| format!("the text after `base64:` is not Base64: {error}")),
        None => Ok(text.as_bytes().to_vec()),
    }
}

fn repeated(node: &Node) -> Result<Vec<u8>, Vec<Error>> {
    let Repeated { repeat, times } = decode_all(node)?;
    let once = plain(&repeat.value).map_err(|message| vec![node.error_at(repeat.span, message)])?;
    if once.len().saturating_mul(times.value) > MAX_BYTES {
        let message = format!("a chunk has at most {MAX_BYTES} bytes");
        return Err(vec![node.error_at(times.span, message)]);
    }
    Ok(once.repeat(times.value))
}

impl JsonSchema for ChunkSchema {
    fn schema_name() -> Cow<'static, str> {
        "Chunk".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let repeated = generator.subschema_for::<Repeated>();
        json_schema!({ "description": "A text, `base64:` and bytes, or a text repeated.", "anyOf": [{ "type": "string" }, repeated] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spanned_yaml::load_yaml;

    fn read(yaml: &str) -> Result<Vec<u8>, String> {
        let node = load_yaml("chunk.yaml", yaml).expect("the test's YAML is right");
        bytes(&node).map_err(|errors| errors[0].message.clone())
    }

    #[test]
    fn a_chunk_is_text_or_base64_or_a_text_repeated() {
        assert_eq!(read("'ü'"), Ok("ü".into()));
        assert_eq!(read("'base64:ww=='"), Ok(vec![0xc3]));
        assert_eq!(read("{ repeat: ab, times: 3 }"), Ok("ababab".into()));
    }

    #[test]
    fn an_invalid_chunk_is_refused() {
        let refusal = |yaml: &str| read(yaml).expect_err("it is refused");
        assert!(refusal("'base64:?'").contains("is not Base64"));
        assert!(refusal("{ repeat: a, times: 99999999999 }").contains("at most"));
        assert!(refusal("[1]").contains("expected a text"));
    }
}
