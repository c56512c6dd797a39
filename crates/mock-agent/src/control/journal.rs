//! What the journal of an agent records: what the host and the agent have written, and what happened at gates.

use control_socket::Record;
use serde_json::{Map, Value};

/// The journal of an agent. It is kept only if there is a controller to read it.
pub(crate) type Journal = control_socket::Journal<Recorded>;

/// Most bytes of the journal.
pub(crate) const MAX_BYTES: usize = 32 << 20;

#[derive(Debug)]
pub(crate) enum Recorded {
    /// Bytes as the host wrote them.
    Host(Box<[u8]>),
    /// Bytes as the agent wrote them.
    Agent(Box<[u8]>),
    /// A gate, and what happened at it.
    Gate(Box<str>, &'static str),
}

impl Recorded {
    /// The JSON object that the host sent, if it is one.
    pub(crate) fn command(&self) -> Option<Value> {
        match self {
            Recorded::Host(bytes) => frame(bytes),
            Recorded::Agent(_) | Recorded::Gate(..) => None,
        }
    }
}

fn frame(bytes: &[u8]) -> Option<Value> {
    let frame = json_matcher::read_json(bytes).ok();
    frame.filter(Value::is_object)
}

impl Record for Recorded {
    fn heap_size(&self) -> usize {
        match self {
            Recorded::Host(bytes) | Recorded::Agent(bytes) => bytes.len(),
            Recorded::Gate(name, _) => name.len(),
        }
    }

    /// A JSON object is a frame, anything else a text.
    fn to_map(&self) -> Map<String, Value> {
        let (dir, bytes) = match self {
            Recorded::Gate(name, state) => {
                let pairs = [("dir", "gate"), ("gate", name), ("state", state)];
                return pairs
                    .map(|(key, text)| (key.to_owned(), text.into()))
                    .into_iter()
                    .collect();
            }
            Recorded::Host(bytes) => ("host", bytes),
            Recorded::Agent(bytes) => ("agent", bytes),
        };
        let (key, value) = match frame(bytes) {
            Some(frame) => ("frame", frame),
            None => ("text", String::from_utf8_lossy(bytes).into()),
        };
        Map::from_iter([("dir".to_owned(), dir.into()), (key.to_owned(), value)])
    }
}
