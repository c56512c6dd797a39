//! Compaction: the model sums up the conversation, and the summary takes its place.

use super::event::{CompactionReason, Event, Summary, SummaryRetry};
use super::failure::{Code, Failure};
use super::hooks::After;
use super::reply::ReplyBuilder;
use super::session::Session;
use super::side_request::silent_reply;
use crate::model::ModelRequest;
use crate::model::message::{ContentBlock, Message, Role, TokenUsage};
use tokio::sync::Notify;

/// A compaction, asked for or not.
#[derive(Debug, Default)]
pub(crate) struct Compaction {
    /// What the summary is to dwell on.
    instructions: Option<String>,
    reason: CompactionReason,
    stopped: Notify,
}

/// What a compaction that was stopped says.
pub(crate) const ABORTED: &str = "The compaction was aborted";

/// What models say of a context that is too long for them.
const OVERFLOWS: [&str; 3] = [
    "prompt is too long",
    "exceeds the context window",
    "maximum context length",
];

/// Whether the model refused because the context is too long.
pub(crate) fn is_overflow(failure: &Failure) -> bool {
    OVERFLOWS.iter().any(|text| failure.message.contains(text))
}

/// What the model is told to do.
const ORDER: &str = "Summarize this conversation so that it can go on from the summary alone: what is wanted, \
what was done, what was found out, and what is left to do. Answer with the summary and nothing else.";

/// What stands in front of the summary from then on.
const PREFACE: &str = "The conversation so far was compacted. This is its summary:";

/// About how many bytes a token has, where the model has not counted.
const BYTES_OF_TOKEN: usize = 4;

impl Compaction {
    pub(crate) fn asked_for(instructions: Option<String>) -> Self {
        Compaction {
            instructions,
            ..Compaction::default()
        }
    }

    pub(crate) fn because(reason: CompactionReason) -> Self {
        Compaction {
            reason,
            ..Compaction::default()
        }
    }

    /// Stops it, soon.
    pub(crate) fn stop(&self) {
        self.stopped.notify_one();
    }

    /// Does it, and says what came of it. True if what failed before may work now.
    pub(crate) async fn run(&self, session: &Session) -> bool {
        session.events.emit(&Event::CompactionStart(self.reason));
        let done = tokio::select! {
            biased;
            () = self.stopped.notified() => Err(Failure::lasting(Code::Internal, ABORTED)),
            done = self.compact(session) => done,
        };
        match done {
            Ok(summary) => session.events.emit(&Event::CompactionEnd(&summary)),
            Err(failure) => {
                session.forget(After::FailedCompaction);
                session.events.emit_failure(&failure);
                return false;
            }
        }
        self.reason == CompactionReason::Overflow
    }

    async fn compact(&self, session: &Session) -> Result<Summary, Failure> {
        let mut messages = {
            let mut conversation = session.conversation.borrow_mut();
            conversation.take_asides();
            conversation.messages.clone()
        };
        if messages.is_empty() {
            return Err(protocol("There is nothing to compact"));
        }
        let before = match session.context.get() {
            0 => estimate(&messages),
            counted => counted,
        };
        messages.push(Message {
            role: Role::User,
            content: vec![ContentBlock::Text(self.order())],
        });
        let (tools, model) = (session.tools.specs(), session.model_name.borrow().clone());
        let mut request = session.settings.request(&messages, &tools);
        request.model = &model;
        let (said, usage) = self.summary(session, &request).await?;
        let text = said.text();
        if text.trim().is_empty() {
            let why = "The model gave no summary";
            return Err(Failure::lasting(Code::Provider, why));
        }
        let auto = self.reason != CompactionReason::Manual;
        let mut conversation = session.conversation.borrow_mut();
        let summary = format!("{PREFACE}\n\n{text}");
        session.hooks.compact(&mut conversation, summary);
        session.context.set(0);
        if let Err(error) = conversation.save() {
            tracing::warn!("the session could not be saved: {error}");
        }
        Ok(Summary {
            text,
            usage,
            before,
            auto,
        })
    }

    /// What the model answers; asked again where it fails and that may help.
    async fn summary(
        &self,
        session: &Session,
        request: &ModelRequest<'_>,
    ) -> Result<(ReplyBuilder, TokenUsage), Failure> {
        let plan = session.settings.turn_retries.filter(|plan| plan.summaries);
        let say = |retry: SummaryRetry<'_>| session.events.emit(&Event::SummaryRetry(&retry));
        let mut attempt = 0;
        loop {
            let answer = silent_reply(session, request).await;
            let answer = answer.map_err(Failure::from);
            let left = plan.filter(|plan| attempt < plan.attempts);
            let again = |failure: &&Failure| failure.retryable && !is_overflow(failure);
            let (Some(plan), Some(failure)) = (left, answer.as_ref().err().filter(again)) else {
                if attempt > 0 {
                    say(SummaryRetry::Finished);
                }
                return answer;
            };
            attempt += 1;
            let (of, delay) = (plan.attempts, plan.wait(attempt));
            say(SummaryRetry::Scheduled {
                attempt,
                of,
                delay,
                failure,
            });
            tokio::time::sleep(delay).await;
            say(SummaryRetry::Starts(self.reason));
        }
    }

    fn order(&self) -> String {
        match &self.instructions {
            Some(instructions) => format!("{ORDER}\n\n{instructions}"),
            None => ORDER.to_owned(),
        }
    }
}

fn protocol(why: &str) -> Failure {
    Failure::lasting(Code::Protocol, why)
}

/// Tokens in messages that no model has counted.
pub(crate) fn estimate(messages: &[Message]) -> u64 {
    if messages.is_empty() {
        return 0;
    }
    let bytes = serde_json::to_string(messages).map_or(0, |text| text.len());
    bytes.div_ceil(BYTES_OF_TOKEN) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_follow_the_order() {
        let plain = Compaction::because(CompactionReason::Threshold).order();
        let guided = Compaction::asked_for(Some("Dwell on x".into())).order();

        assert_eq!(plain, ORDER);
        assert_eq!(guided, format!("{ORDER}\n\nDwell on x"));
    }
}
