//! The session with one agent process: starts it, and holds its events for the steps.

use super::client::SessionClient;
use super::context::{EarlyStop, SuiteContext};
use super::event_log::EventLog;
use crate::event_queue::EventQueue;
use crate::launch::{LaunchError, LaunchPlan};
use crate::limits;
use crate::limits::stretch;
use crate::mcp_servers::McpServers;
use crate::process::agent_process::AgentProcess;
use crate::sandbox::Sandbox;
use crate::scenario::Scenario;
use crate::scenario::types::AgentSetup;
use crate::session_recorder::SessionRecorder;
use conform_dialect::file::WireRecipe;
use conform_judge::frame::{End, LlmReply, LlmRequest};
use conform_judge::framing::{Framer, LINE_LIMIT};
use json_matcher::Captures;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The session with one agent process.
pub(super) struct AgentSession {
    pub(super) process: AgentProcess,
    pub(super) recorder: SessionRecorder,
    pub(super) started: Instant,
    /// Splits what is sent to the agent into the lines of the transcript.
    pub(super) sent: Option<Framer>,
    pub(super) events: EventLog,
    /// The client, in a dialect that says how one behaves.
    pub(super) client: Option<SessionClient>,
    /// Lines that the host has sent and that have not been handled yet.
    pub(super) unhandled_sends: usize,
    pub(super) requests: VecDeque<(u64, LlmRequest)>,
    /// The agent's own requests, with their frames and lanes, that no step has taken.
    pub(super) lane_requests: VecDeque<(u64, String, LlmRequest)>,
    pub(super) replies: VecDeque<LlmReply>,
    /// What reached MCP servers and no step has taken: frames, names and values.
    pub(super) mcp_events: VecDeque<(u64, String, Value)>,
    /// Whether the agent wrote a line.
    pub(super) has_written: bool,
    /// Whether it got more time for its first line, because it lacked CPU.
    pub(super) is_start_extended: bool,
    /// When its stdout ended.
    pub(super) stdout_end: Option<Instant>,
    pub(super) end: Option<End>,
    /// The last id that conform gave a request, in a dialect whose messages are named by their structure.
    pub(super) last_id: u64,
    /// The name of the last command of the host that has one.
    pub(super) last_command: Option<String>,
    /// The newest command that stops the work, or that must be refused (`#invalid`), if no prompt came since.
    pub(super) asks_no_more: Option<String>,
    /// The frame number of the first command that the agent answers by asking its model.
    pub(super) first_prompt: Option<u64>,
    /// Whether the agent wrote an event after that.
    pub(super) has_answered: bool,
    /// Whether one of them was a piece of the model's text.
    pub(super) has_shown_text: bool,
    /// Whether the host has sent it a signal.
    pub(super) was_signalled: bool,
    /// The part of [`EventQueue::time_full`] that a wait has already added to its timeouts.
    pub(super) time_full: Duration,
}

impl AgentSession {
    /// Starts the agent.
    pub(super) fn start(
        suite: &SuiteContext,
        scenario: &Scenario,
        setup: &AgentSetup,
        sandbox: &Sandbox,
        placeholders: &Captures,
        (queue, mcp): (&Arc<EventQueue>, &McpServers),
        session: usize,
    ) -> Result<Self, EarlyStop> {
        let plan = LaunchPlan {
            agent: &suite.agent,
            recipe: &suite.dialect.launch,
            wire: wire(suite, scenario)?,
            setup,
            placeholders,
        };
        plan.write_files(sandbox)?;
        let purpose = format!("{}/{}", suite.dialect.id(), scenario.id);
        let launch = plan.launch(sandbox, &purpose);
        let launch = launch.map_err(|why| EarlyStop::in_file(scenario, why))?;
        mcp.set_agent_environment(&launch.env);
        let transcript = sandbox.file(&format!("{session}.jsonl"));
        let recorder =
            SessionRecorder::new(&suite.dialect, &suite.settings, launch.argv(), transcript);
        let grace = stretch(limits::ORPHAN_GRACE, suite.settings.time_scale.max(1.0));
        let client = suite
            .dialect
            .client
            .as_ref()
            .map(|_| SessionClient::new(sandbox));
        let client = client.transpose().map_err(LaunchError::Sandbox)?;
        let started = Instant::now();
        let process = AgentProcess::start(&launch, queue, grace).map_err(EarlyStop::NotStarted)?;
        Ok(AgentSession {
            process,
            recorder,
            started,
            sent: Some(Framer::new(LINE_LIMIT)),
            events: EventLog::default(),
            client,
            unhandled_sends: 0,
            requests: VecDeque::new(),
            lane_requests: VecDeque::new(),
            replies: VecDeque::new(),
            mcp_events: VecDeque::new(),
            has_written: false,
            is_start_extended: false,
            stdout_end: None,
            time_full: queue.time_full(),
            end: None,
            last_id: 0,
            last_command: None,
            asks_no_more: None,
            first_prompt: None,
            has_answered: false,
            has_shown_text: false,
            was_signalled: false,
        })
    }
}

impl AgentSession {
    /// Takes the first request of a lane, or of the conversation, that no step has taken.
    pub(super) fn next_request(&mut self, lane: Option<&str>) -> Option<(u64, LlmRequest)> {
        let Some(lane) = lane else {
            return self.requests.pop_front();
        };
        let mut requests = self.lane_requests.iter();
        let at = requests.position(|(_, own, _)| own == lane)?;
        let (n, _, request) = self.lane_requests.remove(at)?;
        Some((n, request))
    }
}

/// The wire that the scenario names, else the user's, else the recipe's first.
pub(super) fn wire<'a>(
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
