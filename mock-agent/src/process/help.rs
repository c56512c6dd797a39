//! What is said where no dialect was asked for.

use crate::config::options::{Flag, PROTOCOL_VARIABLE};
use crate::protocols::table::ADAPTERS;
use std::collections::HashSet;
use std::process::ExitCode;

/// Exit status where the arguments ask for no dialect.
const USAGE: u8 = 2;

/// Variables of the environment that are this agent's own.
const VARIABLES: &[(&str, &str)] = &[
    (
        "MOCK_AGENT_SCRIPT",
        "What the model answers, like --script; wins over a base URL",
    ),
    ("MOCK_AGENT_MCP", "Scripted MCP tools, like --mcp"),
    (
        PROTOCOL_VARIABLE,
        "The protocol's version, like --protocol; NAME@VERSION for one dialect only",
    ),
    ("MOCK_AGENT_FAULT", "Play a fault, like --fault"),
    (
        "MOCK_AGENT_SESSIONS",
        "The folder for sessions, or off; .mock-agent/sessions in the workspace if not set",
    ),
    (
        "MOCK_AGENT_RETRIES",
        "How often a failed request is sent again; if not set 2 for a stream that broke off, else 0",
    ),
    (
        "MOCK_AGENT_PATIENCE_MS",
        "How long the model may be silent; 120000 if not set",
    ),
    (
        "MOCK_AGENT_GATE_MS",
        "How long a gate of a script holds in-process; 200 if not set",
    ),
    (
        "MOCK_AGENT_LATENCY_MS",
        "How much later than it was made each line leaves; 0 if not set",
    ),
    (
        "MOCK_AGENT_SEED",
        "A number that goes into ids; 0 if not set",
    ),
    (
        "MOCK_AGENT_LOG",
        "What is logged on stderr; warn if not set",
    ),
];

/// Explains the arguments and the variables.
pub(crate) fn help(args: &[String]) -> ExitCode {
    if args.iter().any(|arg| arg == "--version" || arg == "-V") {
        println!("mock-agent {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    let mut text =
        String::from("The reference agent. It speaks the dialect that the flags ask for:\n");
    for versions in ADAPTERS.chunk_by(|one, next| one.name == next.name) {
        let names: Vec<_> = versions.iter().map(|adapter| adapter.version).collect();
        text.push_str(&format!("\n{} ({})\n", versions[0].name, names.join(", ")));
        let mut told = HashSet::new();
        for flag in versions.iter().rev().flat_map(|adapter| adapter.flags) {
            if told.insert(flag.name) {
                text.push_str(&line(flag));
            }
        }
    }
    text.push_str("\nenvironment\n");
    for (name, help) in VARIABLES {
        text.push_str(&format!("  {name:24} {help}\n"));
    }
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        print!("{text}");
        return ExitCode::SUCCESS;
    }
    eprint!("mock-agent: the arguments ask for no dialect\n\n{text}");
    ExitCode::from(USAGE)
}

fn line(flag: &Flag) -> String {
    let name = format!("{} {}", flag.name, flag.value.unwrap_or_default());
    format!("  {name:24} {}\n", flag.help)
}
