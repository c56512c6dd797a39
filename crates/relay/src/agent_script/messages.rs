//! Messages that are named by their structure. A script names them, takes the ids of the host's requests from these, and keeps those of the
//! agent's own requests.

use conform_judge::dialect::FrameNames;
use frame_faults::{FrameNamer, FrameNaming};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The members that the name of a message stands for.
const ENVELOPE: [&str; 3] = ["jsonrpc", "id", "method"];

/// The messages of a session so far.
#[derive(Debug)]
pub(super) struct Messages {
    namer: FrameNamer,
    /// The names under which the ids of the host's requests were captured, by the ids as JSON.
    captured: HashMap<String, String>,
    requests: usize,
}

impl Default for Messages {
    fn default() -> Self {
        let naming = FrameNaming::JsonRpc {
            is_version_optional: false,
        };
        Messages {
            namer: FrameNamer::new(naming),
            captured: HashMap::new(),
            requests: 0,
        }
    }
}

impl Messages {
    /// The members with which a script sends a message of the agent: its name, and the id if it has one; and its other members. `None` if the
    /// script cannot write it so.
    pub(super) fn event(
        &mut self,
        names: &FrameNames,
        message: &Value,
    ) -> Option<(Map<String, Value>, Value)> {
        let name = self.namer.event(message);
        let structure = names.structure.as_ref()?;
        let has_version = message.get("jsonrpc").is_some();
        let is_method = names.method(&name).is_some();
        let lacks_version = !has_version && !structure.is_version_optional;
        let is_answer = message.get("method").is_none();
        if !is_method && !is_answer || lacks_version {
            return None;
        }
        let id = message
            .get("id")
            .map(|id| match self.captured.get(&id.to_string()) {
                Some(capture) if is_answer => format!("{{{capture}}}").into(),
                _ => id.clone(),
            });
        let mut envelope = Map::new();
        if is_method || names.is_answer(&name) {
            envelope.insert("message".to_owned(), name.into());
        }
        let version = message
            .get("jsonrpc")
            .filter(|_| structure.is_version_optional);
        envelope.extend(version.map(|version| ("jsonrpc".to_owned(), version.clone())));
        envelope.extend(id.map(|id| ("id".to_owned(), id)));
        Some((envelope, rest(message)))
    }

    /// The members with which a script expects a message of the host, and its other members. The id of a request is captured.
    pub(super) fn command(
        &mut self,
        names: &FrameNames,
        message: &Value,
        capture: &mut Map<String, Value>,
    ) -> (Map<String, Value>, Value) {
        let name = self.namer.command(message);
        let mut envelope = Map::new();
        let is_known = names.is_answer(&name) || names.method(&name).is_some();
        let key = if is_known { "message" } else { "method" };
        if is_known {
            envelope.insert(key.to_owned(), name.into());
        } else if let Some(method) = message.get("method") {
            let any_name = serde_json::json!({ "$one_of": [method] });
            envelope.insert(key.to_owned(), any_name);
        }
        if let Some(id) = message.get("id") {
            if message.get("method").is_some() {
                self.requests += 1;
                let request = format!("request{}", self.requests);
                self.captured.insert(id.to_string(), request.clone());
                capture.insert(request, "/id".into());
            } else {
                envelope.insert("id".to_owned(), id.clone());
            }
        }
        (envelope, rest(message))
    }
}

/// The members that the name does not stand for.
fn rest(message: &Value) -> Value {
    let members = message.as_object().into_iter().flatten();
    let others = members.filter(|(key, _)| !ENVELOPE.contains(&key.as_str()));
    others
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// An envelope with the other members, as they are written.
pub(super) fn joined(mut envelope: Map<String, Value>, rest: Value) -> Value {
    if let Value::Object(members) = rest {
        envelope.extend(members);
    }
    envelope.into()
}
