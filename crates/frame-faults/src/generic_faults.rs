//! Generic faults: what can go wrong with the frames of any agent, made from the frames that it sends when nothing is wrong.
//!
//! No rule is named for them. One that nothing catches is a question: is a rule missing, or is this legal?

use indexmap::IndexMap;
use serde_json::Value;
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
