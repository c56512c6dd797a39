//! Verdict rules: how findings become the verdict of a scenario or a transcript, for `run` and `check` alike. Pure.

use super::model::Verdict;
use super::model::{ScenarioReport, VerdictCounts};
use conform_judge::finding::{BaselinedKind, Blame, Finding, Level};

/// The verdict over a checked history. The worst finding of the judged side decides; a history in which nothing was exercised does not
/// pass.
#[must_use]
pub fn of_findings<'a>(
    findings: impl IntoIterator<Item = &'a Finding>,
    side: Blame,
    anything_exercised: bool,
) -> Verdict {
    let own = findings.into_iter().filter(|one| one.blame == side);
    match own.map(|finding| finding.level).max() {
        Some(Level::Must) => Verdict::Fail,
        Some(Level::Should) => Verdict::Warn,
        _ if anything_exercised => Verdict::Pass,
        _ => Verdict::NotExercised,
    }
}

/// The facts about a scenario run that decide its verdict.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScenarioFacts<'a> {
    /// What is wrong with the harness or the scenario itself, if anything.
    pub broken: Option<&'a str>,
    /// Whether the run was interrupted.
    pub interrupted: bool,
    /// Why the machine was too busy for the agent, if it was.
    pub starved: Option<&'a str>,
    /// The findings of rules and steps.
    pub findings: &'a [Finding],
    /// Whether the agent wrote an event of its dialect, if the scenario waits for one.
    pub came_up: bool,
    /// What the agent lacks that the scenario needs.
    pub skipped: Option<&'a str>,
    /// A request to the model that the script does not expect, if there was one.
    pub unforeseen: Option<&'a str>,
    /// Whether anything was checked.
    pub checked: bool,
    /// The clauses that the scenario claims to check and that neither a step nor a rule exercised.
    pub unmet: &'a [String],
}

/// The rule of the notes about requests to the model that a scenario does not expect, which make it inconclusive.
pub const UNFORESEEN: &str = "scenario.unforeseen";

/// Whether a finding counts: it fails its scenario, is a warning, or makes the scenario inconclusive.
#[must_use]
pub fn counts(finding: &Finding) -> bool {
    finding.level > Level::May || finding.rule == UNFORESEEN
}

/// Whether failed steps of scenarios are reported under this rule id.
#[must_use]
pub fn is_of_a_step(rule: &str) -> bool {
    rule.starts_with("scenario.")
}

/// The verdict over a scenario, with a reason if the findings do not explain it. The first row that applies decides.
#[must_use]
pub fn of_scenario(facts: &ScenarioFacts<'_>) -> (Verdict, String) {
    let reached = |level: Level| {
        let theirs = facts.findings.iter().filter(|f| f.blame == Blame::Agent);
        theirs.filter(move |finding| finding.level >= level)
    };
    let by_a_rule = reached(Level::Must).any(|finding| !is_of_a_step(&finding.rule));
    let first_violation = reached(Level::Must).next();
    let first_counted = reached(Level::Should).next();
    let by_the_host = facts.findings.iter().find(|finding| {
        is_of_a_step(&finding.rule) && finding.blame == Blame::Host && finding.level > Level::May
    });
    let plain = |verdict| Some((verdict, String::new()));
    let rows = [
        facts.broken.map(|why| (Verdict::Broken, why.to_owned())),
        (facts.interrupted).then(|| (Verdict::Inconclusive, "interrupted".to_owned())),
        by_a_rule.then_some(()).and_then(|()| plain(Verdict::Fail)),
        first_violation
            .filter(|_| facts.came_up)
            .and_then(|_| plain(Verdict::Fail)),
        facts
            .starved
            .map(|why| (Verdict::Inconclusive, why.to_owned())),
        by_the_host.map(|finding| (Verdict::Inconclusive, finding.message.clone())),
        first_counted.filter(|_| !facts.came_up).map(|finding| {
            let why = format!("the agent never came up: {}", finding.message);
            (Verdict::Inconclusive, why)
        }),
        facts.skipped.map(|why| (Verdict::Skipped, why.to_owned())),
        facts
            .unforeseen
            .map(|why| (Verdict::Inconclusive, why.to_owned())),
        first_counted.and_then(|_| plain(Verdict::Warn)),
        (!(facts.checked && facts.came_up))
            .then(|| (Verdict::NotExercised, "nothing was checked".to_owned())),
        (!facts.unmet.is_empty()).then(|| {
            let why = format!("nothing checked {}", facts.unmet.join(", "));
            (Verdict::NotExercised, why)
        }),
    ];
    rows.into_iter()
        .flatten()
        .next()
        .unwrap_or((Verdict::Pass, String::new()))
}

/// Whether a scenario with this verdict counts as flaky when it failed in an earlier try, or failed only by findings that a baseline
/// calls flaky.
#[must_use]
pub fn is_flaky(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Pass | Verdict::Warn)
}

/// The number of scenarios by verdict, and of findings that a baseline lists as known.
#[must_use]
pub fn summary(scenarios: &[ScenarioReport]) -> VerdictCounts {
    let mut counts = VerdictCounts::default();
    for scenario in scenarios {
        let marks = scenario.all_findings().filter_map(|f| f.baseline.as_ref());
        let known = marks.filter(|mark| mark.kind == BaselinedKind::Known);
        counts.known += u32::try_from(known.count()).unwrap_or(u32::MAX);
        *match scenario.verdict {
            _ if scenario.flaky => &mut counts.flaky,
            Verdict::Pass => &mut counts.passed,
            Verdict::Fail => &mut counts.failed,
            Verdict::Warn => &mut counts.warned,
            Verdict::Inconclusive => &mut counts.inconclusive,
            Verdict::NotExercised => &mut counts.not_exercised,
            Verdict::Skipped => &mut counts.skipped,
            Verdict::Broken => &mut counts.broken,
        } += 1;
    }
    counts
}
