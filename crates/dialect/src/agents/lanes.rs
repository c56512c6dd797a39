//! Lanes: the conditions by which an agent's own requests to its model are recognized.

use super::file::{KnownAgent, LaneFile};
use serde_json::Value;
use spanned_yaml::{Error, Node};

/// A lane, with its conditions as texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lane {
    /// Its name.
    pub name: String,
    /// Texts in the system prompt.
    pub system: Vec<String>,
    /// Texts in the last message.
    pub last: Vec<String>,
    /// Texts in the name of the model.
    pub model: Vec<String>,
    /// Whether the request offers no tools.
    pub no_tools: bool,
    /// The replies in order, as in a model script; a short text if there is none.
    pub replies: Vec<Value>,
}

/// The lanes of an agent.
#[must_use]
pub fn lanes(agent: &KnownAgent) -> Vec<Lane> {
    let lanes = agent.file.lanes.iter();
    lanes.map(|(name, file)| lane(name, file)).collect()
}

fn lane(name: &str, file: &LaneFile) -> Lane {
    let texts = |node: &Option<Node>| node.iter().flat_map(texts).collect();
    let replies = file.reply.iter().chain(&file.replies);
    Lane {
        name: name.to_owned(),
        system: texts(&file.system),
        last: texts(&file.last),
        model: texts(&file.model),
        no_tools: file.no_tools,
        replies: replies.map(Node::to_value).collect(),
    }
}

/// A text, or a list of texts.
fn texts(node: &Node) -> Vec<String> {
    let one = node.as_str().map(str::to_owned);
    let many = node.as_list().into_iter().flatten();
    let many = many.filter_map(|text| text.as_str().map(str::to_owned));
    one.into_iter().chain(many).collect()
}

/// Whether every request of `narrow` is one of `wide` too.
fn includes(wide: &Lane, narrow: &Lane) -> bool {
    let implied = |wide: &[String], narrow: &[String]| {
        wide.iter()
            .all(|part| narrow.iter().any(|text| text.contains(part.as_str())))
    };
    implied(&wide.system, &narrow.system)
        && implied(&wide.last, &narrow.last)
        && implied(&wide.model, &narrow.model)
        && (!wide.no_tools || narrow.no_tools)
}

/// The mistakes in the lanes of an agent file.
pub(super) fn check(agent: &KnownAgent) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut before: Vec<Lane> = Vec::new();
    for (name, file) in &agent.file.lanes {
        let lane = lane(name, file);
        for node in [&file.system, &file.last, &file.model]
            .into_iter()
            .flatten()
        {
            let items = node.as_list().unwrap_or_default();
            let is_text = |node: &Node| node.as_str().is_some_and(|text| !text.is_empty());
            if !is_text(node) && (items.is_empty() || !items.iter().all(is_text)) {
                errors.push(node.error("expected a text that is contained, or a list of texts; an empty text is in every request"));
            }
        }
        if !file.replies.is_empty() && file.reply.is_some() {
            let message = format!(
                "the lane `{}` has both `reply` and `replies`: write one of them",
                name.value
            );
            errors.push(agent.root.error_at(name.span, message));
        }
        if includes(&lane, &Lane::default()) {
            let message = format!(
                "the lane `{}` matches every request, also those of the conversation: give it `system`, `last`, `model` or `no_tools: true`",
                name.value
            );
            errors.push(agent.root.error_at(name.span, message));
        } else if let Some(other) = before
            .iter()
            .find(|other| includes(other, &lane) || includes(&lane, other))
        {
            let message = format!(
                "the lanes `{}` and `{}` match the same requests: give each a text that the other does not have",
                other.name, name.value
            );
            errors.push(agent.root.error_at(name.span, message));
        }
        before.push(lane);
    }
    errors
}
