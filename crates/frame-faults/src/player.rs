//! Plays one fault on the frames of a session.

mod commands;
mod held;
mod operations;

use crate::edit::{EditMemory, Edits};
use crate::fault::{Effect, EventFault, Fault};
use crate::fault_log::{entry, held_entry};
use crate::file::ActiveFrom;
use crate::open_calls::{FrameNaming, OpenCalls, text_at};
use crate::operation::{END, KillSignal, Operation};
use crate::selector::FrameSelector;
use held::Held;
use serde_json::Value;
use std::collections::HashSet;
use std::time::Duration;

/// What is done in place of writing a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// These bytes are written.
    Bytes(Vec<u8>),
    /// Nothing is written for this time.
    Wait(Duration),
    /// The process exits with this status.
    Exit(i32),
    /// The process ends with this signal.
    Kill(KillSignal),
}

/// What becomes of a frame of the host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Received {
    /// Whether it is changed.
    pub is_changed: bool,
    /// Whether the agent does not get it.
    pub is_dropped: bool,
    /// What the agent sends before it gets it.
    pub replies: Vec<Output>,
}

/// Where frames name their kind, as JSON Pointers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KindPointers {
    /// In frames that the agent sends.
    pub events: String,
    /// In frames that the host sends.
    pub commands: String,
}

/// A fault at work in one session, or none. It knows no clock and writes nothing: the caller does what the [`Output`]s say.
#[derive(Debug, Default)]
pub struct FaultPlayer {
    fault: Option<Fault>,
    naming: FrameNaming,
    calls: OpenCalls,
    /// The frames that begin a turn, if the caller does not count turns.
    begins_turn: Vec<FrameSelector>,
    /// The turn from which on it is active; 0: from the start.
    from: u32,
    turns: u32,
    /// Lines written so far.
    lines: u64,
    /// The parts of the fault of which a frame has matched.
    matched: HashSet<usize>,
    silent: bool,
    held: Vec<Held>,
    /// The frame that waits for the next one, to be merged with it, and its kind.
    merging: Option<(String, Value)>,
    memory: EditMemory,
    log: Log,
}

/// The entry of the fault log.
#[derive(Debug, Default, PartialEq, Eq)]
enum Log {
    #[default]
    NotPlayed,
    /// A line is held back, and the fault log does not have it yet.
    Held(u64),
    /// Due once another line passes the one that is held back: alone it has not moved.
    Moved(u64),
    Due(u64),
    Taken,
}

impl FaultPlayer {
    /// Plays a fault from a turn on (0: from the start), by default from where the fault specifies.
    #[must_use]
    pub fn new(fault: Fault, naming: impl Into<FrameNaming>, from: Option<u32>) -> Self {
        let usual = match fault.active_from {
            ActiveFrom::Start => 0,
            ActiveFrom::Turn => 1,
        };
        let mut memory = EditMemory::default();
        let parts = match &fault.effect {
            Effect::Events(parts) => parts.as_slice(),
            Effect::Commands(part) => std::slice::from_ref(part),
            Effect::Internal(..) | Effect::Behavior(_) => &[],
        };
        for EventFault { on, operation, .. } in parts {
            memory
                .references
                .remember(&operation.templates(), &on.nested);
        }
        FaultPlayer {
            fault: Some(fault),
            naming: naming.into(),
            from: from.unwrap_or(usual),
            memory,
            ..FaultPlayer::default()
        }
    }

    /// The same, and counts a turn with each frame that is among these.
    #[must_use]
    pub fn with_turns(self, begins_turn: Vec<FrameSelector>) -> Self {
        FaultPlayer {
            begins_turn,
            ..self
        }
    }

    /// Counts the lines from this number on: those that were written before the next one, also without this player.
    pub fn count_lines_from(&mut self, lines: u64) {
        self.lines = lines;
    }

    /// Counts a turn that begins. The frame that begins it is in the turn: call this before the frame.
    pub fn start_turn(&mut self) {
        self.turns += 1;
    }

    /// The number of the current turn, from 1; 0 before the first.
    #[must_use]
    pub fn turn(&self) -> u32 {
        self.turns
    }

    /// The first turn in which the fault is active.
    #[must_use]
    pub fn first_turn(&self) -> u32 {
        self.from.max(1)
    }

    /// Whether the reference agent has this behavior now.
    #[must_use]
    pub fn has_behavior(&self, name: &str) -> bool {
        matches!(self.effect(), Some(Effect::Behavior(active)) if active == name)
    }

    /// Notes that the fault takes effect now, before the next line. Only for behaviors: frames are noted as they are played.
    pub fn note_played(&mut self) {
        self.note_played_at(self.lines + 1);
    }

    /// The entry of the fault log, once, after the fault has taken effect. It belongs on stderr before the outputs are written, as one
    /// of them may end the process.
    pub fn take_log_entry(&mut self) -> Option<String> {
        let fault = &self.fault.as_ref()?.id;
        match self.log {
            Log::Held(line) => {
                self.log = Log::Moved(line);
                Some(held_entry(fault, line))
            }
            Log::Due(line) => {
                self.log = Log::Taken;
                Some(entry(fault, line))
            }
            _ => None,
        }
    }

    /// What is done in place of a line that the agent writes, with its newline. A line that the fault leaves alone stays as it is, byte
    /// for byte; so does what is not a JSON object.
    pub fn event_line(&mut self, bytes: &[u8]) -> Vec<Output> {
        self.note_passing();
        match json_matcher::read_json(bytes) {
            Ok(frame) if frame.is_object() => self.event(&frame, bytes),
            _ if self.silent => Vec::new(),
            _ => self.counted(vec![Output::Bytes(bytes.to_vec())]),
        }
    }

    /// The same for a frame whose line is known.
    pub fn event(&mut self, frame: &Value, line: &[u8]) -> Vec<Output> {
        self.note_passing();
        self.play(frame, line.to_vec())
    }

    /// Another line passes the one that is held back.
    fn note_passing(&mut self) {
        if let Log::Moved(line) | Log::Held(line) = self.log {
            self.log = Log::Due(line);
        }
    }

    /// Whether it has taken effect.
    #[must_use]
    pub fn has_played(&self) -> bool {
        matches!(self.log, Log::Due(_) | Log::Taken)
    }

    /// What is done after the last line that the agent writes.
    pub fn end(&mut self) -> Vec<Output> {
        let mut outputs = self.unmerged();
        outputs.append(&mut self.released([END; 2], true));
        outputs.append(&mut self.released([END; 2], false));
        self.counted(outputs)
    }

    /// Counts a turn if a frame of this name begins one.
    fn note_turn(&mut self, name: &str, frame: &Value, is_command: bool) {
        let begins =
            |turn: &FrameSelector| turn.is_of_commands() == is_command && turn.matches(name, frame);
        if self.begins_turn.iter().any(begins) {
            self.start_turn();
        }
    }

    /// Changes data that only the reference agent can change: `#options` of the process, as a map, or the body of an `@request` to the
    /// model. Returns whether it did.
    pub fn internal(&mut self, name: &str, value: &mut Value) -> bool {
        match self.effect() {
            Some(Effect::Internal(of, on, edits)) if *of == name && on.matches(name, value) => {
                let edits = edits.clone();
                self.edit(value, &edits)
            }
            _ => false,
        }
    }

    fn edit(&mut self, value: &mut Value, edits: &Edits) -> bool {
        let before = value.clone();
        edits.apply(value, &mut self.memory);
        let changed = *value != before;
        if changed {
            self.note_played();
        }
        changed
    }

    fn effect(&self) -> Option<&Effect> {
        let fault = self.fault.as_ref()?;
        (self.turns >= self.from).then_some(&fault.effect)
    }

    fn note_played_at(&mut self, line: u64) {
        if self.log == Log::NotPlayed {
            self.log = Log::Due(line);
        }
    }

    fn play(&mut self, frame: &Value, plain: Vec<u8>) -> Vec<Output> {
        let kind = match &self.naming {
            FrameNaming::Pointers(at) => text_at(frame, &at.events),
            FrameNaming::JsonRpc { .. } => {
                let named = self.calls.of_agent(frame);
                self.memory.references.request = named.request;
                named.name
            }
        };
        self.note_turn(&kind, frame, false);
        if self.silent {
            return Vec::new();
        }
        if self.fault.is_none() {
            return self.counted(vec![Output::Bytes(plain)]);
        }
        let part = self.part_on(&kind, frame);
        let outputs = match &part {
            Some(part) => {
                let mut outputs = match &part.operation {
                    Operation::Merge(_) => Vec::new(),
                    _ => self.unmerged(),
                };
                outputs.append(&mut self.apply(part, &kind, frame, &plain));
                if !matches!(part.operation, Operation::Merge(_))
                    && let Some(unchanged) = unchanged_lines(&outputs, &plain)
                {
                    self.note_played_at(self.lines + unchanged + 1);
                }
                outputs
            }
            None => {
                let nested = self.nested_name(&kind, frame);
                let names = [kind.as_str(), nested.as_deref().unwrap_or(&kind)];
                let mut outputs = self.unmerged();
                outputs.append(&mut self.released(names, true));
                outputs.push(Output::Bytes(plain));
                outputs.append(&mut self.released(names, false));
                outputs
            }
        };
        self.memory.references.note(&kind, frame, false);
        if let FrameNaming::JsonRpc { .. } = self.naming {
            self.note_requests(frame, part.as_ref(), &outputs);
        }
        self.counted(outputs)
    }

    /// Notes the requests that the host gets in place of a frame of the agent.
    fn note_requests(&mut self, frame: &Value, part: Option<&EventFault>, outputs: &[Output]) {
        let Some(part) = part else {
            return self.calls.asked_by_agent(frame, Some(frame), &[]);
        };
        let lines = outputs.iter().filter_map(|output| match output {
            Output::Bytes(line) => json_matcher::read_json(line).ok(),
            _ => None,
        });
        let mut sent: Vec<Value> = lines
            .flat_map(|line| match line {
                Value::Array(batch) => batch,
                other => vec![other],
            })
            .collect();
        let is_itself = |one: &Value| one.get("method") == frame.get("method");
        let own = sent.iter().position(is_itself).map(|at| sent.remove(at));
        let is_lost = matches!(
            part.operation,
            Operation::Drop
                | Operation::Instead(_)
                | Operation::Silence
                | Operation::Exit(_)
                | Operation::Kill(_)
                | Operation::HalfThenExit(_)
        );
        let passed = own.as_ref().or((!is_lost).then_some(frame));
        self.calls.asked_by_agent(frame, passed, &sent);
    }

    /// Whether a part of the fault has all that its references name.
    fn resolves(&self, part: &EventFault) -> bool {
        let templates = part.operation.templates().into_iter();
        { templates }.all(|template| self.memory.references.resolve(template))
    }

    /// The name of a frame with its nested kind.
    fn nested_name(&self, kind: &str, frame: &Value) -> Option<String> {
        match &self.fault.as_ref()?.effect {
            Effect::Events(parts) => parts.first()?.on.nested_name(kind, frame),
            _ => None,
        }
    }

    /// The part of the fault that is played on this frame now.
    fn part_on(&mut self, kind: &str, frame: &Value) -> Option<EventFault> {
        let Some(Effect::Events(parts)) = self.effect() else {
            return None;
        };
        let is_due = |n: usize, part: &EventFault| part.every || !self.matched.contains(&n);
        let mut parts = parts.iter().enumerate();
        let (n, part) = parts.find(|(n, part)| {
            is_due(*n, part) && part.on.matches(kind, frame) && self.resolves(part)
        })?;
        let part = part.clone();
        self.matched.insert(n);
        Some(part)
    }

    fn counted(&mut self, outputs: Vec<Output>) -> Vec<Output> {
        for output in &outputs {
            if let Output::Bytes(bytes) = output {
                let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
                self.lines += lines as u64;
            }
        }
        outputs
    }
}

/// How many lines come before the first wrong one; `None` if all are right.
fn unchanged_lines(outputs: &[Output], plain: &[u8]) -> Option<u64> {
    match outputs {
        [Output::Bytes(only)] if only == plain => None,
        [Output::Bytes(first), ..] if first.starts_with(plain) => Some(1),
        _ => Some(0),
    }
}
