//! Scripted model, in-process: plays the replies of a script without HTTP, or echoes where there is no script.
//!
//! A reply is encoded on the wire and decoded again, so that every part of a script has the effect that it has over HTTP.

use super::echo;
use super::error::ModelError;
use super::half_gate;
use super::http_client::HttpBody;
use super::reply_stream::{ReplyBytes, ReplyStream};
use super::summary;
use crate::control::Gates;
use crate::os::clock::Clock;
use mock_provider::script::{ScriptReply, Texts};
use mock_provider::{
    Answer, HttpError, Model, ModelResponse, Pace, Piece, ReplyDecoder, Request, Script, Wire,
    error_response, stream_steps,
};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// Where the replies of a scripted model come from.
#[derive(Debug)]
pub(crate) enum ReplySource {
    /// The user's text.
    Echo,
    /// A script, whose replies are played once.
    Script(Box<Model>),
    /// A built-in script, which each prompt plays from its start.
    BuiltIn(BuiltInScript),
}

impl ReplySource {
    /// The gates of the script, if there is one.
    fn gates(&self) -> Option<BTreeSet<String>> {
        let script = match self {
            ReplySource::Echo => return None,
            ReplySource::Script(model) => model.script(),
            ReplySource::BuiltIn(built_in) => &built_in.script,
        };
        Some(script.gates().map(str::to_owned).collect())
    }
}

/// A built-in script for a model to play.
#[derive(Debug, Clone)]
pub(crate) struct BuiltInScript {
    pub(crate) script: Script,
    /// What an extension of the agent does in it.
    pub(crate) extension: Option<Value>,
}

/// The settings of a prompt for the model, for its turn only.
#[derive(Debug, Default)]
pub(crate) struct TurnSettings {
    /// The script that the turn plays.
    pub(crate) script: Option<Script>,
    /// The speed of the replies.
    pub(crate) pace: Option<Pace>,
    /// The gate that holds the first reply half-way.
    pub(crate) gate: Option<String>,
}

impl TurnSettings {
    /// A turn that is answered with this text.
    pub(crate) fn answer(text: &str) -> Self {
        let reply = ScriptReply {
            text: Some(Texts::from(text)),
            ..ScriptReply::default()
        };
        let script = Script {
            replies: vec![reply],
        };
        TurnSettings {
            script: Some(script),
            ..TurnSettings::default()
        }
    }
}

/// The settings of a scripted model.
#[derive(Debug, Clone)]
pub(crate) struct ScriptedModelOptions {
    pub(crate) clock: Arc<Clock>,
    /// How long a gate holds.
    pub(crate) gate_timeout: Duration,
    pub(crate) pace: Pace,
    /// The seed for generated ids.
    pub(crate) seed: u64,
}

/// A model that plays a script; without one, it is the echo model.
pub(crate) struct ScriptedModel {
    source: Rc<RefCell<ReplySource>>,
    options: ScriptedModelOptions,
    gates: Rc<Gates>,
    requests: Rc<Cell<u64>>,
    turn: RefCell<CurrentTurn>,
}

/// What the current turn plays instead of the script, and how.
#[derive(Debug, Default)]
struct CurrentTurn {
    /// The script that it plays: of its prompt, or of the process.
    script: Option<Model>,
    /// Whether the script comes from the prompt.
    is_from_prompt: bool,
    /// Whether the latest reply has failed.
    has_failed: bool,
    pace: Option<Pace>,
    gate: Option<String>,
    /// The number of scripts that were begun.
    begun: u64,
}

impl ScriptedModel {
    pub(crate) fn new(
        source: ReplySource,
        gates: Rc<Gates>,
        options: ScriptedModelOptions,
    ) -> Self {
        gates.set_script(source.gates());
        ScriptedModel {
            source: Rc::new(RefCell::new(source)),
            options,
            gates,
            requests: Rc::default(),
            turn: RefCell::default(),
        }
    }

    /// The same model for another session: they take the replies of one script, and each has a turn of its own.
    pub(crate) fn of_another_session(&self) -> Self {
        ScriptedModel {
            source: Rc::clone(&self.source),
            options: self.options.clone(),
            gates: Rc::clone(&self.gates),
            requests: Rc::clone(&self.requests),
            turn: RefCell::default(),
        }
    }

    /// Plays another script from the next request on.
    pub(crate) fn reset(&self, source: ReplySource) {
        self.gates.set_script(source.gates());
        *self.source.borrow_mut() = source;
        let mut turn = self.turn.borrow_mut();
        turn.script = None;
        turn.has_failed = false;
    }

    /// Begins a turn with these settings. A script of the process starts again, unless its latest reply has failed: then the rest of it
    /// is the recovery.
    pub(crate) fn start_turn(&self, settings: TurnSettings) {
        let mut turn = self.turn.borrow_mut();
        turn.pace = settings.pace;
        turn.gate = settings.gate;
        let recovers = turn.has_failed
            && !turn.is_from_prompt
            && turn
                .script
                .as_ref()
                .is_some_and(|script| !script.unused().is_empty());
        let is_from_prompt = settings.script.is_some();
        let script = match (settings.script, &*self.source.borrow()) {
            (Some(script), _) => Some(script),
            (None, _) if recovers => return,
            (None, ReplySource::BuiltIn(built_in)) => Some(built_in.script.clone()),
            (None, _) => None,
        };
        turn.has_failed = false;
        turn.is_from_prompt = is_from_prompt;
        // A script that is played again must not repeat its ids.
        let seed = self.options.seed.wrapping_add(turn.begun);
        turn.begun += u64::from(script.is_some());
        turn.script = script.map(|script| Model::new(script, seed));
    }

    /// What an extension does in the script of the process.
    pub(crate) fn extension(&self) -> Option<Value> {
        match &*self.source.borrow() {
            ReplySource::BuiltIn(built_in) => built_in.extension.clone(),
            ReplySource::Echo | ReplySource::Script(_) => None,
        }
    }

    /// Whether the prompt of the turn asks for a script.
    pub(super) fn plays_script_of_prompt(&self) -> bool {
        let turn = self.turn.borrow();
        turn.is_from_prompt && turn.script.is_some()
    }

    /// A reply over HTTP with the pace and the gate of the turn.
    pub(super) fn paced(&self, wire: Wire, body: HttpBody) -> ReplyStream {
        let n = self.requests.replace(self.requests.get() + 1);
        let mut turn = self.turn.borrow_mut();
        let pace = turn.pace.unwrap_or(self.options.pace);
        ReplyStream {
            pauses: pace.pauses(self.options.seed, &format!("http/{n}")),
            gate: turn.gate.take(),
            ..self.stream(wire, ReplyBytes::Http(Box::new(body)))
        }
    }

    fn stream(&self, wire: Wire, bytes: ReplyBytes) -> ReplyStream {
        ReplyStream {
            bytes,
            decoder: ReplyDecoder::new(wire),
            pauses: Pace::NONE.pauses(0, ""),
            gate: None,
            clock: Arc::clone(&self.options.clock),
            gates: Rc::clone(&self.gates),
            gate_timeout: self.options.gate_timeout,
            has_text: false,
            is_over: false,
        }
    }

    pub(super) async fn send(&self, wire: Wire, body: Value) -> Result<ReplyStream, ModelError> {
        let n = self.requests.replace(self.requests.get() + 1);
        let request = Request::in_process(n, wire, body);
        let mut served = self.serve(&request);
        for failure in &served.failures {
            tracing::warn!(request = n, "{failure}");
        }
        let pace = {
            let mut turn = self.turn.borrow_mut();
            if let Some(gate) = turn.gate.take() {
                half_gate::insert(gate, &mut served);
            }
            turn.pace.unwrap_or(self.options.pace)
        };
        if let Some(gate) = &served.gate {
            self.gates.hold(gate, self.options.gate_timeout).await;
        }
        if let Some(delay) = served.delay {
            self.options.clock.sleep(delay).await;
        }
        let seed = self.options.seed;
        match served.answer {
            Answer::Message(message) => {
                let steps = stream_steps(&request, &message, seed, pace).into_iter();
                Ok(self.stream(wire, ReplyBytes::Scripted(steps)))
            }
            Answer::Error(error) => Err(refused(&request, &error, seed)),
            Answer::Cut(_) => Err(ModelError::Unanswered),
        }
    }

    fn serve(&self, request: &Request) -> ModelResponse {
        let mut turn = self.turn.borrow_mut();
        let wants_summary = summary::is_asked_for(request);
        // The host can ask for a compaction after any script, also after one without a summary.
        let is_beside = |script: &Model| wants_summary && script.unused().is_empty();
        let served = match (&mut turn.script, &mut *self.source.borrow_mut()) {
            (Some(script), _) if !is_beside(script) => script.next(request),
            (_, ReplySource::Script(model)) => model.next(request),
            (_, ReplySource::Echo) => echo::answer(request),
            (_, ReplySource::BuiltIn(_)) if wants_summary => echo::answer(request),
            (_, ReplySource::BuiltIn(built_in)) => {
                let mut model = Model::new(built_in.script.clone(), self.options.seed);
                let served = model.next(request);
                turn.script = Some(model);
                served
            }
        };
        turn.has_failed = fails(&served.answer);
        served
    }
}

/// The error of a response without success.
fn refused(request: &Request, error: &HttpError, seed: u64) -> ModelError {
    let response = error_response(request.wire, error, seed, request.n);
    ModelError::of_response(response.status, &response.headers, response.body.as_bytes())
}

/// Whether an answer fails at once or breaks off.
fn fails(answer: &Answer) -> bool {
    match answer {
        Answer::Message(message) => {
            matches!(message.pieces.last(), Some(Piece::Error(_) | Piece::Cut(_)))
        }
        Answer::Error(_) | Answer::Cut(_) => true,
    }
}
