//! The report document (JSON), from which every other format is rendered. Data only; reporters never compute a verdict.

use super::cause::Cause;
use super::causes;
use conform_judge::check::{CheckOutcome, Coverage};
use conform_judge::finding::{Blame, Evidence, Finding, Level};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The results of one `conform run` or `conform check`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The program that wrote it.
    pub tool: ReportTool,
    /// The command that produced it.
    #[serde(default)]
    pub command: ReportCommand,
    /// The dialects judged against, `NAME@VERSION`.
    pub dialect: Vec<String>,
    /// The folder that `--dialect-dir` named, where the dialects are searched first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect_dir: Option<String>,
    /// The agent's command line; empty for `check`.
    #[serde(default)]
    pub agent: Vec<String>,
    /// The first word of it that is a file below the working directory: the agent's program or script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_file: Option<String>,
    /// Whose findings decide the verdicts.
    #[serde(default)]
    pub side: Blame,
    /// The seed of everything random.
    #[serde(default)]
    pub seed: u64,
    /// Wall-clock milliseconds of the whole run.
    #[serde(default)]
    pub duration_ms: u64,
    /// The network of the agent; none for `check`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkUse>,
    /// Counts by verdict.
    pub summary: VerdictCounts,
    /// What to fix: the findings of all scenarios, grouped by their causes. Those that explain most come first.
    #[serde(default)]
    pub causes: Vec<Cause>,
    /// What was found only in scenarios that are inconclusive, which is no cause to fix.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inconclusive: Vec<Cause>,
    /// The scenarios without a result, grouped by their reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without_result: Vec<ReasonGroup>,
    /// The entries: one for each scenario (`run`) or transcript (`check`), sorted by id.
    pub scenarios: Vec<ScenarioReport>,
    /// The baseline that was applied, if it has entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineUse>,
    /// Baseline entries that must be deleted, each with its location and the reason. One is enough to fail the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<String>,
    /// What the run exercised.
    pub coverage: Coverage,
    /// The clauses of the dialects, by id, so that a report can be read without them.
    #[serde(default)]
    pub clauses: IndexMap<String, CitedClause>,
    /// What the rules of the findings demand, by rule id.
    #[serde(default)]
    pub rules: IndexMap<String, String>,
}

/// The baseline that was applied to a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BaselineUse {
    /// The number of its entries.
    pub entries: u64,
    /// The number of entries for which nobody has written a reason yet.
    pub without_reason: u64,
}

/// The command that produced a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Default)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Command")]
pub enum ReportCommand {
    /// `conform run`: the entries are scenarios.
    #[default]
    Run,
    /// `conform check`: the entries are transcripts.
    Check,
}

/// How the network of the agent was isolated, and the hosts that it tried to reach.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkUse {
    /// `namespace`: cut off by a network namespace; `proxy`: by proxy variables, which most HTTP clients respect; `none`: not cut off.
    pub isolation: String,
    /// The hosts that it tried to reach, each once, some with their port.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<String>,
}

/// A clause of a dialect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CitedClause {
    /// The section of the specification.
    pub section: String,
    /// The requirement level in the specification: must, should or may.
    pub strength: Level,
    /// The requirement.
    pub text: String,
}

/// The program that wrote a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Tool")]
pub struct ReportTool {
    /// Always `conform`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The number of the report's form: [`FORMAT`], or that of another version of the program.
    #[serde(default)]
    pub format: u32,
}

/// The format version of reports. It changes whenever older reports can no longer be read.
pub const FORMAT: u32 = 3;

impl Default for ReportTool {
    /// This program.
    fn default() -> Self {
        ReportTool {
            name: "conform".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            format: FORMAT,
        }
    }
}

/// The number of scenarios by verdict.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Summary")]
pub struct VerdictCounts {
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
    /// Broken: an error of the harness or of the scenario itself.
    #[serde(default)]
    pub broken: u32,
    /// The number of findings, not scenarios, that a baseline entry of kind `known` covers.
    pub known: u32,
    /// Flaky scenarios, see [`ScenarioReport::flaky`]. They are counted neither as passed nor as warned.
    pub flaky: u32,
}

/// The verdict of one scenario, or of one transcript judged by `conform check`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, Default)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It was checked, without findings that count.
    Pass,
    /// The agent violated a `must`.
    Fail,
    /// The agent violated a `should`, and no `must`.
    Warn,
    /// The session ended too early to decide, or took a course that the scenario does not cover.
    Inconclusive,
    /// Nothing that the scenario claims to check happened.
    #[default]
    NotExercised,
    /// It was not run, for the given reason.
    Skipped,
    /// An error of the harness or of the scenario itself, never of the agent.
    Broken,
}

/// The result of one scenario or one transcript.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioReport {
    /// `DIALECT/path` of the scenario, or the transcript's file name.
    pub id: String,
    /// What the scenario shows, in one line; empty for a transcript.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The path of the scenario's file; empty for a transcript, and for a scenario that comes with the program.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The start flags and environment variables that the scenario sets for its agent, in addition to those of the launch recipe.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub start_settings: Vec<String>,
    /// The verdict.
    pub verdict: Verdict,
    /// Why it was skipped, or is inconclusive or broken.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The number of the agent's own requests to the model, by lane.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub lanes: IndexMap<String, u64>,
    /// Whether it is flaky: it failed and then passed when it was run again, or failed only by findings that a baseline calls flaky.
    /// A flaky scenario counts neither as failed nor as passed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flaky: bool,
    /// The failed tries before this one (`--retries`), without excerpts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tries: Vec<ScenarioReport>,
    /// Wall-clock milliseconds.
    pub duration_ms: u64,
    /// The number of frames checked.
    #[serde(default)]
    pub frames: u64,
    /// The findings, in the order of the frames; one that follows from another one comes after it.
    pub findings: Vec<Finding>,
    /// The number of findings that are not listed because their rule had too many.
    #[serde(default)]
    pub findings_dropped: u64,
    /// The first and last frames of the session that has the first finding above a note; empty if there is none, or if a baseline accepts
    /// all and none is the example of a cause.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excerpt: Vec<Evidence>,
    /// The path of the transcript; empty if it was not kept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub transcript: String,
    /// The last lines of stderr, if the scenario did not pass.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<String>,
}

impl ScenarioReport {
    /// Takes over the result of checking its sessions, and gives each finding its cause.
    pub fn take(&mut self, outcome: &mut CheckOutcome) {
        if outcome.has_counted() {
            self.excerpt = outcome.excerpt.finish();
        }
        self.findings = std::mem::take(&mut outcome.findings);
        causes::attribute(&mut self.findings);
        causes::roots_first(&mut self.findings);
        self.findings_dropped = outcome.dropped;
        self.frames = outcome.frames;
    }

    /// Whether it has a verdict about the agent.
    pub fn is_judged(&self) -> bool {
        use Verdict::{Fail, Pass, Warn};
        matches!(self.verdict, Pass | Fail | Warn)
    }

    /// The findings of all tries, those of the last try first.
    pub fn all_findings(&self) -> impl Iterator<Item = &Finding> {
        let earlier = self.tries.iter().flat_map(|one| &one.findings);
        self.findings.iter().chain(earlier)
    }

    /// The findings of all tries, mutable.
    pub fn all_findings_mut(&mut self) -> impl Iterator<Item = &mut Finding> {
        let earlier = self.tries.iter_mut().flat_map(|one| &mut one.findings);
        self.findings.iter_mut().chain(earlier)
    }
}

/// The scenarios that have no result for the same reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReasonGroup {
    /// Their verdict: skipped, inconclusive, not exercised or broken.
    pub verdict: Verdict,
    /// The reason.
    pub reason: String,
    /// Their ids, sorted.
    pub scenarios: Vec<String>,
}
