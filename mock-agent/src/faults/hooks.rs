//! The core's named hooks: each takes what is right, and gives back what is done.

use super::Faults;
use super::fault::Bug;
use crate::core::approval::{Decision, Mode};
use crate::core::failure::Halt;
use crate::core::queues::Prompt;
use crate::core::queues::Queues;
use crate::model::ModelRequest;
use crate::model::message::{Block, Message, ResultContent};
use crate::os::stdin::Input;
use crate::store::{Choice, Store};
use crate::tools::Category;
use std::path::Path;
use std::time::Duration;
use tokio::sync::mpsc::Receiver;

/// A line longer than this is refused by [`Bug::LongLineIsBad`].
const SHORT: usize = 1 << 20;

/// A line longer than this is refused by [`Bug::LimitTooLow`].
const SHORTER: usize = 64 << 10;

/// A line longer than this is refused even by [`Bug::NoLimit`].
const LONG: usize = 64 << 20;

/// What comes within this time comes right behind.
const RIGHT_BEHIND: Duration = Duration::from_millis(100);

impl Faults {
    /// Whether a call must be asked for.
    pub(crate) fn asks(&self, right: bool, mode: Mode, category: Category, tool: &str) -> bool {
        let quiet = matches!(category, Category::Info | Category::Edit);
        let known = || self.approved.borrow().iter().any(|name| name == tool);
        match right {
            true if self.applies(Bug::NeverAsks, mode == Mode::Default) => false,
            true if self.applies(Bug::AutoEditAllowsAll, mode == Mode::AutoEdit) => false,
            true if self.applies(
                Bug::SpawnsUnasked,
                mode == Mode::AutoEdit && tool == "Spawn",
            ) =>
            {
                false
            }
            false if self.applies(Bug::AsksForSpawn, mode == Mode::Yolo && tool == "Spawn") => true,
            false if self.applies(Bug::AsksInYolo, mode == Mode::Yolo) => true,
            false if self.applies(Bug::AsksInAutoEdit, mode == Mode::AutoEdit && quiet) => true,
            false if self.applies(Bug::AlwaysIsForTool, mode == Mode::Default && !known()) => true,
            right => right,
        }
    }

    fn applies(&self, bug: Bug, case: bool) -> bool {
        case && self.plays(bug)
    }

    /// What the host's answer to a call is taken for.
    pub(crate) fn decision(&self, right: Decision, tool: &str) -> Decision {
        if right == (Decision::Approve { always: true }) {
            self.approved.borrow_mut().push(tool.to_owned());
        }
        match right {
            Decision::Approve { always: true } if self.plays(Bug::IgnoresAlways) => {
                Decision::Approve { always: false }
            }
            Decision::Approve { always: false } if self.plays(Bug::OnceIsAlways) => {
                Decision::Approve { always: true }
            }
            Decision::Deny { .. } if self.plays(Bug::RunsDenied) => {
                Decision::Approve { always: false }
            }
            right => right,
        }
    }

    /// The categories that "always" lets pass.
    pub(crate) fn allowed(&self, right: Category) -> Vec<Category> {
        if self.plays(Bug::AlwaysAllowsAll) {
            return vec![
                Category::Info,
                Category::Edit,
                Category::Exec,
                Category::Mcp,
            ];
        }
        vec![right]
    }

    /// The mode that is set.
    pub(crate) fn mode(&self, now: Mode, wanted: Mode, in_turn: bool) -> Mode {
        if now != wanted && self.plays(Bug::IgnoresMode) {
            return now;
        }
        if now == Mode::Yolo && wanted == Mode::AutoEdit && self.plays(Bug::YoloStays) {
            return now;
        }
        if now != wanted && in_turn && self.plays(Bug::ModeWaits) {
            self.late_mode.set(Some(wanted));
            return now;
        }
        wanted
    }

    /// The mode that waits for the end of the turn.
    pub(crate) fn late_mode(&self) -> Option<Mode> {
        self.late_mode.take()
    }

    /// The id of a call as the host is told; `n` calls of the same reply came before it.
    pub(crate) fn call_id(&self, right: &str, n: usize) -> String {
        if self.plays(Bug::CallIdsBeginAgain) {
            return format!("call-{n}");
        }
        right.to_owned()
    }

    /// What the model is told of a denied call.
    pub(crate) fn denial(&self, right: String) -> String {
        if self.plays(Bug::LosesReason) {
            return "The user denied this call.".into();
        }
        right
    }

    /// The calls of a reply that are taken in.
    pub(crate) fn wanted<T>(&self, mut right: Vec<T>) -> Vec<T> {
        if right.len() > 1 && self.plays(Bug::LosesSecondCall) {
            right.truncate(1);
        }
        right
    }

    /// Whether a turn that is halted goes on all the same.
    pub(crate) fn ignores(&self, halt: Halt) -> bool {
        let stop = halt == Halt::Stop;
        stop && (self.plays(Bug::IgnoresStop) || self.ignores_second_stop())
    }

    /// Whether this stop, which is one more, changes nothing.
    pub(crate) fn ignores_second_stop(&self) -> bool {
        self.stopped.replace(true) && self.plays(Bug::StopsOnce)
    }

    /// Whether what a halted turn was doing is left to itself.
    pub(crate) fn keeps_work(&self, halt: Halt, tool: bool) -> bool {
        match halt {
            Halt::Stop if tool => {
                // The tool's children are spared where they are started; it shows here.
                let _ = self.plays(Bug::StopKeepsChildren);
                self.plays(Bug::StopKeepsTool)
            }
            Halt::Stop => self.plays(Bug::StopKeepsRequest),
            Halt::Exit => tool && self.plays(Bug::ToolOutlivesAgent),
        }
    }

    /// A stop came while there was nothing to stop.
    pub(crate) fn idle_stop(&self) {
        if self.plays(Bug::IdleStopPoisons) {
            self.poisoned.set(true);
        }
    }

    /// Whether a turn is over before it begins.
    pub(crate) fn poisons(&self) -> bool {
        self.poisoned.take()
    }

    /// Whether the next turn never begins, although it should.
    pub(crate) fn stuck(&self) -> bool {
        self.turn() == self.first_turn() && self.plays(Bug::SecondTurnStuck)
    }

    /// A line of input as it is taken; none for the end of file.
    pub(crate) fn input(&self, input: Input) -> Option<Input> {
        let input = match input {
            Input::Rest(_) if self.plays(Bug::LosesLastLine) => return None,
            Input::Rest(line) => Input::Line(line),
            input => input,
        };
        let Input::Line(line) = &input else {
            return Some(input);
        };
        let bad = || Some(Input::Line(b"?".to_vec()));
        let blank = line.iter().all(u8::is_ascii_whitespace);
        match line.as_slice() {
            _ if std::str::from_utf8(line).is_err() && self.plays(Bug::InvalidUtf8IsEof) => None,
            [.., b'\r'] if self.plays(Bug::CrLfIsBad) => bad(),
            _ if blank && self.plays(Bug::BlankLineIsBad) => bad(),
            _ if line.len() > SHORT && self.plays(Bug::LongLineIsBad) => Some(Input::TooLong),
            _ if line.len() > SHORT && self.plays(Bug::NoLimit) => Some(input),
            _ if line.len() == SHORT && self.plays(Bug::LimitExcludesItself) => {
                Some(Input::TooLong)
            }
            _ if line.len() > SHORTER && self.plays(Bug::LimitTooLow) => Some(Input::TooLong),
            _ => Some(input),
        }
    }

    /// Whether a command is lost because stdin ends right behind it.
    pub(crate) async fn loses_last(&self, input: &Receiver<Input>) -> bool {
        if !self.intends(Bug::LosesLastCommand) {
            return false;
        }
        tokio::time::sleep(RIGHT_BEHIND).await;
        input.is_closed() && input.is_empty() && self.plays(Bug::LosesLastCommand)
    }

    /// The longest line that is taken.
    pub(crate) fn line_limit(&self, right: usize) -> usize {
        if self.intends(Bug::NoLimit) {
            LONG
        } else {
            right
        }
    }

    /// What was queued and goes to the model now; `done` if it wants no more tools.
    pub(crate) fn due(&self, queues: &Queues, done: bool) -> Vec<Prompt> {
        let Queues {
            steering,
            following,
        } = queues;
        if steering.is_waiting() && !done && self.plays(Bug::SteersWait) {
            return vec![];
        }
        let early = following.is_waiting() && (steering.is_waiting() || !done);
        if early && self.plays(Bug::FollowsEarly) {
            return following.take();
        }
        let between = following.is_waiting() && !steering.is_waiting() && !done;
        if between && self.plays(Bug::FollowsAfterTools) {
            return following.take();
        }
        let steers = steering.is_waiting();
        let (queue, bug) = match steers {
            true => (steering, Bug::SteersTogether),
            false => (following, Bug::FollowsTogether),
        };
        if queue.len() > 1 && !queue.together.get() && (steers || done) && self.plays(bug) {
            queue.together.set(true);
            let due = queues.due(done);
            queue.together.set(false);
            return due;
        }
        queues.due(done)
    }

    /// The number of a sub-agent.
    pub(crate) fn helper(&self, right: u64) -> u64 {
        if right > 1 && self.plays(Bug::HelperIdsRepeat) {
            return 1;
        }
        if self.plays(Bug::HelperIdsFall) {
            return 1000_u64.saturating_sub(right);
        }
        right
    }

    /// What the model is told that the user said.
    pub(crate) fn prompt(&self, right: &str) -> String {
        if self.plays(Bug::LosesInput) {
            return "(nothing)".into();
        }
        right.to_owned()
    }

    /// The files that the model is shown.
    pub(crate) fn files<'f>(&self, right: &'f [String]) -> &'f [String] {
        if !right.is_empty() && self.plays(Bug::LosesFiles) {
            return &[];
        }
        right
    }

    /// An attached file as the model is shown it.
    pub(crate) fn attached(&self, mut right: Block) -> Block {
        if let Block::Image { media_type, .. } = &mut right
            && media_type != "image/png"
            && self.plays(Bug::ImagesArePng)
        {
            "image/png".clone_into(media_type);
        }
        right
    }

    /// What is left of the conversation when a turn begins.
    pub(crate) fn forget(&self, messages: &mut Vec<Message>) {
        if !messages.is_empty() && self.plays(Bug::ForgetsTurns) {
            messages.clear();
        }
        if messages.len() >= 4 && self.plays(Bug::ForgetsFirstTurn) {
            messages.drain(..2);
        }
        self.forget_denials(messages);
        self.forget_files(messages);
        let calls = |block: &Block| matches!(block, Block::Call { .. } | Block::Result { .. });
        let called = messages
            .iter()
            .any(|message| message.content.iter().any(calls));
        if called && self.plays(Bug::ForgetsOldResults) {
            for message in messages.iter_mut() {
                message.content.retain(|block| !calls(block));
            }
            messages.retain(|message| !message.content.is_empty());
        }
    }

    /// Takes the calls that were denied out of the conversation.
    fn forget_denials(&self, messages: &mut Vec<Message>) {
        let denied: Vec<_> = messages
            .iter()
            .flat_map(|message| &message.content)
            .filter_map(|block| match block {
                Block::Result {
                    call,
                    output: ResultContent::Text(text),
                    ..
                } if text.contains("denied") => Some(call.clone()),
                _ => None,
            })
            .collect();
        if denied.is_empty() || !self.plays(Bug::ForgetsDenials) {
            return;
        }
        for message in messages.iter_mut() {
            message.content.retain(|block| match block {
                Block::Call { id: call, .. } | Block::Result { call, .. } => !denied.contains(call),
                _ => true,
            });
        }
        messages.retain(|message| !message.content.is_empty());
    }

    /// Takes what was attached out of the conversation.
    fn forget_files(&self, messages: &mut [Message]) {
        let attached = |block: &Block| match block {
            Block::Text(text) => text.contains("<file path="),
            Block::Image { .. } | Block::Document { .. } => true,
            _ => false,
        };
        let mut blocks = messages.iter().flat_map(|message| &message.content);
        if blocks.any(attached) && self.plays(Bug::ForgetsFiles) {
            for message in messages {
                message.content.retain(|block| !attached(block));
            }
        }
    }

    /// The request that goes to the model.
    pub(crate) fn request(&self, right: &mut ModelRequest<'_>) {
        if !self.asked.replace(true) {
            return;
        }
        if self.plays(Bug::SystemPromptOnce) {
            right.system = "";
        }
        if self.plays(Bug::MaxTokensOnce) {
            right.max_tokens = 4096;
        }
        if self.turn() > self.first_turn() && self.plays(Bug::ToolsOnce) {
            right.tools = &[];
        }
    }

    /// What is left of the conversation when a session is resumed.
    pub(crate) fn remember(&self, messages: &mut Vec<Message>) {
        self.resumed.set(!messages.is_empty());
        if !messages.is_empty() && self.plays(Bug::ResumeForgets) {
            messages.clear();
        }
    }

    /// Whether what a turn has said is not saved.
    pub(crate) fn leaves_unsaved(&self) -> bool {
        self.resumed.get() && self.plays(Bug::ResumedStaysUnsaved)
    }

    /// The results of tools as the model is told.
    pub(crate) fn results(&self, mut right: Vec<Block>) -> Vec<Block> {
        for block in &mut right {
            if let Block::Result { output, .. } = block
                && let ResultContent::Text(text) = output
                && text.len() > 4096
                && self.plays(Bug::CutsToolResults)
            {
                text.truncate(text.floor_char_boundary(4096));
            }
        }
        if self.plays(Bug::LosesToolResults) {
            for block in &mut right {
                if let Block::Result { output, .. } = block {
                    *output = ResultContent::Text("ok".into());
                }
            }
        }
        right
    }

    /// The session that is opened.
    pub(crate) fn session(&self, right: &Choice, store: &Store) -> Choice {
        let known = |id: &str| store.ids().iter().any(|known| known == id);
        match right {
            Choice::Named(id) if known(id) && self.plays(Bug::TakesKnownId) => {
                Choice::Resume(id.clone())
            }
            Choice::Resume(id) if !known(id) && self.plays(Bug::ResumesNothing) => {
                Choice::Named(id.clone())
            }
            Choice::New if !store.ids().is_empty() && self.plays(Bug::ResumesUnasked) => {
                Choice::Latest
            }
            Choice::Latest if self.plays(Bug::LatestIsFirst) => {
                store.ids().pop().map_or(Choice::Latest, Choice::Resume)
            }
            right => right.clone(),
        }
    }

    /// Before anything else.
    pub(crate) fn at_start(&self, args: &[String]) {
        const OLD: [&str; 2] = ["--max-turns", "--no-session"];
        let gone = args.iter().find(|arg| OLD.contains(&arg.as_str()));
        if let Some(flag) = gone
            && self.plays(Bug::FlagGone)
        {
            eprintln!("error: unexpected argument '{flag}' found");
            std::process::exit(2);
        }
    }

    /// What the model is told of a shell command of the host's; none for nothing.
    pub(crate) fn told(&self, right: String) -> Option<String> {
        if self.plays(Bug::ShellStaysUntold) {
            return None;
        }
        if self.plays(Bug::ShellToldOtherwise) {
            return Some(right.replace("```", "---"));
        }
        Some(right)
    }

    /// Where shell commands of the host's run.
    pub(crate) fn shell_root<'r>(&self, right: &'r Path) -> &'r Path {
        if self.plays(Bug::ShellRunsElsewhere) {
            return Path::new("/");
        }
        right
    }

    /// What the model is told first from a compaction on.
    pub(crate) fn summary(&self, right: String) -> String {
        if self.plays(Bug::CompactionLosesSummary) {
            return "(compacted)".into();
        }
        right
    }

    /// From how many tokens on the conversation is compacted without being asked.
    pub(crate) fn compact_at(&self, right: u64, now: u64) -> u64 {
        match now > right {
            true if self.plays(Bug::CompactsNever) => u64::MAX,
            false if now > right / 2 && self.plays(Bug::CompactsEarly) => right / 2,
            _ => right,
        }
    }

    /// The exit status of an orderly end.
    pub(crate) fn status(&self) -> u8 {
        if self.plays(Bug::PanicsAtEnd) {
            101
        } else if self.plays(Bug::ExitsWithThree) {
            3
        } else {
            0
        }
    }

    /// What keeps an agent alive behind the end of its input, for ever.
    pub(crate) async fn deafness(&self, asking: bool) {
        if self.plays(Bug::DeafToEof) || asking && self.plays(Bug::HangsAtEofWhileAsking) {
            std::future::pending::<()>().await;
        }
        while self.plays(Bug::SpinsAfterEof) {
            tokio::task::yield_now().await;
        }
    }

    /// Whether processes that tools have left are ended with the agent.
    pub(crate) fn sweeps(&self) -> bool {
        !self.plays(Bug::ToolOutlivesAgent)
    }

    /// After everything else.
    pub(crate) fn at_end(&self) {
        if self.plays(Bug::OrphanHoldsStdout) {
            use std::os::unix::process::CommandExt;
            let mut orphan = std::process::Command::new("sleep");
            let _ = orphan.arg("300").process_group(0).spawn();
        }
    }
}
