//! The main function: starts the agent that is chosen, serves the host, and returns the exit status.

use super::choice::Choice;
use super::control::{self, ControlTarget, Controls};
use super::environment::{Environment, LOG_VARIABLE};
use super::help::{self, answer_as, help, print_scripts};
use super::install::install;
use super::own_arguments::OwnArguments;
use super::serve::serve;
use super::startup::prepare;
use super::{agent_script, other_commands};
use crate::config::{self, CommandLine, FATAL, StartError, USAGE};
use crate::core::{Event, EventSink, Failure, FailureSource};
use crate::faults::{Bug, FaultedDialect, Faults};
use crate::os::clock::{self, Clock};
use crate::os::signals::ShutdownSignals;
use crate::os::stdout::Outbox;
use crate::protocols::adapter::{Adapter, KIND_POINTER};
use frame_faults::{FrameNaming, FrameSelector, KindPointers};
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::LocalSet;

/// Set by the JavaScript entries: the process ends when its parent does.
pub(super) const PARENT_VARIABLE: &str = "MOCK_AGENT_ENDS_WITH_PARENT";

/// The timeout for the host to read the rest of the output.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Flags that [`Bug::RejectsOldFlag`] does not know.
const OLD_FLAGS: [&str; 2] = ["--max-turns", "--no-session"];

/// Runs the reference agent. `program` is the name or path that it is called by, `args` are its arguments without that.
#[must_use]
pub fn main(program: Option<OsString>, args: &[OsString]) -> ExitCode {
    log_to_stderr();
    let program = program.as_deref().map(Path::new);
    start(program, OwnArguments::new(args)).unwrap_or_else(|why| {
        eprintln!("mock-agent: {why}");
        ExitCode::from(why.status())
    })
}

/// What an agent starts with.
pub(super) struct Startup {
    pub(super) own: OwnArguments,
    pub(super) environment: Environment,
    pub(super) controls: Controls,
    pub(super) choice: Choice,
}

/// Starts the agent that the arguments, the environment and the name of the program choose.
///
/// # Errors
/// The settings file has a mistake, or an unknown protocol is requested.
fn start(program: Option<&Path>, own: OwnArguments) -> Result<ExitCode, StartError> {
    let environment = Environment::load(program)?;
    let of_flag = own.control.clone();
    let control = of_flag.or_else(|| environment.get(control::VARIABLE));
    let started = start_with(program, own, environment, control.clone());
    started.inspect_err(|why| control::note_failed_start(control.as_deref(), &why.to_string()))
}

/// The same, with this control folder.
fn start_with(
    program: Option<&Path>,
    own: OwnArguments,
    environment: Environment,
    control: Option<String>,
) -> Result<ExitCode, StartError> {
    let name = program.and_then(Path::file_name).and_then(OsStr::to_str);
    if own.word(0) == Some("install") && !other_commands::is_agent_name(name) {
        return Ok(install(own.word(1)));
    }
    let choice = Choice::new(&own, &environment, name)?;
    if let Some(code) = print_scripts(choice.adapter, &own)? {
        return Ok(code);
    }
    choice.check_script()?;
    let agent = choice
        .adapter
        .map(|adapter| (adapter, own.read_as(adapter)));
    match &agent {
        Some((adapter, line)) if choice.version.is_ok() => {
            if let Some(question) = line.options.question {
                answer_as(adapter, question);
                return Ok(ExitCode::SUCCESS);
            }
            if let Some(code) = other_commands::answer(adapter, &own)? {
                return Ok(code);
            }
        }
        Some(_) => {}
        None if help::is_asked(&own) => return Ok(help(&own)),
        None if !choice.is_scripted => {
            let why = help::no_protocol(&own);
            control::note_failed_start(control.as_deref(), &why);
            if own.word(0).is_none() {
                return Ok(help(&own));
            }
            eprintln!("mock-agent: {why}");
            return Ok(ExitCode::from(USAGE));
        }
        None => {}
    }
    process_list::adopt_orphans();
    if environment.get(PARENT_VARIABLE).is_some() {
        process_list::end_with_parent();
    }
    let clock = Arc::new(
        Clock::new(environment.get(clock::VARIABLE).as_deref()).map_err(StartError::Setting)?,
    );
    let of_runtime = Arc::clone(&clock);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .on_thread_park(move || of_runtime.note_idle())
        .build()
        .map_err(StartError::Runtime)?;
    // From here on a signal is an orderly end, which removes the control socket.
    let signals = {
        let _inside = runtime.enter();
        ShutdownSignals::new().map_err(StartError::Runtime)?
    };
    let shown = match choice.adapter {
        Some(adapter) => adapter.name,
        None => name.unwrap_or("mock-agent"),
    };
    let startup = Startup {
        own,
        environment,
        controls: Controls::new(control, shown, clock).map_err(StartError::Setting)?,
        choice,
    };
    let tasks = LocalSet::new();
    let code = match agent {
        Some((adapter, line)) if !startup.choice.is_scripted => {
            let session = tasks.run_until(run(adapter, line, &startup, signals));
            let played = AssertUnwindSafe(|| runtime.block_on(session));
            catch_unwind(played).unwrap_or_else(|_| report_panic(adapter))
        }
        _ => runtime.block_on(tasks.run_until(agent_script::run(&startup, signals))),
    };
    runtime.block_on(tasks.run_until(startup.controls.responses.sent()));
    Ok(ExitCode::from(code))
}

fn log_to_stderr() {
    let level =
        tracing_subscriber::EnvFilter::try_from_env(LOG_VARIABLE).unwrap_or_else(|_| "warn".into());
    let _ = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_env_filter(level)
        .with_ansi(false)
        .try_init();
}

/// Runs a session; returns the exit status.
async fn run(
    adapter: &Adapter,
    line: CommandLine,
    startup: &Startup,
    signals: ShutdownSignals,
) -> u8 {
    let Startup {
        own,
        environment,
        controls,
        choice,
    } = startup;
    let variable = |name: &str| environment.get(name);
    let faults = Rc::new(faults_of(adapter, choice));
    let parse = || {
        choice.version.clone().map_err(StartError::Setting)?;
        let options = line.checked()?;
        if let Some(fault) = choice.fault.as_deref().filter(|text| !text.is_empty()) {
            faults.play(fault).map_err(StartError::Setting)?;
        }
        Ok(options)
    };
    let options = parse();
    let (latency, options) = match (config::latency(&variable), options) {
        (Ok(latency), options) => (latency, options),
        (Err(why), _) => (Duration::ZERO, Err(why)),
    };
    let old_flag = own
        .rest
        .iter()
        .find(|arg| OLD_FLAGS.contains(&arg.as_str()));
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
    let encoder = Rc::clone(&connection);
    let events = EventSink {
        encode: Rc::new(move |event| encoder.frames(event)),
        outbox: Rc::clone(&outbox),
    };
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
            if why.status() == USAGE {
                controls.note_failed_start(&why.to_string());
            }
            let failure = Failure::permanent(FailureSource::Config, why.to_string());
            events.emit_failure(&failure);
            outbox.finish(FLUSH_TIMEOUT).await;
            if faults.triggers(Bug::FatalExitsZero) {
                0
            } else {
                why.status()
            }
        }
    }
}

/// No fault yet, of the dialect of a protocol.
fn faults_of(adapter: &Adapter, choice: &Choice) -> Faults {
    let naming = if adapter.is_json_rpc {
        FrameNaming::JsonRpc {
            is_version_optional: false,
        }
    } else {
        FrameNaming::Pointers(KindPointers {
            events: KIND_POINTER.to_owned(),
            commands: KIND_POINTER.to_owned(),
        })
    };
    let dialect = FaultedDialect {
        source: choice.source.clone(),
        id: adapter.id(),
        naming,
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
    for frame in (adapter.connect)().frames(&event) {
        println!("{frame}");
    }
    process_list::kill_descendants();
    FATAL
}
