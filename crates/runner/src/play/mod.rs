//! Plays one scenario: sends what the host sends and checks what the agent does, step by step.

mod agent_session;
mod answers;
mod awaited;
mod client;
mod client_verbs;
pub(super) mod context;
mod event_log;
mod event_loop;
mod expect_event;
mod expect_exit;
mod expect_model;
mod expect_unordered;
mod message;
mod model_requests;
mod never_asked;
mod outcome;
pub(super) mod player;
mod send;
mod settle;
mod shutdown;
mod skip;
mod step_finding;
mod steps;
mod text_difference;
mod timeout_message;
mod unasked_request;
mod workspace_files;
