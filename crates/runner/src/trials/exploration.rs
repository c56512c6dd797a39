//! Plays generated sessions: walks over the moves of a dialect, of one seed always the same ones.

use super::TrialError;
use super::causes::drop_clauses_of_the_session;
use super::engine::{DialectSuite, Engine, RunEvent, SuiteEnd};
use super::scenario_run::ScenarioRun;
use crate::explore::{Session, SessionTables, SituationCounts};
use crate::process::spawn_error::SpawnError;
use crate::scenario::Scenario;
use indexmap::IndexMap;
use std::cell::RefCell;
use std::time::{Duration, Instant};

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

impl Extent {
    /// How many sessions are known to be played, and how many of the seed come before them.
    fn planned(self) -> (usize, usize) {
        match self {
            Extent::Sessions(all) => (all, 0),
            Extent::Time(_) => (0, 0),
            Extent::One(wanted) => (1, wanted - 1),
        }
    }
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
        let (began, seed) = (Instant::now(), self.engine.settings.seed);
        let mut made = self.tables.sessions(seed);
        let open = RefCell::new(IndexMap::new());
        let mut sessions = Vec::new();
        let (planned, skipped) = extent.planned();
        on_event(SessionEvent::Planned(planned));
        let mut mistakes = None;
        let mut numbered = made.by_ref().zip(1..).skip(skipped);
        let mut left = planned;
        let make = &mut || {
            let is_over = match extent {
                Extent::Time(time) => began.elapsed() >= time,
                Extent::Sessions(_) | Extent::One(_) => left == 0,
            };
            if is_over || mistakes.is_some() {
                return None;
            }
            let (session, number) = numbered.next()?;
            left = left.saturating_sub(1);
            let id = format!("explore/seed-{seed}/{number:05}");
            let scenario = self.scenario(&session, &id);
            let scenario = scenario.map_err(|errors| mistakes = Some(errors)).ok()?;
            open.borrow_mut()
                .insert(self.full_id(&id), (number, session));
            Some(scenario)
        };
        let on_run = &mut |event| match event {
            RunEvent::Started(id) => {
                if matches!(extent, Extent::Time(_)) {
                    on_event(SessionEvent::Planned(1));
                }
                on_event(SessionEvent::Started(id));
            }
            RunEvent::Busy(_) => {}
            RunEvent::Ended(run) => {
                if let Some((number, session)) = open.borrow_mut().swap_remove(&run.report.id) {
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
        let end = self
            .engine
            .play_made(self.suite.clone(), make, on_run)
            .await?;
        if let Some(errors) = mistakes {
            return Err(TrialError::Moves(errors));
        }
        let end = match end {
            SuiteEnd::Interrupted(more) => SuiteEnd::Interrupted(more + left),
            end => end,
        };
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
