//! Steps that act on the agent: send commands and raw bytes, close stdin, send signals.

use super::context::EarlyStop;
use super::player::ScenarioPlayer;
use super::step_finding::StepFinding;
use crate::process::StdinFull;
use crate::step_rules;
use conform_judge::dialect::FrameIdentity;
use conform_judge::finding::{DifferenceKind, Level};
use conform_judge::frame::{Body, Line};
use conform_judge::signals;
use serde_json::Value;
use spanned_yaml::Span;

impl ScenarioPlayer {
    /// Sends a command, which must be valid in the dialect. An invalid one is a fault of the scenario and not of the agent.
    pub(super) fn send_command(&mut self, command: &Value, span: Span) -> Result<(), EarlyStop> {
        let message = self.message(command);
        let message = message.map_err(|fault| self.broken_at(span, &fault))?;
        let names = &self.suite.dialect.commands;
        let named = names.named(&message, names.name_in_step(command));
        if let Some(fault) = self.command_error(&named) {
            return Err(self.broken_at(span, &fault));
        }
        self.note_interrupt(command);
        let name = self.suite.dialect.commands.name_in_step(command);
        self.session.last_command = name.map(str::to_owned);
        self.tell_model(command);
        if !self.send_message(&message)? {
            return Err(self.ended_early());
        }
        self.answer_after(command)
    }

    /// Sends a message as it is. False if the agent has ended.
    pub(super) fn send_message(&mut self, message: &Value) -> Result<bool, EarlyStop> {
        let mut bytes = message.to_string().into_bytes();
        bytes.push(b'\n');
        let lines = self.completed_lines(&bytes);
        self.write(bytes, lines)
    }

    /// Writes chunks, each in one write.
    pub(super) fn send(&mut self, chunks: Vec<Vec<u8>>) -> Result<(), EarlyStop> {
        for chunk in chunks {
            let lines = self.completed_lines(&chunk);
            lines.iter().for_each(|line| self.tell_model_line(line));
            if !self.write(chunk, lines)? {
                return Err(self.ended_early());
            }
        }
        Ok(())
    }

    /// The lines that a chunk completes.
    fn completed_lines(&mut self, chunk: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        if let Some(framer) = &mut self.session.sent {
            framer.push(chunk, &mut |line| lines.push(line));
        }
        lines
    }

    /// Records the lines that a chunk completes, and then writes it. False if the agent has ended.
    fn write(&mut self, chunk: Vec<u8>, lines: Vec<Line>) -> Result<bool, EarlyStop> {
        let mut is_running = self.session.end.is_none();
        for line in lines {
            let is_queued = self.queue.add_host_event(Body::ToAgent(line));
            self.session.unhandled_sends += usize::from(is_queued);
            is_running &= is_queued;
        }
        if is_running && let Err(StdinFull) = self.session.process.write(chunk) {
            let message = "the agent does not read its stdin: too many commands wait there";
            return Err(self.fail_to_send(message.to_owned()));
        }
        Ok(is_running)
    }

    /// Passes the texts of a command to the scripted model, which uses them to recognize the requests of the conversation.
    fn tell_model(&self, command: &Value) {
        let names = &self.suite.dialect.commands;
        let mut texts = Vec::new();
        let content = match names.structure {
            Some(_) => &command["params"],
            None => command,
        };
        add_texts(content, &mut texts);
        let name = names.name_in_step(command);
        texts.retain(|text| Some(text.as_str()) != name);
        self.server.note_command(texts, self.is_prompt(command));
    }

    /// The same for the texts of an answer that the client gives by itself.
    pub(super) fn tell_model_answer(&self, answer: &Value) {
        let mut texts = Vec::new();
        add_texts(answer, &mut texts);
        self.server.note_command(texts, false);
    }

    /// The same for a line that a step sends as it is, if it is JSON.
    fn tell_model_line(&self, line: &Line) {
        if let Ok(command) = json_matcher::read_json(&line.bytes) {
            self.tell_model(&command);
        }
    }

    /// Whether a command is one of the dialect's prompts.
    pub(super) fn is_prompt(&self, command: &Value) -> bool {
        let dialect = &self.suite.dialect;
        match dialect.commands.identify(command) {
            FrameIdentity::Known(name, _) => dialect.session.prompts.contains(&name),
            _ => false,
        }
    }

    pub(super) fn close_stdin(&mut self) {
        if !self.session.process.is_stdin_open() {
            return;
        }
        if let Some(framer) = self.session.sent.take() {
            framer.finish(&mut |line| {
                self.tell_model_line(&line);
                let is_queued = self.queue.add_host_event(Body::ToAgent(line));
                self.session.unhandled_sends += usize::from(is_queued);
            });
        }
        self.queue.add_host_event(Body::StdinClosed);
        self.session.process.close_stdin();
    }

    pub(super) fn signal(&mut self, name: &str, span: Span) -> Result<(), EarlyStop> {
        let Some(signal) = signals::find(name) else {
            return Err(self.broken_at(span, &format!("there is no signal {name}")));
        };
        if self.session.end.is_some() || !self.queue.add_host_event(Body::Signal(name.to_owned())) {
            return Err(self.ended_early());
        }
        self.session.was_signalled = true;
        self.session.process.signal(signal);
        Ok(())
    }

    /// Stops the scenario for a fault in its file.
    pub(super) fn broken_at(&self, span: Span, what: &str) -> EarlyStop {
        let (path, Span { line, column, .. }) = (self.scenario.path.display(), span);
        EarlyStop::Broken(format!("{path}:{line}:{column}: {what}"))
    }

    fn ended_early(&mut self) -> EarlyStop {
        // The end of the agent may still be in the queue.
        while self.session.end.is_none()
            && let Some(event) = self.queue.take()
        {
            if let Err(stop) = self.handle(event) {
                return stop;
            }
        }
        let how = self.how_it_ended();
        self.fail_to_send(format!("{how} while the host still had something to send"))
    }

    fn fail_to_send(&mut self, message: String) -> EarlyStop {
        let kind = if self.has_ended() {
            DifferenceKind::Ended
        } else {
            DifferenceKind::Absent
        };
        self.fail(StepFinding::new(step_rules::SEND, message, kind))
    }

    pub(super) fn command_error(&self, command: &Value) -> Option<String> {
        let dialect = &self.suite.dialect;
        let (name, kind) = match dialect.commands.identify(command) {
            FrameIdentity::Known(name, kind) => (name, kind),
            FrameIdentity::Unknown(name) => {
                return Some(format!(
                    "`{name}` is not a command of the dialect; `send_raw` sends any line"
                ));
            }
            FrameIdentity::Missing => {
                return Some("the command has no name; `send_raw` sends any line".to_owned());
            }
        };
        let shape = kind.as_deref().unwrap_or(&name);
        let message = dialect.commands.message(command, None);
        let faults = dialect.command_schemas.violations(shape, &message, 8);
        let fault = faults
            .into_iter()
            .find(|fault| fault.level == Level::Must)?;
        Some(format!(
            "the command is not a valid `{shape}`: {}; `send_raw` sends any line",
            fault.message
        ))
    }
}

/// Adds every text of a value.
fn add_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(list) => list.iter().for_each(|one| add_texts(one, texts)),
        Value::Object(map) => map.values().for_each(|one| add_texts(one, texts)),
        _ => {}
    }
}
