//! Turns that the server holds, so that a later request can continue or fetch them: threads of Anthropic and stored responses of OpenAI.
//!
//! Sources: `types/beta/beta_message_thread_param` of Anthropic's Python SDK 2.14, and
//! <https://platform.openai.com/docs/guides/conversation-state>.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::{Value, json};

use crate::answer::{AnswerMessage, HttpError, Piece};
use crate::conversation::list;
use crate::failure::Rejection;
use crate::input_items::{items, listed_items};
use crate::request::{Request, Wire};
use crate::wire::{self, WireContext};

/// The newest turns.
#[derive(Debug, Clone, Default)]
pub(crate) struct HeldTurns {
    turns: VecDeque<HeldTurn>,
    /// The size of all requests, as a number of tokens.
    size: u64,
}

/// A request and its answer.
#[derive(Debug, Clone)]
struct HeldTurn {
    /// The id of the answer.
    id: String,
    request: Request,
    /// The request with the conversation that it continues.
    whole: Option<Request>,
    message: AnswerMessage,
    /// The seed of its ids.
    seed: u64,
    /// The gate before the first byte.
    gate: Option<String>,
    size: u64,
    /// The request that continues it.
    continued_by: Option<u64>,
    is_cancelled: bool,
}

/// Most turns that are held.
const MAX_TURNS: usize = 512;

/// The largest size of all turns but the newest, as a number of tokens.
const MAX_SIZE: u64 = 4 << 20;

impl HeldTurns {
    fn position(&self, wire: Wire, id: &str) -> Option<usize> {
        let is_meant = |turn: &HeldTurn| turn.request.wire == wire && turn.id == id;
        self.turns.iter().position(is_meant)
    }

    /// A request with the conversation that it continues; none if it has the whole conversation.
    ///
    /// # Errors
    /// The conversation is not held, or it goes on from a later turn.
    pub(crate) fn continued(&self, request: &Request) -> Result<Option<Request>, Rejection> {
        let Some(id) = continued_id(request) else {
            return Ok(None);
        };
        let held = self.position(request.wire, id);
        let turn = &self.turns[held.ok_or_else(|| unknown(request.wire, id))?];
        if request.wire == Wire::AnthropicMessages && turn.continued_by.is_some() {
            return Err(already_continued().into());
        }
        let (earlier, mut whole) = (
            turn.whole.as_ref().unwrap_or(&turn.request),
            request.clone(),
        );
        let (member, answer) = match request.wire {
            Wire::OpenAiResponses => ("input", turn.document()["output"].take()),
            Wire::AnthropicMessages | Wire::OpenAiChat | Wire::Gemini => {
                let content = turn.document()["content"].take();
                (
                    "messages",
                    json!([{ "role": "assistant", "content": content }]),
                )
            }
        };
        let parts = [&earlier.body[member], &answer, &request.body[member]];
        let items: Vec<Value> = parts.into_iter().flat_map(items).collect();
        whole.body[member] = items.into();
        if let Value::Object(body) = &mut whole.body {
            body.shift_remove("previous_response_id");
            if request.wire == Wire::AnthropicMessages {
                for kept in ["system", "tools"] {
                    let value = earlier.body.get(kept).cloned();
                    value.map(|value| body.entry(kept).or_insert(value));
                }
            }
        }
        Ok(Some(whole))
    }

    /// Holds a turn, if the request asks for it and the message is complete.
    pub(crate) fn add(
        &mut self,
        request: &Request,
        whole: Option<Request>,
        message: &AnswerMessage,
        gate: Option<String>,
        seed: u64,
    ) {
        let earlier = continued_id(request).and_then(|id| self.position(request.wire, id));
        if let Some(earlier) = earlier {
            self.turns[earlier].continued_by = Some(request.n);
        }
        if !is_held(request) || message.stop().is_none() {
            return;
        }
        let size = wire::count_tokens(&whole.as_ref().unwrap_or(request).body);
        self.size += size;
        self.turns.push_back(HeldTurn {
            id: wire::message_id(request.wire, seed, message),
            request: request.clone(),
            whole,
            message: message.clone(),
            seed,
            gate,
            size,
            continued_by: None,
            is_cancelled: false,
        });
        while (self.turns.len() > MAX_TURNS || self.size > MAX_SIZE)
            && self.turns.len() > 1
            && let Some(oldest) = self.turns.pop_front()
        {
            self.size -= oldest.size;
        }
    }

    /// Forgets a request whose answer did not reach the client completely: it may come again.
    pub(crate) fn forget_request(&mut self, n: u64) {
        for turn in &mut self.turns {
            turn.continued_by = turn.continued_by.filter(|request| *request != n);
        }
        let at = self.turns.iter().position(|turn| turn.request.n == n);
        at.and_then(|at| self.remove(at));
    }

    fn remove(&mut self, at: usize) -> Option<()> {
        self.size -= self.turns.remove(at)?.size;
        Some(())
    }

    /// The document of a response; in progress in the background while one of its gates is closed.
    pub(crate) fn response(&self, id: &str, is_open: impl Fn(&str) -> bool) -> Option<Value> {
        let turn = &self.turns[self.position(Wire::OpenAiResponses, id)?];
        let is_waiting = turn.request.is_in_background() && !turn.gates().all(is_open);
        Some(match (turn.is_cancelled, is_waiting) {
            (true, _) => wire::unfinished(&turn.context(), &turn.message, "cancelled"),
            (false, true) => wire::unfinished(&turn.context(), &turn.message, "in_progress"),
            (false, false) => turn.document(),
        })
    }

    /// A stored response as a stream, after an event that the client has: the request for it, the message and the gate before it.
    pub(crate) fn stream(
        &self,
        id: &str,
        last: Option<u64>,
    ) -> Option<(Request, AnswerMessage, Option<String>)> {
        let turn = &self.turns[self.position(Wire::OpenAiResponses, id)?];
        let request = turn.request.resumed_after(last);
        Some((request, turn.message.clone(), turn.gate.clone()))
    }

    /// The items of the conversation that a response answers.
    pub(crate) fn input_items(&self, id: &str) -> Option<Vec<Value>> {
        let turn = &self.turns[self.position(Wire::OpenAiResponses, id)?];
        Some(turn.input_items())
    }

    /// The items with these ids, of the input and the output of stored responses.
    pub(crate) fn find_items(&self, ids: &HashSet<&str>) -> HashMap<String, Value> {
        let stored = self.turns.iter();
        let stored = stored.filter(|turn| turn.request.wire == Wire::OpenAiResponses);
        let items = stored.flat_map(|turn| {
            let output = list(&turn.document()["output"]).to_vec();
            turn.input_items().into_iter().chain(output)
        });
        let named = items.filter_map(|item| Some((item["id"].as_str()?.to_owned(), item)));
        named.filter(|(id, _)| ids.contains(id.as_str())).collect()
    }

    /// Deletes a response. None if there is none of this id.
    pub(crate) fn delete_response(&mut self, id: &str) -> Option<()> {
        self.remove(self.position(Wire::OpenAiResponses, id)?)
    }

    /// Ends a response that is made in the background.
    ///
    /// # Errors
    /// It is not: <https://platform.openai.com/docs/api-reference/responses/cancel>.
    pub(crate) fn cancel_response(&mut self, id: &str) -> Result<(), HttpError> {
        let Some(at) = self.position(Wire::OpenAiResponses, id) else {
            return Ok(());
        };
        let turn = &mut self.turns[at];
        if !turn.request.is_in_background() {
            let message = "Cannot cancel a synchronous response. Only responses created with `background: true` can be cancelled.";
            return Err(HttpError::invalid(message));
        }
        turn.is_cancelled = true;
        Ok(())
    }
}

impl HeldTurn {
    fn context(&self) -> WireContext<'_> {
        let (request, seed) = (&self.request, self.seed);
        WireContext { request, seed }
    }

    fn document(&self) -> Value {
        wire::document(&self.context(), &self.message)
    }

    fn input_items(&self) -> Vec<Value> {
        let whole = self.whole.as_ref().unwrap_or(&self.request);
        let position = format!("input.{}", self.request.n);
        listed_items(&whole.body["input"], self.seed, &position)
    }

    fn gates(&self) -> impl Iterator<Item = &str> {
        let inner = self.message.pieces.iter().filter_map(|piece| match piece {
            Piece::Gate(name) => Some(name.as_str()),
            _ => None,
        });
        self.gate.as_deref().into_iter().chain(inner)
    }
}

/// Whether the server holds the turn of a request.
fn is_held(request: &Request) -> bool {
    match request.wire {
        Wire::AnthropicMessages => request.body["thread"].is_object(),
        Wire::OpenAiChat | Wire::Gemini => false,
        Wire::OpenAiResponses => request.body["store"] != false,
    }
}

/// The id of the answer that a request continues.
fn continued_id(request: &Request) -> Option<&str> {
    let id = match request.wire {
        Wire::AnthropicMessages => &request.body["thread"]["previous_message_id"],
        Wire::OpenAiChat | Wire::Gemini => &Value::Null,
        Wire::OpenAiResponses => &request.body["previous_response_id"],
    };
    id.as_str()
}

fn unknown(wire: Wire, id: &str) -> Rejection {
    let error = if wire == Wire::AnthropicMessages {
        let message = format!(
            "thread: No usable Thread state was found for `previous_message_id` {id}. Replay the full conversation with \
             `thread: {{\"type\": \"create\"}}` to start a new Thread."
        );
        HttpError::invalid(message).about(None, Some("thread_not_found"))
    } else {
        let message = format!("Previous response with id '{id}' not found.");
        let code = Some("previous_response_not_found");
        HttpError::invalid(message).about(Some("previous_response_id"), code)
    };
    let what = format!(
        "what follows {id}, which it does not hold: it holds the newest turns that it served"
    );
    Rejection::NotServed(error, what)
}

fn already_continued() -> HttpError {
    let message = "thread: The response that `previous_message_id` names has already been continued. Continue from the Thread's most \
                   recent response `id`.";
    HttpError::invalid(message).about(None, Some("thread_already_continued"))
}
