//! A rule, compiled: its identity, and one of the forms.

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
    /// Where it stands in its file.
    pub span: Span,
    /// How strongly it asks.
    pub level: Level,
    /// Where it comes from.
    pub source: Source,
    /// The clauses it checks.
    pub clauses: Vec<String>,
    /// What it asks, why a host cares, an example: the text of `conform explain`.
    pub doc: String,
    /// What a finding says, instead of the form's own words.
    pub message: Option<Vec<MessagePart>>,
    /// Whom it binds, where that is not the direction of the breaking frame.
    pub blame: Option<Blame>,
    /// How the history is sliced.
    pub each: Vec<KeyPart>,
    /// The scopes named in `each`.
    pub scopes: Vec<usize>,
    /// What it checks.
    pub form: RuleForm,
}

impl Rule {
    /// The names of the readings that a probe tells apart; none for a rule that can be broken.
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

/// The forms of a rule.
#[derive(Debug, Clone)]
pub enum RuleForm {
    /// The frames of a slice come in an order.
    Order(Box<OrderRule>),
    /// Something holds whenever a frame comes.
    Require(Box<RequireRule>),
    /// Something comes in time.
    Deadline(Box<DeadlineRule>),
    /// The bytes of a line are in order.
    Wire(Vec<String>),
    /// The JSON of a frame has the shape of its definition, by name.
    Schema(String),
    /// Which of several readings the agent follows; never a finding.
    Readings(ReadingsRule),
}

/// What a monitor reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Whose frame it was.
    pub blame: Blame,
    /// The slice; empty for the whole session.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What would have been allowed.
    pub expected: Vec<String>,
    /// Where in the frame.
    pub pointer: String,
}

/// How the session ended, as rules see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EndCircumstances {
    /// The process ended, and nobody asked it to: no end of input, no signal, no command to quit.
    pub by_itself: bool,
    /// A budget ran out while the harness waited for the agent.
    pub out_of_time: bool,
    /// The process ended, on request or not, and was not killed by the harness.
    pub ended: bool,
}

/// Which endings a rule takes as the last chance for what is still owed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AtEnd {
    /// The agent ended by itself, or ran out of time.
    #[default]
    Own,
    /// Any end of the process but a kill for another reason than a budget.
    Any,
    /// None: it may stay open.
    Never,
}

impl AtEnd {
    /// Whether this ending is the last chance.
    #[must_use]
    pub fn is_due(self, ending: EndCircumstances) -> bool {
        match self {
            AtEnd::Own => ending.by_itself || ending.out_of_time,
            AtEnd::Any => ending.ended || ending.out_of_time,
            AtEnd::Never => false,
        }
    }
}

/// A rule's form while a history is judged.
pub trait Monitor: Send {
    /// A monitor in the same state, which goes on by itself.
    fn boxed_clone(&self) -> Box<dyn Monitor>;

    /// Takes a frame, and the key of the slice that it belongs to by the rule's `each`.
    fn frame(
        &mut self,
        rule: &Rule,
        key: Option<&SliceKey>,
        context: &FrameContext<'_>,
        out: &mut Vec<Violation>,
    );

    /// A scope that the rule slices by is closed by this frame (which the monitor has seen); with `judge` false its slices are
    /// only forgotten.
    fn on_scope_closed(
        &mut self,
        rule: &Rule,
        context: &FrameContext<'_>,
        judge: bool,
        out: &mut Vec<Violation>,
    );

    /// The history ends here.
    fn end(
        &mut self,
        rule: &Rule,
        context: &FrameContext<'_>,
        ending: EndCircumstances,
        out: &mut Vec<Violation>,
    );

    /// How often the rule met its subject.
    fn exercised(&self) -> u64;

    /// Which reading was met how often; for probes.
    fn readings(&self) -> Vec<(String, u64)> {
        Vec::new()
    }
}

impl Rule {
    /// The symbols of the frames that its monitor must see.
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

    /// A monitor at the start of a history; `None` for the forms that the checker runs itself.
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
