//! The process: command line, startup, event loop, shutdown, exit status.

mod agent_script;
mod help;
mod protocol_choice;
mod run;
mod serve;
mod startup;

pub use run::main;
