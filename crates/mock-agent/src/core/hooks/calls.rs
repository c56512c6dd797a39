//! Hooks: which calls are admitted and run, and what becomes of their results.

use crate::model::message::ContentBlock;

/// The decisions about tool calls.
pub(crate) trait CallHooks {
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
}
