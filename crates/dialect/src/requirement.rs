//! What a requirement is: how strong, from which source, and who has to meet it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The level of a requirement.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// A note: allowed, and useful to know.
    May,
    /// A warning.
    Should,
    /// A violation: the scenario fails.
    #[default]
    Must,
}

impl Level {
    /// The name in files and messages.
    pub fn word(self) -> &'static str {
        spanned_yaml::names_of::<Self>()[self as usize]
    }
}

/// The source of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, Default)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The specification demands it.
    #[default]
    Spec,
    /// Hosts in the field rely on it; the specification does not say it.
    Host,
    /// Good behaviour of a child process.
    Hygiene,
}

/// Who has to meet a requirement, and is to blame for what breaks it: the direction of the frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, Default)]
#[serde(rename_all = "lowercase")]
pub enum Blame {
    /// The agent under test.
    #[default]
    Agent,
    /// The host that drives it; in `run`, the scenario. Never fails the agent.
    Host,
}

impl Blame {
    /// The name in files and messages.
    pub fn word(self) -> &'static str {
        spanned_yaml::names_of::<Self>()[self as usize]
    }
}
