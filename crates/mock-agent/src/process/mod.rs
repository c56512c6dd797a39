//! The process: command line, startup, event loop, shutdown, exit status.

mod agent_script;
mod built_in_script;
mod control;
mod environment;
mod fault_writer;
mod help;
mod install;
mod other_commands;
mod prompt_markers;
mod protocol_choice;
mod run;
mod serve;
mod settings_file;
mod startup;

pub use built_in_script::built_in_script;
pub use run::{SpokenDialect, main, spoken_dialect};
pub use settings_file::SettingsFile;
