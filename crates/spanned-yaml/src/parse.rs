//! Reads and parses YAML files, with limits on size, depth and aliases.

use crate::builder::Builder;
use crate::error::{Error, SourceText};
use crate::node::Node;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest file accepted, in bytes.
pub const MAX_FILE_BYTES: usize = 32 << 20;

/// Reads and parses a YAML file.
///
/// # Errors
/// The file cannot be read or is not UTF-8, and the errors of [`load_yaml`].
pub fn load_file(path: &Path) -> Result<Node, Error> {
    let bytes =
        read(path).map_err(|error| Error::of_file(path, format!("cannot be read: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|_| Error::of_file(path, "is not UTF-8 text"))?;
    load_yaml(path, &text)
}

/// The bytes of a file, at most one more than is accepted.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(MAX_FILE_BYTES as u64 + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Parses the text of a YAML file: one document, with the core schema's scalars.
///
/// Aliases are resolved to shared values, and counted as if written out: an alias bomb is refused before it costs
/// memory.
///
/// # Errors
/// Bad YAML, a duplicate key, a key that is not a scalar, a tag other than `!!str`, a merge key, more than one
/// document, or a file too large, too deep, or with too many values.
pub fn load_yaml(path: impl Into<PathBuf>, text: &str) -> Result<Node, Error> {
    let path = path.into();
    if text.len() > MAX_FILE_BYTES {
        return Err(Error::of_file(
            path,
            format!("is larger than {} MiB", MAX_FILE_BYTES >> 20),
        ));
    }
    let source = Arc::new(SourceText {
        path,
        text: text.to_owned(),
    });
    Builder::new(source).document()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::at;
    use serde_json::json;

    fn refusal(text: &str) -> String {
        load_yaml("f.yaml", text).expect_err("refused").to_string()
    }

    #[test]
    fn a_tree_becomes_the_same_json() {
        let text = "a: [1, yes, null, ~, '5', 2.5, true]\nb: &x { c: !!str 7 }\nd: *x\n404: |\n  two\n  lines\n";
        let node = load_yaml("f.yaml", text).expect("good YAML");
        let expected = json!({
            "a": [1, "yes", null, null, "5", 2.5, true], "b": {"c": "7"}, "d": {"c": "7"}, "404": "two\nlines\n"
        });
        assert_eq!(node.to_value(), expected);
    }

    #[test]
    fn every_value_and_key_has_its_span() {
        let node = load_yaml("f.yaml", "a:\n  - größe: [x, 'y z']\n").expect("good YAML");
        let item = &node.get("a").and_then(Node::as_list).expect("a list")[0];
        let (key, list) = item.entry("größe").expect("the key");
        assert_eq!(key.span, at(2, 5, 5));
        let second = &list.as_list().expect("a list")[1];
        assert_eq!(second.span(), at(2, 16, 5));
    }

    #[test]
    fn an_empty_file_is_null() {
        assert!(
            load_yaml("f.yaml", "# nothing\n")
                .expect("good YAML")
                .is_null()
        );
    }

    #[test]
    fn each_unsupported_feature_has_its_message() {
        let cases = [
            ("a: &x [*x]\n", "an alias inside its own anchor"),
            ("a: !!binary aGk=\n", "the tag `!!binary` is not supported"),
            ("<<: {}\n", "merge keys are not supported"),
            ("? [a]\n: b\n", "a key must be a plain word or a text"),
            ("a\n---\nb\n", "a second document; a file holds one"),
            ("a: *b\n", "not valid YAML"),
            ("a: [1\n", "not valid YAML"),
            ("a: .inf\n", "is not a number that JSON can hold"),
        ];
        for (text, message) in cases {
            let refusal = refusal(text);
            assert!(refusal.contains(message), "{text:?} gave {refusal}");
            assert!(refusal.contains("--> f.yaml:"), "{text:?} gave {refusal}");
        }
    }

    #[test]
    fn nesting_and_size_are_bounded() {
        let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
        assert!(refusal(&deep).contains("nested more than 64 deep"));
        let deeper = "[".repeat(200_000);
        assert!(refusal(&deeper).contains("recursion limit exceeded"));
        let large = "a: b\n".repeat(MAX_FILE_BYTES / 5 + 1);
        assert!(refusal(&large).contains("is larger than 32 MiB"));
    }
}
