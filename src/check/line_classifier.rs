//! What a checker must know to read the lines of one direction, looked up once.

use crate::dialect::{Dialect, FrameNames};
use crate::finding::Blame;
use crate::rules::pointer::JsonPointer;
use crate::rules::rule::RuleForm;
use jsonschema::Validator;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// The lines of one direction.
#[derive(Debug)]
pub(super) struct LineClassifier {
    /// Whether they are commands.
    pub(super) command: bool,
    /// Who is to blame for them.
    pub(super) blame: Blame,
    /// The most bytes of one.
    pub(super) limit: Option<u64>,
    /// The symbols of lines that are none of the dialect.
    pub(super) malformed: Option<usize>,
    pub(super) unknown: Option<usize>,
    /// The symbol of a line that departs from its definition.
    pub(super) invalid: Option<usize>,
    /// What commands have in front of their names.
    prefix: &'static str,
    name_at: JsonPointer,
    names: HashMap<String, Name>,
}

/// A name, and its nested kinds.
#[derive(Debug)]
struct Name {
    definition: FrameDefinition,
    kind_at: Option<JsonPointer>,
    kinds: HashMap<String, FrameDefinition>,
}

/// What is known of a name or of a nested kind.
#[derive(Debug)]
pub(super) struct FrameDefinition {
    /// As its schema is called.
    pub(super) name: String,
    /// As rules and findings call it.
    pub(super) label: String,
    pub(super) symbol: Option<usize>,
    /// Tells whether a frame has its shape.
    pub(super) validator: Option<Arc<Validator>>,
    /// The rule that asks for its shape.
    pub(super) rule: Option<usize>,
}

/// What the name in a frame says.
pub(super) enum Classification<'a> {
    /// A known name, and the nested kind.
    Known(&'a FrameDefinition, Option<&'a FrameDefinition>),
    /// A name that this dialect does not have. It may know the part before a dot.
    Unknown { outer: Option<usize> },
    /// No text where the name should stand.
    Missing,
}

impl LineClassifier {
    pub(super) fn new(dialect: &Dialect, command: bool) -> Self {
        let (vocabulary, schemas) = if command {
            (&dialect.commands, &dialect.command_schemas)
        } else {
            (&dialect.events, &dialect.event_schemas)
        };
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
            prefix,
            name_at: JsonPointer::new(&vocabulary.discriminator),
            names: names(vocabulary, definition),
        }
    }

    /// Tells what a frame is.
    pub(super) fn name(&self, dialect: &Dialect, frame: &Value) -> Classification<'_> {
        let Some(name) = self.name_at.find(frame).and_then(Value::as_str) else {
            return Classification::Missing;
        };
        let unknown = |name: &str| Classification::Unknown {
            outer: name.split_once('.').and_then(|(outer, _)| {
                let label = format!("{}{outer}", self.prefix);
                dialect.symbols.id(&label)
            }),
        };
        let Some(known) = self.names.get(name) else {
            return unknown(name);
        };
        let kind = known.kind_at.as_ref().and_then(|at| at.find(frame));
        let Some(kind) = kind.and_then(Value::as_str) else {
            return Classification::Known(&known.definition, None);
        };
        match known.kinds.get(kind) {
            Some(nested) => Classification::Known(&known.definition, Some(nested)),
            None => unknown(&format!("{name}.{kind}")),
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
            kind_at: file.kind.as_deref().map(JsonPointer::new),
            kinds: kinds.collect(),
        };
        (name.clone(), known)
    });
    each.collect()
}
