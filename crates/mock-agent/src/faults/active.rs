//! The fault of this process: whether it is active, and the log entry when it takes effect.

use super::bug::Bug;
use super::fault_files::{FaultChoice, fault_table};
use crate::config::DialectFiles;
use crate::config::options::CliOptions;
use crate::core::approval::ApprovalMode;
use crate::core::session::Session;
use crate::os::stdout::FrameWriter;
use frame_faults::{Fault, FaultPlayer, KindPointers, Output};
use serde_json::Value;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::path::Path;
use std::rc::Rc;

/// The fault of this process, if there is one, and the state that its hooks keep.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    player: RefCell<FaultPlayer>,
    /// How frames become lines, if not as usual.
    line: Option<fn(&Value) -> Vec<u8>>,
    /// The fault of the process, while a prompt plays another one.
    own: RefCell<Option<FaultPlayer>>,
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
    /// Finds the fault of a dialect that `text` names: `ID` or `ID@turn=N`. `folder` is the user's folder of dialects.
    ///
    /// # Errors
    /// The dialect has no such fault, or its files have a mistake.
    pub(crate) fn find(
        files: DialectFiles,
        folder: Option<&Path>,
        (name, version): (&str, &str),
        kinds: KindPointers,
        text: &str,
    ) -> Result<Self, String> {
        let choice = FaultChoice::parse(text)?;
        let table = fault_table(files, folder, name, version)?;
        let fault = table.find(choice.id)?.clone();
        Ok(Faults {
            player: RefCell::new(FaultPlayer::new(fault, kinds, choice.turn)),
            ..Faults::default()
        })
    }

    /// Writes frames as these lines, where the fault leaves them alone.
    pub(crate) fn with_line(self, line: fn(&Value) -> Vec<u8>) -> Self {
        Faults {
            line: Some(line),
            ..self
        }
    }

    /// The faults of a session: its hooks, if they are faults, else none.
    pub(crate) fn of(session: &Session) -> Rc<Self> {
        let hooks: Rc<dyn Any> = Rc::clone(&session.hooks) as Rc<dyn Any>;
        hooks.downcast().unwrap_or_default()
    }

    /// Plays a fault in the next turn, and the fault of the process again if there is none.
    pub(crate) fn play_in_turn(&self, fault: Option<Fault>, kinds: &KindPointers) {
        let (mut player, mut own) = (self.player.borrow_mut(), self.own.borrow_mut());
        // The fault of another prompt may be playing.
        let paused = own.take().map(|own| own.resumed_after(&player));
        match (fault, paused) {
            (Some(fault), paused) => {
                let next = FaultPlayer::new(fault, kinds.clone(), None).in_place_of(&player);
                let before = std::mem::replace(&mut *player, next);
                *own = paused.or(Some(before));
            }
            (None, Some(paused)) => *player = paused,
            (None, None) => {}
        }
    }

    /// Counts a turn that starts.
    pub(super) fn count_turn(&self) {
        self.player.borrow_mut().start_turn();
    }

    /// The number of the current turn, from 1.
    pub(super) fn turn(&self) -> u32 {
        self.player.borrow().turn()
    }

    /// The first turn in which the fault is active.
    pub(super) fn first_turn(&self) -> u32 {
        self.player.borrow().first_turn()
    }

    /// Whether the agent has this bug now. Logs it: call this only where the bug makes a difference.
    pub(crate) fn triggers(&self, bug: Bug) -> bool {
        let armed = self.is_armed(bug);
        if armed {
            self.player.borrow_mut().note_played();
            self.log();
        }
        armed
    }

    /// Whether the agent has this bug now. Logs nothing: for places where it makes no difference yet.
    pub(crate) fn is_armed(&self, bug: Bug) -> bool {
        self.player.borrow().has_behavior(bug.name())
    }

    /// Whether a request to stop changes nothing because it is not the first.
    pub(crate) fn ignores_second_stop(&self) -> bool {
        self.stopped.replace(true) && self.triggers(Bug::StopsOnce)
    }

    /// Changes the options.
    pub(crate) fn options(&self, options: &mut CliOptions) {
        let Ok(mut members) = serde_json::to_value(&*options) else {
            return;
        };
        if self.player.borrow_mut().options(&mut members)
            && let Ok(changed) = serde_json::from_value(members)
        {
            *options = changed;
        }
        self.log();
    }

    /// Changes a command.
    pub(crate) fn command(&self, command: &mut Value) {
        self.player.borrow_mut().command(command);
        self.log();
    }

    /// Writes the entry of the fault log, once the fault has taken effect.
    fn log(&self) {
        if let Some(entry) = self.player.borrow_mut().take_log_entry() {
            eprintln!("{entry}");
        }
    }
}

impl FrameWriter for Faults {
    fn write(&self, frame: Value, write: &mut dyn FnMut(Output)) {
        let plain = self.line.unwrap_or(frame_faults::line)(&frame);
        let outputs = self.player.borrow_mut().event_as(&frame, plain);
        // Logged first, as an output may end the process.
        self.log();
        outputs.into_iter().for_each(write);
    }
}
