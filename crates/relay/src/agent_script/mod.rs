//! Turns a recorded session into an agent script: the frames of the agent, each after the command of the host that it followed.
//!
//! ```text
//!  frames ──► session: an action for each frame ──► yaml: one line of the file for each action
//!                 ▲
//!             host_ids: the ids that the host chose, and their echoes
//! ```

mod host_ids;
mod messages;
mod session;
mod yaml;

pub use session::{RecordedScript, agent_script};
