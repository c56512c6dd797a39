//! Control of `conform provider` from a test: gates, and the journal of requests.

use super::ScriptContext;
use control_socket::{Command, Incoming};
use json_matcher::{Captures, Matcher};
use mock_provider::server::{JournalEvent, Server};
use serde_json::{Value, json};
use std::collections::{BTreeSet, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedReceiver;

/// What the commands of a test can see.
#[derive(Debug, Default)]
pub(super) struct ProviderState {
    seen: Mutex<Seen>,
    change: Notify,
}

/// Most bytes of the requests in the journal; the oldest entries are dropped then.
const MAX_BYTES: usize = 32 << 20;

#[derive(Debug, Default)]
struct Seen {
    /// The entries of the journal, each with its size.
    entries: VecDeque<(usize, Value)>,
    /// The number of the last entry.
    last: u64,
    bytes: usize,
    /// The gates that hold an answer, with the numbers of the requests.
    held: BTreeSet<(String, u64)>,
}

impl ProviderState {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of an event of the model server.
    pub(super) fn note(&self, event: &JournalEvent) {
        let mut seen = self.seen();
        let mut size = 0;
        let entry = match event {
            JournalEvent::Request(request) => {
                size = request.body.len();
                json!({ "dir": "llm_request", "request": request.n, "path": request.path, "body": request.json() })
            }
            JournalEvent::Waiting { n, gate } => {
                seen.held.insert((gate.clone(), *n));
                json!({ "dir": "gate", "request": n, "gate": gate, "state": "holds" })
            }
            JournalEvent::Reply { n, status, .. } => {
                seen.held.retain(|(_, request)| request != n);
                json!({ "dir": "llm_reply", "request": n, "status": status })
            }
            JournalEvent::Failure(failure) => {
                json!({ "dir": "failure", "message": failure.message })
            }
        };
        seen.add(entry, size);
        drop(seen);
        self.change.notify_waiters();
    }

    /// Waits for a value.
    async fn until<T>(&self, found: impl Fn(&Seen) -> Option<T>) -> T {
        loop {
            let change = self.change.notified();
            if let Some(value) = found(&self.seen()) {
                return value;
            }
            change.await;
        }
    }

    fn released(&self, gate: &str) {
        let mut seen = self.seen();
        seen.held.retain(|(name, _)| name != gate);
        seen.add(
            json!({ "dir": "gate", "gate": gate, "state": "released" }),
            0,
        );
    }
}

impl Seen {
    /// Adds an entry. `size` is that of the request in it.
    fn add(&mut self, mut entry: Value, size: usize) {
        self.last += 1;
        entry["n"] = self.last.into();
        let size = size + ENTRY_SIZE;
        self.bytes += size;
        self.entries.push_back((size, entry));
        while self.bytes > MAX_BYTES
            && self.entries.len() > 1
            && let Some((dropped, _)) = self.entries.pop_front()
        {
            self.bytes -= dropped;
        }
    }

    fn after(&self, number: u64) -> impl Iterator<Item = &Value> {
        let entries = self.entries.iter().map(|(_, entry)| entry);
        entries.filter(move |entry| entry["n"].as_u64().is_some_and(|n| n > number))
    }
}

/// About what an entry takes besides its request.
const ENTRY_SIZE: usize = 256;

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
            let seen = state.seen();
            let held: BTreeSet<_> = seen.held.iter().map(|(gate, _)| gate).collect();
            Ok(json!({ "name": "provider", "pid": std::process::id(), "gates": held, "journal": seen.last }))
        }
        Command::WaitGate { gate, .. } => {
            let is_held = |seen: &Seen| seen.held.iter().any(|(name, _)| *name == gate).then_some(());
            let held = tokio::time::timeout(timeout, state.until(is_held)).await;
            held.map_err(late(format!("no answer was held at the gate `{gate}`")))?;
            Ok(json!({ "gate": gate }))
        }
        Command::Release { gate } => {
            if !server.release(&gate) {
                return Err(format!("the script has no gate `{gate}`"));
            }
            state.released(&gate);
            Ok(json!({ "gate": gate }))
        }
        Command::WaitCommand { matches, after, .. } => {
            let matcher = Matcher::compile(&matches)
                .map_err(|errors| errors.iter().map(|error| error.kind.to_string()).collect::<Vec<_>>().join("; "))?;
            let found = |seen: &Seen| {
                let fits = |entry: &&Value| {
                    let body = entry.get("body");
                    body.is_some_and(|body| matcher.matches(body, &Captures::default()).is_ok())
                };
                seen.after(after).find(fits).cloned()
            };
            let found = tokio::time::timeout(timeout, state.until(found)).await;
            found.map_err(late(format!("no request to the model matches {matches}")))
        }
        Command::Journal { after } => {
            let seen = state.seen();
            Ok(json!({ "entries": seen.after(after).collect::<Vec<_>>(), "last": seen.last }))
        }
        Command::Crash { status, .. } => std::process::exit(i32::from(status.unwrap_or(1))),
        Command::Reset { script } => {
            server.reset(scripts.load(Path::new(&script))?);
            Ok(Value::Null)
        }
        Command::Send { .. } | Command::SendRaw { .. } | Command::Fault { .. } => {
            Err("a model server answers requests only: it can wait, release, show its journal, change its script and crash".to_owned())
        }
    }
}
