//! The usual error of each HTTP status: type, message and code.

use crate::answer::HttpError;

/// The usual error of a status.
pub(super) struct UsualError {
    pub(super) status: u16,
    pub(super) kind: &'static str,
    message: &'static str,
    code: Option<&'static str>,
}

const fn usual_of(
    status: u16,
    kind: &'static str,
    message: &'static str,
    code: Option<&'static str>,
) -> UsualError {
    UsualError {
        status,
        kind,
        message,
        code,
    }
}

/// As documented by Anthropic: <https://docs.claude.com/en/api/errors>.
pub(super) const ANTHROPIC: [UsualError; 10] = [
    usual_of(400, "invalid_request_error", "Bad Request", None),
    usual_of(401, "authentication_error", "invalid x-api-key", None),
    usual_of(
        403,
        "permission_error",
        "Your API key does not have permission to use the specified resource.",
        None,
    ),
    usual_of(404, "not_found_error", "Not Found", None),
    usual_of(405, "invalid_request_error", "Method Not Allowed", None),
    usual_of(
        413,
        "request_too_large",
        "Request exceeds the maximum size",
        None,
    ),
    usual_of(
        429,
        "rate_limit_error",
        "This request would exceed your account's rate limit. Please try again later.",
        None,
    ),
    usual_of(500, "api_error", "Internal server error", None),
    usual_of(504, "timeout_error", "The request timed out", None),
    usual_of(529, "overloaded_error", "Overloaded", None),
];

/// As documented by OpenAI: <https://platform.openai.com/docs/guides/error-codes>.
pub(super) const OPENAI: [UsualError; 8] = [
    usual_of(400, "invalid_request_error", "Bad request", None),
    usual_of(
        401,
        "invalid_request_error",
        "Incorrect API key provided.",
        Some("invalid_api_key"),
    ),
    usual_of(
        403,
        "invalid_request_error",
        "You are not allowed to use this resource.",
        None,
    ),
    usual_of(404, "invalid_request_error", "Not found", None),
    usual_of(413, "invalid_request_error", "Request too large", None),
    usual_of(
        429,
        "requests",
        "Rate limit reached for requests",
        Some("rate_limit_exceeded"),
    ),
    usual_of(
        500,
        "server_error",
        "The server had an error while processing your request. Sorry about that!",
        None,
    ),
    usual_of(
        503,
        "server_error",
        "The engine is currently overloaded, please try again later",
        None,
    ),
];

/// The usual error of a status; that of 400 or 500 if the status is not in the table.
pub(super) fn usual(table: &[UsualError], status: u16) -> HttpError {
    let general = if status >= 500 { 500 } else { 400 };
    let find = |status| table.iter().find(|usual| usual.status == status);
    let (kind, message, code) = find(status)
        .or_else(|| find(general))
        .map_or(("api_error", "error", None), |usual| {
            (usual.kind, usual.message, usual.code)
        });
    HttpError::new(status, kind, message).about(None, code)
}
