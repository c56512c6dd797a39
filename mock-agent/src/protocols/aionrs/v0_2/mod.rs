//! aionrs@0.2: what it does otherwise than 0.1.

mod commands;
mod config;
mod events;
mod slash;
mod tools;

use super::faults;
use crate::protocols::adapter::Adapter;

pub(in crate::protocols) const V0_2: Adapter = Adapter {
    version: "0.2",
    emitter: || Box::new(events::Events::default()),
    command: commands::take,
    parent: Some(&super::V0_1),
    faults: faults::OF_0_2,
    without_faults: faults::WITHOUT_0_2,
    tools: tools::TOOLS,
    ..super::V0_1
};
