//! What the core says, before a dialect has put it into frames.

use super::approval::Mode;
use super::call::Call;
use super::failure::{Failure, Halt};
use super::queues::Queues;
use super::settings::ModelInfo;
use crate::core::queues::Prompt;
use crate::model::Chunk;
use crate::model::message::TokenUsage;
use crate::tools::ToolResult;
use crate::tools::shell::ShellResult;
use std::time::Duration;

/// Something that happened. Adapters pick what their dialect speaks of.
#[derive(Debug)]
pub(crate) enum Event<'a> {
    /// The agent can take commands.
    Ready(&'a AgentInfo),
    /// A turn began.
    TurnStart { turn: &'a str, prompt: &'a Prompt },
    /// The model is asked for the turn's next reply.
    ModelRequest,
    /// The model said something.
    ModelChunk { turn: &'a str, chunk: &'a Chunk },
    /// A tool may only run if the host agrees.
    ApprovalRequest { turn: &'a str, call: &'a Call },
    /// A call cannot even be asked for.
    ToolRefused {
        turn: &'a str,
        call: &'a Call,
        failure: &'a Failure,
    },
    /// A tool runs.
    ToolStart { turn: &'a str, call: &'a Call },
    /// What a tool at work has written so far.
    ToolProgress { call: &'a Call, output: &'a str },
    /// A tool has run.
    ToolEnd {
        turn: &'a str,
        call: &'a Call,
        outcome: &'a ToolResult,
    },
    /// A call is over without a result.
    ToolCancel {
        turn: &'a str,
        call: &'a Call,
        reason: &'a str,
    },
    /// A turn is over, with all that it used; `halt` says why if it was stopped.
    TurnEnd {
        turn: &'a str,
        usage: TokenUsage,
        halt: Option<Halt>,
        /// Whether it failed and will be tried again.
        again: bool,
    },
    /// Nothing is at work any more, and nothing waits.
    Idle,
    /// What was queued goes to the model next; `queues` have the rest.
    PromptsDelivered {
        prompts: &'a [Prompt],
        queues: &'a Queues,
    },
    /// A turn that failed will be tried again, after a wait.
    RetryStart {
        attempt: u32,
        of: u32,
        delay: Duration,
        failure: &'a Failure,
    },
    /// No more attempts: it worked, or failed like this.
    RetryEnd {
        attempt: u32,
        error: Option<&'a str>,
    },
    /// The conversation is being summed up.
    CompactionStart(CompactionReason),
    /// The model failed to sum it up.
    SummaryRetry(&'a SummaryRetry<'a>),
    /// A summary has taken the place of the conversation.
    CompactionEnd(&'a Summary),
    /// A shell command of the host's own is over.
    ShellCommandEnd(&'a ShellResult),
    /// Something went wrong, in a turn or outside.
    Failed {
        turn: Option<&'a str>,
        failure: &'a Failure,
    },
    /// A sub-agent, by its number in the process.
    Subagent {
        id: u64,
        name: &'a str,
        update: SubagentUpdate<'a>,
    },
    /// A server of MCP tools was added.
    McpServerConnected {
        server: &'a str,
        tools: &'a [String],
    },
    /// Something the user may like to know.
    Notice { turn: &'a str, text: &'a str },
}

/// What is new of a sub-agent.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SubagentUpdate<'a> {
    /// It begins with this task.
    Started { task: &'a str },
    /// It waits for the model.
    WaitingForModel,
    /// It uses a tool.
    UsingTool,
    /// It has come to this, after so long.
    Finished { result: &'a str, took: Duration },
}

/// What the agent says of itself when it is ready.
#[derive(Debug, Clone)]
pub(crate) struct AgentInfo {
    /// The session's id; none where sessions are switched off.
    pub(crate) session: Option<String>,
    /// Whether there are MCP tools.
    pub(crate) mcp: bool,
    /// How much may run without asking.
    pub(crate) mode: Mode,
    /// The model.
    pub(crate) model_info: ModelInfo,
}

/// How a summary that failed is tried again.
#[derive(Debug)]
pub(crate) enum SummaryRetry<'a> {
    /// It will be, after a wait.
    Scheduled {
        attempt: u32,
        of: u32,
        delay: Duration,
        failure: &'a Failure,
    },
    /// It is, for this compaction.
    Starts(CompactionReason),
    /// It is over, for good or ill.
    Finished,
}

/// What stands for a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) text: String,
    /// What the model used for it.
    pub(crate) usage: TokenUsage,
    /// Tokens in the context before.
    pub(crate) before: u64,
    /// Whether nobody asked for it.
    pub(crate) auto: bool,
}

/// Why a conversation is compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum CompactionReason {
    /// The host wants it.
    #[default]
    Manual,
    /// The context is nearly full.
    Threshold,
    /// The model refused a context that is too long.
    Overflow,
}
