//! The faults of this process: which are active, the frames that they change, and the log entry when one takes effect.

use super::bug::Bug;
use super::dialect::{FaultChoice, FaultedDialect};
use crate::config::options::CliOptions;
use crate::core::approval::ApprovalMode;
use crate::core::session::Session;
use crate::os::stdout::FrameWriter;
use frame_faults::{Fault, FaultPlayer, Output};
use serde_json::Value;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The faults of this process, and the state that its hooks keep. They are the one writer of its frames: faults come and go while it runs.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    dialect: FaultedDialect,
    played: RefCell<Vec<Played>>,
    /// How frames become lines, if not as usual.
    line: Option<fn(&Value) -> Vec<u8>>,
    /// Lines written so far.
    lines: Cell<u64>,
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

/// A fault that is played.
#[derive(Debug)]
struct Played {
    scope: Scope,
    player: FaultPlayer,
}

/// How long a fault is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// As long as the process runs, but for the turns that have a fault of their own.
    Process,
    /// In the turn of the prompt that asks for it.
    Turn,
    /// From a command of a test on.
    Control,
}

impl Faults {
    /// No fault yet, of a dialect. Frames become these lines, where no fault changes them.
    pub(crate) fn new(dialect: FaultedDialect, line: fn(&Value) -> Vec<u8>) -> Self {
        Faults {
            dialect,
            line: Some(line),
            ..Faults::default()
        }
    }

    /// The faults of a session: its hooks, if they are faults, else none.
    pub(crate) fn of(session: &Session) -> Rc<Self> {
        let hooks: Rc<dyn Any> = Rc::clone(&session.hooks) as Rc<dyn Any>;
        hooks.downcast().unwrap_or_default()
    }

    /// The dialect whose faults are played.
    pub(crate) fn dialect(&self) -> &FaultedDialect {
        &self.dialect
    }

    /// Plays the fault of the process: `ID` or `ID@turn=N`.
    ///
    /// # Errors
    /// The dialect has no such fault, or its files have a mistake.
    pub(crate) fn play(&self, text: &str) -> Result<(), String> {
        let choice = FaultChoice::parse(text)?;
        let fault = self.dialect.fault(choice.id)?;
        self.add(Scope::Process, fault, choice.turn);
        Ok(())
    }

    /// The same for an agent that has only faults on frames.
    ///
    /// # Errors
    /// The dialect has no such fault on frames, or its files have a mistake.
    pub(crate) fn play_on_frames(&self, text: &str) -> Result<(), String> {
        self.dialect.frame_fault(FaultChoice::parse(text)?.id)?;
        self.play(text)
    }

    /// Plays a fault from the next frame on.
    pub(crate) fn play_now(&self, fault: Fault) {
        self.add(Scope::Control, fault, Some(0));
    }

    /// Plays a fault in the next turn, and the fault of the process again if there is none.
    pub(crate) fn play_in_turn(&self, fault: Option<Fault>) {
        let is_over = |played: &Played| played.scope == Scope::Turn;
        self.played.borrow_mut().retain(|played| !is_over(played));
        if let Some(fault) = fault {
            self.add(Scope::Turn, fault, None);
        }
    }

    fn add(&self, scope: Scope, fault: Fault, from: Option<u32>) {
        let player = FaultPlayer::new(fault, self.dialect.kinds.clone(), from);
        self.played.borrow_mut().push(Played { scope, player });
    }

    /// Counts a turn that starts.
    pub(super) fn count_turn(&self) {
        let mut played = self.played.borrow_mut();
        played.iter_mut().for_each(|one| one.player.start_turn());
    }

    /// The number of the current turn, from 1, and the first turn in which the fault of this bug is active.
    pub(super) fn turns(&self, bug: Bug) -> (u32, u32) {
        let turns = |player: &mut FaultPlayer| {
            let has_bug = player.has_behavior(bug.name());
            has_bug.then(|| (player.turn(), player.first_turn()))
        };
        self.find(turns).unwrap_or_default()
    }

    /// Whether the agent has this bug now. Logs it: call this only where the bug makes a difference.
    pub(crate) fn triggers(&self, bug: Bug) -> bool {
        let noted = self.find(|player| {
            let has_bug = player.has_behavior(bug.name());
            has_bug.then(|| player.note_played())
        });
        self.log();
        noted.is_some()
    }

    /// Whether the agent has this bug now. Logs nothing: for places where it makes no difference yet.
    pub(crate) fn is_armed(&self, bug: Bug) -> bool {
        let armed = self.find(|player| player.has_behavior(bug.name()).then_some(()));
        armed.is_some()
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
        let changed = self.find(|player| player.options(&mut members).then_some(()));
        if changed.is_some()
            && let Ok(changed) = serde_json::from_value(members)
        {
            *options = changed;
        }
        self.log();
    }

    /// Changes a command.
    pub(crate) fn command(&self, command: &mut Value) {
        self.for_each(|player| {
            player.command(command);
        });
        self.log();
    }

    /// Does this with each active fault.
    fn for_each(&self, mut with: impl FnMut(&mut FaultPlayer)) {
        self.find(|player| {
            with(player);
            None::<()>
        });
    }

    /// The first result of the active faults.
    fn find<T>(&self, result: impl FnMut(&mut FaultPlayer) -> Option<T>) -> Option<T> {
        let mut played = self.played.borrow_mut();
        let in_turn = played.iter().any(|one| one.scope == Scope::Turn);
        let is_active = |one: &&mut Played| !in_turn || one.scope != Scope::Process;
        let active = played.iter_mut().filter(is_active);
        let players = active.map(|one| {
            one.player.count_lines_from(self.lines.get());
            &mut one.player
        });
        { players }.find_map(result)
    }

    /// Writes the entries of the fault log, once a fault has taken effect.
    fn log(&self) {
        for one in self.played.borrow_mut().iter_mut() {
            if let Some(entry) = one.player.take_log_entry() {
                eprintln!("{entry}");
            }
        }
    }
}

impl FrameWriter for Faults {
    fn write(&self, frame: &Value) -> Vec<Output> {
        if self.dialect.begins_turn(frame) {
            self.count_turn();
        }
        let line = self.line.unwrap_or(frame_faults::line)(frame);
        let mut outputs = vec![Output::Bytes(line)];
        self.for_each(|player| {
            let before = std::mem::take(&mut outputs);
            outputs.extend(before.into_iter().flat_map(|output| match output {
                Output::Bytes(line) => player.event_line(&line),
                other => vec![other],
            }));
        });
        // Logged first, as an output may end the process.
        self.log();
        outputs
    }

    fn written(&self, bytes: &[u8]) {
        let lines = memchr::memchr_iter(b'\n', bytes).count();
        self.lines.set(self.lines.get() + lines as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faults::dialect::tests::bird;

    fn faults() -> Faults {
        Faults::new(bird(), frame_faults::raw_line)
    }

    /// The lines for events of these kinds.
    fn lines(faults: &Faults, kinds: &[&str]) -> Vec<String> {
        let outputs = kinds.iter().flat_map(|kind| {
            let outputs = faults.write(&serde_json::json!({ "type": kind }));
            let bytes = outputs.into_iter().filter_map(|output| match output {
                Output::Bytes(bytes) => Some(bytes),
                _ => None,
            });
            bytes
                .inspect(|bytes| faults.written(bytes))
                .collect::<Vec<_>>()
        });
        let kinds = outputs.map(|line| serde_json::from_slice::<Value>(&line).unwrap());
        kinds
            .map(|frame| frame["type"].as_str().unwrap_or_default().to_owned())
            .collect()
    }

    #[test]
    fn a_fault_is_played_from_a_turn_on_or_now() {
        let turns = ["begin", "end", "begin", "end"];
        for (text, expected) in [("no-end", 3), ("no-end@turn=2", 3), ("no-end@turn=3", 4)] {
            let faults = faults();
            faults.play(text).unwrap();
            assert_eq!(lines(&faults, &turns).len(), expected, "{text}");
        }
        let faults = faults();
        faults.play_now(faults.dialect().fault("no-end").unwrap());
        assert_eq!(lines(&faults, &["end"]).len(), 0);
    }

    #[test]
    fn faults_are_played_together_and_one_in_a_turn_pauses_that_of_the_process() {
        let faults = faults();
        faults.play("no-end@turn=2").unwrap();
        assert_eq!(lines(&faults, &["begin", "end"]), ["begin", "end"]);
        faults.play_in_turn(Some(faults.dialect().fault("two-begins").unwrap()));
        assert_eq!(lines(&faults, &["begin", "end"]), ["begin", "begin", "end"]);
        faults.play_in_turn(None);
        faults.play_now(faults.dialect().fault("two-begins").unwrap());
        assert_eq!(lines(&faults, &["begin", "end"]), ["begin", "begin"]);
        assert_eq!(faults.lines.get(), 7);
    }
}
