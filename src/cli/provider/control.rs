//! Control of `conform provider` from a test: gates, and the journal of requests.

use super::ScriptContext;
use control_socket::{Command, Incoming, Journal, Record};
use json_matcher::{Captures, Matcher};
use mock_provider::server::{JournalEvent, Server, body_json};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedReceiver;

/// The state that the commands of a test can see.
#[derive(Debug)]
pub(super) struct ProviderState {
    journal: Journal<Recorded>,
    /// The gates that hold an answer, with the numbers of the requests.
    held: Mutex<BTreeSet<(String, u64)>>,
    change: Notify,
}

/// Most bytes of the journal.
const MAX_BYTES: usize = 8 << 20;

#[derive(Debug)]
enum Recorded {
    /// A request: its number, path and body.
    Request(u64, Box<str>, Box<[u8]>),
    /// Anything else.
    Note(Map<String, Value>),
}

/// About the size of a note's members.
const NOTE_SIZE: usize = 512;

impl Record for Recorded {
    fn heap_size(&self) -> usize {
        match self {
            Recorded::Request(_, path, body) => path.len() + body.len(),
            Recorded::Note(_) => NOTE_SIZE,
        }
    }

    fn to_map(&self) -> Map<String, Value> {
        match self {
            Recorded::Request(n, path, body) => members(json!({
                "dir": "llm_request", "request": n, "path": path, "body": body_json(body),
            })),
            Recorded::Note(note) => note.clone(),
        }
    }
}

fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

impl ProviderState {
    /// A complete journal is kept only if a test can read it.
    pub(super) fn new(is_controlled: bool) -> Self {
        ProviderState {
            journal: Journal::new(if is_controlled { MAX_BYTES } else { 0 }),
            held: Mutex::default(),
            change: Notify::new(),
        }
    }

    fn held(&self) -> MutexGuard<'_, BTreeSet<(String, u64)>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records an event of the model server.
    pub(super) fn note(&self, event: &JournalEvent) {
        if !self.journal.is_kept() {
            return;
        }
        let note = match event {
            JournalEvent::Request(request) => {
                let (path, body) = (request.path.as_str().into(), request.body[..].into());
                return self
                    .journal
                    .add(|| Recorded::Request(request.n, path, body));
            }
            JournalEvent::Waiting { n, gate } => {
                self.held().insert((gate.clone(), *n));
                json!({ "dir": "gate", "request": n, "gate": gate, "state": "holds" })
            }
            JournalEvent::Reply { n, status, .. } => {
                self.held().retain(|(_, request)| request != n);
                json!({ "dir": "llm_reply", "request": n, "status": status })
            }
            JournalEvent::Failure(failure) => {
                json!({ "dir": "failure", "message": failure.message })
            }
        };
        self.add_note(note);
    }

    fn add_note(&self, note: Value) {
        self.journal.add(|| Recorded::Note(members(note)));
        self.change.notify_waiters();
    }

    /// Waits until a gate holds an answer.
    async fn reached(&self, gate: &str) {
        loop {
            let change = self.change.notified();
            if self.held().iter().any(|(name, _)| name == gate) {
                return;
            }
            change.await;
        }
    }

    fn released(&self, gate: &str) {
        self.held().retain(|(name, _)| name != gate);
        self.add_note(json!({ "dir": "gate", "gate": gate, "state": "released" }));
    }
}

/// Carries out commands until the server ends.
pub(super) async fn serve(
    mut commands: UnboundedReceiver<Incoming>,
    state: Arc<ProviderState>,
    server: Arc<Server>,
    scripts: ScriptContext,
) {
    while let Some(Incoming { command, reply }) = commands.recv().await {
        let (state, server) = (Arc::clone(&state), Arc::clone(&server));
        let scripts = scripts.clone();
        tokio::spawn(
            reply.with(async move { carry_out(command, &state, &server, &scripts).await }),
        );
    }
}

async fn carry_out(
    command: Command,
    state: &ProviderState,
    server: &Server,
    scripts: &ScriptContext,
) -> Result<Value, String> {
    let timeout = command.timeout();
    let late = |what: String| move |_| format!("{what} within {timeout:?}");
    match command {
        Command::Status => {
            let held = state.held();
            let gates: BTreeSet<_> = held.iter().map(|(gate, _)| gate).collect();
            Ok(json!({ "name": "provider", "pid": std::process::id(), "gates": gates, "journal": state.journal.last() }))
        }
        Command::WaitGate { gate, .. } => {
            let held = tokio::time::timeout(timeout, state.reached(&gate)).await;
            held.map_err(late(format!("no answer was held at the gate `{gate}`")))?;
            Ok(json!({ "gate": gate }))
        }
        Command::Release { gate } => {
            if !server.release(&gate) {
                let gates: Vec<_> = server.gates().into_iter().collect();
                return Err(format!("the script has no gate `{gate}`; its gates: {}", gates.join(", ")));
            }
            state.released(&gate);
            Ok(json!({ "gate": gate }))
        }
        Command::WaitCommand { matches, after, .. } => {
            let matcher = Matcher::compile(&matches)
                .map_err(|errors| errors.iter().map(|error| error.message.clone()).collect::<Vec<_>>().join("; "))?;
            let fits = |recorded: &Recorded| match recorded {
                Recorded::Request(_, _, body) => matcher.matches(&body_json(body), &Captures::default()).is_ok(),
                Recorded::Note(_) => false,
            };
            let found = tokio::time::timeout(timeout, state.journal.find(after, fits)).await;
            found.map_err(late(format!("no request to the model matches {matches}")))
        }
        Command::Journal { after } => {
            Ok(json!({ "entries": state.journal.after(after), "last": state.journal.last() }))
        }
        Command::Crash { status, .. } => std::process::exit(i32::from(status.unwrap_or(1))),
        Command::Reset { script } => {
            server.reset(scripts.load(Path::new(&script))?);
            Ok(Value::Null)
        }
        Command::Send { .. } | Command::SendRaw { .. } | Command::Fault { .. } | Command::Advance { .. } => {
            Err("a model server only answers requests: it can wait, release, show its journal, change its script and crash".to_owned())
        }
    }
}
