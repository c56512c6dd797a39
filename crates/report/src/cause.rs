//! A cause in the report: one thing to fix. Data only; [`causes`](super::causes) derives it from the findings.

use conform_judge::finding::{
    Baselined, Blame, Difference, Evidence, Expected, Level, Origin, Source, is_default,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One thing to fix: the findings of the same rule, clauses and shape over all scenarios, with those that only follow from them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cause {
    /// Its id. It depends on the rule, the clauses and the shape alone, so it is the same in every run and on every machine. Causes that only
    /// the agent's words on stderr distinguish have `~` and these words after it.
    pub id: String,
    /// The ids of other causes that are joined into this one: members that are missing in the same frames, steps that miss the
    /// same event, start flags that have no effect. Findings and baselines keep them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joined: Vec<String>,
    /// The highest level of its findings and echoes.
    pub level: Level,
    /// The source of the rule.
    pub source: Source,
    /// Who is to blame.
    pub blame: Blame,
    /// The rule's id; `conform explain ID` prints its text.
    pub rule: String,
    /// The clauses of the spec that it violates.
    #[serde(default)]
    pub clauses: Vec<String>,
    /// What is wrong, in one sentence: the message of the example.
    pub message: String,
    /// The kind of difference, without the values.
    #[serde(default)]
    pub difference: Difference,
    /// A JSON Pointer to the wrong place of a frame, with `*` for the position in a list; empty if the whole frame is wrong.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pointer: String,
    /// The ids of the scenarios that have it, sorted.
    pub scenarios: Vec<String>,
    /// The number of findings, echoes not counted.
    pub findings: u64,
    /// The number of findings that only follow from it in the same scenario, such as an expected event that did not come.
    #[serde(default)]
    pub echoes: u64,
    /// The number of findings and echoes that no baseline covers.
    #[serde(default)]
    pub open: u64,
    /// Whether it came only in tries of scenarios that were followed by a try without it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flaky: bool,
    /// The baseline entry that covers it, if all its findings are covered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baselined>,
    /// Its first finding.
    pub example: CauseExample,
    /// What the user can do about it, in a sentence, where the agent may have no fault.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub advice: String,
    /// A command that reproduces the example.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rerun: String,
}

/// The first finding of a cause.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CauseExample {
    /// The id of its scenario.
    pub scenario: String,
    /// The number of the frame that broke the rule, from 1.
    pub at: u64,
    /// The session and the part of it, or of the scenario, that it belongs to.
    #[serde(default, skip_serializing_if = "is_default")]
    pub origin: Origin,
    /// A JSON Pointer into the frame, if one place is wrong.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pointer: String,
    /// What would have been allowed.
    #[serde(default)]
    pub expected: Vec<Expected>,
    /// The frames around the failure, the failing one marked.
    #[serde(default)]
    pub frames: Vec<Evidence>,
    /// The path of the transcript; empty if it was not kept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub transcript: String,
    /// The last lines of stderr, if the agent ended in the scenario.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<String>,
}
