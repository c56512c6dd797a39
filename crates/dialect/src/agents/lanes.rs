//! Lanes: the conditions by which an agent's own requests to its model are recognized.

use super::file::{KnownAgent, LaneFile};
use spanned_yaml::{Error, Node};

/// What a request must have to belong to a lane: all of these.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaneConditions {
    /// Texts in the system prompt.
    pub system: Vec<String>,
    /// Texts in the last message.
    pub last: Vec<String>,
    /// Texts in the name of the model.
    pub model: Vec<String>,
    /// Whether it must offer no tools.
    pub no_tools: bool,
}

impl LaneFile {
    /// The conditions of the lane.
    #[must_use]
    pub fn conditions(&self) -> LaneConditions {
        let texts = |node: &Option<Node>| node.iter().flat_map(texts).collect();
        LaneConditions {
            system: texts(&self.system),
            last: texts(&self.last),
            model: texts(&self.model),
            no_tools: self.no_tools,
        }
    }
}

/// A text, or a list of texts.
fn texts(node: &Node) -> Vec<String> {
    let one = node.as_str().map(str::to_owned);
    let many = node.as_list().into_iter().flatten();
    let many = many.filter_map(|text| text.as_str().map(str::to_owned));
    one.into_iter().chain(many).collect()
}

impl LaneConditions {
    /// Whether every request that meets `other` meets these conditions too.
    fn include(&self, other: &LaneConditions) -> bool {
        let implied = |own: &[String], other: &[String]| {
            let is_in = |part: &String| other.iter().any(|text| text.contains(part.as_str()));
            own.iter().all(is_in)
        };
        implied(&self.system, &other.system)
            && implied(&self.last, &other.last)
            && implied(&self.model, &other.model)
            && (!self.no_tools || other.no_tools)
    }
}

/// The mistakes in the lanes of an agent file.
pub(super) fn check(agent: &KnownAgent) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut before: Vec<(&str, LaneConditions)> = Vec::new();
    for (name, file) in &agent.file.lanes {
        let own = file.conditions();
        let mut error = |message: String| errors.push(agent.root.error_at(name.span, message));
        if !file.replies.is_empty() && file.reply.is_some() {
            error(format!(
                "the lane `{name}` has `reply` and `replies`: write one of them",
                name = name.value
            ));
        }
        let twin = before
            .iter()
            .find(|(_, other)| other.include(&own) || own.include(other));
        let matches_all = own.include(&LaneConditions::default());
        if matches_all {
            error(format!(
                "the lane `{}` matches every request, also those of the conversation: give it `system`, `last`, `model` or `no_tools: true`",
                name.value
            ));
        } else if let Some((other, _)) = twin {
            error(format!(
                "the lanes `{other}` and `{}` match the same requests: give each a text that the other does not have",
                name.value
            ));
        }
        for node in [&file.system, &file.last, &file.model]
            .into_iter()
            .flatten()
        {
            let is_text = |node: &Node| node.as_str().is_some_and(|text| !text.is_empty());
            let items = node.as_list().unwrap_or_default();
            if !is_text(node) && (items.is_empty() || !items.iter().all(is_text)) {
                let message = "expected a text that requests of the lane contain, or a list of such texts; an empty text is in every request";
                errors.push(node.error(message));
            }
        }
        // It would be the twin of each lane after it.
        if !matches_all {
            before.push((&name.value, own));
        }
    }
    errors
}
