//! Compiled rules, and the table of their forms.

use super::conversation::ConversationRule;
use super::monitor::{Monitor, MonitorConfig};
use super::order::OrderRule;
use super::readings::ReadingsRule;
use super::require::RequireRule;
use super::response::ResponseRule;
use super::symbol::SymbolSet;
use crate::conversation::Check;
use crate::finding::{Level, Source};
use conform_dialect::json_rpc::StructureRule;
use spanned_yaml::Span;
use std::sync::Arc;

/// Stands for the files that a scenario expects, in the list of what a rule explains.
pub const FILES: &str = "@files";
/// Stands for what a scenario expects of the requests to the model.
pub const REQUESTS: &str = "@request";

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
    /// What follows from a finding of it: ids of rules, names of events, [`FILES`] and [`REQUESTS`].
    pub explains: Vec<String>,
    /// What it requires, why a host cares, an example: the text of `conform explain`.
    pub doc: String,
    /// The rule as written in `ordering.yaml`; empty for the rule of a schema.
    pub written: String,
    /// Slices, message and blame.
    pub config: MonitorConfig,
    /// What it checks.
    pub form: RuleForm,
}

impl Rule {
    /// The names of its readings; none for a rule that can be broken.
    pub fn readings(&self) -> Vec<&str> {
        match &self.form {
            RuleForm::Readings(form) => form
                .readings
                .iter()
                .map(|(name, _)| name.as_str())
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Its requirement on the conversation, if it has one.
    pub fn conversation_check(&self) -> Option<Check> {
        match &self.form {
            RuleForm::Conversation(form) => Some(form.check),
            _ => None,
        }
    }

    /// The alphabet of its monitor: the symbols of the frames that it must see.
    pub fn symbols(&self) -> SymbolSet {
        match &self.form {
            RuleForm::Order(order) => order.symbols(),
            RuleForm::Require(require) => require.symbols(),
            RuleForm::Response(response) => response.symbols(),
            RuleForm::Readings(form) => form.on.symbols(),
            RuleForm::Conversation(form) => form.symbols(),
            RuleForm::Framing(_) | RuleForm::Schema(_) | RuleForm::Structure(_) => {
                SymbolSet::default()
            }
        }
    }

    /// A monitor for a new session; `None` for the forms that need no history.
    pub fn monitor(&self, unobservable: &SymbolSet) -> Option<Box<dyn Monitor>> {
        match &self.form {
            RuleForm::Order(order) => order.monitor(unobservable),
            RuleForm::Require(require) => Some(require.monitor(unobservable)),
            RuleForm::Response(response) => response.monitor(unobservable),
            RuleForm::Readings(form) => Some(form.monitor()),
            RuleForm::Conversation(form) => Some(form.monitor()),
            RuleForm::Framing(_) | RuleForm::Schema(_) | RuleForm::Structure(_) => None,
        }
    }
}

/// The form of a rule.
#[derive(Debug, Clone)]
pub enum RuleForm {
    /// The frames of a slice come in an order.
    Order(Arc<OrderRule>),
    /// A condition holds whenever a frame comes.
    Require(Arc<RequireRule>),
    /// One frame is followed by another.
    Response(Arc<ResponseRule>),
    /// The bytes of a line have none of these defects.
    Framing(Vec<String>),
    /// The JSON of a frame fits the schema of this name.
    Schema(String),
    /// A message is well-formed, and belongs to the others of its session.
    Structure(StructureRule),
    /// Records which of several readings the agent follows; never a finding.
    Readings(Arc<ReadingsRule>),
    /// Each request to the model continues the conversation.
    Conversation(Arc<ConversationRule>),
}
