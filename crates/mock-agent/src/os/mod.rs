//! The edge to the operating system: standard input and output, process trees, signals.

pub(crate) mod process_tree;
pub(crate) mod signals;
pub(crate) mod stdin;
pub(crate) mod stdout;
