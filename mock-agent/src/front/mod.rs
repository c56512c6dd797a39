//! Fronts: one for each dialect. Commands in, frames out.

mod aionrs;
mod pi;
mod synaps;

use super::args::{Flag, Options};
use super::config::{Config, Env};
use super::event::Event;
use super::faults::Fault;
use super::input::Input;
use super::session::Session;
use super::tools::Tool;
use serde_json::Value;
use std::collections::HashSet;

/// A dialect, as the agent speaks it.
pub(super) struct Front {
    /// Its name without the version.
    pub(super) name: &'static str,
    /// The version; those of one dialect stand one behind the other, the oldest first.
    pub(super) version: &'static str,
    /// Whether these arguments ask for it.
    pub(super) chosen: fn(&[String]) -> bool,
    /// Its flags.
    pub(super) flags: &'static [Flag],
    /// The longest line it takes, in bytes.
    pub(super) line_limit: usize,
    pub(super) emitter: fn() -> Box<dyn Emitter>,
    /// Acts on one line of input.
    pub(super) command: fn(&Session, Input),
    /// The version that it comes from, whose faults it has as well.
    pub(super) parent: Option<&'static Front>,
    /// Its own faults, group by group. One with the id of a fault of its parent takes the place of that one.
    pub(super) faults: &'static [&'static [Fault]],
    /// Faults of its parent that cannot be played here, or are none.
    pub(super) without_faults: &'static [&'static str],
    /// What catches faults of its parent here, where that is not what catches them there.
    pub(super) caught_here: &'static [(&'static str, &'static [&'static str])],
    /// Types of frames that its parent has and it has not: no fault on them can be played.
    pub(super) without_frames: &'static [&'static str],
    /// The built-in tools.
    pub(super) tools: &'static [Tool],
    /// Settles what the agent runs with, or says why it cannot.
    pub(super) configure: fn(Options, Env<'_>) -> Result<Config, String>,
}

impl Front {
    /// The faults of this version: its own, and then what it has of its parent's.
    pub(super) fn faults(&self) -> Vec<Fault> {
        let mut faults: Vec<_> = self.faults.iter().copied().flatten().copied().collect();
        let own: HashSet<_> = faults.iter().map(|fault| fault.id).collect();
        let inherited = self.parent.map(Front::faults).unwrap_or_default();
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

/// Turns events into frames.
pub(super) trait Emitter: std::any::Any {
    fn frames(&mut self, event: &Event<'_>) -> Vec<Value>;
}

/// Every dialect.
pub(super) const FRONTS: &[Front] = &[
    aionrs::FRONT,
    aionrs::FRONT_0_2,
    pi::FRONT,
    pi::FRONT_0_73,
    pi::FRONT_0_87,
    synaps::FRONT,
];
