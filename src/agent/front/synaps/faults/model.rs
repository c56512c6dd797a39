//! What the model is told.

use crate::agent::faults::{Bug, Fault, bug};

pub(super) const FAULTS: &[Fault] = &[
    bug(
        "loses-input",
        "the model is not told what the user said",
        Bug::LosesInput,
    )
    .caught_by(&["scenario:prompt/text-turn"]),
    bug(
        "asks-for-a-title",
        "each turn begins with a request for a title, which is legal",
        Bug::AsksForTitle,
    ),
    bug(
        "asks-for-a-summary",
        "each turn ends with a request for a summary, which is legal",
        Bug::AsksForSummary,
    ),
    bug(
        "asks-twice",
        "the last request of a turn is sent once more after its answer",
        Bug::AsksTwice,
    )
    .caught_by(&["scenario:prompt/text-turn"]),
];
