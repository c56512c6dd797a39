//! Operations that fault files had once, and what to write instead.

use spanned_yaml::{Error, Node};

const RETIRED: &[(&str, &str)] = &[
    ("rename", "`set: { /new: $/old }` and `remove: [/old]`"),
    (
        "reverse",
        "`set: { /list/0: $/list/-1, /list/-1: $/list/0 }`",
    ),
    (
        "discard",
        "`in: \"/list/*\"`, `where: MATCHER` and `remove: [\"\"]`",
    ),
    ("keep", "`set: { \"\": { member: $/member } }`"),
    (
        "negate",
        "`when: { /flag: true }` and `set: { /flag: false }`",
    ),
    ("prepend", "`replace: { /text: { ^: more } }`"),
    ("append", "`replace: { /text: { $: more } }`"),
    ("raw_after", "`line_end`, with a newline before the bytes"),
    ("repeat_member", "`raw_in_brace: '\"member\":1,'`"),
    ("pad", "`raw_in_brace: { repeat: \" \", times: N }`"),
    (
        "nest",
        "`raw_in_brace` with a list of texts and `{ repeat: \"[\", times: N }`",
    ),
    (
        "cut_character",
        "`raw_in_text: { hex: f0 9f }`, with a condition for long texts",
    ),
];

/// An error for each such operation in a fault file.
pub(crate) fn errors(file: &Node) -> Vec<Error> {
    let faults = file.get("faults").and_then(Node::as_map);
    let faults = faults.into_iter().flatten().map(|(_, fault)| fault);
    faults.flat_map(of_fault).collect()
}

fn of_fault(fault: &Node) -> Vec<Error> {
    let own = RETIRED.iter().filter_map(|(name, replacement)| {
        let (key, _) = fault.entry(name)?;
        let message = format!("`{name}` is gone: write {replacement}");
        Some(fault.error_at(key.span, message))
    });
    let parts = fault.get("also").and_then(Node::as_list);
    let parts = parts.into_iter().flatten().flat_map(of_fault);
    own.chain(parts).collect()
}
