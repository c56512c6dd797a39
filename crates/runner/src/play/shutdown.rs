//! Graceful shutdown of the agent: closes its stdin, waits for its exit, and kills its process tree if it does not end in time.
//!
//! It also has the pause after a command that interrupts the agent (`session.interrupts` of the dialect). Without it, it would differ from
//! run to run whether the next command sees that the agent has ended.

use super::agent_session::AgentSession;
use super::context::EarlyStop;
use super::event_loop::{EventWait, cancelled};
use super::player::{InterruptPause, ScenarioPlayer};
use crate::limits;
use crate::scenario::types::StepAction;
use conform_judge::frame::{Body, End, Frame};
use conform_judge::framing::Parsed;
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;

/// The length of that pause.
const INTERRUPT_PAUSE: Duration = Duration::from_millis(400);

impl ScenarioPlayer {
    /// Ends the agent: kills it if there is a reason, else shuts it down gracefully. Returns why the scenario stopped early, if it did.
    pub(super) async fn shut_down(&mut self, mut stop: Option<EarlyStop>) -> Option<EarlyStop> {
        self.note_unasked(stop.as_ref());
        let ended = match &stop {
            Some(EarlyStop::Failed(Some(why))) => self.kill(why).await,
            Some(EarlyStop::Interrupted) => self.kill("interrupted").await,
            Some(EarlyStop::Starved) => self.kill("starved").await,
            Some(_) => self.end_gracefully().await,
            None => match self.pause_before_action().await {
                Ok(()) => self.end_gracefully().await,
                stop => stop,
            },
        };
        stop = stop.or(ended.err());
        self.end_client();
        let is_played = matches!(stop, None | Some(EarlyStop::Failed(_)));
        if let Some(why) = self.lacks_wire().filter(|_| is_played) {
            self.skipped_after = Some(0);
            return Some(EarlyStop::Skipped(why));
        }
        let was_never_asked = self.check_asked(stop.as_ref());
        if stop.is_none() {
            if !was_never_asked && !self.suite.agent.plays_script {
                for failure in self.server.unused() {
                    self.model_failure(&failure);
                }
            }
            stop = self.check_files_after().err();
        }
        stop
    }

    /// Closes stdin, opens all gates of the model, and kills the agent if it does not exit in time.
    pub(super) async fn end_gracefully(&mut self) -> Result<(), EarlyStop> {
        if self.session.end.is_some() {
            return Ok(());
        }
        // An agent that has closed its stdout is probably about to exit: then the transcript must not show a closed stdin before its end.
        let is_exiting = self.session.stdout_end.is_some();
        if is_exiting && matches!(self.wait_for_end(limits::EXIT_AFTER_STDOUT).await, Ok(true)) {
            return Ok(());
        }
        self.close_stdin();
        let gates: Vec<String> = self.script.gates().map(str::to_owned).collect();
        for gate in gates {
            self.server.release(&gate);
        }
        match self.wait_for_end(self.budgets.exit).await {
            Ok(true) => Ok(()),
            Ok(false) => self.kill("budget:exit").await,
            Err(stop) => {
                let why = match stop {
                    EarlyStop::Failed(Some(why)) => why,
                    EarlyStop::Starved => "starved",
                    _ => "interrupted",
                };
                self.kill(why).await?;
                Err(stop)
            }
        }
    }

    /// Kills the agent's process tree, and waits for its end.
    async fn kill(&mut self, why: &str) -> Result<(), EarlyStop> {
        self.session.process.kill(why);
        let until = Instant::now() + process_list::KILL_TIMEOUT * 2;
        while self.session.end.is_none() && Instant::now() < until {
            let Ok(event) = tokio::time::timeout_at(until, self.queue.next()).await else {
                break;
            };
            // Failures after the kill are ignored.
            let _ = self.handle(event);
        }
        if self.session.end.is_none() {
            let at = u64::try_from(self.session.started.elapsed().as_micros()).unwrap_or(u64::MAX);
            let body = Body::End(End::Killed {
                why: why.to_owned(),
            });
            let frame = Frame { at, body };
            self.session.recorder.push(&frame, &Parsed::default());
            return Err(EarlyStop::Broken(
                "the agent could not be killed".to_owned(),
            ));
        }
        Ok(())
    }

    /// Waits for the end of the process; false if the timeout is over.
    async fn wait_for_end(&mut self, budget: Duration) -> Result<bool, EarlyStop> {
        let until = Instant::now() + budget;
        let mut before = None;
        while self.session.end.is_none() {
            let half = before.is_none().then(|| until - budget / 2);
            let event = tokio::select! {
                biased;
                () = cancelled(&mut self.cancel) => return Err(EarlyStop::Interrupted),
                event = self.queue.next() => event,
                () = tokio::time::sleep_until(half.unwrap_or(until)) => {
                    let now = self.session.process.cpu_times();
                    match &before {
                        Some(before) if now.was_starved_since(before, budget / 2) => return Err(EarlyStop::Starved),
                        Some(_) => return Ok(false),
                        None => before = Some(now),
                    }
                    continue;
                }
            };
            // The scenario is over, so other failures are ignored.
            if let Err(stop @ EarlyStop::Failed(Some(_))) = self.handle(event) {
                return Err(stop);
            }
        }
        Ok(true)
    }

    /// Finishes the transcript and the findings of a session that is over.
    pub(super) fn finish_session(&mut self, session: AgentSession) -> Result<(), EarlyStop> {
        let outcome = session.recorder.finish(&mut self.run)?;
        self.past_sessions.push(outcome);
        Ok(())
    }

    /// Begins the pause if a command interrupts the agent.
    pub(super) fn note_interrupt(&mut self, command: &Value) {
        let dialect = &self.suite.dialect;
        let name = dialect.commands.name_in_step(command).unwrap_or_default();
        if dialect.session.interrupts.iter().any(|known| known == name) {
            let until = Instant::now() + self.budgets.scaled(INTERRUPT_PAUSE);
            self.interrupt_pause = InterruptPause {
                until: Some(until),
                waited: false,
            };
        }
    }

    /// Pauses before a step that acts on an interrupted agent, or on one that must send something by itself.
    pub(super) async fn pause_before(&mut self, action: &StepAction) -> Result<(), EarlyStop> {
        match action {
            StepAction::Send(_)
            | StepAction::SendRaw(_)
            | StepAction::SendBytes(_)
            | StepAction::Signal(_)
            | StepAction::CloseStdin
            | StepAction::Restart(_) => {
                if self.interrupt_pause.waited {
                    self.watch_interrupted().await?;
                }
                self.wait_for_obligations().await?;
            }
            StepAction::Release(_) | StepAction::PauseReading(_) => {}
            _ => self.interrupt_pause.waited = true,
        }
        Ok(())
    }

    async fn pause_before_action(&mut self) -> Result<(), EarlyStop> {
        self.watch_interrupted().await?;
        self.wait_for_obligations().await
    }

    /// Handles events of an interrupted agent until the pause is over or the agent ends.
    pub(super) async fn watch_interrupted(&mut self) -> Result<(), EarlyStop> {
        let Some(until) = self.interrupt_pause.until.take() else {
            return Ok(());
        };
        let mut wait = EventWait::for_event();
        while self.session.end.is_none() && Instant::now() < until {
            match tokio::time::timeout_at(until, self.next_event(&mut wait)).await {
                Ok(more) => more.map(drop)?,
                Err(_) => break,
            }
        }
        Ok(())
    }
}
