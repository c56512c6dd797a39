//! The run plan: which scenarios of which dialects are played with which agent, from the command line and `conform.yaml`.

use super::agent::{agent_of, speaking};
use super::args::RunRequest;
use super::last_failures::LastFailures;
use super::rerun::RerunCommand;
use super::unmatched_names::unmatched_names;
use crate::cli::agent_surroundings::AgentSurroundings;
use crate::cli::args::{DialectArgs, words};
use crate::cli::catalogue::{self, KnownDialect, ScenarioChoice};
use crate::cli::command_error::CommandError;
use crate::cli::detection_notes::{
    announced_dialect, note_agent_file, note_command_line, note_newer_agent,
};
use crate::cli::output::{self, quoted};
use crate::project_config::{FILE, ProjectConfig, read_config};
use conform_judge::dialect::{DialectSource, KnownAgent, ToolName};
use conform_report::{Report, ReportBuilder};
use conform_runner::agent::{Agent, MissingFeature};
use conform_runner::detect::detector::Detector;
use conform_runner::detect::known_agents;
use conform_runner::detect::missing_features::missing_features;
use conform_runner::detect::package::Package;
use conform_runner::detect::probe::Patience;
use conform_runner::sandbox_root::SandboxRoot;
use conform_runner::selection::Selection;
use conform_runner::trials::DialectSuite;
use indexmap::{IndexMap, IndexSet};
use spanned_yaml::Error;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::watch;

/// Everything that a run plays.
#[derive(Debug)]
pub(in crate::cli) struct RunPlan {
    pub(in crate::cli) suites: Vec<DialectSuite>,
    /// As `--dialect-dir`, which `conform.yaml` can set.
    pub(in crate::cli) dialect_dir: Option<PathBuf>,
    /// The agent's command line as the report shows it.
    agent_command: Vec<String>,
    /// The first word of it that is a file below the working directory.
    agent_file: Option<String>,
    pub(in crate::cli) rerun: RerunCommand,
}

impl RunPlan {
    /// The finished report of what was played of this plan.
    pub(in crate::cli) fn report(
        &self,
        played: ReportBuilder,
        seed: u64,
        began: Instant,
        surroundings: &AgentSurroundings,
    ) -> Report {
        let dialect_dir = self.dialect_dir.as_deref();
        Report {
            dialect_dir: dialect_dir.map(|folder| folder.display().to_string()),
            agent_file: self.agent_file.clone(),
            agent: self.agent_command.clone(),
            seed,
            duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            network: Some(surroundings.network()),
            ..played.finish()
        }
    }
}

/// Checks the dialect, its folder and the scenarios of `conform.yaml`, unless an option overrides them.
fn check_config(
    config: &ProjectConfig,
    args: &RunRequest,
    source: &DialectSource,
) -> Result<(), CommandError> {
    if let (Some(folder), None) = (&config.dialect_dir, &args.start.dialect.dialect_dir)
        && !folder.is_dir()
    {
        let folder = folder.display();
        return Err(CommandError::usage(format!(
            "{FILE}: `dialect_dir`: {folder}: there is no such folder"
        )));
    }
    if let (Some(id), None) = (&config.dialect, &args.start.dialect.dialect) {
        source
            .resolve(id)
            .map_err(|error| CommandError::usage(format!("{FILE}: `dialect`: {error}")))?;
    }
    if args.scenarios.is_empty() {
        for path in &config.scenarios {
            std::fs::metadata(path).map_err(|error| {
                let path = path.display();
                CommandError::usage(format!("{FILE}: `scenarios`: {path}: {error}"))
            })?;
        }
    }
    Ok(())
}

/// Checks that the tools that `conform.yaml` renames occur in scenarios: in the built-in ones or in these of the user.
fn check_tools(
    tools: &IndexMap<String, ToolName>,
    ids: &[String],
    source: &DialectSource,
    own: &[PathBuf],
) -> Result<(), CommandError> {
    if tools.is_empty() {
        return Ok(());
    }
    let mut known = BTreeSet::new();
    let suites: &[&[PathBuf]] = if own.is_empty() { &[own] } else { &[&[], own] };
    for own in suites {
        let choice = ScenarioChoice {
            own,
            ..ScenarioChoice::default()
        };
        let as_written = |id: &String| catalogue::one(source, id, choice);
        let dialects = all_at_once(ids, as_written)?;
        known.extend(dialects.iter().flat_map(KnownDialect::tools));
    }
    let unknown = tools.keys().find(|tool| !known.contains(*tool));
    unknown.map_or(Ok(()), |unknown| {
        let known = known.iter().map(String::as_str);
        let why = spanned_yaml::unknown("tool", unknown, known);
        Err(CommandError::usage(format!("{FILE}: `tools`: {why}")))
    })
}

/// Finds the agent, its dialects and the scenarios to play, and checks that the agent starts and speaks its dialect.
pub(in crate::cli) async fn run_plan(
    args: &RunRequest,
    sandboxes: &SandboxRoot,
    cancelled: &watch::Receiver<bool>,
    last_failures: &LastFailures,
) -> Result<RunPlan, CommandError> {
    let config = read_config()?;
    let DialectArgs {
        dialect,
        dialect_dir,
    } = args.start.dialect.clone();
    let dialect = DialectArgs {
        dialect: dialect.or(config.dialect.clone()),
        dialect_dir: dialect_dir.or(config.dialect_dir.clone()),
    };
    let plain = DialectSource::new(dialect.dialect_dir.clone());
    check_config(&config, args, &plain)?;
    let scenarios = if args.scenarios.is_empty() {
        &config.scenarios
    } else {
        &args.scenarios
    };
    let is_bundled = args.start.agent.is_empty();
    let agent = agent_of(&args.start.agent, &args.start.env)?;
    let detector = Detector {
        agent: &agent,
        package: Package::of_agent(&agent),
        wire: args.start.wire.as_deref(),
        patience: Patience {
            time_scale: args.start.time_scale,
            settle: !args.start.no_settle,
        },
        sandboxes,
        cancelled,
    };
    let is_probed = !is_bundled && !args.start.no_probe;
    let named = dialect.dialect.as_deref();
    let mut source = plain.clone();
    let mut known_agent = None;
    if let Some(path) = &args.start.agent_file {
        known_agent = Some(Arc::new(KnownAgent::read(path, named)?));
    } else if !is_bundled
        && let Some(found) =
            known_agents::by_program(&plain, named, &agent, detector.package.as_ref())?
    {
        note_agent_file(&found);
        known_agent = Some(found.agent);
    }
    if !is_bundled || known_agent.is_some() {
        source = plain.for_agent(known_agent.clone());
    }
    let of_agent = known_agent.as_ref().map(|agent| agent.dialect.clone());
    let named = dialect.dialect.clone().or(of_agent.filter(|_| !is_bundled));
    let ids = match &named {
        Some(id) if !is_probed => vec![id.clone()],
        None if args.start.agent_script.is_some() => {
            let why = "--agent-script needs --dialect NAME@VERSION";
            return Err(CommandError::usage(why));
        }
        None if is_bundled => named_by(&args.only, bundled_dialects(&source)),
        named => {
            let detected = announced_dialect(&detector, &source, named.as_deref()).await?;
            if let (None, Some(event)) = (&known_agent, &detected.event)
                && let Some(found) = known_agents::by_event(&plain, &detected.id, event)?
            {
                note_agent_file(&found);
                source = plain.for_agent(Some(found.agent));
            }
            vec![detected.id]
        }
    };
    let mut selection = Selection {
        only: args.only.clone(),
        tags: args.tag.clone(),
        ids: None,
        shard: args.shard,
    };
    if args.failed && !last_failures.restrict(&mut selection) {
        output::note(
            "no scenario failed in the last run of this agent from this folder, so all are played",
        );
    }
    let choice = ScenarioChoice {
        own: scenarios,
        tools: Some(&config.tools),
        wire: args.start.wire.as_deref(),
        selection: selection.tags.is_empty().then_some(&selection),
    };
    let known = all_at_once(&ids, |id| catalogue::one(&source, id, choice))?;
    check_tools(&config.tools, &ids, &source, scenarios)?;
    let unmatched = unmatched_names(&selection, &known);
    let mut suites = suites(
        known,
        &agent,
        args,
        dialect.dialect_dir.as_deref(),
        &selection,
        &unmatched,
    )?;
    unmatched.iter().for_each(output::warning);
    for suite in &mut suites {
        let package = if is_bundled {
            None
        } else {
            detector.package_of(&suite.dialect).await
        };
        note_newer_agent(&source, &suite.dialect, package.as_ref());
        suite.agent.missing_features =
            missing_features(&suite.dialect, package.as_ref(), &config.lacks)
                .map_err(|error| CommandError::usage(format!("{FILE}: `lacks`: {error}")))?;
        let named = missing_features(&suite.dialect, None, &args.start.lacks)
            .map_err(|error| CommandError::usage(format!("--lacks: {error}")))?;
        suite.agent.missing_features.extend(named);
        let is_wire = |missing: &&MissingFeature| suite.wire.as_ref() == Some(&missing.name);
        if let Some(missing) = suite.agent.missing_features.iter().find(is_wire) {
            return Err(CommandError::usage(format!(
                "--wire {}: the agent lacks it: {}",
                missing.name, missing.reason
            )));
        }
    }
    for suite in suites.iter().filter(|_| !is_bundled) {
        note_command_line(&suite.agent, &suite.dialect, suite.wire.as_deref());
    }
    Ok(RunPlan {
        suites,
        dialect_dir: dialect.dialect_dir.clone(),
        agent_command: agent_command(args),
        agent_file: agent_file(&args.start.agent),
        rerun: RerunCommand::new(args, &dialect, &ids),
    })
}

/// Loads each dialect in a thread of its own.
fn all_at_once(
    ids: &[String],
    load: impl Fn(&String) -> Result<KnownDialect, Vec<Error>> + Sync,
) -> Result<Vec<KnownDialect>, Vec<Error>> {
    let load = &load;
    std::thread::scope(|scope| {
        let threads: Vec<_> = ids.iter().map(|id| scope.spawn(move || load(id))).collect();
        let loaded = threads.into_iter().map(|thread| {
            thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        loaded.collect()
    })
}

/// The dialects that the bundled agent speaks.
fn bundled_dialects(source: &DialectSource) -> Vec<String> {
    let names = source.names().into_iter();
    names
        .filter(|(name, version)| mock_agent::dialects().any(|spoken| spoken == (name, version)))
        .map(|(name, version)| format!("{name}@{version}"))
        .collect()
}

/// The dialects that can have scenarios of these patterns: all of them, unless each pattern begins with the id of one.
fn named_by(only: &[String], dialects: Vec<String>) -> Vec<String> {
    let named = only.iter().map(|pattern| {
        let (id, _) = pattern.split_once('/')?;
        dialects.iter().find(|dialect| *dialect == id).cloned()
    });
    match named.collect::<Option<IndexSet<_>>>() {
        Some(named) if !named.is_empty() => dialects
            .into_iter()
            .filter(|id| named.contains(id))
            .collect(),
        _ => dialects,
    }
}

fn suites(
    known: Vec<KnownDialect>,
    agent: &Agent,
    args: &RunRequest,
    dialect_dir: Option<&Path>,
    selection: &Selection,
    unmatched: &[String],
) -> Result<Vec<DialectSuite>, CommandError> {
    let mut suites = Vec::new();
    let mut place = 0;
    for KnownDialect {
        dialect, scenarios, ..
    } in known
    {
        if let Some(wire) = &args.start.wire
            && !dialect.launch.wires.contains_key(wire)
        {
            let known = dialect.launch.wires.keys().map(String::as_str);
            let unknown = spanned_yaml::unknown("wire", wire, known);
            return Err(CommandError::usage(format!("{}: {unknown}", dialect.id())));
        }
        let selected = scenarios.into_iter().filter(|scenario| {
            let id = format!("{}/{}", dialect.id(), scenario.id);
            selection.matches(&id, &scenario.tags) && {
                place += 1;
                selection.in_shard(place - 1)
            }
        });
        let scenarios: Vec<_> = selected.collect();
        if !scenarios.is_empty() || args.makes_scenarios {
            suites.push(DialectSuite {
                agent: if args.start.agent.is_empty() {
                    speaking(
                        agent,
                        &dialect,
                        dialect_dir,
                        args.start.agent_script.as_deref(),
                    )?
                } else {
                    agent.clone()
                },
                dialect: Arc::clone(&dialect),
                wire: args.start.wire.clone(),
                moments: None,
                scenarios,
            });
        }
    }
    if suites.is_empty() {
        return Err(CommandError::incomplete(nothing(args, unmatched)));
    }
    Ok(suites)
}

/// The message for a run without scenarios.
fn nothing(args: &RunRequest, unmatched: &[String]) -> String {
    if !unmatched.is_empty() {
        return format!(
            "nothing was checked (`conform list scenarios` shows what there is): {}",
            unmatched.join("; ")
        );
    }
    let mut asked: Vec<String> = args
        .only
        .iter()
        .map(|only| format!("--only {}", quoted(only)))
        .collect();
    asked.extend(args.tag.iter().map(|tag| format!("--tag {}", quoted(tag))));
    asked.extend(args.failed.then(|| "--failed".to_owned()));
    asked.extend(
        args.shard
            .map(|shard| format!("--shard {}/{}", shard.part, shard.of)),
    );
    let asked = if asked.is_empty() {
        String::new()
    } else {
        format!(" for {}", asked.join(" "))
    };
    format!(
        "there is no scenario{asked}, so nothing was checked; `conform list scenarios` shows what there is"
    )
}

fn agent_file(command: &[OsString]) -> Option<String> {
    let folder = std::env::current_dir().and_then(fs::canonicalize).ok()?;
    let below = |word: &OsString| {
        let path = folder.join(word).canonicalize().ok()?;
        let below = path.strip_prefix(&folder).ok().filter(|_| path.is_file())?;
        Some(below.to_string_lossy().into_owned())
    };
    command.iter().find_map(below)
}

fn agent_command(args: &RunRequest) -> Vec<String> {
    if args.start.agent.is_empty() {
        let mut words = vec!["conform".to_owned(), "agent".to_owned()];
        if let Some(script) = &args.start.agent_script {
            words.extend(["--script".to_owned(), script.to_string_lossy().into_owned()]);
        }
        return words;
    }
    words(&args.start.agent)
}
