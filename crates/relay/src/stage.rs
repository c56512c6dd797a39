//! A stage: processes the bytes of one direction.

use super::Ending;
use std::io::{self, Write};

/// Whether the session continues after a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// It continues.
    Continue,
    /// The relay kills the agent and ends in this way.
    End(Ending),
}

/// Processes the bytes of one direction.
pub trait Stage: Send {
    /// Processes a chunk as it was read, and writes the bytes for the other side.
    ///
    /// # Errors
    /// Writing failed, such as to a closed pipe.
    fn pass(&mut self, chunk: &[u8], out: &mut dyn Write) -> io::Result<Flow>;

    /// Called once after the last chunk, before the other side is closed.
    ///
    /// # Errors
    /// Writing failed.
    fn end(&mut self, _out: &mut dyn Write) -> io::Result<Flow> {
        Ok(Flow::Continue)
    }

    /// Called once, instead of [`end`](Stage::end), if the other side closes its end of the pipe first.
    fn receiver_closed(&mut self) {}
}

/// The stage that forwards everything unchanged.
#[derive(Debug, Clone, Copy)]
pub struct PassOn;

impl Stage for PassOn {
    fn pass(&mut self, chunk: &[u8], out: &mut dyn Write) -> io::Result<Flow> {
        out.write_all(chunk).map(|()| Flow::Continue)
    }
}
