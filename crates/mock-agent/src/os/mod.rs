//! The edge to the operating system: standard input and output, signals.

pub(crate) mod signals;
pub(crate) mod stdin;
pub(crate) mod stdout;
