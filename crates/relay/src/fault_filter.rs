//! The fault filter: plays a fault on the lines that pass between an agent and its host.

use super::Ending;
use super::stage::{Flow, Stage};
use conform_judge::framing::LINE_LIMIT;
use frame_faults::{FaultPlayer, KillSignal, KindPointers, LineSplitter, Output};
use rustix::process::Signal;
use serde_json::Value;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What both directions share.
struct Shared {
    player: FaultPlayer,
    kinds: KindPointers,
    /// The frames that begin a turn, as rules write them: `begin`, `>prompt`.
    turns: Vec<String>,
}

/// The stages of both directions, which play one fault.
pub struct FaultFilter(Arc<Mutex<Shared>>);

impl FaultFilter {
    /// A filter. `turns` names the frames that begin a turn, as rules write them.
    #[must_use]
    pub fn new(player: FaultPlayer, kinds: KindPointers, turns: Vec<String>) -> Self {
        FaultFilter(Arc::new(Mutex::new(Shared {
            player,
            kinds,
            turns,
        })))
    }

    /// The stage for the agent's stdout.
    #[must_use]
    pub fn from_agent(&self) -> Box<dyn Stage> {
        Box::new(EventFilter {
            shared: Arc::clone(&self.0),
            lines: LineSplitter::new(LINE_LIMIT),
        })
    }

    /// The stage for the agent's stdin.
    #[must_use]
    pub fn to_agent(&self) -> Box<dyn Stage> {
        Box::new(CommandFilter {
            shared: Arc::clone(&self.0),
            lines: LineSplitter::new(LINE_LIMIT),
        })
    }
}

impl Shared {
    fn event(&mut self, line: &[u8]) -> Vec<Output> {
        self.note_turn(line, &self.kinds.events.clone(), "");
        let outputs = self.player.event_line(line);
        self.log();
        outputs
    }

    fn command(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        self.note_turn(line, &self.kinds.commands.clone(), ">");
        let changed = self.player.command_line(line);
        self.log();
        changed
    }

    /// Counts a turn if this frame begins one.
    fn note_turn(&mut self, line: &[u8], kind_at: &str, prefix: &str) {
        if self
            .turns
            .iter()
            .all(|turn| turn.starts_with('>') == prefix.is_empty())
        {
            return;
        }
        let Ok(frame) = json_matcher::read_json(line) else {
            return;
        };
        let kind = frame.pointer(kind_at).and_then(Value::as_str);
        let named = kind.map(|kind| format!("{prefix}{kind}"));
        if named.is_some_and(|named| self.turns.contains(&named)) {
            self.player.start_turn();
        }
    }

    /// Writes the entry of the fault log to stderr, before the outputs: one of them may end the process.
    fn log(&mut self) {
        if let Some(entry) = self.player.take_log_entry() {
            eprintln!("{entry}");
        }
    }
}

fn lock(shared: &Mutex<Shared>) -> MutexGuard<'_, Shared> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

struct EventFilter {
    shared: Arc<Mutex<Shared>>,
    /// A line beyond the limit comes in parts, which no fault changes.
    lines: LineSplitter,
}

impl Stage for EventFilter {
    fn pass(&mut self, chunk: &[u8], out: &mut dyn Write) -> io::Result<Flow> {
        for line in self.lines.push(chunk) {
            let outputs = lock(&self.shared).event(&line);
            let flow = perform(outputs, out)?;
            if flow != Flow::Continue {
                return Ok(flow);
            }
        }
        Ok(Flow::Continue)
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<Flow> {
        let last = self.lines.rest();
        if !last.is_empty() {
            let outputs = lock(&self.shared).event(&last);
            let flow = perform(outputs, out)?;
            if flow != Flow::Continue {
                return Ok(flow);
            }
        }
        let outputs = lock(&self.shared).player.end();
        perform(outputs, out)
    }
}

struct CommandFilter {
    shared: Arc<Mutex<Shared>>,
    lines: LineSplitter,
}

impl Stage for CommandFilter {
    fn pass(&mut self, chunk: &[u8], out: &mut dyn Write) -> io::Result<Flow> {
        for line in self.lines.push(chunk) {
            let changed = lock(&self.shared).command(&line);
            out.write_all(changed.as_deref().unwrap_or(&line))?;
        }
        Ok(Flow::Continue)
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<Flow> {
        out.write_all(&self.lines.rest())?;
        Ok(Flow::Continue)
    }
}

fn perform(outputs: Vec<Output>, out: &mut dyn Write) -> io::Result<Flow> {
    for output in outputs {
        match output {
            Output::Bytes(bytes) => out.write_all(&bytes)?,
            Output::Wait(time) => std::thread::sleep(time),
            Output::Exit(code) => return Ok(Flow::End(Ending::Exit(code))),
            Output::Kill(signal) => {
                let signal = match signal {
                    KillSignal::Abort => Signal::ABORT,
                    KillSignal::Kill => Signal::KILL,
                };
                return Ok(Flow::End(Ending::Signal(signal.as_raw())));
            }
        }
    }
    Ok(Flow::Continue)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn filter(id: &str) -> FaultFilter {
        let kinds = KindPointers {
            events: "/type".into(),
            commands: "/type".into(),
        };
        let fault = frame_faults::generic_fault(id).unwrap();
        let player = FaultPlayer::new(fault, kinds.clone(), None);
        FaultFilter::new(player, kinds, Vec::new())
    }

    fn passed(mut stage: Box<dyn Stage>, chunks: &[&[u8]]) -> Vec<u8> {
        let mut out = Vec::new();
        for chunk in chunks {
            stage.pass(chunk, &mut out).unwrap();
        }
        stage.end(&mut out).unwrap();
        out
    }

    #[test]
    fn a_fault_is_played_on_lines_that_come_in_pieces() {
        let chunks: [&[u8]; 3] = [
            b"{\"type\":\"a\"}\n{\"ty",
            b"pe\":\"b\"}\n{\"type\"",
            b":\"b\"}\n",
        ];
        let out = passed(filter("drop:b").from_agent(), &chunks);

        assert_eq!(out, b"{\"type\":\"a\"}\n{\"type\":\"b\"}\n");
    }

    proptest! {
        #[test]
        fn a_fault_that_is_not_played_changes_no_byte(bytes in proptest::collection::vec(prop_oneof![3 => any::<u8>(), 1 => Just(b'\n')], 0..80), size in 1_usize..20) {
            let chunks: Vec<&[u8]> = bytes.chunks(size).collect();
            let filter = filter("drop:b");
            prop_assert_eq!(&passed(filter.from_agent(), &chunks), &bytes);
            prop_assert_eq!(&passed(filter.to_agent(), &chunks), &bytes);
        }
    }
}
