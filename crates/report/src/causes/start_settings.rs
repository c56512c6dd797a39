//! An agent that reads none of its start flags fails each scenario about one in a different way: this is one cause. Pure.

use super::siblings;
use crate::{Cause, ScenarioReport, Verdict};
use conform_judge::finding::{Blame, DifferenceKind, Level};
use indexmap::{IndexMap, IndexSet};

/// This many causes and settings show that the agent reads none of them. Fewer are defects of single flags.
const SEVERAL: usize = 3;
/// The most settings that are named.
const NAMES: usize = 8;

/// Joins the causes that only scenarios with start flags or environment variables of their own have, unless a scenario shows that the agent
/// reads one of them.
pub(super) fn join(causes: Vec<Cause>, scenarios: &[&ScenarioReport]) -> Vec<Cause> {
    let settings: IndexMap<&str, &[String]> = scenarios
        .iter()
        .map(|one| (one.id.as_str(), one.start_settings.as_slice()))
        .collect();
    let of = |id: &String| settings.get(id.as_str()).copied().unwrap_or_default();
    let is_about_settings = |cause: &Cause| {
        cause.baseline.is_none()
            && cause.blame == Blame::Agent
            && cause.level > Level::May
            && goes_on(cause)
            && cause.scenarios.iter().all(|id| !of(id).is_empty())
    };
    let (mut about, others): (Vec<Cause>, Vec<Cause>) =
        causes.into_iter().partition(is_about_settings);
    let unread: IndexSet<&str> = about
        .iter()
        .flat_map(|cause| &cause.scenarios)
        .flat_map(of)
        .map(String::as_str)
        .collect();
    let shows_that_one_is_read = |one: &&ScenarioReport| {
        one.start_settings.len() == 1 && matches!(one.verdict, Verdict::Pass | Verdict::Warn)
    };
    let is_none_read = !scenarios.iter().any(shows_that_one_is_read);
    let mut all = others;
    if is_none_read && about.len() >= SEVERAL && unread.len() >= SEVERAL {
        let cause = siblings::merged(about);
        all.extend(cause.map(|cause| Cause {
            message: message(&unread),
            ..cause
        }));
    } else {
        all.append(&mut about);
    }
    all
}

/// Whether the agent continues as if the setting were not there, and neither ends nor stays silent.
fn goes_on(cause: &Cause) -> bool {
    let mut frames = cause.example.frames.iter();
    let ends = frames.any(|frame| frame.here && frame.dir == "end");
    let mut frames = cause.example.frames.iter();
    let writes = frames.any(|frame| frame.dir == "from_agent");
    cause.difference.kind != DifferenceKind::Ended && !ends && writes
}

fn message(unread: &IndexSet<&str>) -> String {
    let named: Vec<_> = unread
        .iter()
        .take(NAMES)
        .map(|name| format!("`{name}`"))
        .collect();
    let more = match unread.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "the agent does not react to any of the start flags and variables that scenarios set: {}{more}",
        named.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use conform_judge::finding::{Difference, Evidence};

    fn scenario(id: &str, verdict: Verdict, settings: &[&str]) -> ScenarioReport {
        ScenarioReport {
            id: id.into(),
            verdict,
            start_settings: settings.iter().map(|one| (*one).to_owned()).collect(),
            ..ScenarioReport::default()
        }
    }

    fn suite() -> Vec<ScenarioReport> {
        vec![
            scenario("d/id", Verdict::Fail, &["--id"]),
            scenario("d/resume", Verdict::Fail, &["--resume"]),
            scenario("d/key", Verdict::Fail, &["API_KEY"]),
            scenario("d/every", Verdict::Pass, &["--id", "--resume"]),
            scenario("d/plain", Verdict::Fail, &[]),
        ]
    }

    fn cause(scenarios: &[&str]) -> Cause {
        let mut cause = Cause {
            id: format!("of-{}", scenarios.join("-")),
            scenarios: scenarios.iter().map(|one| (*one).to_owned()).collect(),
            message: "`ready` is wrong".into(),
            ..Cause::default()
        };
        cause.example.frames.push(Evidence {
            frame: 1,
            micros: 0,
            dir: "from_agent".into(),
            text: "{}".into(),
            here: true,
        });
        cause
    }

    fn all() -> Vec<Cause> {
        vec![
            cause(&["d/plain"]),
            cause(&["d/id"]),
            cause(&["d/key"]),
            cause(&["d/id", "d/resume"]),
        ]
    }

    fn joined(causes: Vec<Cause>, suite: &[ScenarioReport]) -> Vec<Cause> {
        join(causes, &suite.iter().collect::<Vec<_>>())
    }

    #[test]
    fn an_agent_that_reads_no_flag_has_one_cause() {
        let causes = joined(all(), &suite());
        assert_eq!(causes.len(), 2);
        assert_eq!(causes[0], cause(&["d/plain"]));
        let flags = &causes[1];
        assert_eq!(flags.scenarios, ["d/id", "d/key", "d/resume"]);
        assert_eq!(flags.joined.len(), 2);
        assert_eq!(
            flags.message,
            "the agent does not react to any of the start flags and variables that scenarios set: `--id`, `API_KEY`, `--resume`"
        );
    }

    #[test]
    fn a_flag_that_is_read_keeps_the_causes_apart() {
        let mut suite = suite();
        suite.push(scenario("d/model", Verdict::Pass, &["--model"]));
        assert_eq!(joined(all(), &suite).len(), 4);
    }

    #[test]
    fn a_cause_of_other_scenarios_or_of_an_agent_that_ends_is_not_about_flags() {
        let mut causes = all();
        causes[1].scenarios.push("d/plain".into());
        assert_eq!(joined(causes, &suite()).len(), 4);
        let mut causes = all();
        causes[2].difference = Difference::of_kind(DifferenceKind::Ended);
        assert_eq!(joined(causes, &suite()).len(), 4);
    }
}
