//! The fault of this process: whether it is active, and the log entry when it takes effect.

use super::bug::Bug;
use super::fault::{ActiveFrom, Fault, FaultEffect};
use super::fault_log::entry;
use super::frame_faults::FrameChanger;
use crate::config::options::CliOptions;
use crate::core::approval::ApprovalMode;
use crate::core::session::Session;
use crate::os::stdout::{FrameWriter, OutboxItem};
use serde_json::Value;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The fault of this process, if there is one, and the state that its hooks keep.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    fault: Option<Fault>,
    /// Where a frame names its kind, as a JSON Pointer.
    kind_pointer: &'static str,
    /// The turn from which on it is active; 0: from the start.
    from: u32,
    turns: Cell<u32>,
    /// Lines written so far.
    lines: Cell<u64>,
    logged: Cell<bool>,
    changer: RefCell<FrameChanger>,
    /// Names of tools that were always approved.
    pub(super) approved: RefCell<Vec<String>>,
    /// The host asked to stop while nothing was running.
    pub(super) poisoned: Cell<bool>,
    /// The mode from the next turn on.
    pub(super) late_mode: Cell<Option<ApprovalMode>>,
    /// A turn was stopped.
    pub(super) stopped: Cell<bool>,
    /// A session with messages was opened.
    pub(super) resumed: Cell<bool>,
    /// The model was asked.
    pub(super) asked: Cell<bool>,
}

impl Faults {
    /// Reads `ID` or `ID@turn=N`.
    ///
    /// # Errors
    /// There is no such fault among the known ones.
    pub(crate) fn find(
        known: &[Fault],
        kind_pointer: &'static str,
        text: &str,
    ) -> Result<Self, String> {
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
        let usual = match fault.active_from {
            ActiveFrom::ProcessStart => 0,
            ActiveFrom::FirstTurn => 1,
        };
        Ok(Faults {
            fault: Some(fault),
            kind_pointer,
            from: turn.unwrap_or(usual),
            ..Faults::default()
        })
    }

    /// The faults of a session: its hooks, if they are faults, else none.
    pub(crate) fn of(session: &Session) -> Rc<Self> {
        let hooks: Rc<dyn Any> = Rc::clone(&session.hooks) as Rc<dyn Any>;
        hooks.downcast().unwrap_or_default()
    }

    /// Counts a turn that starts.
    pub(super) fn count_turn(&self) {
        self.turns.set(self.turns.get() + 1);
    }

    /// The number of the current turn, from 1.
    pub(super) fn turn(&self) -> u32 {
        self.turns.get()
    }

    /// The first turn in which the fault is active.
    pub(super) fn first_turn(&self) -> u32 {
        self.from.max(1)
    }

    fn effect(&self) -> Option<FaultEffect> {
        let fault = self.fault?;
        (self.turns.get() >= self.from).then_some(fault.effect)
    }

    /// Whether the agent has this bug now. Logs it: call this only where the bug makes a difference.
    pub(crate) fn triggers(&self, bug: Bug) -> bool {
        let armed = self.is_armed(bug);
        if armed {
            self.log();
        }
        armed
    }

    /// Whether the agent has this bug now. Logs nothing: for places where it makes no difference yet.
    pub(crate) fn is_armed(&self, bug: Bug) -> bool {
        matches!(self.effect(), Some(FaultEffect::Bug(active)) if active == bug)
    }

    /// Whether a request to stop changes nothing because it is not the first.
    pub(crate) fn ignores_second_stop(&self) -> bool {
        self.stopped.replace(true) && self.triggers(Bug::StopsOnce)
    }

    /// Changes the options.
    pub(crate) fn options(&self, options: &mut CliOptions) {
        if let Some(FaultEffect::Options(change)) = self.effect() {
            self.change(options, change);
        }
    }

    /// Changes a command.
    pub(crate) fn command(&self, command: &mut Value) {
        if let Some(FaultEffect::Command(change)) = self.effect() {
            self.change(command, change);
        }
    }

    fn change<T: Clone + PartialEq>(&self, value: &mut T, change: fn(&mut T)) {
        let before = value.clone();
        change(value);
        if *value != before {
            self.log();
        }
    }

    fn log(&self) {
        self.log_at(self.lines.get() + 1);
    }

    /// Logs once which fault takes effect, and from which line of standard output on.
    fn log_at(&self, line: u64) {
        if let Some(fault) = self.fault
            && !self.logged.replace(true)
        {
            eprintln!("{}", entry(fault.id, line));
        }
    }
}

impl FrameWriter for Faults {
    fn write(&self, frame: Value, write: &mut dyn FnMut(OutboxItem)) {
        let fault = match self.effect() {
            Some(FaultEffect::Frames(fault)) => Some(fault),
            _ => None,
        };
        let mut items = Vec::new();
        let unchanged = self.changer.borrow_mut().write(
            fault.as_ref(),
            self.kind_pointer,
            frame,
            &mut |item| items.push(item),
        );
        // Logged first, as an item may end the process.
        if let Some(unchanged) = unchanged {
            self.log_at(self.lines.get() + unchanged + 1);
        }
        for item in items {
            if let OutboxItem::Bytes(bytes) = &item {
                let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
                self.lines.set(self.lines.get() + lines as u64);
            }
            write(item);
        }
    }
}
