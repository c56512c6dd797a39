//! The definition of a fault, and the constructors that the fault tables are written with.

use super::bug::Bug;
use super::frame_op::{FrameFault, Op, Shows};
use crate::config::options::CliOptions;
use serde_json::Value;

/// One deliberate defect.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// Its id, for `--fault`.
    pub id: &'static str,
    /// What goes wrong, in one line.
    pub summary: &'static str,
    /// What must catch it: ids of rules without their dialect (`turn-envelope`, `schema/ready`), or scenarios one of whose
    /// steps must fail (`scenario:stop/while-streaming`); each of them is enough. Empty for what is legal on the wire and only
    /// there to try hosts with.
    pub caught_by: &'static [&'static str],
    /// On which line of the output it can be caught.
    pub shows: Shows,
    pub(crate) active_from: ActiveFrom,
    pub(crate) effect: Effect,
}

/// When a fault becomes active unless the user names a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ActiveFrom {
    ProcessStart,
    FirstTurn,
}

/// What a fault changes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Effect {
    /// Frames that are sent.
    Frames(FrameFault),
    /// A decision of the agent.
    Bug(Bug),
    /// The options, before they are read.
    Options(fn(&mut CliOptions)),
    /// Every command, before it is handled.
    Command(fn(&mut Value)),
}

/// A fault on frames.
pub(crate) const fn frame(
    id: &'static str,
    summary: &'static str,
    on: &'static str,
    op: Op,
) -> Fault {
    Fault {
        id,
        summary,
        caught_by: &[],
        shows: op.shows(),
        active_from: ActiveFrom::FirstTurn,
        effect: Effect::Frames(FrameFault {
            on,
            when: &[],
            every: false,
            op,
        }),
    }
}

/// A fault that gives the agent a bug.
pub(crate) const fn bug(id: &'static str, summary: &'static str, bug: Bug) -> Fault {
    Fault {
        id,
        summary,
        caught_by: &[],
        shows: Shows::Later,
        active_from: ActiveFrom::FirstTurn,
        effect: Effect::Bug(bug),
    }
}

/// A fault that is active from the start of the process.
pub(crate) const fn start(id: &'static str, summary: &'static str, effect: Effect) -> Fault {
    Fault {
        id,
        summary,
        caught_by: &[],
        shows: Shows::Later,
        active_from: ActiveFrom::ProcessStart,
        effect,
    }
}

/// Joins lists; `N` must be the number of all their items.
pub(crate) const fn joined<const N: usize>(lists: &[&[&'static str]]) -> [&'static str; N] {
    let mut all = [""; N];
    let (mut n, mut list) = (0, 0);
    while list < lists.len() {
        let mut item = 0;
        while item < lists[list].len() {
            all[n] = lists[list][item];
            n += 1;
            item += 1;
        }
        list += 1;
    }
    assert!(n == N, "every place is filled");
    all
}

impl Fault {
    /// The kind of its operation: for frames that of the operation, such as `Drop` or `Twice`; else that of its effect, such as `Bug`.
    #[must_use]
    pub fn operation(&self) -> String {
        let written = match self.effect {
            Effect::Frames(frames) => format!("{:?}", frames.op),
            other => format!("{other:?}"),
        };
        let end = written.find('(').unwrap_or(written.len());
        written[..end].to_owned()
    }

    /// The kind of frames that it changes, if it changes frames of one kind.
    pub(crate) fn frame(&self) -> Option<&'static str> {
        match self.effect {
            Effect::Frames(frames) if !frames.on.is_empty() => Some(frames.on),
            _ => None,
        }
    }

    /// Limits it to frames with these values: JSON Pointer and value, written as text; [`ABSENT`](super::ABSENT) for no value.
    pub(crate) const fn when(self, when: &'static [(&'static str, &'static str)]) -> Self {
        match self.effect {
            Effect::Frames(frames) => Fault {
                effect: Effect::Frames(FrameFault { when, ..frames }),
                ..self
            },
            _ => self,
        }
    }

    /// Applies it to every such frame, not only to the first.
    pub(crate) const fn every(self) -> Self {
        match self.effect {
            Effect::Frames(frames) => Fault {
                effect: Effect::Frames(FrameFault {
                    every: true,
                    ..frames
                }),
                ..self
            },
            _ => self,
        }
    }

    /// Makes it active from the start of the process.
    pub(crate) const fn at_start(self) -> Self {
        Fault {
            active_from: ActiveFrom::ProcessStart,
            ..self
        }
    }

    /// Says that only a later line shows the fault.
    pub(crate) const fn later(self) -> Self {
        Fault {
            shows: Shows::Later,
            ..self
        }
    }

    /// Sets what must catch it.
    pub(crate) const fn caught_by(self, caught_by: &'static [&'static str]) -> Self {
        Fault { caught_by, ..self }
    }
}
