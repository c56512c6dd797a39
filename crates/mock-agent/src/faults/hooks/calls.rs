//! Faults in tool calls and their results.

use crate::core::hooks::CallHooks;
use crate::faults::Faults;
use crate::faults::bug::Bug;
use crate::model::message::{ContentBlock, ResultContent};

/// The longest tool result that [`Bug::CutsToolResults`] leaves alone, in bytes.
const LONG_RESULT: usize = 4096;

impl CallHooks for Faults {
    fn calls_at_once(&self, calls: usize) -> usize {
        if calls > 1 && self.triggers(Bug::OneRequestAtATime) {
            return 1;
        }
        calls
    }

    fn admitted_calls(&self, calls: usize) -> usize {
        if calls > 1 && self.triggers(Bug::LosesSecondCall) {
            return 1;
        }
        calls
    }

    fn renames_repeated_call_id(&self) -> bool {
        !self.triggers(Bug::RepeatsCallIds)
    }

    fn host_call_id(&self, id: &str, index: usize) -> String {
        if self.triggers(Bug::CallIdsRestart) {
            return format!("call-{index}");
        }
        id.to_owned()
    }

    fn starts_unapproved(&self) -> bool {
        self.triggers(Bug::RunsBeforeApproval)
    }

    fn loses_approval(&self) -> bool {
        self.triggers(Bug::LosesApproval)
    }

    fn answers_all(&self, approved: bool) -> bool {
        self.triggers(match approved {
            true => Bug::ApprovalIsForAll,
            false => Bug::DenialIsForAll,
        })
    }

    fn repeats_tool(&self) -> bool {
        self.triggers(Bug::RunsToolsTwice)
    }

    fn denial_text(&self, text: String) -> String {
        if self.triggers(Bug::LosesReason) {
            return "The user denied this call.".into();
        }
        text
    }

    fn tool_results(&self, mut results: Vec<ContentBlock>) -> Vec<ContentBlock> {
        for block in &mut results {
            if let ContentBlock::Result { output, .. } = block
                && let ResultContent::Text(text) = output
                && text.len() > LONG_RESULT
                && self.triggers(Bug::CutsToolResults)
            {
                text.truncate(text.floor_char_boundary(LONG_RESULT));
            }
        }
        if self.triggers(Bug::LosesToolResults) {
            for block in &mut results {
                if let ContentBlock::Result { output, .. } = block {
                    *output = ResultContent::Text("ok".into());
                }
            }
        }
        results
    }

    fn ends_turn_after_tools(&self, denied: bool) -> bool {
        denied && self.triggers(Bug::EndsTurnOnDenial) || self.triggers(Bug::EndsTurnAfterTools)
    }

    fn subagent_id(&self, id: u64) -> u64 {
        if id > 1 && self.triggers(Bug::SubagentIdsRepeat) {
            return 1;
        }
        if self.triggers(Bug::SubagentIdsFall) {
            return 1000_u64.saturating_sub(id);
        }
        id
    }
}
