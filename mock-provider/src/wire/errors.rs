//! The error that goes with each HTTP status.

/// A status with the type and the message of its error.
pub(super) type Usual = (u16, &'static str, &'static str);

/// As documented by Anthropic.
pub(super) const ANTHROPIC: [Usual; 10] = [
    (400, "invalid_request_error", "Bad Request"),
    (401, "authentication_error", "invalid x-api-key"),
    (
        403,
        "permission_error",
        "Your API key does not have permission to use the specified resource.",
    ),
    (404, "not_found_error", "Not Found"),
    (405, "invalid_request_error", "Method Not Allowed"),
    (413, "request_too_large", "Request exceeds the maximum size"),
    (
        429,
        "rate_limit_error",
        "This request would exceed your account's rate limit. Please try again later.",
    ),
    (500, "api_error", "Internal server error"),
    (504, "timeout_error", "The request timed out"),
    (529, "overloaded_error", "Overloaded"),
];

/// As documented by OpenAI.
pub(super) const OPENAI: [Usual; 7] = [
    (400, "invalid_request_error", "Bad request"),
    (401, "invalid_request_error", "Incorrect API key provided."),
    (
        403,
        "invalid_request_error",
        "You are not allowed to use this resource.",
    ),
    (404, "invalid_request_error", "Not found"),
    (
        429,
        "rate_limit_exceeded",
        "Rate limit reached for requests",
    ),
    (
        500,
        "server_error",
        "The server had an error while processing your request. Sorry about that!",
    ),
    (
        503,
        "server_error",
        "The engine is currently overloaded, please try again later",
    ),
];

/// The type and message for a status; those of 400 or 500 where the table does not know it.
pub(super) fn usual(table: &[Usual], status: u16) -> (&'static str, &'static str) {
    let general = if status >= 500 { 500 } else { 400 };
    let find = |wanted| {
        table
            .iter()
            .find(|(status, ..)| *status == wanted)
            .map(|(_, kind, message)| (*kind, *message))
    };
    find(status)
        .or_else(|| find(general))
        .unwrap_or(("api_error", "error"))
}
