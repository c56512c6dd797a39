//! Commands that are sent by themselves whenever a matching event arrives.

use super::{Player, Stop};
use serde_json::Value;
use std::sync::Arc;

impl Player {
    /// Sends what the scenario has for this event, if anything.
    pub(super) fn answer(&mut self, event: &Value) -> Result<(), Stop> {
        if !self.live.process.is_stdin_open() || self.live.end.is_some() {
            return Ok(());
        }
        let scenario = Arc::clone(&self.scenario);
        for (index, answer) in scenario.answers.iter().enumerate() {
            let spent = answer
                .times
                .is_some_and(|times| self.answered[index] >= times);
            if spent || answer.on.matches(event, &self.captures).is_err() {
                continue;
            }
            self.answered[index] += 1;
            let mut captures = self.captures.clone();
            if let Err(lacking) = captures.take(&answer.capture, event) {
                return Err(self.broken_at(answer.span, &lacking.to_string()));
            }
            let command = answer
                .send
                .render(&captures)
                .map_err(|unknown| self.broken_at(answer.span, &unknown.to_string()))?;
            return self.send_command(&command, answer.span);
        }
        Ok(())
    }
}
