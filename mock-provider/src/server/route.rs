//! Routes: the endpoint of a path, and the errors of a wrong path, method, header or body.

use hyper::HeaderMap;

use crate::answer::HttpError;
use crate::headers::text;
use crate::request::Wire;

/// An endpoint of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApiEndpoint {
    /// A message. The only endpoint that takes a reply of the script.
    Message(Wire),
    /// A token count.
    CountTokens,
    /// The list of models.
    Models,
    /// One model, by its id.
    Model(String),
    /// An unknown path.
    Unknown,
}

impl ApiEndpoint {
    pub(super) fn from_path(path: &str) -> Self {
        let path = path.strip_suffix('/').unwrap_or(path);
        let mut wires = Wire::ALL.iter();
        match path.strip_prefix("/v1/models") {
            Some("") => ApiEndpoint::Models,
            Some(id) if id.starts_with('/') => ApiEndpoint::Model(id[1..].to_owned()),
            _ if path == "/v1/messages/count_tokens" => ApiEndpoint::CountTokens,
            _ => wires
                .find(|wire| wire.path() == path)
                .map_or(ApiEndpoint::Unknown, |wire| ApiEndpoint::Message(*wire)),
        }
    }

    /// The wire of the response: by the path, or by the headers if the path is not enough.
    pub(super) fn wire(&self, headers: &HeaderMap) -> Wire {
        let anthropic =
            headers.contains_key("anthropic-version") || headers.contains_key("x-api-key");
        match self {
            ApiEndpoint::Message(wire) => *wire,
            ApiEndpoint::CountTokens => Wire::AnthropicMessages,
            _ if anthropic => Wire::AnthropicMessages,
            _ => Wire::OpenAiChat,
        }
    }

    /// The error of an unknown path or a wrong method.
    pub(super) fn route_error(&self, wire: Wire, method: &str, path: &str) -> Option<HttpError> {
        let allowed = if matches!(self, ApiEndpoint::Models | ApiEndpoint::Model(_)) {
            "GET"
        } else {
            "POST"
        };
        match (wire, self) {
            (Wire::AnthropicMessages, ApiEndpoint::Unknown) => Some(wire.usual_error(404)),
            (_, ApiEndpoint::Unknown) => Some(HttpError::new(
                404,
                "invalid_request_error",
                format!("Invalid URL ({method} {path})"),
            )),
            _ if method == allowed => None,
            (Wire::AnthropicMessages, _) => Some(wire.usual_error(405)),
            _ => {
                let message = format!(
                    "Not allowed to {method} on {path}. (HINT: Perhaps you meant to use a different HTTP method?)"
                );
                Some(
                    HttpError::new(405, "invalid_request_error", message)
                        .about(None, Some("method_not_supported")),
                )
            }
        }
    }
}

/// The error of a request without the headers that its wire requires.
pub(super) fn header_error(wire: Wire, headers: &HeaderMap, keyless: bool) -> Option<HttpError> {
    let bearer = text(headers, "authorization")
        .and_then(|value| value.strip_prefix("Bearer "))
        .is_some_and(|key| !key.is_empty());
    let key = text(headers, "x-api-key").is_some_and(|key| !key.is_empty());
    match wire {
        Wire::AnthropicMessages if !keyless && !key && !bearer => Some(HttpError::new(
            401,
            "authentication_error",
            "x-api-key header is required",
        )),
        Wire::AnthropicMessages if !headers.contains_key("anthropic-version") => {
            Some(HttpError::invalid("anthropic-version: header is required"))
        }
        Wire::OpenAiChat | Wire::OpenAiResponses if !keyless && !bearer => {
            let message = "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth \
                           (i.e. Authorization: Bearer YOUR_KEY).";
            Some(HttpError::new(401, "invalid_request_error", message))
        }
        _ => None,
    }
}

/// The error of a body that is not JSON.
pub(super) fn json_error(wire: Wire, error: &serde_json::Error) -> HttpError {
    let message = match wire {
        Wire::AnthropicMessages => format!("The request body is not valid JSON: {error}"),
        Wire::OpenAiChat | Wire::OpenAiResponses => "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library \
                             correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)"
            .to_owned(),
    };
    HttpError::invalid(message)
}
