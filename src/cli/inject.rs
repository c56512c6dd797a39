//! `conform inject`: starts an agent and plays a fault on its frames. Started by `conform mutants`, not by people.

use super::command_error::CommandError;
use super::exit::ExitStatus;
use conform_judge::dialect::{self, DialectFile, DialectSource, dialect_file};
use conform_relay::{Ending, FaultFilter, PassOn, Relay};
use conform_runner::SpawnError;
use frame_faults::{Fault, FaultPlayer, FrameSelector, NestedKinds, generic_fault};
use spanned_yaml::Error;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::Command;

/// The name of the subcommand.
pub(super) const SUBCOMMAND: &str = "inject";

/// Start an agent and play a fault on its frames
#[derive(Debug, clap::Args)]
pub(super) struct InjectArgs {
    /// The fault: an id of `faults.yaml`, or a generic fault such as `drop:KIND`
    #[arg(long, value_name = "ID")]
    fault: String,
    /// A pattern of frames that begin a turn, such as `begin` or `>prompt`; repeatable
    #[arg(long = "turn", value_name = "PATTERN")]
    turns: Vec<String>,
    /// A dialect whose `faults.yaml` counts, the oldest base first and the agent's own last; repeatable
    #[arg(long, required = true, value_name = "NAME@VERSION")]
    faults_of: Vec<String>,
    /// A folder with dialects of your own
    #[arg(long, value_name = "DIR")]
    dialect_dir: Option<PathBuf>,
    /// The agent's program and its arguments
    #[arg(required = true, value_name = "AGENT", trailing_var_arg = true)]
    agent: Vec<OsString>,
}

/// Runs the command. Returns only if the agent could not be started; else it ends as the agent has ended, or as the fault requires.
pub(super) fn run(args: &InjectArgs) -> Result<ExitStatus, CommandError> {
    inject(args)?.end_this_process()
}

fn inject(args: &InjectArgs) -> Result<Ending, CommandError> {
    let Some((program, rest)) = args.agent.split_first() else {
        return Err(CommandError::usage("no agent to start"));
    };
    let source = DialectSource::new(args.dialect_dir.clone());
    let file = file_of(args, &source)?;
    let nested = dialect::nested_kinds(&file);
    let turns = args.turns.iter();
    let turns = turns.map(|turn| FrameSelector::parse(turn, nested.clone()));
    let turns: Vec<_> = turns
        .collect::<Result<_, _>>()
        .map_err(|error| error.message)?;
    let fault = played_fault(args, &source, nested)?;
    let naming = dialect::frame_naming(&file).unwrap_or_default();
    let player = FaultPlayer::new(fault, naming, None).with_turns(turns);
    let stdout = io::stdout().as_fd().try_clone_to_owned()?;
    let filter = FaultFilter::new(player, Box::new(File::from(stdout)));
    let mut command = Command::new(program);
    command.args(rest);
    let relay = Relay {
        command,
        to_agent: filter.to_agent(),
        from_agent: filter.from_agent(),
        stderr: Box::new(PassOn),
        on_signal: Box::new(|_| {}),
        guarded: false,
    };
    let end = relay.run().map_err(|error| SpawnError {
        program: program.into(),
        error,
    })?;
    Ok(end.ending)
}

/// The `dialect.yaml` of the agent.
fn file_of(args: &InjectArgs, source: &DialectSource) -> Result<DialectFile, Vec<Error>> {
    let id = args.faults_of.last().map_or("", String::as_str);
    Ok(dialect_file(source, id)?.file)
}

/// The fault of a dialect, or the generic fault.
fn played_fault(
    args: &InjectArgs,
    source: &DialectSource,
    nested: NestedKinds,
) -> Result<Fault, CommandError> {
    let own = args.faults_of.last().map_or("", String::as_str);
    if let Some(fault) = dialect::fault(source, own, &args.fault) {
        return Ok(fault);
    }
    let listed = dialect::faults(source, &args.faults_of)?;
    Ok(match listed.as_ref().map(|table| table.find(&args.fault)) {
        Some(Ok(fault)) => fault.clone(),
        Some(Err(unlisted)) => generic_fault(&args.fault, nested).map_err(|_| unlisted)?,
        None => generic_fault(&args.fault, nested)?,
    })
}
