//! What 0.2 can do wrong beyond 0.1, and faults of 0.1 as they read here.

use crate::agent::faults::{Fault, Op, frame};

/// Faults of 0.1 that make no sense here.
pub(super) const WITHOUT: &[&str] = &[];

pub(super) const FAULTS: &[Fault] =
    &[
        frame("no-pong", "a `ping` gets no `pong`", "pong", Op::Drop)
            .at_start()
            .caught_by(&["ping-answered"]),
    ];
