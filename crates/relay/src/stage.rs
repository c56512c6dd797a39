//! A stage: what the relay does with the bytes of one direction.

use super::Ending;
use std::io::{self, Write};

/// What the relay does after a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// It goes on.
    Continue,
    /// It kills the agent and ends like this.
    End(Ending),
}

/// What the relay does with the bytes of one direction.
pub trait Stage: Send {
    /// Takes a chunk as it was read, and writes what the other side gets.
    ///
    /// # Errors
    /// What the other side reports, such as a closed pipe.
    fn pass(&mut self, chunk: &[u8], out: &mut dyn Write) -> io::Result<Flow>;

    /// Called once after the last chunk, before the other side is closed.
    ///
    /// # Errors
    /// What the other side reports.
    fn end(&mut self, _out: &mut dyn Write) -> io::Result<Flow> {
        Ok(Flow::Continue)
    }

    /// Called once, instead of [`end`](Stage::end), if the other side closes its end of the pipe first.
    fn receiver_closed(&mut self) {}
}

/// The stage that changes nothing and notes nothing.
#[derive(Debug, Clone, Copy)]
pub struct PassOn;

impl Stage for PassOn {
    fn pass(&mut self, chunk: &[u8], out: &mut dyn Write) -> io::Result<Flow> {
        out.write_all(chunk).map(|()| Flow::Continue)
    }
}
