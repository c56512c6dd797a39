//! State that all connections of a server share: options, the model, gates and the observer of the journal.

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::gates::Gates;
use super::journal::{JournalEntry, JournalEvent};
use crate::lanes::Lane;
use crate::model::Model;
use crate::pace::Pace;
use crate::script::Script;

/// Options of a [`Server`](super::Server) other than its script.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Goes into every generated id.
    pub seed: u64,
    /// Accepts requests without an API key, as local servers do. The real APIs refuse them.
    pub keyless: bool,
    /// Answers requests that the real APIs refuse for what is in their body.
    pub lenient: bool,
    /// The largest request body accepted, in bytes.
    pub max_body: usize,
    /// How fast replies are streamed.
    pub pace: Pace,
    /// The lanes of the agent's own requests.
    pub lanes: Vec<Lane>,
    /// Opens every gate at the start: for a script that is served without a test that releases gates.
    pub open_gates: bool,
}

impl Default for ServerOptions {
    fn default() -> Self {
        ServerOptions {
            seed: 0,
            keyless: false,
            lenient: false,
            max_body: 32 * 1024 * 1024,
            pace: Pace::default(),
            lanes: Vec::new(),
            open_gates: false,
        }
    }
}

/// A callback for every entry of the journal. It is called before the client can see the effect of the entry, so that an observer
/// that also reads the client's output sees cause and effect in order. It runs on the server's threads and must not block.
pub struct Observer(Box<dyn Fn(JournalEntry) + Send + Sync>);

impl Observer {
    /// An observer that calls a function.
    pub fn new(callback: impl Fn(JournalEntry) + Send + Sync + 'static) -> Self {
        Observer(Box::new(callback))
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Observer")
    }
}

/// The state that all connections share.
#[derive(Debug)]
pub(super) struct ServerState {
    pub(super) options: ServerOptions,
    pub(super) gates: Gates,
    /// The server is closing its connections: if an answer ends now, the client did not end it.
    pub(super) closing: AtomicBool,
    model: Mutex<NumberedModel>,
    observer: Observer,
}

/// The model and the number of the next request. They share one lock, so that the journal has the order of the numbers.
#[derive(Debug)]
pub(super) struct NumberedModel {
    pub(super) model: Model,
    pub(super) next_number: u64,
}

fn model_of(script: Script, options: &ServerOptions) -> Model {
    Model::new(script, options.seed)
        .lenient(options.lenient)
        .with_lanes(options.lanes.clone())
}

impl ServerState {
    pub(super) fn new(script: Script, options: ServerOptions, observer: Observer) -> Self {
        let gates = Gates::new(script.gates(), options.open_gates);
        let model = model_of(script, &options);
        ServerState {
            options,
            gates,
            closing: AtomicBool::new(false),
            model: Mutex::new(NumberedModel {
                model,
                next_number: 0,
            }),
            observer,
        }
    }

    /// Serves another script. The numbers of the requests continue.
    pub(super) fn reset(&self, script: Script) {
        let mut current = self.model();
        self.gates.reset(script.gates());
        current.model = model_of(script, &self.options);
    }

    /// Locks the model.
    pub(super) fn model(&self) -> MutexGuard<'_, NumberedModel> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an entry to the journal.
    pub(super) fn record(&self, event: JournalEvent) {
        self.record_at(Instant::now(), event);
    }

    /// Adds an entry of an earlier time to the journal.
    pub(super) fn record_at(&self, at: Instant, event: JournalEvent) {
        (self.observer.0)(JournalEntry { at, event });
    }
}
