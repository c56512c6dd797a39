//! Generic faults: what can go wrong with the frames of any agent, made from the frames that it sends when nothing is wrong.
//!
//! No rule is named for them. One that nothing catches is a question: is a rule missing, or is this legal?

use frame_faults::{Output, entry, line};
use indexmap::IndexMap;
use serde_json::{Value, json};
use std::fmt;
use std::str::FromStr;

/// How deep in a frame members are changed.
const DEPTH: usize = 3;

/// The frames of a good agent by their kind, each kind with one frame that has all the members seen.
#[derive(Debug, Clone, Default)]
pub struct SampleFrames(IndexMap<String, Value>);

impl SampleFrames {
    /// Adds a frame of a kind.
    pub fn add(&mut self, kind: &str, frame: &Value) {
        match self.0.get_mut(kind) {
            Some(sample) => merge(sample, frame),
            None => drop(self.0.insert(kind.to_owned(), frame.clone())),
        }
    }

    /// Adds the frames of other samples.
    pub fn add_all(&mut self, others: &SampleFrames) {
        for (kind, frame) in &others.0 {
            self.add(kind, frame);
        }
    }

    /// The sample of a kind.
    #[must_use]
    pub fn get(&self, kind: &str) -> Option<&Value> {
        self.0.get(kind)
    }
}

/// Adds the members that a sample lacks.
fn merge(sample: &mut Value, frame: &Value) {
    if let (Value::Object(sample), Value::Object(frame)) = (sample, frame) {
        for (name, value) in frame {
            match sample.get_mut(name) {
                Some(known) => merge(known, value),
                None => drop(sample.insert(name.clone(), value.clone())),
            }
        }
    }
}

/// What happens to the first frame of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GenericOperation {
    /// It is dropped.
    Drop,
    /// It is sent twice.
    Double,
    /// It changes places with the next frame.
    Swap,
    /// The member at this pointer has another type.
    Retype(String),
    /// The id at this pointer is one that nobody knows.
    Elsewhere(String),
    /// It is sent after all other frames.
    Late,
    /// It is sent once more after all other frames.
    AfterEnd,
    /// A newline tears its line in two.
    Torn,
}

/// A generic fault. Its text is its id: `drop:word`, `retype:end:/text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenericFault {
    /// What happens.
    pub operation: GenericOperation,
    /// The kind of frame.
    pub kind: String,
}

/// The generic faults of an agent that sends such frames.
#[must_use]
pub fn generic_faults(samples: &SampleFrames) -> Vec<GenericFault> {
    let mut faults = Vec::new();
    for (kind, sample) in &samples.0 {
        let mut add = |operation| {
            faults.push(GenericFault {
                operation,
                kind: kind.clone(),
            });
        };
        add(GenericOperation::Drop);
        add(GenericOperation::Double);
        add(GenericOperation::Swap);
        add(GenericOperation::Late);
        add(GenericOperation::AfterEnd);
        add(GenericOperation::Torn);
        let mut pointers = Vec::new();
        members(sample, "", DEPTH, &mut pointers);
        let ids = pointers.iter().filter(|pointer| names_id(pointer));
        for pointer in ids.filter(|pointer| is_scalar(sample.pointer(pointer))) {
            add(GenericOperation::Elsewhere(pointer.clone()));
        }
        for pointer in pointers {
            add(GenericOperation::Retype(pointer));
        }
    }
    faults
}

/// The pointers to the members of a value; of a list, those in its first element.
fn members(value: &Value, at: &str, depth: usize, pointers: &mut Vec<String>) {
    match value {
        Value::Object(object) if depth > 0 => {
            for (name, member) in object {
                let pointer = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
                pointers.push(pointer.clone());
                members(member, &pointer, depth - 1, pointers);
            }
        }
        Value::Array(list) => {
            if let Some(first) = list.first() {
                members(first, &format!("{at}/0"), depth, pointers);
            }
        }
        _ => {}
    }
}

/// Whether the member at a pointer is named like an id.
fn names_id(pointer: &str) -> bool {
    let name = pointer.rsplit('/').next().unwrap_or_default();
    name == "id" || name.ends_with("_id") || name.ends_with("Id") || name.ends_with("ID")
}

fn is_scalar(value: Option<&Value>) -> bool {
    matches!(value, Some(Value::String(_) | Value::Number(_)))
}

impl fmt::Display for GenericFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = &self.kind;
        match &self.operation {
            GenericOperation::Drop => write!(f, "drop:{kind}"),
            GenericOperation::Double => write!(f, "double:{kind}"),
            GenericOperation::Swap => write!(f, "swap:{kind}"),
            GenericOperation::Retype(pointer) => write!(f, "retype:{kind}:{pointer}"),
            GenericOperation::Elsewhere(pointer) => write!(f, "elsewhere:{kind}:{pointer}"),
            GenericOperation::Late => write!(f, "late:{kind}"),
            GenericOperation::AfterEnd => write!(f, "after-end:{kind}"),
            GenericOperation::Torn => write!(f, "torn:{kind}"),
        }
    }
}

impl FromStr for GenericFault {
    type Err = String;

    fn from_str(id: &str) -> Result<Self, String> {
        let unknown =
            || format!("`{id}` is no generic fault, such as `drop:KIND` or `retype:KIND:/POINTER`");
        let (word, rest) = id.split_once(':').ok_or_else(unknown)?;
        let (kind, pointer) = match rest.split_once(":/") {
            Some((kind, pointer)) => (kind, format!("/{pointer}")),
            None => (rest, String::new()),
        };
        let operation = match (word, pointer.is_empty()) {
            ("drop", true) => GenericOperation::Drop,
            ("double", true) => GenericOperation::Double,
            ("swap", true) => GenericOperation::Swap,
            ("late", true) => GenericOperation::Late,
            ("after-end", true) => GenericOperation::AfterEnd,
            ("torn", true) => GenericOperation::Torn,
            ("retype", false) => GenericOperation::Retype(pointer),
            ("elsewhere", false) => GenericOperation::Elsewhere(pointer),
            _ => return Err(unknown()),
        };
        Ok(GenericFault {
            operation,
            kind: kind.to_owned(),
        })
    }
}

impl GenericFault {
    /// What goes wrong, in one line.
    #[must_use]
    pub fn summary(&self) -> String {
        let kind = &self.kind;
        match &self.operation {
            GenericOperation::Drop => format!("`{kind}` is missing"),
            GenericOperation::Double => format!("`{kind}` is sent twice"),
            GenericOperation::Swap => format!("`{kind}` comes after the frame that follows it"),
            GenericOperation::Retype(pointer) => {
                format!("{pointer} of `{kind}` has another type")
            }
            GenericOperation::Elsewhere(pointer) => {
                format!("{pointer} of `{kind}` is an id that nobody knows")
            }
            GenericOperation::Late => format!("`{kind}` comes after everything else"),
            GenericOperation::AfterEnd => format!("`{kind}` is sent again after everything else"),
            GenericOperation::Torn => format!("a newline tears `{kind}` in two"),
        }
    }

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

    #[test]
    fn the_faults_of_a_frame_are_named_by_what_they_change() {
        let mut samples = SampleFrames::default();
        samples.add("end", &json!({ "type": "end", "id": "a" }));
        samples.add("end", &json!({ "type": "end", "usage": [{ "n": 1 }] }));
        let ids: Vec<String> = generic_faults(&samples)
            .iter()
            .map(ToString::to_string)
            .collect();

        assert_eq!(
            ids,
            [
                "drop:end",
                "double:end",
                "swap:end",
                "late:end",
                "after-end:end",
                "torn:end",
                "elsewhere:end:/id",
                "retype:end:/type",
                "retype:end:/id",
                "retype:end:/usage",
                "retype:end:/usage/0/n",
            ]
        );
        for id in ids {
            assert_eq!(id.parse::<GenericFault>().unwrap().to_string(), id);
        }
    }
}
