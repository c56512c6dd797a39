//! Routes: the endpoint of a path, and the errors of a wrong path, method, header or body.

use hyper::HeaderMap;
use hyper::header::{HeaderValue, UPGRADE};

use crate::answer::HttpError;
use crate::conversations::ConversationPath;
use crate::failure::Rejection;
use crate::headers::text;
use crate::request::Wire;
use crate::wire::{GeminiPath, parameter};

/// An endpoint of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApiEndpoint {
    /// A message. The only endpoint that takes a reply of the script.
    Message(Wire),
    /// A token count of Anthropic.
    CountTokens,
    /// The list of models.
    Models,
    /// One model, by its id.
    Model(String),
    /// Vectors for texts.
    Embeddings,
    /// A stored response of OpenAI, by its id.
    Response(String),
    /// The end of a background response, by its id.
    CancelResponse(String),
    /// The input of a stored response, by the id of the response.
    ResponseInput(String),
    /// Conversations of OpenAI.
    Conversation(ConversationPath),
    /// A token count of OpenAI Responses.
    InputTokens,
    /// A shorter input for the next response.
    Compact,
    /// Another endpoint of Gemini.
    Gemini(GeminiEndpoint),
    /// A path that is not served.
    Unknown,
}

/// An endpoint of Gemini that answers without a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GeminiEndpoint {
    /// A token count.
    CountTokens,
    /// A vector.
    Embedding,
    /// Vectors for several texts.
    Embeddings,
    /// The list of models.
    Models,
    /// One model, by its id.
    Model(String),
    /// A path that is not served.
    Unknown,
}

impl GeminiEndpoint {
    /// The endpoint of a path: <https://ai.google.dev/api/all-methods>.
    fn from_path(path: &str) -> Option<Self> {
        let method = GeminiPath::parse(path).map(|path| path.method);
        Some(match (method, path.strip_prefix("/v1beta/")) {
            (Some("countTokens"), _) => GeminiEndpoint::CountTokens,
            (Some("embedContent"), _) => GeminiEndpoint::Embedding,
            (Some("batchEmbedContents"), _) => GeminiEndpoint::Embeddings,
            (None, Some("models")) => GeminiEndpoint::Models,
            (None, Some(rest)) => match rest.strip_prefix("models/") {
                Some(id) => GeminiEndpoint::Model(id.to_owned()),
                None => GeminiEndpoint::Unknown,
            },
            (Some(_), Some(_)) => GeminiEndpoint::Unknown,
            (_, None) => return None,
        })
    }
}

/// Whether a request has a key as only Gemini takes it.
fn has_google_key(headers: &HeaderMap, query: &str) -> bool {
    headers.contains_key(GOOGLE_KEY) || parameter(query, "key").is_some()
}

/// A query without the key in it, which is a secret.
pub(super) fn without_key(query: &str) -> String {
    let pairs = query
        .split('&')
        .map(|pair| match pair.strip_prefix("key=") {
            Some(key) if !key.is_empty() => "key=hidden",
            _ => pair,
        });
    pairs.collect::<Vec<_>>().join("&")
}

/// What Microsoft Foundry has before the paths of Anthropic: `lib/foundry` of Anthropic's Python SDK 2.14.
const FOUNDRY: &str = "/anthropic";

/// The header with a key of Google: <https://ai.google.dev/api#authentication>.
const GOOGLE_KEY: &str = "x-goog-api-key";

/// A path of Azure OpenAI, below `/openai`: the deployment, if the path has one, and the path of the same endpoint of OpenAI.
fn azure_path(path: &str) -> Option<(Option<&str>, &str)> {
    let rest = path.strip_prefix("/openai/")?;
    match rest.strip_prefix("deployments/") {
        Some(named) => named.split_once('/').map(|(name, rest)| (Some(name), rest)),
        None => Some((None, rest.strip_prefix("v1/").unwrap_or(rest))),
    }
}

/// The rest of a path below `/v1/conversations/`.
fn conversation_path(rest: &[&str]) -> Option<ConversationPath> {
    match rest {
        [] => Some(ConversationPath::All),
        [id] => Some(ConversationPath::One((*id).to_owned())),
        [id, "items"] => Some(ConversationPath::Items((*id).to_owned())),
        [id, "items", item] => Some(ConversationPath::Item((*id).to_owned(), (*item).to_owned())),
        _ => None,
    }
}

/// The deployment in a path of Azure OpenAI, which is the model of a request that names none.
pub(super) fn deployment(path: &str) -> Option<&str> {
    azure_path(path)?.0
}

fn is_websocket(headers: &HeaderMap) -> bool {
    text(headers, "upgrade").is_some_and(|value| value.eq_ignore_ascii_case("websocket"))
}

impl ApiEndpoint {
    /// The endpoint of a request. A probe, a question of a browser or a websocket is for none.
    pub(super) fn of_request(method: &str, path: &str, query: &str, headers: &HeaderMap) -> Self {
        if matches!(method, "HEAD" | "OPTIONS") || is_websocket(headers) {
            return ApiEndpoint::Unknown;
        }
        match Self::from_path(path) {
            ApiEndpoint::Models if has_google_key(headers, query) => {
                ApiEndpoint::Gemini(GeminiEndpoint::Models)
            }
            ApiEndpoint::Model(id) if has_google_key(headers, query) => {
                ApiEndpoint::Gemini(GeminiEndpoint::Model(id))
            }
            endpoint => endpoint,
        }
    }

    fn from_path(path: &str) -> Self {
        let path = path.strip_suffix('/').unwrap_or(path);
        if Wire::of_path(path) == Some(Wire::Gemini) {
            return ApiEndpoint::Message(Wire::Gemini);
        }
        if let Some(endpoint) = GeminiEndpoint::from_path(path) {
            return ApiEndpoint::Gemini(endpoint);
        }
        let azure = azure_path(path).map(|(_, rest)| rest);
        let path = path.strip_prefix(FOUNDRY).unwrap_or(path);
        let Some(rest) = azure.or_else(|| path.strip_prefix("/v1/")) else {
            return ApiEndpoint::Unknown;
        };
        match rest.split('/').collect::<Vec<_>>().as_slice() {
            ["messages"] => ApiEndpoint::Message(Wire::AnthropicMessages),
            ["messages", "count_tokens"] => ApiEndpoint::CountTokens,
            ["chat", "completions"] => ApiEndpoint::Message(Wire::OpenAiChat),
            ["responses"] => ApiEndpoint::Message(Wire::OpenAiResponses),
            ["responses", "input_tokens"] => ApiEndpoint::InputTokens,
            ["responses", "compact"] => ApiEndpoint::Compact,
            ["responses", id] => ApiEndpoint::Response((*id).to_owned()),
            ["responses", id, "cancel"] => ApiEndpoint::CancelResponse((*id).to_owned()),
            ["responses", id, "input_items"] => ApiEndpoint::ResponseInput((*id).to_owned()),
            ["conversations", rest @ ..] => match conversation_path(rest) {
                Some(path) => ApiEndpoint::Conversation(path),
                None => ApiEndpoint::Unknown,
            },
            ["embeddings"] => ApiEndpoint::Embeddings,
            ["models"] => ApiEndpoint::Models,
            ["models", id @ ..] => ApiEndpoint::Model(id.join("/")),
            _ => ApiEndpoint::Unknown,
        }
    }

    /// The wire of the response: by the path, or by the headers if the path is not enough.
    pub(super) fn wire(&self, headers: &HeaderMap) -> Wire {
        let anthropic =
            headers.contains_key("anthropic-version") || headers.contains_key("x-api-key");
        match self {
            ApiEndpoint::Message(wire) => *wire,
            ApiEndpoint::CountTokens => Wire::AnthropicMessages,
            ApiEndpoint::Response(_)
            | ApiEndpoint::CancelResponse(_)
            | ApiEndpoint::ResponseInput(_)
            | ApiEndpoint::Conversation(_)
            | ApiEndpoint::InputTokens
            | ApiEndpoint::Compact => Wire::OpenAiResponses,
            ApiEndpoint::Embeddings => Wire::OpenAiChat,
            ApiEndpoint::Gemini(_) => Wire::Gemini,
            ApiEndpoint::Models | ApiEndpoint::Model(_) | ApiEndpoint::Unknown if anthropic => {
                Wire::AnthropicMessages
            }
            ApiEndpoint::Models | ApiEndpoint::Model(_) | ApiEndpoint::Unknown => Wire::OpenAiChat,
        }
    }

    /// The HTTP methods that are served.
    fn methods(&self) -> &'static [&'static str] {
        match self {
            ApiEndpoint::Unknown | ApiEndpoint::Gemini(GeminiEndpoint::Unknown) => &[],
            ApiEndpoint::Models
            | ApiEndpoint::Model(_)
            | ApiEndpoint::ResponseInput(_)
            | ApiEndpoint::Gemini(GeminiEndpoint::Models | GeminiEndpoint::Model(_)) => &["GET"],
            ApiEndpoint::Response(_) | ApiEndpoint::Conversation(ConversationPath::Item(..)) => {
                &["GET", "DELETE"]
            }
            ApiEndpoint::Conversation(ConversationPath::One(_)) => &["GET", "POST", "DELETE"],
            ApiEndpoint::Conversation(ConversationPath::Items(_)) => &["GET", "POST"],
            _ => &["POST"],
        }
    }

    /// The error of an unknown path or a wrong method.
    pub(super) fn route_error(
        &self,
        wire: Wire,
        method: &str,
        path: &str,
        headers: &HeaderMap,
    ) -> Option<Rejection> {
        if is_websocket(headers) {
            let mut error = wire.usual_error(426);
            error.message = "This server has no websockets: use HTTP requests.".to_owned();
            let http = HeaderValue::from_static("HTTP/1.1");
            error.details.headers.insert(UPGRADE, http);
            return Some(Rejection::NotServed(error, format!("websockets at {path}")));
        }
        if self.methods().contains(&method) {
            return None;
        }
        let what = format!("{method} {path}");
        let is_unknown = self.methods().is_empty();
        let error = match wire {
            Wire::AnthropicMessages => wire.usual_error(if is_unknown { 404 } else { 405 }),
            Wire::Gemini => wire.usual_error(404),
            _ if is_unknown => HttpError::new(
                404,
                "invalid_request_error",
                format!("Invalid URL ({what})"),
            ),
            _ => {
                let message = format!(
                    "Not allowed to {method} on {path}. (HINT: Perhaps you meant to use a different HTTP method?)"
                );
                HttpError::new(405, "invalid_request_error", message)
                    .about(None, Some("method_not_supported"))
            }
        };
        let lists_completions = *self == ApiEndpoint::Message(Wire::OpenAiChat) && method == "GET";
        Some(if is_unknown || lists_completions {
            Rejection::NotServed(error, what)
        } else {
            Rejection::Refused(error)
        })
    }
}

/// The error of a request without the headers that its wire requires.
pub(super) fn header_error(
    wire: Wire,
    headers: &HeaderMap,
    query: &str,
    keyless: bool,
) -> Option<HttpError> {
    let bearer = text(headers, "authorization")
        .and_then(|value| value.strip_prefix("Bearer "))
        .is_some_and(|key| !key.is_empty());
    let has = |name: &str| text(headers, name).is_some_and(|key| !key.is_empty());
    let (key, azure_key) = (has("x-api-key"), has("api-key"));
    match wire {
        Wire::AnthropicMessages if !keyless && !key && !bearer && !azure_key => Some(
            HttpError::new(401, "authentication_error", "x-api-key header is required"),
        ),
        Wire::AnthropicMessages if !headers.contains_key("anthropic-version") => {
            Some(HttpError::invalid("anthropic-version: header is required"))
        }
        Wire::OpenAiChat | Wire::OpenAiResponses if !keyless && !bearer && !azure_key => {
            let message = "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth \
                           (i.e. Authorization: Bearer YOUR_KEY).";
            Some(HttpError::new(401, "invalid_request_error", message))
        }
        Wire::Gemini => {
            let in_query = parameter(query, "key").is_some_and(|key| !key.is_empty());
            let has_key = keyless || bearer || in_query || has(GOOGLE_KEY);
            (!has_key).then(|| wire.usual_error(403))
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
        Wire::Gemini => {
            let message = format!("Invalid JSON payload received. {error}");
            return HttpError::new(400, "INVALID_ARGUMENT", message);
        }
    };
    HttpError::invalid(message)
}
