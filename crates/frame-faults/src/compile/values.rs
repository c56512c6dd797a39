//! Values that several keys of a fault have: pointers and matchers, with the place of a mistake.

use crate::condition::PartMatcher;
use crate::pointer::Pointer;
use json_matcher::{CompileError, CompileErrorKind, EntryPart};
use spanned_yaml::{Error, Node, Span, Spanned, unknown};

/// The place of a key, or of the whole fault if it is not there.
pub(super) fn key_span(node: &Node, key: &str) -> Span {
    node.entry(key)
        .map_or_else(|| node.span(), |(key, _)| key.span)
}

pub(super) fn pointer_of(
    text: Option<&Spanned<String>>,
    node: &Node,
) -> Result<Option<Pointer>, Vec<Error>> {
    text.map(|text| pointer(text, node)).transpose()
}

pub(super) fn pointer(text: &Spanned<String>, node: &Node) -> Result<Pointer, Vec<Error>> {
    Pointer::parse(text).map_err(|message| vec![node.error_at(text.span, message)])
}

pub(super) fn matcher(node: &Node) -> Result<PartMatcher, Vec<Error>> {
    PartMatcher::compile(&node.to_value())
        .map_err(|errors| errors.iter().map(|error| located(error, node)).collect())
}

/// The error at its place in the file, with a suggestion for an unknown name.
fn located(error: &CompileError, node: &Node) -> Error {
    let pointer = PartMatcher::pointer_in_part(&error.pointer);
    let span = match error.part {
        EntryPart::Key => node.key_at(pointer),
        EntryPart::Value => node.nearest(pointer).span(),
    };
    let message = match &error.kind {
        CompileErrorKind::Unknown { what, name, known } => {
            unknown(what, name, known.iter().copied())
        }
        CompileErrorKind::Invalid(message) => message.clone(),
    };
    node.error_at(span, message)
}
