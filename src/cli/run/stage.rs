//! What is to be played, with whom: from the command line to the parts of a suite.

use super::subject::{agent, lacks, package, speaking};
use super::{Args, Refusal, config, hear};
use crate::cli::args::DialectArgs;
use crate::cli::catalogue::{self, Known};
use crate::cli::output::quoted;
use crate::dialect::DialectSource;
use crate::runner::select::Selection;
use crate::runner::suite::Part;
use crate::runner::{Agent, Lack, Scratch};
use std::sync::Arc;
use tokio::sync::watch;

/// A suite that is ready to be played.
#[derive(Debug)]
pub(super) struct Staged {
    pub(super) parts: Vec<Part>,
    /// The agent's command line as the report shows it.
    pub(super) shown: Vec<String>,
    pub(super) rerun: Rerun,
}

/// The command that plays one scenario again.
#[derive(Debug)]
pub(super) struct Rerun {
    before: String,
    behind: String,
}

impl Rerun {
    /// For the scenario of this id.
    pub(super) fn of(&self, id: &str) -> String {
        format!("{} --only {}{}", self.before, quoted(id), self.behind)
    }
}

/// Finds the agent, the dialects and the scenarios, and makes sure that the agent comes up at all.
pub(super) async fn stage(
    args: &Args,
    scratch: &Scratch,
    cancelled: &watch::Receiver<bool>,
) -> Result<Staged, Refusal> {
    let config = config::read().map_err(Refusal::usage)?;
    let wanted = DialectArgs {
        dialect: args.dialect.dialect.clone().or(config.dialect),
        dialect_dir: args.dialect.dialect_dir.clone().or(config.dialect_dir),
    };
    let source = DialectSource::new(wanted.dialect_dir.clone());
    let scenarios = if args.scenarios.is_empty() {
        &config.scenarios
    } else {
        &args.scenarios
    };
    let bundled = args.agent.is_empty();
    let agent = agent(args)?;
    let package = package(&agent);
    let ear = hear::Ear {
        args,
        agent: &agent,
        package: package.as_ref(),
        scratch,
        cancelled,
    };
    let deaf = bundled || args.no_probe;
    let ids = match &wanted.dialect {
        Some(name) if !deaf && !name.contains('@') => vec![ear.version(&source, name).await?],
        Some(id) => vec![id.clone()],
        None if bundled => spoken(&source),
        None => vec![ear.which(&source).await?],
    };
    let mut known = Vec::new();
    for id in &ids {
        known.push(
            catalogue::one(&source, id, scenarios, &config.tools, args.wire.as_deref())
                .map_err(Refusal::usage)?,
        );
    }
    let selection = Selection {
        only: args.only.clone(),
        tags: args.tag.clone(),
        shard: args.shard,
    };
    let mut parts = parts(known, &agent, args, &selection)?;
    let lacking = [config.lacks, args.lacks.clone()].concat();
    for part in &mut parts {
        let package = match bundled {
            true => None,
            false => ear.package_by(&part.dialect).await,
        };
        part.agent.lacks = lacks(&part.dialect, package.as_ref(), &lacking)?;
        let missing = |lack: &&Lack| part.wire.as_ref() == Some(&lack.what);
        if let Some(lack) = part.agent.lacks.iter().find(missing) {
            return Err(Refusal::usage(format!(
                "--wire {}: the agent lacks it: {}",
                lack.what, lack.why
            )));
        }
    }
    let pinned = wanted.dialect.iter().any(|id| id.contains('@'));
    for part in parts.iter().filter(|_| pinned && !deaf) {
        let only = std::slice::from_ref(&part.dialect);
        ear.comes_up(&source, only).await?;
    }
    Ok(Staged {
        parts,
        shown: shown(args),
        rerun: rerun(args, &wanted, &ids),
    })
}

/// The dialects that the bundled agent speaks.
fn spoken(source: &DialectSource) -> Vec<String> {
    let names = source.names().into_iter();
    names
        .filter(|(name, version)| mock_agent::dialects().any(|spoken| spoken == (name, version)))
        .map(|(name, version)| format!("{name}@{version}"))
        .collect()
}

fn parts(
    known: Vec<Known>,
    agent: &Agent,
    args: &Args,
    selection: &Selection,
) -> Result<Vec<Part>, Refusal> {
    let mut parts = Vec::new();
    let mut place = 0;
    for Known {
        dialect, scenarios, ..
    } in known
    {
        if let Some(wire) = &args.wire
            && !dialect.launch.wires.contains_key(wire)
        {
            let known: Vec<_> = dialect.launch.wires.keys().map(String::as_str).collect();
            return Err(Refusal::usage(format!(
                "--wire {wire}: the recipe of {} has {}",
                dialect.id(),
                known.join(", ")
            )));
        }
        let wanted = scenarios.into_iter().filter(|scenario| {
            let id = format!("{}/{}", dialect.id(), scenario.id);
            selection.wants(&id, &scenario.tags) && {
                place += 1;
                selection.in_shard(place - 1)
            }
        });
        let scenarios: Vec<_> = wanted.collect();
        if !scenarios.is_empty() {
            parts.push(Part {
                agent: if args.agent.is_empty() {
                    speaking(agent, &dialect)
                } else {
                    agent.clone()
                },
                dialect: Arc::clone(&dialect),
                wire: args.wire.clone(),
                scenarios,
            });
        }
    }
    if parts.is_empty() {
        return Err(Refusal::incomplete(nothing(args)));
    }
    Ok(parts)
}

/// Why there is nothing to play, and what to do about it.
fn nothing(args: &Args) -> String {
    let mut asked: Vec<String> = args
        .only
        .iter()
        .map(|only| format!("--only {}", quoted(only)))
        .collect();
    asked.extend(args.tag.iter().map(|tag| format!("--tag {}", quoted(tag))));
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

fn shown(args: &Args) -> Vec<String> {
    if args.agent.is_empty() {
        return vec!["conform".to_owned(), "agent".to_owned()];
    }
    args.agent
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}

fn rerun(args: &Args, dialect: &DialectArgs, ids: &[String]) -> Rerun {
    let mut words = vec!["conform".to_owned(), "run".to_owned()];
    let mut option = |name: &str, value: &str| words.extend([name.to_owned(), quoted(value)]);
    if let Some(folder) = &dialect.dialect_dir {
        option("--dialect-dir", &folder.to_string_lossy());
    }
    if let [id] = ids {
        option("--dialect", id);
    }
    for path in &args.scenarios {
        option("--scenarios", &path.to_string_lossy());
    }
    if let Some(wire) = &args.wire {
        option("--wire", wire);
    }
    for entry in &args.env {
        option("--env", entry);
    }
    for what in &args.lacks {
        option("--lacks", what);
    }
    if args.seed != 0 {
        option("--seed", &args.seed.to_string());
    }
    if args.time_scale.to_bits() != 1.0_f64.to_bits() {
        option("--time-scale", &args.time_scale.to_string());
    }
    let agent = args
        .agent
        .iter()
        .map(|word| format!(" {}", quoted(&word.to_string_lossy())));
    Rerun {
        before: words.join(" "),
        behind: agent.collect(),
    }
}
