//! `conform run` with the real binary, against agents of every kind.

mod agent_files;
mod agents;
mod bad_agents;
mod baselines;
mod broken_agents;
mod bundled;
mod cleanup;
mod client;
mod detection;
mod early_end;
mod explore;
mod first_trial;
mod github_action;
mod harness;
mod init;
mod mcp;
mod model;
mod network;
mod parts;
mod selection;
mod starved_agents;
mod steps;
mod two_way;
mod two_way_faults;
