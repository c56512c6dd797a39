//! The process: command line, startup, event loop, shutdown, exit status.

mod agent_script;
mod choice;
mod control;
mod environment;
mod help;
mod input;
mod install;
mod other_commands;
mod own_arguments;
mod protocol_choice;
mod run;
mod script_by_dialect;
mod serve;
mod settings_file;
mod startup;

pub use choice::{DIALECT_DIR_VARIABLE, SpokenDialect, spoken_dialect};
pub use protocol_choice::PROTOCOL_VARIABLE;
pub use run::main;
pub use script_by_dialect::built_in_script;
pub use settings_file::SettingsFile;
