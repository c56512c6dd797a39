//! Protocol adapters: each turns the commands of one protocol into calls on the session, and the core's events into frames.

mod acp;
pub(crate) mod adapter;
mod aionrs;
mod commands;
mod frames;
mod pi;
pub(crate) mod session;
mod synaps;

use adapter::Adapter;

/// Every version of every protocol that the agent speaks; of one protocol the oldest first.
pub(crate) const ADAPTERS: &[Adapter] = &[
    acp::adapters::V1,
    aionrs::adapters::V0_1,
    aionrs::adapters::V0_2,
    pi::adapters::V0_14,
    pi::adapters::V0_73,
    pi::adapters::V0_87,
    pi::adapters::V1_6,
    synaps::adapters::V1,
];

/// The name and version of every protocol that the agent speaks.
pub fn dialects() -> impl Iterator<Item = (&'static str, &'static str)> {
    ADAPTERS
        .iter()
        .map(|adapter| (adapter.name, adapter.version))
}
