//! Conversations of OpenAI: items that the server holds, to which each response adds its input and its output.
//!
//! Source: `resources/conversations` of OpenAI's Python SDK 3.57, and
//! <https://platform.openai.com/docs/guides/conversation-state#using-the-conversations-api>.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::{Value, json};

use crate::answer::HttpError;
use crate::conversation::list;
use crate::failure::Rejection;
use crate::ids;
use crate::input_items::{items, listed_items, page};
use crate::request::{Request, Wire};
use crate::wire;

/// A path below `/v1/conversations`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConversationPath {
    /// All of them.
    All,
    /// One, by its id.
    One(String),
    /// The items of one.
    Items(String),
    /// An item, by the ids of the conversation and its own.
    Item(String, String),
}

/// A request to a path of conversations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConversationCall<'a> {
    pub(crate) n: u64,
    pub(crate) method: &'a str,
    pub(crate) query: &'a str,
    pub(crate) body: &'a Value,
}

/// The newest conversations.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conversations {
    held: VecDeque<Conversation>,
}

#[derive(Debug, Clone)]
struct Conversation {
    id: String,
    created_at: u64,
    metadata: Value,
    items: Vec<HeldItem>,
    /// The size of its items, as a number of tokens.
    size: u64,
}

#[derive(Debug, Clone)]
struct HeldItem {
    item: Value,
    /// The request for a message that it came with.
    request: Option<u64>,
}

/// Most conversations that are held.
const MAX_CONVERSATIONS: usize = 512;

/// The largest size of all conversations but the newest, as a number of tokens.
const MAX_SIZE: u64 = 4 << 20;

/// Most items in a request: `types/conversations/conversation_create_params` of OpenAI's Python SDK 3.57.
const MAX_NEW_ITEMS: usize = 20;

impl Conversations {
    /// Answers a request to a path of conversations.
    ///
    /// # Errors
    /// The conversation or the item is not held, or there are too many items.
    pub(crate) fn answer(
        &mut self,
        path: &ConversationPath,
        call: &ConversationCall<'_>,
        seed: u64,
    ) -> Result<Value, Rejection> {
        match path {
            ConversationPath::All => self.create(call, seed),
            ConversationPath::One(id) if call.method == "DELETE" => {
                let at = self.position(id)?;
                self.held.remove(at);
                Ok(json!({ "id": id, "object": "conversation.deleted", "deleted": true }))
            }
            ConversationPath::One(id) => {
                let conversation = self.find(id)?;
                if call.method == "POST" {
                    conversation.metadata = call.body["metadata"].clone();
                }
                Ok(conversation.document())
            }
            ConversationPath::Items(id) => self.find(id)?.answer_items(call, seed),
            ConversationPath::Item(id, item) => self.find(id)?.answer_item(item, call.method),
        }
    }

    fn create(&mut self, call: &ConversationCall<'_>, seed: u64) -> Result<Value, Rejection> {
        let mut conversation = Conversation {
            id: ids::id("conv_", 48, seed, &format!("conversation.{}", call.n)),
            created_at: ids::EPOCH + call.n,
            metadata: call.body["metadata"].clone(),
            items: Vec::new(),
            size: 0,
        };
        conversation.add_new(call, seed)?;
        let document = conversation.document();
        self.held.push_back(conversation);
        self.drop_oldest();
        Ok(document)
    }

    fn drop_oldest(&mut self) {
        let size = |held: &VecDeque<Conversation>| held.iter().map(|one| one.size).sum::<u64>();
        while self.held.len() > 1
            && (self.held.len() > MAX_CONVERSATIONS || size(&self.held) > MAX_SIZE)
        {
            self.held.pop_front();
        }
    }

    fn position(&self, id: &str) -> Result<usize, Rejection> {
        let at = self.held.iter().position(|one| one.id == id);
        at.ok_or_else(|| missing("Conversation", id))
    }

    fn find(&mut self, id: &str) -> Result<&mut Conversation, Rejection> {
        let at = self.position(id)?;
        Ok(&mut self.held[at])
    }

    /// A request with the items of its conversation; none if it names none.
    ///
    /// # Errors
    /// The conversation is not held.
    pub(crate) fn continued(&self, request: &Request) -> Result<Option<Request>, Rejection> {
        let Some(id) = conversation_id(request) else {
            return Ok(None);
        };
        let held = self.held[self.position(id)?].items.iter();
        let held = held.map(|held| held.item.clone());
        let mut whole = request.clone();
        whole.body["input"] = held.chain(items(&request.body["input"])).collect();
        Ok(Some(whole))
    }

    /// Adds the input of a request, and the output of its answer, to its conversation.
    pub(crate) fn add_turn(
        &mut self,
        request: &Request,
        output: impl FnOnce() -> Value,
        seed: u64,
    ) {
        let Some(id) = conversation_id(request) else {
            return;
        };
        let Ok(conversation) = self.find(id) else {
            return;
        };
        let position = format!("input.{}", request.n);
        let input = listed_items(&request.body["input"], seed, &position);
        conversation.add(input, Some(request.n));
        conversation.add(items(&output()), Some(request.n));
        self.drop_oldest();
    }

    /// Forgets what a request added, as its answer did not reach the client completely.
    pub(crate) fn forget_request(&mut self, n: u64) {
        for conversation in &mut self.held {
            conversation.items.retain(|held| held.request != Some(n));
        }
    }

    /// The items with these ids.
    pub(crate) fn find_items(&self, ids: &HashSet<&str>) -> HashMap<String, Value> {
        let items = self.held.iter().flat_map(|one| &one.items);
        let named = items.filter_map(|held| Some((held.item["id"].as_str()?, &held.item)));
        let found = named.filter(|(id, _)| ids.contains(id));
        found
            .map(|(id, item)| (id.to_owned(), item.clone()))
            .collect()
    }
}

impl Conversation {
    fn document(&self) -> Value {
        let metadata = match &self.metadata {
            Value::Null => json!({}),
            metadata => metadata.clone(),
        };
        json!({ "id": self.id, "object": "conversation", "created_at": self.created_at, "metadata": metadata })
    }

    fn add(&mut self, items: Vec<Value>, request: Option<u64>) {
        self.size += items.iter().map(wire::count_tokens).sum::<u64>();
        let items = items.into_iter().map(|item| HeldItem { item, request });
        self.items.extend(items);
    }

    /// Adds the items of a request. Returns them.
    fn add_new(&mut self, call: &ConversationCall<'_>, seed: u64) -> Result<Vec<Value>, Rejection> {
        let new = &call.body["items"];
        let count = list(new).len();
        if count > MAX_NEW_ITEMS {
            let message = format!(
                "Invalid 'items': array too long. Expected an array with maximum length {MAX_NEW_ITEMS}, but got an array with length \
                 {count} instead."
            );
            let code = Some("array_above_max_length");
            return Err(HttpError::invalid(message)
                .about(Some("items"), code)
                .into());
        }
        let items = listed_items(new, seed, &format!("items.{}", call.n));
        self.add(items.clone(), None);
        Ok(items)
    }

    fn answer_items(&mut self, call: &ConversationCall<'_>, seed: u64) -> Result<Value, Rejection> {
        if call.method == "POST" {
            return Ok(page(self.add_new(call, seed)?, "order=asc"));
        }
        let items = self.items.iter().map(|held| held.item.clone());
        Ok(page(items.collect(), call.query))
    }

    fn answer_item(&mut self, id: &str, method: &str) -> Result<Value, Rejection> {
        let at = self.items.iter().position(|held| held.item["id"] == id);
        let at = at.ok_or_else(|| missing("Item", id))?;
        if method == "DELETE" {
            self.items.remove(at);
            return Ok(self.document());
        }
        Ok(self.items[at].item.clone())
    }
}

/// The id of the conversation that a request names.
fn conversation_id(request: &Request) -> Option<&str> {
    let conversation = match request.wire {
        Wire::OpenAiResponses => &request.body["conversation"],
        Wire::AnthropicMessages | Wire::OpenAiChat | Wire::Gemini => &Value::Null,
    };
    conversation.as_str().or(conversation["id"].as_str())
}

fn missing(what: &str, id: &str) -> Rejection {
    let error = HttpError::new(
        404,
        "invalid_request_error",
        format!("{what} with id '{id}' not found."),
    );
    let what = what.to_lowercase();
    Rejection::NotServed(error, format!("the {what} {id}, which it does not hold"))
}
