//! `conform record`: a transparent pipe between a host and an agent that records the traffic.

mod live_judge;
mod redirect;
mod script_file;

use super::args::{DialectArgs, words};
use super::command_error::CommandError;
use super::exit::ExitStatus;
use super::output;
use super::recorded_relay::{locked, observer, relay};
use super::reports;
use super::transcript_file::create_transcript;
use super::whole_file::check_distinct;
use conform_judge::transcript::Header;
use conform_relay::{Ending, ModelUrl, Recording, Redactor, Upstream, relay_model};
use conform_runner::{SpawnError, adopt_orphans, agent::Agent};
use live_judge::LiveJudge;
use redirect::redirect;
use script_file::ScriptKind;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Arc, Mutex};

/// Record the traffic between a host and an agent
///
/// Put `conform record --out session.jsonl --` in front of the agent's command line, where the host starts it. Bytes, signals and the
/// exit status are forwarded unchanged. The transcript is written during the session. In the transcript, and only there, secrets are
/// replaced by `[redacted:NAME]`: members, options, headers and variables with names such as `api_key`, tokens with a known prefix, passwords
/// in addresses, and the values of environment variables whose names end in KEY, TOKEN, SECRET or PASSWORD.
#[derive(Debug, clap::Args)]
pub(super) struct RecordArgs {
    /// The transcript to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    dialect: DialectArgs,
    /// Print findings about the agent and the host to stderr at once
    #[arg(long)]
    judge: bool,
    /// Record the requests to the model too, as a proxy. URL is the base URL of the model; the recorder's address replaces `{llm_url}` in
    /// the agent's arguments, and URL at the beginning of environment variables. For https://, SSL_CERT_FILE names certificates to trust
    /// instead of the system's, and HTTPS_PROXY a proxy
    #[arg(long, value_name = "URL", value_parser = ModelUrl::parse)]
    llm: Option<ModelUrl>,
    /// Write a model script for `mock-agent --script`: the replies of the model, which --llm records. Without an agent: from the existing
    /// transcript of --out
    #[arg(long, value_name = "FILE")]
    to_script: Option<PathBuf>,
    /// Write an agent script for `mock-agent --script`: the frames of the agent. Without an agent: from the existing transcript of
    /// --out
    #[arg(long, value_name = "FILE")]
    to_agent_script: Option<PathBuf>,
    /// Refused: `conform check` writes reports
    #[arg(long, hide = true, value_name = "FORMAT=PATH", value_parser = refuse_report)]
    report: Option<String>,
    /// Do not redact secrets in the transcript
    #[arg(long)]
    keep_secrets: bool,
    /// The agent's program and its arguments
    #[arg(
        required_unless_present_any = ["to_script", "to_agent_script"],
        value_name = "AGENT",
        trailing_var_arg = true
    )]
    agent: Vec<OsString>,
}

fn refuse_report(_: &str) -> Result<String, &'static str> {
    Err(
        "reports are made from the transcript: `conform check --report FORMAT=PATH TRANSCRIPT`, with `--side host` for the host",
    )
}

/// Runs the command. Returns only if the agent could not be started; else it ends as the agent has ended.
pub(super) fn run(args: &RecordArgs) -> Result<ExitStatus, CommandError> {
    let named = |name: &str, path| (name.to_owned(), path);
    let scripts = [
        ("--to-script", &args.to_script),
        ("--to-agent-script", &args.to_agent_script),
    ];
    let scripts = scripts
        .iter()
        .filter_map(|(name, path)| Some(named(name, path.as_deref()?)));
    check_distinct(
        [named("--out", args.out.as_path())]
            .into_iter()
            .chain(scripts),
    )?;
    if args.agent.is_empty() {
        return Ok(write_scripts(args));
    }
    for script in [&args.to_script, &args.to_agent_script]
        .into_iter()
        .flatten()
    {
        reports::check_file(script)?;
    }
    adopt_orphans();
    record(args)?.end_this_process()
}

fn record(args: &RecordArgs) -> Result<Ending, CommandError> {
    let Some((program, rest)) = args.agent.split_first() else {
        return Err(CommandError::usage("no agent to start"));
    };
    if args.to_script.is_some() && args.llm.is_none() {
        return Err(CommandError::usage(
            "--to-script needs the answers of the model: add --llm URL, or write the frames of the agent with --to-agent-script",
        ));
    }
    let path = Agent::find(program)?;
    let live_judge = || LiveJudge::new(&args.dialect, &args.agent).map(Mutex::new);
    let judge = args.judge.then(live_judge).transpose()?.map(Arc::new);
    let connected = args.llm.clone().map(Upstream::new).transpose();
    let upstream = connected.map_err(|error| format!("--llm: {error}"))?;
    let recording = recording(args, judge.as_ref())?;
    let mut command = Command::new(&path);
    command.arg0(program);
    match (upstream, &args.llm) {
        (Some(upstream), Some(url)) => {
            let on_failure = Box::new(|why: &str| output::warning(why));
            let address = relay_model(upstream, recording.clone(), on_failure)
                .map_err(|error| format!("cannot listen on loopback: {error}"))?;
            let own = format!("http://{address}");
            redirect(&mut command, rest, &url.to_string(), &own);
        }
        _ => drop(command.args(rest)),
    }
    let ending = relay(command, &recording).map_err(|error| SpawnError {
        program: path.clone(),
        error,
    })?;
    if let Some(judge) = judge {
        locked(&judge).finish();
    }
    write_scripts(args);
    Ok(ending)
}

/// Turns the session into the requested scripts.
fn write_scripts(args: &RecordArgs) -> ExitStatus {
    let scripts = [
        (ScriptKind::Model, &args.to_script),
        (ScriptKind::Agent, &args.to_agent_script),
    ];
    let mut status = ExitStatus::Conformant;
    for (kind, script) in scripts {
        let Some(script) = script else { continue };
        match script_file::write(&args.out, &args.dialect, kind, script) {
            Ok(true) => {}
            // An agent script lacks only what its agent did at other times.
            Ok(false) if matches!(kind, ScriptKind::Agent) => {}
            Ok(false) => status = status.max(ExitStatus::Incomplete),
            Err(error) => {
                output::error(error);
                status = ExitStatus::Usage;
            }
        }
    }
    status
}

/// The recording, whose transcript has been started.
fn recording(
    args: &RecordArgs,
    judge: Option<&Arc<Mutex<LiveJudge>>>,
) -> Result<Recording, CommandError> {
    let failed = CommandError::unwritable(&args.out);
    let file = create_transcript(&args.out).map_err(&failed)?;
    let header = Header {
        dialect: args.dialect.dialect.clone(),
        agent: words(&args.agent),
    };
    let environment = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let redactor = (!args.keep_secrets).then(|| Redactor::new(environment));
    let observer = judge.map(|judge| observer(judge, LiveJudge::push));
    Recording::new(file, header, redactor, observer).map_err(failed)
}
