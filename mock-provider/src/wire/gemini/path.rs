//! Paths of the API: `/v1beta/models/MODEL:METHOD`, <https://ai.google.dev/api/all-methods>.

use crate::request::AnswerForm;

/// The model and the method in a path. Those of Vertex AI have another prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GeminiPath<'p> {
    pub(crate) model: &'p str,
    pub(crate) method: &'p str,
}

const STREAM: &str = "streamGenerateContent";

impl<'p> GeminiPath<'p> {
    pub(crate) fn parse(path: &'p str) -> Option<Self> {
        let (parent, resource) = path.rsplit_once('/')?;
        let is_model = parent.ends_with("/models") || parent.ends_with("/tunedModels");
        let (model, method) = resource.rsplit_once(':').filter(|_| is_model)?;
        Some(GeminiPath { model, method })
    }

    /// Whether its requests are answered by a message of the model.
    pub(crate) fn is_message(self) -> bool {
        self.method == "generateContent" || self.method == STREAM
    }

    /// The form of the answer to a request with this query.
    pub(crate) fn answer_form(self, query: &str) -> AnswerForm {
        match self.method {
            STREAM if parameter(query, "alt") == Some("sse") => AnswerForm::Events,
            STREAM => AnswerForm::Array,
            _ => AnswerForm::Document,
        }
    }
}

/// The value of a parameter in a query.
pub(crate) fn parameter<'q>(query: &'q str, name: &str) -> Option<&'q str> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let mut values = pairs.filter(|(known, _)| *known == name);
    values.next().map(|(_, value)| value)
}
