//! The response headers of the real APIs: request ids and rate limits.

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

/// Names and values.
type NamedValues = Vec<(String, String)>;

pub(super) fn anthropic(status: u16, request_id: &str) -> NamedValues {
    let organization = "00000000-0000-4000-8000-000000000000";
    let mut headers = vec![
        ("request-id".to_owned(), request_id.to_owned()),
        ("anthropic-organization-id".into(), organization.into()),
    ];
    if status >= 400 {
        // As the vendors' SDKs retry.
        let is_retried = matches!(status, 408 | 409 | 429) || status >= 500;
        headers.push(("x-should-retry".into(), is_retried.to_string()));
    }
    for (name, limit) in ANTHROPIC_LIMITS {
        let name = |part: &str| format!("anthropic-ratelimit-{name}-{part}");
        headers.extend([
            (name("limit"), limit.to_string()),
            (name("remaining"), remaining(status, limit)),
            (name("reset"), RESET.to_owned()),
        ]);
    }
    headers
}

pub(super) fn openai(status: u16, request_id: &str) -> NamedValues {
    let fixed = [
        ("x-request-id", request_id),
        ("openai-version", "2020-10-01"),
        ("openai-organization", "scripted"),
        ("openai-processing-ms", "1"),
    ];
    let fixed = fixed.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let limits = OPENAI_LIMITS.into_iter().flat_map(|(name, limit)| {
        let name = |part: &str| format!("x-ratelimit-{part}-{name}");
        [
            (name("limit"), limit.to_string()),
            (name("remaining"), remaining(status, limit)),
            (name("reset"), "1s".to_owned()),
        ]
    });
    fixed.into_iter().chain(limits).collect()
}

fn remaining(status: u16, limit: u64) -> String {
    let left = if status == 429 { 0 } else { limit - 1 };
    left.to_string()
}
