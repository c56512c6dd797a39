//! Probes an agent: starts it in a sandbox, sends what dialects ask of a silent agent, and detects the dialect by its first lines.

use super::evidence::{DialectEvidence, WeakEvidence};
use crate::dialect::Dialect;
use crate::dialect::file::{LaunchRecipe, WireRecipe};
use crate::frame::{Body, End, Frame, Line};
use crate::runner::agent::Agent;
use crate::runner::event_queue::{EventQueue, SessionEvent};
use crate::runner::launch::{LaunchPlan, placeholders};
use crate::runner::limits::{self, show, stretch};
use crate::runner::process::agent_process::AgentProcess;
use crate::runner::sandbox::Sandbox;
use crate::runner::sandbox_root::SandboxRoot;
use crate::runner::scripted_model::serve;
use crate::scenario::types::AgentSetup;
use crate::signals;
use indexmap::IndexSet;
use mock_provider::Script;
use mock_provider::server::Server;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

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
    /// By how much the budget is stretched.
    pub time_scale: f64,
}

/// The result of a probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeResult {
    /// The agent speaks a dialect.
    Dialect {
        /// The index of the dialect among the known ones.
        index: usize,
        /// The line that shows it.
        line: String,
    },
    /// It wrote this line, which agents of the named dialect never write.
    RuledOut(String),
    /// It wrote nothing; the sentence says what it did instead.
    Silent(String),
    /// It wrote something that shows no dialect; the sentence says what.
    Unrecognized(String),
    /// It could not be started; the sentence says why.
    NotStarted(String),
    /// The run was cancelled.
    Interrupted,
}

/// The timeout for the first line where no dialect has a budget for it.
const START: Duration = Duration::from_secs(10);
/// The timeout for a conclusive line after one that rules a dialect out or shows a likely one.
const AFTER_FIRST_EVIDENCE: Duration = Duration::from_secs(2);
/// How many lines are read before the probe gives up.
const MAX_LINES: u32 = 1000;
/// How many characters of a line are shown.
const SHOWN_CHARS: usize = 200;

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
            Err(why) => return ProbeResult::NotStarted(why),
        };
        self.send_probes(&process);
        let result = tokio::select! {
            biased;
            _ = cancel.wait_for(|cancelled| *cancelled) => None,
            result = self.first_lines(&queue) => Some(result),
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
    ) -> Result<(AgentProcess, Server, Sandbox), String> {
        let sandbox = sandboxes
            .sandbox()
            .map_err(|error| format!("cannot make a sandbox: {error}"))?;
        let server = serve(Script::default(), 0, queue)?;
        let (recipe, wire) = self.recipe();
        let plan = LaunchPlan {
            agent: self.agent,
            recipe: &recipe,
            wire: Some(&wire),
            setup: &AgentSetup::default(),
            placeholders: &placeholders(&sandbox, &server.url()),
        };
        plan.write_files(&sandbox)?;
        let launch = plan.launch(&sandbox)?;
        let grace = stretch(limits::ORPHAN_GRACE, self.time_scale.max(1.0));
        let process =
            AgentProcess::start(&launch, queue, grace).map_err(|error| error.to_string())?;
        Ok((process, server, sandbox))
    }

    /// Sends the probes of dialects whose agents write nothing by themselves.
    fn send_probes(&self, process: &AgentProcess) {
        let probes = self
            .recipes
            .iter()
            .filter_map(|dialect| dialect.session.probe.as_ref());
        let lines: IndexSet<String> = probes
            .flat_map(|probe| &probe.send)
            .map(|line| format!("{line}\n"))
            .collect();
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

    /// What the first lines of the agent show, and whether its process has ended.
    async fn first_lines(&self, queue: &EventQueue) -> (ProbeResult, bool) {
        let budgets = self
            .recipes
            .iter()
            .filter_map(|dialect| dialect.budget("start"));
        let budget = stretch(budgets.max().unwrap_or(START), self.time_scale);
        let mut until = Instant::now() + budget;
        let (mut first, mut lines) = (None, 0);
        let mut evidence = DialectEvidence::new(self.known, self.named);
        let mut stderr = StderrSummary::default();
        loop {
            let Ok(event) = tokio::time::timeout_at(until, queue.next()).await else {
                let when = format!("within {} (`start` budget){stderr}", show(budget));
                return (
                    self.inconclusive(first, &evidence, queue.unfinished(), &when),
                    false,
                );
            };
            match event {
                SessionEvent::Frame(frame) => match frame.body {
                    Body::FromAgent(line) => {
                        evidence.add_line(&line, || shown(&line));
                        if let Some((index, line)) = evidence.verdict() {
                            return (ProbeResult::Dialect { index, line }, false);
                        }
                        if evidence.weak().against.is_some()
                            || evidence.likeliest().is_some()
                            || evidence.resembled().is_some()
                        {
                            until = until.min(
                                Instant::now() + stretch(AFTER_FIRST_EVIDENCE, self.time_scale),
                            );
                        }
                        first.get_or_insert_with(|| shown(&line));
                        lines += 1;
                        if lines == MAX_LINES {
                            let when = format!("in {MAX_LINES} lines");
                            return (self.inconclusive(first, &evidence, 0, &when), false);
                        }
                    }
                    Body::Stderr(line) if !line.bytes.is_empty() => {
                        stderr.add(shown(&line));
                    }
                    Body::End(end) => {
                        let when = format!("before it {}{stderr}", ended(&end));
                        return (self.inconclusive(first, &evidence, 0, &when), true);
                    }
                    _ => {}
                },
                SessionEvent::Overflow { bytes, .. } => {
                    let when = format!("in {bytes} bytes");
                    return (self.inconclusive(first, &evidence, bytes, &when), false);
                }
                SessionEvent::StdoutEnd
                | SessionEvent::Answered { .. }
                | SessionEvent::Failure(_) => {}
            }
        }
    }

    /// The result without conclusive evidence. An agent that wrote an event of the named dialect is taken to speak it.
    fn inconclusive(
        &self,
        first: Option<String>,
        evidence: &DialectEvidence<'_>,
        bytes: u64,
        when: &str,
    ) -> ProbeResult {
        if let Some((index, line)) = evidence.likeliest().or_else(|| evidence.resembled()) {
            return ProbeResult::Dialect { index, line };
        }
        match (self.named, evidence.weak(), first) {
            (
                Some(_),
                WeakEvidence {
                    against: Some(line),
                    ..
                },
                _,
            ) => ProbeResult::RuledOut(line),
            (
                Some(index),
                WeakEvidence {
                    for_it: Some(line), ..
                },
                _,
            ) => ProbeResult::Dialect { index, line },
            (_, _, Some(first)) => ProbeResult::Unrecognized(format!(
                "it did not show that it is ready {when}; its first line is {first:?}"
            )),
            (_, _, None) if bytes > 0 => ProbeResult::Unrecognized(format!(
                "it wrote {bytes} bytes without an end of a line {when}"
            )),
            _ => ProbeResult::Silent(format!("it wrote nothing {when}")),
        }
    }
}

/// Kills the process tree of a probed agent, and waits until it is gone.
pub(super) async fn kill(process: &AgentProcess, queue: &EventQueue) {
    process.kill("probe");
    let gone = async { while !is_end(&queue.next().await) {} };
    if tokio::time::timeout(limits::KILL_TIMEOUT, gone)
        .await
        .is_err()
    {
        tracing::warn!("the probed agent could not be killed");
    }
}

pub(super) fn is_end(event: &SessionEvent) -> bool {
    matches!(
        event,
        SessionEvent::Frame(Frame {
            body: Body::End(_),
            ..
        })
    )
}

/// The line of stderr that best explains why an agent does not start.
#[derive(Default)]
struct StderrSummary {
    /// The last line.
    last: Option<String>,
    /// The last line with an error in it: some runtimes print their version or advice after that.
    error: Option<String>,
}

impl StderrSummary {
    fn add(&mut self, line: String) {
        let lower = line.to_lowercase();
        if lower.contains("error") || lower.contains("panicked") {
            self.error = Some(line.clone());
        }
        self.last = Some(line);
    }
}

impl std::fmt::Display for StderrSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.error, &self.last) {
            (Some(error), Some(last)) if error != last => write!(f, "; on its stderr: {error:?}"),
            (_, Some(last)) => write!(f, "; the last line of its stderr: {last:?}"),
            (_, None) => Ok(()),
        }
    }
}

fn shown(line: &Line) -> String {
    line.text().chars().take(SHOWN_CHARS).collect()
}

fn ended(end: &End) -> String {
    match end {
        End::Exited { code, .. } => format!("exited with code {code}"),
        End::Signalled { signal, .. } => format!("was ended by {}", signals::name(*signal)),
        End::Killed { why } => format!("was killed ({why})"),
        End::Open => "was released".to_owned(),
    }
}
