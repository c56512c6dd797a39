//! One life of the agent's process, as the player knows it.

use super::{Stage, Stop};
use crate::dialect::file::WireRecipe;
use crate::frame::{End, LlmReply, LlmRequest};
use crate::framing::{Framer, LINE_LIMIT};
use crate::matcher::Captures;
use crate::runner::budgets::stretch;
use crate::runner::history::History;
use crate::runner::inbox::Inbox;
use crate::runner::launch::Plan;
use crate::runner::limits;
use crate::runner::process::Process;
use crate::runner::scratch::Room;
use crate::scenario::Scenario;
use crate::scenario::types::AgentSetup;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// A running agent, and what it said that no step has looked at yet.
pub(super) struct Live {
    pub(super) process: Process,
    pub(super) history: History,
    pub(super) started: Instant,
    /// Cuts what is sent into the lines that the history holds.
    pub(super) sent: Option<Framer>,
    pub(super) events: VecDeque<Event>,
    pub(super) requests: VecDeque<(u64, LlmRequest)>,
    pub(super) replies: VecDeque<LlmReply>,
    /// Whether it wrote anything.
    pub(super) heard: bool,
    /// When its stdout came to its end.
    pub(super) stdout_end: Option<Instant>,
    pub(super) end: Option<End>,
    /// How long it could not be heard, as far as a wait has excused it.
    pub(super) deaf: Duration,
}

/// A line of the agent's.
#[derive(Debug)]
pub(super) struct Event {
    /// Its number in the history.
    pub(super) n: u64,
    /// Its name, or what it is instead.
    pub(super) name: String,
    /// Its JSON; null for a line that is none.
    pub(super) value: Value,
}

impl Live {
    /// Starts the agent.
    pub(super) fn start(
        stage: &Stage,
        scenario: &Scenario,
        setup: &AgentSetup,
        room: &Room,
        places: &Captures,
        inbox: &Arc<Inbox>,
        session: usize,
    ) -> Result<Self, Stop> {
        let plan = Plan {
            agent: &stage.agent,
            recipe: &stage.dialect.launch,
            wire: wire(stage, scenario)?,
            setup,
            places,
        };
        plan.write_files(room).map_err(Stop::Broken)?;
        let launch = plan
            .launch(room)
            .map_err(|why| Stop::Broken(format!("{}: {why}", scenario.path.display())))?;
        let transcript = room.file(&format!("{session}.jsonl"));
        let history = History::new(&stage.dialect, stage.profile, launch.argv(), transcript);
        let grace = stretch(limits::ORPHAN_GRACE, stage.time_scale.max(1.0));
        let started = Instant::now();
        let process = Process::start(&launch, inbox, grace)
            .map_err(|error| Stop::NotStarted(error.to_string()))?;
        Ok(Live {
            process,
            history,
            started,
            sent: Some(Framer::new(LINE_LIMIT)),
            events: VecDeque::new(),
            requests: VecDeque::new(),
            replies: VecDeque::new(),
            heard: false,
            stdout_end: None,
            deaf: inbox.deaf(),
            end: None,
        })
    }
}

/// The wire that the scenario asks for, else the user's, else the recipe's first.
fn wire<'a>(stage: &'a Stage, scenario: &Scenario) -> Result<Option<&'a WireRecipe>, Stop> {
    let wires = &stage.dialect.launch.wires;
    match scenario.wire.as_ref().or(stage.wire.as_ref()) {
        None => Ok(wires.values().next()),
        Some(name) => wires.get(name).map(Some).ok_or_else(|| {
            Stop::Broken(format!(
                "the recipe of {} has no wire {name}",
                stage.dialect.id()
            ))
        }),
    }
}
