//! What a scenario came to. Data only.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The verdict of one scenario, or of one transcript judged by `conform check`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, Default)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Checked, and nothing wrong.
    Pass,
    /// The agent broke a `must`.
    Fail,
    /// The agent broke a `should`, and no `must`.
    Warn,
    /// The session did not come far enough to tell, or went another way than the scenario foresees.
    Inconclusive,
    /// Nothing that the scenario claims to check was met.
    #[default]
    NotExercised,
    /// Left out on purpose, with a reason.
    Skipped,
    /// The harness or the scenario itself is at fault; never the agent.
    Broken,
}
