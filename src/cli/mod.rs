//! The command line: one file a command.

mod agent;
pub mod args;
mod baseline;
mod catalogue;
mod check;
mod coverage;
mod describe;
pub mod exit;
mod explain;
mod lint;
mod list;
mod mutants;
pub mod output;
mod provider;
mod report;
pub mod reports;
mod run;
mod table;
mod termination;
mod trace;

use clap::{Parser, Subcommand};
use exit::ExitStatus;
use std::process::ExitCode;

/// Tests AI agents that speak JSON Lines over stdin and stdout against the page of their protocol
///
/// `conform run ./my-agent` plays scripted conversations with an agent and judges every line it writes; the model it talks to is
/// scripted too, so no key and no network is needed. `conform check session.jsonl` judges a recorded session.
#[derive(Debug, Parser)]
#[command(name = "conform", version, after_help = EXIT_STATUS, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: CliCommand,
}

const EXIT_STATUS: &str = "\
Exit status:
  0  conformant
  1  violations
  2  wrong usage, or the agent could not be started
  3  incomplete: nothing ran, or something required was not exercised
  4  a fault of conform itself

CONFORM_LOG=debug writes conform's own log to stderr.";

#[derive(Debug, Subcommand)]
enum CliCommand {
    Run(Box<run::RunArgs>),
    Check(check::CheckArgs),
    List(list::ListArgs),
    Explain(explain::ExplainArgs),
    Coverage(coverage::CoverageArgs),
    Mutants(mutants::MutantsArgs),
    Lint(lint::LintArgs),
    Report(report::ReportArgs),
    Provider(provider::ProviderArgs),
    #[command(disable_help_flag = true)]
    Agent(agent::AgentArgs),
}

/// Runs the command line of `conform`.
#[must_use]
pub fn main() -> ExitCode {
    trace::start();
    match Cli::try_parse() {
        Ok(cli) => {
            std::panic::catch_unwind(|| dispatch(cli.command)).unwrap_or(ExitStatus::Harness.into())
        }
        Err(error) => {
            // A reader that went away does not change what the arguments were worth.
            let _ = error.print();
            if error.use_stderr() {
                ExitStatus::Usage
            } else {
                ExitStatus::Conformant
            }
            .into()
        }
    }
}

fn dispatch(command: CliCommand) -> ExitCode {
    match command {
        CliCommand::Run(args) => run::run(&args).into(),
        CliCommand::Check(args) => check::run(args).into(),
        CliCommand::List(args) => list::run(args).into(),
        CliCommand::Explain(args) => explain::run(args).into(),
        CliCommand::Coverage(args) => coverage::run(args).into(),
        CliCommand::Mutants(args) => mutants::run(args).into(),
        CliCommand::Lint(args) => lint::run(args).into(),
        CliCommand::Report(args) => report::run(args).into(),
        CliCommand::Provider(args) => provider::run(args).into(),
        CliCommand::Agent(args) => mock_agent::main(args.args),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
