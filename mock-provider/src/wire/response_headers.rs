//! The response headers of the real APIs: request ids and rate limits.

use crate::headers::Headers;

/// The rate limits of Anthropic.
const ANTHROPIC_LIMITS: [(&str, u64); 4] = [
    ("requests", 4000),
    ("tokens", 480_000),
    ("input-tokens", 400_000),
    ("output-tokens", 80_000),
];

/// The rate limits of OpenAI.
const OPENAI_LIMITS: [(&str, u64); 2] = [("requests", 10_000), ("tokens", 2_000_000)];

/// The reset time of Anthropic's rate limits: a fixed time, one minute after the model's epoch.
const RESET: &str = "2026-01-01T00:01:00Z";

pub(super) fn anthropic(status: u16, request_id: &str) -> Headers {
    let mut headers = Headers::new();
    headers.set("request-id", request_id);
    headers.set(
        "anthropic-organization-id",
        "00000000-0000-4000-8000-000000000000",
    );
    if status >= 400 {
        headers.set("x-should-retry", is_retried(status).to_string());
    }
    for (name, limit) in ANTHROPIC_LIMITS {
        headers.set(
            &format!("anthropic-ratelimit-{name}-limit"),
            limit.to_string(),
        );
        headers.set(
            &format!("anthropic-ratelimit-{name}-remaining"),
            remaining(status, limit).to_string(),
        );
        headers.set(&format!("anthropic-ratelimit-{name}-reset"), RESET);
    }
    headers
}

pub(super) fn openai(status: u16, request_id: &str) -> Headers {
    let mut headers = Headers::new();
    headers.set("x-request-id", request_id);
    headers.set("openai-version", "2020-10-01");
    headers.set("openai-organization", "scripted");
    headers.set("openai-processing-ms", "1");
    for (name, limit) in OPENAI_LIMITS {
        headers.set(&format!("x-ratelimit-limit-{name}"), limit.to_string());
        headers.set(
            &format!("x-ratelimit-remaining-{name}"),
            remaining(status, limit).to_string(),
        );
        headers.set(&format!("x-ratelimit-reset-{name}"), "1s");
    }
    headers
}

fn remaining(status: u16, limit: u64) -> u64 {
    if status == 429 { 0 } else { limit - 1 }
}

/// Whether the vendors' SDKs retry a request with this status.
fn is_retried(status: u16) -> bool {
    matches!(status, 408 | 409 | 429) || status >= 500
}
