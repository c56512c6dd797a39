//! The definition of a fault, and the constructors that the fault tables are written with.

use super::bug::Bug;
use super::frame_op::{FrameFault, Op, ShownAt};
use crate::config::options::CliOptions;
use serde_json::Value;

/// A deliberate fault of the agent.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// Its id, as `--fault` takes it.
    pub id: &'static str,
    /// What goes wrong, in one line.
    pub summary: &'static str,
    /// What must catch it: ids of rules without their dialect (`turn-envelope`, `schema/ready`), or scenarios one of whose
    /// steps must fail (`scenario:stop/while-streaming`); each of them is enough. Empty for what is legal on the wire and only
    /// there to test hosts.
    pub caught_by: &'static [&'static str],
    /// On which line of the output it can be caught.
    pub shown_at: ShownAt,
    pub(crate) active_from: ActiveFrom,
    pub(crate) effect: FaultEffect,
    /// The versions of its protocol that have it. All versions of its table if empty.
    only_in: &'static [&'static str],
    /// What must catch it in some versions, instead of `caught_by`.
    caught_in: [CaughtIn; 2],
}

/// Versions of a protocol, and what must catch a fault there.
type CaughtIn = (&'static [&'static str], &'static [&'static str]);

/// When a fault becomes active unless the user names a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ActiveFrom {
    ProcessStart,
    FirstTurn,
}

/// What a fault changes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FaultEffect {
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
        shown_at: op.shown_at(),
        active_from: ActiveFrom::FirstTurn,
        effect: FaultEffect::Frames(FrameFault {
            on,
            when: &[],
            every: false,
            op,
        }),
        only_in: &[],
        caught_in: [(&[], &[]); 2],
    }
}

/// A fault that gives the agent a bug.
pub(crate) const fn bug(id: &'static str, summary: &'static str, bug: Bug) -> Fault {
    Fault {
        id,
        summary,
        caught_by: &[],
        shown_at: ShownAt::LaterLine,
        active_from: ActiveFrom::FirstTurn,
        effect: FaultEffect::Bug(bug),
        only_in: &[],
        caught_in: [(&[], &[]); 2],
    }
}

/// A fault that is active from the start of the process.
pub(crate) const fn start(id: &'static str, summary: &'static str, effect: FaultEffect) -> Fault {
    Fault {
        id,
        summary,
        caught_by: &[],
        shown_at: ShownAt::LaterLine,
        active_from: ActiveFrom::ProcessStart,
        effect,
        only_in: &[],
        caught_in: [(&[], &[]); 2],
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

/// Faults that the table of any protocol can have.
impl Fault {
    pub(crate) const ASKS_FOR_A_TITLE: Fault = bug(
        "asks-for-a-title",
        "each turn begins with a request for a title, which is legal",
        Bug::RequestsTitle,
    );

    pub(crate) const ASKS_FOR_A_SUMMARY: Fault = bug(
        "asks-for-a-summary",
        "each turn ends with a request for a summary, which is legal",
        Bug::RequestsSummary,
    );

    pub(crate) const ASKS_TWICE: Fault = bug(
        "asks-twice",
        "the last request of a turn is sent once more after its answer",
        Bug::RepeatsLastRequest,
    );
}

impl Fault {
    /// The kind of its operation: for frames that of the operation, such as `Drop` or `Twice`; else that of its effect, such as `Bug`.
    #[must_use]
    pub fn operation(&self) -> String {
        let written = match self.effect {
            FaultEffect::Frames(frames) => format!("{:?}", frames.op),
            other => format!("{other:?}"),
        };
        let end = written.find('(').unwrap_or(written.len());
        written[..end].to_owned()
    }

    /// Limits it to frames with these values: JSON Pointer and value, written as text; [`ABSENT`](super::ABSENT) for no value. It replaces
    /// the values of an earlier call.
    pub(crate) const fn when(self, when: &'static [(&'static str, &'static str)]) -> Self {
        match self.effect {
            FaultEffect::Frames(frames) => Fault {
                effect: FaultEffect::Frames(FrameFault { when, ..frames }),
                ..self
            },
            _ => self,
        }
    }

    /// Applies it to every such frame, not only to the first.
    pub(crate) const fn every(self) -> Self {
        match self.effect {
            FaultEffect::Frames(frames) => Fault {
                effect: FaultEffect::Frames(FrameFault {
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
            shown_at: ShownAt::LaterLine,
            ..self
        }
    }

    /// Sets what must catch it.
    pub(crate) const fn caught_by(self, caught_by: &'static [&'static str]) -> Self {
        Fault { caught_by, ..self }
    }

    /// Limits it to these versions of its protocol.
    pub(crate) const fn only_in(self, versions: &'static [&'static str]) -> Self {
        Fault {
            only_in: versions,
            ..self
        }
    }

    /// Sets what must catch it in these versions. At most two such sets.
    pub(crate) const fn caught_in(
        self,
        versions: &'static [&'static str],
        caught_by: &'static [&'static str],
    ) -> Self {
        let [first, second] = self.caught_in;
        let caught_in = match first.0.is_empty() {
            true => [(versions, caught_by), second],
            false => [first, (versions, caught_by)],
        };
        Fault { caught_in, ..self }
    }

    /// The fault as it is in one version. None if the version does not have it.
    pub(crate) fn in_version(self, version: &str) -> Option<Self> {
        let is_here = self.only_in.is_empty() || self.only_in.contains(&version);
        let mut sets = self.caught_in.iter();
        let set = sets.find(|(versions, _)| versions.contains(&version));
        let caught_by = set.map_or(self.caught_by, |(_, caught_by)| *caught_by);
        is_here.then_some(Fault { caught_by, ..self })
    }
}
