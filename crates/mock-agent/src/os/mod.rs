//! The edge to the operating system: standard input and output, signals, time.

pub(crate) mod clock;
pub(crate) mod signals;
pub(crate) mod stdin;
pub(crate) mod stdout;
