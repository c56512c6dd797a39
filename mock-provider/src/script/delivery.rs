//! Delivery: how the bytes of an answer are divided into writes.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use spanned_yaml::TimeSpan;

/// How the bytes of a stream are divided into writes. By default each event is a write of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    default,
    expecting = "one of `{ every: BYTES }`, `{ at: [OFFSETS] }` and `{ whole: true }`, with `pause` and `crlf`"
)]
pub struct Delivery {
    /// The number of bytes in each write, across the bounds of events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<NonZeroUsize>,
    /// One write up to each of these offsets into the stream, ascending, and one for the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Vec<usize>>,
    /// Everything between two waits is one write.
    pub whole: bool,
    /// A pause after each write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause: Option<TimeSpan>,
    /// Lines end in CR LF instead of LF.
    pub crlf: bool,
}

impl Delivery {
    /// Whether this is the delivery of a reply without `delivery`.
    pub(crate) fn is_usual(&self) -> bool {
        *self == Delivery::default()
    }

    /// Whether each event is a write of its own.
    pub(crate) fn is_by_events(&self) -> bool {
        !self.whole && self.every.is_none() && self.at.is_none()
    }

    /// The longest next write after this many bytes of the stream.
    pub(crate) fn next_write(&self, offset: usize) -> usize {
        let next = |offsets: &Vec<usize>| offsets.iter().find(|at| **at > offset).copied();
        let every = self.every.map(NonZeroUsize::get);
        let until_next = || Some(self.at.as_ref().and_then(next)? - offset);
        every.or_else(until_next).unwrap_or(usize::MAX)
    }
}
