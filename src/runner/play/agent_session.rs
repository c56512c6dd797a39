//! One life of the agent's process, as the player knows it.

use super::context::{EarlyStop, SuiteContext};
use crate::dialect::file::WireRecipe;
use crate::frame::{End, LlmReply, LlmRequest};
use crate::framing::{Framer, LINE_LIMIT};
use crate::matcher::Captures;
use crate::runner::event_queue::EventQueue;
use crate::runner::launch::LaunchPlan;
use crate::runner::limits;
use crate::runner::limits::stretch;
use crate::runner::process::agent_process::AgentProcess;
use crate::runner::sandbox::Sandbox;
use crate::runner::session_recorder::SessionRecorder;
use crate::scenario::Scenario;
use crate::scenario::types::AgentSetup;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// A running agent, and what it said that no step has looked at yet.
pub(super) struct AgentSession {
    pub(super) process: AgentProcess,
    pub(super) recorder: SessionRecorder,
    pub(super) started: Instant,
    /// Cuts what is sent into the lines that the history holds.
    pub(super) sent: Option<Framer>,
    pub(super) events: VecDeque<AgentEvent>,
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
pub(super) struct AgentEvent {
    /// Its number in the history.
    pub(super) n: u64,
    /// Its name, or what it is instead.
    pub(super) name: String,
    /// Its JSON; null for a line that is none.
    pub(super) value: Value,
}

impl AgentSession {
    /// Starts the agent.
    pub(super) fn start(
        suite: &SuiteContext,
        scenario: &Scenario,
        setup: &AgentSetup,
        sandbox: &Sandbox,
        places: &Captures,
        queue: &Arc<EventQueue>,
        session: usize,
    ) -> Result<Self, EarlyStop> {
        let plan = LaunchPlan {
            agent: &suite.agent,
            recipe: &suite.dialect.launch,
            wire: wire(suite, scenario)?,
            setup,
            places,
        };
        plan.write_files(sandbox).map_err(EarlyStop::Broken)?;
        let launch = plan
            .launch(sandbox)
            .map_err(|why| EarlyStop::Broken(format!("{}: {why}", scenario.path.display())))?;
        let transcript = sandbox.file(&format!("{session}.jsonl"));
        let recorder =
            SessionRecorder::new(&suite.dialect, suite.profile, launch.argv(), transcript);
        let grace = stretch(limits::ORPHAN_GRACE, suite.time_scale.max(1.0));
        let started = Instant::now();
        let process = AgentProcess::start(&launch, queue, grace)
            .map_err(|error| EarlyStop::NotStarted(error.to_string()))?;
        Ok(AgentSession {
            process,
            recorder,
            started,
            sent: Some(Framer::new(LINE_LIMIT)),
            events: VecDeque::new(),
            requests: VecDeque::new(),
            replies: VecDeque::new(),
            heard: false,
            stdout_end: None,
            deaf: queue.deaf(),
            end: None,
        })
    }
}

/// The wire that the scenario asks for, else the user's, else the recipe's first.
fn wire<'a>(
    suite: &'a SuiteContext,
    scenario: &Scenario,
) -> Result<Option<&'a WireRecipe>, EarlyStop> {
    let wires = &suite.dialect.launch.wires;
    match scenario.wire.as_ref().or(suite.wire.as_ref()) {
        None => Ok(wires.values().next()),
        Some(name) => wires.get(name).map(Some).ok_or_else(|| {
            EarlyStop::Broken(format!(
                "the recipe of {} has no wire {name}",
                suite.dialect.id()
            ))
        }),
    }
}
