//! The protocol aionrs: the JSON Stream Protocol, versions 0.1 and 0.2.

pub(super) mod adapters;
mod commands;
mod events;
mod flags;
mod session_config;
mod slash_commands;
mod tools;
mod version;
