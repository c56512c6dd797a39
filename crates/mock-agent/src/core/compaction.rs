//! Compaction: the model summarizes the conversation, and the summary replaces it.

use super::model_request::collect_reply;
use super::{
    CompactionReason, Event, Failure, FailureSource, ReplyBuilder, Session, Summary, SummaryRetry,
};
use crate::faults::Bug;
use crate::model::{ContentBlock, Message, ModelRequest, Role, SUMMARY_PROMPT, Usage};
use tokio::sync::Notify;

/// A compaction that is queued or runs.
#[derive(Debug)]
pub(crate) struct Compaction {
    /// The instructions of the host for the summary.
    pub(super) instructions: Option<String>,
    pub(super) reason: CompactionReason,
    /// Asks it to stop.
    pub(super) stop: Notify,
}

/// The failure of a compaction that was stopped.
pub(crate) const ABORTED: &str = "The compaction was aborted";

/// Parts of error messages of models whose context window is exceeded.
const OVERFLOW_MESSAGES: [&str; 3] = [
    "prompt is too long",
    "exceeds the context window",
    "maximum context length",
];

/// Whether the model has rejected a request because the context is too long.
pub(crate) fn is_context_overflow(failure: &Failure) -> bool {
    OVERFLOW_MESSAGES
        .iter()
        .any(|text| failure.message.contains(text))
}

/// The text before the summary in the conversation.
const INTRODUCTION: &str = "The conversation so far was compacted. This is its summary:";

/// The estimated bytes of a token.
const BYTES_PER_TOKEN: usize = 4;

impl Compaction {
    /// Runs the compaction and reports its result. True if the turn that has failed before can be retried.
    pub(crate) async fn run(&self, session: &Session) -> bool {
        session.events.emit(&Event::CompactionStart(self.reason));
        let result = tokio::select! {
            biased;
            () = self.stop.notified() => Err(Failure::permanent(FailureSource::Internal, ABORTED)),
            result = self.summarize(session) => result,
        };
        match result {
            Ok(summary) => session.events.emit(&Event::CompactionEnd(&summary)),
            Err(failure) => {
                session.forget_turns_if(Bug::FailedCompactForgets);
                session.events.emit_failure(&failure);
                return false;
            }
        }
        self.reason == CompactionReason::Overflow
    }

    async fn summarize(&self, session: &Session) -> Result<Summary, Failure> {
        let mut messages = {
            let mut conversation = session.conversation.borrow_mut();
            conversation.append_notes();
            conversation.messages.clone()
        };
        let mut cut = first_kept(&messages, session.settings.compaction_keeps);
        let is_overflow = self.reason == CompactionReason::Overflow;
        if cut == 0 && is_overflow {
            cut = messages.len();
        }
        if cut == 0 {
            return Err(Failure::protocol("There is nothing to compact"));
        }
        let before = match session.context_tokens.get() {
            0 => estimate_tokens(&messages),
            counted => counted,
        };
        // The prompt that did not fit is asked again, so the summary does not replace it.
        let asked_again = messages
            .last()
            .filter(|last| is_overflow && is_prompt(last));
        let mut kept: Vec<Message> = asked_again.cloned().into_iter().collect();
        if cut < messages.len() {
            kept = messages.split_off(cut);
        }
        messages.push(Message::user(self.prompt()));
        let (tools, model) = (session.tools.specs(), session.model_name.borrow().clone());
        let request = session.settings.request(&model, &messages, &tools);
        let (reply, usage) = self.request_summary(session, &request).await?;
        let text = reply.into_text();
        if text.trim().is_empty() {
            let why = "The model gave no summary";
            return Err(Failure::permanent(FailureSource::Provider, why));
        }
        let auto = self.reason != CompactionReason::Manual;
        let mut conversation = session.conversation.borrow_mut();
        let faults = &session.faults;
        let summary = if faults.triggers(Bug::CompactionLosesSummary) {
            "(compacted)".into()
        } else {
            introduced(&text)
        };
        let kept_prompts = kept.iter().filter(|one| is_prompt(one)).count();
        if faults.triggers(Bug::CompactionKeepsHistory) {
            conversation.add_note(summary);
        } else if faults.triggers(Bug::CompactForgetsAll) {
            conversation.messages.clear();
        } else if !faults.triggers(Bug::CompactsNothing) {
            conversation.replace_by(summary, kept);
        }
        session.context_tokens.set(0);
        if let Err(error) = conversation.save() {
            tracing::warn!("the session could not be saved: {error}");
        }
        Ok(Summary {
            text,
            usage,
            before,
            auto,
            kept_prompts,
        })
    }

    /// The model's reply to the summary request, with retries.
    async fn request_summary(
        &self,
        session: &Session,
        request: &ModelRequest<'_>,
    ) -> Result<(ReplyBuilder, Usage), Failure> {
        let policy = session
            .settings
            .turn_retries
            .filter(|policy| policy.summaries);
        let emit = |retry: SummaryRetry<'_>| session.events.emit(&Event::SummaryRetry(&retry));
        let mut attempt = 0;
        loop {
            let collected = collect_reply(session, request).await;
            let answer = collected.map_err(Failure::from);
            let left = policy.filter(|policy| attempt < policy.attempts);
            let again = |failure: &&Failure| failure.retryable && !is_context_overflow(failure);
            let (Some(policy), Some(failure)) = (left, answer.as_ref().err().filter(again)) else {
                if attempt > 0 {
                    emit(SummaryRetry::Finished);
                }
                return answer;
            };
            attempt += 1;
            let scheduled = policy.retry(attempt, failure);
            emit(SummaryRetry::Scheduled(scheduled));
            session.clock().sleep(scheduled.delay).await;
            emit(SummaryRetry::Starts(self.reason));
        }
    }

    fn prompt(&self) -> String {
        match &self.instructions {
            Some(instructions) => format!("{SUMMARY_PROMPT}\n\n{instructions}"),
            None => SUMMARY_PROMPT.to_owned(),
        }
    }
}

/// The position of the first message that is kept: that of the first whole turn in the last `tokens`.
fn first_kept(messages: &[Message], tokens: u64) -> usize {
    let mut left = tokens;
    let mut first = messages.len();
    while left > 0 && first > 0 {
        first -= 1;
        left = left.saturating_sub(message_tokens(&messages[first]));
    }
    if left > 0 {
        return 0;
    }
    let turn = messages[first..].iter().position(is_prompt);
    turn.map_or(messages.len(), |turn| first + turn)
}

/// Whether the message is a prompt of the user, not the results of tools.
pub(super) fn is_prompt(message: &Message) -> bool {
    let is_text = |block: &ContentBlock| matches!(block, ContentBlock::Text(_));
    message.role == Role::User && message.content.iter().any(is_text)
}

/// An estimate of the tokens in the text of a message.
fn message_tokens(message: &Message) -> u64 {
    let bytes = message.content.iter().map(|block| match block {
        ContentBlock::Text(text) | ContentBlock::Thinking { text, .. } => text.len(),
        block => serde_json::to_string(block).map_or(0, |text| text.len()),
    });
    bytes.sum::<usize>().div_ceil(BYTES_PER_TOKEN) as u64
}

/// A summary as the model gets it.
pub(crate) fn introduced(summary: &str) -> String {
    format!("{INTRODUCTION}\n\n{summary}")
}

/// An estimate of the tokens in messages.
pub(crate) fn estimate_tokens(messages: &[Message]) -> u64 {
    if messages.is_empty() {
        return 0;
    }
    let bytes = serde_json::to_string(messages).map_or(0, |text| text.len());
    bytes.div_ceil(BYTES_PER_TOKEN) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_turns_are_kept() {
        let message = |role, text: &str| Message {
            role,
            content: vec![ContentBlock::Text(text.to_owned())],
        };
        let [question, answer] =
            [Role::User, Role::Assistant].map(|role| message(role, "12345678"));
        let messages = [question.clone(), answer.clone(), question, answer];

        assert_eq!(first_kept(&messages, 0), 4);
        assert_eq!(first_kept(&messages, 1), 4, "a part of a turn is not kept");
        assert_eq!(first_kept(&messages, 3), 2);
        assert_eq!(first_kept(&messages, 5), 2);
        assert_eq!(first_kept(&messages, 7), 0);
        assert_eq!(first_kept(&messages, 100), 0);
        assert_eq!(first_kept(&[], 0), 0);
    }
}
