//! The interface of monitors: a monitor sees the frames of a session in order and reports the violations of its rule.

use super::eval_context::EvalContext;
use super::frame_context::{FrameContext, KeyPart, MessagePart, fill_message};
use super::slices::SliceKey;
use crate::finding::{Blame, Finding};
use conform_dialect::ordering::file::AtEnd;
use frame_language::Condition;

/// The parts of a rule that monitors of every form need.
#[derive(Debug, Clone, Default)]
pub struct MonitorConfig {
    /// How the history is sliced.
    pub each: Vec<KeyPart>,
    /// The scopes named in `each`.
    pub scopes: Vec<usize>,
    /// The guard: frames for which it is not certainly true are not judged.
    pub when: Option<Condition>,
    /// The message of its findings; without one, the form makes the message.
    pub message: Option<Vec<MessagePart>>,
    /// Who is to blame, if not the sender of the frame that breaks the rule.
    pub blame: Option<Blame>,
}

impl MonitorConfig {
    /// The message of a violation: the rule's own, or the form's.
    pub fn violation_message(
        &self,
        eval: &EvalContext<'_>,
        form: impl FnOnce() -> String,
    ) -> String {
        self.message
            .as_ref()
            .map_or_else(form, |message| fill_message(message, eval))
    }
}

/// A frame as the monitor of a rule sees it.
pub struct Moment<'a> {
    /// The configuration of the rule.
    pub config: &'a MonitorConfig,
    /// The frame, with the state before it.
    pub context: FrameContext<'a>,
    /// The violations.
    pub out: &'a mut Vec<Finding>,
}

/// The circumstances of the end of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EndCircumstances {
    /// The process ended without a request: no end of input, no signal, no command to quit.
    pub by_itself: bool,
    /// The harness waited for the agent until a timeout.
    pub out_of_time: bool,
    /// The process exited with status 0 after the host had closed its stdin or sent a command to quit: it had the time to finish.
    pub orderly: bool,
    /// The process ended, on request or not, and was not killed by the harness.
    pub ended: bool,
}

impl EndCircumstances {
    /// Whether this end is the last chance of a rule. After a request to end and at a timeout, the agent may have waited for the host: then
    /// the condition `timeout_if` must hold, and no request of the agent is open.
    pub fn is_last_chance(
        self,
        at_end: AtEnd,
        context: &FrameContext<'_>,
        timeout_if: Option<&Condition>,
    ) -> bool {
        let agent_could_go_on = self.by_itself || context.agent_has_to_go_on(timeout_if);
        agent_could_go_on
            && match at_end {
                AtEnd::Own => self.by_itself || self.orderly || self.out_of_time,
                AtEnd::Any => self.ended || self.out_of_time,
                AtEnd::Never => false,
            }
    }
}

/// The runtime of a rule: it sees the frames of a session in order and reports violations, without the parts that all findings of its rule
/// share.
pub trait Monitor: Send + BoxedClone {
    /// Handles a frame. `key` is the slice that the frame belongs to by the rule's `each`.
    fn on_frame(&mut self, key: Option<&SliceKey>, at: &mut Moment<'_>);

    /// Handles the end of a scope that the rule slices by. The monitor has seen the frame that closes it. With `judge` false the slices
    /// are forgotten without a check.
    fn on_scope_closed(&mut self, _judge: bool, _at: &mut Moment<'_>) {}

    /// Handles the end of the session.
    fn on_end(&mut self, _end: EndCircumstances, _at: &mut Moment<'_>) {}

    /// When the last response is overdue that the agent must send by itself within a budget (`unless_within`), in microseconds since the
    /// spawn.
    fn overdue_at(&self, _context: &FrameContext<'_>) -> Option<u64> {
        None
    }

    /// How often the rule applied.
    fn exercised(&self) -> u64;

    /// How often each reading was met.
    fn readings(&self) -> Vec<(String, u64)> {
        Vec::new()
    }
}

/// Clones a monitor in a box.
pub trait BoxedClone {
    /// A copy in the same state.
    fn boxed_clone(&self) -> Box<dyn Monitor>;
}

impl<M: Monitor + Clone + 'static> BoxedClone for M {
    fn boxed_clone(&self) -> Box<dyn Monitor> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Monitor> {
    fn clone(&self) -> Self {
        (**self).boxed_clone()
    }
}
