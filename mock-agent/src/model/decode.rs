//! From the data of a stream's events to chunks.

use super::{Chunk, ModelError};

/// Understands one wire's stream.
pub(super) trait Decode {
    /// The chunks in one event's data.
    fn event(&mut self, data: &str) -> Result<Vec<Chunk>, ModelError>;

    /// Whether the reply is whole: the end of the stream is then no interruption.
    fn whole(&self) -> bool;

    /// What was left open when a whole stream ended.
    fn finish(&mut self) -> Vec<Chunk>;
}
