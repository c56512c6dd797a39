//! Request expectations: compares a request with the `expect_request` or `when` of a script.

use json_matcher::{Captures, Matcher};
use serde_json::Value;

use crate::conversation::{ConversationView, ToolOutcome};
use crate::request::Request;
use crate::script::{Expect, ExpectedToolResult, Texts};

/// One difference between a request and an [`Expect`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestMismatch {
    /// JSON Pointer into the `Expect`, such as `/tool_result/0/contains/0`.
    pub pointer: String,
    /// The expected content.
    pub expected: String,
    /// The actual content.
    pub actual: String,
}

/// Longest text of a request that is shown, in characters.
const MAX_SHOWN: usize = 300;

impl Expect {
    /// Every difference between the request and this expectation; empty if the request matches.
    #[must_use]
    pub fn mismatches(&self, request: &Request) -> Vec<RequestMismatch> {
        let conversation = ConversationView::of(request);
        let mut found = Vec::new();
        let (all, whole) = (conversation.texts().collect::<Vec<_>>(), "the conversation");
        contains(&mut found, "/contains", &self.contains, &all, whole);
        lacks(&mut found, "/not_contains", &self.not_contains, &all, whole);
        let new = conversation.new_texts().collect::<Vec<_>>();
        let newest = "the new messages";
        let expected = &self.last_contains;
        contains(&mut found, "/last_contains", expected, &new, newest);
        for (i, result) in self.tool_result.iter().enumerate() {
            let pointer = format!("/tool_result/{i}");
            found.extend(tool_result(&pointer, result, &conversation));
        }
        if let Some(matcher) = &self.body {
            found.extend(body(matcher, &request.body));
        }
        found
    }
}

/// The differences between a body and a matcher whose placeholders are filled.
fn body(matcher: &Value, body: &Value) -> Vec<RequestMismatch> {
    let matcher = match Matcher::compile_filled(matcher) {
        Ok(matcher) => matcher,
        Err(errors) => {
            let mistakes = errors.into_iter().map(|error| RequestMismatch {
                pointer: format!("/body{}", error.pointer),
                expected: error.message,
                actual: "nothing to compare".to_owned(),
            });
            return mistakes.collect();
        }
    };
    let differences = matcher.differences(body, &Captures::default());
    let mismatches = differences.into_iter().map(|found| RequestMismatch {
        pointer: format!("/body{}", found.matcher_pointer),
        expected: match found.pointer.as_str() {
            "" => format!("{} as the body", found.expected),
            pointer => format!("{} at {pointer} of the body", found.expected),
        },
        actual: found.actual,
    });
    mismatches.collect()
}

/// Adds a mismatch for each expected text that none of the texts contains. `source` names the texts in messages.
fn contains(
    found: &mut Vec<RequestMismatch>,
    pointer: &str,
    expected: &Texts,
    texts: &[&str],
    source: &str,
) {
    let is_missing = |part: &String| !texts.iter().any(|text| text.contains(part.as_str()));
    let missing = expected.0.iter().enumerate();
    for (i, part) in missing.filter(|(_, part)| is_missing(part)) {
        found.push(RequestMismatch {
            pointer: format!("{pointer}/{i}"),
            expected: format!("{part:?} in {source}"),
            actual: shown(texts),
        });
    }
}

/// Adds a mismatch for each unexpected text that one of the texts contains.
fn lacks(
    found: &mut Vec<RequestMismatch>,
    pointer: &str,
    unexpected: &Texts,
    texts: &[&str],
    source: &str,
) {
    for (i, part) in unexpected.0.iter().enumerate() {
        if let Some(text) = texts.iter().find(|text| text.contains(part.as_str())) {
            found.push(RequestMismatch {
                pointer: format!("{pointer}/{i}"),
                expected: format!("no {part:?} in {source}"),
                actual: shown(&[text]),
            });
        }
    }
}

/// The mismatches of the tool result with the fewest.
fn tool_result(
    pointer: &str,
    expected: &ExpectedToolResult,
    conversation: &ConversationView,
) -> Vec<RequestMismatch> {
    let is_for_call = |outcome: &&ToolOutcome| {
        expected
            .call
            .as_ref()
            .is_none_or(|call| call == outcome.call)
    };
    let tried = conversation
        .results()
        .filter(is_for_call)
        .map(|outcome| compare(pointer, expected, outcome));
    tried.min_by_key(Vec::len).unwrap_or_else(|| {
        let calls = conversation
            .results()
            .map(|outcome| outcome.call)
            .collect::<Vec<_>>();
        let expected = expected
            .call
            .as_ref()
            .map_or("a tool result".to_owned(), |call| {
                format!("a tool result for call {call:?}")
            });
        let actual = if calls.is_empty() {
            "no tool results".to_owned()
        } else {
            format!("results for {}", calls.join(", "))
        };
        vec![RequestMismatch {
            pointer: pointer.to_owned(),
            expected,
            actual,
        }]
    })
}

fn compare(
    pointer: &str,
    expected: &ExpectedToolResult,
    outcome: &ToolOutcome,
) -> Vec<RequestMismatch> {
    let mut found = Vec::new();
    if let (Some(is_expected), Some(is_error)) = (expected.is_error, outcome.is_error)
        && is_expected != is_error
    {
        let says =
            |is_error: bool| format!("is_error {is_error} in the result for {:?}", outcome.call);
        found.push(RequestMismatch {
            pointer: format!("{pointer}/is_error"),
            expected: says(is_expected),
            actual: says(is_error),
        });
    }
    let source = format!("the result for {:?}", outcome.call);
    contains(
        &mut found,
        &format!("{pointer}/contains"),
        &expected.contains,
        &outcome.texts,
        &source,
    );
    lacks(
        &mut found,
        &format!("{pointer}/not_contains"),
        &expected.not_contains,
        &outcome.texts,
        &source,
    );
    found
}

/// Texts as JSON in a failure. Of long texts the end is shown, which has the newest message.
fn shown(texts: &[&str]) -> String {
    let whole = Value::from(texts.to_vec()).to_string();
    let length = whole.chars().count();
    if length <= MAX_SHOWN {
        whole
    } else {
        whole
            .chars()
            .skip(length - MAX_SHOWN)
            .fold("…".to_owned(), |mut text, c| {
                text.push(c);
                text
            })
    }
}
