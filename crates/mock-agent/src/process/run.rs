//! The main function: starts the agent that is chosen, serves the host, and returns the exit status.

use super::agent_script;
use super::arguments::Arguments;
use super::choice::Choice;
use super::control::{self, ControlTarget, Controls};
use super::environment::Environment;
use super::help::{self, answer_as, help, print_scripts};
use super::install::install;
use super::other_commands;
use super::serve::serve;
use super::startup::prepare;
use crate::config::{self, FATAL, StartError, USAGE, options};
use crate::core::event::Event;
use crate::core::event_sink::EventSink;
use crate::core::failure::{Failure, FailureSource};
use crate::faults::{Bug, FaultedDialect, Faults};
use crate::os::clock::{self, Clock};
use crate::os::signals::ShutdownSignals;
use crate::os::stdout::Outbox;
use crate::protocols::adapter::Adapter;
use frame_faults::{FrameSelector, KindPointers};
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::LocalSet;

/// Set by the JavaScript entries: the process ends when its parent does.
const PARENT_VARIABLE: &str = "MOCK_AGENT_ENDS_WITH_PARENT";

/// The timeout for the host to read the rest of the output.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Flags that [`Bug::RejectsOldFlag`] does not know.
const OLD_FLAGS: [&str; 2] = ["--max-turns", "--no-session"];

/// Runs the reference agent. `program` is the name or path that it is called by, `args` are its arguments without that.
#[must_use]
pub fn main(program: Option<OsString>, args: &[OsString]) -> ExitCode {
    log_to_stderr();
    let program = program.map(PathBuf::from);
    start(program.as_deref(), Arguments::new(args)).unwrap_or_else(|why| {
        eprintln!("mock-agent: {why}");
        ExitCode::from(USAGE)
    })
}

/// What an agent starts with.
pub(super) struct Startup {
    /// The arguments, without the control flag.
    pub(super) args: Arguments,
    pub(super) environment: Environment,
    pub(super) controls: Controls,
    pub(super) choice: Choice,
}

/// Starts the agent that the arguments, the environment and the name of the program choose.
///
/// # Errors
/// The settings file has a mistake, or an unknown protocol is requested.
fn start(program: Option<&Path>, mut args: Arguments) -> Result<ExitCode, String> {
    let environment = Environment::load(program)?;
    let control = args.take(control::FLAG)?;
    let control = control.or_else(|| environment.get(control::VARIABLE));
    let started = start_with(program, args, environment, control.clone());
    started.inspect_err(|why| control::note_failed_start(control.as_deref(), why))
}

/// The same, with this control folder.
fn start_with(
    program: Option<&Path>,
    args: Arguments,
    environment: Environment,
    control: Option<String>,
) -> Result<ExitCode, String> {
    let name = program.and_then(Path::file_name).and_then(OsStr::to_str);
    if args.word(0) == Some("install") && !other_commands::is_agent_name(name) {
        return Ok(install(args.word(1)));
    }
    let choice = Choice::new(&args, &environment, name)?;
    if let Some(code) = print_scripts(choice.adapter, &args)? {
        return Ok(code);
    }
    choice.check_script()?;
    match choice.adapter {
        Some(adapter) if choice.version.is_ok() => {
            if let Some(code) = answer_as(adapter, &args) {
                return Ok(code);
            }
            if let Some(code) = other_commands::answer(adapter, &args)? {
                return Ok(code);
            }
        }
        Some(_) => {}
        None if help::is_asked(&args) => return Ok(help(&args)),
        None if !choice.is_scripted => {
            control::note_failed_start(control.as_deref(), help::NO_PROTOCOL);
            return Ok(help(&args));
        }
        None => {}
    }
    process_list::adopt_orphans();
    if environment.get(PARENT_VARIABLE).is_some() {
        process_list::end_with_parent();
    }
    let clock = Arc::new(Clock::new(environment.get(clock::VARIABLE).as_deref())?);
    let of_runtime = Arc::clone(&clock);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .on_thread_park(move || of_runtime.note_idle())
        .build()
        .map_err(|error| error.to_string())?;
    // From here on a signal is an orderly end, which removes the control socket.
    let signals = {
        let _inside = runtime.enter();
        ShutdownSignals::new().map_err(|error| format!("signal handlers: {error}"))?
    };
    let shown = match choice.adapter {
        Some(adapter) => adapter.name,
        None => name.unwrap_or("mock-agent"),
    };
    let startup = Startup {
        args,
        environment,
        controls: Controls::new(control, shown, clock)?,
        choice,
    };
    let tasks = LocalSet::new();
    let code = match startup.choice.adapter {
        Some(adapter) if !startup.choice.is_scripted => {
            let session = tasks.run_until(run(adapter, &startup, signals));
            let session = AssertUnwindSafe(|| runtime.block_on(session));
            catch_unwind(session).unwrap_or_else(|_| report_panic(adapter))
        }
        _ => runtime.block_on(tasks.run_until(agent_script::run(&startup, signals))),
    };
    runtime.block_on(tasks.run_until(startup.controls.responses.sent()));
    Ok(ExitCode::from(code))
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
async fn run(adapter: &Adapter, startup: &Startup, signals: ShutdownSignals) -> u8 {
    let Startup {
        args,
        environment,
        controls,
        choice,
    } = startup;
    let variable = |name: &str| environment.get(name);
    let args = args.words();
    let faults = Rc::new(faults_of(adapter, choice));
    let parse = || {
        let unknown = adapter.unknown_arguments;
        let options = options::parse(adapter.flags, adapter.ignored_flags, unknown, args)?;
        match choice.fault.as_deref().filter(|text| !text.is_empty()) {
            Some(fault) => faults.play(fault).map(|()| options),
            None => Ok(options),
        }
    };
    let options = choice.version.clone().and_then(|()| parse());
    let options = options.map_err(StartError::Usage);
    let (latency, options) = match (config::latency(&variable), options) {
        (Ok(latency), options) => (latency, options),
        (Err(why), _) => (Duration::ZERO, Err(why)),
    };
    let old_flag = args.iter().find(|arg| OLD_FLAGS.contains(&arg.as_str()));
    if let Some(flag) = old_flag
        && faults.triggers(Bug::RejectsOldFlag)
    {
        eprintln!("error: unexpected argument '{flag}' found");
        return USAGE;
    }
    let (journal, clock) = (Rc::clone(&controls.journal), Arc::clone(&controls.clock));
    let outbox = match Outbox::open(Rc::clone(&faults), latency, journal, clock) {
        Ok(outbox) => Rc::new(outbox),
        Err(error) => {
            eprintln!("mock-agent: standard output: {error}");
            return FATAL;
        }
    };
    let connection = (adapter.connect)();
    let events = EventSink::new(Rc::clone(&connection) as _, Rc::clone(&outbox));
    let prepared = options.and_then(|options| {
        prepare(
            adapter,
            options,
            events.clone(),
            &faults,
            &variable,
            controls,
        )
    });
    match prepared {
        Ok((session, replace_script)) => {
            controls.serve(ControlTarget {
                outbox: Rc::clone(&outbox),
                faults: Rc::clone(&faults),
                replace_script,
                session: session.conversation.borrow().id().map(str::to_owned),
            });
            let session = Rc::new(session);
            let code = serve((adapter, connection), &session, signals).await;
            outbox.finish(FLUSH_TIMEOUT).await;
            if !faults.triggers(Bug::ToolOutlivesAgent) {
                process_list::kill_descendants();
            }
            if faults.triggers(Bug::OrphanHoldsStdout) {
                let mut orphan = std::process::Command::new("sleep");
                let _ = orphan.arg("300").process_group(0).spawn();
            }
            code
        }
        Err(why) => {
            // Some protocols have no frame for it, and not every host shows one.
            eprintln!("mock-agent: {why}");
            if let StartError::Usage(why) = &why {
                controls.note_failed_start(why);
            }
            let failure = Failure::permanent(FailureSource::Config, why.to_string());
            events.emit_failure(&failure);
            outbox.finish(FLUSH_TIMEOUT).await;
            match faults.triggers(Bug::FatalExitsZero) {
                true => 0,
                false => why.status(),
            }
        }
    }
}

/// No fault yet, of the dialect of a protocol.
fn faults_of(adapter: &Adapter, choice: &Choice) -> Faults {
    let pointer = adapter.kind_pointer.to_owned();
    let dialect = FaultedDialect {
        source: choice.source.clone(),
        id: adapter.id(),
        kinds: KindPointers {
            events: pointer.clone(),
            commands: pointer,
        },
        turn: FrameSelector::default(),
    };
    Faults::new(dialect, adapter.line)
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
    process_list::kill_descendants();
    FATAL
}
