//! Detects the dialect of an agent before a scenario is played, so that an agent that does not start, or that speaks another protocol,
//! is reported once and does not fail a hundred scenarios one by one.

use super::advice::{missing_file, probe_commands, started_as};
use super::candidates::{Candidates, list_ids};
use super::package::Package;
use super::probe::{AgentProbe, Patience, ProbeResult, ShownLine};
use super::program_output::program_output;
use crate::agent::Agent;
use crate::arguments::RecipeArgs;
use crate::sandbox_root::SandboxRoot;
use conform_judge::dialect::{self, Dialect, DialectSource};
use serde_json::Value;
use std::fmt::Display;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use tokio::sync::watch;

/// What to do about an agent that seems to write nothing.
const FLUSH: &str =
    "\nif it writes to its stdout, it must flush each line (in Python, `print(..., flush=True)`)";

/// The agent whose dialect is detected, and how it is started for that.
#[derive(Debug)]
pub struct Detector<'a> {
    /// The agent.
    pub agent: &'a Agent,
    /// The package of its program, where that is known.
    pub package: Option<Package>,
    /// The wire that the model is served over; the recipe's first if `None`.
    pub wire: Option<&'a str>,
    /// How long it may take to show its protocol.
    pub patience: Patience,
    /// Where the sandboxes of probes are made.
    pub sandboxes: &'a SandboxRoot,
    /// Becomes true when the run is cancelled.
    pub cancelled: &'a watch::Receiver<bool>,
}

/// The dialect that an agent speaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detected {
    /// Its id, `NAME@VERSION`.
    pub id: String,
    /// What the user should know about the detection, as a sentence.
    pub note: Option<String>,
    /// The event that shows it.
    pub event: Option<Value>,
}

/// Why no dialect was detected, each with a message for the user.
#[derive(Debug)]
pub enum DetectError {
    /// A dialect could not be loaded.
    Dialect(Vec<spanned_yaml::Error>),
    /// The agent could not be started, or it does not speak the dialect that the user names.
    Usage(String),
    /// The agent was started and showed nothing.
    Incomplete(String),
    /// An unexpected state of the detection itself.
    Internal(String),
}

impl Detector<'_> {
    /// Detects which dialect the agent speaks: any, a version of the named protocol, or the named one unless the agent contradicts it.
    ///
    /// # Errors
    /// The agent does not start, shows nothing, or speaks another protocol.
    pub async fn detect(
        &self,
        source: &DialectSource,
        named: Option<&str>,
    ) -> Result<Detected, DetectError> {
        match named {
            Some(name) => self.detect_named(source, &load_named(source, name)?).await,
            None => self.detect_any(source).await,
        }
    }

    /// Detects which of all dialects the agent speaks.
    async fn detect_any(&self, source: &DialectSource) -> Result<Detected, DetectError> {
        let mut dialects = Vec::new();
        for id in source.ids() {
            dialects.push(load(source, &id)?);
        }
        let mut candidates = Candidates::by_program(self.agent, self.package.as_ref(), &dialects);
        if candidates.dialects.is_empty() && self.agent.recipe_args == RecipeArgs::Append {
            let help = self.program_output(&["--help".to_owned()]).await;
            candidates = Candidates::by_help(&help, &dialects);
        }
        let possible = if candidates.dialects.is_empty() {
            &dialects
        } else {
            &candidates.dialects
        };
        let (probed, silent): (Vec<_>, Vec<_>) = possible.iter().cloned().partition(|dialect| {
            dialect.session.ready.is_some() || dialect.session.probe.is_some()
        });
        if probed.is_empty()
            && let Some(dialect) = silent.last()
        {
            return Ok(detected(dialect, &candidates.reason));
        }
        let also = |separator: &str| match candidates.reason.as_str() {
            "" => String::new(),
            reason => format!("{separator}{reason}"),
        };
        match self.probe_each(&probed).await {
            Ok((dialect, line)) => Ok(Detected {
                event: Some(line.event.clone()),
                ..detected(
                    &dialect,
                    &format!("{}{}", describe_evidence(&dialect, &line), also("; ")),
                )
            }),
            Err(ref result @ (ProbeResult::Silent(ref what) | ProbeResult::Ended(ref what))) => {
                // A process that has ended has flushed its output.
                let is_running = matches!(result, ProbeResult::Silent(_));
                Err(DetectError::Incomplete(format!(
                    "the agent did not start up: {what}{}{}\nif its protocol begins in silence, name it with --dialect; known dialects are {}{}{}",
                    self.attempted(&probed),
                    if is_running { FLUSH } else { "" },
                    list_ids(&dialects),
                    also("\n"),
                    missing_file(self.agent, what)
                )))
            }
            Err(ProbeResult::Unrecognized(what)) => Err(DetectError::Usage(format!(
                "cannot detect the agent's protocol: {what}{}\nname it with --dialect; known dialects are {}{}",
                self.attempted(&probed),
                list_ids(&dialects),
                also("\n"),
            ))),
            Err(other) => Err(probe_error(other)),
        }
    }

    /// The package of a program of this dialect: the one that it is part of, else the one that is named in its output.
    pub async fn package_of(&self, dialect: &Dialect) -> Option<Package> {
        let launch = &dialect.launch;
        let of_agent = dialect.agent.iter().flat_map(|agent| &agent.file.packages);
        let names: Vec<&String> = launch.package.iter().chain(of_agent).collect();
        let fits = |package: &&Package| names.contains(&&package.name);
        if let Some(package) = self.package.as_ref().filter(fits) {
            return Some(package.clone());
        }
        let version = launch.version.as_ref()?;
        Package::from_output(&version.says, &self.program_output(&version.args).await)
    }

    async fn program_output(&self, args: &[String]) -> String {
        let (scale, cancel) = (self.patience.time_scale, self.cancelled.clone());
        program_output(self.agent, args, self.sandboxes, scale, cancel).await
    }

    /// Probes an agent that speaks a protocol according to the user. The first of the versions is the one that it is expected to speak.
    async fn detect_named(
        &self,
        source: &DialectSource,
        versions: &[Arc<Dialect>],
    ) -> Result<Detected, DetectError> {
        let dialect = &versions[0];
        let id = dialect.id();
        let advice = match (&dialect.session.ready, &dialect.session.probe) {
            (Some(ready), _) => {
                format!("an agent of this dialect writes `{ready}` when it is ready")
            }
            (None, Some(probe)) => format!(
                "an agent of this dialect that is sent {} answers with {}",
                probe_commands(dialect).unwrap_or_default(),
                probe.shows.shown(&Default::default())
            ),
            (None, None) => {
                return Ok(Detected {
                    id,
                    note: None,
                    event: None,
                });
            }
        };
        let mut all = versions.to_vec();
        all.extend(load_others(source, versions));
        let candidates = Candidates::by_program(self.agent, self.package.as_ref(), &all);
        let hint = candidates.hint(dialect);
        let not_started = |what: &str, flush: &str| {
            let hint = hint
                .clone()
                .unwrap_or_else(|| missing_file(self.agent, what));
            let started = started_as(&[self.agent], versions.iter().take(1), self.wire);
            DetectError::Incomplete(format!(
                "the agent did not start up: {what}{started}{flush}\nnothing of {id} could be checked: {advice}{hint}"
            ))
        };
        // A version that the user names is the one to judge by, independent of what the agent seems to speak.
        let as_named = |seems: &str, evidence: &str| Detected {
            event: None,
            id: id.clone(),
            note: Some(format!(
                "{seems}: {evidence}; it is judged by {id}, because you named that"
            )),
        };
        let probe = self.probe(self.agent, versions, &all, Some(0));
        let result = probe.run(self.sandboxes, self.cancelled.clone()).await;
        match result {
            ProbeResult::Dialect { index, line } if index < versions.len() => {
                let shown = &versions[index];
                let found = match versions.len() {
                    1 => Detected {
                        id,
                        note: None,
                        event: None,
                    },
                    _ => detected(shown, &describe_evidence(shown, &line)),
                };
                Ok(Detected {
                    event: Some(line.event),
                    ..found
                })
            }
            ProbeResult::Dialect { index, line } if all[index].name == dialect.name => {
                let seems = format!("the agent seems to speak {}", all[index].id());
                Ok(as_named(&seems, &describe_evidence(&all[index], &line)))
            }
            ProbeResult::RuledOut(line) if versions.len() == 1 => {
                let seems = format!("no agent of {id} writes this");
                Ok(as_named(&seems, &describe_evidence(dialect, &line)))
            }
            ProbeResult::RuledOut(line) => Err(DetectError::Usage(format!(
                "the agent does not speak {id}: {}\nname the dialect to judge it by with --dialect, or play anyway with --no-probe{}",
                describe_evidence(dialect, &line),
                hint.as_deref().unwrap_or_default()
            ))),
            ProbeResult::Dialect { index, line } => Err(DetectError::Usage(format!(
                "the agent speaks {}, not {id}: {}\nname the one to judge it by with --dialect, or play anyway with --no-probe",
                all[index].id(),
                describe_evidence(&all[index], &line),
            ))),
            ProbeResult::Silent(what) => Err(not_started(&what, FLUSH)),
            ProbeResult::Ended(what) | ProbeResult::Unrecognized(what) => {
                Err(not_started(&what, ""))
            }
            other => Err(probe_error(other)),
        }
    }

    /// Which of these dialects the agent speaks, and the line that shows it. It is started with the recipe of each protocol, the newest
    /// version's first, and as the user gives it; all of that at the same time.
    async fn probe_each(
        &self,
        dialects: &[Arc<Dialect>],
    ) -> Result<(Arc<Dialect>, ShownLine), ProbeResult> {
        let protocols = dialects.chunk_by(|one, other| one.name == other.name);
        let newest_first = protocols.map(|versions| versions.iter().rev().cloned().collect());
        let groups: Vec<Vec<Arc<Dialect>>> = newest_first.collect();
        let all = groups.concat();
        let as_given = self.agent_as_given();
        let is_placed = self.agent.recipe_args == RecipeArgs::Placed;
        let mut attempts = Vec::new();
        if !is_placed {
            attempts.extend(groups.iter().map(|group| (self.agent, &group[..])));
        }
        if is_placed || !self.agent.args.is_empty() {
            attempts.push((&as_given, &all[..]));
        }
        let (stop, stopped) = watch::channel(*self.cancelled.borrow());
        let mut probes: Vec<_> = attempts
            .into_iter()
            .map(|(agent, recipes)| {
                let probe = self.probe(agent, recipes, &all, None);
                let stopped = stopped.clone();
                Box::pin(async move { probe.run(self.sandboxes, stopped).await })
            })
            .collect();
        let mut cancelled = self.cancelled.clone();
        let mut found = None;
        let mut failure = ProbeResult::Silent("there is no dialect".to_owned());
        while !probes.is_empty() {
            let result = tokio::select! {
                biased;
                result = first_to_end(&mut probes) => result,
                _ = cancelled.wait_for(|cancelled| *cancelled), if !*stop.borrow() => {
                    stop.send_replace(true);
                    continue;
                }
            };
            match result {
                ProbeResult::Interrupted if found.is_some() => {}
                ProbeResult::Dialect { index, line } if found.is_none() => {
                    found = Some(Ok((Arc::clone(&all[index]), line)));
                    stop.send_replace(true);
                }
                end @ (ProbeResult::NotStarted(_)
                | ProbeResult::OtherVersion(_)
                | ProbeResult::Interrupted)
                    if found.is_none() =>
                {
                    found = Some(Err(end));
                    stop.send_replace(true);
                }
                unrecognized @ ProbeResult::Unrecognized(_) => failure = unrecognized,
                silent if !matches!(failure, ProbeResult::Unrecognized(_)) => failure = silent,
                _ => {}
            }
        }
        found.unwrap_or(Err(failure))
    }

    /// The agent with the arguments of the user alone.
    fn agent_as_given(&self) -> Agent {
        Agent {
            recipe_args: RecipeArgs::Placed,
            ..self.agent.clone()
        }
    }

    /// How the agent was started with the recipe of each protocol, for a message.
    fn attempted(&self, dialects: &[Arc<Dialect>]) -> String {
        let protocols = dialects.chunk_by(|one, other| one.name == other.name);
        let newest = protocols.filter_map(|versions| versions.last());
        if self.agent.args.is_empty() {
            started_as(&[self.agent], newest, self.wire)
        } else {
            started_as(&[self.agent, &self.agent_as_given()], newest, self.wire)
        }
    }

    fn probe<'p>(
        &'p self,
        agent: &'p Agent,
        recipes: &'p [Arc<Dialect>],
        known: &'p [Arc<Dialect>],
        named: Option<usize>,
    ) -> AgentProbe<'p> {
        AgentProbe {
            agent,
            recipes,
            known,
            named,
            wire: self.wire,
            patience: self.patience,
        }
    }
}

/// Waits for the first of these to end, and removes it.
async fn first_to_end<F: Future + Unpin>(running: &mut Vec<F>) -> F::Output {
    std::future::poll_fn(|context| {
        for index in 0..running.len() {
            if let Poll::Ready(output) = Pin::new(&mut running[index]).poll(context) {
                drop(running.swap_remove(index));
                return Poll::Ready(output);
            }
        }
        Poll::Pending
    })
    .await
}

fn load(source: &DialectSource, id: &str) -> Result<Arc<Dialect>, DetectError> {
    dialect::load(source, id).map_err(DetectError::Dialect)
}

/// The dialect of this name, or every version of the protocol of this name, the newest first.
fn load_named(source: &DialectSource, named: &str) -> Result<Vec<Arc<Dialect>>, DetectError> {
    let newest = load(source, named)?;
    let is_older = |id: &String| id.split('@').next() == Some(named) && *id != newest.id();
    let older = source.ids().into_iter().rev().filter(is_older);
    let loaded = older.map(|id| load(source, &id));
    let all = std::iter::once(Ok(Arc::clone(&newest))).chain(loaded);
    all.collect()
}

/// Every dialect but these; those that cannot be loaded are left out.
fn load_others(source: &DialectSource, but: &[Arc<Dialect>]) -> Vec<Arc<Dialect>> {
    let ids = source.ids().into_iter();
    ids.filter(|id| but.iter().all(|one| one.id() != *id))
        .filter_map(|other| dialect::load(source, &other).ok())
        .collect()
}

fn probe_error(result: ProbeResult) -> DetectError {
    match result {
        ProbeResult::NotStarted(why) | ProbeResult::OtherVersion(why) => DetectError::Usage(why),
        ProbeResult::Interrupted => {
            DetectError::Incomplete("interrupted before anything was played".to_owned())
        }
        other => DetectError::Internal(format!("{other:?}")),
    }
}

/// The evidence for the dialect that an agent speaks.
fn describe_evidence(dialect: &Dialect, line: impl Display) -> String {
    match probe_commands(dialect) {
        Some(commands) => format!("when it was sent {commands}, it wrote {line}"),
        None => format!("its first line is {line}"),
    }
}

fn detected(dialect: &Dialect, evidence: &str) -> Detected {
    let id = dialect.id();
    Detected {
        event: None,
        note: Some(format!(
            "the agent speaks {id}: {evidence}; `--dialect` overrules this"
        )),
        id,
    }
}
