//! The usual error of each HTTP status: status, type, message and code.

use crate::answer::HttpError;

/// Status, type, message and code of an error.
pub(super) type UsualError = (u16, &'static str, &'static str, Option<&'static str>);

const INVALID: &str = "invalid_request_error";

/// As documented by Anthropic: <https://docs.claude.com/en/api/errors>.
pub(super) const ANTHROPIC: &[UsualError] = &[
    (400, INVALID, "Bad Request", None),
    (401, "authentication_error", "invalid x-api-key", None),
    (
        403,
        "permission_error",
        "Your API key does not have permission to use the specified resource.",
        None,
    ),
    (404, "not_found_error", "Not Found", None),
    (405, INVALID, "Method Not Allowed", None),
    (
        413,
        "request_too_large",
        "Request exceeds the maximum size",
        None,
    ),
    (
        429,
        "rate_limit_error",
        "This request would exceed your account's rate limit. Please try again later.",
        None,
    ),
    (500, "api_error", "Internal server error", None),
    (504, "timeout_error", "The request timed out", None),
    (529, "overloaded_error", "Overloaded", None),
];

/// As documented by OpenAI: <https://platform.openai.com/docs/guides/error-codes>.
pub(super) const OPENAI: &[UsualError] = &[
    (400, INVALID, "Bad request", None),
    (
        401,
        INVALID,
        "Incorrect API key provided.",
        Some("invalid_api_key"),
    ),
    (
        403,
        INVALID,
        "You are not allowed to use this resource.",
        None,
    ),
    (404, INVALID, "Not found", None),
    (413, INVALID, "Request too large", None),
    (
        429,
        "requests",
        "Rate limit reached for requests",
        Some("rate_limit_exceeded"),
    ),
    (
        500,
        "server_error",
        "The server had an error while processing your request. Sorry about that!",
        None,
    ),
    (
        503,
        "server_error",
        "The engine is currently overloaded, please try again later",
        None,
    ),
];

/// The usual error of a status; that of 400 or 500 if the status is not in the table.
pub(super) fn usual(table: &[UsualError], status: u16) -> HttpError {
    let general = if status >= 500 { 500 } else { 400 };
    let find = |status| table.iter().find(|(known, ..)| *known == status);
    let found = find(status).or_else(|| find(general)).copied();
    let (_, kind, message, code) = found.unwrap_or((status, "api_error", "error", None));
    HttpError::new(status, kind, message).about(None, code)
}
