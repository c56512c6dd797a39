//! The reference agent with a judge of its host: `--judge`, `MOCK_AGENT_TRANSCRIPT` and `MOCK_AGENT_JUDGE`.
//!
//! The agent cannot see the judge, so the judge runs between host and agent: this process relays to the agent in a child process,
//! records the session, and judges each frame of the host as it passes.

mod cause_file;
mod host_findings;

use super::command_error::CommandError;
use super::recorded_relay::{locked, observer, relay};
use super::transcript_file::create_transcript;
use super::whole_file::check_distinct;
use super::{args, output};
use cause_file::CauseFile;
use conform_judge::dialect;
use conform_judge::transcript::Header;
use conform_relay::{Ending, Recording};
use host_findings::{HostFindings, HostFindingsSettings};
use mock_agent::SpokenDialect;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::{Arc, Mutex};

/// Judges the host; a mistake against a `must` decides the exit status.
const JUDGE_FLAG: &str = "--judge";
/// Where the transcript is written.
const TRANSCRIPT_VARIABLE: &str = "MOCK_AGENT_TRANSCRIPT";
/// Where the findings are written.
const FINDINGS_VARIABLE: &str = "MOCK_AGENT_JUDGE";
/// The placeholder for the process id in the names of both files, for hosts that start several agents.
const PID: &str = "{pid}";
/// The exit status for a host that broke the protocol.
const HOST_AT_FAULT: u8 = 1;
/// The exit status where the judge cannot start, or cannot write what it found.
const USAGE: u8 = 2;

/// How the agent is called.
#[derive(Debug, Clone)]
pub struct AgentCall {
    /// The name or path that it was started with.
    pub program: Option<OsString>,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The arguments by which this executable becomes the agent.
    pub prefix: Vec<OsString>,
}

impl AgentCall {
    /// The command line as the host has given it.
    fn words(&self) -> Vec<String> {
        args::words(self.program.iter().chain(&self.args))
    }
}

/// The request to the judge.
#[derive(Debug, Default)]
struct JudgeRequest {
    decides: bool,
    transcript: Option<PathBuf>,
    findings: Option<PathBuf>,
}

/// Runs the reference agent, with a judge of its host if requested.
#[must_use]
pub fn main(mut call: AgentCall) -> ExitCode {
    // This program is its own guard process.
    if let [first, mark] = &call.args[..]
        && first == conform_relay::GUARD
    {
        return match conform_relay::serve_guard(mark) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        };
    }
    let request = JudgeRequest::take(&mut call.args);
    let is_asked = request.decides || request.transcript.is_some() || request.findings.is_some();
    let spoken = is_asked
        .then(|| mock_agent::spoken_dialect(call.program.as_deref(), &call.args))
        .flatten();
    let Some(spoken) = spoken else {
        return mock_agent::main(call.program, &call.args);
    };
    judged(&call, &request, spoken).unwrap_or_else(|error| {
        output::error(error);
        ExitCode::from(USAGE)
    })
}

impl JudgeRequest {
    /// Reads the request, and removes its flag from the arguments.
    fn take(args: &mut Vec<OsString>) -> Self {
        let count = args.len();
        args.retain(|arg| arg != JUDGE_FLAG);
        JudgeRequest {
            decides: args.len() < count,
            transcript: path_variable(TRANSCRIPT_VARIABLE),
            findings: path_variable(FINDINGS_VARIABLE),
        }
    }
}

impl JudgeRequest {
    /// Opens both files, or neither.
    fn open(&self) -> Result<(Option<File>, Option<CauseFile>), CommandError> {
        let files = [
            (TRANSCRIPT_VARIABLE, &self.transcript),
            (FINDINGS_VARIABLE, &self.findings),
        ];
        let named = |(name, path): (&str, _)| Some((name.to_owned(), Option::as_deref(path)?));
        check_distinct(files.into_iter().filter_map(named))?;
        let is_new = self.findings.as_ref().is_some_and(|path| !path.exists());
        let open = |path: &PathBuf| CauseFile::create(path).map_err(CommandError::unwritable(path));
        let findings = self.findings.as_ref().map(open).transpose()?;
        let create =
            |path: &PathBuf| create_transcript(path).map_err(CommandError::unwritable(path));
        let transcript = self.transcript.as_ref().map(create).transpose();
        if let (Err(_), Some(path), true) = (&transcript, &self.findings, is_new) {
            // The error itself is reported.
            let _ = std::fs::remove_file(path);
        }
        if let (Some(path), true) = (
            &self.findings,
            findings.as_ref().is_some_and(CauseFile::has_earlier),
        ) {
            output::warning(format_args!(
                "{}: has mistakes of an earlier session, and those of this one are added",
                path.display()
            ));
        }
        Ok((transcript?, findings))
    }
}

fn path_variable(name: &str) -> Option<PathBuf> {
    let text = std::env::var(name).ok().filter(|text| !text.is_empty())?;
    Some(text.replace(PID, &std::process::id().to_string()).into())
}

fn judged(
    call: &AgentCall,
    request: &JudgeRequest,
    spoken: SpokenDialect,
) -> Result<ExitCode, CommandError> {
    let dialect = dialect::load(&spoken.source, &spoken.id)?;
    let (transcript, findings) = request.open()?;
    let findings = HostFindings::new(HostFindingsSettings {
        dialect: Arc::clone(&dialect),
        argv: call.words(),
        transcript: request.transcript.clone(),
        file: findings,
        to_stderr: request.decides,
    });
    let findings = Arc::new(Mutex::new(findings));
    let ending = relayed(call, transcript, &dialect.id(), &findings)?;
    let verdict = locked(&findings).finish();
    let is_at_fault = verdict.is_violated && request.decides;
    if let (Some(path), Some(error)) = (&request.findings, verdict.unwritten) {
        let error = CommandError::unwritable(path)(error);
        if !is_at_fault {
            return Err(error);
        }
        output::error(error);
    }
    if is_at_fault {
        return Ok(ExitCode::from(HOST_AT_FAULT));
    }
    match ending {
        Ending::Exit(code) => Ok(ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))),
        signal @ Ending::Signal(_) => signal.end_this_process(),
    }
}

/// Relays between the host and the agent until the session is over.
fn relayed(
    call: &AgentCall,
    transcript: Option<File>,
    dialect: &str,
    findings: &Arc<Mutex<HostFindings>>,
) -> Result<Ending, CommandError> {
    let failed = |error: io::Error| CommandError::usage(format!("cannot judge the host: {error}"));
    let program = std::env::current_exe().map_err(failed)?;
    let mut command = Command::new(&program);
    if let Some(name) = &call.program {
        command.arg0(name);
    }
    command.args(&call.prefix).args(&call.args);
    for name in [TRANSCRIPT_VARIABLE, FINDINGS_VARIABLE] {
        command.env_remove(name);
    }
    let file = match transcript {
        Some(file) => file,
        None => File::options()
            .write(true)
            .open("/dev/null")
            .map_err(failed)?,
    };
    let header = Header {
        dialect: Some(dialect.to_owned()),
        agent: call.words(),
    };
    let observer = observer(findings, HostFindings::push);
    let recording = Recording::new(file, header, None, Some(observer)).map_err(failed)?;
    relay(command, &recording).map_err(failed)
}
