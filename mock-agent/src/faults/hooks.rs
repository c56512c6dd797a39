//! Faults at the hooks of the core: the decisions that an agent gets wrong.

use super::active::Faults;
use super::bug::Bug;
use super::memory;
use crate::core::approval::{ApprovalMode, Approvals, Decision};
use crate::core::conversation::Conversation;
use crate::core::event::ReportedCall;
use crate::core::failure::Halt;
use crate::core::hooks::{After, ExtraRequest, Hooks, LateAnswer, StopEffect};
use crate::core::queues::{Prompt, Queues};
use crate::model::ModelRequest;
use crate::model::message::{ContentBlock, Message, ResultContent, Role};
use crate::tools::Category;
use crate::tools::shell::{ShellOptions, ShellResult};
use std::path::Path;

/// The longest tool result that [`Bug::CutsToolResults`] leaves alone, in bytes.
const LONG_RESULT: usize = 4096;

impl Hooks for Faults {
    fn exits(&self, after: After) -> bool {
        match after {
            After::Stop => self.triggers(Bug::StopExits),
            After::ModelError => self.triggers(Bug::ProviderErrorExits),
            After::RejectedCommand => self.triggers(Bug::BadCommandExits),
            After::Turn => self.triggers(Bug::ExitsAfterTurn),
            _ => false,
        }
    }

    fn stays_busy(&self, after: After) -> bool {
        match after {
            After::Stop => self.triggers(Bug::StopLeavesBusy),
            After::ModelError => self.triggers(Bug::ProviderErrorLeavesBusy),
            After::EmptyReply => self.triggers(Bug::EmptyReplyStuck),
            _ => false,
        }
    }

    fn forget(&self, after: After, approvals: &mut Approvals, messages: &mut Vec<Message>) {
        let (conversation, always) = match after {
            After::ModeChange => (Bug::ModeForgetsTurns, Some(Bug::ModeForgetsAllowed)),
            After::ModelChange => (Bug::ModelChangeForgets, Some(Bug::ModelForgetsAllowed)),
            After::Stop => (Bug::StopForgets, Some(Bug::StopForgetsAllowed)),
            After::ModelError => (Bug::ProviderErrorForgets, None),
            After::FailedCompaction => (Bug::FailedCompactForgets, None),
            _ => return,
        };
        if self.triggers(conversation) {
            messages.clear();
        }
        if always.is_some_and(|bug| self.triggers(bug)) {
            approvals.forget();
        }
        if after == After::Stop && self.triggers(Bug::StopResetsMode) {
            approvals.mode = ApprovalMode::Default;
        }
    }

    fn resets_model(&self, after: After) -> bool {
        match after {
            After::ModelError => self.triggers(Bug::FailureResetsModel),
            After::Turn => self.triggers(Bug::ModelLastsOneTurn),
            _ => false,
        }
    }

    fn needs_approval(&self, required: bool, mode: ApprovalMode, call: &ReportedCall) -> bool {
        let harmless = matches!(call.category, Category::Info | Category::Edit);
        let spawns = call.tool == "Spawn";
        let approved = || self.approved.borrow().contains(&call.tool);
        let bug = match (required, mode) {
            (true, ApprovalMode::Default) => Bug::NeverRequestsApproval,
            (true, ApprovalMode::AutoEdit) if self.is_armed(Bug::AutoEditAllowsAll) => {
                Bug::AutoEditAllowsAll
            }
            (true, ApprovalMode::AutoEdit) if spawns => Bug::SpawnsUnapproved,
            (false, ApprovalMode::Yolo)
                if spawns && self.is_armed(Bug::RequestsApprovalForSpawn) =>
            {
                Bug::RequestsApprovalForSpawn
            }
            (false, ApprovalMode::Yolo) => Bug::RequestsApprovalInYolo,
            (false, ApprovalMode::AutoEdit) if harmless => Bug::RequestsApprovalInAutoEdit,
            (false, ApprovalMode::Default) if !approved() => Bug::AlwaysIsForTool,
            _ => return required,
        };
        required != self.triggers(bug)
    }

    fn accepts_answer(&self, is_first: bool) -> bool {
        is_first || !self.triggers(Bug::AnswersInOrder)
    }

    fn decision(&self, decision: Decision, tool: &str) -> Decision {
        if decision == (Decision::Approve { always: true }) {
            self.approved.borrow_mut().push(tool.to_owned());
        }
        match decision {
            Decision::Approve { always: true } if self.triggers(Bug::IgnoresAlways) => {
                Decision::Approve { always: false }
            }
            Decision::Approve { always: false } if self.triggers(Bug::OnceIsAlways) => {
                Decision::Approve { always: true }
            }
            Decision::Deny { .. } if self.triggers(Bug::RunsDenied) => {
                Decision::Approve { always: false }
            }
            decision => decision,
        }
    }

    fn late_answer(&self, known: bool) -> LateAnswer {
        if self.is_armed(Bug::RunsBeforeApproval) {
            return LateAnswer::Accepted;
        }
        if known && self.triggers(Bug::StartsTwice) {
            return LateAnswer::StartsAgain;
        }
        LateAnswer::Rejected
    }

    fn always_approved(&self, category: Category) -> Vec<Category> {
        if self.triggers(Bug::AlwaysAllowsAll) {
            return vec![
                Category::Info,
                Category::Edit,
                Category::Exec,
                Category::Mcp,
            ];
        }
        vec![category]
    }

    fn new_mode(&self, current: ApprovalMode, wanted: ApprovalMode, in_turn: bool) -> ApprovalMode {
        if current != wanted && self.triggers(Bug::IgnoresMode) {
            return current;
        }
        if current == ApprovalMode::Yolo
            && wanted == ApprovalMode::AutoEdit
            && self.triggers(Bug::KeepsYolo)
        {
            return current;
        }
        if current != wanted && in_turn && self.triggers(Bug::DelaysMode) {
            self.late_mode.set(Some(wanted));
            return current;
        }
        wanted
    }

    fn mode_after_turn(&self, mode: ApprovalMode) -> ApprovalMode {
        if self.triggers(Bug::ForgetsMode) {
            return ApprovalMode::Default;
        }
        self.late_mode.take().unwrap_or(mode)
    }

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

    fn attached_files<'a>(&self, paths: &'a [String]) -> &'a [String] {
        if !paths.is_empty() && self.triggers(Bug::LosesFiles) {
            return &[];
        }
        paths
    }

    fn attachment(&self, mut file: ContentBlock) -> ContentBlock {
        if let ContentBlock::Image { media_type, .. } = &mut file
            && media_type != "image/png"
            && self.triggers(Bug::ImagesArePng)
        {
            "image/png".clone_into(media_type);
        }
        file
    }

    fn prompt_text(&self, text: &str) -> String {
        if self.triggers(Bug::LosesInput) {
            return "(nothing)".into();
        }
        text.to_owned()
    }

    fn on_turn_prompt(&self, messages: &mut Vec<Message>) {
        if !messages.is_empty() && self.triggers(Bug::ForgetsTurns) {
            messages.clear();
        }
        if messages.len() >= 4 && self.triggers(Bug::ForgetsFirstTurn) {
            messages.drain(..2);
        }
        if memory::has_denials(messages) && self.triggers(Bug::ForgetsDenials) {
            memory::remove_denials(messages);
        }
        if memory::has_files(messages) && self.triggers(Bug::ForgetsFiles) {
            memory::remove_files(messages);
        }
        if memory::has_calls(messages) && self.triggers(Bug::ForgetsOldResults) {
            memory::remove_calls(messages);
        }
    }

    fn keeps_history(&self, is_first: bool) -> bool {
        let loses = !is_first && self.triggers(Bug::LosesLaterHistory);
        !loses && !self.triggers(Bug::LosesHistory)
    }

    fn drops_prompt_while_busy(&self) -> bool {
        self.triggers(Bug::DropsWhileBusy)
    }

    fn starts_next_task(&self) -> bool {
        let second = self.turn() == self.first_turn();
        !(second && self.triggers(Bug::SecondTurnStuck))
    }

    fn due_prompts(&self, queues: &Queues, done: bool) -> Vec<Prompt> {
        let Queues {
            steering,
            follow_up,
        } = queues;
        let (steers, follows) = (steering.has_prompts(), follow_up.has_prompts());
        if steers && !done && self.triggers(Bug::SteeringWaits) {
            return vec![];
        }
        if follows && (steers || !done) && self.triggers(Bug::FollowUpsEarly) {
            return follow_up.take();
        }
        if follows && !steers && !done && self.triggers(Bug::FollowUpsAfterTools) {
            return follow_up.take();
        }
        let (queue, bug) = match steers {
            true => (steering, Bug::SteeringTogether),
            false => (follow_up, Bug::FollowUpsTogether),
        };
        if queue.len() > 1 && !queue.together.get() && (steers || done) && self.triggers(bug) {
            queue.together.set(true);
            let due = queues.due(done);
            queue.together.set(false);
            return due;
        }
        queues.due(done)
    }

    fn keeps_queues(&self) -> bool {
        !self.triggers(Bug::QueueEndsWithStop)
    }

    fn model_request(&self, request: &mut ModelRequest<'_>) {
        if !self.asked.replace(true) {
            return;
        }
        if self.triggers(Bug::SystemPromptOnce) {
            request.system = "";
        }
        if self.triggers(Bug::MaxTokensOnce) {
            request.max_tokens = 4096;
        }
        if self.turn() > self.first_turn() && self.triggers(Bug::ToolsOnce) {
            request.tools = &[];
        }
    }

    fn request_before_turn(&self, prompt: &str) -> Option<ExtraRequest> {
        let text = || format!("Find a title of a few words for this: {prompt}");
        self.triggers(Bug::RequestsTitle).then(|| ExtraRequest {
            system: Some("You find titles for conversations."),
            messages: vec![user(text())],
            tools: false,
        })
    }

    fn request_after_turn(&self, messages: &[Message]) -> Option<ExtraRequest> {
        let mut messages = messages.to_vec();
        if self.triggers(Bug::RequestsSummary) {
            messages.push(user("Summarize the conversation so far.".into()));
        } else if !self.triggers(Bug::RepeatsLastRequest) {
            return None;
        }
        Some(ExtraRequest {
            system: None,
            messages,
            tools: true,
        })
    }

    fn sums_usage(&self) -> bool {
        !self.triggers(Bug::UsageOfLastRequest)
    }

    fn repeats_refused_request(&self) -> bool {
        self.triggers(Bug::RepeatsRefusedRequest)
    }

    fn retries_turn(&self, right: bool, refused: bool) -> bool {
        match right {
            true => !self.triggers(Bug::RetriesNever),
            false => refused && self.triggers(Bug::RetriesRefusals),
        }
    }

    fn on_retry(&self, conversation: &mut Conversation, after_compaction: bool) {
        if !after_compaction && self.triggers(Bug::RetryDoublesPrompt) {
            conversation.repeat_prompt();
        }
        if self.triggers(Bug::RetryStartsOver) {
            conversation.truncate_after_prompt();
        }
    }

    fn on_turn_start(&self) {
        self.count_turn();
    }

    fn stops_turn_at_start(&self) -> bool {
        self.poisoned.take()
    }

    fn stop_effect(&self, halt: Halt, awaits_approval: bool) -> StopEffect {
        if halt == Halt::Exit {
            return StopEffect::StopTurn;
        }
        if self.triggers(Bug::IgnoresStop) || self.ignores_second_stop() {
            return StopEffect::Nothing;
        }
        if awaits_approval && self.triggers(Bug::StopRunsTools) {
            return StopEffect::ApproveCalls;
        }
        StopEffect::StopTurn
    }

    fn stops_turn_on_rejected_command(&self) -> bool {
        self.triggers(Bug::BadCommandEndsTurn)
    }

    fn on_idle_stop(&self) {
        if self.triggers(Bug::IdleStopStopsNextTurn) {
            self.poisoned.set(true);
        }
    }

    fn abandons_work(&self, halt: Halt, tool: bool) -> bool {
        match halt {
            Halt::Stop if tool => {
                // The tool spares its children when it starts; the effect shows here.
                let _ = self.triggers(Bug::StopKeepsChildren);
                self.triggers(Bug::StopKeepsTool)
            }
            Halt::Stop => self.triggers(Bug::StopKeepsRequest),
            Halt::Exit => tool && self.triggers(Bug::ToolOutlivesAgent),
        }
    }

    fn reports_cancelled_calls(&self) -> bool {
        !self.triggers(Bug::StopCancelsNothing)
    }

    fn reports_stop_as_failure(&self) -> bool {
        self.triggers(Bug::ReportsStopAsFailure)
    }

    fn saves_turn(&self) -> bool {
        !(self.resumed.get() && self.triggers(Bug::ResumedStaysUnsaved))
    }

    fn reports_turn_end(&self, halt: Halt) -> bool {
        !self.triggers(match halt {
            Halt::Stop => Bug::StopHasNoEnd,
            Halt::Exit => Bug::ExitHasNoEnd,
        })
    }

    fn compact(&self, conversation: &mut Conversation, summary: String) {
        let summary = match self.triggers(Bug::CompactionLosesSummary) {
            true => "(compacted)".into(),
            false => summary,
        };
        if self.triggers(Bug::CompactionKeepsHistory) {
            conversation.add_note(summary);
        } else if self.triggers(Bug::CompactForgetsAll) {
            conversation.messages.clear();
        } else if !self.triggers(Bug::CompactsNothing) {
            conversation.replace_by(summary);
        }
    }

    fn compaction_threshold(&self, threshold: u64, used: u64) -> u64 {
        match used > threshold {
            true if self.triggers(Bug::CompactsNever) => u64::MAX,
            false if used > threshold / 2 && self.triggers(Bug::CompactsEarly) => threshold / 2,
            _ => threshold,
        }
    }

    fn stop_cancels_shell_commands(&self) -> bool {
        !self.triggers(Bug::ShellIgnoresStop)
    }

    fn shell_options<'a>(&self, options: ShellOptions<'a>) -> ShellOptions<'a> {
        ShellOptions {
            root: match self.triggers(Bug::ShellRunsElsewhere) {
                true => Path::new("/"),
                false => options.root,
            },
            keeps_children: self.triggers(Bug::ShellKeepsChildren),
            twice: self.triggers(Bug::ShellRunsTwice),
            ..options
        }
    }

    fn shell_result(&self, mut result: ShellResult) -> ShellResult {
        if let Some(path) = &result.whole
            && self.triggers(Bug::KeepsWholeOutput)
            && let Ok(all) = std::fs::read_to_string(path)
        {
            result.output = all;
            result.whole = None;
        }
        result
    }

    fn shell_command_text(&self, text: String) -> Option<String> {
        if self.triggers(Bug::ShellResultNotSent) {
            return None;
        }
        if self.triggers(Bug::ShellResultReformatted) {
            return Some(text.replace("```", "---"));
        }
        Some(text)
    }
}

fn user(text: String) -> Message {
    Message {
        role: Role::User,
        content: vec![ContentBlock::Text(text)],
    }
}
