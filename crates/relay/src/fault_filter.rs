//! The fault filter: plays a fault on the lines that pass between an agent and its host.

use super::Ending;
use super::stage::{Flow, Stage};
use conform_judge::framing::LINE_LIMIT;
use frame_faults::{FaultPlayer, KillSignal, LineSplitter, Output};
use rustix::process::Signal;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The state that both directions share.
struct Shared {
    player: FaultPlayer,
    host: Host,
}

/// The writer of replies to commands, until the agent's stdout ends. It is locked while a stage writes to the host, so that no reply comes in
/// the middle of a line.
type Host = Arc<Mutex<Option<Box<dyn Write + Send>>>>;

/// The stages of both directions, which play one fault.
pub struct FaultFilter(Arc<Mutex<Shared>>);

impl FaultFilter {
    /// A filter. `to_host` writes where the stage of the agent's stdout writes.
    #[must_use]
    pub fn new(player: FaultPlayer, to_host: Box<dyn Write + Send>) -> Self {
        let host = Arc::new(Mutex::new(Some(to_host)));
        FaultFilter(Arc::new(Mutex::new(Shared { player, host })))
    }

    /// The stage for the agent's stdout.
    #[must_use]
    pub fn from_agent(&self) -> Box<dyn Stage> {
        let host = Arc::clone(&locked(&self.0).host);
        self.stage(Shared::event, Shared::last_event, Some(host))
    }

    /// The stage for the agent's stdin.
    #[must_use]
    pub fn to_agent(&self) -> Box<dyn Stage> {
        self.stage(Shared::command, |_, last| vec![Output::Bytes(last)], None)
    }

    fn stage(
        &self,
        line: fn(&mut Shared, &[u8]) -> Vec<Output>,
        end: fn(&mut Shared, Vec<u8>) -> Vec<Output>,
        host: Option<Host>,
    ) -> Box<dyn Stage> {
        Box::new(LineFilter {
            shared: Arc::clone(&self.0),
            host,
            lines: LineSplitter::new(LINE_LIMIT),
            line,
            end,
        })
    }
}

impl Shared {
    fn event(&mut self, line: &[u8]) -> Vec<Output> {
        let outputs = self.player.event_line(line);
        self.log();
        outputs
    }

    fn last_event(&mut self, last: Vec<u8>) -> Vec<Output> {
        let mut outputs = if last.is_empty() {
            Vec::new()
        } else {
            self.event(&last)
        };
        outputs.append(&mut self.player.end());
        outputs
    }

    fn command(&mut self, line: &[u8]) -> Vec<Output> {
        let (passed, replies) = self.player.command_line(line);
        self.log();
        if let (false, Some(host)) = (replies.is_empty(), &mut *locked(&self.host))
            && let Err(error) = perform(replies, host)
        {
            tracing::debug!(%error, "a reply of the fault filter is lost");
        }
        passed.map(Output::Bytes).into_iter().collect()
    }

    /// Writes the entry of the fault log to stderr, before the outputs: one of them may end the process.
    fn log(&mut self) {
        if let Some(entry) = self.player.take_log_entry() {
            eprintln!("{entry}");
        }
    }
}

/// The stage of one direction.
struct LineFilter {
    shared: Arc<Mutex<Shared>>,
    /// The host, if the stage writes to it.
    host: Option<Host>,
    /// A line beyond the limit is split into parts, which no fault changes.
    lines: LineSplitter,
    /// The outputs in place of a line.
    line: fn(&mut Shared, &[u8]) -> Vec<Output>,
    /// The outputs at the end of the stream, for its last bytes without a newline.
    end: fn(&mut Shared, Vec<u8>) -> Vec<Output>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LineFilter {
    fn perform(&self, outputs: Vec<Output>, out: &mut dyn Write) -> io::Result<Flow> {
        let _writing = self.host.as_deref().map(locked);
        perform(outputs, out)
    }
}

impl Stage for LineFilter {
    fn pass(&mut self, chunk: &[u8], out: &mut dyn Write) -> io::Result<Flow> {
        for line in self.lines.push(chunk) {
            let outputs = (self.line)(&mut locked(&self.shared), &line);
            let flow = self.perform(outputs, out)?;
            if flow != Flow::Continue {
                return Ok(flow);
            }
        }
        Ok(Flow::Continue)
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<Flow> {
        let last = self.lines.rest();
        let outputs = (self.end)(&mut locked(&self.shared), last);
        let flow = self.perform(outputs, out);
        if let Some(host) = &self.host {
            locked(host).take();
        }
        flow
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
    use frame_faults::{KindPointers, NestedKinds};
    use proptest::prelude::*;

    fn filter(id: &str) -> FaultFilter {
        let kinds = KindPointers {
            events: "/type".into(),
            commands: "/type".into(),
        };
        let fault = frame_faults::generic_fault(id, NestedKinds::new()).unwrap();
        let player = FaultPlayer::new(fault, kinds, None);
        FaultFilter::new(player, Box::new(io::sink()))
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
