//! Plays one scenario: what the host does and expects, step by step.

mod answers;
mod charge;
mod close;
mod exit;
mod expect;
mod files;
mod intake;
mod live;
mod missed;
mod model;
mod outcome;
mod request;
mod send;
mod settle;
mod steps;
mod text;
mod tools;
mod unforeseen;
mod unordered;
mod wait;

use super::agent::Agent;
use super::budgets::Budgets;
use super::inbox::Inbox;
use super::lacks::missing;
use super::launch;
use super::scratch::{Room, Scratch};
use crate::dialect::Dialect;
use crate::finding::Finding;
use crate::matcher::Captures;
use crate::profile::Profile;
use crate::scenario::Scenario;
use indexmap::IndexSet;
use live::Live;
use mock_provider::server::Server;
pub(super) use model::serve;
pub(super) use outcome::Played;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;
use unforeseen::Requests;

/// What all scenarios of a run have in common.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) agent: Agent,
    pub(super) dialect: Arc<Dialect>,
    /// The wire of the recipe that the model is served over, where a scenario does not say.
    pub(super) wire: Option<String>,
    pub(super) profile: Profile,
    pub(super) time_scale: f64,
    pub(super) seed: u64,
    pub(super) scratch: Arc<Scratch>,
    /// Turns true when the run is to end at once.
    pub(super) cancel: watch::Receiver<bool>,
}

/// Why a scenario ends before its last step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stop {
    /// A step failed, and a finding says so. With a reason to kill the agent at once, if there is one.
    Failed(Option<&'static str>),
    /// The agent cannot do what the scenario needs.
    Skipped(String),
    /// The harness or the scenario is at fault.
    Broken(String),
    /// The agent cannot be started.
    NotStarted(String),
    /// The run is to end.
    Interrupted,
}

/// A scenario as it is played.
pub(super) struct Player {
    stage: Arc<Stage>,
    scenario: Arc<Scenario>,
    room: Room,
    budgets: Budgets,
    /// When the whole scenario's budget runs out.
    until: Instant,
    captures: Captures,
    inbox: Arc<Inbox>,
    server: Server,
    script: mock_provider::Script,
    live: Live,
    past: Vec<super::history::Past>,
    /// Findings of steps, each with the number of its session.
    findings: Vec<(usize, Finding)>,
    /// The tools that each request offered to the model.
    offered: HashMap<u64, Vec<String>>,
    /// The step that is played, from 0.
    step: usize,
    /// The requests to the model, and what the script did not foresee of them.
    requests: Requests,
    /// Until when an agent that was interrupted is watched before the host goes on.
    settles: settle::Settles,
    /// Clauses that a step has checked.
    met: IndexSet<String>,
    /// How often each answer was sent.
    answered: Vec<u32>,
    /// How long agents were alive.
    life: Duration,
    cancel: watch::Receiver<bool>,
}

/// Plays a scenario.
///
/// # Errors
/// The agent cannot be started at all, with the sentence that says why.
pub(super) async fn play(stage: Arc<Stage>, scenario: Arc<Scenario>) -> Result<Played, String> {
    let began = std::time::Instant::now();
    if let Some(why) = missing(&stage.agent.lacks, &stage.dialect, &scenario) {
        return Ok(Played::skipped(why));
    }
    match Player::start(stage, scenario) {
        Ok(mut player) => {
            let played = player.steps().await;
            let stop = player.close(played.err()).await;
            if let Some(Stop::NotStarted(why)) = stop {
                return Err(why);
            }
            Ok(player.outcome(stop, began).await)
        }
        Err(Stop::NotStarted(why)) => Err(why),
        Err(Stop::Broken(why)) => Ok(Played::broken(why, began.elapsed())),
        Err(other) => Ok(Played::broken(format!("{other:?}"), began.elapsed())),
    }
}

impl Player {
    fn start(stage: Arc<Stage>, scenario: Arc<Scenario>) -> Result<Self, Stop> {
        let room = stage
            .scratch
            .room()
            .map_err(|error| Stop::Broken(format!("cannot make scratch folders: {error}")))?;
        let inbox = Arc::new(Inbox::default());
        let mut captures = launch::places(&room, "");
        let script = model::script(&scenario, &captures)?;
        let server = model::serve(script.clone(), stage.seed, &inbox)?;
        captures.set("llm_url", server.url());
        files::before(&scenario, &room, &captures)?;
        let budgets = Budgets::new(&stage.dialect, &scenario.budgets, stage.time_scale);
        let live = Live::start(
            &stage,
            &scenario,
            &scenario.agent,
            &room,
            &captures,
            &inbox,
            0,
        )?;
        Ok(Player {
            until: Instant::now() + budgets.total,
            budgets,
            captures,
            inbox,
            server,
            script,
            live,
            past: Vec::new(),
            findings: Vec::new(),
            offered: HashMap::new(),
            step: 0,
            requests: Requests::default(),
            settles: settle::Settles::default(),
            met: IndexSet::new(),
            life: Duration::ZERO,
            answered: vec![0; scenario.answers.len()],
            cancel: stage.cancel.clone(),
            stage,
            scenario,
            room,
        })
    }
}
