//! What the host does to the agent.

use super::context::EarlyStop;
use super::player::ScenarioPlayer;
use super::step_finding::StepFinding;
use crate::dialect::FrameIdentity;
use crate::finding::Level;
use crate::frame::{Body, Line};
use crate::runner::step_rules;
use crate::signals;
use serde_json::Value;
use spanned_yaml::Span;
use std::sync::Arc;

impl ScenarioPlayer {
    /// Sends a command, which must be a right one: a wrong one would be the scenario's fault, not the agent's.
    pub(super) fn send_command(&mut self, command: &Value, span: Span) -> Result<(), EarlyStop> {
        if let Some(fault) = self.fault_of(command) {
            return Err(self.broken_at(span, &fault));
        }
        self.note_interrupt(command);
        let mut bytes = command.to_string().into_bytes();
        bytes.push(b'\n');
        self.send(vec![bytes])
    }

    /// Sends what the scenario has for this event, if anything.
    pub(super) fn answer(&mut self, event: &Value) -> Result<(), EarlyStop> {
        if !self.session.process.is_stdin_open() || self.session.end.is_some() {
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

    /// Writes chunks, each in a write of its own. Every line is put down before the last of its bytes is written.
    pub(super) fn send(&mut self, chunks: Vec<Vec<u8>>) -> Result<(), EarlyStop> {
        for chunk in chunks {
            let mut lines: Vec<Line> = Vec::new();
            if let Some(framer) = &mut self.session.sent {
                framer.push(&chunk, &mut |line| lines.push(line));
            }
            let mut alive = self.session.end.is_none();
            for line in lines {
                if let Ok(command) = serde_json::from_slice(&line.bytes) {
                    self.tell_the_model_of(&command);
                }
                alive &= self.queue.host(Body::ToAgent(line));
            }
            if !alive {
                return Err(self.gone());
            }
            if self.session.process.write(chunk).is_err() {
                let message = "the agent does not read its stdin: too many commands wait there";
                self.charge(StepFinding::new(step_rules::SEND, message));
                return Err(EarlyStop::Failed(None));
            }
        }
        Ok(())
    }

    /// The model knows what the host says, and by it the requests of the conversation from those beside it.
    fn tell_the_model_of(&self, command: &Value) {
        match command {
            Value::String(text) => self.server.hear(text),
            Value::Array(list) => list.iter().for_each(|one| self.tell_the_model_of(one)),
            Value::Object(map) => map.values().for_each(|one| self.tell_the_model_of(one)),
            _ => {}
        }
    }

    pub(super) fn close_stdin(&mut self) {
        if !self.session.process.is_stdin_open() {
            return;
        }
        if let Some(framer) = self.session.sent.take() {
            framer.finish(&mut |line| {
                self.queue.host(Body::ToAgent(line));
            });
        }
        self.queue.host(Body::StdinClosed);
        self.session.process.close_stdin();
    }

    pub(super) fn signal(&mut self, name: &str, span: Span) -> Result<(), EarlyStop> {
        let Some(signal) = signals::find(name) else {
            return Err(self.broken_at(span, &format!("there is no signal {name}")));
        };
        if self.session.end.is_some() || !self.queue.host(Body::Signal(name.to_owned())) {
            return Err(self.gone());
        }
        self.session.process.signal(signal);
        Ok(())
    }

    /// A fault of the scenario's own.
    pub(super) fn broken_at(&self, span: Span, what: &str) -> EarlyStop {
        EarlyStop::Broken(format!(
            "{}:{}:{}: {what}",
            self.scenario.path.display(),
            span.line,
            span.column
        ))
    }

    fn gone(&mut self) -> EarlyStop {
        let how = self.how_it_ended();
        self.charge(StepFinding::new(
            step_rules::SEND,
            format!("{how} before the scenario was done with it"),
        ));
        EarlyStop::Failed(None)
    }

    fn fault_of(&self, command: &Value) -> Option<String> {
        let dialect = &self.suite.dialect;
        let (name, kind) = match dialect.commands.name(command) {
            FrameIdentity::Known(name, kind) => (name, kind),
            FrameIdentity::Unknown(name) => {
                return Some(format!("`{name}` is no command; `send_raw` sends any line"));
            }
            FrameIdentity::Missing => {
                return Some("what is sent has no name; `send_raw` sends any line".to_owned());
            }
        };
        let shape = kind.as_deref().unwrap_or(&name);
        let faults = dialect.command_schemas.violations(shape, command, 8);
        let fault = faults
            .into_iter()
            .find(|fault| fault.level == Level::Must)?;
        Some(format!(
            "what is sent is no right `{shape}`: {}; `send_raw` sends any line",
            fault.message
        ))
    }
}
