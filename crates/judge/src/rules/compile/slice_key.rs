//! The compiler of slice keys (`each`) and of message templates.

use super::Compiler;
use crate::rules::frame_context::{KeyPart, KeySource, MessagePart};
use frame_language::Operand;
use frame_language::parse::operand;
use spanned_yaml::{Node, unknown};

impl Compiler<'_> {
    pub(super) fn each(&mut self, node: &Node) -> Option<Vec<KeyPart>> {
        let parts = node.as_list().unwrap_or(std::slice::from_ref(node));
        parts.iter().map(|part| self.key_part(part)).collect()
    }

    fn key_part(&mut self, node: &Node) -> Option<KeyPart> {
        let Some(text) = node.as_str() else {
            return self.fail(node.error(format!(
                "a pointer, a `$state` or a scope was expected, not {}",
                node.describe()
            )));
        };
        let mut sources = Vec::new();
        let mut label = None;
        for word in text.split('|').map(str::trim) {
            if let Some(scope) = self.scopes.get(word) {
                sources.push(KeySource::Scope(*scope));
                continue;
            }
            match operand(word, &self.names.declared) {
                Ok(Operand::Literal(_)) => {
                    let known = self.scopes.keys().map(String::as_str).collect::<Vec<_>>();
                    return self.fail(node.error(unknown("scope", word, known)));
                }
                Ok(operand) => {
                    let label = label
                        .get_or_insert_with(|| word.rsplit('/').next().unwrap_or(word).to_owned());
                    sources.push(KeySource::Operand(label.clone(), operand));
                }
                Err(error) => return self.fail(node.error(error.message)),
            }
        }
        Some(KeyPart(sources))
    }

    pub(super) fn message(&mut self, node: &Node) -> Option<Vec<MessagePart>> {
        let text = node.as_str()?;
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(open) = rest.find(['{']) {
            let Some(close) = rest[open..].find('}') else {
                return self.fail(node.error("a `{` without its `}`"));
            };
            pieces.push(MessagePart::Text(rest[..open].to_owned()));
            match operand(&rest[open + 1..open + close], &self.names.declared) {
                Ok(operand) => pieces.push(MessagePart::Value(operand)),
                Err(error) => return self.fail(node.error(error.message)),
            }
            rest = &rest[open + close + 1..];
        }
        pieces.push(MessagePart::Text(rest.to_owned()));
        Some(pieces)
    }
}
