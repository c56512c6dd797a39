//! The stream encoder of a wire: turns the pieces of a message into server-sent events.

use crate::answer::Piece;
use crate::request::Request;

/// The inputs of an answer besides the message.
pub(crate) struct WireContext<'a> {
    pub(crate) request: &'a Request,
    pub(crate) seed: u64,
}

/// Encodes pieces as events.
pub(crate) trait Encoder {
    /// The events of a piece, each as its bytes; none for waits and cuts.
    fn encode(&mut self, piece: &Piece) -> Vec<Vec<u8>>;
    /// An event without content, which keeps the connection alive.
    fn ping(&self) -> Vec<u8>;
}
