//! A scripted server of the Model Context Protocol (MCP) over stdin and stdout.
//!
//! ```text
//!  client ── stdin ──► stdio ──► server: the answer of the script
//!    ▲                   │ └───► report: each message, over a socket, before it is answered
//!    └───── stdout ──────┘
//! ```

mod file;
mod report;
mod server;
mod stdio;

pub use file::{McpServerFile, McpServersFile, load, mistakes};
pub use report::{Received, Reporter};
pub use server::McpServer;
pub use stdio::serve;
