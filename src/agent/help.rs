//! What is said where no dialect was asked for.

use super::args::Flag;
use super::front::FRONTS;
use std::process::ExitCode;

/// Exit status where the arguments ask for no dialect.
const USAGE: u8 = 2;

pub(super) fn help(args: &[String]) -> ExitCode {
    if args.iter().any(|arg| arg == "--version" || arg == "-V") {
        println!("mock-agent {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    let mut text =
        String::from("The reference agent. It speaks the dialect that the flags ask for:\n");
    for front in FRONTS {
        text.push_str(&format!("\n{}\n", front.name));
        front
            .flags
            .iter()
            .for_each(|flag| text.push_str(&line(flag)));
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
