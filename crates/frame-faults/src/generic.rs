//! Generic faults: what can go wrong with the frames of any agent, made from the frames that it sends when nothing is wrong.
//!
//! No rule is named for them. One that nothing catches is a question: is a rule missing, or is this legal?

use crate::common::common;
use crate::compile::{Context, compile_fault};
use crate::fault::Fault;
use crate::file::{ActiveFrom, FaultPart, ShownAt};
use frame_language::{Names, written_pointer};
use indexmap::IndexMap;
use serde_json::{Map, Value};
use spanned_yaml::{escape_step, last_step};
use std::sync::{Arc, LazyLock};

/// How deep in a frame members are changed.
const DEPTH: usize = 3;

/// The faults as written, with placeholders.
static WRITTEN: LazyLock<Value> = LazyLock::new(|| {
    let node = spanned_yaml::load_yaml("generic-faults.yaml", include_str!("generic-faults.yaml"));
    node.map(|node| node.to_value()).unwrap_or_default()
});

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

    /// The first sample that a fault is played on.
    #[must_use]
    pub fn played_on(&self, fault: &Fault) -> Option<&Value> {
        let mut samples = self.0.iter();
        let sample = samples.find(|(kind, frame)| fault.is_played_on(kind, frame))?;
        Some(sample.1)
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

/// The generic faults of an agent that sends such frames. Their ids say what they change: `drop:word`, `retype:end:/text`.
#[must_use]
pub fn generic_faults(samples: &SampleFrames) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (kind, sample) in &samples.0 {
        let of_frames = WRITTEN["of_frames"].as_object().into_iter().flatten();
        faults.extend(of_frames.filter_map(|(word, _)| fault(word, kind, None)));
        let mut pointers = Vec::new();
        members(sample, "", DEPTH, &mut pointers);
        let of_member = |word, pointer: &String| fault(word, kind, Some(pointer));
        let ids = pointers.iter().filter(|pointer| names_id(pointer));
        let elsewhere = ids.filter_map(|pointer| of_member("elsewhere", pointer));
        faults.extend(elsewhere.filter(|fault| fault.is_played_on(kind, sample)));
        let retyped = pointers.iter();
        faults.extend(retyped.filter_map(|pointer| of_member("retype", pointer)));
    }
    faults
}

/// The generic fault of this id.
///
/// # Errors
/// There is none.
pub fn generic_fault(id: &str) -> Result<Fault, String> {
    let fault = id.split_once(':').and_then(|(word, rest)| {
        let member = rest.find(":/").map(|at| (&rest[..at], &rest[at + 1..]));
        match member {
            Some((kind, pointer)) => fault(word, kind, Some(pointer)),
            None => fault(word, rest, None),
        }
    });
    fault.ok_or_else(|| {
        format!("`{id}` is not a generic fault, such as `drop:KIND` or `retype:KIND:/POINTER`")
    })
}

/// The fault that does this to the first frame of a kind, or to a member of the first one that has it.
fn fault(word: &str, kind: &str, pointer: Option<&str>) -> Option<Fault> {
    let (written, id) = match pointer {
        Some(pointer) => ("of_members", format!("{word}:{kind}:{pointer}")),
        None => ("of_frames", format!("{word}:{kind}")),
    };
    let written = WRITTEN[written].get(word)?;
    let filled = filled(written, kind, pointer.unwrap_or_default());
    // JSON is YAML.
    let node = spanned_yaml::load_yaml("generic-faults.yaml", &filled.to_string()).ok()?;
    let parts = FaultPart::decode(&node, false).ok()?;
    let context = Context {
        frames: &IndexMap::new(),
        names: &Names::default(),
        nested: &Arc::default(),
        common: common(),
    };
    let fault = compile_fault(&id.as_str().into(), &parts, Vec::new(), &context).ok()?;
    Some(Fault {
        shown_at: ShownAt::Later,
        active_from: ActiveFrom::Start,
        ..fault
    })
}

/// A fault with its placeholders replaced.
fn filled(written: &Value, kind: &str, pointer: &str) -> Value {
    let text = |text: &str| match text {
        "KIND" => kind.to_owned(),
        "POINTER" => pointer.to_owned(),
        on if on.starts_with("<kind>") => on
            .replace("<kind>", &Value::from(kind).to_string())
            .replace("<place>", &written_pointer(pointer)),
        _ => text
            .replacen("POINTER", pointer, 1)
            .replacen("`KIND`", &format!("`{kind}`"), 1),
    };
    match written {
        Value::String(written) => text(written).into(),
        Value::Object(members) => {
            let members = members.iter();
            let members = members.map(|(name, value)| (text(name), filled(value, kind, pointer)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// The pointers to the members of a value; of a list, those in its first element.
fn members(value: &Value, at: &str, depth: usize, pointers: &mut Vec<String>) {
    match value {
        Value::Object(object) if depth > 0 => {
            for (name, member) in object {
                let pointer = format!("{at}/{}", escape_step(name));
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
    let name = last_step(pointer);
    name == "id" || name.ends_with("_id") || name.ends_with("Id") || name.ends_with("ID")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FaultPlayer, KindPointers, Output};
    use serde_json::json;

    const LINES: [&str; 3] = [
        "{\"type\":\"begin\",\"id\":\"a\"}\n",
        "{\"type\":\"word\",\"id\":\"a\",\"text\":\"x\"}\n",
        "{\"type\":\"end\",\"id\":\"a\"}\n",
    ];

    /// What comes out, and the entry of the log.
    fn played(id: &str) -> (String, String) {
        let kinds = KindPointers {
            events: "/type".into(),
            commands: "/type".into(),
        };
        let mut player = FaultPlayer::new(generic_fault(id).unwrap(), kinds, None);
        let (mut outputs, mut log) = (Vec::new(), String::new());
        for line in LINES {
            outputs.extend(player.event_line(line.as_bytes()));
            log.extend(player.take_log_entry());
        }
        outputs.extend(player.end());
        let bytes = outputs.into_iter().flat_map(|output| match output {
            Output::Bytes(bytes) => bytes,
            other => panic!("{other:?}"),
        });
        (String::from_utf8(bytes.collect()).unwrap(), log)
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
            ("drop:none", LINES.concat(), 0),
            ("retype:word:/none", LINES.concat(), 0),
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
    fn the_faults_of_a_frame_are_named_by_what_they_change() {
        let mut samples = SampleFrames::default();
        samples.add("end", &json!({ "type": "end", "id": "a" }));
        samples.add("end", &json!({ "type": "end", "usage": [{ "n": 1 }] }));
        let faults = generic_faults(&samples);
        let ids: Vec<&str> = faults.iter().map(|fault| &*fault.id).collect();

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
        for fault in faults {
            assert_eq!(generic_fault(&fault.id).unwrap().summary, fault.summary);
        }
    }
}
