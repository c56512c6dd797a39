//! The main function: selects the protocol, starts the session, serves the host, and returns the exit status.

use super::agent_script;
use super::help::{asks_for_help, help};
use super::protocol_choice;
use super::serve::{FATAL, serve};
use super::startup::prepare;
use crate::agent_script::DialectFiles;
use crate::config::{self, options};
use crate::core::event::Event;
use crate::core::event_sink::EventSink;
use crate::core::failure::{Failure, FailureSource};
use crate::core::hooks::Hooks;
use crate::faults::Faults;
use crate::os::process_tree;
use crate::os::stdout::{FrameWriter, Outbox};
use crate::protocols::adapter::Adapter;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Duration;

/// The timeout for the host to read the rest of the output.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Runs the reference agent with these arguments, without the name of the program. `files` reads the files of dialects.
#[must_use]
pub fn main(args: Vec<OsString>, files: DialectFiles) -> ExitCode {
    let args: Vec<_> = args
        .iter()
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    let variable = std::env::var(options::PROTOCOL_VARIABLE).ok();
    let selected = protocol_choice::select_adapter(&args, variable.as_deref());
    if selected.is_none() && !(agent_script::is_chosen(&args) && !asks_for_help(&args)) {
        return help(&args);
    }
    log_to_stderr();
    process_tree::adopt_orphans();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("mock-agent: {error}");
            return ExitCode::from(FATAL);
        }
    };
    let code = match selected {
        Some((adapter, version)) => {
            let session = AssertUnwindSafe(|| runtime.block_on(run(adapter, version, &args)));
            catch_unwind(session).unwrap_or_else(|_| report_panic(adapter))
        }
        None => runtime.block_on(agent_script::run(&args, files)),
    };
    ExitCode::from(code)
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
async fn run(adapter: &Adapter, version: Result<(), String>, args: &[String]) -> u8 {
    let options = version.and_then(|()| options::parse(adapter.flags, args));
    let faults = match &options {
        Ok(options) => selected_fault(adapter, options.fault.as_deref()),
        Err(_) => Ok(Faults::default()),
    };
    let (faults, options) = match faults {
        Ok(faults) => (Rc::new(faults), options),
        Err(why) => (Rc::default(), Err(why)),
    };
    let (latency, options) = match (config::latency(&variable), options) {
        (Ok(latency), options) => (latency, options),
        (Err(why), _) => (Duration::ZERO, Err(why)),
    };
    faults.on_process_start(args);
    let outbox = match Outbox::open(Rc::clone(&faults) as Rc<dyn FrameWriter>, latency) {
        Ok(outbox) => outbox,
        Err(error) => {
            eprintln!("mock-agent: standard output: {error}");
            return FATAL;
        }
    };
    let events = EventSink::new((adapter.encoder)(), outbox);
    match options.and_then(|options| prepare(adapter, options, &faults)) {
        Ok(prepared) => {
            let session = prepared.session(events, Rc::clone(&faults) as Rc<dyn Hooks>);
            let code = serve(adapter, &session, &faults).await;
            session.events.outbox.finish(FLUSH_TIMEOUT).await;
            if faults.kills_leftover_processes() {
                process_tree::kill_descendants();
            }
            faults.on_process_end();
            code
        }
        Err(why) => {
            events.emit_failure(&Failure::permanent(FailureSource::Config, why));
            events.outbox.finish(FLUSH_TIMEOUT).await;
            faults.failed_start_status(FATAL)
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
    for frame in (adapter.encoder)().encode(&event) {
        println!("{frame}");
    }
    process_tree::kill_descendants();
    FATAL
}

/// An environment variable.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The fault that `--fault` or its environment variable selects.
fn selected_fault(adapter: &Adapter, flag: Option<&str>) -> Result<Faults, String> {
    let env = std::env::var("MOCK_AGENT_FAULT").ok();
    match flag.or(env.as_deref()).filter(|text| !text.is_empty()) {
        Some(text) => Faults::find(&adapter.faults(), adapter.kind_pointer, text),
        None => Ok(Faults::default()),
    }
}
