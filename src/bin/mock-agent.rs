//! The reference agent, as a program of its own.

use conform::cli::judged_agent::{self, AgentCall};

fn main() -> std::process::ExitCode {
    let mut args = std::env::args_os();
    judged_agent::main(AgentCall {
        program: args.next(),
        args: args.collect(),
        prefix: Vec::new(),
    })
}
