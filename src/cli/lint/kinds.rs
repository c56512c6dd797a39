//! Detects the kind of a YAML file by the keys in it.

use spanned_yaml::Node;

/// A kind of file that can be linted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum FileKind {
    /// A scenario.
    Scenario,
    /// A model script alone.
    Script,
    /// An agent script.
    AgentScript,
    /// A file of a dialect's folder.
    Dialect,
}

/// The shape of a kind of file: its name in singular and plural, whether it is a list, and its keys.
#[derive(Debug)]
pub(super) struct FileShape {
    pub(super) kind: FileKind,
    pub(super) one: &'static str,
    pub(super) several: &'static str,
    is_list: bool,
    keys: &'static [&'static str],
}

const SHAPES: &[FileShape] = &[
    FileShape {
        kind: FileKind::Scenario,
        one: "scenario",
        several: "scenarios",
        is_list: false,
        keys: &[
            "name",
            "clauses",
            "tags",
            "needs",
            "level",
            "agent",
            "files",
            "model",
            "answers",
            "steps",
            "files_after",
            "budgets",
        ],
    },
    FileShape {
        kind: FileKind::Dialect,
        one: "dialect file",
        several: "dialect files",
        is_list: false,
        keys: &[
            "name",
            "version",
            "title",
            "extends",
            "discriminator",
            "events",
            "commands",
            "removed",
            "session",
            "capabilities",
            "budgets",
            "limits",
            "launch",
        ],
    },
    FileShape {
        kind: FileKind::Dialect,
        one: "ordering file",
        several: "ordering files",
        is_list: false,
        keys: &[
            "classes", "scopes", "state", "answers", "rules", "aliases", "remove",
        ],
    },
    FileShape {
        kind: FileKind::Dialect,
        one: "fault file",
        several: "fault files",
        is_list: false,
        keys: &["rules", "frames", "remove", "caught_by", "faults"],
    },
    FileShape {
        kind: FileKind::AgentScript,
        one: "agent script",
        several: "agent scripts",
        is_list: false,
        keys: &[
            "dialect",
            "session",
            "variables",
            "start",
            "commands",
            "unknown",
            "malformed",
            "end_of_input",
            "terminate",
            "gate_timeout",
        ],
    },
    FileShape {
        kind: FileKind::Script,
        one: "script",
        several: "scripts",
        is_list: true,
        keys: &[
            "when",
            "repeat",
            "expect_request",
            "gate",
            "delay",
            "thinking",
            "text",
            "tool_calls",
            "content",
            "interleave",
            "usage",
            "stop",
            "error",
            "cut",
            "delivery",
        ],
    },
    FileShape {
        kind: FileKind::Dialect,
        one: "clause file",
        several: "clause files",
        is_list: true,
        keys: &["id", "section", "strength", "side", "text", "untestable"],
    },
    FileShape {
        kind: FileKind::Dialect,
        one: "host file",
        several: "host files",
        is_list: true,
        keys: &[
            "id",
            "summary",
            "caught_by",
            "inherited",
            "session",
            "agent",
        ],
    },
];

/// The shape that has the most keys of a file; `None` if no shape has any.
pub(super) fn shape(file: &Node) -> Option<&'static FileShape> {
    let first = |items: &[Node]| items.first().and_then(Node::as_map).map(<[_]>::to_vec);
    let (is_list, entries) = match file.as_list() {
        Some(items) => (true, first(items)?),
        None => (false, file.as_map()?.to_vec()),
    };
    let score = |shape: &FileShape| {
        entries
            .iter()
            .filter(|(key, _)| shape.keys.contains(&key.name.as_str()))
            .count()
    };
    let fitting = SHAPES
        .iter()
        .filter(|shape| shape.is_list == is_list)
        .map(|shape| (score(shape), shape));
    // Of equal scores the first in the table wins.
    fitting
        .rev()
        .max_by_key(|(score, _)| *score)
        .filter(|(score, _)| *score > 0)
        .map(|(_, shape)| shape)
}

/// The message for a file without a known shape.
pub(super) fn unknown(file: &Node) -> String {
    let names: Vec<_> = SHAPES.iter().map(|shape| shape.one).collect();
    format!(
        "this is not a file that can be linted ({}): found {}",
        names.join(", "),
        file.describe()
    )
}
