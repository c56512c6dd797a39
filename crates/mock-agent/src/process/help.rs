//! `--help`, `--version` and model lists, of the reference agent and of the agents that it replaces; and the usage error for arguments
//! that select no protocol.

use super::own_arguments::{DIALECT_FLAGS, OwnArguments, PROCESS_FLAGS, SESSION_FLAGS};
use super::settings_file::SettingsFile;
use crate::built_in_scripts::{self, ScriptError};
use crate::config::flags::Flag;
use crate::config::{Question, USAGE};
use crate::protocols::adapter::Adapter;
use crate::protocols::{ADAPTERS, dialects};
use indexmap::IndexSet;
use spanned_yaml::suggestion;
use std::io::Write;
use std::process::ExitCode;

/// Flags that have another meaning for a scripted agent.
const SCRIPTED_FLAGS: &str = "\
--script FILE            Its agent script: what it writes at the start and on each command, or a recorded session
--fault ID[@turn=N]      Enable a fault, from turn N on
";

/// The environment variables that are not keys of the settings file.
const OTHER_VARIABLES: &str = "\
MOCK_AGENT_CONFIG        The settings file; by default mock-agent.yaml in the current folder or beside the program. Its keys are the variables above
MOCK_AGENT_JUDGE         Write each mistake of the host to this file; with the flag --judge, a mistake decides the exit status
MOCK_AGENT_TRANSCRIPT    Record the session in this file, for `conform check`
MOCK_AGENT_LOG           The log filter for stderr; by default warn
";

/// Whether the arguments ask for the help or the version.
pub(super) fn is_asked(own: &OwnArguments) -> bool {
    own.has(HELP) || own.has(VERSION)
}

const HELP: &[&str] = &["--help", "-h"];
const VERSION: &[&str] = &["--version", "-V", "-v"];

/// Prints what the real agent prints for its flags `--version`, `--help` and the model list.
pub(super) fn answer_as(adapter: &Adapter, question: Question) {
    match question {
        Question::Version => println!("{}", adapter.version_line),
        Question::Help => print!("{}", help_of(adapter)),
        Question::Models => print!("{MODELS}"),
    }
}

/// The model that the reference agent has without a configuration.
const MODELS: &str = "\
provider   model       context  max-out  thinking  images
anthropic  mock-model  200K     8.2K     no        no
";

fn help_of(adapter: &Adapter) -> String {
    let mut text = format!(
        "{} - played by mock-agent {}, the reference agent of conform\n\nUsage:\n  {} [options]\n\nOptions:\n",
        adapter.name,
        env!("CARGO_PKG_VERSION"),
        adapter.name
    );
    let tables = adapter.flags.iter().copied();
    text.extend(
        tables
            .clone()
            .flat_map(help_lines)
            .chain(help_lines(SESSION_FLAGS)),
    );
    let flags = tables.flatten().filter(|flag| flag.is_ignored());
    let ignored: Vec<_> = flags.flat_map(Flag::names).collect();
    text.push_str(&format!(
        "\nAccepted without effect:\n  {}\n",
        ignored.join(", ")
    ));
    text
}

/// The lines of the help on a table of flags.
fn help_lines<T>(flags: &'static [Flag<T>]) -> impl Iterator<Item = String> {
    flags.iter().filter_map(Flag::help_line)
}

/// Prints what `--list-scripts` and `--print-script` ask for. `None` if the arguments ask for neither.
///
/// # Errors
/// There is no such script, or the protocol does not have it.
pub(super) fn print_scripts(
    selected: Option<&Adapter>,
    own: &OwnArguments,
) -> Result<Option<ExitCode>, ScriptError> {
    let dialects: Vec<_> = match selected {
        Some(adapter) => vec![(adapter.name, adapter.version)],
        None => dialects().collect(),
    };
    let mut text = String::new();
    if let Some(name) = &own.printed_script {
        let found = dialects
            .iter()
            .find_map(|dialect| built_in_scripts::find(name, *dialect).ok());
        let script = match found {
            Some(script) => script,
            None => built_in_scripts::find(name, dialects[0])?,
        };
        text.push_str(script.text);
    } else if own.lists_scripts {
        text = built_in_scripts::listing(&dialects);
    } else {
        return Ok(None);
    }
    // A reader such as `head` may close the pipe.
    let _ = std::io::stdout().write_all(text.as_bytes());
    Ok(Some(ExitCode::SUCCESS))
}

/// Why nothing starts without a protocol.
pub(super) fn no_protocol(own: &OwnArguments) -> String {
    let Some(first) = own.word(0) else {
        return NO_PROTOCOL.to_owned();
    };
    let flags = ADAPTERS.iter().flat_map(|adapter| adapter.flags).copied();
    let names = flags.flatten().flat_map(Flag::names);
    let near = suggestion(first, names);
    format!("{NO_PROTOCOL}: `{first}` does not{near}; `mock-agent --help` lists what does")
}

const NO_PROTOCOL: &str = "the arguments select no protocol";

/// Prints the help, the version, or a usage error; returns the exit status.
pub(super) fn help(own: &OwnArguments) -> ExitCode {
    if own.has(&["--version", "-V"]) {
        println!("mock-agent {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    let mut text = String::from(
        "The reference agent. The flags, the name of the program or MOCK_AGENT_PROTOCOL select the protocol that it speaks.\n\n\
         mock-agent install DIR     write programs with the names of the real agents, and entries for `node`, into a folder\n",
    );
    text.extend(help_lines(PROCESS_FLAGS));
    for versions in ADAPTERS.chunk_by(|one, next| one.name == next.name) {
        let names: Vec<_> = versions.iter().map(|adapter| adapter.version).collect();
        text.push_str(&format!("\n{} ({})\n", versions[0].name, names.join(", ")));
        let tables = versions
            .iter()
            .flat_map(|adapter| adapter.flags.iter().copied());
        let lines: IndexSet<_> = tables.flat_map(help_lines).collect();
        text.extend(lines.into_iter().chain(help_lines(SESSION_FLAGS)));
    }
    text.push_str("\nany other dialect\n");
    text.extend(help_lines(DIALECT_FLAGS));
    text.extend(SCRIPTED_FLAGS.lines().map(|line| format!("  {line}\n")));
    text.push_str("\nenvironment\n");
    for (name, help) in SettingsFile::described() {
        text.push_str(&format!("  {name:24} {help}\n"));
    }
    text.extend(OTHER_VARIABLES.lines().map(|line| format!("  {line}\n")));
    if own.has(HELP) {
        print!("{text}");
        return ExitCode::SUCCESS;
    }
    eprint!("mock-agent: {NO_PROTOCOL}\n\n{text}");
    ExitCode::from(USAGE)
}
