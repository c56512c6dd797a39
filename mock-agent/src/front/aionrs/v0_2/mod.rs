//! aionrs@0.2: what it does otherwise than 0.1.

mod commands;
mod config;
mod events;
mod slash;
mod tools;

use super::super::Front;
use super::faults;

pub(in crate::front) const FRONT: Front = Front {
    version: "0.2",
    emitter: || Box::new(events::Events::default()),
    command: commands::take,
    parent: Some(&super::FRONT),
    faults: faults::OF_0_2,
    without_faults: faults::WITHOUT_0_2,
    tools: tools::TOOLS,
    ..super::FRONT
};
