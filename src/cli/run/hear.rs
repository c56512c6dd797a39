//! Listens to the agent before anything is played: an agent that never comes up is not to fail a hundred scenarios one by one.

use super::{Args, Refusal};
use crate::cli::output;
use crate::dialect::{self, Dialect, DialectSource};
use crate::runner::{Agent, Heard, Probe, Scratch};
use std::sync::Arc;
use tokio::sync::watch;

/// Who is listened to, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ear<'a> {
    pub(super) args: &'a Args,
    pub(super) agent: &'a Agent,
    pub(super) scratch: &'a Scratch,
    pub(super) cancelled: &'a watch::Receiver<bool>,
}

impl Ear<'_> {
    /// Makes sure that the agent says that it is up, where its dialect has a way to say so.
    pub(super) async fn comes_up(&self, dialect: &Arc<Dialect>) -> Result<(), Refusal> {
        let Some(ready) = &dialect.session.ready else {
            return Ok(());
        };
        let advice = format!(
            "nothing of {} could be checked: an agent of it says `{ready}` when it is up",
            dialect.id()
        );
        match self.listen(std::slice::from_ref(dialect), false).await {
            Heard::Dialect(_) => Ok(()),
            Heard::Nothing(why) | Heard::Strange(why) => Err(Refusal::incomplete(format!(
                "the agent did not come up: {why}\n{advice}{}",
                self.hint()
            ))),
            other => Err(refusal(other)),
        }
    }

    /// Finds out which dialect the agent speaks, and says so.
    pub(super) async fn which(&self, source: &DialectSource) -> Result<String, Refusal> {
        let mut dialects = Vec::new();
        for (name, version) in source.names() {
            let id = format!("{name}@{version}");
            let loaded = dialect::load(source, &id);
            dialects.push(
                loaded.map_err(|errors| Refusal::usage(crate::located::render_all(&errors)))?,
            );
        }
        let called = self
            .agent
            .program
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let by_name: Vec<_> = dialects
            .iter()
            .filter(|dialect| dialect.launch.programs.iter().any(|name| *name == called))
            .cloned()
            .collect();
        let candidates = if by_name.is_empty() {
            &dialects
        } else {
            &by_name
        };
        let (greeting, mute): (Vec<_>, Vec<_>) = candidates
            .iter()
            .cloned()
            .partition(|dialect| dialect.session.ready.is_some());
        if greeting.is_empty()
            && let Some(dialect) = mute.last()
        {
            return Ok(said_aloud(dialect, "by the agent's name"));
        }
        let heard = self.among(&greeting).await;
        match heard {
            Ok(dialect) => Ok(said_aloud(&dialect, "by the agent's first words")),
            Err(Heard::Nothing(why)) => Err(Refusal::incomplete(format!(
                "the agent did not come up: {why}\nname its protocol with --dialect if it is one that begins in silence; known are {}{}",
                known(&dialects),
                self.hint()
            ))),
            Err(Heard::Strange(why)) => Err(Refusal::usage(format!(
                "cannot tell the agent's protocol: {why}\nname it with --dialect; known are {}",
                known(&dialects)
            ))),
            Err(other) => Err(refusal(other)),
        }
    }

    /// Which of these dialects the agent speaks. Without arguments of its own it is started with the recipe of each.
    async fn among(&self, dialects: &[Arc<Dialect>]) -> Result<Arc<Dialect>, Heard> {
        let mut worst = Heard::Nothing("there is no dialect".to_owned());
        let groups: Vec<&[Arc<Dialect>]> = if self.agent.args.is_some() {
            vec![dialects]
        } else {
            dialects
                .chunk_by(|one, other| one.launch == other.launch)
                .collect()
        };
        for group in groups {
            match self.listen(group, true).await {
                Heard::Dialect(index) => return Ok(Arc::clone(&group[index])),
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

    async fn listen(&self, dialects: &[Arc<Dialect>], strict: bool) -> Heard {
        let probe = Probe {
            agent: self.agent,
            dialects,
            wire: self.args.wire.as_deref(),
            strict,
            time_scale: self.args.time_scale,
        };
        probe.listen(self.scratch, self.cancelled.clone()).await
    }
}

fn refusal(heard: Heard) -> Refusal {
    match heard {
        Heard::NotStarted(why) => Refusal::usage(why),
        Heard::Interrupted => Refusal::incomplete("interrupted before anything was played"),
        other => Refusal::harness(format!("{other:?}")),
    }
}

fn said_aloud(dialect: &Dialect, how: &str) -> String {
    output::note(format_args!("the agent speaks {} ({how})", dialect.id()));
    dialect.id()
}

fn known(dialects: &[Arc<Dialect>]) -> String {
    dialects
        .iter()
        .map(|dialect| dialect.id())
        .collect::<Vec<_>>()
        .join(", ")
}
