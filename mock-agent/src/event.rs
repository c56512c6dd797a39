//! What the core says, before a dialect has put it into frames.

use super::approval::{Category, Mode};
use super::card::Card;
use super::compaction::Reason;
use super::message::Usage;
use super::model::Chunk;
use super::queues::Queues;
use super::session::Halt;
use super::turn::Prompt;
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// Something that happened. Adapters pick what their dialect speaks of.
#[derive(Debug)]
pub(super) enum Event<'a> {
    /// The agent can take commands.
    Ready(&'a Hello),
    /// A turn began.
    TurnStart { turn: &'a str, prompt: &'a Prompt },
    /// The model is asked for the turn's next reply.
    Asking,
    /// The model said something.
    Said { turn: &'a str, chunk: &'a Chunk },
    /// A tool may only run if the host agrees.
    ToolAsk { turn: &'a str, call: &'a Call },
    /// A call cannot even be asked for.
    Refused {
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
        outcome: &'a Outcome,
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
        usage: Usage,
        halt: Option<Halt>,
        /// Whether it failed and will be tried again.
        again: bool,
    },
    /// Nothing is at work any more, and nothing waits.
    Settled,
    /// What was queued goes to the model next; `queues` have the rest.
    Heard {
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
    CompactionStart(Reason),
    /// The model failed to sum it up.
    SummaryRetry(&'a SummaryRetry<'a>),
    /// A summary has taken the place of the conversation.
    Compacted(&'a Summary),
    /// A shell command of the host's own is over.
    Shelled(&'a Executed),
    /// Something went wrong, in a turn or outside.
    Failed {
        turn: Option<&'a str>,
        failure: &'a Failure,
    },
    /// A sub-agent, by its number in the process.
    Helper {
        helper: u64,
        name: &'a str,
        news: News<'a>,
    },
    /// A server of MCP tools was added.
    Connected {
        server: &'a str,
        tools: &'a [String],
    },
    /// Something the user may like to know.
    Notice { turn: &'a str, text: &'a str },
}

/// What is new of a sub-agent.
#[derive(Debug, Clone, Copy)]
pub(super) enum News<'a> {
    /// It begins with this task.
    Begins { task: &'a str },
    /// It waits for the model.
    Asks,
    /// It uses a tool.
    Works,
    /// It has come to this, after so long.
    Ends { result: &'a str, took: Duration },
}

/// What the agent says of itself when it is ready.
#[derive(Debug, Clone)]
pub(super) struct Hello {
    /// The session's id; none where sessions are switched off.
    pub(super) session: Option<String>,
    /// Whether there are MCP tools.
    pub(super) mcp: bool,
    /// How much may run without asking.
    pub(super) mode: Mode,
    /// The model.
    pub(super) card: Card,
}

/// How a summary that failed is tried again.
#[derive(Debug)]
pub(super) enum SummaryRetry<'a> {
    /// It will be, after a wait.
    Scheduled {
        attempt: u32,
        of: u32,
        delay: Duration,
        failure: &'a Failure,
    },
    /// It is, for this compaction.
    Starts(Reason),
    /// It is over, for good or ill.
    Finished,
}

/// What stands for a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Summary {
    pub(super) text: String,
    /// What the model used for it.
    pub(super) usage: Usage,
    /// Tokens in the context before.
    pub(super) before: u64,
    /// Whether nobody asked for it.
    pub(super) auto: bool,
}

/// A shell command of the host's own, and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Executed {
    pub(super) command: String,
    /// What it wrote, or the end of it.
    pub(super) output: String,
    /// None if it was killed.
    pub(super) code: Option<i32>,
    /// Whether the host cancelled it.
    pub(super) cancelled: bool,
    /// Where all of a long output is.
    pub(super) whole: Option<PathBuf>,
}

/// A tool call as the host sees it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    /// Unique in the process.
    pub(super) id: String,
    /// The tool's name.
    pub(super) tool: String,
    /// What kind of tool it is.
    pub(super) category: Category,
    /// The arguments, an object.
    pub(super) args: Value,
    /// What the call would do, in one line.
    pub(super) description: String,
}

/// What a tool came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outcome {
    /// Whether it did what was asked.
    pub(super) ok: bool,
    /// What it gives back.
    pub(super) output: Output,
}

/// What a tool gives back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Output {
    /// Text.
    Text(String),
    /// A unified diff of the file at this path.
    Diff { diff: String, path: String },
    /// An image, in base64.
    Image { media_type: String, data: String },
}

impl Outcome {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Outcome {
            ok: true,
            output: Output::Text(text.into()),
        }
    }

    pub(super) fn error(text: impl Into<String>) -> Self {
        Outcome {
            ok: false,
            output: Output::Text(text.into()),
        }
    }
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    /// What kind of failure.
    pub(super) code: Code,
    /// In words, for the user.
    pub(super) message: String,
    /// Whether the same again may work.
    pub(super) retryable: bool,
}

/// The kinds of [`Failure`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    /// The model's API.
    Provider,
    /// A tool that could not be called.
    Tool,
    /// Settings.
    Config,
    /// A bad command of the host.
    Protocol,
    /// The agent itself.
    Internal,
}

impl Failure {
    /// A failure that will come again.
    pub(super) fn lasting(code: Code, message: impl Into<String>) -> Self {
        Failure {
            code,
            message: message.into(),
            retryable: false,
        }
    }
}
