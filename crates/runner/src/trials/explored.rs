//! Plays faults in explored sessions instead of the suite, to measure what exploration alone finds.

use super::faults::tested;
use super::suite::{REHEARSAL, logged};
use super::{TrialError, TrialSuite, each};
use crate::explore::SessionTables;
use crate::mutation::kill_analysis::{PlayedScenario, TestedFault};
use conform_judge::finding::{Blame, Finding, Level};
use frame_faults::Fault;
use std::collections::{BTreeMap, HashSet};

/// How many sessions of a fault are played before it is checked whether one has found it.
const AT_ONCE: usize = 6;

/// The fate of a fault.
pub struct ExploredFault {
    /// The fault.
    pub fault: TestedFault,
    /// The first finding, and the session that has it.
    pub found: Option<(Finding, String)>,
    /// Whether it took effect in any session that was played.
    pub was_active: bool,
}

/// The sessions of a dialect, and the faults that are played in them.
pub struct SessionTrials {
    suite: TrialSuite,
    /// The full ids of the sessions in which nothing is found without a fault, in their order, with the faults that can take effect in each.
    sound: BTreeMap<String, HashSet<String>>,
    at_once: usize,
    time_scale: f64,
}

impl SessionTrials {
    /// Trials in the first sessions of a seed, with so many faults at once. First the sessions are played without a fault, and the faults
    /// are rehearsed in them. `on_left_out` is shown the finding of a session that is left out.
    ///
    /// # Errors
    /// A session is not a good scenario, or the agent cannot be started.
    pub async fn new(
        mut suite: TrialSuite,
        (tables, seed, sessions): (&SessionTables, u64, usize),
        (at_once, time_scale): (usize, f64),
        on_left_out: impl Fn(&str, &Finding),
    ) -> Result<Self, TrialError> {
        let walked = tables.sessions(seed).take(sessions).zip(1..);
        let scenarios = walked.map(|(session, n)| {
            tables.scenario(&session, &format!("explore/{n:05}"), &suite.dialect)
        });
        suite.scenarios = scenarios
            .collect::<Result<_, _>>()
            .map_err(TrialError::Moves)?;
        let runs = suite.play(Some(REHEARSAL), suite.scenarios.clone(), time_scale);
        let mut sound = BTreeMap::new();
        for run in runs.await? {
            match run.report.findings.iter().find(|one| counts(one)) {
                None => drop(sound.insert(run.report.id.clone(), logged(&run).collect())),
                Some(finding) => on_left_out(&run.report.id, finding),
            }
        }
        Ok(SessionTrials {
            suite,
            sound,
            at_once,
            time_scale,
        })
    }

    /// Plays faults. Shows each result as it comes, and returns all in the order of the faults.
    ///
    /// # Errors
    /// The agent cannot be started.
    pub async fn play(
        &self,
        faults: &[Fault],
        on_result: impl FnMut(&ExploredFault),
    ) -> Result<Vec<ExploredFault>, TrialError> {
        let play = async |fault: &Fault| self.explored(fault).await;
        each(faults, self.at_once, play, on_result).await
    }

    /// Plays a fault in one session after the other, until something is found.
    async fn explored(&self, fault: &Fault) -> Result<ExploredFault, TrialError> {
        let mut explored = ExploredFault {
            fault: tested(fault, &self.suite.dialect),
            found: None,
            was_active: false,
        };
        let sound = self.sound.iter();
        let can_show = sound.filter(|(_, faults)| faults.contains(&fault.id));
        let can_show: Vec<&String> = can_show.map(|(id, _)| id).collect();
        for ids in can_show.chunks(AT_ONCE) {
            let scenarios = self.suite.selected(|id| ids.contains(&id));
            let played = self.suite.attempt(&fault.id, scenarios, self.time_scale);
            let mut played = played.await?;
            played.sort_by(|a, b| a.id.cmp(&b.id));
            for PlayedScenario {
                id,
                findings,
                traces,
            } in played
            {
                explored.was_active |= traces.iter().any(|trace| trace.first_affected().is_some());
                let first = findings.into_iter().find(counts);
                explored.found = explored.found.or(first.map(|finding| (finding, id)));
            }
            if explored.found.is_some() {
                break;
            }
        }
        Ok(explored)
    }
}

/// Whether a finding shows a fault: a warning or a violation of the agent.
fn counts(finding: &Finding) -> bool {
    finding.blame == Blame::Agent && finding.level > Level::May
}
