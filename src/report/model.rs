//! The report: the one document from which every other format is rendered. Data only; reporters never compute a verdict.

use crate::finding::{Blame, Finding, Level};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What one invocation of `conform run` or `conform check` found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The program that wrote it.
    pub tool: Tool,
    /// The command that produced it.
    #[serde(default)]
    pub command: Command,
    /// The dialects judged against, `NAME@VERSION`.
    pub dialect: Vec<String>,
    /// The agent's command line; empty for `check`.
    #[serde(default)]
    pub agent: Vec<String>,
    /// Whose findings decide the verdicts.
    #[serde(default)]
    pub side: Blame,
    /// The seed of everything random.
    #[serde(default)]
    pub seed: u64,
    /// Wall-clock milliseconds of the whole run.
    #[serde(default)]
    pub duration_ms: u64,
    /// Counts by verdict.
    pub summary: Summary,
    /// One entry a scenario (`run`) or a transcript (`check`), in the order of their ids.
    pub scenarios: Vec<ScenarioReport>,
    /// Entries of the baseline that have to go, each with its place and why. One is enough to fail the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<String>,
    /// What was exercised.
    pub coverage: Coverage,
    /// The clauses that findings cite, by id, so that a report can be read without the dialect.
    #[serde(default)]
    pub clauses: IndexMap<String, CitedClause>,
}

/// The command that produced a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Default)]
#[serde(rename_all = "lowercase")]
pub enum Command {
    /// `conform run`: the entries are scenarios.
    #[default]
    Run,
    /// `conform check`: the entries are transcripts.
    Check,
}

/// A clause that a finding cites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CitedClause {
    /// The section of the protocol's page.
    pub section: String,
    /// How strongly the page asks.
    pub strength: Level,
    /// What it asks.
    pub text: String,
}

/// The program that wrote a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Always `conform`.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl Default for Tool {
    /// This program.
    fn default() -> Self {
        Tool {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// Counts of scenarios by what became of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Passed.
    pub passed: u32,
    /// Failed.
    pub failed: u32,
    /// Warned.
    pub warned: u32,
    /// Skipped.
    pub skipped: u32,
    /// Inconclusive.
    pub inconclusive: u32,
    /// Not exercised.
    pub not_exercised: u32,
    /// Broken: the harness's or the scenario's own fault.
    #[serde(default)]
    pub broken: u32,
    /// Findings covered by a baseline entry of kind `known`. They count beside the verdicts.
    pub known: u32,
    /// Scenarios that did not fail and are flaky, see [`ScenarioReport::flaky`]. They are not among those that passed or warned.
    pub flaky: u32,
}

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

/// What one scenario, or one transcript, came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioReport {
    /// `DIALECT/path` of the scenario, or the transcript's file name.
    pub id: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it was skipped, is inconclusive or broken.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// It fails now and then: it failed and passed when it was played again, or all that failed it is what a baseline calls flaky.
    /// No failure, and no pass either.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flaky: bool,
    /// The tries before this one, each of which failed (`--retries`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tries: Vec<Try>,
    /// Wall-clock milliseconds.
    pub duration_ms: u64,
    /// Frames judged.
    #[serde(default)]
    pub frames: u64,
    /// The findings, in the order of the frames.
    pub findings: Vec<Finding>,
    /// Findings beyond the number kept for one rule, counted and not listed.
    #[serde(default)]
    pub findings_dropped: u64,
    /// Where the transcript was written; empty if it was not kept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub transcript: String,
    /// The last lines of stderr, for a scenario that did not pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<String>,
}

/// A try at a scenario that failed, and that another one followed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Try {
    /// What it came to.
    pub verdict: Verdict,
    /// Why it is inconclusive.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Wall-clock milliseconds.
    pub duration_ms: u64,
    /// The findings, in the order of the frames.
    pub findings: Vec<Finding>,
    /// Where the transcript was written; empty if it was not kept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub transcript: String,
    /// The last lines of stderr.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<String>,
}

impl ScenarioReport {
    /// The findings of every try, the last one's first.
    pub fn all_findings(&self) -> impl Iterator<Item = &Finding> {
        let earlier = self.tries.iter().flat_map(|one| &one.findings);
        self.findings.iter().chain(earlier)
    }

    /// The same, to be changed.
    pub fn all_findings_mut(&mut self) -> impl Iterator<Item = &mut Finding> {
        let earlier = self.tries.iter_mut().flat_map(|one| &mut one.findings);
        self.findings.iter_mut().chain(earlier)
    }
}

/// What a run exercised.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    /// Testable clauses met by a rule or a scenario that came to a judgement.
    pub clauses_exercised: Vec<String>,
    /// Testable clauses that nothing met.
    pub clauses_not_exercised: Vec<String>,
    /// How often each rule met its subject; 0 is "not exercised", and no pass.
    pub rules: IndexMap<String, u64>,
    /// Which reading of an ambiguous clause the agent followed: probe id, then reading, then how often.
    #[serde(default)]
    pub readings: IndexMap<String, IndexMap<String, u64>>,
}
