//! The end of a session, whatever came before it.

use super::agent_session::AgentSession;
use super::context::EarlyStop;
use super::event_loop::{EventWait, cancelled};
use super::player::{InterruptGrace, ScenarioPlayer};
use crate::frame::{Body, End, Frame};
use crate::runner::limits;
use crate::scenario::types::StepAction;
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;

/// How long an agent may take to end itself.
const WATCH: Duration = Duration::from_millis(400);

impl ScenarioPlayer {
    /// Ends the agent: at once where there is a reason to, else by closing its stdin. Says why the scenario ended early, if it did.
    pub(super) async fn close(&mut self, mut stop: Option<EarlyStop>) -> Option<EarlyStop> {
        let ended = match &stop {
            Some(EarlyStop::Failed(Some(why))) => self.end_now(why).await,
            Some(EarlyStop::Interrupted) => self.end_now("interrupted").await,
            Some(_) => self.end_politely().await,
            None => match self.settle().await {
                Ok(()) => self.end_politely().await,
                stop => stop,
            },
        };
        stop = stop.or(ended.err());
        if stop.is_none() {
            for failure in self.server.unused() {
                self.model_failure(&failure);
            }
            stop = self.files_after().err();
        }
        stop
    }

    /// Closes stdin, lets the model say what it still has to say, and kills the agent if it does not end in time.
    pub(super) async fn end_politely(&mut self) -> Result<(), EarlyStop> {
        if self.session.end.is_some() {
            return Ok(());
        }
        // An agent that has closed its stdout is mostly about to end: what ends by itself must not look as if it was asked to.
        let leaving = self.session.stdout_end.is_some();
        if leaving && matches!(self.wait_for_end(limits::GOODBYE).await, Ok(true)) {
            return Ok(());
        }
        self.close_stdin();
        let gates: Vec<String> = self.script.gates().map(str::to_owned).collect();
        for gate in gates {
            self.server.release(&gate);
        }
        match self.wait_for_end(self.budgets.exit).await {
            Ok(true) => Ok(()),
            Ok(false) => self.end_now("budget:exit").await,
            Err(stop) => {
                let why = match stop {
                    EarlyStop::Failed(Some(why)) => why,
                    _ => "interrupted",
                };
                self.end_now(why).await?;
                Err(stop)
            }
        }
    }

    /// Kills the agent.
    async fn end_now(&mut self, why: &str) -> Result<(), EarlyStop> {
        self.session.process.kill(why);
        let until = Instant::now() + limits::KILL_PATIENCE * 2;
        while self.session.end.is_none() && Instant::now() < until {
            let Ok(item) = tokio::time::timeout_at(until, self.queue.next()).await else {
                break;
            };
            // What is wrong with it now changes nothing any more.
            let _ = self.take(item);
        }
        if self.session.end.is_none() {
            let at = u64::try_from(self.session.started.elapsed().as_micros()).unwrap_or(u64::MAX);
            let body = Body::End(End::Killed {
                why: why.to_owned(),
            });
            self.session.recorder.push(&Frame { at, body });
            return Err(EarlyStop::Broken(
                "the agent could not be killed".to_owned(),
            ));
        }
        Ok(())
    }

    /// Waits for the end of the process; false if it did not come in time.
    async fn wait_for_end(&mut self, budget: Duration) -> Result<bool, EarlyStop> {
        let until = Instant::now() + budget;
        while self.session.end.is_none() {
            let item = tokio::select! {
                biased;
                () = cancelled(&mut self.cancel) => return Err(EarlyStop::Interrupted),
                item = self.queue.next() => item,
                () = tokio::time::sleep_until(until) => return Ok(false),
            };
            // The scenario is over: what it needs and what it sends matters no more.
            if let Err(stop @ EarlyStop::Failed(Some(_))) = self.take(item) {
                return Err(stop);
            }
        }
        Ok(true)
    }

    /// Puts a session that is over among the past ones.
    pub(super) fn bury(&mut self, session: AgentSession) -> Result<(), EarlyStop> {
        self.life += session.process.life();
        self.past_sessions
            .push(session.recorder.finish().map_err(EarlyStop::Broken)?);
        Ok(())
    }

    /// Notes a command that interrupts.
    pub(super) fn note_interrupt(&mut self, command: &Value) {
        let dialect = &self.suite.dialect;
        let name = command.pointer(&dialect.commands.discriminator);
        let name = name.and_then(Value::as_str).unwrap_or_default();
        if dialect.session.interrupts.iter().any(|known| known == name) {
            let until = Instant::now() + self.budgets.scaled(WATCH);
            self.interrupt_grace = InterruptGrace {
                until: Some(until),
                waited: false,
            };
        }
    }

    /// Before a step: whether it waits, or does something to the agent.
    pub(super) async fn settle_before(&mut self, action: &StepAction) -> Result<(), EarlyStop> {
        match action {
            StepAction::Send(_)
            | StepAction::SendRaw(_)
            | StepAction::SendBytes(_)
            | StepAction::Signal(_)
            | StepAction::CloseStdin
            | StepAction::Restart(_) => {
                if self.interrupt_grace.waited {
                    self.settle().await?;
                }
            }
            StepAction::Release(_) | StepAction::PauseReading(_) => {}
            _ => self.interrupt_grace.waited = true,
        }
        Ok(())
    }

    /// Watches an agent that was interrupted for a little while, or until it ends.
    pub(super) async fn settle(&mut self) -> Result<(), EarlyStop> {
        let Some(until) = self.interrupt_grace.until.take() else {
            return Ok(());
        };
        let mut wait = EventWait::for_event();
        while self.session.end.is_none() && Instant::now() < until {
            match tokio::time::timeout_at(until, self.more(&mut wait)).await {
                Ok(more) => more.map(drop)?,
                Err(_) => break,
            }
        }
        Ok(())
    }
}
