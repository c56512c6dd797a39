//! Plays the steps of a scenario one after the other: each kind of step is dispatched to its function here.

use super::agent_session::AgentSession;
use super::context::EarlyStop;
use super::event_loop::cancelled;
use super::player::ScenarioPlayer;
use crate::scenario::types::{AgentSetup, Step, StepAction};
use json_matcher::render_text;
use std::sync::Arc;
use std::time::Duration;

impl ScenarioPlayer {
    /// Plays every step.
    pub(super) async fn play_steps(&mut self) -> Result<(), EarlyStop> {
        let scenario = Arc::clone(&self.scenario);
        for (index, step) in scenario.steps.iter().enumerate() {
            self.step = index;
            self.pause_before(&step.action).await?;
            self.play_step(step).await?;
        }
        Ok(())
    }

    async fn play_step(&mut self, step: &Step) -> Result<(), EarlyStop> {
        match &step.action {
            StepAction::Expect(matcher) => self.expect(step, matcher).await,
            StepAction::ExpectNext(matcher) => self.expect_next(step, matcher).await,
            StepAction::Unordered(matchers) => self.unordered(step, matchers).await,
            StepAction::ExpectNone { not, until } => self.expect_none(step, not, until).await,
            StepAction::ExpectText(text) => self.expect_text(step, text).await,
            StepAction::ExpectRequest(matcher) => self.expect_request(step, matcher).await,
            StepAction::ExpectReply(end) => self.expect_reply(step, *end).await,
            StepAction::ExpectFile(files) => self.expect_file(step, files).await,
            StepAction::ExpectExit(expected) => self.expect_exit(step, expected).await,
            StepAction::PauseReading(time) => self.pause_reading(*time).await,
            StepAction::Restart(setup) => self.restart(setup).await,
            _ => self.play_action(step),
        }
    }

    /// Plays a step that does not wait.
    pub(super) fn play_action(&mut self, step: &Step) -> Result<(), EarlyStop> {
        match &step.action {
            StepAction::Send(template) => {
                let command = template
                    .render(&self.captures)
                    .map_err(|unknown| self.broken_at(step.span, &unknown.to_string()))?;
                self.send_command(&command, step.span)
            }
            StepAction::SendRaw(text) => {
                let text = render_text(text, &self.captures)
                    .map_err(|unknown| self.broken_at(step.span, &unknown.to_string()))?;
                self.send(vec![format!("{text}\n").into_bytes()])
            }
            StepAction::SendBytes(chunks) => self.send(chunks.clone()),
            StepAction::Release(gate) if self.server.release(gate) => Ok(()),
            StepAction::Release(gate) => {
                Err(self.broken_at(step.span, &format!("the model has no gate `{gate}`")))
            }
            StepAction::Signal(name) => self.signal(name, step.span),
            StepAction::CloseStdin => {
                self.close_stdin();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    async fn pause_reading(&mut self, time: Duration) -> Result<(), EarlyStop> {
        self.queue.pause(true);
        let pause = tokio::time::sleep(self.budgets.scaled(time));
        let stop = tokio::select! {
            biased;
            () = cancelled(&mut self.cancel) => Err(EarlyStop::Interrupted),
            () = pause => Ok(()),
        };
        self.queue.pause(false);
        stop
    }

    /// Ends the agent and starts it again, with HOME and workspace as it left them.
    async fn restart(&mut self, setup: &AgentSetup) -> Result<(), EarlyStop> {
        self.note_unasked(None);
        self.end_gracefully().await?;
        // All gates were opened to let the agent end. Those of later answers hold the agent that comes next.
        let later = self.scenario.steps.iter().skip(self.step + 1);
        for step in later {
            if let StepAction::Release(gate) = &step.action {
                self.server.close_gate(gate);
            }
        }
        let session = self.past_sessions.len() + 1;
        let scenario = Arc::clone(&self.scenario);
        let session = AgentSession::start(
            &self.suite,
            &scenario,
            if is_empty(setup) {
                &scenario.agent
            } else {
                setup
            },
            &self.sandbox,
            &self.captures,
            &self.queue,
            session,
        )?;
        let before = std::mem::replace(&mut self.session, session);
        self.finish_session(before)
    }
}

/// Whether a restart has no settings of its own, and so starts the agent as before.
fn is_empty(setup: &AgentSetup) -> bool {
    setup.args.is_empty() && setup.without_args.is_empty() && setup.env.is_empty()
}
