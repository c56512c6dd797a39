//! `conform inject`: starts an agent and plays a fault on its frames. Started by `conform mutants`, not by people.

use super::command_error::CommandError;
use super::exit::ExitStatus;
use conform_judge::dialect::{self, DialectSource, dialect_file};
use conform_relay::{Ending, FaultFilter, PassOn, Relay};
use conform_runner::SpawnError;
use frame_faults::{Fault, FaultPlayer, FrameSelector, KindPointers, NestedKinds, generic_fault};
use spanned_yaml::Error;
use std::ffi::OsString;
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
    /// The pointer to the kind of an event
    #[arg(long, value_name = "POINTER")]
    events: String,
    /// The pointer to the kind of a command
    #[arg(long, value_name = "POINTER")]
    commands: String,
    /// A pattern of frames that begin a turn, such as `begin` or `>prompt`; repeatable
    #[arg(long = "turn", value_name = "PATTERN")]
    turns: Vec<String>,
    /// A dialect whose `faults.yaml` counts, the oldest base first; repeatable
    #[arg(long, value_name = "NAME@VERSION")]
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
    let kinds = KindPointers {
        events: args.events.clone(),
        commands: args.commands.clone(),
    };
    let source = DialectSource::new(args.dialect_dir.clone());
    let nested = nested_kinds(args, &source)?;
    let turns = args.turns.iter();
    let turns = turns.map(|turn| FrameSelector::parse(turn, nested.clone()));
    let turns: Vec<_> = turns
        .collect::<Result<_, _>>()
        .map_err(|error| error.message)?;
    let player = FaultPlayer::new(played_fault(args, &source, nested)?, kinds.clone(), None);
    let filter = FaultFilter::new(player, kinds, turns);
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

/// Where the frames of the dialect name their nested kind.
fn nested_kinds(args: &InjectArgs, source: &DialectSource) -> Result<NestedKinds, Vec<Error>> {
    match args.faults_of.last() {
        Some(id) => Ok(dialect::nested_kinds(&dialect_file(source, id)?.file)),
        None => Ok(NestedKinds::new()),
    }
}

/// The fault of a dialect, or the generic fault.
fn played_fault(
    args: &InjectArgs,
    source: &DialectSource,
    nested: NestedKinds,
) -> Result<Fault, CommandError> {
    let listed = dialect::faults(source, &args.faults_of)?;
    Ok(match listed.as_ref().map(|table| table.find(&args.fault)) {
        Some(Ok(fault)) => fault.clone(),
        Some(Err(unlisted)) => generic_fault(&args.fault, nested).map_err(|_| unlisted)?,
        None => generic_fault(&args.fault, nested)?,
    })
}
