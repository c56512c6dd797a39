//! Failures: requests that do not match the script, that the real API would refuse, or that are not served, and unused replies.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use crate::answer::HttpError;
use crate::expect::RequestMismatch;

/// One failure: a request that does not match the script or that the real API would refuse, or an unused reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptFailure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// The number of the request; none for an unused reply.
    pub request: Option<u64>,
    /// An earlier request that is part of the failure: the repeated one, or the one that took the reply.
    pub earlier: Option<u64>,
    /// JSON Pointer into the script, such as `/2/expect_request/contains`; empty for the whole script.
    pub pointer: String,
    /// What happened, in one sentence.
    pub message: String,
    /// The expected value, if there is something to compare.
    pub expected: Option<String>,
    /// The actual value.
    pub actual: Option<String>,
    /// The new content of a request without a reply, if it continues the conversation.
    pub brings: Option<News>,
}

/// The content of a request that no earlier request of the conversation had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum News {
    /// Nothing, or the results of tools.
    Results,
    /// A text of the host, or the first text of all.
    Prompt,
}

/// The kind of a [`ScriptFailure`], written as in a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// A request came after every reply was served. It got a fallback answer.
    #[serde(rename = "ran dry")]
    Exhausted,
    /// A request matches none of the remaining replies, or an earlier request took its reply. It got a fallback answer if no reply was
    /// left for it.
    Unmatched,
    /// A request repeats an earlier one that was answered, and later there were too few replies.
    Repeated,
    /// A side request, such as one for a title, got a reply of the script that may be meant for another request; or a request in the agent's
    /// own words took none. This is not a failure by itself, but findings from here on are doubtful.
    #[serde(rename = "beside")]
    SideRequest,
    /// A request does not match the `expect_request` of its reply. It still got the reply.
    Expectation,
    /// The real API would refuse the request, and so did this model. No reply was taken.
    Refused,
    /// The request asks for something that this model does not serve, such as an endpoint, a member of the body, or a websocket. That is
    /// not a failure of the agent: the real API may serve it.
    #[serde(rename = "not served")]
    NotServed,
    /// A reply was not served as often as the script requires.
    Unused,
}

/// Why a request gets an error without an answer of the script.
#[derive(Debug)]
pub(crate) enum Rejection {
    /// The real API refuses it too.
    Refused(HttpError),
    /// This server does not serve it: what it lacks. The real API may.
    NotServed(HttpError, String),
}

impl From<HttpError> for Rejection {
    fn from(error: HttpError) -> Self {
        Rejection::Refused(error)
    }
}

impl Rejection {
    /// The error for the client and the failure of the request.
    pub(crate) fn of_request(self, request: u64) -> (HttpError, ScriptFailure) {
        match self {
            Rejection::Refused(error) => {
                let failure = ScriptFailure::refused(request, &error);
                (error, failure)
            }
            Rejection::NotServed(error, what) => {
                let failure = ScriptFailure::not_served(request, error.status, &what);
                (error, failure)
            }
        }
    }
}

impl ScriptFailure {
    fn of_request(kind: FailureKind, request: u64, message: String) -> Self {
        ScriptFailure {
            request: Some(request),
            ..Self::new(kind, message)
        }
    }

    fn new(kind: FailureKind, message: String) -> Self {
        ScriptFailure {
            kind,
            request: None,
            earlier: None,
            pointer: String::new(),
            message,
            expected: None,
            actual: None,
            brings: None,
        }
    }

    fn with_mismatch(mut self, base: &str, mismatch: RequestMismatch) -> Self {
        self.pointer = format!("{base}{}", mismatch.pointer);
        self.expected = Some(mismatch.expected);
        self.actual = Some(mismatch.actual);
        self
    }

    /// A request that the real API would refuse with this error.
    fn refused(request: u64, error: &HttpError) -> Self {
        let message = format!(
            "request {request} is refused as by the real API: {} {}: {}",
            error.status, error.kind, error.message
        );
        Self::of_request(FailureKind::Refused, request, message)
    }

    /// A request for something that the model does not serve, answered with this status.
    fn not_served(request: u64, status: u16, what: &str) -> Self {
        let message = format!("request {request} gets {status}: conform does not serve {what}");
        Self::of_request(FailureKind::NotServed, request, message)
    }

    /// A member of a body that has no effect, by its place, with the value that it has.
    pub(crate) fn ignored_member(request: u64, member: &str, value: &Value) -> Self {
        let message = format!(
            "`{member}` of request {request} is not served by conform: {value} has no effect"
        );
        Self::of_request(FailureKind::NotServed, request, message)
    }

    /// A request after all replies were served; `replies` is their number.
    pub(crate) fn exhausted(request: u64, replies: usize) -> Self {
        let message = format!(
            "request {request} came when the model's script had no reply left ({replies} in all)"
        );
        Self::of_request(FailureKind::Exhausted, request, message)
    }

    /// A request that matches no remaining reply, with the nearest reply and the first difference.
    pub(crate) fn no_match(request: u64, nearest: usize, mismatch: RequestMismatch) -> Self {
        let message = format!(
            "request {request} fits no reply that is left in the model's script; the nearest is reply {nearest}"
        );
        Self::of_request(FailureKind::Unmatched, request, message)
            .with_mismatch(&format!("/{nearest}/when"), mismatch)
    }

    /// A side request, and no request of the conversation.
    pub(crate) fn no_side_reply(request: u64) -> Self {
        let message = format!(
            "the agent sent a side request outside the conversation, request {request}, and none of the conversation"
        );
        Self::of_request(FailureKind::Unmatched, request, message)
    }

    /// A request that does not match the `expect_request` of its reply.
    pub(crate) fn expectation(request: u64, reply: usize, mismatch: RequestMismatch) -> Self {
        let message = match mismatch.expected.strip_prefix("no ") {
            Some(unexpected) => format!("request {request} to the model has {unexpected}"),
            None => {
                format!(
                    "request {request} to the model does not have {}",
                    mismatch.expected
                )
            }
        };
        Self::of_request(FailureKind::Expectation, request, message)
            .with_mismatch(&format!("/{reply}/expect_request"), mismatch)
    }

    /// A request that repeats an earlier one.
    pub(crate) fn repeated(request: u64, earlier: u64) -> Self {
        let message = format!(
            "request {request} repeats request {earlier}, which was answered, and has nothing new"
        );
        ScriptFailure {
            earlier: Some(earlier),
            ..Self::of_request(FailureKind::Repeated, request, message)
        }
    }

    /// A request with text of the agent's own, which took no reply.
    pub(crate) fn own_words(request: u64) -> Self {
        let message = format!(
            "request {request} ends in a text that neither the host nor a tool gave, such as one that asks for a title or a summary; it took no reply of the script"
        );
        ScriptFailure {
            earlier: Some(request),
            ..Self::of_request(FailureKind::SideRequest, request, message)
        }
    }

    /// A side request that got a reply, revealed by a request.
    pub(crate) fn side_request(request: u64, side_request: u64) -> Self {
        let message = format!(
            "request {side_request} is outside of the conversation, such as one for a title or a summary, and may have taken a reply for another request"
        );
        ScriptFailure {
            earlier: Some(side_request),
            ..Self::of_request(FailureKind::SideRequest, request, message)
        }
    }

    /// A reply that was served less often than the script requires.
    pub(crate) fn unused(reply: usize, times: u64, served: u64) -> Self {
        let often = match served {
            0 => "",
            _ => " as often as expected",
        };
        let message =
            format!("the agent did not ask the model for reply {reply} of its script{often}");
        ScriptFailure {
            pointer: format!("/{reply}"),
            expected: Some(count(times)),
            actual: Some(count(served)),
            ..Self::new(FailureKind::Unused, message)
        }
    }
}

fn count(times: u64) -> String {
    format!("{times} request{}", if times == 1 { "" } else { "s" })
}

impl fmt::Display for ScriptFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(expected) = &self.expected {
            write!(f, "; expected {expected}")?;
        }
        if let Some(actual) = &self.actual {
            write!(f, "; got {actual}")?;
        }
        Ok(())
    }
}
