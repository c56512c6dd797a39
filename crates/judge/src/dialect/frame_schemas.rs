//! Compiles the JSON Schemas of events and commands, and makes a rule of each definition.

use crate::finding::{Level, Source};
use crate::rules::monitor::MonitorConfig;
use crate::rules::rule::{Rule, RuleForm};
use crate::schema::{SchemaCheck, Schemas};
use conform_dialect::FrameNames;
use serde_json::Value;
use spanned_yaml::{Error, Span};
use std::path::Path;

/// The names that have a definition: responses need none.
pub(super) fn names_with_schema<'a>(
    names: &'a FrameNames,
    document: &'a Value,
) -> impl Iterator<Item = String> + 'a {
    let is_defined = |name: &String| document["$defs"].get(name).is_some();
    names
        .all()
        .filter(move |name| !names.is_answer(name) || is_defined(name))
}

/// Compiles the definitions of the frames of one direction; `None` and an error if that fails.
pub(super) fn compile_schemas(
    document: Value,
    names: &FrameNames,
    check: SchemaCheck,
    path: &Path,
    errors: &mut Vec<Error>,
) -> Option<Schemas> {
    let names: Vec<String> = names_with_schema(names, &document).collect();
    Schemas::compile(document, names.iter().map(String::as_str), check)
        .map_err(|mistakes| {
            let mistakes = mistakes.into_iter();
            errors.extend(mistakes.map(|(pointer, message)| {
                Error::of_file(path, format!("{message} (at {pointer})"))
            }));
        })
        .ok()
}

/// A rule for each frame of one direction: it has the shape of its definition. `prefix` is that of its symbols.
pub(super) fn schema_rules(
    dialect: &str,
    names: &FrameNames,
    prefix: &str,
    schemas: &Schemas,
) -> Vec<Rule> {
    names_with_schema(names, schemas.document())
        .map(|name| schema_rule(dialect, &name, prefix, schemas))
        .collect()
}

fn schema_rule(dialect: &str, name: &str, prefix: &str, schemas: &Schemas) -> Rule {
    let definition = &schemas.document()["$defs"][name];
    let description = definition["description"].as_str().unwrap_or_default();
    Rule {
        id: format!("{dialect}/schema/{prefix}{name}"),
        span: Span::default(),
        level: Level::Must,
        source: Source::Spec,
        clauses: schemas.clauses(name),
        doc: format!(
            "Every `{prefix}{name}` has the shape that the specification gives it. {description}"
        )
        .trim()
        .to_owned(),
        explains: Vec::new(),
        written: String::new(),
        config: MonitorConfig::default(),
        form: RuleForm::Schema(format!("{prefix}{name}")),
    }
}
