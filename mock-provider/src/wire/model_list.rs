//! The list of models, and the document of one model.

use serde_json::{Value, json};

use crate::answer::HttpError;
use crate::ids;
use crate::request::Wire;

/// The listed models, by id and name. A request may name any other model.
const MODELS: [(&str, &str); 2] = [
    ("mock-model", "Mock Model"),
    ("mock-model-mini", "Mock Model Mini"),
];

/// Their creation time.
const CREATED: &str = "2026-01-01T00:00:00Z";

/// The list, in the form of the wire.
pub(crate) fn models(wire: Wire) -> Value {
    let data = MODELS.map(|(id, name)| document(wire, id, name));
    match wire {
        Wire::AnthropicMessages => {
            json!({ "data": data, "has_more": false, "first_id": MODELS[0].0, "last_id": MODELS[MODELS.len() - 1].0 })
        }
        Wire::OpenAiChat | Wire::OpenAiResponses => json!({ "object": "list", "data": data }),
    }
}

/// One model.
///
/// # Errors
/// There is no model of this name.
pub(crate) fn model(wire: Wire, id: &str) -> Result<Value, HttpError> {
    let found = MODELS.iter().find(|(known, _)| *known == id);
    found
        .map(|(id, name)| document(wire, id, name))
        .ok_or_else(|| match wire {
            Wire::AnthropicMessages => {
                HttpError::new(404, "not_found_error", format!("model: {id}"))
            }
            Wire::OpenAiChat | Wire::OpenAiResponses => HttpError::new(
                404,
                "invalid_request_error",
                format!("The model '{id}' does not exist or you do not have access to it."),
            )
            .about(Some("model"), Some("model_not_found")),
        })
}

fn document(wire: Wire, id: &str, name: &str) -> Value {
    match wire {
        Wire::AnthropicMessages => {
            json!({
                "type": "model",
                "id": id,
                "display_name": name,
                "created_at": CREATED,
                "lifecycle": "active",
                "max_input_tokens": 200_000,
                "max_tokens": 64_000,
            })
        }
        Wire::OpenAiChat | Wire::OpenAiResponses => {
            json!({ "id": id, "object": "model", "created": ids::EPOCH, "owned_by": "mock-provider" })
        }
    }
}
