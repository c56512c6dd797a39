//! The recorded history of a session: a versioned JSON Lines file, byte-exact in both directions.
//!
//! The first line is a header, every other line one [`Frame`](crate::frame::Frame). A file without a header is a plain capture
//! of an agent's stdout: each of its lines is a frame from the agent.

mod error;
mod header;
mod line_record;
mod reader;
mod record;
mod writer;

pub use error::{Problem, TranscriptError};
pub use header::{Header, VERSION};
pub use reader::TranscriptReader;
pub use writer::TranscriptWriter;
