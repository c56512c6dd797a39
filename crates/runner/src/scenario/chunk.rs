//! Byte chunks of the step `send_bytes`: a text, or Base64.

use data_encoding::BASE64;
use spanned_yaml::{Error, Node};

/// The bytes of a chunk.
///
/// # Errors
/// It is not text, or its Base64 is invalid.
pub(super) fn bytes(node: &Node) -> Result<Vec<u8>, Vec<Error>> {
    let error = |message| Err(vec![node.error(message)]);
    let Some(text) = node.as_str() else {
        return error(format!(
            "expected a text, or `{{ repeat: text, times: N }}`, found {}",
            node.describe()
        ));
    };
    let Some(coded) = text.strip_prefix("base64:") else {
        return Ok(text.as_bytes().to_vec());
    };
    let decoded = BASE64.decode(coded.as_bytes());
    decoded.or_else(|why| error(format!("the text after `base64:` is not Base64: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use spanned_yaml::load_yaml;

    #[test]
    fn a_chunk_is_text_or_base64() {
        let read = |yaml: &str| {
            let node = load_yaml("chunk.yaml", yaml).expect("the test's YAML is right");
            bytes(&node).map_err(|errors| errors[0].message.clone())
        };
        assert_eq!(read("'ü'"), Ok("ü".into()));
        assert_eq!(read("'base64:ww=='"), Ok(vec![0xc3]));
        assert_eq!(read("{ repeat: ab, times: 3 }"), Ok("ababab".into()));
        for (yaml, message) in [("'base64:?'", "is not Base64"), ("[1]", "expected a text")] {
            let refusal = read(yaml).expect_err("it is refused");
            assert!(refusal.contains(message), "{refusal}");
        }
    }
}
