//! Compiled rules, their forms, and the interface of monitors.

use super::deadline::DeadlineRule;
use super::frame_context::{FrameContext, KeyPart, MessagePart};
use super::order::OrderRule;
use super::readings::ReadingsRule;
use super::require::RequireRule;
use super::slices::SliceKey;
use super::symbol::SymbolSet;
use crate::finding::{Blame, Level, Source};
use spanned_yaml::Span;

/// A rule.
#[derive(Debug, Clone)]
pub struct Rule {
    /// `DIALECT/NAME`; append-only.
    pub id: String,
    /// Its position in its file.
    pub span: Span,
    /// The level of its findings.
    pub level: Level,
    /// The source of the rule.
    pub source: Source,
    /// The clauses it checks.
    pub clauses: Vec<String>,
    /// What it asks, why a host cares, an example: the text of `conform explain`.
    pub doc: String,
    /// The message of its findings; without one, the form makes the message.
    pub message: Option<Vec<MessagePart>>,
    /// Who is to blame, if not the sender of the frame that breaks it.
    pub blame: Option<Blame>,
    /// How the history is sliced.
    pub each: Vec<KeyPart>,
    /// The scopes named in `each`.
    pub scopes: Vec<usize>,
    /// What it checks.
    pub form: RuleForm,
}

impl Rule {
    /// The names of its readings; none for a rule that can be broken.
    #[must_use]
    pub fn readings(&self) -> Vec<&str> {
        match &self.form {
            RuleForm::Readings(probe) => probe
                .readings
                .iter()
                .map(|(name, _)| name.as_str())
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// The form of a rule.
#[derive(Debug, Clone)]
pub enum RuleForm {
    /// The frames of a slice come in an order.
    Order(Box<OrderRule>),
    /// A condition holds whenever a frame comes.
    Require(Box<RequireRule>),
    /// A frame comes in time.
    Deadline(Box<DeadlineRule>),
    /// The bytes of a line have none of these defects.
    Wire(Vec<String>),
    /// The JSON of a frame fits the schema of this name.
    Schema(String),
    /// Records which of several readings the agent follows; never a finding.
    Readings(ReadingsRule),
}

/// A violation of a rule, as a monitor reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Who is to blame.
    pub blame: Blame,
    /// The slice; empty for the whole session.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What would have been allowed.
    pub expected: Vec<String>,
    /// A JSON Pointer into the frame.
    pub pointer: String,
}

/// The circumstances of the end of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EndCircumstances {
    /// The process ended, and nobody asked it to: no end of input, no signal, no command to quit.
    pub by_itself: bool,
    /// The harness waited for the agent until a timeout.
    pub out_of_time: bool,
    /// The process ended, on request or not, and was not killed by the harness.
    pub ended: bool,
}

/// Which ends of a session are the last chance for frames that must still come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AtEnd {
    /// The agent ended by itself, or a timeout ran out.
    #[default]
    Own,
    /// Any end of the process, except a kill for another reason than a timeout.
    Any,
    /// None: the frames may never come.
    Never,
}

impl AtEnd {
    /// Whether this end is the last chance.
    #[must_use]
    pub fn is_due(self, end: EndCircumstances) -> bool {
        match self {
            AtEnd::Own => end.by_itself || end.out_of_time,
            AtEnd::Any => end.ended || end.out_of_time,
            AtEnd::Never => false,
        }
    }
}

/// The runtime of a rule: it sees the frames of a session in order and reports violations.
pub trait Monitor: Send {
    /// A copy in the same state.
    fn boxed_clone(&self) -> Box<dyn Monitor>;

    /// Handles a frame. `key` is the slice that the frame belongs to by the rule's `each`.
    fn on_frame(
        &mut self,
        rule: &Rule,
        key: Option<&SliceKey>,
        context: &FrameContext<'_>,
        out: &mut Vec<Violation>,
    );

    /// Handles the end of a scope that the rule slices by. The monitor has seen the frame that closes it. With `judge` false the slices
    /// are forgotten without a check.
    fn on_scope_closed(
        &mut self,
        rule: &Rule,
        context: &FrameContext<'_>,
        judge: bool,
        out: &mut Vec<Violation>,
    );

    /// Handles the end of the session.
    fn on_end(
        &mut self,
        rule: &Rule,
        context: &FrameContext<'_>,
        end: EndCircumstances,
        out: &mut Vec<Violation>,
    );

    /// How often the rule applied.
    fn exercised(&self) -> u64;

    /// How often each reading was met.
    fn readings(&self) -> Vec<(String, u64)> {
        Vec::new()
    }
}

impl Rule {
    /// The alphabet of its monitor: the symbols of the frames that it must see.
    #[must_use]
    pub fn symbols(&self) -> SymbolSet {
        match &self.form {
            RuleForm::Order(order) => order.symbols(),
            RuleForm::Require(require) => require.symbols(),
            RuleForm::Deadline(deadline) => deadline.symbols(),
            RuleForm::Readings(probe) => probe.on.symbols(),
            RuleForm::Wire(_) | RuleForm::Schema(_) => SymbolSet::default(),
        }
    }

    /// A monitor for a new session; `None` for the forms that need no history.
    #[must_use]
    pub fn monitor(&self, unobservable: &SymbolSet) -> Option<Box<dyn Monitor>> {
        match &self.form {
            RuleForm::Order(order) => order.monitor(unobservable),
            RuleForm::Require(require) => Some(require.monitor(unobservable)),
            RuleForm::Deadline(deadline) => deadline.monitor(unobservable),
            RuleForm::Readings(probe) => Some(probe.monitor()),
            RuleForm::Wire(_) | RuleForm::Schema(_) => None,
        }
    }

    /// The message of a violation: the rule's own, or the form's.
    #[must_use]
    pub fn violation_message(
        &self,
        context: &FrameContext<'_>,
        form: impl FnOnce() -> String,
    ) -> String {
        self.message
            .as_ref()
            .map_or_else(form, |message| context.fill_message(message))
    }
}

impl Clone for Box<dyn Monitor> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}
