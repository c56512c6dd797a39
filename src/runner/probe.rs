//! The first words of an agent: does it come up at all, and which dialect does it speak?

mod ears;
mod says;

use super::agent::Agent;
use super::budgets::{show, stretch};
use super::inbox::{Inbox, Item};
use super::launch::{Plan, places};
use super::limits;
use super::play::{Stop, serve};
use super::process::Process;
use super::scratch::{Room, Scratch};
use crate::dialect::Dialect;
use crate::dialect::file::{LaunchRecipe, WireRecipe};
use crate::frame::{Body, End, Frame, Line};
use crate::scenario::types::AgentSetup;
use crate::signals;
use ears::{Ears, Signs};
use indexmap::IndexSet;
use mock_provider::Script;
use mock_provider::server::Server;
pub use says::says;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// An agent that is listened to.
#[derive(Debug, Clone, Copy)]
pub struct Probe<'a> {
    /// The agent.
    pub agent: &'a Agent,
    /// The dialects whose recipes it is started with. It gets the arguments of the first, the environment and the files of all.
    pub recipes: &'a [Arc<Dialect>],
    /// Every dialect that it may turn out to speak.
    pub known: &'a [Arc<Dialect>],
    /// The one of them that it is said to speak.
    pub named: Option<usize>,
    /// The wire of the recipes that the model is served over; the first if `None`.
    pub wire: Option<&'a str>,
    /// By how much the budget is stretched.
    pub time_scale: f64,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// It speaks the dialect at this place of those that are known.
    Dialect {
        /// The place.
        index: usize,
        /// The line that shows it.
        by: String,
    },
    /// It wrote this line, which agents of the dialect that is named never write.
    Barred(String),
    /// It said nothing at all; the sentence says what it did instead.
    Nothing(String),
    /// It said something else.
    Strange(String),
    /// It could not be started; the sentence says why.
    NotStarted(String),
    /// The run is to end.
    Interrupted,
}

/// Where dialects do not say how long a start may take.
const START: Duration = Duration::from_secs(10);
/// How long an agent that has shown what it does not speak, or what it may speak, may take to show what it does.
const SECOND_THOUGHTS: Duration = Duration::from_secs(2);
/// How many lines of a stranger are looked at.
const LINES: u32 = 1000;
/// How much of its first line is shown.
const SHOWN: usize = 200;

impl Probe<'_> {
    /// Starts the agent and listens for its first words; then kills it.
    pub async fn listen(&self, scratch: &Scratch, mut cancel: watch::Receiver<bool>) -> Heard {
        let inbox = Arc::new(Inbox::default());
        let (process, _server, _room) = match self.start(scratch, &inbox) {
            Ok(started) => started,
            Err(why) => return Heard::NotStarted(why),
        };
        self.ask(&process);
        let listened = tokio::select! {
            biased;
            _ = cancel.wait_for(|cancelled| *cancelled) => None,
            heard = self.first_words(&inbox) => Some(heard),
        };
        let (heard, over) = listened.unwrap_or((Heard::Interrupted, false));
        if !over {
            kill(&process, &inbox).await;
        }
        heard
    }

    fn start(
        &self,
        scratch: &Scratch,
        inbox: &Arc<Inbox>,
    ) -> Result<(Process, Server, Room), String> {
        let room = scratch
            .room()
            .map_err(|error| format!("cannot make scratch folders: {error}"))?;
        let server = serve(Script::default(), 0, inbox).map_err(|stop| match stop {
            Stop::Broken(why) => why,
            other => format!("{other:?}"),
        })?;
        let (recipe, wire) = self.recipe();
        let plan = Plan {
            agent: self.agent,
            recipe: &recipe,
            wire: Some(&wire),
            setup: &AgentSetup::default(),
            places: &places(&room, &server.url()),
        };
        plan.write_files(&room)?;
        let launch = plan.launch(&room)?;
        let grace = stretch(limits::ORPHAN_GRACE, self.time_scale.max(1.0));
        let process = Process::start(&launch, inbox, grace).map_err(|error| error.to_string())?;
        Ok((process, server, room))
    }

    /// Says what brings agents to speak that begin in silence.
    fn ask(&self, process: &Process) {
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

    /// What the agent says first, and whether it is over with it.
    async fn first_words(&self, inbox: &Inbox) -> (Heard, bool) {
        let budgets = self
            .recipes
            .iter()
            .filter_map(|dialect| dialect.budget("start"));
        let budget = stretch(budgets.max().unwrap_or(START), self.time_scale);
        let mut until = Instant::now() + budget;
        let (mut first, mut lines) = (None, 0);
        let mut ears = Ears::new(self.known, self.named);
        let mut complaint = Complaint::default();
        loop {
            let Ok(item) = tokio::time::timeout_at(until, inbox.next()).await else {
                let when = format!("in {} (budget `start`){complaint}", show(budget));
                return (self.said(first, &ears, inbox.unfinished(), &when), false);
            };
            match item {
                Item::Frame(frame) => match frame.body {
                    Body::FromAgent(line) => {
                        ears.hear(&line, || shown(&line));
                        if let Some((index, by)) = ears.verdict() {
                            return (Heard::Dialect { index, by }, false);
                        }
                        if ears.signs().against.is_some() || ears.likeliest().is_some() {
                            until = until
                                .min(Instant::now() + stretch(SECOND_THOUGHTS, self.time_scale));
                        }
                        first.get_or_insert_with(|| shown(&line));
                        lines += 1;
                        if lines == LINES {
                            let when = format!("in {LINES} lines");
                            return (self.said(first, &ears, 0, &when), false);
                        }
                    }
                    Body::Stderr(line) if !line.bytes.is_empty() => {
                        complaint.hear(shown(&line));
                    }
                    Body::End(end) => {
                        let when = format!("before it {}{complaint}", ended(&end));
                        return (self.said(first, &ears, 0, &when), true);
                    }
                    _ => {}
                },
                Item::Overflow { bytes, .. } => {
                    let when = format!("in {bytes} bytes");
                    return (self.said(first, &ears, bytes, &when), false);
                }
                Item::StdoutEnd | Item::Answered { .. } | Item::Failure(_) => {}
            }
        }
    }

    /// What to make of an agent that did not show beyond doubt what it speaks. One that wrote an event of the dialect that is named is
    /// to be judged by it.
    fn said(&self, first: Option<String>, ears: &Ears<'_>, bytes: u64, when: &str) -> Heard {
        if let Some((index, by)) = ears.likeliest() {
            return Heard::Dialect { index, by };
        }
        match (self.named, ears.signs(), first) {
            (
                Some(_),
                Signs {
                    against: Some(by), ..
                },
                _,
            ) => Heard::Barred(by),
            (Some(index), Signs { of: Some(by), .. }, _) => Heard::Dialect { index, by },
            (_, _, Some(first)) => Heard::Strange(format!(
                "it did not say that it is up {when}; the first thing it wrote is {first:?}"
            )),
            (_, _, None) if bytes > 0 => Heard::Strange(format!(
                "it wrote {bytes} bytes and no end of a line {when}"
            )),
            _ => Heard::Nothing(format!("it wrote nothing {when}")),
        }
    }
}

/// Kills an agent that was listened to, and waits until it is gone.
async fn kill(process: &Process, inbox: &Inbox) {
    process.kill("probe");
    let gone = async { while !is_end(&inbox.next().await) {} };
    if tokio::time::timeout(limits::KILL_PATIENCE, gone)
        .await
        .is_err()
    {
        tracing::warn!("the agent that was listened to is still there");
    }
}

fn is_end(item: &Item) -> bool {
    matches!(
        item,
        Item::Frame(Frame {
            body: Body::End(_),
            ..
        })
    )
}

/// What an agent that does not come up says of it on stderr.
#[derive(Default)]
struct Complaint {
    /// The last line.
    last: Option<String>,
    /// The last one that speaks of an error, which some runtimes follow up with their own version or advice.
    error: Option<String>,
}

impl Complaint {
    fn hear(&mut self, line: String) {
        let words = line.to_lowercase();
        if words.contains("error") || words.contains("panicked") {
            self.error = Some(line.clone());
        }
        self.last = Some(line);
    }
}

impl std::fmt::Display for Complaint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.error, &self.last) {
            (Some(error), Some(last)) if error != last => write!(f, "; on its stderr: {error:?}"),
            (_, Some(last)) => write!(f, "; the last line of its stderr: {last:?}"),
            (_, None) => Ok(()),
        }
    }
}

fn shown(line: &Line) -> String {
    line.text().chars().take(SHOWN).collect()
}

fn ended(end: &End) -> String {
    match end {
        End::Exited { code, .. } => format!("exited with code {code}"),
        End::Signalled { signal, .. } => format!("was ended by {}", signals::name(*signal)),
        End::Killed { why } => format!("was killed ({why})"),
        End::Open => "was let go".to_owned(),
    }
}
