//! Hooks: the decisions of the core that deliberate faults can override. Each default is the correct behavior.
//!
//! A hook is called only where it can make a difference, so that an override can log when it takes effect.

use super::approval::{ApprovalMode, Approvals, Decision};
use super::conversation::Conversation;
use super::event::ReportedCall;
use super::failure::Halt;
use super::queues::{Prompt, Queues};
use crate::model::ModelRequest;
use crate::model::message::{ContentBlock, Message};
use crate::tools::shell::{ShellOptions, ShellResult};
use crate::tools::{Category, ToolHooks};
use std::any::Any;

/// What happened just before the core calls a hook about its consequences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    ModeChange,
    ModelChange,
    RejectedCommand,
    Stop,
    ModelError,
    EmptyReply,
    Turn,
    FailedCompaction,
}

/// What happens when the host asks to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopEffect {
    StopTurn,
    Nothing,
    /// The turn goes on, and every call that waits for an approval is approved.
    ApproveCalls,
}

/// What happens to an answer of the host if its call does not wait for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LateAnswer {
    Rejected,
    Accepted,
    /// The call is reported as started once more.
    StartsAgain,
}

/// A request to the model that is no part of the conversation.
#[derive(Debug, Clone)]
pub(crate) struct ExtraRequest {
    /// The system prompt; the session's if left out.
    pub(crate) system: Option<&'static str>,
    pub(crate) messages: Vec<Message>,
    /// Whether the tools are offered.
    pub(crate) tools: bool,
}

/// The decisions of the core. Those of the tools are in [`ToolHooks`].
pub(crate) trait Hooks: ToolHooks + Any {
    // Consequences

    /// Whether the process exits.
    fn exits(&self, _after: After) -> bool {
        false
    }

    /// Whether the session stays busy although the turn is over.
    fn stays_busy(&self, _after: After) -> bool {
        false
    }

    /// Changes what the session remembers. Correct is to change nothing.
    fn forget(&self, _after: After, _approvals: &mut Approvals, _messages: &mut Vec<Message>) {}

    /// Whether the session goes back to its first model.
    fn resets_model(&self, _after: After) -> bool {
        false
    }

    // Approvals

    /// Whether a call needs an approval; `required` is the correct answer.
    fn needs_approval(&self, required: bool, _mode: ApprovalMode, _call: &ReportedCall) -> bool {
        required
    }

    /// Whether an answer of the host counts; `is_first` if its call has waited longest.
    fn accepts_answer(&self, _is_first: bool) -> bool {
        true
    }

    /// The host's decision on a call of this tool.
    fn decision(&self, decision: Decision, _tool: &str) -> Decision {
        decision
    }

    /// What happens to an answer for a call that does not wait for one; `known` if the current turn has such a call.
    fn late_answer(&self, _known: bool) -> LateAnswer {
        LateAnswer::Rejected
    }

    /// The categories that "always" approves.
    fn always_approved(&self, category: Category) -> Vec<Category> {
        vec![category]
    }

    /// The mode after the host has asked for `wanted`.
    fn new_mode(
        &self,
        _current: ApprovalMode,
        wanted: ApprovalMode,
        _in_turn: bool,
    ) -> ApprovalMode {
        wanted
    }

    /// The mode after a turn.
    fn mode_after_turn(&self, mode: ApprovalMode) -> ApprovalMode {
        mode
    }

    // Tool calls

    /// How many of a reply's calls are admitted at the same time.
    fn calls_at_once(&self, calls: usize) -> usize {
        calls
    }

    /// How many of a reply's calls are admitted at all.
    fn admitted_calls(&self, calls: usize) -> usize {
        calls
    }

    /// Whether a call id of the model that was used before is replaced by a new one.
    fn renames_repeated_call_id(&self) -> bool {
        true
    }

    /// The id under which the host knows a call; `index` counts the calls of the reply.
    fn host_call_id(&self, id: &str, _index: usize) -> String {
        id.to_owned()
    }

    /// Whether a call that waits for an approval starts without it.
    fn starts_unapproved(&self) -> bool {
        false
    }

    /// Whether a call never runs although it was approved.
    fn loses_approval(&self) -> bool {
        false
    }

    /// Whether the answer to one call answers all calls that wait.
    fn answers_all(&self, _approved: bool) -> bool {
        false
    }

    /// Whether a tool runs a second time after it has run.
    fn repeats_tool(&self) -> bool {
        false
    }

    /// The text that the model gets for a denied call.
    fn denial_text(&self, text: String) -> String {
        text
    }

    /// The results of tools as the model gets them.
    fn tool_results(&self, results: Vec<ContentBlock>) -> Vec<ContentBlock> {
        results
    }

    /// Whether the turn ends after its tools have run.
    fn ends_turn_after_tools(&self, _denied: bool) -> bool {
        false
    }

    /// The number of a new sub-agent.
    fn subagent_id(&self, id: u64) -> u64 {
        id
    }

    // Prompts

    /// Paths of attached files that are loaded.
    fn attached_files<'a>(&self, paths: &'a [String]) -> &'a [String] {
        paths
    }

    /// An attached file as the model gets it.
    fn attachment(&self, file: ContentBlock) -> ContentBlock {
        file
    }

    /// The user's text as the model gets it.
    fn prompt_text(&self, text: &str) -> String {
        text.to_owned()
    }

    /// Changes the conversation at the start of a turn. Correct is to change nothing.
    fn on_turn_prompt(&self, _messages: &mut Vec<Message>) {}

    /// Whether a part of the history that the host gives is kept.
    fn keeps_history(&self, _is_first: bool) -> bool {
        true
    }

    // Queues

    /// Whether a prompt is lost because a turn is running.
    fn drops_prompt_while_busy(&self) -> bool {
        false
    }

    /// Whether a task that waits is started.
    fn starts_next_task(&self) -> bool {
        true
    }

    /// The queued prompts that the model gets now; `done` if it wants no more tools.
    fn due_prompts(&self, queues: &Queues, done: bool) -> Vec<Prompt> {
        queues.due(done)
    }

    /// Whether queued prompts survive the end of a turn.
    fn keeps_queues(&self) -> bool {
        true
    }

    // Model requests

    /// Changes a request to the model. Correct is to change nothing.
    fn model_request(&self, _request: &mut ModelRequest<'_>) {}

    /// A request before the first one of a turn.
    fn request_before_turn(&self, _prompt: &str) -> Option<ExtraRequest> {
        None
    }

    /// A request after the last one of a turn, which had these messages.
    fn request_after_turn(&self, _messages: &[Message]) -> Option<ExtraRequest> {
        None
    }

    /// Whether the turn's usage is the sum of its requests, not that of the latest.
    fn sums_usage(&self) -> bool {
        true
    }

    // Retries

    /// Whether the model is asked again right after an error that is not retryable.
    fn repeats_refused_request(&self) -> bool {
        false
    }

    /// Whether a failed turn is retried; `right` is the correct answer, `refused` is true if only the kind of the
    /// failure speaks against it.
    fn retries_turn(&self, right: bool, _refused: bool) -> bool {
        right
    }

    /// Changes the conversation before a turn is retried. Correct is to change nothing.
    fn on_retry(&self, _conversation: &mut Conversation, _after_compaction: bool) {}

    // Turns

    /// A turn starts.
    fn on_turn_start(&self) {}

    /// Whether a turn is stopped before it begins.
    fn stops_turn_at_start(&self) -> bool {
        false
    }

    /// What a request to stop does; `awaits_approval` if a call waits for one.
    fn stop_effect(&self, _halt: Halt, _awaits_approval: bool) -> StopEffect {
        StopEffect::StopTurn
    }

    /// Whether a rejected command stops the turn.
    fn stops_turn_on_rejected_command(&self) -> bool {
        false
    }

    /// The host asks to stop while nothing runs.
    fn on_idle_stop(&self) {}

    /// Whether the work of a stopped turn goes on in the background; `tool` if a tool is running.
    fn abandons_work(&self, _halt: Halt, _tool: bool) -> bool {
        false
    }

    /// Whether the calls of a stopped turn are reported as cancelled.
    fn reports_cancelled_calls(&self) -> bool {
        true
    }

    /// Whether a stop is reported as a failure.
    fn reports_stop_as_failure(&self) -> bool {
        false
    }

    /// Whether the conversation is saved after a turn.
    fn saves_turn(&self) -> bool {
        true
    }

    /// Whether the end of a stopped turn is reported.
    fn reports_turn_end(&self, _halt: Halt) -> bool {
        true
    }

    // Compaction

    /// Replaces the conversation by its summary.
    fn compact(&self, conversation: &mut Conversation, summary: String) {
        conversation.replace_by(summary);
    }

    /// The number of tokens from which on the conversation is compacted automatically.
    fn compaction_threshold(&self, threshold: u64, _used: u64) -> u64 {
        threshold
    }

    // Shell commands of the host

    /// Whether a stop cancels shell commands.
    fn stop_cancels_shell_commands(&self) -> bool {
        true
    }

    /// Where and how a shell command runs.
    fn shell_options<'a>(&self, options: ShellOptions<'a>) -> ShellOptions<'a> {
        options
    }

    /// What a shell command gave.
    fn shell_result(&self, result: ShellResult) -> ShellResult {
        result
    }

    /// What the model is told about a shell command.
    fn shell_command_text(&self, text: String) -> Option<String> {
        Some(text)
    }
}
