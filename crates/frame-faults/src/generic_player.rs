//! Plays a generic fault on the frames of a session.

use crate::generic_faults::{GenericFault, GenericOperation};
use crate::{Output, entry, line};
use serde_json::{Value, json};

/// A generic fault at work in one session.
#[derive(Debug)]
pub struct GenericPlayer {
    fault: GenericFault,
    /// The pointer to the kind of a frame.
    kind_at: String,
    is_played: bool,
    /// Lines that were written.
    lines: u64,
    log: Option<String>,
    /// The entry of a frame that is moved: without another line behind it, it is not moved at all.
    log_at_next_line: Option<String>,
    /// The line that is written after the next one.
    swapped: Option<Vec<u8>>,
    /// The line that is written at the end.
    held: Option<Vec<u8>>,
}

impl GenericPlayer {
    /// Plays a fault on the first frame of its kind that has the member.
    #[must_use]
    pub fn new(fault: GenericFault, kind_at: String) -> Self {
        GenericPlayer {
            fault,
            kind_at,
            is_played: false,
            lines: 0,
            log: None,
            log_at_next_line: None,
            swapped: None,
            held: None,
        }
    }

    /// What is done in place of a line that the agent writes, with its newline.
    pub fn event_line(&mut self, bytes: &[u8]) -> Vec<Output> {
        let released = self.swapped.take();
        self.log = self.log.take().or(self.log_at_next_line.take());
        let mut lines = self.lines_for(bytes);
        lines.extend(released);
        self.written(lines)
    }

    /// What is done after the last line of the agent.
    pub fn end(&mut self) -> Vec<Output> {
        let rest = self.swapped.take().into_iter().chain(self.held.take());
        let rest = rest.collect();
        self.written(rest)
    }

    /// The entry of the fault log, once, after the fault was played.
    pub fn take_log_entry(&mut self) -> Option<String> {
        self.log.take()
    }

    fn lines_for(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let plain = bytes.to_vec();
        let frame = match serde_json::from_slice::<Value>(bytes) {
            Ok(frame) if !self.is_played && self.is_of_kind(&frame) => frame,
            _ => return vec![plain],
        };
        let (before, lines) = match &self.fault.operation {
            GenericOperation::Drop => (0, vec![]),
            GenericOperation::Double => (1, vec![plain.clone(), plain]),
            GenericOperation::Swap => {
                self.swapped = Some(plain);
                (0, vec![])
            }
            GenericOperation::Late => {
                self.held = Some(plain);
                (0, vec![])
            }
            GenericOperation::AfterEnd => {
                self.held = Some(plain.clone());
                (1, vec![plain])
            }
            GenericOperation::Torn => {
                let (first, rest) = plain.split_at(plain.len() / 2);
                (0, vec![[first, b"\n"].concat(), rest.to_vec()])
            }
            GenericOperation::Retype(_) | GenericOperation::Elsewhere(_) => {
                match self.fault.edited(&frame) {
                    Some(edited) => (0, vec![line(&edited)]),
                    None => return vec![plain],
                }
            }
        };
        self.is_played = true;
        let entry = entry(&self.fault.to_string(), self.lines + before + 1);
        match self.fault.operation {
            GenericOperation::Swap | GenericOperation::Late => self.log_at_next_line = Some(entry),
            _ => self.log = Some(entry),
        }
        lines
    }

    fn is_of_kind(&self, frame: &Value) -> bool {
        let kind = frame.pointer(&self.kind_at).and_then(Value::as_str);
        kind == Some(&self.fault.kind)
    }

    fn written(&mut self, lines: Vec<Vec<u8>>) -> Vec<Output> {
        self.lines += lines.len() as u64;
        lines.into_iter().map(Output::Bytes).collect()
    }
}

impl GenericFault {
    /// The frame with the change of a member; `None` if it does not have the member.
    fn edited(&self, frame: &Value) -> Option<Value> {
        let mut edited = frame.clone();
        match &self.operation {
            GenericOperation::Retype(pointer) => {
                let place = edited.pointer_mut(pointer)?;
                *place = retyped(place);
            }
            GenericOperation::Elsewhere(pointer) => {
                let place = edited.pointer_mut(pointer)?;
                *place = match place {
                    Value::String(id) => json!(format!("{id}-elsewhere")),
                    Value::Number(id) => json!(id.as_i64().unwrap_or_default() + 7_000_000),
                    _ => return None,
                };
            }
            _ => return None,
        }
        Some(edited)
    }
}

/// A value of another type.
fn retyped(value: &Value) -> Value {
    match value {
        Value::String(_) | Value::Null => json!(7),
        _ => json!("retyped"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: [&str; 3] = [
        "{\"type\":\"begin\",\"id\":\"a\"}\n",
        "{\"type\":\"word\",\"id\":\"a\",\"text\":\"x\"}\n",
        "{\"type\":\"end\",\"id\":\"a\"}\n",
    ];

    /// What comes out, each line by its first letter of the type, and the entry of the log.
    fn played(id: &str) -> (String, String) {
        let mut player = GenericPlayer::new(id.parse().unwrap(), "/type".into());
        let (mut out, mut log) = (String::new(), String::new());
        let mut write = |outputs: Vec<Output>| {
            for output in outputs {
                let Output::Bytes(bytes) = output else {
                    panic!("{output:?}")
                };
                out.push_str(&String::from_utf8(bytes).unwrap());
            }
        };
        for line in LINES {
            write(player.event_line(line.as_bytes()));
            log.extend(player.take_log_entry());
        }
        write(player.end());
        (out, log)
    }

    #[test]
    fn each_operation_changes_the_first_frame_of_its_kind() {
        let [begin, word, end] = LINES;
        for (id, expected, line) in [
            ("drop:word", format!("{begin}{end}"), 2),
            ("double:word", format!("{begin}{word}{word}{end}"), 3),
            ("swap:word", format!("{begin}{end}{word}"), 2),
            ("swap:end", format!("{begin}{word}{end}"), 0),
            ("late:end", format!("{begin}{word}{end}"), 0),
            ("late:begin", format!("{word}{end}{begin}"), 1),
            ("after-end:begin", format!("{begin}{word}{end}{begin}"), 2),
            (
                "retype:word:/text",
                format!("{begin}{}{end}", word.replace("\"x\"", "7")),
                2,
            ),
            (
                "elsewhere:end:/id",
                format!("{begin}{word}{}", end.replace("\"a\"", "\"a-elsewhere\"")),
                3,
            ),
        ] {
            let log = match line {
                0 => String::new(),
                line => format!("fault {id} played at line {line}"),
            };
            assert_eq!(played(id), (expected, log), "{id}");
        }
    }

    #[test]
    fn a_torn_line_has_all_its_bytes_and_a_newline_more() {
        let (torn, _) = played("torn:word");

        assert_eq!(torn.replace('\n', ""), LINES.concat().replace('\n', ""));
        assert_eq!(torn.lines().count(), 4);
    }

    #[test]
    fn a_fault_without_its_frame_is_not_played() {
        assert_eq!(played("drop:none"), (LINES.concat(), String::new()));
        assert_eq!(played("retype:word:/none").1, "");
    }
}
