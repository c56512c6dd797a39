//! The reference agent: a real agent, in every protocol that `conform` judges, whose model is scripted. This page is its architecture.
//!
//! ```text
//!  stdin ──► os::stdin ──► protocols: commands ──► core: session ──► turn ──► model (script in-process, or HTTP and SSE)
//!                                                     │               └─────► tools (confined to the workspace)
//!  stdout ◄─ os::stdout ◄─ protocols: events ◄──── core: events
//! ```
//!
//! # Layers
//!
//! A layer imports only those below it.
//!
//! | layer | what it is |
//! |---|---|
//! | `process` | the process: settings file, protocol selection, startup, event loop, shutdown, exit status, `--help` |
//! | `protocols` | protocol adapters, one for each version of a protocol: flags, commands in, frames out |
//! | `agent_script` | the scripted agent of any dialect: its file, its replies, its event loop |
//! | `faults` | deliberate defects (`--fault ID`), for tests that must fail; the package `frame-faults` plays those on frames |
//! | `config` | command-line options, environment variables, model providers |
//! | `core` | the agent itself: sessions, turns, tool calls, approvals, compaction, retries, background tasks; it knows no protocol |
//! | `tools` | the tools that the model calls: files, shell, sub-agents, MCP client |
//! | `session_store` | the session store on disk |
//! | `model` | the model client: messages, requests, streamed replies, the LLM wires, the scripted model |
//! | `built_in_scripts` | the built-in scripts, by name |
//! | `os` | standard input and output, signals |
//! | `control` | what a test can see and control while the agent runs: gates, the journal |
//!
//! A fault changes the agent at three places only: in the options and commands that the adapter parses, in the decisions that ask
//! `faults.triggers(Bug::X)`, and in the frames that pass through `os::stdout`.
//!
//! # Where to find what
//!
//! | question | file |
//! |---|---|
//! | What does a scripted agent of another dialect do? | `agent_script/event_loop.rs`, `agent_script/reply.rs` |
//! | How does the agent exit, and with which status? | `process/run.rs`, `process/serve.rs` |
//! | Which agent do the arguments choose? | `process/choice.rs` |
//! | Where are child processes killed? | the package `process-list` |
//! | Where does a tool go? | a file in `tools/`, and a line in `tools/mod.rs` or in the adapter's own table |
//! | Where does an LLM wire go? | a file in `model/`, and its lines in `model/wires.rs` |
//! | Where does a protocol or a version go? | `protocols/`, and a line in `protocols/mod.rs` |

mod agent_script;
mod built_in_scripts;
mod config;
mod control;
mod core;
mod faults;
mod model;
mod os;
mod process;
mod protocols;
mod session_store;
mod tools;

pub use agent_script::{AgentScriptFile, check_agent_script};
pub use built_in_scripts::is_name as is_script_name;
pub use faults::behaviors;
pub use process::{DIALECT_DIR_VARIABLE as DIALECT_DIR, PROTOCOL_VARIABLE as PROTOCOL};
pub use process::{SettingsFile, SpokenDialect, built_in_script, main, spoken_dialect};
pub use protocols::dialects;
