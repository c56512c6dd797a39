//! Faults of the process: its arguments, its input, the session that it opens, and its exit.

use super::active::Faults;
use super::bug::Bug;
use crate::model::message::Message;
use crate::os::stdin::{Input, InputLines};
use crate::session_store::{SessionChoice, SessionStore};
use std::time::Duration;

/// [`Bug::LongLineIsBad`] rejects longer lines, in bytes.
const MEBIBYTE: usize = 1 << 20;

/// [`Bug::LimitTooLow`] rejects longer lines, in bytes.
const LOW_LIMIT: usize = 64 << 10;

/// Even [`Bug::NoLimit`] rejects longer lines, in bytes.
const HIGH_LIMIT: usize = 64 << 20;

/// An end of input within this time counts as the end right after the last command.
const RIGHT_AFTER: Duration = Duration::from_millis(100);

impl Faults {
    /// Called before anything else.
    pub(crate) fn on_process_start(&self, args: &[String]) {
        const OLD_FLAGS: [&str; 2] = ["--max-turns", "--no-session"];
        let old_flag = args.iter().find(|arg| OLD_FLAGS.contains(&arg.as_str()));
        if let Some(flag) = old_flag
            && self.triggers(Bug::RejectsOldFlag)
        {
            eprintln!("error: unexpected argument '{flag}' found");
            std::process::exit(2);
        }
    }

    /// Called after everything else.
    pub(crate) fn on_process_end(&self) {
        if self.triggers(Bug::OrphanHoldsStdout) {
            use std::os::unix::process::CommandExt;
            let mut orphan = std::process::Command::new("sleep");
            let _ = orphan.arg("300").process_group(0).spawn();
        }
    }

    /// Whether the agent reports a failure right after its start although there is none.
    pub(crate) fn reports_failure_at_start(&self) -> bool {
        self.triggers(Bug::ReportsFailureFirst)
    }

    /// Whether a signal to shut down is ignored; `busy` if a tool call is open.
    pub(crate) fn ignores_signal(&self, busy: bool) -> bool {
        self.triggers(Bug::IgnoresSigterm) || busy && self.triggers(Bug::IgnoresSigtermInTool)
    }

    /// The exit status after a failed start.
    pub(crate) fn failed_start_status(&self, status: u8) -> u8 {
        if self.triggers(Bug::FatalExitsZero) {
            return 0;
        }
        status
    }

    /// The longest line of input, in bytes.
    pub(crate) fn line_limit(&self, limit: usize) -> usize {
        if self.is_armed(Bug::NoLimit) {
            HIGH_LIMIT
        } else {
            limit
        }
    }

    /// Changes a line of input; `None` is the end of input.
    pub(crate) fn input(&self, input: Input) -> Option<Input> {
        let input = match input {
            Input::Rest(_) if self.triggers(Bug::LosesLastLine) => return None,
            Input::Rest(line) => Input::Line(line),
            input => input,
        };
        let Input::Line(line) = &input else {
            return Some(input);
        };
        let bad = || Some(Input::Line(b"?".to_vec()));
        let blank = line.iter().all(u8::is_ascii_whitespace);
        match line.as_slice() {
            _ if std::str::from_utf8(line).is_err() && self.triggers(Bug::InvalidUtf8IsEof) => None,
            [.., b'\r'] if self.triggers(Bug::CrLfIsBad) => bad(),
            _ if blank && self.triggers(Bug::BlankLineIsBad) => bad(),
            _ if line.len() > MEBIBYTE && self.triggers(Bug::LongLineIsBad) => Some(Input::TooLong),
            _ if line.len() > MEBIBYTE && self.triggers(Bug::NoLimit) => Some(input),
            _ if line.len() == MEBIBYTE && self.triggers(Bug::LimitIsExclusive) => {
                Some(Input::TooLong)
            }
            _ if line.len() > LOW_LIMIT && self.triggers(Bug::LimitTooLow) => Some(Input::TooLong),
            _ => Some(input),
        }
    }

    /// Whether the latest command is lost because the input ends right after it.
    pub(crate) async fn loses_last_command(&self, input: &InputLines) -> bool {
        if !self.is_armed(Bug::LosesLastCommand) {
            return false;
        }
        tokio::time::sleep(RIGHT_AFTER).await;
        input.is_at_end() && self.triggers(Bug::LosesLastCommand)
    }

    /// Never returns if a fault keeps the agent alive after the end of its input.
    pub(crate) async fn outlives_input(&self, awaits_approval: bool) {
        if self.triggers(Bug::IgnoresEof)
            || awaits_approval && self.triggers(Bug::HangsAtEofDuringApproval)
        {
            std::future::pending::<()>().await;
        }
        while self.triggers(Bug::SpinsAfterEof) {
            tokio::task::yield_now().await;
        }
    }

    /// The session to open.
    pub(crate) fn session_choice(
        &self,
        choice: &SessionChoice,
        store: &SessionStore,
    ) -> SessionChoice {
        let known = |id: &str| store.ids().iter().any(|known| known == id);
        match choice {
            SessionChoice::Named(id) if known(id) && self.triggers(Bug::ReusesKnownId) => {
                SessionChoice::Resume(id.clone())
            }
            SessionChoice::Resume(id) if !known(id) && self.triggers(Bug::ResumesNothing) => {
                SessionChoice::Named(id.clone())
            }
            SessionChoice::New if !store.ids().is_empty() && self.triggers(Bug::ResumesUnasked) => {
                SessionChoice::Latest
            }
            SessionChoice::Latest if self.triggers(Bug::LatestIsFirst) => store
                .ids()
                .pop()
                .map_or(SessionChoice::Latest, SessionChoice::Resume),
            choice => choice.clone(),
        }
    }

    /// Changes the messages of a session that was opened.
    pub(crate) fn resumed_messages(&self, messages: &mut Vec<Message>) {
        self.resumed.set(!messages.is_empty());
        if !messages.is_empty() && self.triggers(Bug::ResumeForgets) {
            messages.clear();
        }
    }

    /// The exit status of an orderly end.
    pub(crate) fn exit_status(&self) -> u8 {
        if self.triggers(Bug::PanicsAtEnd) {
            101
        } else if self.triggers(Bug::ExitsWithThree) {
            3
        } else {
            0
        }
    }

    /// Whether the processes that tools have left are killed at the exit.
    pub(crate) fn kills_leftover_processes(&self) -> bool {
        !self.triggers(Bug::ToolOutlivesAgent)
    }
}
