//! The answers that a scenario gives by itself: its `answers`, each sent when its event comes.

use super::context::EarlyStop;
use super::message::is_answer;
use super::player::ScenarioPlayer;
use serde_json::Value;
use std::sync::Arc;

impl ScenarioPlayer {
    /// Gives a response without an id that of the request, so that it does not answer an older one.
    fn answer_this(&self, request: &Value, command: &mut Value) {
        if is_answer(&self.suite.dialect.commands, command)
            && let (Some(id), Some(members)) = (request.get("id"), command.as_object_mut())
        {
            members.entry("id").or_insert_with(|| id.clone());
        }
    }

    /// Sends the first automatic answer of the scenario that fits an event. Whether it is the response to a request.
    pub(super) fn send_answer(&mut self, event: &Value) -> Result<bool, EarlyStop> {
        if !self.session.process.is_stdin_open() || self.session.end.is_some() {
            return Ok(false);
        }
        let scenario = Arc::clone(&self.scenario);
        for (index, answer) in scenario.answers.iter().enumerate() {
            let sent = self.answers_sent[index];
            let is_used_up = answer.times.is_some_and(|times| sent >= times);
            let part = self.part.as_ref();
            let is_on = part.is_none_or(|part| part.answers.contains(&index));
            if !is_on || is_used_up || answer.on.matches(event, &self.captures).is_err() {
                continue;
            }
            self.answers_sent[index] += 1;
            let mut captures = self.captures.clone();
            if let Err(missing) = captures.take(&answer.capture, event) {
                return Err(self.broken_at(answer.span, &missing.to_string()));
            }
            return match answer.send.render(&captures) {
                Ok(mut command) => {
                    self.answer_this(event, &mut command);
                    self.send_command(&command, answer.span)?;
                    Ok(is_answer(&self.suite.dialect.commands, &command))
                }
                Err(unknown) => Err(self.broken_at(answer.span, &unknown.to_string())),
            };
        }
        Ok(false)
    }
}
