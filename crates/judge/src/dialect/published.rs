//! The schema file that a protocol publishes: finds the definition of each message in it, and adds a reference to it to our own definition.

use conform_dialect::FrameNames;
use conform_dialect::file::PublishedFile;
use serde_json::{Map, Value, json};
use spanned_yaml::{Error, Node, Span, escape_step, unescape_step, unknown};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The draft of JSON Schema that validators implement.
const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The place of the file in the documents of definitions.
const PLACE: &str = "published";

/// Keywords whose values are schemas by name.
const BY_NAME: &[&str] = &[
    "$defs",
    "definitions",
    "properties",
    "patternProperties",
    "dependentSchemas",
];

/// Keywords with a schema, or a list of schemas.
const NESTED: &[&str] = &[
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "items",
    "prefixItems",
    "contains",
    "additionalProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];

/// Keywords with other values.
const PLAIN: &str = "$schema $id $anchor $comment $ref type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength \
    minLength pattern maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required dependentRequired format \
    contentEncoding contentMediaType title description default deprecated readOnly writeOnly examples";

/// A published schema file, and how messages refer to it.
pub(super) struct Published<'a> {
    schema: Value,
    config: &'a PublishedFile,
    root: &'a Node,
}

/// The references, regular expressions and foreign keywords of a schema.
#[derive(Default)]
struct Contents {
    patterns: BTreeSet<String>,
    references: BTreeSet<String>,
    /// With the first place of each.
    foreign: BTreeMap<String, String>,
}

impl<'a> Published<'a> {
    /// Checks the file, and makes its references ones of the document that it becomes a part of.
    ///
    /// # Errors
    /// It is no schema, or has references or keywords that validators would not follow.
    pub(super) fn read(
        mut schema: Value,
        path: &Path,
        config: &'a PublishedFile,
        root: &'a Node,
    ) -> Result<Self, Vec<Error>> {
        let of_file = |message: String| vec![Error::of_file(path, message)];
        if let Some(draft) = schema.get("$schema").filter(|draft| **draft != DRAFT) {
            return Err(of_file(format!(
                "`$schema` is {draft}: only \"{DRAFT}\" is supported"
            )));
        }
        jsonschema::draft202012::meta::validate(&schema)
            .map_err(|error| of_file(format!("{error} (at {})", error.instance_path())))?;
        let mut contents = Contents::default();
        let original = schema.clone();
        contents.read(&mut schema, "");
        let is_dangling = |target: &&String| {
            let pointer = target.strip_prefix('#');
            pointer.is_none_or(|pointer| original.pointer(pointer).is_none())
        };
        let mut errors = Vec::new();
        for target in contents.references.iter().filter(is_dangling) {
            let message = format!("`$ref: {target}` leads to nothing in this file");
            errors.extend(of_file(message));
        }
        for pattern in &contents.patterns {
            if let Err(error) = jsonschema::draft202012::new(&json!({ "pattern": pattern })) {
                errors.extend(of_file(error.to_string()));
            }
        }
        let own = [
            config.method.as_ref(),
            config.side.as_ref().map(|side| &side.keyword),
        ];
        for keyword in &config.ignore {
            let name = &keyword.value;
            let is_known = PLAIN.split(' ').any(|known| known == name);
            let why = if is_known || [BY_NAME, NESTED].concat().contains(&name.as_str()) {
                format!(
                    "`{name}` is a keyword of JSON Schema, which messages must obey: remove it from `ignore`"
                )
            } else if !contents.foreign.contains_key(name) {
                unknown(
                    "keyword",
                    name,
                    contents.foreign.keys().map(String::as_str),
                )
            } else {
                continue;
            };
            errors.push(root.error_at(keyword.span, why));
        }
        for (keyword, place) in &contents.foreign {
            let is_ignored = config.ignore.iter().any(|ignored| ignored.value == *keyword);
            if !is_ignored && !own.contains(&Some(keyword)) {
                let message = format!(
                    "{place} has the keyword `{keyword}`, which is not one of JSON Schema: if it requires nothing of messages, write it under `published: {{ ignore }}`"
                );
                errors.push(root.error_at(file_span(config), message));
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        if let Some(members) = schema.as_object_mut() {
            members.remove("$id");
        }
        Ok(Published {
            schema,
            config,
            root,
        })
    }

    /// Adds the file to the documents of both sides, and references to the definitions of their messages. Events come first.
    pub(super) fn add_to(&self, mut sides: [(&FrameNames, &mut Value); 2]) -> Vec<Error> {
        let mut errors = Vec::new();
        let names = [sides[0].0, sides[1].0];
        let targets = self.targets(names, &mut errors);
        for (side, targets) in targets.into_iter().enumerate() {
            let (names, document) = &mut sides[side];
            for (name, target) in targets {
                self.refer(document, names, &name, &target);
            }
            if let Some(document) = document.as_object_mut() {
                document.insert(PLACE.to_owned(), self.schema.clone());
            }
        }
        errors
    }

    /// The definitions of the messages of each side.
    fn targets(
        &self,
        names: [&FrameNames; 2],
        errors: &mut Vec<Error>,
    ) -> [BTreeMap<String, String>; 2] {
        let mut targets = [BTreeMap::new(), BTreeMap::new()];
        let mut say = |span: Span, message: String| errors.push(self.root.error_at(span, message));
        for (label, target) in &self.config.definitions {
            let (side, name) = label.strip_prefix('>').map_or((0, label.as_str()), |n| (1, n));
            let known: Vec<_> = names[side].all().collect();
            let definitions = self.schema["$defs"].as_object();
            let definitions = definitions.into_iter().flatten();
            let definitions: Vec<_> = definitions
                .map(|(name, _)| format!("#/$defs/{}", escape_step(name)))
                .collect();
            let pointer = target.value.strip_prefix('#');
            if !known.iter().any(|known| known == name) {
                let known = known.iter().map(String::as_str);
                say(target.span, unknown("message", name, known));
            } else if pointer.is_none_or(|pointer| self.schema.pointer(pointer).is_none()) {
                let known = definitions.iter().map(String::as_str);
                say(target.span, unknown("definition", &target.value, known));
            } else {
                targets[side].insert(name.to_owned(), target.value.clone());
            }
        }
        let explicit = targets.clone();
        let definitions = self.schema["$defs"].as_object().into_iter().flatten();
        for (definition, part) in definitions {
            let method = self.config.method.as_ref().and_then(|key| part[key].as_str());
            let Some(method) = method else { continue };
            let target = format!("#/$defs/{}", escape_step(definition));
            let ending = self.config.results.as_deref();
            let is_result = ending.is_some_and(|ending| definition.ends_with(ending));
            let receivers = self.receivers(part, names, method);
            for receiver in &receivers {
                let sender = 1 - *receiver;
                let (side, name) = match is_result {
                    true => (*receiver, format!("{method}.result")),
                    false => (sender, method.to_owned()),
                };
                let known = names[sender].method(method);
                if known.is_none_or(|spec| is_result && spec.notification) {
                    let list = ["events", "commands"][sender];
                    let message = format!(
                        "`{target}` is of `{method}`, which is no {} in `{list}`: write it there",
                        if is_result { "request" } else { "method" }
                    );
                    say(file_span(self.config), message);
                } else if explicit[side].contains_key(&name) {
                } else if let Some(other) = targets[side].insert(name.clone(), target.clone()) {
                    let label = format!("{}{name}", ["", ">"][side]);
                    let message = format!(
                        "`{label}` has the definitions `{other}` and `{target}`: write `{label}: \"{target}\"` or the other one under `published: {{ definitions }}`"
                    );
                    say(file_span(self.config), message);
                }
            }
            if receivers.is_empty() {
                let message = format!(
                    "`{target}` is of `{method}`, but no side has that: write it in `events` or in `commands`, and the value of its keyword for the side under `published: {{ side }}`"
                );
                say(file_span(self.config), message);
            }
        }
        targets
    }

    /// The sides that receive the method of a definition: 0 for the agent, 1 for the host.
    fn receivers(&self, part: &Value, names: [&FrameNames; 2], method: &str) -> Vec<usize> {
        let Some(side) = &self.config.side else {
            let sends = |side: &usize| names[1 - side].method(method).is_some();
            return [0, 1].into_iter().filter(sends).collect();
        };
        let word = part[&side.keyword].as_str().unwrap_or_default();
        let words = [&side.agent, &side.host];
        let is_of = |receiver: &usize| words[*receiver].iter().any(|one| one == word);
        [0, 1].into_iter().filter(is_of).collect()
    }

    /// Adds a reference to the definition of a message. A message with a nested kind is only checked under the name of its kind, so that
    /// each mistake is found once.
    fn refer(&self, document: &mut Value, names: &FrameNames, name: &str, target: &str) {
        let target_in_document = format!("#/{PLACE}{}", target.trim_start_matches('#'));
        let required = self.schema.pointer(target.trim_start_matches('#'));
        let required = required.and_then(|target| target["required"].as_array());
        let is_required = required.is_some_and(|required| !required.is_empty());
        let reference = |place: &[&str]| {
            let reference = json!({ "$ref": target_in_document });
            place.iter().rev().fold(reference, |inner, step| {
                let mut outer = json!({ "properties": { *step: inner } });
                if is_required {
                    outer["required"] = json!([step]);
                }
                outer
            })
        };
        if names.is_answer(name) {
            let outcome = name.rsplit('.').next().unwrap_or_default();
            return add(document, name, reference(&[outcome]));
        }
        let steps = |at: &str| at.split('/').skip(1).map(unescape_step).collect::<Vec<_>>();
        let Some(spec) = names.method(name) else {
            let method = name.rsplit_once('.').and_then(|(method, _)| names.method(method));
            let mut place = method.and_then(|spec| spec.kind.as_deref()).map_or(Vec::new(), steps);
            place.pop();
            let place: Vec<_> = place.iter().map(String::as_str).collect();
            return add(document, name, reference(&place));
        };
        let reference = reference(&["params"]);
        let Some(at) = spec.kind.as_deref().filter(|_| !spec.kinds.is_empty()) else {
            return add(document, name, reference);
        };
        let known_kind = steps(at).into_iter().rev().fold(
            json!({ "enum": spec.kinds }),
            |inner, step| json!({ "required": [step], "properties": { step: inner } }),
        );
        let other = json!({ "if": known_kind, "else": reference });
        add(document, name, other);
        for kind in &spec.kinds {
            add(document, &format!("{name}.{kind}"), reference.clone());
        }
    }
}

/// Adds a requirement to our own definition of a message.
fn add(document: &mut Value, name: &str, requirement: Value) {
    let Some(definitions) = document["$defs"].as_object_mut() else {
        return;
    };
    let own = definitions.entry(name).or_insert_with(|| Map::new().into());
    let Value::Object(members) = own else {
        return;
    };
    let all = members.entry("allOf").or_insert_with(|| json!([]));
    if let Value::Array(all) = all {
        all.push(requirement);
    }
}

fn file_span(config: &PublishedFile) -> Span {
    config.file.as_ref().map(|file| file.span).unwrap_or_default()
}

impl Contents {
    /// Collects what is in a schema, and rewrites its references.
    fn read(&mut self, schema: &mut Value, at: &str) {
        match schema {
            Value::Array(parts) => {
                for (n, part) in parts.iter_mut().enumerate() {
                    self.read(part, &format!("{at}/{n}"));
                }
            }
            Value::Object(members) => {
                for (keyword, value) in members {
                    let place = format!("{at}/{}", escape_step(keyword));
                    match (keyword.as_str(), value) {
                        ("$ref", Value::String(target)) => {
                            self.references.insert(target.clone());
                            let pointer = target.trim_start_matches('#');
                            *target = format!("#/{PLACE}{pointer}");
                        }
                        ("pattern", Value::String(pattern)) => {
                            self.patterns.insert(pattern.clone());
                        }
                        (by_name, Value::Object(parts)) if BY_NAME.contains(&by_name) => {
                            for (name, part) in parts {
                                if by_name == "patternProperties" {
                                    self.patterns.insert(name.clone());
                                }
                                self.read(part, &format!("{place}/{}", escape_step(name)));
                            }
                        }
                        (nested, value) if NESTED.contains(&nested) => self.read(value, &place),
                        (other, _) if PLAIN.split(' ').any(|plain| plain == other) => {}
                        (other, _) => {
                            let at = at.to_owned();
                            self.foreign.entry(other.to_owned()).or_insert(at);
                        }
                    }
                }
            }
            _ => {}
        }
    }
}
