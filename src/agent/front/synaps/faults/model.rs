//! What the model is told.

use crate::agent::faults::{Bug, Fault, bug};

pub(super) const FAULTS: &[Fault] = &[bug(
    "loses-input",
    "the model is not told what the user said",
    Bug::LosesInput,
)
.caught_by(&["scenario:prompt/text-turn"])];
