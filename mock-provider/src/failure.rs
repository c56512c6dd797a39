//! What was wrong between the script and the requests.

use std::fmt;

use crate::answer::HttpError;

/// One failure: a request that does not go with the script, that the real API would refuse, or a reply nobody asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptFailure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// The number of the request; none for a reply that nobody asked for.
    pub request: Option<u64>,
    /// An earlier request that is concerned too: the one that is repeated, or the one that took the reply.
    pub earlier: Option<u64>,
    /// JSON Pointer into the script to what is concerned, such as `/2/expect_request/contains`; empty for the whole script.
    pub pointer: String,
    /// What happened, in one sentence.
    pub message: String,
    /// What was wanted, where there is something to compare.
    pub expected: Option<String>,
    /// What came instead.
    pub actual: Option<String>,
}

/// What kind of [`ScriptFailure`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// A request came when every reply had been served. It got a harmless answer.
    Exhausted,
    /// A request fits none of the replies that are left, or an earlier one has taken its reply. It got a harmless answer if no reply was left for it.
    Unmatched,
    /// A request brings nothing beyond an earlier one that was answered, and then the replies did not suffice.
    Repeated,
    /// A request that got a reply of the script stands beside the conversation, as one for a title does: the reply may have been for
    /// another one. That is no failure by itself, but whatever is found from there on is doubtful.
    SideRequest,
    /// A request is not what the reply's `expect_request` demands. It was served all the same.
    Expectation,
    /// The real API would refuse the request; so did this one. No reply was consumed.
    Refused,
    /// A reply was never asked for.
    Unused,
}

impl ScriptFailure {
    /// A request that the real API would refuse with this error.
    pub(crate) fn refused(request: u64, error: &HttpError) -> Self {
        ScriptFailure {
            kind: FailureKind::Refused,
            request: Some(request),
            earlier: None,
            pointer: String::new(),
            message: format!(
                "request {request} is refused as by the real API: {} {}: {}",
                error.status, error.kind, error.message
            ),
            expected: None,
            actual: None,
        }
    }
}

impl FailureKind {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            FailureKind::Exhausted => "ran dry",
            FailureKind::Unmatched => "unmatched",
            FailureKind::Repeated => "repeated",
            FailureKind::SideRequest => "beside",
            FailureKind::Expectation => "expectation",
            FailureKind::Refused => "refused",
            FailureKind::Unused => "unused",
        }
    }
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
