//! What a file is, told by its shape.

use spanned_yaml::Node;

/// A kind of file that we lint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum FileKind {
    /// A scenario.
    Scenario,
    /// A model script alone.
    Script,
    /// A file of a dialect's folder.
    Dialect,
}

/// A shape: the kind, how one and several of it are called, whether it is a list, and the keys it knows.
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
        keys: &[
            "id",
            "section",
            "strength",
            "side",
            "text",
            "testable",
            "untestable",
        ],
    },
];

/// The shape that a file has most keys of; none if it has no key of any.
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
    // Of equals the first in the table.
    fitting
        .rev()
        .max_by_key(|(score, _)| *score)
        .filter(|(score, _)| *score > 0)
        .map(|(_, shape)| shape)
}

/// What is said of a file without a shape.
pub(super) fn unknown(file: &Node) -> String {
    let names: Vec<_> = SHAPES.iter().map(|shape| shape.one).collect();
    format!(
        "this is no file that can be linted ({}): found {}",
        names.join(", "),
        file.describe()
    )
}
