//! The format of `clauses.yaml`: the sections of a specification, each with its statements.

use crate::requirement::{Blame, Level};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use spanned_yaml::{Error, Node, Spanned, all_or_mistakes, decode_all, former_keys};

/// The file `clauses.yaml`: the clauses of each section of the specification, by id.
#[derive(JsonSchema)]
#[schemars(transparent)]
#[expect(dead_code, reason = "only its JSON Schema is used")]
pub struct ClausesFile(IndexMap<String, IndexMap<String, ClauseSchema>>);

/// A clause as it is written: its text alone, or a map.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its JSON Schema is used")]
enum ClauseSchema {
    /// The requirement, in our words: of the agent, and testable.
    Text(String),
    /// The requirement with more keys.
    Map(ClauseFile),
}

/// A clause that is written as a map.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ClauseFile {
    /// The requirement level in the specification: `must` (the default), `should` or `may`.
    #[serde(default)]
    strength: Level,
    /// Whom it applies to: `host`, or the agent if left out.
    #[serde(default)]
    #[schemars(extend("const" = "host"))]
    side: Blame,
    /// The requirement, in our words.
    text: String,
    /// Why it cannot be checked; if left out, it is testable.
    untestable: Option<String>,
}

/// One normative statement of the specification.
#[derive(Debug, Clone)]
pub struct Clause {
    /// Its id; append-only.
    pub id: Spanned<String>,
    /// The section of the specification.
    pub section: String,
    /// The requirement level in the specification.
    pub strength: Level,
    /// The side that it applies to.
    pub side: Blame,
    /// The requirement, in our words.
    pub text: String,
    /// Why it cannot be checked, if it cannot.
    pub untestable: Option<String>,
}

impl Clause {
    /// The clauses of a file, in its order.
    ///
    /// # Errors
    /// Every mistake, at its place.
    pub(crate) fn read(file: &Node) -> Result<Vec<Self>, Vec<Error>> {
        let sections = file.as_map().ok_or_else(|| {
            let message =
                "clauses are grouped by section: write `\"1\": { demo.ready: It comes once. }`";
            vec![file.error(message)]
        })?;
        let sections = all_or_mistakes(
            sections
                .iter()
                .map(|(section, clauses)| Clause::of_section(&section.name, clauses)),
        )?;
        Ok(sections.into_iter().flatten().collect())
    }

    fn of_section(section: &str, clauses: &Node) -> Result<Vec<Self>, Vec<Error>> {
        let clauses = clauses.as_map().ok_or_else(|| {
            let found = clauses.describe();
            vec![clauses.error(format!("expected a map of clauses by id, found {found}"))]
        })?;
        all_or_mistakes(clauses.iter().map(|(id, node)| {
            let written = match node.as_str() {
                Some(text) => ClauseFile::of_text(text),
                None => ClauseFile::read(node)?,
            };
            Ok(Clause {
                id: Spanned {
                    value: id.name.clone(),
                    span: id.span,
                },
                section: section.to_owned(),
                strength: written.strength,
                side: written.side,
                text: written.text,
                untestable: written.untestable,
            })
        }))
    }
}

impl ClauseFile {
    fn of_text(text: &str) -> Self {
        ClauseFile {
            strength: Level::default(),
            side: Blame::default(),
            text: text.to_owned(),
            untestable: None,
        }
    }

    fn read(node: &Node) -> Result<Self, Vec<Error>> {
        let testable = "leave `testable` out: a clause is testable unless it has `untestable:` with the reason";
        let mut errors = former_keys(node, &[("testable", testable)]);
        let side = node.entry("side");
        if let Some((key, _)) = side.filter(|(_, side)| side.as_str() == Some("agent")) {
            let message = "leave `side` out: `agent` is the default";
            errors.push(node.error_at(key.span, message));
        }
        if errors.is_empty() {
            decode_all(node)
        } else {
            Err(errors)
        }
    }
}
