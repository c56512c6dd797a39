//! Shrinks the session with a cause by playing parts of it, and counts the plays in which the finding occurs again.

use super::TrialSuite;
use super::causes::{found_in, shown_by};
use super::engine::RunEvent;
use super::exploration::Exploration;
use super::scenario_run::{RecordedSession, ScenarioRun};
use crate::explore::{Session, shrink};
use crate::scenario::Scenario;
use conform_judge::finding::Finding;
use indexmap::IndexMap;
use std::collections::HashSet;

/// The factor of the budgets while a session is shrunk: most sessions with a finding wait for something that never comes.
/// Where that gives a wrong result, budgets are not shortened.
const HASTE: f64 = 0.2;

/// Shrinks sessions of a dialect.
pub struct Shrinker<'e> {
    /// The exploration that has a finding.
    pub exploration: &'e Exploration,
    /// The reference agent, which passes every legal scenario.
    pub reference: TrialSuite,
    /// The most sessions that are played to shrink one.
    pub most: usize,
}

/// A session with a cause, shrunk if possible.
#[derive(Debug)]
pub struct Shrunk {
    /// The session.
    pub session: Session,
    /// In how many of [`Shrinker::REPEATS`] more plays the session as it was found had the finding; `None` if it was not played again.
    pub again: Option<usize>,
    /// In how many of as many plays the smaller session had it; 0 if it could not be made smaller.
    pub times: usize,
    /// The finding in the smaller session, with the frames of that play.
    pub finding: Option<(Finding, Vec<RecordedSession>)>,
    /// The causes that the smaller session shows in every play.
    pub shown: HashSet<String>,
}

impl Shrunk {
    /// A session that stays as it was found.
    #[must_use]
    pub fn as_found(session: Session, again: Option<usize>) -> Self {
        Shrunk {
            session,
            again,
            times: 0,
            finding: None,
            shown: HashSet::new(),
        }
    }
}

impl Shrinker<'_> {
    /// How often a session with a finding is played again, to see whether the finding occurs again.
    pub const REPEATS: usize = 3;

    /// The smallest session with a cause that this one has.
    pub async fn shrunk(&self, cause: &str, session: &Session) -> Shrunk {
        // The rules that the session breaks: one that is cut down may not break others.
        let mut broken = HashSet::new();
        let again = vec![session.clone(); Self::REPEATS];
        let again = self.judge(cause, again, 1.0, &mut broken).await;
        let again = again.into_iter().filter(|has| *has).count();
        for haste in [HASTE, 1.0].into_iter().filter(|_| again > 0) {
            let judge = async |sessions| self.judge(cause, sessions, haste, &mut broken).await;
            let table = self.exploration.tables.of(session);
            let smaller = shrink(table, session.clone(), self.most, judge).await;
            let shrunk = self.repeated(cause, smaller).await;
            if shrunk.times > 0 {
                let again = Some(again);
                return Shrunk { again, ..shrunk };
            }
        }
        Shrunk::as_found(session.clone(), Some(again))
    }

    /// Plays a smaller session several times.
    async fn repeated(&self, cause: &str, session: Session) -> Shrunk {
        let repeats = vec![session.clone(); Self::REPEATS];
        let mut shrunk = Shrunk::as_found(session, None);
        let mut shown: Option<HashSet<String>> = None;
        self.play(&repeats, 1.0, true, |_, mut run| {
            let now = shown_by(&run.report);
            shown = Some(shown.take().map_or(now.clone(), |before| &before & &now));
            if let Some(finding) = found_in(cause, &run.report).cloned() {
                shrunk.times += 1;
                shrunk.finding = Some((finding, std::mem::take(&mut run.sessions)));
            }
        })
        .await;
        shrunk.shown = shown.unwrap_or_default();
        shrunk
    }

    /// Plays sessions, and shows each run with the place of its session; returns their scenarios, each with that place.
    async fn play(
        &self,
        sessions: &[Session],
        time_scale: f64,
        with_frames: bool,
        mut on_run: impl FnMut(usize, ScenarioRun),
    ) -> IndexMap<String, (usize, Scenario)> {
        let exploration = self.exploration;
        let scenarios = sessions.iter().enumerate().filter_map(|(n, session)| {
            let id = format!("shrink/{n}");
            let scenario = exploration.scenario(session, &id).ok()?;
            Some((exploration.full_id(&id), (n, scenario)))
        });
        let scenarios: IndexMap<_, _> = scenarios.collect();
        let mut engine = exploration.engine.clone();
        engine.settings.time_scale *= time_scale;
        engine.settings.with_frames = with_frames;
        let played = scenarios.values().map(|(_, scenario)| scenario.clone());
        let on_event = &mut |event| {
            if let RunEvent::Ended(run) = event
                && let Some((n, _)) = scenarios.get(&run.report.id)
            {
                on_run(*n, *run);
            }
        };
        let played = exploration.play_scenarios(&engine, played.collect(), on_event);
        // An agent that cannot be started any more has no finding.
        drop(played.await);
        scenarios
    }

    /// Plays sessions, and returns for each whether it has the cause.
    async fn judge(
        &self,
        cause: &str,
        sessions: Vec<Session>,
        time_scale: f64,
        broken: &mut HashSet<String>,
    ) -> Vec<bool> {
        let mut has = vec![false; sessions.len()];
        let on_run = |n: usize, run: ScenarioRun| {
            let mut rules = run.report.findings.iter().map(|one| one.rule.clone());
            has[n] = found_in(cause, &run.report).is_some();
            if sessions[n].without.is_empty() {
                broken.extend(rules);
            } else {
                has[n] &= rules.all(|rule| broken.contains(&rule));
            }
        };
        let scenarios = self.play(&sessions, time_scale, false, on_run).await;
        // What is cut down must be legal: the reference agent passes it.
        let is_cut = |n: usize| !sessions[n].without.is_empty();
        let cut = scenarios.values();
        let cut = cut.filter(|(n, _)| is_cut(*n) && std::mem::take(&mut has[*n]));
        let cut = cut.map(|(_, scenario)| scenario.clone()).collect();
        let time_scale = self.exploration.engine.settings.time_scale;
        let runs = self.reference.play(None, cut, time_scale).await;
        for run in runs.into_iter().flatten() {
            if let Some((n, _)) = scenarios.get(&run.report.id) {
                has[*n] = run.report.findings.is_empty();
            }
        }
        has
    }
}
