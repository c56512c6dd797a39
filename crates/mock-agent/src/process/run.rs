//! The main function: selects the protocol, starts the session, serves the host, and returns the exit status.

use super::agent_script;
use super::control::{self, Controls};
use super::environment::Environment;
use super::help::{answer_as, asks_for_help, help, print_scripts, value_of};
use super::install::install;
use super::other_commands;
use super::protocol_choice;
use super::serve::serve;
use super::startup::prepare;
use crate::config::{self, DialectFiles, FATAL, StartError, USAGE, options};
use crate::core::event::Event;
use crate::core::event_sink::EventSink;
use crate::core::failure::{Failure, FailureSource};
use crate::faults::Faults;
use crate::os::process_tree;
use crate::os::signals::ShutdownSignals;
use crate::os::stdout::{FrameWriter, Outbox};
use crate::protocols::adapter::Adapter;
use crate::stories;
use frame_faults::KindPointers;
use std::ffi::{OsStr, OsString};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Duration;
use tokio::task::LocalSet;

/// Set by the JavaScript entries: the process ends when its parent does.
const PARENT_VARIABLE: &str = "MOCK_AGENT_ENDS_WITH_PARENT";

/// The timeout for the host to read the rest of the output.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Runs the reference agent. `program` is the name or path that it is called by, `args` are its arguments without that, and `files`
/// reads the files of dialects.
#[must_use]
pub fn main(program: Option<OsString>, args: Vec<OsString>, files: DialectFiles) -> ExitCode {
    let args: Vec<_> = args
        .iter()
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    log_to_stderr();
    start(program.map(PathBuf::from).as_deref(), &args, files).unwrap_or_else(|why| {
        eprintln!("mock-agent: {why}");
        ExitCode::from(USAGE)
    })
}

/// What an agent starts with.
pub(super) struct Startup<'a> {
    /// The arguments, without the control flag.
    pub(super) args: &'a [String],
    pub(super) environment: &'a Environment,
    pub(super) controls: Controls,
    pub(super) files: DialectFiles,
}

/// The dialect of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpokenDialect {
    /// `NAME@VERSION`.
    pub id: String,
    /// The folder of dialects that it is in, unless it is built in.
    pub folder: Option<PathBuf>,
}

/// The dialect that the agent speaks if it is called like this; `None` if no session starts: for help, or after a mistake in the call, which
/// [`main`] reports.
#[must_use]
pub fn spoken_dialect(
    program: Option<&OsStr>,
    args: &[OsString],
    files: DialectFiles,
) -> Option<SpokenDialect> {
    let args = args.iter().map(|arg| arg.to_string_lossy().into_owned());
    let mut args: Vec<_> = args.collect();
    let program = program.map(Path::new);
    let environment = Environment::load(program).ok()?;
    control::folder(&mut args, |name| environment.get(name)).ok()?;
    let is_agent_script = agent_script::is_agent_script(&args, &environment);
    let mut chosen = None;
    if !agent_script::is_chosen(&args, &environment) {
        let variable = environment.get(options::PROTOCOL_VARIABLE);
        let name = program.and_then(Path::file_name).and_then(OsStr::to_str);
        let selected = protocol_choice::select_adapter(&args, variable.as_deref(), name);
        match selected.ok()? {
            Some((adapter, _)) if is_agent_script => chosen = Some(adapter),
            Some((adapter, version)) => {
                version.ok()?;
                return Some(SpokenDialect {
                    id: format!("{}@{}", adapter.name, adapter.version),
                    folder: None,
                });
            }
            None if is_agent_script || agent_script::is_possible(&environment) => {}
            None => return None,
        }
    }
    if asks_for_help(&args) {
        return None;
    }
    agent_script::dialect(&args, &environment, files, chosen).ok()
}

/// Starts the agent that the arguments, the environment and the name of the program choose.
///
/// # Errors
/// The settings file has a mistake, or an unknown protocol is requested.
fn start(program: Option<&Path>, args: &[String], files: DialectFiles) -> Result<ExitCode, String> {
    let environment = Environment::load(program)?;
    let mut args = args.to_vec();
    let control = control::folder(&mut args, |name| environment.get(name))?;
    let args = args.as_slice();
    let name = program.and_then(Path::file_name).and_then(OsStr::to_str);
    if args.first().is_some_and(|arg| arg == "install") && !other_commands::is_agent_name(name) {
        return Ok(install(args.get(1).map(String::as_str)));
    }
    let is_scripted = agent_script::is_chosen(args, &environment);
    let selected = match is_scripted {
        true => None,
        false => {
            let variable = environment.get(options::PROTOCOL_VARIABLE);
            protocol_choice::select_adapter(args, variable.as_deref(), name)?
        }
    };
    let adapter = selected.as_ref().map(|(adapter, _)| *adapter);
    if let Some(code) = print_scripts(adapter, args)? {
        return Ok(code);
    }
    if let Some(adapter) = adapter {
        check_story(adapter, args, &environment)?;
    }
    let is_agent_script = agent_script::is_agent_script(args, &environment);
    let is_possible = is_agent_script || agent_script::is_possible(&environment);
    let is_scripted = is_scripted || selected.is_none() && is_possible;
    match &selected {
        Some((adapter, Ok(()))) => {
            if let Some(code) = answer_as(adapter, args) {
                return Ok(code);
            }
            if let Some(code) = other_commands::answer(adapter, args)? {
                return Ok(code);
            }
        }
        Some(_) => {}
        None if !is_scripted || asks_for_help(args) => return Ok(help(args)),
        None => {}
    }
    process_tree::adopt_orphans();
    if environment.get(PARENT_VARIABLE).is_some() {
        process_tree::end_with_parent();
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    // From here on a signal is an orderly end, which removes the control socket.
    let signals = {
        let _inside = runtime.enter();
        ShutdownSignals::new().map_err(|error| format!("signal handlers: {error}"))?
    };
    let shown = match &selected {
        Some((adapter, _)) => adapter.name,
        None => name.unwrap_or("mock-agent"),
    };
    let startup = Startup {
        args,
        environment: &environment,
        controls: Controls::new(control, shown)?,
        files,
    };
    let tasks = LocalSet::new();
    let code = match selected {
        Some((adapter, version)) if !is_agent_script => {
            let session = tasks.run_until(run(adapter, version, &startup, signals));
            let session = AssertUnwindSafe(|| runtime.block_on(session));
            catch_unwind(session).unwrap_or_else(|_| report_panic(adapter))
        }
        _ => runtime.block_on(tasks.run_until(agent_script::run(&startup, adapter, signals))),
    };
    Ok(ExitCode::from(code))
}

/// Refuses the name of a built-in script that the protocol does not have.
fn check_story(
    adapter: &Adapter,
    args: &[String],
    environment: &Environment,
) -> Result<(), String> {
    let flag = value_of(options::SCRIPT_FLAG.name, args).flatten();
    let script = flag.map(str::to_owned);
    let script = script.or_else(|| environment.get("MOCK_AGENT_SCRIPT"));
    match script.filter(|script| stories::is_name(script)) {
        Some(name) => stories::find(&name, (adapter.name, adapter.version)).map(drop),
        None => Ok(()),
    }
}

fn log_to_stderr() {
    let level = tracing_subscriber::EnvFilter::try_from_env("MOCK_AGENT_LOG")
        .unwrap_or_else(|_| "warn".into());
    let _ = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_env_filter(level)
        .with_ansi(false)
        .try_init();
}

/// Runs a session; returns the exit status.
async fn run(
    adapter: &Adapter,
    version: Result<(), String>,
    startup: &Startup<'_>,
    signals: ShutdownSignals,
) -> u8 {
    let Startup {
        args,
        environment,
        controls,
        files,
    } = startup;
    let variable = |name: &str| environment.get(name);
    let parse = || {
        let unknown = adapter.unknown_arguments;
        options::parse(adapter.flags, adapter.ignored_flags, unknown, args)
    };
    let options = version.and_then(|()| parse()).map_err(StartError::Usage);
    let faults = match &options {
        Ok(options) => selected_fault(adapter, options.fault.as_deref(), environment, *files),
        Err(_) => Ok(Faults::default()),
    };
    let (faults, options) = match faults {
        Ok(faults) => (Rc::new(faults.with_line(adapter.line)), options),
        Err(why) => (Rc::default(), Err(StartError::Usage(why))),
    };
    let (latency, options) = match (config::latency(&variable), options) {
        (Ok(latency), options) => (latency, options),
        (Err(why), _) => (Duration::ZERO, Err(why)),
    };
    faults.on_process_start(args);
    let outbox = match Outbox::open(
        Rc::clone(&faults) as Rc<dyn FrameWriter>,
        latency,
        Rc::clone(&controls.journal),
    ) {
        Ok(outbox) => Rc::new(outbox),
        Err(error) => {
            eprintln!("mock-agent: standard output: {error}");
            return FATAL;
        }
    };
    let connection = (adapter.connect)();
    let events = EventSink::new(Rc::clone(&connection) as _, Rc::clone(&outbox));
    match options.and_then(|options| prepare(adapter, options, &faults, &variable, controls)) {
        Ok(prepared) => {
            controls.serve(prepared.control_target(adapter, &outbox, *files));
            let session = prepared.session(events, adapter, &faults, *files);
            let code = serve((adapter, connection), &session, &faults, signals).await;
            session.events.outbox.finish(FLUSH_TIMEOUT).await;
            if faults.kills_leftover_processes() {
                process_tree::kill_descendants();
            }
            faults.on_process_end();
            code
        }
        Err(why) => {
            // Some protocols have no frame for it, and not every host shows one.
            eprintln!("mock-agent: {why}");
            let failure = Failure::permanent(FailureSource::Config, why.to_string());
            events.emit_failure(&failure);
            events.outbox.finish(FLUSH_TIMEOUT).await;
            faults.failed_start_status(why.status())
        }
    }
}

/// Reports a panic to the host, on standard output directly, because the session and its outbox are gone.
fn report_panic(adapter: &Adapter) -> u8 {
    let failure = Failure::permanent(
        FailureSource::Internal,
        "The agent has failed; stderr has more",
    );
    let event = Event::Failed {
        turn: None,
        failure: &failure,
    };
    for frame in (adapter.connect)().encode(&event) {
        println!("{frame}");
    }
    process_tree::kill_descendants();
    FATAL
}

/// The fault that `--fault` or its environment variable selects.
fn selected_fault(
    adapter: &Adapter,
    flag: Option<&str>,
    environment: &Environment,
    files: DialectFiles,
) -> Result<Faults, String> {
    let env = environment.get("MOCK_AGENT_FAULT");
    match flag.or(env.as_deref()).filter(|text| !text.is_empty()) {
        Some(text) => {
            let kinds = KindPointers {
                events: adapter.kind_pointer.to_owned(),
                commands: adapter.kind_pointer.to_owned(),
            };
            let folder = environment.get(options::DIALECT_DIR_VARIABLE);
            let folder = folder.map(PathBuf::from);
            let dialect = (adapter.name, adapter.version);
            Faults::find(files, folder.as_deref(), dialect, kinds, text)
        }
        None => Ok(Faults::default()),
    }
}
