//! The table of operators.

use super::{compare, lists, logic, text, types};
use crate::compile::Operator;

/// Every operator.
pub const OPERATORS: &[Operator] = &[
    Operator {
        name: "$regex",
        text: "A text in which this regular expression is found: `^call_`. Places are put in literally.",
        compile: text::regex,
    },
    Operator {
        name: "$contains",
        text: "A text that holds this one, or a list with an element that matches.",
        compile: text::contains,
    },
    Operator {
        name: "$type",
        text: "A value of this JSON type, or of one in a list of them: `string`, `[string, \"null\"]`.",
        compile: types::of_type,
    },
    Operator {
        name: "$one_of",
        text: "Equal to one of these values: `[once, always]`.",
        compile: logic::one_of,
    },
    Operator {
        name: "$absent",
        text: "`true`: the object lacks the key.",
        compile: types::absent,
    },
    Operator {
        name: "$present",
        text: "`true`: the object has the key, whatever its value.",
        compile: types::present,
    },
    Operator {
        name: "$length",
        text: "A text, list or object of this length, or whose length matches: `3`, `{ $gte: 1 }`.",
        compile: lists::length,
    },
    Operator {
        name: "$items",
        text: "A list whose every element matches.",
        compile: lists::items,
    },
    Operator {
        name: "$in_order",
        text: "A list that has an element for each of these, in this order; others may stand between them.",
        compile: lists::in_order,
    },
    Operator {
        name: "$gte",
        text: "A number at least this large.",
        compile: compare::gte,
    },
    Operator {
        name: "$gt",
        text: "A number larger than this.",
        compile: compare::gt,
    },
    Operator {
        name: "$lte",
        text: "A number at most this large.",
        compile: compare::lte,
    },
    Operator {
        name: "$lt",
        text: "A number smaller than this.",
        compile: compare::lt,
    },
    Operator {
        name: "$ne",
        text: "A value that is there and is not equal to this one.",
        compile: compare::ne,
    },
    Operator {
        name: "$not",
        text: "Anything that does not match.",
        compile: logic::not,
    },
    Operator {
        name: "$all",
        text: "Matches every one of these.",
        compile: logic::all,
    },
    Operator {
        name: "$any",
        text: "Matches at least one of these.",
        compile: logic::any,
    },
];
