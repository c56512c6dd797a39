//! Fronts: one for each dialect. Commands in, frames out.

mod aionrs;

use super::args::{Flag, Options};
use super::event::Event;
use super::faults::Fault;
use super::input::Input;
use super::session::Session;
use serde_json::Value;

/// A dialect, as the agent speaks it.
pub(super) struct Front {
    /// Its name without the version.
    pub(super) name: &'static str,
    /// Whether these arguments ask for it.
    pub(super) chosen: fn(&[String]) -> bool,
    /// Its flags.
    pub(super) flags: &'static [Flag],
    /// The longest line it takes, in bytes.
    pub(super) line_limit: usize,
    pub(super) emitter: fn() -> Box<dyn Emitter>,
    /// Acts on one line of input.
    pub(super) command: fn(&Session, Input),
    /// Its faults, group by group.
    pub(super) faults: &'static [&'static [Fault]],
    /// What is wrong with the options as a whole.
    pub(super) check: fn(&Options) -> Result<(), String>,
}

/// Turns events into frames.
pub(super) trait Emitter {
    fn frames(&mut self, event: &Event<'_>) -> Vec<Value>;
}

/// Every dialect.
pub(super) const FRONTS: &[Front] = &[aionrs::FRONT];
