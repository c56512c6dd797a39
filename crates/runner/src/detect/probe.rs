//! Probes an agent: starts it in a sandbox, sends the probes of dialects for silent agents, and detects the dialect by its first lines.

use super::first_lines::FirstLines;
use crate::agent::Agent;
use crate::event_queue::{EventQueue, SessionEvent};
use crate::launch::{LaunchError, LaunchPlan, placeholders};
use crate::limits::{self, stretch};
use crate::process::agent_process::AgentProcess;
use crate::sandbox::Sandbox;
use crate::sandbox_root::SandboxRoot;
use crate::scenario::types::AgentSetup;
use crate::scripted_model::serve;
use conform_dialect::file::{LaunchRecipe, WireRecipe};
use conform_judge::dialect::Dialect;
use conform_judge::frame::Body;
use indexmap::IndexSet;
use mock_provider::Script;
use mock_provider::server::Server;
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::watch;

/// The probe of an agent.
#[derive(Debug, Clone, Copy)]
pub struct AgentProbe<'a> {
    /// The agent.
    pub agent: &'a Agent,
    /// The dialects whose recipes it is started with. It gets the arguments of the first, the environment and the files of all.
    pub recipes: &'a [Arc<Dialect>],
    /// Every dialect that it may turn out to speak.
    pub known: &'a [Arc<Dialect>],
    /// The index of the one that the user names.
    pub named: Option<usize>,
    /// The wire of the recipes that the model is served over; the first if `None`.
    pub wire: Option<&'a str>,
    /// How long it waits.
    pub patience: Patience,
}

/// How long an agent may take to show its protocol.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// The factor by which time budgets are stretched.
    pub time_scale: f64,
    /// Whether the wait ends before its budget runs out when the agent neither writes nor does anything.
    pub settle: bool,
}

/// A line that shows a dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownLine {
    /// The line as it is shown, which may be shortened.
    pub text: String,
    /// The whole line as JSON.
    pub event: Value,
}

impl std::fmt::Display for ShownLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// The result of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeResult {
    /// The agent speaks a dialect.
    Dialect {
        /// The index of the dialect among the known ones.
        index: usize,
        /// The line that shows it.
        line: ShownLine,
    },
    /// The agent speaks the protocol of a dialect in a version that no dialect has; the sentence names it.
    OtherVersion(String),
    /// It wrote this line, which agents of the named dialect never write.
    RuledOut(String),
    /// It wrote nothing; the sentence describes what it did instead.
    Silent(String),
    /// It ended and had written nothing; the sentence describes how.
    Ended(String),
    /// It wrote something that shows no dialect; the sentence describes what.
    Unrecognized(String),
    /// It could not be started; the sentence explains why.
    NotStarted(String),
    /// The run was cancelled.
    Interrupted,
}

impl AgentProbe<'_> {
    /// Starts the agent, reads its first lines, and kills it.
    pub async fn run(
        &self,
        sandboxes: &SandboxRoot,
        mut cancel: watch::Receiver<bool>,
    ) -> ProbeResult {
        let queue = Arc::new(EventQueue::default());
        let (process, _server, _sandbox) = match self.start(sandboxes, &queue) {
            Ok(started) => started,
            Err(error) => return ProbeResult::NotStarted(error.to_string()),
        };
        self.send_probes(&process);
        let result = tokio::select! {
            biased;
            _ = cancel.wait_for(|cancelled| *cancelled) => None,
            result = FirstLines::new(self).read(&process, &queue) => Some(result),
        };
        let (result, has_ended) = result.unwrap_or((ProbeResult::Interrupted, false));
        if !has_ended {
            kill(&process, &queue).await;
        }
        result
    }

    fn start(
        &self,
        sandboxes: &SandboxRoot,
        queue: &Arc<EventQueue>,
    ) -> Result<(AgentProcess, Server, Sandbox), LaunchError> {
        let server = serve(Script::default(), Vec::new(), 0, queue)?;
        let (recipe, wire) = self.recipe();
        let recipes = (&recipe, Some(&wire));
        let scale = self.patience.time_scale;
        let (process, sandbox) =
            start_briefly(self.agent, recipes, &server.url(), sandboxes, queue, scale)?;
        Ok((process, server, sandbox))
    }

    /// Sends the probes of dialects whose agents write nothing by themselves.
    fn send_probes(&self, process: &AgentProcess) {
        let recipes = self.recipes.iter();
        let probes = recipes.filter_map(|dialect| dialect.session.probe.as_ref());
        let commands = probes.flat_map(|probe| &probe.send);
        let lines: IndexSet<String> = commands.map(|line| format!("{line}\n")).collect();
        for line in lines {
            if process.write(line.into_bytes()).is_err() {
                return;
            }
        }
    }

    /// The recipes as one: the arguments of the first, the environment and the files of all.
    fn recipe(&self) -> (LaunchRecipe, WireRecipe) {
        let mut all = LaunchRecipe::default();
        let mut wires = WireRecipe::default();
        for Dialect { launch, .. } in self.recipes.iter().map(AsRef::as_ref).rev() {
            all.args.clone_from(&launch.args);
            all.env.extend(launch.env.clone());
            all.home_files.extend(launch.home_files.clone());
            let named = self.wire.and_then(|name| launch.wires.get(name));
            if let Some(wire) = named.or_else(|| launch.wires.values().next()) {
                wires.args.clone_from(&wire.args);
                wires.env.extend(wire.env.clone());
                wires.home_files.extend(wire.home_files.clone());
            }
        }
        (all, wires)
    }
}

/// Starts an agent by these recipes in a sandbox of its own.
///
/// # Errors
/// It cannot be started.
pub(super) fn start_briefly(
    agent: &Agent,
    (recipe, wire): (&LaunchRecipe, Option<&WireRecipe>),
    llm_url: &str,
    sandboxes: &SandboxRoot,
    queue: &Arc<EventQueue>,
    time_scale: f64,
) -> Result<(AgentProcess, Sandbox), LaunchError> {
    let sandbox = sandboxes.sandbox().map_err(LaunchError::Sandbox)?;
    let plan = LaunchPlan {
        agent,
        recipe,
        wire,
        setup: &AgentSetup::default(),
        placeholders: &placeholders(&sandbox, llm_url),
    };
    plan.write_files(&sandbox)?;
    let launch = plan.launch(&sandbox, "the first look at the agent")?;
    let grace = stretch(limits::ORPHAN_GRACE, time_scale.max(1.0));
    Ok((AgentProcess::start(&launch, queue, grace)?, sandbox))
}

/// Kills the process tree of a probed agent, and waits until it is gone.
pub(super) async fn kill(process: &AgentProcess, queue: &EventQueue) {
    process.kill("probe");
    let gone = async { while !is_end(&queue.next().await) {} };
    let waited = tokio::time::timeout(process_list::KILL_TIMEOUT, gone).await;
    if waited.is_err() {
        tracing::warn!("the probed agent could not be killed");
    }
}

pub(super) fn is_end(event: &SessionEvent) -> bool {
    matches!(event, SessionEvent::Frame(frame) if matches!(frame.body, Body::End(_)))
}
