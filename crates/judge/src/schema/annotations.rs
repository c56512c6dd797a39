//! Annotations of the parts of a definition: the clauses that a finding there cites (`x-clauses`) and its level (`x-level`).

use super::Schemas;
use crate::finding::Level;
use serde_json::Value;

/// A keyword of a definition that a frame can break, with its annotations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnotatedKeyword {
    /// A JSON Pointer from the definition, through references.
    pub at: String,
    /// The clauses that a finding there cites.
    pub clauses: Vec<String>,
    /// The level of a finding there.
    pub level: Level,
}

/// The annotations `x-clauses` and `x-level` that apply at a place: the innermost ones on the path to it.
#[derive(Debug, Clone, Default)]
struct Annotations {
    clauses: Vec<String>,
    level: Level,
}

impl Annotations {
    fn take(&mut self, part: &Value) {
        if let Some(list) = part.get("x-clauses").and_then(Value::as_array) {
            let list = list.iter().filter_map(|clause| clause.as_str());
            self.clauses = list.map(str::to_owned).collect();
        }
        if let Some(level) = part.get("x-level") {
            self.level = serde_json::from_value(level.clone()).unwrap_or_default();
        }
    }
}

impl Schemas {
    /// The `x-clauses` and `x-level` that apply to a keyword: those in the definition with the keyword, or else next to the `$ref` to it.
    pub(super) fn annotations(&self, name: &str, path: &str) -> (Vec<String>, Level) {
        let mut marks = Annotations::default();
        let mut part = &self.document["$defs"][name];
        marks.take(part);
        // The schema that is compiled for a name is a reference to its definition.
        let mut steps = path.strip_prefix("/$ref").unwrap_or(path);
        if let Some(place) = path.strip_prefix("/$defs") {
            // The path to a keyword of our own starts at the document.
            part = &self.document["$defs"];
            steps = place;
        }
        for step in steps.split('/').skip(1) {
            let step = spanned_yaml::unescape_step(step);
            let next = match part {
                Value::Array(items) => step.parse().ok().and_then(|n: usize| items.get(n)),
                other => other.get(&step),
            };
            let next = match next {
                Some(Value::String(target)) if step == "$ref" => {
                    self.document.pointer(target.trim_start_matches('#'))
                }
                next => next,
            };
            let Some(next) = next else { break };
            part = next;
            marks.take(part);
        }
        (marks.clauses, marks.level)
    }

    /// The keywords of a definition that a frame can break, through references.
    pub fn annotated_keywords(&self, name: &str) -> Vec<AnnotatedKeyword> {
        let mut all = Vec::new();
        let mut visiting = vec![name.to_owned()];
        let part = &self.document["$defs"][name];
        self.collect_annotated(
            part,
            String::new(),
            Annotations::default(),
            &mut visiting,
            &mut all,
        );
        all
    }

    fn collect_annotated(
        &self,
        part: &Value,
        at: String,
        mut marks: Annotations,
        visiting: &mut Vec<String>,
        all: &mut Vec<AnnotatedKeyword>,
    ) {
        let Some(members) = part.as_object() else {
            return;
        };
        marks.take(part);
        for (keyword, value) in members {
            let place = format!("{at}/{keyword}");
            match keyword.as_str() {
                "$ref" => {
                    let target = value.as_str().and_then(|t| t.strip_prefix("#/$defs/"));
                    let Some(target) = target.filter(|t| !visiting.iter().any(|name| name == t))
                    else {
                        continue;
                    };
                    visiting.push(target.to_owned());
                    let next = &self.document["$defs"][target];
                    self.collect_annotated(next, at.clone(), marks.clone(), visiting, all);
                    visiting.pop();
                }
                "properties" | "patternProperties" | "dependentSchemas" => {
                    for (name, value) in value.as_object().into_iter().flatten() {
                        let place = format!("{place}/{}", spanned_yaml::escape_step(name));
                        self.collect_annotated(value, place, marks.clone(), visiting, all);
                    }
                }
                "allOf" | "prefixItems" => {
                    for (n, value) in value.as_array().into_iter().flatten().enumerate() {
                        self.collect_annotated(
                            value,
                            format!("{place}/{n}"),
                            marks.clone(),
                            visiting,
                            all,
                        );
                    }
                }
                "then" | "else" | "items" | "additionalProperties" if value.is_object() => {
                    self.collect_annotated(value, place, marks.clone(), visiting, all);
                }
                "if" | "then" | "description" | "x-clauses" | "x-level" => {}
                _ => all.push(AnnotatedKeyword {
                    at: place,
                    clauses: marks.clauses.clone(),
                    level: marks.level,
                }),
            }
        }
    }

    /// The clauses that the definition of a name cites, at any depth.
    pub fn clauses(&self, name: &str) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(definition) = self
            .document
            .pointer(&format!("/$defs/{}", spanned_yaml::escape_step(name)))
        {
            collect_clauses(definition, &mut found);
        }
        found.sort();
        found.dedup();
        found
    }

    /// The names of the definitions that cite this clause, at any depth.
    pub fn citing(&self, clause: &str) -> Vec<String> {
        let definitions = self.document["$defs"].as_object().into_iter().flatten();
        let cites = |name: &&String| self.clauses(name).iter().any(|cited| cited == clause);
        definitions
            .map(|(name, _)| name)
            .filter(cites)
            .cloned()
            .collect()
    }
}

fn collect_clauses(part: &Value, found: &mut Vec<String>) {
    match part {
        Value::Object(members) => {
            for (name, member) in members {
                if name == "x-clauses" {
                    let list = member.as_array().into_iter().flatten();
                    found.extend(list.filter_map(|c| c.as_str().map(str::to_owned)));
                } else {
                    collect_clauses(member, found);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect_clauses(item, found)),
        _ => {}
    }
}
