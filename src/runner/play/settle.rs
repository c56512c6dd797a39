//! What an interrupted agent does next. One that ends soon after it was told to stop would be caught by the next command in one play, and
//! end unseen behind the close of its stdin in another; so the host waits a little while before it goes on.

use super::wait::Wait;
use super::{Player, Stop};
use crate::scenario::types::StepAction;
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;

/// How long an agent may take to end itself.
const WATCH: Duration = Duration::from_millis(400);

/// Until when the agent is watched.
#[derive(Debug, Default)]
pub(super) struct Settles {
    until: Option<Instant>,
    /// Whether a step has waited since the interruption: what is sent right behind it is meant to be.
    waited: bool,
}

impl Player {
    /// Notes a command that interrupts.
    pub(super) fn note_interrupt(&mut self, command: &Value) {
        let dialect = &self.stage.dialect;
        let name = command.pointer(&dialect.commands.discriminator);
        let name = name.and_then(Value::as_str).unwrap_or_default();
        if dialect.session.interrupts.iter().any(|known| known == name) {
            let until = Instant::now() + self.budgets.scaled(WATCH);
            self.settles = Settles {
                until: Some(until),
                waited: false,
            };
        }
    }

    /// Before a step: whether it waits, or does something to the agent.
    pub(super) async fn settle_before(&mut self, action: &StepAction) -> Result<(), Stop> {
        match action {
            StepAction::Send(_)
            | StepAction::SendRaw(_)
            | StepAction::SendBytes(_)
            | StepAction::Signal(_)
            | StepAction::CloseStdin
            | StepAction::Restart(_) => {
                if self.settles.waited {
                    self.settle().await?;
                }
            }
            StepAction::Release(_) | StepAction::PauseReading(_) => {}
            _ => self.settles.waited = true,
        }
        Ok(())
    }

    /// Watches an agent that was interrupted for a little while, or until it ends.
    pub(super) async fn settle(&mut self) -> Result<(), Stop> {
        let Some(until) = self.settles.until.take() else {
            return Ok(());
        };
        let mut wait = Wait::for_event();
        while self.live.end.is_none() && Instant::now() < until {
            match tokio::time::timeout_at(until, self.more(&mut wait)).await {
                Ok(more) => more.map(drop)?,
                Err(_) => break,
            }
        }
        Ok(())
    }
}
