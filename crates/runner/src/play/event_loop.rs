//! The event loop of a scenario: waits for the next event of the session within the timeout budgets, and handles it.

use super::context::EarlyStop;
use super::event_log::AgentEvent;
use super::player::ScenarioPlayer;
use super::settle::EarlyEnd;
use super::skip::{offered, undeclared_capability, unoffered_tool};
use super::step_finding::StepFinding;
use crate::event_queue::SessionEvent;
use crate::limits::show;
use crate::process::quiet_watch::QuietWatch;
use crate::process::spawn_error::ended;
use crate::process::starvation::{self, TreeCpuTimes};
use crate::step_rules;
use conform_judge::finding::DifferenceKind;
use conform_judge::frame::Body;
use conform_judge::framing::Parsed;
use serde_json::Value;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// How long a step that waits for an event continues to wait after stdout has ended, so that the end of the process can be reported.
const AFTER_STDOUT: Duration = Duration::from_secs(1);

/// The timeouts of one step that waits.
#[derive(Debug)]
pub(super) struct EventWait {
    began: Instant,
    /// When the agent wrote its last line since the wait began.
    last_line: Option<Instant>,
    /// The only timeout of the step, with its name, where it has its own.
    fixed: Option<(&'static str, Duration)>,
    /// Whether the wait is over when stdout has ended.
    needs_stdout: bool,
    /// Ends the wait early when nothing more can come; `None` for a wait that must last.
    pub(super) settle: Option<QuietWatch>,
    /// What the agent had of the CPU when half of the timeout had passed, and when that was.
    cpu_before: Option<(Instant, TreeCpuTimes)>,
    /// How long stdout was not read because the event queue was full. It extends the timeouts.
    time_full: Duration,
}

/// The result of waiting for one event.
#[derive(Debug)]
pub(super) enum WaitResult {
    /// An event was handled, or nothing happened yet.
    Event,
    /// A timeout budget ran out: its name and its length.
    TimedOut(&'static str, Duration),
    /// Nothing more could come. With the name of the timeout budget that would have run out.
    Settled(&'static str),
    /// The agent has ended, or its stdout has.
    AgentEnded,
}

impl EventWait {
    /// A wait for an event of the agent, with the usual timeouts of a step.
    pub(super) fn for_event() -> Self {
        EventWait {
            began: Instant::now(),
            last_line: None,
            fixed: None,
            needs_stdout: true,
            settle: None,
            cpu_before: None,
            time_full: Duration::ZERO,
        }
    }

    /// A wait for an event of the agent, with one timeout of its own.
    pub(super) fn for_event_within(fixed: (&'static str, Duration)) -> Self {
        EventWait {
            fixed: Some(fixed),
            ..EventWait::for_event()
        }
    }

    /// The same wait, which ends early when nothing more can come for the `settle` budget.
    pub(super) fn settling(self, budget: Duration) -> Self {
        EventWait {
            settle: Some(QuietWatch::new(budget / 2)),
            ..self
        }
    }

    /// Whether the timeouts are the usual ones of a step.
    pub(super) fn has_usual_budgets(&self) -> bool {
        self.fixed.is_none()
    }

    /// The same wait for something other than a line of stdout.
    pub(super) fn without_stdout(self) -> Self {
        EventWait {
            needs_stdout: false,
            ..self
        }
    }
}

impl ScenarioPlayer {
    /// Looks at the session after each event, until a look gives a result. The inner error is the reason why the wait ends early.
    pub(super) async fn wait_until<T>(
        &mut self,
        wait: &mut EventWait,
        mut look: impl FnMut(&mut Self) -> Option<T>,
    ) -> Result<Result<T, WaitResult>, EarlyStop> {
        loop {
            if let Some(found) = look(self) {
                return Ok(Ok(found));
            }
            let result = self.next_event(wait).await?;
            if !matches!(result, WaitResult::Event) {
                return Ok(Err(result));
            }
        }
    }

    /// Waits for the next event of the session, and handles it.
    pub(super) async fn next_event(
        &mut self,
        wait: &mut EventWait,
    ) -> Result<WaitResult, EarlyStop> {
        if self.session.end.is_some() {
            return Ok(WaitResult::AgentEnded);
        }
        let (name, at, length) = self.deadline(wait);
        let stdout_end = self.session.stdout_end.filter(|_| wait.needs_stdout);
        let stdout_deadline = stdout_end.map(|end| end + AFTER_STDOUT);
        let settle_at = self.settle_at(wait);
        let may_starve = name != "quiet" && length / 2 >= starvation::LEAST_WAIT;
        let half_at = (may_starve && wait.cpu_before.is_none()).then(|| at - length / 2);
        let others = [stdout_deadline, settle_at, half_at].into_iter().flatten();
        let wake = others.fold(at, Instant::min);
        let event = tokio::select! {
            biased;
            () = cancelled(&mut self.cancel) => return Err(EarlyStop::Interrupted),
            event = self.queue.next() => event,
            () = tokio::time::sleep_until(wake) => {
                let (name, at, length) = self.deadline(wait);
                return Ok(match Instant::now() {
                    now if stdout_deadline.is_some_and(|deadline| deadline < at && deadline <= now) => WaitResult::AgentEnded,
                    now if at <= now && self.was_over(wait) => WaitResult::Settled(name),
                    now if at <= now && name != "quiet" && self.was_starved(wait) => {
                        self.starved(wait, name)?;
                        WaitResult::Event
                    }
                    now if at <= now => WaitResult::TimedOut(name, length),
                    now if half_at.is_some_and(|half| half <= now) => {
                        wait.cpu_before = Some((now, self.session.process.cpu_times()));
                        WaitResult::Event
                    }
                    now if settle_at.is_some_and(|at| at <= now) => match self.early_end(wait) {
                        Some(EarlyEnd::Settled) => WaitResult::Settled(name),
                        Some(EarlyEnd::Idle) => WaitResult::TimedOut("smoke", self.budgets.smoke),
                        None => WaitResult::Event,
                    },
                    _ => WaitResult::Event,
                });
            }
        };
        let (name, at, length) = self.deadline(wait);
        let when = self.time_of(&event);
        let is_line =
            matches!(&event, SessionEvent::Frame(one) if matches!(one.body, Body::FromAgent(_)));
        self.handle(event)?;
        wait.settle.iter_mut().for_each(QuietWatch::restart);
        match when {
            Some(when) if when > at => Ok(WaitResult::TimedOut(name, length)),
            Some(when) if is_line => {
                wait.last_line = Some(when);
                wait.cpu_before = None;
                Ok(WaitResult::Event)
            }
            _ => Ok(WaitResult::Event),
        }
    }

    /// Handles one event of the session: records it, and updates the state of the scenario.
    pub(super) fn handle(&mut self, event: SessionEvent) -> Result<(), EarlyStop> {
        match event {
            SessionEvent::Frame(frame) => {
                let parsed = Parsed::new(&frame);
                let was_at_rest = self.session.recorder.checker().is_work_over();
                let n = self.session.recorder.push(&frame, &parsed);
                match frame.body {
                    Body::FromAgent(_) => self.handle_line(n, parsed)?,
                    Body::LlmRequest(request) => {
                        self.requests.add(request.n, (self.past_sessions.len(), n));
                        self.offered.insert(request.n, offered(&request.body));
                        self.session.requests.push_back((n, request));
                    }
                    Body::LaneRequest { lane, request } => {
                        *self.run.report.lanes.entry(lane.clone()).or_default() += 1;
                        self.session.lane_requests.push_back((n, lane, request));
                    }
                    Body::LlmReply(reply) => {
                        self.requests.add_reply(&reply);
                        self.session.replies.push_back(reply);
                    }
                    Body::Mcp(event) => {
                        let name = event.name();
                        self.session.mcp_events.push_back((n, name, event.value()));
                    }
                    Body::ToAgent(_) => {
                        self.requests.add_command((self.past_sessions.len(), n));
                        let command = self.named_newest(parsed.value.unwrap_or_default());
                        self.note_stop(&command);
                        self.note_command(n, &command, was_at_rest);
                    }
                    Body::End(end) => {
                        self.starting = None;
                        self.session.end = Some(end);
                    }
                    _ => {}
                }
            }
            SessionEvent::StdoutEnd => self.session.stdout_end = Some(Instant::now()),
            SessionEvent::Answered { n, reply } => {
                let dialect = &self.suite.dialect;
                if let Some(reply) = self.script.replies.get(reply)
                    && let Some(why) = unoffered_tool(dialect, reply, &self.offered, n)
                {
                    self.skipped_after = Some(self.session.recorder.number());
                    return Err(EarlyStop::Skipped(why));
                }
            }
            SessionEvent::SideRequest(request) => {
                let at = (self.past_sessions.len(), self.session.recorder.number());
                self.requests.add(request, at);
            }
            SessionEvent::TerminalEnded { name, end } => self.terminal_ended(&name, &end)?,
            SessionEvent::AnswerDue(number) => self.answer_due(number)?,
            SessionEvent::Failure(failure) => self.model_failure(&failure),
            SessionEvent::Overflow { bytes, lines } => {
                self.add_finding(StepFinding::new(
                    step_rules::OUTPUT,
                    format!("the agent wrote {bytes} bytes in {lines} complete lines and did not stop; it was killed"),
                    DifferenceKind::Condition,
                ));
                return Err(EarlyStop::Failed(Some("output")));
            }
        }
        Ok(())
    }

    /// Handles the events up to the newest line that the host has sent, so that it is known what came before it.
    pub(super) fn handle_sent(&mut self) -> Result<(), EarlyStop> {
        while self.session.unhandled_sends > 0
            && let Some(event) = self.queue.take()
        {
            self.handle(event)?;
        }
        Ok(())
    }

    fn note_command(&mut self, n: u64, command: &Value, was_at_rest: bool) {
        let dialect = &self.suite.dialect;
        let is_prompt = self.is_prompt(command);
        let begins_turn = was_at_rest && (is_prompt || dialect.session.prompts.is_empty());
        let name = &dialect.commands.discriminator;
        let command = self.shown_by(command);
        let log = &mut self.session.events;
        log.note_command(n, &command, name, begins_turn);
        self.session.unhandled_sends = self.session.unhandled_sends.saturating_sub(1);
        if is_prompt && self.session.first_prompt.is_none() {
            self.session.first_prompt = Some(n);
        }
    }

    fn handle_line(&mut self, n: u64, parsed: Parsed) -> Result<(), EarlyStop> {
        if !std::mem::replace(&mut self.session.has_written, true) {
            // How long an agent takes to start is a matter of its `start` budget.
            self.total_deadline = Instant::now() + self.budgets.total;
        }
        self.starting = None;
        if parsed.has("blank-line") {
            return Ok(());
        }
        let value = self.named_newest(parsed.value.unwrap_or_default());
        let identity = self.suite.dialect.events.identify(&value);
        let text = self.suite.dialect.session.text.as_deref();
        let is_text = text.is_some_and(|text| identity.is(text));
        let nameless = if value.is_object() {
            "an object without a name"
        } else {
            "a line that is not an event"
        };
        let name = identity.into_name().unwrap_or_else(|| nameless.to_owned());
        let is_answer = self.session.first_prompt.is_some();
        self.session.has_answered |= is_answer;
        self.session.has_shown_text |= is_answer && is_text;
        if value.is_object() {
            let skip = undeclared_capability(&self.suite.dialect, &self.scenario, &value)
                .or_else(|| self.refusal(&value));
            skip.map_or(Ok(()), |why| Err(EarlyStop::Skipped(why)))?;
            if !self.send_answer(&value)? {
                self.answer_request(&value)?;
            }
        }
        let ends_turn = self.session.recorder.checker().ended_turn();
        self.session.events.push(AgentEvent {
            n,
            name,
            value,
            ends_turn,
        });
        Ok(())
    }

    /// The timeout that runs out next: its name, its deadline, and its length.
    fn deadline(&mut self, wait: &mut EventWait) -> (&'static str, Instant, Duration) {
        let time_full = self.queue.time_full();
        wait.time_full += time_full.saturating_sub(self.session.time_full);
        self.session.time_full = time_full;
        let (name, from, length) = self.budget(wait);
        match from + length + wait.time_full {
            at if at <= self.total_deadline => (name, at, length),
            _ => ("total", self.total_deadline, self.budgets.total),
        }
    }

    /// The timeout that applies now: its name, its start, and its length.
    fn budget(&self, wait: &EventWait) -> (&'static str, Instant, Duration) {
        let ScenarioPlayer {
            budgets, session, ..
        } = self;
        let extensions = u32::from(session.is_start_extended);
        let start = budgets.start * (1 + extensions);
        if let Some((name, length)) = wait.fixed {
            let is_asked = !session.process.is_stdin_open() || session.was_signalled;
            // An agent that ends by itself must start first.
            if name == "exit" && !session.has_written && !is_asked {
                return ("start", session.started, start + length);
            }
            return (name, wait.began, length);
        }
        let response = ("response", wait.began, budgets.response);
        let other = match wait.last_line {
            _ if !session.has_written => ("start", session.started, start),
            Some(last_line) => ("idle", last_line, budgets.idle),
            None => response,
        };
        if other.1 + other.2 > response.1 + response.2 {
            other
        } else {
            response
        }
    }

    /// Whether the agent was ready to run in the second half of the timeout and did not get the CPU.
    fn was_starved(&self, wait: &EventWait) -> bool {
        wait.cpu_before.as_ref().is_some_and(|(since, before)| {
            let now = self.session.process.cpu_times();
            now.was_starved_since(before, since.elapsed())
        })
    }

    /// Doubles the budget of the start, once, for an agent that does not get the CPU, or else ends the scenario.
    fn starved(&mut self, wait: &mut EventWait, budget: &str) -> Result<(), EarlyStop> {
        if budget != "start" || self.session.is_start_extended {
            return Err(EarlyStop::Starved);
        }
        self.session.is_start_extended = true;
        wait.cpu_before = None;
        Ok(())
    }

    /// The time of an event, if it has one. A timeout is judged by it, so an event that came in time counts even if it is handled late.
    fn time_of(&self, event: &SessionEvent) -> Option<Instant> {
        match event {
            SessionEvent::Frame(frame) => {
                Some(self.session.started + Duration::from_micros(frame.at))
            }
            _ => None,
        }
    }

    /// Whether the agent has ended, or has closed its stdout.
    pub(super) fn has_ended(&self) -> bool {
        self.session.end.is_some() || self.session.stdout_end.is_some()
    }

    /// How the agent ended, as the beginning of a sentence.
    pub(super) fn how_it_ended(&self) -> String {
        match &self.session.end {
            Some(end) => format!("the agent {}", ended(end)),
            None if self.session.stdout_end.is_some() => "the agent closed its stdout".to_owned(),
            None => "the agent was running".to_owned(),
        }
    }
}

/// Returns when the run is cancelled.
pub(super) async fn cancelled(cancel: &mut watch::Receiver<bool>) {
    if cancel.wait_for(|cancelled| *cancelled).await.is_err() {
        // Without a sender nobody can cancel it.
        std::future::pending().await
    }
}

/// A timeout that ran out, as the end of a sentence.
pub(super) fn describe_timeout(name: &str, length: Duration) -> String {
    let length = show(length);
    match name {
        "within" => format!("within {length}"),
        "total" => format!("within the {length} of the whole scenario"),
        "smoke" => format!("while the agent did nothing for {length} (`smoke` budget)"),
        "idle" => format!("while the agent was silent for {length} (`idle` budget)"),
        _ => format!("within {length} (`{name}` budget)"),
    }
}
