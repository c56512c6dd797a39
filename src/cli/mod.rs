//! The command line: one file for each subcommand, and what they share.

mod agent_surroundings;
mod args;
mod baseline;
mod catalogue;
mod check;
mod command_error;
mod command_line;
mod coverage;
mod ctl;
mod describe;
mod detection_notes;
mod exit;
mod explain;
mod explore;
mod init;
mod inject;
pub mod judged_agent;
mod lint;
mod list;
mod mutants;
mod network;
mod output;
mod provider;
mod record;
mod recorded_relay;
mod relay_guard;
mod report;
mod reports;
mod run;
mod schema;
mod session_judge;
mod shell_files;
mod table;
mod termination;

pub use command_line::main;
