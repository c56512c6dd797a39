//! `conform ctl`: controls running mock agents and model servers from a shell.

use super::{command_error::CommandError, exit::ExitStatus, output};
use clap::Subcommand;
use control_socket::{
    Client, ClientError, Command, Registered, failed_starts, registered, wait_for,
};
use serde_json::{Value, json};
use spanned_yaml::TimeSpan;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Control a running mock agent or scripted model, started with --control DIR
///
/// `list` prints a line of JSON for each process, `journal` for each entry; other commands print their result, if there is one, as one line.
/// The commands that wait also wait for the process to start. The exit status is 1 if the process refuses the command or its timeout passes, and 2
/// if there is no such process.
#[derive(Debug, clap::Args)]
pub(super) struct CtlArgs {
    /// The control folder: the value of --control or MOCK_AGENT_CONTROL
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The process: its number in the order of the starts, its name or its session [default: the last one that is still running]
    #[arg(long, global = true, value_name = "N|NAME|SESSION")]
    agent: Option<String>,
    /// The timeout of the commands that wait, in milliseconds
    #[arg(long, global = true, value_name = "MS", default_value_t = 10_000)]
    timeout_ms: u64,
    #[command(subcommand)]
    command: CtlCommand,
}

#[derive(Debug, Subcommand)]
enum CtlCommand {
    /// List the processes that have started, in order, each on a line
    List,
    /// Wait until the process of this number or name has started, by default any; by its number, also one that has ended since
    WaitAgent {
        /// Its number or its name
        #[arg(value_name = "N|NAME")]
        awaited: Option<String>,
    },
    /// Show the name, session and gates of the process
    Status,
    /// Wait until a reply is held at a gate
    WaitGate {
        /// The gate's name
        gate: String,
    },
    /// Release a gate; it stays open
    Release {
        /// The gate's name
        gate: String,
    },
    /// Wait until the host has sent a command that matches, or the agent a request to the model
    WaitCommand {
        /// A matcher, as JSON or YAML: `{type: abort}`
        matches: String,
        /// Only after this entry of the journal
        #[arg(long, value_name = "N", default_value_t = 0)]
        after: u64,
    },
    /// Advance the clock of an agent that was started with MOCK_AGENT_CLOCK=stopped, once something waits for it
    Advance {
        /// By how much, such as 500ms or 1m
        #[arg(value_name = "TIME", value_parser = super::args::time_span)]
        by: TimeSpan,
    },
    /// Show what was sent and received, an entry on each line
    Journal {
        /// Only after this entry
        #[arg(long, value_name = "N", default_value_t = 0)]
        after: u64,
    },
    /// Send an event to the host
    Send {
        /// The event, as JSON
        frame: String,
    },
    /// Write a raw text to the host, without a newline
    SendRaw {
        /// The text
        text: String,
    },
    /// Play a fault from now on
    Fault {
        /// Its id
        id: String,
    },
    /// End the process at once
    Crash {
        /// SIGKILL, SIGABRT or SIGTERM, also without SIG
        #[arg(default_value = "SIGKILL")]
        signal: String,
        /// An exit status instead of a signal
        #[arg(long, value_name = "N")]
        status: Option<u8>,
    },
    /// Replace the model script
    Reset {
        /// The name of a built-in script, a model script or a scenario
        script: PathBuf,
    },
}

impl From<ClientError> for CommandError {
    fn from(error: ClientError) -> Self {
        match &error {
            ClientError::Refused(_) => CommandError::violations(error.to_string()),
            ClientError::Gone(_) => CommandError::usage(error.to_string()),
        }
    }
}

pub(super) fn run(args: CtlArgs) -> Result<ExitStatus, CommandError> {
    let value = result(args)?;
    let lines = match value {
        Value::Array(items) => items,
        Value::Null => Vec::new(),
        other => vec![other],
    };
    let mut out = output::stdout().raw();
    let written = lines.iter().try_for_each(|line| writeln!(out, "{line}"));
    output::status(written.map(|()| ExitStatus::Conformant))
}

fn result(args: CtlArgs) -> Result<Value, CommandError> {
    let folder = args.folder.as_path();
    let timeout = Duration::from_millis(args.timeout_ms);
    let command = match args.command {
        CtlCommand::List => {
            std::fs::read_dir(folder)
                .map_err(|error| CommandError::usage(format!("{}: {error}", folder.display())))?;
            let processes = registered(folder);
            return Ok(processes.iter().map(shown).collect());
        }
        CtlCommand::WaitAgent { awaited } => {
            let accepts = |process: &Registered| is_awaited(process, awaited.as_deref());
            let found = wait_for(folder, timeout, accepts);
            return Ok(shown(&found.map_err(CommandError::violations)?));
        }
        other => command(other, args.timeout_ms)?,
    };
    let agent = args.agent.as_deref();
    let begun = Instant::now();
    if !command.timeout().is_zero() {
        // In any case, `connect` reports why there is no such process.
        let _ = wait_for(folder, timeout, |process| is_there(process, agent));
    }
    let mut client = connect(folder, agent)?;
    let command = command.with_timeout(timeout.saturating_sub(begun.elapsed()));
    let result = client.request(command)?;
    Ok(result.get("entries").cloned().unwrap_or(result))
}

/// The command that is sent to the process.
fn command(command: CtlCommand, timeout_ms: u64) -> Result<Command, CommandError> {
    Ok(match command {
        CtlCommand::List | CtlCommand::WaitAgent { .. } | CtlCommand::Status => Command::Status,
        CtlCommand::WaitGate { gate } => Command::WaitGate { gate, timeout_ms },
        CtlCommand::Release { gate } => Command::Release { gate },
        CtlCommand::WaitCommand { matches, after } => Command::WaitCommand {
            matches: spanned_yaml::load_yaml("MATCHES", &matches)
                .map_err(|error| error.to_string())?
                .to_value(),
            after,
            timeout_ms,
        },
        CtlCommand::Advance { by: TimeSpan(by) } => Command::Advance {
            by_ms: u64::try_from(by.as_millis()).unwrap_or(u64::MAX),
            timeout_ms,
        },
        CtlCommand::Journal { after } => Command::Journal { after },
        CtlCommand::Send { frame } => Command::Send {
            frame: serde_json::from_str(&frame)
                .map_err(|error| format!("the event is not JSON: {error}"))?,
        },
        CtlCommand::SendRaw { text } => Command::SendRaw { text },
        CtlCommand::Fault { id } => Command::Fault { id },
        CtlCommand::Crash { signal, status } => Command::Crash {
            signal: Some(signal),
            status,
        },
        CtlCommand::Reset { script } => Command::Reset {
            script: match script.to_str() {
                Some(name) if mock_agent::is_script_name(name) => name.to_owned(),
                _ => std::path::absolute(&script)
                    .map_err(|error| format!("{}: {error}", script.display()))?
                    .to_string_lossy()
                    .into_owned(),
            },
        },
    })
}

/// Connects to the process of this number, name or session; without one, to the last one that still runs.
fn connect(folder: &std::path::Path, agent: Option<&str>) -> Result<Client, CommandError> {
    let processes = registered(folder);
    if processes.is_empty() {
        let mut why = format!("no process has registered in {}", folder.display());
        if let Some(failed) = failed_starts(folder).pop() {
            why += &format!("; {failed}");
        }
        return Err(CommandError::usage(why));
    }
    let mut gone = None;
    for process in processes.iter().rev() {
        let is_named = agent.is_none_or(|name| is_called(process, name));
        match Client::connect(process) {
            Ok(mut client) => {
                if is_named || has_session(&mut client, agent) {
                    return Ok(client);
                }
            }
            Err(error) if is_named => gone = gone.or_else(|| Some(ended(process, &error))),
            Err(_) => {}
        }
    }
    Err(CommandError::usage(gone.unwrap_or_else(|| {
        let agent = agent.unwrap_or_default();
        format!("no process in {} is called `{agent}`", folder.display())
    })))
}

/// The state of a process that accepts no connection, as far as it is known. One that ends normally removes its socket.
fn ended(process: &Registered, error: &ClientError) -> String {
    let Registered {
        order, name, pid, ..
    } = process;
    let shown = format!("process {order} ({name}, pid {pid})");
    let ClientError::Gone(cause) = error else {
        return format!("{shown}: {error}");
    };
    match cause.kind() {
        ErrorKind::NotFound => format!("{shown} has ended"),
        ErrorKind::ConnectionRefused if process.address.starts_with("unix:") => {
            format!("{shown} was killed or has crashed: its socket is still there")
        }
        ErrorKind::ConnectionRefused => format!("{shown} has ended"),
        _ => format!("{shown}: {error}"),
    }
}

/// Whether this is the awaited process. One that has ended counts only by its number: the folder may be that of an earlier
/// test.
fn is_awaited(process: &Registered, name: Option<&str>) -> bool {
    match name {
        Some(name) if process.order.to_string() == name => true,
        Some(name) => process.name == name && process.is_running(),
        None => process.is_running(),
    }
}

/// Whether a process accepts commands or, if it is named, has ever done so.
fn is_there(process: &Registered, agent: Option<&str>) -> bool {
    match agent {
        None => process.is_running(),
        Some(name) => {
            is_called(process, name)
                || Client::connect(process).is_ok_and(|mut client| has_session(&mut client, agent))
        }
    }
}

fn is_called(process: &Registered, name: &str) -> bool {
    process.name == name || process.order.to_string() == name
}

fn has_session(client: &mut Client, name: Option<&str>) -> bool {
    let status = client.request(Command::Status).unwrap_or_default();
    name.is_some_and(|name| status["session"] == name)
}

/// A process in the list, without its token.
fn shown(process: &Registered) -> Value {
    json!({
        "order": process.order,
        "name": process.name,
        "pid": process.pid,
        "address": process.address,
        "running": process.is_running(),
    })
}
