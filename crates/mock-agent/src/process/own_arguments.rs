//! The flags of the reference agent itself, which are read before an agent is chosen. The other arguments are those of the agent.

use crate::config::flags::FlagEffect::{Switch, Text};
use crate::config::flags::{Argument, Flag, find, flags};
use crate::config::{ArgumentError, CliOptions, CommandLine};
use crate::protocols::adapter::Adapter;
use std::ffi::OsString;

/// The arguments of the process, without the name of the program.
#[derive(Debug, Clone, Default)]
pub(super) struct OwnArguments {
    pub(super) control: Option<String>,
    pub(super) dialect_dir: Option<String>,
    pub(super) dialect: Option<String>,
    /// A version of the protocol that the other arguments select, or `NAME@VERSION`.
    pub(super) protocol: Option<String>,
    pub(super) fault: Option<String>,
    pub(super) lists_scripts: bool,
    pub(super) printed_script: Option<String>,
    /// The options of the agent that every protocol has.
    pub(super) options: CliOptions,
    /// The arguments of the agent.
    pub(super) rest: Vec<String>,
    /// The first mistake.
    pub(super) mistake: Option<ArgumentError>,
}

type OwnFlags = &'static [Flag<OwnArguments>];

/// Those of a session.
pub(super) const SESSION_FLAGS: OwnFlags = flags! {
    "--script NAME|FILE" => Text(|a| &mut a.options.script), "The script of the model: the name of a built-in one, a model script or a scenario";
    "--pace PACE" => Text(|a| &mut a.options.pace), "The speed of replies: none, human, or a multiple of it; by default none";
    "--seed N" => Text(|a| &mut a.options.seed), "The seed for generated ids and for the pauses of --pace; by default 0";
    "--protocol VERSION" => Text(|a| &mut a.protocol), "The version of the protocol, or NAME@VERSION; by default the one that its hosts speak";
    "--fault ID[@turn=N]" => Text(|a| &mut a.fault), "Enable a fault, from turn N on";
};

/// Those of the process.
pub(super) const PROCESS_FLAGS: OwnFlags = flags! {
    "--list-scripts" => Switch(|a| a.lists_scripts = true), "List the built-in scripts, for --script NAME; with flags that select a protocol, those that it has";
    "--print-script NAME" => Text(|a| &mut a.printed_script), "Print a built-in script, to copy";
    "--control [tcp:]DIR" => Text(|a| &mut a.control), "Register in a folder, so that a test can control the agent: see conform ctl";
};

/// Those that choose a scripted agent.
pub(super) const DIALECT_FLAGS: OwnFlags = flags! {
    "--dialect-dir DIR" => Text(|a| &mut a.dialect_dir), "A folder of dialects, NAME/VERSION/dialect.yaml: plays a scripted agent of one of them";
    "--dialect NAME@VERSION" => Text(|a| &mut a.dialect), "Its dialect; by default the only one of the folder";
};

const TABLES: &[OwnFlags] = &[SESSION_FLAGS, PROCESS_FLAGS, DIALECT_FLAGS];

/// The flag of the program around the agent.
const JUDGE: &str = "--judge";

impl OwnArguments {
    pub(super) fn new(args: &[OsString]) -> Self {
        let words = args.iter().map(|arg| arg.to_string_lossy().into_owned());
        OwnArguments::read(&words.collect::<Vec<_>>())
    }

    pub(super) fn read(words: &[String]) -> Self {
        let mut own = OwnArguments::default();
        let mut rest = words.iter().peekable();
        while let Some(word) = rest.next() {
            if word == "--" {
                own.rest.push(word.clone());
                own.rest.extend(rest.cloned());
                break;
            }
            let argument = Argument::new(word);
            match find(TABLES, argument.name) {
                Some(flag) => {
                    let applied = flag.apply(&mut own, argument, &mut rest);
                    own.mistake = own.mistake.or(applied.err());
                }
                None => own.rest.push(word.clone()),
            }
        }
        own
    }

    /// The argument of the agent at this place.
    pub(super) fn word(&self, place: usize) -> Option<&str> {
        self.rest.get(place).map(String::as_str)
    }

    /// Whether one of these words is among the arguments of the agent.
    pub(super) fn has(&self, words: &[&str]) -> bool {
        self.rest.iter().any(|arg| words.contains(&arg.as_str()))
    }

    /// Whether they choose the protocol of this adapter.
    pub(super) fn choose(&self, adapter: &Adapter) -> bool {
        match adapter.activation.split_once(' ') {
            Some((flag, value)) => {
                let mut pairs = self.rest.windows(2);
                pairs.any(|pair| pair == [flag, value]) || self.has(&[&format!("{flag}={value}")])
            }
            None if adapter.activation.starts_with('-') => self.has(&[adapter.activation]),
            None => self.word(0) == Some(adapter.activation),
        }
    }

    /// The arguments of an agent, as it reads them.
    pub(super) fn read_as(&self, adapter: &Adapter) -> CommandLine {
        let flags = TABLES.iter().copied().flatten();
        let others: Vec<_> = flags.flat_map(Flag::names).chain([JUDGE]).collect();
        let unknown = adapter.unknown_arguments;
        let options = self.options.clone();
        let mut line = CommandLine::read(adapter.flags, unknown, &others, options, &self.rest);
        line.mistake = self.mistake.clone().or(line.mistake);
        line
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::process) fn arguments(words: &[&str]) -> OwnArguments {
        let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        OwnArguments::read(&words)
    }

    #[test]
    fn a_flag_is_found_with_its_value_wherever_it_is() {
        for words in [
            ["--control=d", "rpc"].as_slice(),
            &["rpc", "--control", "d"],
        ] {
            let own = arguments(words);
            assert_eq!(own.control.as_deref(), Some("d"));
            assert_eq!(own.rest, ["rpc"]);
        }
        let mistake = arguments(&["--control"]).mistake.unwrap();
        assert_eq!(mistake.to_string(), "--control needs a value");
    }
}
