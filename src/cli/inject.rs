//! `conform inject`: starts an agent and plays a fault on its frames. Started by `conform mutants`, not by people.

use super::catalogue::render_errors;
use super::command_error::CommandError;
use super::exit::ExitStatus;
use conform_judge::dialect::{self, DialectSource};
use conform_relay::{Ending, FaultFilter, PassOn, Relay};
use frame_faults::{Fault, FaultPlayer, KindPointers, generic_fault};
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
    /// A frame that begins a turn: an event, or `>` and a command; repeatable
    #[arg(long = "turn", value_name = "FRAME")]
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

/// Runs the command. Returns only if the agent could not be started; else it ends as the agent has ended, or as the fault says.
pub(super) fn run(args: &InjectArgs) -> Result<ExitStatus, CommandError> {
    inject(args)?.end_this_process()
}

fn inject(args: &InjectArgs) -> Result<Ending, String> {
    let Some((program, rest)) = args.agent.split_first() else {
        return Err("no agent to start".to_owned());
    };
    let kinds = KindPointers {
        events: args.events.clone(),
        commands: args.commands.clone(),
    };
    let player = FaultPlayer::new(played_fault(args)?, kinds.clone(), None);
    let filter = FaultFilter::new(player, kinds, args.turns.clone());
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
    let end = relay.run();
    end.map(|end| end.ending)
        .map_err(|error| format!("cannot start {}: {error}", program.to_string_lossy()))
}

/// The fault of a dialect, or the generic fault.
fn played_fault(args: &InjectArgs) -> Result<Fault, String> {
    let source = DialectSource::new(args.dialect_dir.clone());
    let listed =
        dialect::faults(&source, &args.faults_of).map_err(|errors| render_errors(&errors))?;
    match listed.as_ref().map(|table| table.find(&args.fault)) {
        Some(Ok(fault)) => Ok(fault.clone()),
        Some(Err(unlisted)) => generic_fault(&args.fault).map_err(|_| unlisted),
        None => generic_fault(&args.fault),
    }
}
