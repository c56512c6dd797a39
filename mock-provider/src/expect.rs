//! Request expectations: compares a request with the `expect_request` or `when` of a script.

use json_matcher::{Captures, Matcher};
use serde_json::Value;

use crate::conversation::{ConversationView, ToolOutcome, strings};
use crate::request::{AskedModel, Request};
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
    /// The texts that a request must contain.
    fn required_texts(&self) -> impl Iterator<Item = &String> {
        self.last_contains.0.iter().chain(&self.contains.0)
    }

    /// Whether it requires a text.
    pub(crate) fn names_text(&self) -> bool {
        self.required_texts().next().is_some()
    }

    /// Whether these texts have every part that it requires, and it requires nothing else.
    pub(crate) fn was_met_by(&self, texts: &[&str]) -> bool {
        let is_about_texts =
            self.names_text() && self.tool_result.is_empty() && self.body.is_none();
        let has = |part: &String| texts.iter().any(|text| text.contains(part.as_str()));
        is_about_texts && self.required_texts().all(has)
    }

    /// Whether it requires a part of this text.
    pub(crate) fn is_about(&self, text: &str) -> bool {
        self.required_texts()
            .any(|part| text.contains(part.as_str()))
    }

    /// Every difference between the request and this expectation; empty if the request matches.
    #[must_use]
    pub fn mismatches(&self, request: &Request) -> Vec<RequestMismatch> {
        let (sent, whole) = (request, request);
        self.differences(AskedModel { sent, whole }, false)
    }

    /// The same as a condition: a tool result is one of the new messages, so that its reply is for the request that brings it.
    pub(crate) fn unmet_conditions(&self, request: AskedModel) -> Vec<RequestMismatch> {
        self.differences(request, true)
    }

    /// Every difference from a request, or from its new messages as far as tool results are concerned.
    pub(crate) fn differences(
        &self,
        AskedModel { sent, whole }: AskedModel,
        only_new_results: bool,
    ) -> Vec<RequestMismatch> {
        let conversation = ConversationView::new(whole);
        let results = if only_new_results {
            conversation.new_results()
        } else {
            conversation.results()
        };
        let all = conversation.texts().collect::<Vec<_>>();
        let new = conversation.new_texts().collect::<Vec<_>>();
        let whole = "the conversation";
        let mut found = compare_texts("/contains", (Wanted::Yes, &self.contains), &all, whole);
        let unwanted = (Wanted::No, &self.not_contains);
        found.extend(compare_texts("/not_contains", unwanted, &all, whole));
        let last = (Wanted::Yes, &self.last_contains);
        found.extend(compare_texts(
            "/last_contains",
            last,
            &new,
            "the new messages",
        ));
        for (i, result) in self.tool_result.iter().enumerate() {
            let pointer = format!("/tool_result/{i}");
            found.extend(tool_result(&pointer, result, &results));
        }
        if let Some(matcher) = &self.body {
            found.extend(body(matcher, &sent.body));
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

/// Whether texts are expected or must not be there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Yes,
    No,
}

/// A mismatch for each required part that no text contains, and for each forbidden part that a text contains. `source` names the texts in
/// messages.
fn compare_texts(
    pointer: &str,
    (wanted, parts): (Wanted, &Texts),
    texts: &[&str],
    source: &str,
) -> Vec<RequestMismatch> {
    let mismatch = |(i, part): (usize, &String)| {
        let with = texts.iter().find(|text| text.contains(part.as_str()));
        let (expected, actual) = match (wanted, with) {
            (Wanted::Yes, None) => (format!("{part:?} in {source}"), shown(texts)),
            (Wanted::No, Some(text)) => (format!("no {part:?} in {source}"), shown(&[text])),
            _ => return None,
        };
        Some(RequestMismatch {
            pointer: format!("{pointer}/{i}"),
            expected,
            actual,
        })
    };
    parts.0.iter().enumerate().filter_map(mismatch).collect()
}

/// The mismatches of the tool result with the fewest.
fn tool_result(
    pointer: &str,
    expected: &ExpectedToolResult,
    results: &[&ToolOutcome],
) -> Vec<RequestMismatch> {
    let is_for_call = |outcome: &&ToolOutcome| {
        expected
            .call
            .as_ref()
            .is_none_or(|call| call == outcome.call)
    };
    let tried = results
        .iter()
        .copied()
        .filter(is_for_call)
        .map(|outcome| compare(pointer, expected, outcome));
    tried.min_by_key(Vec::len).unwrap_or_else(|| {
        let calls = results
            .iter()
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

/// The differences from a tool result. A text of it may be an object or a list, written as JSON: its strings count too.
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
    let parsed = outcome.texts.iter().map(|text| serde_json::from_str(text));
    let parsed: Vec<Value> = parsed.filter_map(Result::ok).collect();
    let mut texts = outcome.texts.clone();
    texts.extend(parsed.iter().flat_map(strings));
    for (key, parts) in [
        ("contains", (Wanted::Yes, &expected.contains)),
        ("not_contains", (Wanted::No, &expected.not_contains)),
    ] {
        let pointer = format!("{pointer}/{key}");
        found.extend(compare_texts(&pointer, parts, &texts, &source));
    }
    found
}

/// Texts as JSON in a failure. Of long texts the end is shown, which has the newest message.
fn shown(texts: &[&str]) -> String {
    let whole = Value::from(texts.to_vec()).to_string();
    match whole.char_indices().nth_back(MAX_SHOWN) {
        Some((last_hidden, hidden)) => format!("…{}", &whole[last_hidden + hidden.len_utf8()..]),
        None => whole,
    }
}
