//! The events of the core. Protocol adapters encode them as frames.

use super::{ApprovalMode, Failure, Halt, ModelInfo, Prompt, Queues};
use crate::model::{Chunk, Usage};
use crate::tools::shell::ShellResult;
use crate::tools::{Category, ToolResult};
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;

/// An event. Adapters ignore those that their protocol does not have.
#[derive(Debug)]
pub(crate) enum Event<'a> {
    /// The agent can take commands.
    Ready(&'a AgentInfo),
    /// A turn has started.
    TurnStart { turn: &'a str, prompt: &'a Prompt },
    /// The next request of the turn is sent to the model.
    ModelRequest,
    /// A part of the reply has arrived.
    ModelChunk { turn: &'a str, chunk: &'a Chunk },
    /// A call waits for the approval of the host.
    ApprovalRequest {
        turn: &'a str,
        call: &'a ReportedCall,
    },
    /// A call is invalid.
    ToolRefused {
        turn: &'a str,
        call: &'a ReportedCall,
        failure: &'a Failure,
    },
    /// A tool has started.
    ToolStart {
        turn: &'a str,
        call: &'a ReportedCall,
    },
    /// The output of a running tool so far.
    ToolProgress {
        call: &'a ReportedCall,
        output: &'a str,
    },
    /// What a running tool shows, in the words of the protocol.
    ToolShows {
        call: &'a ReportedCall,
        content: &'a Value,
    },
    /// A tool has finished.
    ToolEnd {
        turn: &'a str,
        call: &'a ReportedCall,
        outcome: &'a ToolResult,
    },
    /// A call was denied or cancelled.
    ToolCancel {
        turn: &'a str,
        call: &'a ReportedCall,
        reason: &'a str,
    },
    /// A turn is over. `halt` is set if it was stopped.
    TurnEnd {
        turn: &'a str,
        usage: Usage,
        halt: Option<Halt>,
        /// Whether it has failed and will be retried.
        will_retry: bool,
    },
    /// Nothing is running any more, and nothing waits.
    Idle,
    /// Queued prompts are sent to the model next; `queues` hold the rest.
    PromptsDelivered {
        prompts: &'a [Prompt],
        queues: &'a Queues,
    },
    /// A failed turn will be retried after a delay.
    RetryStart(ScheduledRetry<'a>),
    /// The retries are over: with success, or with an error.
    RetryEnd {
        attempt: u32,
        error: Option<&'a str>,
    },
    /// A compaction has started.
    CompactionStart(CompactionReason),
    /// The model has failed to summarize; about the retry.
    SummaryRetry(&'a SummaryRetry<'a>),
    /// A summary has replaced the conversation.
    CompactionEnd(&'a Summary),
    /// A shell command of the host has finished.
    ShellCommandEnd(&'a ShellResult),
    /// A failure, in a turn or outside.
    Failed {
        turn: Option<&'a str>,
        failure: &'a Failure,
    },
    /// The progress of a sub-agent. Its id is its number in the process.
    Subagent {
        id: u64,
        name: &'a str,
        update: SubagentUpdate<'a>,
    },
    /// An MCP server was added.
    McpServerConnected {
        server: &'a str,
        tools: &'a [String],
    },
    /// A note for the user.
    Notice { turn: &'a str, text: &'a str },
}

/// A tool call as it is reported to the host.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReportedCall {
    /// Unique in the process.
    pub(crate) id: String,
    /// The id of the call whose tool has made this one; none if the model has.
    pub(crate) parent: Option<String>,
    /// The tool's name.
    pub(crate) tool: String,
    pub(crate) category: Category,
    /// The arguments, an object.
    pub(crate) args: Value,
    /// What the call would do, in one line.
    pub(crate) description: String,
}

/// The progress of a sub-agent.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SubagentUpdate<'a> {
    Started { task: &'a str },
    WaitingForModel,
    UsingTool,
    Finished { result: &'a str, elapsed: Duration },
}

/// What the agent reports about itself when it is ready.
#[derive(Debug, Clone)]
pub(crate) struct AgentInfo {
    /// The id of the saved session; none if sessions are not saved.
    pub(crate) session: Option<String>,
    /// Whether there are MCP tools.
    pub(crate) mcp: bool,
    pub(crate) mode: ApprovalMode,
    pub(crate) model_info: ModelInfo,
}

/// A retry after a delay.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScheduledRetry<'a> {
    /// Its number, from 1.
    pub(crate) attempt: u32,
    /// The maximum number of retries.
    pub(crate) of: u32,
    pub(crate) delay: Duration,
    pub(crate) failure: &'a Failure,
}

/// A step in the retries of a summary.
#[derive(Debug)]
pub(crate) enum SummaryRetry<'a> {
    /// The summary will be retried after a delay.
    Scheduled(ScheduledRetry<'a>),
    /// The retry starts.
    Starts(CompactionReason),
    /// The retries are over, with or without success.
    Finished,
}

/// The summary that has replaced a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) text: String,
    /// The tokens used for it.
    pub(crate) usage: Usage,
    /// The tokens of the context before.
    pub(crate) before: u64,
    /// Whether the compaction was automatic.
    pub(crate) auto: bool,
    /// How many prompts of the user are kept as they are, the latest ones.
    pub(crate) kept_prompts: usize,
}

/// Why a conversation is compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CompactionReason {
    /// The host has asked for it.
    Manual,
    /// The context is nearly full.
    Threshold,
    /// The model has rejected a context that is too long.
    Overflow,
}
