//! Which fault this process plays, and whether its turn has come.

use super::fault::{ABSENT, Bug, Frames, Moment, Play};
use super::fault_log::entry;
use super::wire::Wire;
use super::{Fault, Out};
use crate::config::options::Options;
use crate::core::approval::Mode;
use serde_json::Value;
use std::cell::{Cell, RefCell};

/// The fault of this process, if it has one.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    fault: Option<Fault>,
    /// The turn from which it is played; 0: from the start.
    from: u32,
    turns: Cell<u32>,
    /// Lines written so far.
    lines: Cell<u64>,
    told: Cell<bool>,
    wire: RefCell<Wire>,
    /// Names of tools that were approved for good.
    pub(super) approved: RefCell<Vec<String>>,
    /// A stop came while there was nothing to stop.
    pub(super) poisoned: Cell<bool>,
    /// The mode from the next turn on.
    pub(super) late_mode: Cell<Option<Mode>>,
    /// A turn was stopped.
    pub(super) stopped: Cell<bool>,
    /// A session was opened that may have been there before.
    pub(super) resumed: Cell<bool>,
    /// The model was asked.
    pub(super) asked: Cell<bool>,
}

impl Faults {
    /// Reads `ID` or `ID@turn=N`.
    ///
    /// # Errors
    /// There is no such fault among the known ones.
    pub(crate) fn find(known: &[Fault], text: &str) -> Result<Self, String> {
        let (id, turn) = match text.split_once("@turn=") {
            Some((id, turn)) => {
                let turn = turn
                    .parse()
                    .map_err(|_| format!("--fault: {turn:?} is not a turn's number"))?;
                (id, Some(turn))
            }
            None => (text, None),
        };
        let fault = known.iter().copied().find(|fault| fault.id == id);
        let fault = fault.ok_or_else(|| {
            let ids = known.iter().map(|fault| fault.id);
            spanned_yaml::unknown("fault", id, ids)
        })?;
        let usual = match fault.moment {
            Moment::Start => 0,
            Moment::FirstTurn => 1,
        };
        Ok(Faults {
            fault: Some(fault),
            from: turn.unwrap_or(usual),
            ..Faults::default()
        })
    }

    /// A turn begins.
    pub(crate) fn turn_begins(&self) {
        self.turns.set(self.turns.get() + 1);
    }

    /// The number of the turn at work, from 1.
    pub(super) fn turn(&self) -> u32 {
        self.turns.get()
    }

    /// The first turn in which the fault is played.
    pub(super) fn first_turn(&self) -> u32 {
        self.from.max(1)
    }

    fn play(&self) -> Option<Play> {
        let fault = self.fault?;
        (self.turns.get() >= self.from).then_some(fault.play)
    }

    /// Whether this bug is to be played now. Says so: ask only where it makes a difference.
    pub(crate) fn plays(&self, bug: Bug) -> bool {
        let plays = self.intends(bug);
        if plays {
            self.tell();
        }
        plays
    }

    /// Whether this bug may be played later. Says nothing.
    pub(crate) fn intends(&self, bug: Bug) -> bool {
        matches!(self.play(), Some(Play::Bug(now)) if now == bug)
    }

    /// Plays on the options.
    pub(crate) fn options(&self, options: &mut Options) {
        if let Some(Play::Options(change)) = self.play() {
            let before = options.clone();
            change(options);
            if *options != before {
                self.tell();
            }
        }
    }

    /// Plays on a command.
    pub(crate) fn command(&self, command: &mut Value) {
        if let Some(Play::Command(change)) = self.play() {
            let before = command.clone();
            change(command);
            if *command != before {
                self.tell();
            }
        }
    }

    /// Lets a frame pass to the wire.
    pub(crate) fn pass(&self, frame: Value, write: &mut dyn FnMut(Out)) {
        let frames = match self.play() {
            Some(Play::Frames(frames)) => Some(frames),
            _ => None,
        };
        let mut outs = Vec::new();
        let spoilt = self
            .wire
            .borrow_mut()
            .pass(frames.as_ref(), frame, &mut |out| outs.push(out));
        // Told first, for what goes out may end the process.
        if let Some(sound) = spoilt {
            self.tell_at(self.lines.get() + sound + 1);
        }
        for out in outs {
            if let Out::Bytes(bytes) = &out {
                let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
                self.lines.set(self.lines.get() + lines as u64);
            }
            write(out);
        }
    }

    fn tell(&self) {
        self.tell_at(self.lines.get() + 1);
    }

    /// Says once what is played, and from which line on standard output on.
    fn tell_at(&self, line: u64) {
        if let Some(fault) = self.fault
            && !self.told.replace(true)
        {
            eprintln!("{}", entry(fault.id, line));
        }
    }
}

impl Frames {
    /// Whether the fault is about this frame.
    pub(super) fn fit(&self, frame: &Value) -> bool {
        let kind = frame["type"].as_str().unwrap_or_default();
        let holds = |(pointer, wanted): &(&str, &str)| match frame.pointer(pointer) {
            Some(Value::String(text)) => text == wanted,
            Some(other) => serde_json::to_string(other).is_ok_and(|text| text == *wanted),
            None => *wanted == ABSENT,
        };
        (self.on.is_empty() || self.on == kind) && self.when.iter().all(holds)
    }
}
