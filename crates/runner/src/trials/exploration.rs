//! Plays generated sessions: walks over the moves of a dialect, of one seed always the same ones.

use super::TrialError;
use super::causes::drop_clauses_of_the_session;
use super::engine::{DialectSuite, Engine, RunEvent, SuiteEnd};
use super::scenario_run::ScenarioRun;
use crate::explore::{Session, SessionTables, SituationCounts};
use crate::process::spawn_error::SpawnError;
use crate::scenario::Scenario;
use indexmap::IndexMap;
use std::time::{Duration, Instant};

/// How many sessions a round has for each job, where the time decides how many are played.
const ROUND: usize = 4;

/// The exploration of one dialect.
pub struct Exploration {
    /// The agent and the dialect, without scenarios.
    pub suite: DialectSuite,
    /// The moves of the sessions.
    pub tables: SessionTables,
    /// Where and how they are played. Its seed is also the seed of the walks.
    pub engine: Engine,
}

/// How long exploration goes on.
#[derive(Debug, Clone, Copy)]
pub enum Extent {
    /// So many sessions.
    Sessions(usize),
    /// For so long.
    Time(Duration),
    /// One session, by its number.
    One(usize),
}

/// A session that was played.
#[derive(Debug)]
pub struct PlayedSession {
    /// Its number among those of the seed, from 1.
    pub number: usize,
    /// The session.
    pub session: Session,
    /// Its result.
    pub run: ScenarioRun,
}

/// The sessions of one dialect that were played.
pub struct ExploredSessions {
    /// The sessions, by number.
    pub sessions: Vec<PlayedSession>,
    /// Their coverage.
    pub counts: SituationCounts,
    /// How many pairs of scenarios came in spliced sessions, one anywhere after the other.
    pub pairs: usize,
    /// How the exploration ended.
    pub end: SuiteEnd,
}

/// What happens in an exploration.
pub enum SessionEvent<'r> {
    /// So many more sessions will be played.
    Planned(usize),
    /// A session has been started: the id of its scenario.
    Started(String),
    /// A session has ended.
    Ended(&'r mut PlayedSession),
}

impl Exploration {
    /// Plays sessions, and reports what happens to `on_event`.
    ///
    /// # Errors
    /// A session is not a good scenario, or the agent cannot be started.
    pub async fn play(
        &self,
        extent: Extent,
        on_event: &mut dyn FnMut(SessionEvent<'_>),
    ) -> Result<ExploredSessions, TrialError> {
        let (began, settings) = (Instant::now(), &self.engine.settings);
        let mut made = self.tables.sessions(settings.seed);
        let (mut sessions, mut end) = (Vec::new(), SuiteEnd::Complete);
        let mut number = 0;
        while end == SuiteEnd::Complete {
            let (skipped, more) = match extent {
                Extent::Sessions(all) => (0, all - number),
                Extent::One(wanted) => (wanted - 1, usize::from(number == 0)),
                Extent::Time(time) if began.elapsed() < time => (0, settings.jobs.get() * ROUND),
                Extent::Time(_) => (0, 0),
            };
            if more == 0 {
                break;
            }
            let walked = made.by_ref().skip(skipped).take(more);
            let mut open = IndexMap::new();
            let mut scenarios = Vec::new();
            for (session, number) in walked.zip(number + skipped + 1..) {
                let id = format!("explore/seed-{}/{number:05}", settings.seed);
                scenarios.push(self.scenario(&session, &id).map_err(TrialError::Moves)?);
                open.insert(self.full_id(&id), (number, session));
            }
            number += skipped + more;
            on_event(SessionEvent::Planned(more));
            let on_run = &mut |event| match event {
                RunEvent::Started(id) => on_event(SessionEvent::Started(id)),
                RunEvent::Busy(_) => {}
                RunEvent::Ended(run) => {
                    if let Some((number, session)) = open.swap_remove(&run.report.id) {
                        let mut run = *run;
                        drop_clauses_of_the_session(&mut run.report.findings);
                        let mut played = PlayedSession {
                            number,
                            session,
                            run,
                        };
                        on_event(SessionEvent::Ended(&mut played));
                        sessions.push(played);
                    }
                }
            };
            end = self.play_scenarios(&self.engine, scenarios, on_run).await?;
        }
        sessions.sort_by_key(|played| played.number);
        Ok(ExploredSessions {
            sessions,
            pairs: made.splicer.map_or(0, |splicer| splicer.pairs.len()),
            counts: made.walker.counts,
            end,
        })
    }

    /// The scenario that plays a session.
    pub(super) fn scenario(
        &self,
        session: &Session,
        id: &str,
    ) -> Result<Scenario, Vec<spanned_yaml::Error>> {
        self.tables.scenario(session, id, &self.suite.dialect)
    }

    /// The id of a scenario in reports.
    pub(super) fn full_id(&self, id: &str) -> String {
        format!("{}/{id}", self.suite.dialect.id())
    }

    pub(super) async fn play_scenarios(
        &self,
        engine: &Engine,
        scenarios: Vec<Scenario>,
        on_event: &mut dyn FnMut(RunEvent),
    ) -> Result<SuiteEnd, SpawnError> {
        let suite = DialectSuite {
            scenarios,
            ..self.suite.clone()
        };
        engine.play(vec![suite], on_event).await
    }
}
