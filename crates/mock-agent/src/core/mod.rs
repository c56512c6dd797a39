//! The core of the agent: sessions, turns, tool calls and approvals. It knows no protocol. Its bugs are where it decides.

mod approval;
pub(crate) mod attachments;
mod call_ids;
mod call_runner;
pub(crate) mod compaction;
mod conversation;
mod event;
mod event_sink;
mod failure;
mod forgetting;
mod job_set;
pub(crate) mod marker_effects;
mod model_request;
mod queues;
mod reply;
pub(crate) mod session;
mod settings;
mod subagent;
mod tool_calls;
mod turn;

pub(crate) use approval::{ApprovalMode, Approvals, Decision};
pub(crate) use call_ids::CallIds;
pub(crate) use compaction::ABORTED;
use compaction::Compaction;
pub(crate) use conversation::Conversation;
pub(crate) use event::{
    AgentInfo, CompactionReason, Event, ReportedCall, ScheduledRetry, SubagentUpdate, Summary,
    SummaryRetry,
};
pub(crate) use event_sink::EventSink;
pub(crate) use failure::{Failure, FailureSource, Halt};
pub(crate) use queues::{Prompt, Queue, Queues};
use reply::ReplyBuilder;
pub(crate) use session::{Session, SessionState};
pub(crate) use settings::{
    DEFAULT_RATES, DEFAULT_WINDOW, FirstSession, HostOptions, ListedModel, ModelInfo,
    ModelProvider, Rates, RetryPolicy, SessionSettings,
};
use tool_calls::{CallState, RequestedCall, ToolCalls};
use turn::{Turn, TurnContext};
