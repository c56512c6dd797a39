//! Plays the steps of a scenario one after the other: each kind of step is dispatched to its function here.

use super::agent_session::AgentSession;
use super::context::EarlyStop;
use super::event_loop::{EventWait, cancelled};
use super::player::{Part, ScenarioPlayer};
use crate::scenario::PartFile;
use crate::scenario::types::{AgentSetup, Step, StepAction};
use json_matcher::render_text;
use std::sync::Arc;
use std::time::Duration;

impl ScenarioPlayer {
    /// Plays every step.
    pub(super) async fn play_steps(&mut self) -> Result<(), EarlyStop> {
        let scenario = Arc::clone(&self.scenario);
        let mut is_missed = false;
        for (index, step) in scenario.steps.iter().enumerate() {
            let begins_part = matches!(step.action, StepAction::Part(_));
            if is_missed && !begins_part {
                continue;
            }
            self.step = index;
            self.pause_before(&step.action).await?;
            match self.play_step(step).await {
                Err(EarlyStop::Missed) if !self.is_all_over() => break,
                Err(EarlyStop::Missed) => is_missed = true,
                Err(EarlyStop::Failed(None)) if scenario.rules_only => {}
                Err(EarlyStop::Broken(_)) if scenario.rules_only => is_missed = true,
                other => {
                    is_missed = false;
                    other?;
                }
            }
        }
        Ok(())
    }

    /// Begins a part of the scenario when all work of the part before it is over.
    async fn begin_part(&mut self, part: PartFile) -> Result<(), EarlyStop> {
        if self.part.is_some() {
            let settle = ("settle", self.budgets.settle * 2);
            let mut wait = EventWait::for_event_within(settle);
            let is_over = self.wait_until(&mut wait, |player| player.is_all_over().then_some(()));
            is_over.await?.map_err(|_| EarlyStop::Missed)?;
        }
        self.session.requests.clear();
        self.session.mcp_events.clear();
        self.session.replies.clear();
        self.session.events.pass(self.session.recorder.number());
        let before = self.part.as_ref();
        let (replies, answers) = before.map_or((0, 0), |one| (one.replies.end, one.answers.end));
        let replies = replies..replies + part.replies;
        self.server.limit(replies.clone());
        self.part = Some(Part {
            replies,
            answers: answers..answers + part.answers,
        });
        Ok(())
    }

    async fn play_step(&mut self, step: &Step) -> Result<(), EarlyStop> {
        match &step.action {
            StepAction::Expect(matcher) => self.expect(step, matcher).await,
            StepAction::ExpectNext(matcher) => self.expect_next(step, matcher).await,
            StepAction::Unordered(matchers) => self.unordered(step, matchers).await,
            StepAction::ExpectNone { not, until } => self.expect_none(step, not, until).await,
            StepAction::ExpectText(text) => self.expect_text(step, text).await,
            StepAction::ExpectRequest { lane, matcher } => {
                self.expect_request(step, lane.as_deref(), matcher).await
            }
            StepAction::ExpectMcp(matcher) => self.expect_mcp(step, matcher).await,
            StepAction::ExpectReply(end) => self.expect_reply(step, *end).await,
            StepAction::ExpectFile(files) => self.expect_file(step, files).await,
            StepAction::ExpectExit(expected) => self.expect_exit(step, expected).await,
            StepAction::PauseReading(time) => self.pause_reading(*time).await,
            StepAction::Restart(setup) => self.restart(setup).await,
            StepAction::Part(part) => self.begin_part(*part).await,
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
                if self.suite.dialect.commands.structure.is_some() {
                    // The ids of open requests are known only then.
                    self.handle_sent()?;
                }
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
        self.end_client();
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
            if setup.is_empty() {
                &scenario.agent
            } else {
                setup
            },
            &self.sandbox,
            &self.captures,
            (&self.queue, &self.mcp),
            session,
        )?;
        let before = std::mem::replace(&mut self.session, session);
        self.finish_session(before)
    }
}
