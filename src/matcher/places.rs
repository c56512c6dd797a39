//! Which names a matcher or a template uses.

use super::ops::regex_pieces;
use spanned_yaml::{Kind, Node, Piece, Spanned, pieces};

/// The `{name}` places in every text of a node, in order. In a `$regex` the braces of `\p{…}` are none.
#[must_use]
pub fn places(node: &Node) -> Vec<Spanned<String>> {
    let mut found = Vec::new();
    collect(node, false, &mut found);
    found
}

fn collect(node: &Node, is_regex: bool, found: &mut Vec<Spanned<String>>) {
    match node.kind() {
        Kind::Text(text) => {
            let pieces = if is_regex {
                regex_pieces(text)
            } else {
                pieces(text)
            };
            found.extend(pieces.into_iter().filter_map(|piece| match piece {
                Piece::Place(name) => Some(Spanned {
                    value: name.to_owned(),
                    span: node.span(),
                }),
                Piece::Text(_) => None,
            }));
        }
        Kind::List(items) => items.iter().for_each(|item| collect(item, false, found)),
        Kind::Map(entries) => entries
            .iter()
            .for_each(|(key, value)| collect(value, key.name == "$regex", found)),
        _ => {}
    }
}
