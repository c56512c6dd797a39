//! The player of one scenario: sets up its sandbox, its scripted model and the agent, plays the steps, and returns the result.

use super::agent_session::AgentSession;
use super::context::{EarlyStop, SuiteContext};
use super::model_requests::ModelRequests;
use super::skip::missing_feature;
use crate::event_queue::EventQueue;
use crate::lanes::lanes;
use crate::launch::LaunchError;
use crate::limits::{self, TimeoutBudgets};
use crate::mcp_servers::McpServers;
use crate::process::spawn_error::SpawnError;
use crate::sandbox::{Sandbox, write_below};
use crate::scenario::{Scenario, mcp_placeholder};
use crate::trials::ScenarioRun;
use crate::{launch, scripted_model};
use conform_judge::check::CheckOutcome;
use conform_judge::finding::Finding;
use conform_report::Verdict;
use indexmap::IndexSet;
use json_matcher::{Captures, render_text};
use mock_provider::server::Server;
use spanned_yaml::render_all;
use std::collections::HashMap;
use std::fmt::Display;
use std::ops::Range;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::time::Instant;

/// The state of a scenario while it is played.
pub(crate) struct ScenarioPlayer {
    pub(super) suite: Arc<SuiteContext>,
    pub(super) scenario: Arc<Scenario>,
    pub(super) sandbox: Sandbox,
    pub(super) budgets: TimeoutBudgets,
    /// Whether it is the smoke scenario, which is played before all others.
    pub(super) is_smoke: bool,
    /// When the total timeout of the scenario runs out.
    pub(super) total_deadline: Instant,
    pub(super) captures: Captures,
    pub(super) queue: Arc<EventQueue>,
    pub(super) server: Server,
    pub(super) mcp: McpServers,
    pub(super) script: mock_provider::Script,
    pub(super) session: AgentSession,
    /// The place among the agents that are starting, until this one has written a line or has ended.
    pub(super) starting: Option<OwnedSemaphorePermit>,
    pub(super) past_sessions: Vec<CheckOutcome>,
    /// The result as far as it is known.
    pub(super) run: ScenarioRun,
    /// Findings of steps, each with the number of its session.
    pub(super) findings: Vec<Finding>,
    /// What is found if no session of the scenario asks the model.
    pub(super) unasked: Vec<Finding>,
    /// The tools that each request offered to the model, with the schemas of their arguments.
    pub(super) offered: HashMap<u64, Vec<(String, serde_json::Value)>>,
    /// The number of the current step, from 0.
    pub(super) step: usize,
    /// The requests to the model, and those among them that the script has no reply for.
    pub(super) requests: ModelRequests,
    /// The pause after a command that interrupts the agent.
    pub(super) interrupt_pause: InterruptPause,
    /// The clauses that steps have checked.
    pub(super) checked_clauses: IndexSet<String>,
    /// Whether a step has checked anything, with or without a clause.
    pub(super) has_checked: bool,
    /// How often each automatic answer was sent.
    pub(super) answers_sent: Vec<u32>,
    /// How often the agent has sent each request that the client answers.
    pub(super) asked: HashMap<String, usize>,
    /// How many of them were left to the steps.
    pub(super) left_to_steps: HashMap<String, usize>,
    /// The number of the last terminal, and of the last delayed answer.
    pub(super) client_numbers: (u64, u64),
    /// The current part of the scenario; `None` before the first.
    pub(super) part: Option<Part>,
    /// The frame after which no finding counts: the model called a tool that the agent does not offer, which no model would do. For an
    /// agent without the API of the model, no finding counts.
    pub(super) skipped_after: Option<u64>,
    pub(super) cancel: watch::Receiver<bool>,
}

/// The replies and the automatic answers that are given in a part of a scenario, by their places.
#[derive(Debug)]
pub(crate) struct Part {
    pub(super) replies: Range<usize>,
    pub(super) answers: Range<usize>,
}

/// The pause after a command that interrupts the agent, in which the host watches whether the agent ends.
#[derive(Debug, Default)]
pub(crate) struct InterruptPause {
    pub(super) until: Option<Instant>,
    /// Whether a step has waited since the interruption. Commands that follow the interruption at once are not delayed.
    pub(super) waited: bool,
}

/// Plays a scenario.
///
/// # Errors
/// The agent cannot be started.
pub(crate) async fn play(
    suite: Arc<SuiteContext>,
    scenario: Arc<Scenario>,
) -> Result<ScenarioRun, SpawnError> {
    let run = ScenarioRun::new(&suite.dialect, &scenario);
    if let Some(why) = missing_feature(&suite.agent.missing_features, &suite.dialect, &scenario) {
        return Ok(run.without_result(Verdict::Skipped, why));
    }
    let place = Arc::clone(&suite.starting).acquire_owned();
    let place = tokio::time::timeout(limits::STARTING, place).await;
    let began = std::time::Instant::now();
    match ScenarioPlayer::start(suite, scenario) {
        Ok(mut player) => {
            player.starting = place.ok().and_then(Result::ok);
            let played = player.play_steps().await;
            let stop = player.shut_down(played.err()).await;
            if let Some(EarlyStop::NotStarted(why)) = stop {
                return Err(why);
            }
            Ok(player.into_run(stop, began).await)
        }
        Err(EarlyStop::NotStarted(why)) => Err(why),
        Err(stop) => {
            let why = match stop {
                EarlyStop::Broken(why) => why,
                other => format!("{other:?}"),
            };
            let broken = run.without_result(Verdict::Broken, why);
            Ok(broken.after(began.elapsed()))
        }
    }
}

impl ScenarioPlayer {
    fn start(suite: Arc<SuiteContext>, scenario: Arc<Scenario>) -> Result<Self, EarlyStop> {
        let sandbox = suite.sandboxes.sandbox().map_err(LaunchError::Sandbox)?;
        let queue = Arc::new(EventQueue::default());
        let mut captures = launch::placeholders(&sandbox, "");
        let script = scripted_model::script(&scenario, &captures)?;
        let lanes =
            lanes(&suite.dialect).map_err(|errors| EarlyStop::Broken(render_all(&errors)))?;
        let server = scripted_model::serve(script.clone(), lanes, suite.settings.seed, &queue)?;
        captures.set("llm_url", server.url());
        if let Some(client) = &suite.dialect.client {
            captures.set("abilities", client.declared(&scenario.client.abilities));
        }
        let mcp = McpServers::start(&scenario.mcp, &sandbox, &queue);
        let mcp = mcp.map_err(LaunchError::Mcp)?;
        for (server, command) in mcp.commands() {
            captures.set(mcp_placeholder(server), command.to_string_lossy());
        }
        write_files(&scenario, &sandbox, &captures)?;
        let budgets =
            TimeoutBudgets::new(&suite.dialect, &scenario.budgets, suite.settings.time_scale);
        let session = AgentSession::start(
            &suite,
            &scenario,
            &scenario.agent,
            &sandbox,
            &captures,
            (&queue, &mcp),
            0,
        )?;
        Ok(ScenarioPlayer {
            total_deadline: Instant::now() + budgets.total,
            budgets,
            is_smoke: suite.settings.smoke_first
                && suite.dialect.smoke_id() == Some(scenario.id.as_str()),
            captures,
            queue,
            server,
            script,
            session,
            mcp,
            starting: None,
            past_sessions: Vec::new(),
            run: ScenarioRun::new(&suite.dialect, &scenario),
            findings: Vec::new(),
            unasked: Vec::new(),
            offered: HashMap::new(),
            step: 0,
            requests: ModelRequests::default(),
            interrupt_pause: InterruptPause::default(),
            checked_clauses: IndexSet::new(),
            has_checked: false,
            skipped_after: None,
            answers_sent: vec![0; scenario.answers.len()],
            asked: HashMap::new(),
            left_to_steps: HashMap::new(),
            client_numbers: (0, 0),
            part: None,
            cancel: suite.cancel.clone(),
            suite,
            scenario,
            sandbox,
        })
    }
}

/// Writes the scenario's files into the workspace.
fn write_files(
    scenario: &Scenario,
    sandbox: &Sandbox,
    placeholders: &Captures,
) -> Result<(), EarlyStop> {
    for (path, text) in &scenario.files {
        let broken = |why: &dyn Display| {
            EarlyStop::in_file(scenario, format_args!("the file {path}: {why}"))
        };
        let text = render_text(text, placeholders).map_err(|unknown| broken(&unknown))?;
        write_below(&sandbox.workspace, path, &text).map_err(|error| broken(&error))?;
    }
    Ok(())
}
