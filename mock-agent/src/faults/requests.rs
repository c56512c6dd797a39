//! Faults in the requests to the model that any protocol can have.

use super::bug::Bug;
use super::fault::{Fault, bug};

pub(crate) const ASKS_FOR_A_TITLE: Fault = bug(
    "asks-for-a-title",
    "each turn begins with a request for a title, which is legal",
    Bug::RequestsTitle,
);

pub(crate) const ASKS_FOR_A_SUMMARY: Fault = bug(
    "asks-for-a-summary",
    "each turn ends with a request for a summary, which is legal",
    Bug::RequestsSummary,
);

pub(crate) const ASKS_TWICE: Fault = bug(
    "asks-twice",
    "the last request of a turn is sent once more after its answer",
    Bug::RepeatsLastRequest,
);
