//! `conform provider`: serves the scripted model alone.

mod journal;

use super::catalogue::render_errors;
use super::{exit::ExitStatus, output, termination};
use crate::matcher::{Captures, Template};
use crate::scenario::{model_of, script_of};
use journal::JournalWriter;
use mock_provider::Script;
use mock_provider::server::{Observer, Server, ServerOptions};
use std::fs::File;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Serve the scripted model alone, over the wires of the real LLM APIs
///
/// The first line on stdout is the address. The base URL of each API is on stderr. On stdout then comes the journal, one JSON object on each line: the requests to the model, the
/// end of each exchange, and the failures. It ends on SIGTERM or SIGINT, with status 1 if a request contradicted the script, and with
/// status 3 if the script had no reply for a request.
#[derive(Debug, clap::Args)]
pub(super) struct ProviderArgs {
    /// The model script, or a scenario whose model part is played
    #[arg(long, value_name = "FILE")]
    pub(super) script: PathBuf,
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
    /// The seed of the ids
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,
}

/// The APIs, each with the path that its usual clients append to the base URL, and the path of the base URL at the server.
const BASES: &[(&str, &str, &str)] = &[
    ("Anthropic Messages", "/v1/messages", ""),
    ("OpenAI Chat Completions", "/chat/completions", "/v1"),
    ("OpenAI Responses", "/responses", "/v1"),
];

pub(super) fn run(args: ProviderArgs) -> ExitStatus {
    serve(&args).unwrap_or_else(|message| {
        output::error(message);
        ExitStatus::Usage
    })
}

fn serve(args: &ProviderArgs) -> Result<ExitStatus, String> {
    let script = script(args)?;
    let out: Box<dyn Write + Send> = match &args.journal {
        Some(path) => Box::new(File::create(path).map_err(|error| at(path, &error))?),
        None => Box::new(io::stdout()),
    };
    let recorder = Arc::new(JournalWriter::new(out));
    let options = ServerOptions {
        seed: args.seed,
        keyless: !args.require_key,
        open_gates: true,
        ..ServerOptions::default()
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("cannot start: {error}"))?;
    runtime.block_on(async {
        let journal = Arc::clone(&recorder);
        let observer = Observer::new(move |entry| journal.note(&entry));
        let lock = recorder.lock();
        let server = Server::observed(args.listen, script, options, observer)
            .map_err(|error| format!("cannot listen at {}: {error}", args.listen))?;
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
        termination::termination_requested().await;
        for failure in server.unused() {
            recorder.unused(&failure);
        }
        server.shutdown().await;
        Ok(recorder.status())
    })
}

/// The script of a file, checked and with its placeholders filled.
fn script(args: &ProviderArgs) -> Result<Script, String> {
    let node = spanned_yaml::load_file(&args.script).map_err(|error| error.to_string())?;
    script_of(&node).map_err(|errors| render_errors(&errors))?;
    let model = model_of(&node).map_err(|error| error.to_string())?;
    let workspace = match &args.workspace {
        Some(folder) => std::path::absolute(folder),
        None => std::env::current_dir(),
    };
    let workspace = workspace.map_err(|error| format!("there is no current folder: {error}"))?;
    let home = std::env::var("HOME").unwrap_or_default();
    let mut placeholders = Captures::default();
    placeholders.set("workspace", workspace.to_string_lossy());
    placeholders.set("home", home);
    let filled = Template::new(model.to_value()).render(&placeholders);
    let filled = filled.map_err(|unknown| model.error(unknown.to_string()).to_string())?;
    Script::from_value(filled).map_err(|problem| format!("{}: {problem}", args.script.display()))
}

fn at(path: &Path, error: &io::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}
