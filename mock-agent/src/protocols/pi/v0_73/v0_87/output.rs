//! The output of a shell command of the host's own, as it comes.

use serde_json::{Value, json};

/// What was heard of a command so far.
#[derive(Debug, Default)]
pub(in crate::protocols::pi::v0_73) struct Heard {
    /// The beginning of a character whose rest has not come.
    rest: Vec<u8>,
}

impl Heard {
    /// Takes output in; gives the frame that tells of it, for the command with this id.
    pub(in crate::protocols::pi::v0_73) fn take(
        &mut self,
        bytes: &[u8],
        id: Option<&Value>,
    ) -> Option<Value> {
        self.rest.extend_from_slice(bytes);
        let whole = self.rest.len() - torn(&self.rest);
        let text = self.rest.drain(..whole).collect();
        update(text, id)
    }

    /// The command is over: what is left is no character.
    pub(in crate::protocols::pi::v0_73) fn finish(mut self, id: Option<&Value>) -> Option<Value> {
        update(std::mem::take(&mut self.rest), id)
    }
}

/// How many bytes at the end are the beginning of a character.
fn torn(bytes: &[u8]) -> usize {
    let begins = |count: &usize| {
        let end = &bytes[bytes.len() - count..];
        std::str::from_utf8(end)
            .is_err_and(|error| error.error_len().is_none() && error.valid_up_to() == 0)
    };
    (1..=bytes.len().min(3)).find(begins).unwrap_or(0)
}

/// "bash_execution_update".
fn update(bytes: Vec<u8>, id: Option<&Value>) -> Option<Value> {
    if bytes.is_empty() {
        return None;
    }
    let mut frame = json!({ "type": "bash_execution_update" });
    if let Some(id) = id {
        frame["id"] = id.clone();
    }
    frame["delta"] = json!(String::from_utf8_lossy(&bytes));
    Some(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_not_torn() {
        let mut heard = Heard::default();
        let delta = |frame: Option<Value>| frame.map(|frame| frame["delta"].clone());

        assert_eq!(delta(heard.take(b"a\xe2\x82", None)), Some(json!("a")));
        assert_eq!(delta(heard.take(b"\xac", None)), Some(json!("\u{20ac}")));
        assert_eq!(delta(heard.take(b"b\xff", None)), Some(json!("b\u{fffd}")));
        assert_eq!(delta(heard.take(b"\xe2", None)), None);
        assert_eq!(delta(heard.finish(None)), Some(json!("\u{fffd}")));
    }
}
