//! The core of the agent: sessions, turns, tool calls and approvals. It knows no protocol. Its bugs are where it decides.

pub(crate) mod approval;
pub(crate) mod attachments;
pub(crate) mod call_ids;
pub(crate) mod call_runner;
pub(crate) mod compaction;
pub(crate) mod conversation;
pub(crate) mod event;
pub(crate) mod event_sink;
pub(crate) mod failure;
pub(crate) mod forgetting;
pub(crate) mod job_set;
pub(crate) mod marker_effects;
pub(crate) mod model_request;
pub(crate) mod queues;
pub(crate) mod reply;
pub(crate) mod session;
pub(crate) mod settings;
pub(crate) mod subagent;
pub(crate) mod tool_calls;
pub(crate) mod turn;
