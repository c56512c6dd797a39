//! Detects the kind of a YAML file by the keys in it.

use crate::editor_schemas::file_schema;
use serde_json::Value;
use spanned_yaml::Node;
use std::sync::LazyLock;

/// A kind of file that can be linted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum FileKind {
    /// A scenario.
    Scenario,
    /// A model script alone.
    Script,
    /// An agent script.
    AgentScript,
    /// An agent file.
    Agent,
    /// A file of a dialect's folder.
    Dialect,
}

/// The shape of a kind of file: its name, and the name of its schema, which has its keys.
#[derive(Debug)]
pub(super) struct FileShape(
    pub(super) FileKind,
    pub(super) &'static str,
    pub(super) &'static str,
);

const SHAPES: &[FileShape] = &[
    FileShape(FileKind::Scenario, "scenario", "scenario"),
    FileShape(FileKind::Agent, "agent file", "agent"),
    FileShape(FileKind::Dialect, "dialect file", "dialect"),
    FileShape(FileKind::Dialect, "ordering file", "ordering"),
    FileShape(FileKind::Dialect, "fault file", "faults"),
    FileShape(FileKind::AgentScript, "agent script", "agent-script"),
    FileShape(FileKind::Script, "script", "script"),
    CLAUSES,
    FileShape(FileKind::Dialect, "host file", "hosts"),
    FileShape(FileKind::Dialect, "exploration file", "explore"),
];

const CLAUSES: FileShape = FileShape(FileKind::Dialect, "clause file", "clauses");

/// The schema of each shape, in the same order: it takes longer to make than most files to check.
static SCHEMAS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let names = SHAPES.iter().map(|shape| shape.2);
    names.map(file_schema).collect()
});

/// How many of these keys are in a schema; `None` if its files are not of this form.
fn score(schema: &Value, is_list: bool, keys: &[&str]) -> Option<usize> {
    let has_items = schema["type"] == "array";
    let object = match (has_items, schema["items"]["$ref"].as_str()) {
        (false, _) => schema,
        (true, None) => &schema["items"],
        (true, Some(reference)) => schema.pointer(reference.strip_prefix('#')?)?,
    };
    let known = |key: &&&str| object["properties"].get(**key).is_some();
    (has_items == is_list).then(|| keys.iter().filter(known).count())
}

/// The shape that has the most keys of a file; `None` if no shape has any.
pub(super) fn shape(file: &Node) -> Option<&'static FileShape> {
    let first = |items: &[Node]| items.first().and_then(Node::as_map).map(<[_]>::to_vec);
    let (is_list, entries) = match file.as_list() {
        Some(items) => (true, first(items)?),
        None => (false, file.as_map()?.to_vec()),
    };
    let keys: Vec<&str> = entries.iter().map(|(key, _)| key.name.as_str()).collect();
    // Of equal scores the first in the table wins.
    let shapes = SHAPES.iter().zip(SCHEMAS.iter()).rev();
    let fitting =
        shapes.filter_map(|(shape, schema)| Some((score(schema, is_list, &keys)?, shape)));
    let best = fitting.max_by_key(|(score, _)| *score);
    let shape = best.filter(|(score, _)| *score > 0).map(|(_, shape)| shape);
    shape.or_else(|| has_clauses(file).then_some(&CLAUSES))
}

/// Whether a file has clauses by section. The author chooses the names of sections and ids, so no keys identify them.
fn has_clauses(file: &Node) -> bool {
    let sections = file.as_map().unwrap_or_default().iter();
    let mut clauses = sections.flat_map(|(_, section)| section.as_map().unwrap_or_default());
    clauses.next().is_some_and(|(id, clause)| {
        id.name.contains('.') && (clause.as_str().is_some() || clause.get("text").is_some())
    })
}

/// The message for a file without a known shape.
pub(super) fn unknown(file: &Node) -> String {
    let names: Vec<_> = SHAPES.iter().map(|shape| shape.1).collect();
    format!(
        "this is not a file that can be linted ({}): found {}",
        names.join(", "),
        file.describe()
    )
}
