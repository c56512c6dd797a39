//! `--help`, `--version` and model lists, of the reference agent and of the agents that it replaces; and the usage error for arguments
//! that select no protocol.

use super::arguments::Arguments;
use super::settings_file::SettingsFile;
use crate::built_in_scripts;
use crate::config::USAGE;
use crate::config::options::{OWN_FLAGS, OWN_FLAGS_HELP};
use crate::protocols::adapter::Adapter;
use crate::protocols::{ADAPTERS, dialects};
use std::collections::HashSet;
use std::io::Write;
use std::process::ExitCode;

/// The environment variables that are not keys of the settings file.
const OTHER_VARIABLES: &str = "\
MOCK_AGENT_CONFIG        The settings file; by default mock-agent.yaml in the current folder or beside the program. Its keys are the variables above
MOCK_AGENT_JUDGE         Write each mistake of the host to this file; with the flag --judge, a mistake decides the exit status
MOCK_AGENT_TRANSCRIPT    Record the session in this file, for `conform check`
MOCK_AGENT_LOG           The log filter for stderr; by default warn
";

/// The flags that choose a scripted agent.
const DIALECT_FLAGS: &str = "\
--dialect-dir DIR        A folder of dialects, NAME/VERSION/dialect.yaml: plays a scripted agent of one of them
--dialect NAME@VERSION   Its dialect; by default the only one of the folder
--script FILE            Its agent script: what it writes at the start and on each command, or a recorded session
--fault ID[@turn=N]      Enable a fault, from turn N on
";

/// Whether the arguments ask for the help or the version.
pub(super) fn is_asked(args: &Arguments) -> bool {
    args.has(HELP) || args.has(VERSION)
}

const HELP: &[&str] = &["--help", "-h"];
const VERSION: &[&str] = &["--version", "-V", "-v"];

/// Prints what the real agent prints for its flags `--version`, `--help` and the model list. `None` if the arguments ask for no such
/// thing.
pub(super) fn answer_as(adapter: &Adapter, args: &Arguments) -> Option<ExitCode> {
    let is_ignored = |word: &str| {
        let mut ignored = adapter.ignored_flags.iter();
        ignored.any(|(_, names)| names.contains(&word))
    };
    let versions = VERSION.iter().copied().filter(|word| !is_ignored(word));
    if args.has(&versions.collect::<Vec<_>>()) {
        println!("{}", adapter.version_line);
    } else if args.has(HELP) {
        print!("{}", help_of(adapter));
    } else if adapter.models_flag.is_some_and(|flag| args.has(&[flag])) {
        print!("{MODELS}");
    } else {
        return None;
    }
    Some(ExitCode::SUCCESS)
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
    for line in flag_lines(adapter) {
        text.push_str(&format!("  {line}\n"));
    }
    let ignored = adapter.ignored_flags.iter().flat_map(|(_, names)| *names);
    let ignored = ignored.copied().collect::<Vec<_>>().join(", ");
    text.push_str(&format!("\nAccepted without effect:\n  {ignored}\n"));
    text
}

/// Prints what `--list-scripts` and `--print-script` ask for. `None` if the arguments ask for neither.
///
/// # Errors
/// There is no such script, or the protocol does not have it.
pub(super) fn print_scripts(
    selected: Option<&Adapter>,
    args: &Arguments,
) -> Result<Option<ExitCode>, String> {
    let dialects: Vec<_> = match selected {
        Some(adapter) => vec![(adapter.name, adapter.version)],
        None => dialects().collect(),
    };
    let mut text = String::new();
    if let Some(name) = args.value("--print-script")? {
        let found = dialects
            .iter()
            .find_map(|dialect| built_in_scripts::find(name, *dialect).ok());
        let script = match found {
            Some(script) => script,
            None => built_in_scripts::find(name, dialects[0])?,
        };
        text.push_str(script.text);
    } else if args.has(&["--list-scripts"]) {
        text = built_in_scripts::listing(&dialects);
    } else {
        return Ok(None);
    }
    // A reader such as `head` may close the pipe.
    let _ = std::io::stdout().write_all(text.as_bytes());
    Ok(Some(ExitCode::SUCCESS))
}

/// Why nothing starts without a protocol.
pub(super) const NO_PROTOCOL: &str = "the arguments select no protocol";

/// Prints the help, the version, or a usage error; returns the exit status.
pub(super) fn help(args: &Arguments) -> ExitCode {
    if args.has(&["--version", "-V"]) {
        println!("mock-agent {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    let mut text = String::from(
        "The reference agent. The flags, the name of the program or MOCK_AGENT_PROTOCOL select the protocol that it speaks.\n\n\
         mock-agent install DIR   writes programs with the names of the real agents, and entries for `node`, into a folder\n\
         --list-scripts           lists the built-in scripts, for --script NAME; with flags that select a protocol, those that it has\n\
         --print-script NAME      prints a built-in script, to copy\n\
         --control [tcp:]DIR      registers in a folder, so that a test can control the agent: see conform ctl\n",
    );
    for versions in ADAPTERS.chunk_by(|one, next| one.name == next.name) {
        let names: Vec<_> = versions.iter().map(|adapter| adapter.version).collect();
        text.push_str(&format!("\n{} ({})\n", versions[0].name, names.join(", ")));
        let mut listed = HashSet::new();
        for line in versions.iter().rev().flat_map(flag_lines) {
            if listed.insert(line.split_whitespace().next()) {
                text.push_str(&format!("  {line}\n"));
            }
        }
    }
    text.push_str("\nany other dialect\n");
    text.extend(DIALECT_FLAGS.lines().map(|line| format!("  {line}\n")));
    text.push_str("\nenvironment\n");
    for (name, help) in SettingsFile::described() {
        text.push_str(&format!("  {name:24} {help}\n"));
    }
    text.extend(OTHER_VARIABLES.lines().map(|line| format!("  {line}\n")));
    if args.has(HELP) {
        print!("{text}");
        return ExitCode::SUCCESS;
    }
    eprint!("mock-agent: {NO_PROTOCOL}\n\n{text}");
    ExitCode::from(USAGE)
}

/// The lines of the help on the flags of a protocol.
fn flag_lines(adapter: &Adapter) -> impl Iterator<Item = &'static str> {
    let lines = adapter.flags_help.lines().chain(OWN_FLAGS_HELP.lines());
    lines.filter(|line| {
        let mut flags = adapter.flags.iter().chain(OWN_FLAGS);
        flags.any(|flag| line.split_whitespace().next() == Some(flag.name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_help_has_a_line_for_each_flag() {
        for adapter in ADAPTERS {
            let flags = adapter.flags.iter().chain(OWN_FLAGS);
            let flags: BTreeSet<_> = flags.map(|flag| flag.name).collect();
            let lines = flag_lines(adapter).filter_map(|line| line.split_whitespace().next());
            assert_eq!(lines.collect::<BTreeSet<_>>(), flags, "{}", adapter.version);
        }
    }
}
