//! `conform run` against agents of every kind, with the real binary.

mod agents;
mod bad_agents;
mod bundled;
mod choice;
mod harness;
mod known;
mod leftovers;
mod model;
mod probing;
mod steps;
