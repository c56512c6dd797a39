//! Listens to the agent before anything is played: an agent that never comes up, or that speaks another protocol, is not to fail a
//! hundred scenarios one by one.

use super::suspects::{Suspects, known};
use super::{Args, Refusal};
use crate::cli::{catalogue, output};
use crate::dialect::{self, Dialect, DialectSource};
use crate::runner::{Agent, Heard, Package, Probe, Scratch};
use std::sync::Arc;
use tokio::sync::watch;

/// How much of its time an agent gets that looks like one of another protocol.
const STRANGER: f64 = 0.3;

/// Who is listened to, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ear<'a> {
    pub(super) args: &'a Args,
    pub(super) agent: &'a Agent,
    pub(super) package: Option<&'a Package>,
    pub(super) scratch: &'a Scratch,
    pub(super) cancelled: &'a watch::Receiver<bool>,
}

impl Ear<'_> {
    /// Finds out which version of a protocol the agent speaks, and says so; the newest where it does not show.
    pub(super) async fn version(
        &self,
        source: &DialectSource,
        name: &str,
    ) -> Result<String, Refusal> {
        let mut family = versions(source, name)?;
        family.reverse();
        let spoken = self.comes_up(source, &family).await?;
        if let ([_, _, ..], Some(by)) = (&family[..], spoken.by) {
            return Ok(said_aloud(
                &family[spoken.index],
                &evidence(&family[spoken.index], &by),
            ));
        }
        Ok(family[spoken.index].id())
    }

    /// Makes sure that the agent comes up, and that it does not show that it speaks none of these versions of a protocol. The first
    /// is the one that it is taken to speak.
    pub(super) async fn comes_up(
        &self,
        source: &DialectSource,
        family: &[Arc<Dialect>],
    ) -> Result<Spoken, Refusal> {
        let dialect = &family[0];
        let id = dialect.id();
        let advice = match (&dialect.session.ready, &dialect.session.probe) {
            (Some(ready), _) => format!("an agent of it says `{ready}` when it is up"),
            (None, Some(probe)) => format!(
                "an agent of it answers a `prompt` with {}",
                probe.shows.describe(&Default::default())
            ),
            (None, None) => return Ok(Spoken::default()),
        };
        let mut all = family.to_vec();
        all.extend(others(source, family));
        let suspects = Suspects::by_sight(self.agent, self.package, &all);
        let hint = suspects.hint(dialect);
        let patience = if hint.is_some() { STRANGER } else { 1.0 };
        match self.listen(family, &all, Some(0), patience).await {
            Heard::Dialect { index, by } if index < family.len() => Ok(Spoken {
                index,
                by: Some(by),
            }),
            Heard::Dialect { index, by } if all[index].name == dialect.name => {
                let seems = format!("the agent seems to speak {}", all[index].id());
                Ok(as_named(&id, &seems, &evidence(&all[index], &by)))
            }
            Heard::Barred(by) if family.len() == 1 => {
                let seems = format!("no agent of {id} writes this");
                Ok(as_named(&id, &seems, &evidence(dialect, &by)))
            }
            Heard::Barred(by) => Err(Refusal::usage(format!(
                "the agent does not speak {id}: {}\nname the dialect to judge it by with --dialect, or play anyway with --no-probe{}",
                evidence(dialect, &by),
                hint.unwrap_or_default()
            ))),
            Heard::Dialect { index, by } => Err(Refusal::usage(format!(
                "the agent speaks {}, not {id}: {}\nname the one to judge it by with --dialect, or play anyway with --no-probe",
                all[index].id(),
                evidence(&all[index], &by),
            ))),
            Heard::Nothing(why) | Heard::Strange(why) => {
                let hint = hint.unwrap_or_else(|| self.hint());
                Err(Refusal::incomplete(format!(
                    "the agent did not come up: {why}\nnothing of {id} could be checked: {advice}{hint}"
                )))
            }
            other => Err(refusal(other)),
        }
    }

    /// Finds out which dialect the agent speaks, and says so.
    pub(super) async fn which(&self, source: &DialectSource) -> Result<String, Refusal> {
        let mut dialects = Vec::new();
        for (name, version) in source.names() {
            dialects.push(load(source, &format!("{name}@{version}"))?);
        }
        let mut suspects = Suspects::by_sight(self.agent, self.package, &dialects);
        if suspects.dialects.is_empty() && self.agent.args.is_none() {
            let help = self.ask(&["--help".to_owned()]).await;
            suspects = Suspects::by_help(&help, &dialects);
        }
        let candidates = if suspects.dialects.is_empty() {
            &dialects
        } else {
            &suspects.dialects
        };
        let (talking, mute): (Vec<_>, Vec<_>) = candidates.iter().cloned().partition(|dialect| {
            dialect.session.ready.is_some() || dialect.session.probe.is_some()
        });
        if talking.is_empty()
            && let Some(dialect) = mute.last()
        {
            return Ok(said_aloud(dialect, &suspects.why));
        }
        let also = |why: &str| match suspects.why.as_str() {
            "" => String::new(),
            seen => format!("{why}{seen}"),
        };
        match self.among(&talking).await {
            Ok((dialect, by)) => Ok(said_aloud(
                &dialect,
                &format!("{}{}", evidence(&dialect, &by), also("; ")),
            )),
            Err(Heard::Nothing(why)) => Err(Refusal::incomplete(format!(
                "the agent did not come up: {why}\nname its protocol with --dialect if it is one that begins in silence; known are {}{}{}",
                known(&dialects),
                also("\n"),
                self.hint()
            ))),
            Err(Heard::Strange(why)) => Err(Refusal::usage(format!(
                "cannot tell the agent's protocol: {why}\nname it with --dialect; known are {}{}",
                known(&dialects),
                also("\n"),
            ))),
            Err(other) => Err(refusal(other)),
        }
    }

    /// The package of a program of this dialect: the one that it is part of, else what it says of itself.
    pub(super) async fn package_by(&self, dialect: &Dialect) -> Option<Package> {
        let launch = &dialect.launch;
        let fits = |package: &&Package| launch.package.as_ref() == Some(&package.name);
        if let Some(package) = self.package.filter(fits) {
            return Some(package.clone());
        }
        let told = launch.version.as_ref()?;
        Package::told(&told.says, &self.ask(&told.args).await)
    }

    async fn ask(&self, args: &[String]) -> String {
        let (scale, cancel) = (self.args.time_scale, self.cancelled.clone());
        crate::runner::says(self.agent, args, self.scratch, scale, cancel).await
    }

    /// Which of these dialects the agent speaks, and the line that shows it. Without arguments of its own it is started with the
    /// recipe of each protocol, the newest version's first.
    async fn among(&self, dialects: &[Arc<Dialect>]) -> Result<(Arc<Dialect>, String), Heard> {
        let mut worst = Heard::Nothing("there is no dialect".to_owned());
        let families = dialects.chunk_by(|one, other| one.name == other.name);
        let newest_first = families.map(|family| family.iter().rev().cloned().collect());
        let mut groups: Vec<Vec<Arc<Dialect>>> = newest_first.collect();
        if self.agent.args.is_some() {
            groups = vec![groups.concat()];
        }
        for group in groups {
            match self.listen(&group, &group, None, 1.0).await {
                Heard::Dialect { index, by } => return Ok((Arc::clone(&group[index]), by)),
                stop @ (Heard::NotStarted(_) | Heard::Interrupted) => return Err(stop),
                strange @ Heard::Strange(_) => worst = strange,
                nothing if !matches!(worst, Heard::Strange(_)) => worst = nothing,
                _ => {}
            }
        }
        Err(worst)
    }

    /// What to do about an agent that does not find its files: it runs in a folder of its own.
    fn hint(&self) -> String {
        let relative = |arg: &&std::ffi::OsString| {
            let path = std::path::Path::new(arg);
            path.is_relative() && path.exists()
        };
        let args = self.args.agent.iter().skip(1);
        match args.clone().find(relative) {
            Some(arg) => format!(
                "\nthe agent runs in a folder of its own: name files by their whole path, as in {}",
                std::path::absolute(arg).unwrap_or_default().display()
            ),
            None => String::new(),
        }
    }

    async fn listen(
        &self,
        recipes: &[Arc<Dialect>],
        known: &[Arc<Dialect>],
        named: Option<usize>,
        patience: f64,
    ) -> Heard {
        let probe = Probe {
            agent: self.agent,
            recipes,
            known,
            named,
            wire: self.args.wire.as_deref(),
            time_scale: self.args.time_scale * patience,
        };
        probe.listen(self.scratch, self.cancelled.clone()).await
    }
}

/// What a version of a protocol is taken for.
#[derive(Debug, Default)]
pub(super) struct Spoken {
    /// Its place among those that it may be.
    index: usize,
    /// The line that shows it, if one does.
    by: Option<String>,
}

fn load(source: &DialectSource, id: &str) -> Result<Arc<Dialect>, Refusal> {
    dialect::load(source, id).map_err(|errors| Refusal::usage(catalogue::told(&errors)))
}

/// Every version of a protocol, the oldest first.
fn versions(source: &DialectSource, name: &str) -> Result<Vec<Arc<Dialect>>, Refusal> {
    let newest = load(source, name)?;
    let names = source.names().into_iter().filter(|(one, _)| one == name);
    let ids = names.map(|(name, version)| format!("{name}@{version}"));
    let mut all = ids
        .filter(|id| *id != newest.id())
        .map(|id| load(source, &id))
        .collect::<Result<Vec<_>, _>>()?;
    all.push(newest);
    Ok(all)
}

/// Every dialect but these, as far as they can be read.
fn others(source: &DialectSource, but: &[Arc<Dialect>]) -> Vec<Arc<Dialect>> {
    let names = source.names().into_iter();
    names
        .map(|(name, version)| format!("{name}@{version}"))
        .filter(|id| but.iter().all(|one| one.id() != *id))
        .filter_map(|other| dialect::load(source, &other).ok())
        .collect()
}

fn refusal(heard: Heard) -> Refusal {
    match heard {
        Heard::NotStarted(why) => Refusal::usage(why),
        Heard::Interrupted => Refusal::incomplete("interrupted before anything was played"),
        other => Refusal::harness(format!("{other:?}")),
    }
}

/// What showed which dialect an agent speaks.
fn evidence(dialect: &Dialect, line: &str) -> String {
    match &dialect.session.probe {
        Some(probe) => {
            let asked = probe.send.iter().map(|line| line["type"].to_string());
            let asked: Vec<_> = asked.collect();
            format!("asked {}, it wrote {line}", asked.join(" and "))
        }
        None => format!("its first words are {line}"),
    }
}

/// A version that the user names is the one to judge by, whatever the agent seems to speak.
fn as_named(id: &str, seems: &str, how: &str) -> Spoken {
    output::note(format_args!(
        "{seems}: {how}; it is judged by {id}, as you say"
    ));
    Spoken::default()
}

fn said_aloud(dialect: &Dialect, how: &str) -> String {
    output::note(format_args!(
        "the agent speaks {}: {how}; `--dialect` overrules this",
        dialect.id()
    ));
    dialect.id()
}
