//! Whether a request is what a script demands.

use serde_json::Value;

use crate::conversation::{Conversation, Outcome};
use crate::matcher;
use crate::request::Request;
use crate::script::{Expect, Texts, ToolResult};

/// One way in which a request is not what was demanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// JSON Pointer into the demand, such as `/tool_result/0/contains/0`.
    pub pointer: String,
    /// What was demanded.
    pub expected: String,
    /// What the request holds instead.
    pub actual: String,
}

/// The longest text that is shown of a request.
const SHOWN: usize = 300;

/// Every way in which the request is not what is demanded; empty if it is.
#[must_use]
pub fn mismatches(expect: &Expect, request: &Request) -> Vec<Mismatch> {
    let conversation = Conversation::of(request);
    let mut found = Vec::new();
    let everything = conversation.texts().collect::<Vec<_>>();
    contains(
        &mut found,
        "/contains",
        &expect.contains,
        &everything,
        "the conversation",
    );
    lacks(
        &mut found,
        "/not_contains",
        &expect.not_contains,
        &everything,
        "the conversation",
    );
    let news = conversation.news().collect::<Vec<_>>();
    contains(
        &mut found,
        "/last_contains",
        &expect.last_contains,
        &news,
        "what is new",
    );
    for (i, result) in expect.tool_result.0.iter().enumerate() {
        found.extend(tool_result(
            &format!("/tool_result/{i}"),
            result,
            &conversation,
        ));
    }
    if let Some(body) = &expect.body {
        for difference in matcher::differences(body, &request.body) {
            let place = if difference.pointer.is_empty() {
                "the body"
            } else {
                &difference.pointer
            };
            let (expected, actual) = (
                format!("{place} {}", difference.expected),
                difference.actual,
            );
            found.push(Mismatch {
                pointer: format!("/body{}", difference.rule),
                expected,
                actual,
            });
        }
    }
    found
}

fn contains(found: &mut Vec<Mismatch>, pointer: &str, wanted: &Texts, texts: &[&str], place: &str) {
    for (i, want) in wanted
        .0
        .iter()
        .enumerate()
        .filter(|(_, want)| !texts.iter().any(|text| text.contains(want.as_str())))
    {
        found.push(Mismatch {
            pointer: format!("{pointer}/{i}"),
            expected: format!("{want:?} in {place}"),
            actual: shown(texts),
        });
    }
}

fn lacks(found: &mut Vec<Mismatch>, pointer: &str, unwanted: &Texts, texts: &[&str], place: &str) {
    for (i, unwanted) in unwanted.0.iter().enumerate() {
        if let Some(text) = texts.iter().find(|text| text.contains(unwanted.as_str())) {
            found.push(Mismatch {
                pointer: format!("{pointer}/{i}"),
                expected: format!("no {unwanted:?} in {place}"),
                actual: shown(&[text]),
            });
        }
    }
}

/// The mismatches of the result that comes nearest.
fn tool_result(pointer: &str, wanted: &ToolResult, conversation: &Conversation) -> Vec<Mismatch> {
    let asked = |outcome: &&Outcome| wanted.call.as_ref().is_none_or(|call| call == outcome.call);
    let tried = conversation
        .results()
        .filter(asked)
        .map(|outcome| compare(pointer, wanted, outcome));
    tried.min_by_key(Vec::len).unwrap_or_else(|| {
        let calls = conversation
            .results()
            .map(|outcome| outcome.call)
            .collect::<Vec<_>>();
        let expected = wanted
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
        vec![Mismatch {
            pointer: pointer.to_owned(),
            expected,
            actual,
        }]
    })
}

fn compare(pointer: &str, wanted: &ToolResult, outcome: &Outcome) -> Vec<Mismatch> {
    let mut found = Vec::new();
    if let (Some(wanted), Some(is_error)) = (wanted.is_error, outcome.is_error)
        && wanted != is_error
    {
        let says =
            |is_error: bool| format!("is_error {is_error} in the result for {:?}", outcome.call);
        found.push(Mismatch {
            pointer: format!("{pointer}/is_error"),
            expected: says(wanted),
            actual: says(is_error),
        });
    }
    let place = format!("the result for {:?}", outcome.call);
    contains(
        &mut found,
        &format!("{pointer}/contains"),
        &wanted.contains,
        &outcome.texts,
        &place,
    );
    lacks(
        &mut found,
        &format!("{pointer}/not_contains"),
        &wanted.not_contains,
        &outcome.texts,
        &place,
    );
    found
}

/// Texts as they are shown in a failure: the end, where the news is, if they are long.
fn shown(texts: &[&str]) -> String {
    let whole = Value::from(texts.to_vec()).to_string();
    let length = whole.chars().count();
    if length <= SHOWN {
        whole
    } else {
        whole
            .chars()
            .skip(length - SHOWN)
            .fold("…".to_owned(), |mut text, c| {
                text.push(c);
                text
            })
    }
}
