//! The ids of calls, which clients of this API may leave out: a result then belongs to the call of its name, in order.
//!
//! Source: <https://ai.google.dev/api/caching#FunctionCall>.

use std::collections::{BTreeSet, VecDeque};

use serde_json::Value;

use crate::answer::{Answer, BlockStart};
use crate::request::{Request, Wire};

/// The newest calls that were served.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallIds(VecDeque<ServedCall>);

#[derive(Debug, Clone)]
struct ServedCall {
    id: String,
    name: String,
    args: Value,
}

/// Most calls that are remembered.
const MAX_CALLS: usize = 1 << 13;

impl CallIds {
    /// Adds the calls of an answer.
    pub(crate) fn add(&mut self, answer: &Answer) {
        let Answer::Message(message) = answer else {
            return;
        };
        for block in message.blocks() {
            if let BlockStart::Call { id, tool } = &block.start {
                self.0.push_back(ServedCall {
                    id: id.clone(),
                    name: tool.clone(),
                    args: serde_json::from_str(block.text()).unwrap_or_default(),
                });
            }
        }
        let surplus = self.0.len().saturating_sub(MAX_CALLS);
        self.0.drain(..surplus);
    }

    /// The request with the ids of its calls and results; none if it has them, or if they are not known.
    pub(crate) fn completed(&self, request: &Request) -> Option<Request> {
        if request.wire != Wire::Gemini || self.0.is_empty() {
            return None;
        }
        let mut whole = request.clone();
        let (mut used, mut open) = (BTreeSet::new(), Vec::new());
        let mut is_changed = false;
        for part in parts_mut(&mut whole.body) {
            if let Some(call) = part.get_mut("functionCall") {
                let id = call["id"].as_str().map(str::to_owned);
                is_changed |= id.is_none();
                let mut served = self.0.iter().enumerate();
                let is_meant = |known: &ServedCall| match &id {
                    Some(id) => known.id == *id,
                    None => call["name"] == *known.name && is_equal(&call["args"], &known.args),
                };
                let found = served.find(|(n, known)| !used.contains(n) && is_meant(known));
                if let Some((n, known)) = found {
                    used.insert(n);
                    open.push((known.name.clone(), known.id.clone()));
                    call["id"] = known.id.as_str().into();
                }
            } else if let Some(result) = part.get_mut("functionResponse") {
                let id = result["id"].as_str().map(str::to_owned);
                let is_meant = |(name, call): &(String, String)| match &id {
                    Some(id) => call == id,
                    None => result["name"] == **name,
                };
                if let Some(place) = open.iter().position(is_meant) {
                    is_changed |= id.is_none();
                    result["id"] = open.remove(place).1.into();
                }
            }
        }
        is_changed.then_some(whole)
    }
}

/// Arguments; none are an empty object.
fn is_equal(sent: &Value, served: &Value) -> bool {
    sent == served || sent.is_null() && served.as_object().is_some_and(serde_json::Map::is_empty)
}

fn parts_mut(body: &mut Value) -> impl Iterator<Item = &mut Value> {
    let contents = body["contents"].as_array_mut().into_iter().flatten();
    let parts = contents.filter_map(|content| content.get_mut("parts")?.as_array_mut());
    parts.flatten()
}
