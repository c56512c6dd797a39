//! Waiting for the agent, with a budget for everything.

use super::{Player, Stop};
use crate::frame::{Body, End, Frame};
use crate::runner::budgets::show;
use crate::runner::inbox::Item;
use crate::signals;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// How long after the end of its stdout an agent may take to end, before a step that waits for an event is given up.
const AFTER_STDOUT: Duration = Duration::from_secs(1);

/// A wait of one step.
#[derive(Debug)]
pub(super) struct Wait {
    began: Instant,
    /// When the agent was heard last, since the wait began.
    heard: Option<Instant>,
    /// A budget that the step names, or that goes with its kind.
    fixed: Option<(&'static str, Duration)>,
    /// Whether only the agent's stdout can bring what is waited for.
    stdout: bool,
    /// How long the agent could not be heard: that is no silence of its own.
    excused: Duration,
}

/// What came of waiting a little longer.
#[derive(Debug)]
pub(super) enum More {
    /// Something happened.
    Came,
    /// A budget ran out: what it is called, and how long it was.
    Late(&'static str, Duration),
    /// Nothing can come any more.
    Over,
}

impl Wait {
    /// A wait for an event, with the budgets of any step.
    pub(super) fn for_event() -> Self {
        Wait {
            began: Instant::now(),
            heard: None,
            fixed: None,
            stdout: true,
            excused: Duration::ZERO,
        }
    }

    /// A wait for an event, with a budget of its own.
    pub(super) fn for_event_within(fixed: (&'static str, Duration)) -> Self {
        Wait {
            fixed: Some(fixed),
            ..Wait::for_event()
        }
    }

    /// The same for something that need not come over stdout.
    pub(super) fn aside(self) -> Self {
        Wait {
            stdout: false,
            ..self
        }
    }
}

impl Player {
    /// Waits for the next thing to happen, and takes it in.
    pub(super) async fn more(&mut self, wait: &mut Wait) -> Result<More, Stop> {
        if self.live.end.is_some() {
            return Ok(More::Over);
        }
        let (_, at, _) = self.deadline(wait);
        let over = self
            .live
            .stdout_end
            .filter(|_| wait.stdout)
            .map(|end| end + AFTER_STDOUT);
        let wake = over.map_or(at, |over| over.min(at));
        let item = tokio::select! {
            biased;
            () = cancelled(&mut self.cancel) => return Err(Stop::Interrupted),
            item = self.inbox.next() => item,
            () = tokio::time::sleep_until(wake) => {
                let (name, at, length) = self.deadline(wait);
                return Ok(match Instant::now() {
                    now if over.is_some_and(|over| over < at && over <= now) => More::Over,
                    now if at <= now => More::Late(name, length),
                    _ => More::Came,
                });
            }
        };
        let (name, at, length) = self.deadline(wait);
        let when = self.when(&item);
        let line = matches!(
            &item,
            Item::Frame(Frame {
                body: Body::FromAgent(_),
                ..
            })
        );
        self.take(item)?;
        match when {
            Some(when) if when > at => Ok(More::Late(name, length)),
            Some(when) if line => {
                wait.heard = Some(when);
                Ok(More::Came)
            }
            _ => Ok(More::Came),
        }
    }

    /// The budget that runs out next, when, and its length.
    fn deadline(&mut self, wait: &mut Wait) -> (&'static str, Instant, Duration) {
        let deaf = self.inbox.deaf();
        wait.excused += deaf.saturating_sub(self.live.deaf);
        self.live.deaf = deaf;
        let (name, from, length) = self.budget(wait);
        match from + length + wait.excused {
            at if at <= self.until => (name, at, length),
            _ => ("total", self.until, self.budgets.total),
        }
    }

    /// The budget that counts now: its name, what it counts from, and its length.
    fn budget(&self, wait: &Wait) -> (&'static str, Instant, Duration) {
        if let Some((name, length)) = wait.fixed {
            return (name, wait.began, length);
        }
        let Player { budgets, live, .. } = self;
        let response = ("response", wait.began, budgets.response);
        let other = match wait.heard {
            _ if !live.heard => ("start", live.started, budgets.start),
            Some(heard) => ("idle", heard, budgets.idle),
            None => response,
        };
        if other.1 + other.2 > response.1 + response.2 {
            other
        } else {
            response
        }
    }

    /// When something happened: an agent that was in time is not to suffer from a harness that was late to look.
    fn when(&self, item: &Item) -> Option<Instant> {
        match item {
            Item::Frame(frame) => Some(self.live.started + Duration::from_micros(frame.at)),
            _ => None,
        }
    }

    /// How the agent ended, as the begin of a sentence.
    pub(super) fn how_it_ended(&self) -> String {
        match &self.live.end {
            Some(End::Exited { code, .. }) => format!("the agent exited with code {code}"),
            Some(End::Signalled { signal, .. }) => {
                format!("the agent was ended by {}", signals::name(*signal))
            }
            Some(End::Killed { why }) => format!("the agent was killed ({why})"),
            Some(End::Open) => "the recording ended".to_owned(),
            None if self.live.stdout_end.is_some() => "the agent closed its stdout".to_owned(),
            None => "the agent was running".to_owned(),
        }
    }
}

/// Returns when the run is to end.
pub(super) async fn cancelled(cancel: &mut watch::Receiver<bool>) {
    if cancel.wait_for(|cancelled| *cancelled).await.is_err() {
        // Nobody is left who could end it.
        std::future::pending().await
    }
}

/// A budget that ran out, in words.
pub(super) fn late(name: &str, length: Duration) -> String {
    match name {
        "within" => format!("within {}", show(length)),
        "total" => format!("before the whole scenario's {} were over", show(length)),
        "idle" => format!("before the agent had been silent for {}", show(length)),
        _ => format!("within {} (budget `{name}`)", show(length)),
    }
}
