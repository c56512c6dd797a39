//! The line classifier: finds the name of a line, and the schema, symbols and rule that belong to it.

use crate::dialect::{Dialect, FrameNames};
use crate::finding::Blame;
use crate::rules::rule::RuleForm;
use crate::schema::FrameValidator;
use foldhash::{HashMap, HashMapExt};
use frame_language::Pointer;
use serde_json::Value;
use std::sync::Arc;

/// The classifier of one direction: of events, or of commands.
#[derive(Debug)]
pub(super) struct LineClassifier {
    /// Whether the lines are commands.
    pub(super) command: bool,
    /// Who is to blame for the lines.
    pub(super) blame: Blame,
    /// The most bytes of a line.
    pub(super) limit: Option<u64>,
    /// The symbols of lines that the dialect does not know.
    pub(super) malformed: Option<usize>,
    pub(super) unknown: Option<usize>,
    /// The symbol of a line that breaks its schema.
    pub(super) invalid: Option<usize>,
    pub(super) blank: Option<usize>,
    /// The prefix of command names in rules.
    prefix: &'static str,
    /// Where a line has its name; `None` if it is named by its structure.
    name_at: Option<Pointer>,
    names: HashMap<String, Name>,
}

/// A name, and its nested kinds.
#[derive(Debug)]
struct Name {
    definition: FrameDefinition,
    kind_at: Option<Pointer>,
    kinds: HashMap<String, FrameDefinition>,
}

/// A name or a nested kind that the dialect knows.
#[derive(Debug)]
pub(super) struct FrameDefinition {
    /// The name of its schema.
    pub(super) name: String,
    /// The name in rules and findings.
    pub(super) label: String,
    pub(super) symbol: Option<usize>,
    /// The validator of its schema.
    pub(super) validator: Option<Arc<FrameValidator>>,
    /// The schema rule, by number.
    pub(super) rule: Option<usize>,
}

/// The classification of a line by its name.
pub(super) enum Classification<'a> {
    /// A known name, and its nested kind if it has one.
    Known(&'a FrameDefinition, Option<&'a FrameDefinition>),
    /// An unknown name, with the symbol of the part before its dot, if the dialect knows that.
    Unknown { outer: Option<usize> },
    /// There is no text where the name should be.
    Missing,
}

impl LineClassifier {
    pub(super) fn new(dialect: &Dialect, command: bool) -> Self {
        let (vocabulary, schemas) = dialect.frames(command);
        let (prefix, blame, limit) = if command {
            (">", Blame::Host, "command")
        } else {
            ("", Blame::Agent, "event")
        };
        let mut rules = HashMap::new();
        for (n, rule) in dialect.rules.iter().enumerate() {
            if let RuleForm::Schema(label) = &rule.form {
                rules.insert(label.as_str(), n);
            }
        }
        let symbol = |name: &str| dialect.symbols.id(&format!("{prefix}{name}"));
        let definition = |name: String| {
            let label = format!("{prefix}{name}");
            FrameDefinition {
                symbol: dialect.symbols.id(&label),
                validator: schemas.validator(&name),
                rule: rules.get(label.as_str()).copied(),
                name,
                label,
            }
        };
        LineClassifier {
            command,
            blame,
            limit: dialect.limits.get(limit).copied(),
            malformed: symbol("#malformed"),
            unknown: symbol("#unknown"),
            invalid: symbol("#invalid"),
            blank: symbol("#blank"),
            prefix,
            name_at: match vocabulary.structure {
                Some(_) => None,
                None => Some(Pointer::parse(&vocabulary.discriminator).unwrap_or_default()),
            },
            names: names(vocabulary, definition),
        }
    }

    /// Classifies a line. `by_structure` is its name in a dialect without a discriminator.
    pub(super) fn classify(
        &self,
        dialect: &Dialect,
        frame: &Value,
        by_structure: Option<&str>,
    ) -> Classification<'_> {
        let name = match &self.name_at {
            Some(at) => at.find(frame).and_then(Value::as_str),
            None => by_structure,
        };
        let Some(name) = name else {
            return Classification::Missing;
        };
        let Some(known) = self.names.get(name) else {
            // A method may have dots.
            let outer = name.split_once('.').filter(|_| self.name_at.is_some());
            let outer = outer.map(|(outer, _)| format!("{}{outer}", self.prefix));
            let outer = outer.and_then(|label| dialect.symbols.id(&label));
            return Classification::Unknown { outer };
        };
        let kind = known.kind_at.as_ref().and_then(|at| at.find(frame));
        let Some(kind) = kind.and_then(Value::as_str) else {
            return Classification::Known(&known.definition, None);
        };
        match known.kinds.get(kind) {
            Some(nested) => Classification::Known(&known.definition, Some(nested)),
            None => Classification::Unknown {
                outer: known.definition.symbol,
            },
        }
    }
}

fn names(
    vocabulary: &FrameNames,
    define: impl Fn(String) -> FrameDefinition,
) -> HashMap<String, Name> {
    let each = vocabulary.names.iter().map(|(name, file)| {
        let kinds = file.kinds.iter();
        let kinds = kinds.map(|kind| (kind.clone(), define(format!("{name}.{kind}"))));
        let known = Name {
            definition: define(name.clone()),
            kind_at: file.kind.as_deref().and_then(|at| Pointer::parse(at).ok()),
            kinds: kinds.collect(),
        };
        (name.clone(), known)
    });
    each.collect()
}
