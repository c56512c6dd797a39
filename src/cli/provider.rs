//! `conform provider`: serves the scripted model alone.

mod control;
mod journal;

use super::catalogue::render_errors;
use super::transcript_file::create_transcript;
use super::whole_file::check_distinct;
use super::{command_error::CommandError, exit::ExitStatus, output, termination};
use control::ProviderState;
use control_socket::{ControlAddress, ControlServer};
use journal::JournalWriter;
use mock_provider::server::{Observer, Server, ServerOptions};
use mock_provider::{Pace, Script};
use spanned_yaml::Node;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Serve the scripted model alone, over the wires of the real LLM APIs
///
/// The first line on stdout is the address. The base URL of each API is on stderr. After it, stdout has the journal, one JSON object on each line: the requests to the model, the
/// end of each exchange, and the failures. It ends on SIGTERM or SIGINT, with status 1 if a request contradicted the script, and with
/// status 3 if the script had no reply for a request.
#[derive(Debug, clap::Args)]
pub(super) struct ProviderArgs {
    /// The name of a built-in script (`mock-agent --list-scripts`), a model script, or a scenario whose model part is played
    #[arg(long, value_name = "NAME|FILE")]
    pub(super) script: PathBuf,
    /// The dialect of the agent, for a built-in script that calls tools
    #[arg(long, value_name = "NAME@VERSION")]
    pub(super) dialect: Option<String>,
    /// Where to listen; port 0 picks a free one, and the address is printed
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub(super) listen: SocketAddr,
    /// Write the journal here instead of to stdout
    #[arg(long, value_name = "FILE")]
    pub(super) journal: Option<PathBuf>,
    /// The value of `{workspace}` in the script [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub(super) workspace: Option<PathBuf>,
    /// Refuse requests without a key, as the real APIs do
    #[arg(long)]
    pub(super) require_key: bool,
    /// Answer requests that the real APIs refuse for what is in their body
    #[arg(long)]
    pub(super) lenient: bool,
    /// Let a test hold and release gates: register in this folder, see `conform ctl`; tcp:DIR listens at a port with a token
    /// [default: the value of MOCK_AGENT_CONTROL; without it every gate is open]
    #[arg(long, value_name = "[tcp:]DIR")]
    pub(super) control: Option<String>,
    /// The speed of replies: none, human, or a multiple of it such as 4 or 0.5
    #[arg(long, value_name = "PACE", default_value = "none")]
    pub(super) pace: Pace,
    /// The seed of the ids, and of the pauses of `--pace`
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,
}

/// The APIs, each with the path that its usual clients append to the base URL, and the path of the base URL at the server.
const BASES: &[(&str, &str, &str)] = &[
    ("Anthropic Messages", "/v1/messages", ""),
    ("OpenAI Chat Completions", "/chat/completions", "/v1"),
    ("OpenAI Responses", "/responses", "/v1"),
    ("Gemini", "/v1beta/models/MODEL:generateContent", ""),
];

/// Most threads that serve connections.
const MAX_THREADS: usize = 4;

pub(super) fn run(args: ProviderArgs) -> Result<ExitStatus, CommandError> {
    let context = ScriptContext {
        workspace: args.workspace.clone(),
        dialect: args.dialect.clone(),
    };
    let script = context.load(&args.script)?;
    let journal = args
        .journal
        .iter()
        .map(|path| ("--journal".to_owned(), path.as_path()));
    check_distinct(
        [("--script".to_owned(), args.script.as_path())]
            .into_iter()
            .chain(journal),
    )?;
    let out: Box<dyn Write + Send> = match &args.journal {
        Some(path) => Box::new(create_transcript(path).map_err(CommandError::unwritable(path))?),
        None => Box::new(io::stdout()),
    };
    let recorder = Arc::new(JournalWriter::new(out));
    let variable = || std::env::var("MOCK_AGENT_CONTROL").ok();
    let control = args
        .control
        .clone()
        .or_else(variable)
        .filter(|folder| !folder.is_empty());
    let options = ServerOptions {
        seed: args.seed,
        pace: args.pace,
        keyless: !args.require_key,
        lenient: args.lenient,
        open_gates: control.is_none(),
        ..ServerOptions::default()
    };
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(cores.min(MAX_THREADS))
        .enable_all()
        .build()
        .map_err(|error| format!("cannot start: {error}"))?;
    runtime.block_on(async {
        let journal = Arc::clone(&recorder);
        let state = Arc::new(ProviderState::new(control.is_some()));
        let noted = Arc::clone(&state);
        let observer = Observer::new(move |entry| {
            journal.note(&entry);
            noted.note(&entry.event);
        });
        let lock = recorder.lock();
        let server = Server::observed(args.listen, script, options, observer)
            .map_err(|error| format!("cannot listen at {}: {error}", args.listen))?;
        let server = Arc::new(server);
        let controlled = match &control {
            None => None,
            Some(folder) => {
                let started = ControlServer::start(&ControlAddress::parse(folder), "provider");
                let (registration, commands) =
                    started.map_err(|error| format!("--control {folder}: {error}"))?;
                let serving = control::serve(commands, state, Arc::clone(&server), context);
                Some((registration, tokio::spawn(serving)))
            }
        };
        let end = termination::termination_requested();
        let mut stdout = io::stdout();
        // A closed stdout does not end the model.
        let _ = writeln!(stdout, "{}", server.url()).and_then(|()| stdout.flush());
        drop(lock);
        for (api, appended, path) in BASES {
            output::note(format_args!(
                "{api}: base URL {}{path} (the client appends {appended})",
                server.url()
            ));
        }
        end.await;
        for failure in server.unused() {
            recorder.unused(&failure);
        }
        if let Some((_registration, serving)) = controlled {
            serving.abort();
            let _ = serving.await;
        }
        if let Ok(server) = Arc::try_unwrap(server) {
            server.shutdown().await;
        }
        Ok(recorder.status())
    })
}

/// The data that a script needs in addition to its file.
#[derive(Debug, Clone)]
struct ScriptContext {
    /// The value of `{workspace}`; the current folder without it.
    workspace: Option<PathBuf>,
    /// The dialect of built-in scripts.
    dialect: Option<String>,
}

impl ScriptContext {
    /// The built-in script of a name, or the script of a file, checked and with its placeholders filled.
    fn load(&self, script: &Path) -> Result<Script, String> {
        let name = script
            .to_str()
            .filter(|name| mock_agent::is_script_name(name));
        let node = match name {
            Some(name) => mock_agent::built_in_script(name, self.dialect.as_deref())
                .map_err(|error| error.to_string())?,
            None => spanned_yaml::load_file(script).map_err(|error| error.to_string())?,
        };
        filled(&node, self.workspace.as_deref())
    }
}

fn filled(node: &Node, workspace: Option<&Path>) -> Result<Script, String> {
    let workspace = workspace
        .map_or_else(std::env::current_dir, std::path::absolute)
        .map_err(|error| format!("the current folder is unknown: {error}"))?;
    Script::load(node, &workspace).map_err(|errors| render_errors(&errors))
}
