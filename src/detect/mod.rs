//! Protocol detection: which dialect an agent or a recording speaks.

mod recording;

pub use recording::dialect_of_frames;
