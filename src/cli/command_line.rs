//! The command line of `conform`: its subcommands, their dispatch, and the log of the program itself.

use super::command_error::CommandError;
use super::exit::ExitStatus;
use super::judged_agent::{self, AgentCall};
use super::output;
use super::{
    check, coverage, ctl, explain, explore, init, inject, lint, list, mcp, mutants, network,
    provider, record, relay_guard, report, run, schema, shell_files,
};
use clap::{ArgMatches, Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::io;
use std::process::ExitCode;
use tracing_subscriber::EnvFilter;

/// Tests AI agents that speak JSON Lines over stdin and stdout against the specification of their protocol
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
     (`conform run --help` has the cases)
  4  a fault of conform itself

CONFORM_LOG=debug writes conform's own log to stderr.";

#[derive(Debug, Subcommand)]
enum CliCommand {
    Run(Box<run::RunArgs>),
    Explore(Box<explore::ExploreArgs>),
    Init(init::InitArgs),
    Check(check::CheckArgs),
    Record(record::RecordArgs),
    List(list::ListArgs),
    Explain(explain::ExplainArgs),
    Coverage(coverage::CoverageArgs),
    Mutants(mutants::MutantsArgs),
    Lint(lint::LintArgs),
    Schema(schema::SchemaArgs),
    Report(report::ReportArgs),
    Provider(provider::ProviderArgs),
    Ctl(ctl::CtlArgs),
    Mcp(mcp::McpArgs),
    #[command(name = network::CHECK, hide = true)]
    CheckIsolation,
    #[command(disable_help_flag = true)]
    Agent(AgentArgs),
    #[command(hide = true)]
    ShellFiles(shell_files::ShellFilesArgs),
    #[command(hide = true)]
    Inject(inject::InjectArgs),
    #[command(hide = true)]
    RelayGuard(relay_guard::RelayGuardArgs),
}

/// The command that is the bundled agent.
const AGENT: &str = "agent";

/// Runs the command line of `conform`.
#[must_use]
pub fn main() -> ExitCode {
    start_log();
    output::choose_colours();
    if let Some(call) = agent_call(std::env::args_os()) {
        return judged_agent::main(call);
    }
    match parse() {
        Ok(cli) => {
            std::panic::catch_unwind(|| dispatch(cli.command)).unwrap_or(ExitStatus::Harness.into())
        }
        Err(error) => {
            // A closed pipe does not change the exit status.
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

fn parse() -> Result<Cli, clap::Error> {
    let mut command = Cli::command();
    let matches = command.try_get_matches_from_mut(std::env::args_os())?;
    let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    if std::env::args_os().all(|arg| arg != "--") {
        for option in options_behind_program(&command, &matches) {
            output::note(format_args!(
                "`{option}` is passed to the agent; options of conform come before the program"
            ));
        }
    }
    Ok(cli)
}

/// The arguments of an agent that are long options of the command that starts it.
fn options_behind_program(command: &Command, matches: &ArgMatches) -> Vec<String> {
    let Some((name @ ("run" | "explore" | "init" | "mutants"), matches)) = matches.subcommand()
    else {
        return Vec::new();
    };
    let own = command.find_subcommand(name);
    let own: Vec<_> = own
        .into_iter()
        .flat_map(Command::get_arguments)
        .filter_map(clap::Arg::get_long)
        .collect();
    let words = matches.get_many::<OsString>("agent").into_iter().flatten();
    words
        .skip(1)
        .filter_map(|word| word.to_str()?.strip_prefix("--"))
        .map(|word| word.split_once('=').map_or(word, |(name, _)| name))
        .filter(|word| own.contains(word))
        .map(|word| format!("--{word}"))
        .collect()
}

/// The arguments of the bundled agent, if the command line starts it. A run starts it for each scenario, and the parser for all the other commands
/// is slow to build.
fn agent_call(args: impl IntoIterator<Item = OsString>) -> Option<AgentCall> {
    let mut args = args.into_iter().skip(1);
    args.next().filter(|command| command == AGENT)?;
    let mut args = args.peekable();
    args.next_if(|first| first == "--");
    Some(AgentCall {
        program: None,
        args: args.collect(),
        prefix: vec![AGENT.into()],
    })
}

fn dispatch(command: CliCommand) -> ExitCode {
    let status = match command {
        CliCommand::Run(args) => run::run(*args),
        CliCommand::Explore(args) => explore::run(*args),
        CliCommand::Init(args) => init::run(&args),
        CliCommand::Check(args) => check::run(args),
        CliCommand::Record(args) => record::run(&args),
        CliCommand::List(args) => list::run(args),
        CliCommand::Explain(args) => explain::run(args),
        CliCommand::Coverage(args) => coverage::run(args),
        CliCommand::Mutants(args) => mutants::run(args),
        CliCommand::Lint(args) => lint::run(args),
        CliCommand::Schema(args) => schema::run(args),
        CliCommand::Report(args) => report::run(args),
        CliCommand::Provider(args) => provider::run(args),
        CliCommand::Ctl(args) => ctl::run(args),
        CliCommand::Mcp(args) => return mcp::run(args),
        CliCommand::ShellFiles(args) => shell_files::run(&args, Cli::command()),
        CliCommand::Inject(args) => inject::run(&args),
        CliCommand::RelayGuard(args) => return relay_guard::run(&args).into(),
        CliCommand::CheckIsolation => return network::check().into(),
        CliCommand::Agent(args) => {
            return judged_agent::main(AgentCall {
                program: None,
                args: args.args,
                prefix: vec![AGENT.into()],
            });
        }
    };
    let failed = |CommandError { status, message }| {
        output::error(message);
        status
    };
    status.unwrap_or_else(failed).into()
}

/// Run the bundled reference agent, the same as the program `mock-agent`
#[derive(Debug, clap::Args)]
struct AgentArgs {
    /// The flags of the agent that it replaces, and its own; `--help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

/// The environment variable that switches the log on.
const VARIABLE: &str = "CONFORM_LOG";

/// Starts logging to stderr if `CONFORM_LOG` holds a filter, such as `debug` or `conform_runner=trace`.
fn start_log() {
    let Some(filter) = std::env::var(VARIABLE)
        .ok()
        .filter(|filter| !filter.is_empty())
    else {
        return;
    };
    match EnvFilter::try_new(&filter) {
        Ok(filter) => tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(io::stderr)
            .init(),
        Err(error) => output::warning(format_args!(
            "{VARIABLE}={filter} is not a log filter: {error}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn options_of_conform_after_the_program_are_found() {
        let found = |line: &str| {
            let mut command = Cli::command();
            let matches = command.try_get_matches_from_mut(line.split(' '));
            options_behind_program(&command, &matches.unwrap())
        };
        let line = "conform run python3 agent.py --only turn/plain --seed=1 --mine";
        assert_eq!(found(line), ["--only", "--seed"]);
        assert_eq!(found("conform run --only x sh -c --mine"), [""; 0]);
        assert_eq!(found("conform init sh --force"), ["--force"]);
    }
}
