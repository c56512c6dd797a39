//! Waiting for the agent, with a budget for everything.

use super::agent_session::AgentEvent;
use super::context::EarlyStop;
use super::player::ScenarioPlayer;
use super::skip::{offered, undeclared_capability, unoffered_tool};
use super::step_finding::StepFinding;
use crate::dialect::FrameIdentity;
use crate::frame::{Body, End, Frame, Line};
use crate::framing::{Defect, parse};
use crate::runner::event_queue::SessionEvent;
use crate::runner::limits::show;
use crate::runner::step_rules;
use crate::signals;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// How long after the end of its stdout an agent may take to end, before a step that waits for an event is given up.
const AFTER_STDOUT: Duration = Duration::from_secs(1);

/// A wait of one step.
#[derive(Debug)]
pub(super) struct EventWait {
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
pub(super) enum WaitResult {
    /// Something happened.
    Came,
    /// A budget ran out: what it is called, and how long it was.
    Late(&'static str, Duration),
    /// Nothing can come any more.
    Over,
}

impl EventWait {
    /// A wait for an event, with the budgets of any step.
    pub(super) fn for_event() -> Self {
        EventWait {
            began: Instant::now(),
            heard: None,
            fixed: None,
            stdout: true,
            excused: Duration::ZERO,
        }
    }

    /// A wait for an event, with a budget of its own.
    pub(super) fn for_event_within(fixed: (&'static str, Duration)) -> Self {
        EventWait {
            fixed: Some(fixed),
            ..EventWait::for_event()
        }
    }

    /// The same for something that need not come over stdout.
    pub(super) fn aside(self) -> Self {
        EventWait {
            stdout: false,
            ..self
        }
    }
}

impl ScenarioPlayer {
    /// Waits for the next thing to happen, and takes it in.
    pub(super) async fn more(&mut self, wait: &mut EventWait) -> Result<WaitResult, EarlyStop> {
        if self.session.end.is_some() {
            return Ok(WaitResult::Over);
        }
        let (_, at, _) = self.deadline(wait);
        let over = self
            .session
            .stdout_end
            .filter(|_| wait.stdout)
            .map(|end| end + AFTER_STDOUT);
        let wake = over.map_or(at, |over| over.min(at));
        let item = tokio::select! {
            biased;
            () = cancelled(&mut self.cancel) => return Err(EarlyStop::Interrupted),
            item = self.queue.next() => item,
            () = tokio::time::sleep_until(wake) => {
                let (name, at, length) = self.deadline(wait);
                return Ok(match Instant::now() {
                    now if over.is_some_and(|over| over < at && over <= now) => WaitResult::Over,
                    now if at <= now => WaitResult::Late(name, length),
                    _ => WaitResult::Came,
                });
            }
        };
        let (name, at, length) = self.deadline(wait);
        let when = self.when(&item);
        let line = matches!(
            &item,
            SessionEvent::Frame(Frame {
                body: Body::FromAgent(_),
                ..
            })
        );
        self.take(item)?;
        match when {
            Some(when) if when > at => Ok(WaitResult::Late(name, length)),
            Some(when) if line => {
                wait.heard = Some(when);
                Ok(WaitResult::Came)
            }
            _ => Ok(WaitResult::Came),
        }
    }

    /// Takes in one thing that happened.
    pub(super) fn take(&mut self, item: SessionEvent) -> Result<(), EarlyStop> {
        match item {
            SessionEvent::Frame(frame) => {
                let n = self.session.recorder.push(&frame);
                match frame.body {
                    Body::FromAgent(line) => self.line(n, &line)?,
                    Body::LlmRequest(request) => {
                        self.requests.came(request.n, (self.past_sessions.len(), n));
                        self.offered.insert(request.n, offered(&request.body));
                        self.session.requests.push_back((n, request));
                    }
                    Body::LlmReply(reply) => {
                        self.requests.answered(&reply);
                        self.session.replies.push_back(reply);
                    }
                    Body::ToAgent(_) => self.requests.host_wrote((self.past_sessions.len(), n)),
                    Body::End(end) => self.session.end = Some(end),
                    _ => {}
                }
            }
            SessionEvent::StdoutEnd => self.session.stdout_end = Some(Instant::now()),
            SessionEvent::Answered { n, reply } => {
                if let (Some(reply), Some(offered)) =
                    (self.script.replies.get(reply), self.offered.get(&n))
                    && let Some(why) = unoffered_tool(&self.suite.dialect, reply, offered)
                {
                    return Err(EarlyStop::Skipped(why));
                }
            }
            SessionEvent::Failure(failure) => self.model_failure(&failure),
            SessionEvent::Overflow { bytes, lines } => {
                self.charge(StepFinding::new(
                    step_rules::OUTPUT,
                    format!("the agent wrote {bytes} bytes in {lines} whole lines, and went on; it was killed"),
                ));
                return Err(EarlyStop::Failed(Some("output")));
            }
        }
        Ok(())
    }

    fn line(&mut self, n: u64, line: &Line) -> Result<(), EarlyStop> {
        self.session.heard = true;
        let parsed = parse(line);
        if parsed.defects.contains(&Defect::Blank) {
            return Ok(());
        }
        let value = parsed.value.unwrap_or_default();
        let name = match self.suite.dialect.events.name(&value) {
            FrameIdentity::Known(_, Some(name))
            | FrameIdentity::Known(name, None)
            | FrameIdentity::Unknown(name) => name,
            FrameIdentity::Missing if value.is_object() => "an object without a name".to_owned(),
            FrameIdentity::Missing => "a line that is no event".to_owned(),
        };
        if value.is_object() {
            let skip = undeclared_capability(&self.suite.dialect, &self.scenario, &value);
            skip.map_or(Ok(()), |why| Err(EarlyStop::Skipped(why)))?;
            self.answer(&value)?;
        }
        self.session.events.push_back(AgentEvent { n, name, value });
        Ok(())
    }

    /// The budget that runs out next, when, and its length.
    fn deadline(&mut self, wait: &mut EventWait) -> (&'static str, Instant, Duration) {
        let deaf = self.queue.deaf();
        wait.excused += deaf.saturating_sub(self.session.deaf);
        self.session.deaf = deaf;
        let (name, from, length) = self.budget(wait);
        match from + length + wait.excused {
            at if at <= self.until => (name, at, length),
            _ => ("total", self.until, self.budgets.total),
        }
    }

    /// The budget that counts now: its name, what it counts from, and its length.
    fn budget(&self, wait: &EventWait) -> (&'static str, Instant, Duration) {
        if let Some((name, length)) = wait.fixed {
            return (name, wait.began, length);
        }
        let ScenarioPlayer {
            budgets, session, ..
        } = self;
        let response = ("response", wait.began, budgets.response);
        let other = match wait.heard {
            _ if !session.heard => ("start", session.started, budgets.start),
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
    fn when(&self, item: &SessionEvent) -> Option<Instant> {
        match item {
            SessionEvent::Frame(frame) => {
                Some(self.session.started + Duration::from_micros(frame.at))
            }
            _ => None,
        }
    }

    /// How the agent ended, as the begin of a sentence.
    pub(super) fn how_it_ended(&self) -> String {
        match &self.session.end {
            Some(End::Exited { code, .. }) => format!("the agent exited with code {code}"),
            Some(End::Signalled { signal, .. }) => {
                format!("the agent was ended by {}", signals::name(*signal))
            }
            Some(End::Killed { why }) => format!("the agent was killed ({why})"),
            Some(End::Open) => "the recording ended".to_owned(),
            None if self.session.stdout_end.is_some() => "the agent closed its stdout".to_owned(),
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
