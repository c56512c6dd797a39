//! What a protocol adapter consists of: one value per version of a protocol.

use crate::config::options::{CliOptions, Flag};
use crate::config::{AgentConfig, Env};
use crate::core::event_sink::EventEncoder;
use crate::core::session::Session;
use crate::faults::Fault;
use crate::os::stdin::Input;
use crate::tools::Tool;
use std::collections::HashSet;

/// A dialect, as the agent speaks it.
pub(crate) struct Adapter {
    /// Its name without the version.
    pub(crate) name: &'static str,
    /// The version; those of one dialect stand one behind the other, the oldest first.
    pub(crate) version: &'static str,
    /// Whether these arguments ask for it.
    pub(crate) chosen: fn(&[String]) -> bool,
    /// Its flags.
    pub(crate) flags: &'static [Flag],
    /// The longest line it takes, in bytes.
    pub(crate) line_limit: usize,
    /// Where a frame names its kind, as a JSON Pointer.
    pub(crate) kind_pointer: &'static str,
    pub(crate) emitter: fn() -> Box<dyn EventEncoder>,
    /// Acts on one line of input.
    pub(crate) command: fn(&Session, Input),
    /// The version that it comes from, whose faults it has as well.
    pub(crate) parent: Option<&'static Adapter>,
    /// Its own faults, group by group. One with the id of a fault of its parent takes the place of that one.
    pub(crate) faults: &'static [&'static [Fault]],
    /// Faults of its parent that cannot be played here, or are none.
    pub(crate) without_faults: &'static [&'static str],
    /// What catches faults of its parent here, where that is not what catches them there.
    pub(crate) caught_here: &'static [(&'static str, &'static [&'static str])],
    /// Types of frames that its parent has and it has not: no fault on them can be played.
    pub(crate) without_frames: &'static [&'static str],
    /// The built-in tools.
    pub(crate) tools: &'static [Tool],
    /// Settles what the agent runs with, or says why it cannot.
    pub(crate) configure: fn(CliOptions, Env<'_>) -> Result<AgentConfig, String>,
}

impl Adapter {
    /// The faults of this version: its own, and then what it has of its parent's.
    pub(crate) fn faults(&self) -> Vec<Fault> {
        let mut faults: Vec<_> = self.faults.iter().copied().flatten().copied().collect();
        let own: HashSet<_> = faults.iter().map(|fault| fault.id).collect();
        let inherited = self.parent.map(Adapter::faults).unwrap_or_default();
        let kept = |fault: &Fault| {
            let gone = |kind| self.without_frames.contains(&kind);
            !own.contains(fault.id)
                && !self.without_faults.contains(&fault.id)
                && !fault.frame().is_some_and(gone)
        };
        let mut inherited: Vec<_> = inherited.into_iter().filter(kept).collect();
        for fault in &mut inherited {
            let mut here = self.caught_here.iter();
            if let Some((_, caught_by)) = here.find(|(id, _)| *id == fault.id) {
                *fault = fault.caught_by(caught_by);
            }
        }
        faults.extend(inherited);
        faults
    }
}
