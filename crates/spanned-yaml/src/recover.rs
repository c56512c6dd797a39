//! Decoding with error recovery: [`decode_all`] reports every mistake of a file.

use crate::decode::try_decode;
use crate::decode_error::{DecodeError, PathStep};
use crate::error::Error;
use crate::node::{Kind, Node};
use crate::suggest::did_you_mean;
use serde::de::DeserializeOwned;

/// Most errors reported of one file.
const MAX_ERRORS: usize = 50;

/// Decodes a node. On a mistake it leaves out the entry or element with the mistake and decodes again, so that each
/// mistake is reported once.
///
/// # Errors
/// Every mistake found, in the order of decoding.
pub fn decode_all<T: DeserializeOwned>(node: &Node) -> Result<T, Vec<Error>> {
    let mut errors = Vec::new();
    let mut left_out: Vec<Vec<PathStep>> = Vec::new();
    let mut tree = node.clone();
    loop {
        let error = match try_decode::<T>(&tree) {
            Ok(value) if errors.is_empty() => return Ok(value),
            Ok(_) => break,
            Err(error) => error,
        };
        let path: Vec<PathStep> = error.path.iter().rev().cloned().collect();
        if !is_consequence(&error, &path, &left_out) {
            errors.push(error.into_error(node));
        }
        if path.is_empty() || errors.len() >= MAX_ERRORS {
            break;
        }
        tree = without(&tree, &path);
        left_out.retain(|gone| !gone.starts_with(&path));
        left_out.push(path);
    }
    errors.sort_by_key(|error| (error.span.line, error.span.column));
    Err(errors)
}

/// Whether a map lacks a key only because an earlier round left it out, or a key whose name is a typing error of it.
fn is_consequence(error: &DecodeError, path: &[PathStep], left_out: &[Vec<PathStep>]) -> bool {
    left_out.iter().any(|gone| match gone.split_last() {
        Some((PathStep::Entry(last), rest)) if rest == path => {
            let is_meant = |name| last == name || did_you_mean(last, [name]).is_some();
            error.is_empty_map || error.missing_key.is_some_and(is_meant)
        }
        _ => false,
    })
}

/// The tree without the value at a path.
fn without(node: &Node, path: &[PathStep]) -> Node {
    let Some((step, rest)) = path.split_first() else {
        return node.clone();
    };
    let kind = match (node.kind(), step) {
        (Kind::List(items), PathStep::Item(index)) => {
            let mut items = items.clone();
            if rest.is_empty() {
                items.remove(*index);
            } else {
                items[*index] = without(&items[*index], rest);
            }
            Kind::List(items)
        }
        (Kind::Map(entries), PathStep::Entry(name)) => {
            let mut entries = entries.clone();
            if let Some(at) = entries.iter().position(|(key, _)| key.name == *name) {
                if rest.is_empty() {
                    entries.remove(at);
                } else {
                    entries[at].1 = without(&entries[at].1, rest);
                }
            }
            Kind::Map(entries)
        }
        _ => return node.clone(),
    };
    node.with_kind(kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load_yaml;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only decoded")]
    struct Shape {
        name: String,
        parts: Vec<Part>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only decoded")]
    struct Part {
        size: u32,
        #[serde(default)]
        word: Option<String>,
    }

    fn messages(text: &str) -> Vec<String> {
        let node = load_yaml("f.yaml", text).expect("good YAML");
        let errors = decode_all::<Shape>(&node).expect_err("mistakes");
        errors
            .iter()
            .map(|error| {
                format!(
                    "{}:{} {}",
                    error.span.line, error.span.column, error.message
                )
            })
            .collect()
    }

    #[test]
    fn each_mistake_is_reported_once_and_none_hides_another() {
        let text =
            "nmae: a\nparts:\n  - { size: -1 }\n  - { word: b }\n  - 7\n  - { size: 2, wrod: c }\n";
        assert_eq!(
            messages(text),
            [
                "1:1 unknown key `nmae`; did you mean `name`? (one of name, parts)",
                "3:13 expected a whole number, 0 or more, found the number -1",
                "4:5 the key `size` is missing",
                "5:5 expected a map, found the number 7",
                "6:16 unknown key `wrod`; did you mean `word`? (one of size, word)",
            ]
        );
    }
}
