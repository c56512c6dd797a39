//! Protocol adapters: each turns the commands of one protocol into calls on the session, and the core's events into frames.

pub(crate) mod adapter;
mod aionrs;
mod pi;
mod synaps;
pub(crate) mod table;
