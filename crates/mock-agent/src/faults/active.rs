//! The faults of this process: which are active, the frames that they change, and the log entry when one takes effect.

use super::bug::Bug;
use super::dialect::FaultedDialect;
use frame_faults::{Fault, FaultPlayer, Output};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::cell::{Cell, RefCell};

/// The faults of this process. They are the one writer of its frames: faults come and go while it runs.
#[derive(Debug)]
pub(crate) struct Faults {
    /// The dialect whose faults are played.
    pub(crate) dialect: FaultedDialect,
    played: RefCell<Vec<Played>>,
    /// How frames become lines.
    line: fn(&Value) -> Vec<u8>,
    /// Lines written so far.
    lines: Cell<u64>,
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
    /// The faults of the whole process, except in turns that have a fault of their own.
    Process,
    /// In the turn of the prompt that asks for it.
    Turn,
    /// From a command of a test on.
    Control,
    /// Never: the log reports where it would take effect.
    Rehearsal,
}

impl Faults {
    /// No fault yet, of a dialect. Frames become these lines, where no fault changes them.
    pub(crate) fn new(dialect: FaultedDialect, line: fn(&Value) -> Vec<u8>) -> Self {
        Faults {
            dialect,
            played: RefCell::default(),
            line,
            lines: Cell::default(),
        }
    }

    /// No fault, of no dialect.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        Faults::new(FaultedDialect::default(), frame_faults::line)
    }

    /// Plays the faults of the process: `ID` or `ID@turn=N`, or several of them with commas between. `*` rehearses all.
    ///
    /// # Errors
    /// The dialect has no such fault, or its files have a mistake.
    pub(crate) fn play(&self, text: &str) -> Result<(), String> {
        if text == "*" {
            for fault in self.dialect.faults()? {
                self.add(Scope::Rehearsal, fault, None);
            }
            return Ok(());
        }
        let mut faults = Vec::new();
        for text in text.split(',') {
            let (id, turn) = id_and_turn(text)?;
            faults.push((self.dialect.fault(id)?, turn));
        }
        faults.sort_by_key(|(fault, _)| fault.order());
        for (fault, turn) in faults {
            self.add(Scope::Process, fault, turn);
        }
        Ok(())
    }

    /// The same for an agent that has only faults on frames.
    ///
    /// # Errors
    /// The dialect has no such fault on frames, or its files have a mistake.
    pub(crate) fn play_on_frames(&self, text: &str) -> Result<(), String> {
        for text in text.split(',') {
            self.dialect.frame_fault(id_and_turn(text)?.0)?;
        }
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
        let player = FaultPlayer::new(fault, self.dialect.naming.clone(), from)
            .with_turns(vec![self.dialect.turn.clone()]);
        self.played.borrow_mut().push(Played { scope, player });
    }

    /// Counts a turn that starts.
    pub(crate) fn count_turn(&self) {
        let mut played = self.played.borrow_mut();
        played.iter_mut().for_each(|one| one.player.start_turn());
    }

    /// The number of the current turn, from 1, and the first turn in which the fault of this bug is active.
    pub(crate) fn turns(&self, bug: Bug) -> (u32, u32) {
        let turns = |player: &mut FaultPlayer| (player.turn(), player.first_turn());
        self.with_bug(bug, turns).unwrap_or_default()
    }

    /// Whether the agent has this bug now. Logs it: call this only where the bug makes a difference.
    pub(crate) fn triggers(&self, bug: Bug) -> bool {
        self.with_bug(bug, FaultPlayer::note_played).is_some()
    }

    /// Whether the agent has this bug now. Logs nothing: for places where it makes no difference yet.
    pub(crate) fn is_armed(&self, bug: Bug) -> bool {
        self.with_bug(bug, |_| ()).is_some()
    }

    /// The result of the first active fault with this bug. Logs the rehearsed one: here it can make a difference.
    fn with_bug<T>(&self, bug: Bug, result: impl Fn(&mut FaultPlayer) -> T) -> Option<T> {
        let name = bug.to_string();
        self.rehearse(|player| {
            if player.has_behavior(&name) {
                player.note_played();
            }
        });
        let found = self.find(|player| player.has_behavior(&name).then(|| result(player)));
        self.log();
        found
    }

    /// Changes the options of the command line.
    pub(crate) fn options(&self, options: &mut (impl Serialize + DeserializeOwned)) {
        let Ok(mut members) = serde_json::to_value(&*options) else {
            return;
        };
        self.change(&mut members, |player, members| {
            player.internal("#options", members);
        });
        if let Ok(changed) = serde_json::from_value(members) {
            *options = changed;
        }
    }

    /// Changes the body of a request to the model.
    pub(crate) fn request(&self, body: &mut Value) {
        self.change(body, |player, body| {
            player.internal("@request", body);
        });
    }

    /// Changes a command before the agent reads it. `None` if the agent does not get it; what it sends before is written with `send`.
    pub(crate) fn command(&self, mut command: Value, send: impl Fn(Output)) -> Option<Value> {
        self.rehearse(|player| drop(player.command(&mut command.clone())));
        let mut is_dropped = false;
        let mut replies = Vec::new();
        // The last fault is the nearest to the host.
        for player in self.active(&mut self.played.borrow_mut()).rev() {
            let mut received = player.command(&mut command);
            replies.append(&mut received.replies);
            is_dropped = received.is_dropped;
            if is_dropped {
                break;
            }
        }
        self.log();
        replies.into_iter().for_each(send);
        (!is_dropped).then_some(command)
    }

    fn change(&self, value: &mut Value, by: impl Fn(&mut FaultPlayer, &mut Value)) {
        self.rehearse(|player| by(player, &mut value.clone()));
        self.for_each(|player| by(player, value));
        self.log();
    }

    /// What is done for a frame. Without a fault, the bytes of its line are written.
    pub(crate) fn write(&self, frame: &Value) -> Vec<Output> {
        let line = (self.line)(frame);
        self.rehearse(|player| drop(player.event(frame, &line)));
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

    /// Counts the lines in bytes that are written, those of frames and others.
    pub(crate) fn written(&self, bytes: &[u8]) {
        let lines = memchr::memchr_iter(b'\n', bytes).count();
        self.lines.set(self.lines.get() + lines as u64);
    }

    /// Does this with each fault that is rehearsed.
    fn rehearse(&self, mut with: impl FnMut(&mut FaultPlayer)) {
        let mut played = self.played.borrow_mut();
        let is_rehearsed =
            |one: &&mut Played| one.scope == Scope::Rehearsal && !one.player.has_played();
        for one in played.iter_mut().filter(is_rehearsed) {
            one.player.count_lines_from(self.lines.get());
            with(&mut one.player);
        }
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
        self.active(&mut played).find_map(result)
    }

    /// The faults that are active now.
    fn active<'p>(
        &self,
        played: &'p mut [Played],
    ) -> impl DoubleEndedIterator<Item = &'p mut FaultPlayer> {
        let in_turn = played.iter().any(|one| one.scope == Scope::Turn);
        let is_active = move |one: &&mut Played| match one.scope {
            Scope::Rehearsal => false,
            scope => !in_turn || scope != Scope::Process,
        };
        let lines = self.lines.get();
        played.iter_mut().filter(is_active).map(move |one| {
            one.player.count_lines_from(lines);
            &mut one.player
        })
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

/// The id of a fault and the turn from which on it is played, of the value of `--fault`.
fn id_and_turn(text: &str) -> Result<(&str, Option<u32>), String> {
    let Some((id, turn)) = text.split_once("@turn=") else {
        return Ok((text, None));
    };
    match turn.parse() {
        Ok(turn) => Ok((id, Some(turn))),
        Err(_) => Err(format!("--fault: {turn:?} is not a turn's number")),
    }
}
