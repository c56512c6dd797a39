//! Generic faults: what can go wrong with the frames of any agent, made from the frames that it sends without a fault.
//!
//! They name no rule. If nothing catches one, either a rule is missing or the change is legal.

use crate::compile::{Context, compile_fault};
use crate::fault::Fault;
use crate::file::{ActiveFrom, FaultPart, ShownAt};
use crate::selector::NestedKinds;
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

/// The frames of a good agent by their name (`result.success` for one with a nested kind), each with one frame that has all the members
/// seen.
#[derive(Debug, Clone, Default)]
pub struct SampleFrames(IndexMap<String, Value>);

impl SampleFrames {
    /// Adds a frame of this name.
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

    /// Whether there is a frame of this name, or of a nested kind of it.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        let mut names = self.0.keys();
        names.any(|one| {
            one == name
                || one
                    .strip_prefix(name)
                    .is_some_and(|kind| kind.starts_with('.'))
        })
    }

    /// The first sample that a fault is played on.
    #[must_use]
    pub fn played_on(&self, fault: &Fault) -> Option<&Value> {
        let mut samples = self.0.iter();
        let sample = samples.find(|(name, frame)| {
            let outer = name
                .split_once('.')
                .map_or(name.as_str(), |(outer, _)| outer);
            fault.is_played_on(name, frame) || fault.is_played_on(outer, frame)
        })?;
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

/// The generic faults of an agent that sends such frames. Their ids name the change: `drop:word`, `retype:end:/text`.
#[must_use]
pub fn generic_faults(samples: &SampleFrames) -> Vec<Fault> {
    let fault = |word: &str, kind: &str, pointer: Option<&str>| {
        fault(word, kind, pointer, NestedKinds::new())
    };
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
        let of_members = WRITTEN["of_members"].as_object().into_iter().flatten();
        for (word, _) in of_members.filter(|(word, _)| *word != "elsewhere") {
            let changed = pointers
                .iter()
                .filter_map(|pointer| of_member(word, pointer));
            faults.extend(changed.filter(|fault| fault.is_played_on(kind, sample)));
        }
    }
    faults
}

/// The generic fault of this id.
///
/// # Errors
/// There is none.
pub fn generic_fault(id: &str, nested: NestedKinds) -> Result<Fault, String> {
    let fault = id.split_once(':').and_then(|(word, rest)| {
        let member = rest.find(":/").map(|at| (&rest[..at], &rest[at + 1..]));
        match member {
            Some((kind, pointer)) => fault(word, kind, Some(pointer), nested),
            None => fault(word, rest, None, nested),
        }
    });
    fault.ok_or_else(|| {
        format!("`{id}` is not a generic fault, such as `drop:KIND` or `retype:KIND:/POINTER`")
    })
}

/// The fault that does this to the first frame of a kind, or to a member of the first one that has it.
fn fault(word: &str, kind: &str, pointer: Option<&str>, nested: NestedKinds) -> Option<Fault> {
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
        nested: &Arc::new(nested),
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
