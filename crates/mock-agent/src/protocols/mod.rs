//! Protocol adapters: each turns the commands of one protocol into calls on the session, and the core's events into frames.

pub(crate) mod adapter;
mod aionrs;
mod arguments;
mod commands;
mod frames;
mod pi;
pub(crate) mod session;
mod synaps;
pub(crate) mod table;
