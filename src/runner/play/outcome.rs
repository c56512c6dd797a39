//! What a scenario came to.

use super::unforeseen::Requests;
use super::{Player, Stop};
use crate::finding::{Blame, Finding};
use crate::report::Exercised;
use crate::report::Verdict;
use crate::report::verdict_rules::{self, ScenarioFacts};
use crate::runner::history::Past;
use crate::runner::scratch::Room;
use crate::scenario::types::StepAction;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A scenario that was played.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) verdict: Verdict,
    pub(crate) reason: String,
    pub(crate) findings: Vec<Finding>,
    /// For each of them the life of the agent, from 0, in which it was found.
    pub(crate) sessions: Vec<usize>,
    pub(crate) findings_dropped: u64,
    pub(crate) frames: u64,
    pub(crate) exercised: Exercised,
    /// Whether the agent wrote any event of its dialect.
    pub(crate) spoke: bool,
    /// Whether the agent came as far as a turn.
    pub(crate) turn: bool,
    pub(crate) stderr: Vec<String>,
    /// The transcripts, one a life of the agent, in the scenario's own folder.
    pub(crate) transcripts: Vec<PathBuf>,
    /// From the first preparation to the last clearing up.
    pub(crate) wall: Duration,
    /// How much of that the agent was alive.
    pub(crate) life: Duration,
    /// Keeps the folder.
    room: Option<Room>,
}

impl Played {
    /// A scenario that could not be played, by the harness's own fault or the scenario's.
    pub(in crate::runner) fn broken(why: String, wall: Duration) -> Self {
        Self::unplayed(Verdict::Broken, why, wall)
    }

    /// A scenario that this agent is not asked to play.
    pub(in crate::runner) fn skipped(why: String) -> Self {
        Self::unplayed(Verdict::Skipped, why, Duration::ZERO)
    }

    fn unplayed(verdict: Verdict, reason: String, wall: Duration) -> Self {
        Played {
            verdict,
            reason,
            findings: Vec::new(),
            sessions: Vec::new(),
            findings_dropped: 0,
            frames: 0,
            exercised: Exercised::default(),
            spoke: false,
            turn: false,
            stderr: Vec::new(),
            transcripts: Vec::new(),
            wall,
            life: Duration::ZERO,
            room: None,
        }
    }

    /// Removes the scenario's folder, its transcripts with it; in the background, since some file systems take their time.
    pub(crate) fn clear(&mut self) {
        let room = self.room.take();
        tokio::task::spawn_blocking(move || drop(room));
    }
}

impl Player {
    /// Sums up, when the last session is over.
    pub(super) async fn outcome(self, stop: Option<Stop>, began: Instant) -> Played {
        let Player {
            stage,
            scenario,
            room,
            server,
            live,
            mut past,
            mut life,
            findings: charges,
            mut requests,
            met,
            ..
        } = self;
        server.shutdown().await;
        life += live.process.life();
        let mut broken = match &stop {
            Some(Stop::Broken(why)) => Some(why.clone()),
            _ => None,
        };
        match live.history.finish() {
            Ok(last) => past.push(last),
            Err(why) => broken = broken.or(Some(why)),
        }
        let by_rules = past.iter().enumerate().flat_map(|(session, one)| {
            let found = one.outcome.findings.iter();
            let found = found.filter(|finding| finding.blame == Blame::Agent);
            found.map(move |finding| (session, finding.at))
        });
        let by_steps = charges
            .iter()
            .map(|(session, finding)| (*session, finding.at));
        requests.settle(by_rules.chain(by_steps));
        let mut charges = requests.standing(charges);
        // What the script or the model still waits for is nothing to the agent once the scenario is called off.
        if matches!(stop, Some(Stop::Skipped(_))) {
            charges.clear();
        }
        let (sessions, findings): (Vec<usize>, Vec<Finding>) =
            findings(&past, charges, &requests).into_iter().unzip();
        let mut exercised = Exercised::default();
        for Past { outcome, .. } in &past {
            for (rule, times) in &outcome.exercised {
                *exercised.rules.entry(rule.clone()).or_default() += times;
            }
            for (probe, readings) in &outcome.readings {
                let all = exercised.readings.entry(probe.clone()).or_default();
                for (reading, times) in readings {
                    *all.entry(reading.clone()).or_default() += times;
                }
            }
        }
        exercised.clauses = met.into_iter().collect();
        let by_rule = |clause: &String| {
            stage.dialect.rules.iter().any(|rule| {
                rule.clauses.contains(clause)
                    && exercised.rules.get(&rule.id).is_some_and(|n| *n > 0)
            })
        };
        let unmet: Vec<String> = scenario
            .clauses
            .iter()
            .filter(|clause| !exercised.clauses.contains(clause) && !by_rule(clause))
            .cloned()
            .collect();
        let waits_for_events = scenario.steps.iter().any(|step| {
            matches!(
                step.action,
                StepAction::Expect(_)
                    | StepAction::ExpectNext(_)
                    | StepAction::Unordered(_)
                    | StepAction::ExpectText(_)
            )
        });
        let sum = |count: fn(&Past) -> u64| past.iter().map(count).sum::<u64>();
        let spoke = sum(|past| past.outcome.events) > 0;
        let (verdict, reason) = verdict_rules::of_scenario(&ScenarioFacts {
            broken: broken.as_deref(),
            interrupted: stop == Some(Stop::Interrupted),
            findings: &findings,
            came_up: !waits_for_events || spoke,
            skipped: match &stop {
                Some(Stop::Skipped(why)) => Some(why),
                _ => None,
            },
            unforeseen: requests.unforeseen().map(|request| request.why.as_str()),
            checked: !exercised.clauses.is_empty() || spoke,
            unmet: &unmet,
        });
        Played {
            verdict,
            reason,
            findings,
            sessions,
            findings_dropped: sum(|past| past.outcome.dropped),
            frames: sum(|past| past.outcome.frames),
            exercised,
            spoke,
            turn: past.iter().any(|past| past.outcome.turn),
            stderr: past
                .last_mut()
                .map(|past| std::mem::take(&mut past.stderr))
                .unwrap_or_default(),
            transcripts: past.into_iter().map(|past| past.transcript).collect(),
            wall: began.elapsed(),
            life,
            room: Some(room),
        }
    }
}

/// The findings of all sessions, each with the number of its session, in the order of their frames. What the rules hold against the host is the scenario's own doing,
/// and nobody's fault here.
fn findings(
    past: &[Past],
    charges: Vec<(usize, Finding)>,
    requests: &Requests,
) -> Vec<(usize, Finding)> {
    let mut charges = charges;
    let mut all = Vec::new();
    for (session, past_session) in past.iter().enumerate() {
        let rules = past_session.outcome.findings.iter();
        let mut found: Vec<Finding> = rules
            .filter(|finding| finding.blame == Blame::Agent && requests.stands(session, finding.at))
            .cloned()
            .collect();
        found.extend(
            charges
                .extract_if(.., |(of, _)| *of == session)
                .map(|(_, finding)| finding),
        );
        found.sort_by_key(|finding| finding.at);
        if past.len() > 1 {
            for finding in &mut found {
                let of = format!("session {}", session + 1);
                finding.key = match finding.key.as_str() {
                    "" => of,
                    key => format!("{of}, {key}"),
                };
            }
        }
        all.extend(found.into_iter().map(|finding| (session, finding)));
    }
    all
}
