//! Agent files: what is known of particular agents of a dialect, and the tools by purpose that scenarios name.

mod file;
mod lanes;
mod purposes;

pub use file::{ASKS, AgentFile, KnownAgent, LaneFile, REFERENCE, ToolFile};
pub use lanes::LaneConditions;
pub use purposes::{ByPurpose, by_purpose};
