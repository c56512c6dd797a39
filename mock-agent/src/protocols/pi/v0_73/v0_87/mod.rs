//! pi@0.87: what it does otherwise than 0.73.

mod commands;
mod entries;
mod faults;
mod levels;
mod output;
mod system;

pub(super) use entries::Ledger;
pub(super) use levels::{levels, told as level_told};
pub(super) use output::Heard;

use super::super::messages::Clock;
use super::configure::configure as base;
use super::state::Modern;
use crate::config::options::Options;
use crate::config::{Config, Env};
use crate::protocols::adapter::Adapter;
use serde_json::{Value, json};

pub(in crate::protocols) const V0_87: Adapter = Adapter {
    version: "0.87",
    emitter: || {
        Box::new(Modern {
            later: Some(Later::default()),
            ..Modern::default()
        })
    },
    command: |session, input| {
        super::commands::take(
            session,
            input,
            &[super::commands::COMMANDS, commands::COMMANDS],
        );
    },
    parent: Some(&super::V0_73),
    faults: faults::FAULTS,
    without_faults: faults::WITHOUT,
    without_frames: &[],
    caught_here: faults::CAUGHT_HERE,
    configure,
    ..super::V0_73
};

/// What this version remembers besides.
#[derive(Debug, Default)]
pub(in crate::protocols::pi::v0_73) struct Later {
    /// The model's instructions have been told.
    instructed: bool,
    /// A run has begun, and not settled.
    pub(in crate::protocols::pi::v0_73) unsettled: bool,
    pub(super) ledger: Ledger,
}

impl Later {
    /// A run begins. Gives the message that declares prompt and tools, the first time in a session.
    pub(super) fn begin_run(&mut self, clock: &mut Clock) -> Option<Value> {
        self.unsettled = true;
        let first = !std::mem::replace(&mut self.instructed, true);
        first.then(|| system::message(clock.tick()))
    }

    /// A session of its own begins.
    pub(super) fn renew(&mut self, instructed: bool) {
        self.instructed = instructed;
    }
}

/// Summaries are tried again too, and what is queued outlives an abort.
fn configure(options: Options, env: Env<'_>) -> Result<Config, String> {
    let mut config = base(options, env)?;
    let settings = &mut config.settings;
    if let Some(plan) = &mut settings.again {
        plan.summaries = true;
    }
    settings.extras.goes_on = true;
    Ok(config)
}

/// "session_info_changed".
pub(super) fn named(name: &str) -> Value {
    json!({ "type": "session_info_changed", "name": name })
}
