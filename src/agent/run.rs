//! The process: from its arguments to its exit status.

use super::args::{self, Flag};
use super::config::{Config, Sessions, Source};
use super::dialogue::Dialogue;
use super::event::{Code, Failure};
use super::faults::Faults;
use super::front::{FRONTS, Front};
use super::input::{self, Input};
use super::model::{self, Model, Player};
use super::outbox::Outbox;
use super::session::{Halt, Session};
use super::store::{Choice, Store};
use super::tools::{Toolbox, Workspace};
use super::voice::Voice;
use super::{process, script};
use std::ffi::OsString;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::Receiver;

/// How long a turn may be silent once no more commands can come.
const LAST_WORDS: Duration = Duration::from_millis(250);

/// How long a turn gets to end in order when it is stopped at the exit.
const FAREWELL: Duration = Duration::from_secs(1);

/// How long the host gets to read what is left.
const FLUSH: Duration = Duration::from_secs(2);

const FATAL: u8 = 1;
const USAGE: u8 = 2;

/// Runs the reference agent with these arguments (the program's name left out).
#[must_use]
pub fn main(args: Vec<OsString>) -> ExitCode {
    let args: Vec<_> = args
        .iter()
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    let Some(front) = FRONTS.iter().find(|front| (front.chosen)(&args)) else {
        return help(&args);
    };
    log_to_stderr();
    process::adopt_orphans();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    match runtime {
        Ok(runtime) => {
            let code = runtime.block_on(run(front, &args));
            process::sweep();
            ExitCode::from(code)
        }
        Err(error) => {
            eprintln!("mock-agent: {error}");
            ExitCode::from(FATAL)
        }
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

fn help(args: &[String]) -> ExitCode {
    if args.iter().any(|arg| arg == "--version" || arg == "-V") {
        println!("mock-agent {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    let mut text =
        String::from("The reference agent. It speaks the dialect that the flags ask for:\n");
    for front in FRONTS {
        text.push_str(&format!("\n{}\n", front.name));
        front
            .flags
            .iter()
            .for_each(|flag| text.push_str(&line(flag)));
    }
    if args.iter().any(|arg| arg == "--help" || arg == "-h") {
        print!("{text}");
        return ExitCode::SUCCESS;
    }
    eprint!("mock-agent: the arguments ask for no dialect\n\n{text}");
    ExitCode::from(USAGE)
}

fn line(flag: &Flag) -> String {
    let name = format!("{} {}", flag.name, flag.value.unwrap_or_default());
    format!("  {name:24} {}\n", flag.help)
}

async fn run(front: &Front, args: &[String]) -> u8 {
    let faults = Rc::new(Faults::default());
    let outbox = match Outbox::open(faults) {
        Ok(outbox) => outbox,
        Err(error) => {
            eprintln!("mock-agent: standard output: {error}");
            return FATAL;
        }
    };
    let voice = Voice::new((front.emitter)(), outbox);
    match prepare(front, args) {
        Ok(prepared) => {
            let session = prepared.session(voice);
            let code = serve(front, &session).await;
            session.voice.outbox.finish(FLUSH).await;
            code
        }
        Err(why) => {
            voice.fail(&Failure::lasting(Code::Config, why));
            voice.outbox.finish(FLUSH).await;
            FATAL
        }
    }
}

/// What a session is made of.
struct Prepared {
    config: Config,
    workspace: Workspace,
    model: Model,
    dialogue: Dialogue,
}

fn prepare(front: &Front, args: &[String]) -> Result<Prepared, String> {
    let options = args::parse(front.flags, args)?;
    (front.check)(&options)?;
    let config = Config::new(options, &|name| std::env::var(name).ok())?;
    let workspace = Workspace::open(&config.workspace)?;
    let model = Model::new(config.language, source(&config, &workspace)?);
    let dialogue = dialogue(&config, &workspace)?;
    Ok(Prepared {
        config,
        workspace,
        model,
        dialogue,
    })
}

fn source(config: &Config, workspace: &Workspace) -> Result<model::Source, String> {
    let script = match &config.source {
        Source::Endpoint(endpoint) => return Ok(model::Source::Endpoint(endpoint.clone())),
        Source::BuiltIn => None,
        Source::Script(path) => {
            let home = std::env::var("HOME").unwrap_or_default();
            let root = workspace.given().to_string_lossy().into_owned();
            Some(script::load(path, &[("workspace", root), ("home", home)])?)
        }
    };
    let model = script.map(|script| mock_provider::Model::new(script, config.seed));
    Ok(model::Source::Player(Player::new(model, config.gate)))
}

fn dialogue(config: &Config, workspace: &Workspace) -> Result<Dialogue, String> {
    let folder = match &config.sessions {
        Sessions::Workspace => workspace.root().join(".mock-agent/sessions"),
        Sessions::Folder(folder) => folder.clone(),
        Sessions::Off if config.session == Choice::New => return Ok(Dialogue::default()),
        Sessions::Off => return Err("Sessions are switched off (MOCK_AGENT_SESSIONS)".into()),
    };
    match Store::new(folder, config.seed).open(&config.session) {
        Ok((stored, messages)) => Ok(Dialogue::new(messages, Some(stored))),
        Err(why) if config.session == Choice::New => {
            tracing::warn!("no session is kept: {why}");
            Ok(Dialogue::default())
        }
        Err(why) => Err(why),
    }
}

impl Prepared {
    fn session(self, voice: Voice) -> Session {
        let Config {
            settings,
            mode,
            mcp,
            ..
        } = self.config;
        Session::new(
            voice,
            self.model,
            Toolbox::new(mcp),
            self.workspace,
            settings,
            mode,
            self.dialogue,
        )
    }
}

/// Why the agent does not go on.
enum Over {
    EndOfInput,
    Signal,
    HostGone,
}

/// Takes commands and does turns until there is no reason to.
async fn serve(front: &Front, session: &Session) -> u8 {
    let (Ok(mut signals), mut input) = (Signals::new(), input::listen(front.line_limit)) else {
        let why = "Signals cannot be heard";
        session.voice.fail(&Failure::lasting(Code::Internal, why));
        return FATAL;
    };
    session.hello();
    let work = session.work();
    tokio::pin!(work);
    let over = tokio::select! {
        biased;
        () = signals.any() => Over::Signal,
        () = session.voice.outbox.closed() => Over::HostGone,
        () = take_commands(front, session, &mut input) => Over::EndOfInput,
        () = &mut work => Over::EndOfInput,
    };
    session.close();
    if matches!(over, Over::EndOfInput) {
        let done = tokio::select! {
            biased;
            () = signals.any() => false,
            () = session.voice.outbox.closed() => false,
            () = silence(session) => false,
            () = &mut work => true,
        };
        if done {
            return 0;
        }
    }
    session.forget_waiting();
    session.stop(Halt::Exit);
    if !matches!(over, Over::HostGone) {
        let _ = tokio::time::timeout(FAREWELL, work).await;
    }
    0
}

async fn take_commands(front: &Front, session: &Session, input: &mut Receiver<Input>) {
    loop {
        session.voice.outbox.room_for_answers().await;
        match input.recv().await {
            Some(line) => (front.command)(session, line),
            None => return,
        }
    }
}

/// Waits until nothing has been said for a while.
async fn silence(session: &Session) {
    loop {
        let before = session.voice.outbox.sent();
        tokio::time::sleep(LAST_WORDS).await;
        if session.voice.outbox.sent() == before {
            return;
        }
    }
}

/// The signals that ask the agent to go.
struct Signals([Signal; 3]);

impl Signals {
    fn new() -> std::io::Result<Self> {
        let [term, int, hangup] = [
            SignalKind::terminate(),
            SignalKind::interrupt(),
            SignalKind::hangup(),
        ]
        .map(signal);
        Ok(Signals([term?, int?, hangup?]))
    }

    async fn any(&mut self) {
        let [term, int, hangup] = &mut self.0;
        tokio::select! {
            _ = term.recv() => {}
            _ = int.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}
