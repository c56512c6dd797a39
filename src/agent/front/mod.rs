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
    /// Its faults, group by group. Of several with the same id the first holds.
    pub(super) faults: &'static [&'static [Fault]],
    /// Faults of these groups that this version cannot play.
    pub(super) without_faults: &'static [&'static str],
    /// The built-in tools.
    pub(super) tools: &'static [Tool],
    /// Settles what the agent runs with, or says why it cannot.
    pub(super) configure: fn(Options, Env<'_>) -> Result<Config, String>,
}

impl Front {
    /// The faults of this version.
    pub(super) fn faults(&self) -> impl Iterator<Item = &'static Fault> {
        let mut known = std::collections::HashSet::new();
        let without = self.without_faults;
        let all = self.faults.iter().copied().flatten();
        all.filter(move |fault| !without.contains(&fault.id) && known.insert(fault.id))
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
    synaps::FRONT,
];
