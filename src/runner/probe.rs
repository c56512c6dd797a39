//! The first words of an agent: does it come up at all, and which dialect does it speak?

use super::agent::Agent;
use super::budgets::{show, stretch};
use super::inbox::{Inbox, Item};
use super::launch::{Plan, places};
use super::limits;
use super::play::{Stop, serve};
use super::process::Process;
use super::scratch::{Room, Scratch};
use super::signals;
use crate::dialect::file::{Launch as Recipe, Wire};
use crate::dialect::{Dialect, Named};
use crate::frame::{Body, End, Frame, Line};
use crate::framing::parse;
use crate::scenario::types::AgentSetup;
use mock_provider::Script;
use mock_provider::server::Server;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// An agent that is listened to.
#[derive(Debug, Clone, Copy)]
pub struct Probe<'a> {
    /// The agent.
    pub agent: &'a Agent,
    /// The dialects it may speak. With arguments of its own it gets what their recipes add together, else the first one's.
    pub dialects: &'a [Arc<Dialect>],
    /// The wire of the recipes that the model is served over; the first if `None`.
    pub wire: Option<&'a str>,
    /// Whether its first event must be just as the dialect wants it, which tells dialects apart.
    pub strict: bool,
    /// By how much the budget is stretched.
    pub time_scale: f64,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// It said what an agent of the dialect at this place says first.
    Dialect(usize),
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
        let listened = tokio::select! {
            biased;
            _ = cancel.wait_for(|cancelled| *cancelled) => None,
            heard = self.first_words(&inbox) => Some(heard),
        };
        let (heard, over) = listened.unwrap_or((Heard::Interrupted, false));
        if !over {
            process.kill("probe");
            let gone = async { while !is_end(&inbox.next().await) {} };
            if tokio::time::timeout(limits::KILL_PATIENCE, gone)
                .await
                .is_err()
            {
                tracing::warn!("the agent that was listened to is still there");
            }
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
        let grace = stretch(limits::ORPHAN_GRACE, self.time_scale);
        let process = Process::start(&launch, inbox, grace).map_err(|error| error.to_string())?;
        Ok((process, server, room))
    }

    /// The recipes as one: the arguments of the first, the environment and the files of all.
    fn recipe(&self) -> (Recipe, Wire) {
        let mut all = Recipe::default();
        let mut wires = Wire::default();
        for Dialect { launch, .. } in self.dialects.iter().map(AsRef::as_ref).rev() {
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
            .dialects
            .iter()
            .filter_map(|dialect| dialect.budget("start"));
        let budget = stretch(budgets.max().unwrap_or(START), self.time_scale);
        let until = Instant::now() + budget;
        let (mut first, mut lines) = (None, 0);
        let mut complaint = String::new();
        loop {
            let Ok(item) = tokio::time::timeout_at(until, inbox.next()).await else {
                let when = format!("in {} (budget `start`){complaint}", show(budget));
                return (said(first, inbox.unfinished(), &when), false);
            };
            match item {
                Item::Frame(frame) => match frame.body {
                    Body::FromAgent(line) => {
                        if let Some(index) =
                            self.dialects.iter().position(|d| self.greets(d, &line))
                        {
                            return (Heard::Dialect(index), false);
                        }
                        first.get_or_insert_with(|| shown(&line));
                        lines += 1;
                        if lines == LINES {
                            return (said(first, 0, &format!("in {LINES} lines")), false);
                        }
                    }
                    Body::Stderr(line) if !line.bytes.is_empty() => {
                        complaint = format!("; the last line of its stderr: {:?}", shown(&line));
                    }
                    Body::End(end) => {
                        let when = format!("before it {}{complaint}", ended(&end));
                        return (said(first, 0, &when), true);
                    }
                    _ => {}
                },
                Item::Overflow { bytes, .. } => {
                    return (said(first, bytes, &format!("in {bytes} bytes")), false);
                }
                Item::StdoutEnd | Item::Failure(_) => {}
            }
        }
    }

    /// Whether a line is the one by which an agent of a dialect says that it is up.
    fn greets(&self, dialect: &Dialect, line: &Line) -> bool {
        let Some(value) = parse(line).value else {
            return false;
        };
        let Named::Known(name, _) = dialect.events.name(&value) else {
            return false;
        };
        if dialect.session.ready.as_ref() != Some(&name) {
            return false;
        }
        let is_version = |text: &str| match &dialect.session.version {
            Some((_, _, versions)) => versions.is_match(text),
            None => true,
        };
        let version = dialect
            .session
            .version
            .as_ref()
            .and_then(|(_, at, _)| value.pointer(at));
        let version = version.map(|version| match version.as_str() {
            Some(text) => text.to_owned(),
            None => version.to_string(),
        });
        !self.strict
            || dialect.event_schemas.is_valid(&name, &value)
                && version.is_none_or(|text| is_version(&text))
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

fn shown(line: &Line) -> String {
    line.text().chars().take(SHOWN).collect()
}

fn said(first: Option<String>, unfinished: u64, when: &str) -> Heard {
    match first {
        Some(first) => Heard::Strange(format!(
            "it did not say that it is up {when}; the first thing it wrote is {first:?}"
        )),
        None if unfinished > 0 => Heard::Strange(format!(
            "it wrote {unfinished} bytes and no end of a line {when}"
        )),
        None => Heard::Nothing(format!("it wrote nothing {when}")),
    }
}

fn ended(end: &End) -> String {
    match end {
        End::Exited { code, .. } => format!("exited with code {code}"),
        End::Signalled { signal, .. } => format!("was ended by {}", signals::name(*signal)),
        End::Killed { why } => format!("was killed ({why})"),
        End::Open => "was let go".to_owned(),
    }
}
