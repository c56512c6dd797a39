//! The schema file that a protocol publishes: finds the definition of each message in it, and adds a reference to it to our own definition.

use conform_dialect::FrameNames;
use conform_dialect::file::PublishedFile;
use serde_json::{Map, Value, json};
use spanned_yaml::{Error, Node, Span, escape_step, suggestion, unescape_step, unknown};
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
                unknown("keyword", name, contents.foreign.keys().map(String::as_str))
            } else {
                continue;
            };
            errors.push(root.error_at(keyword.span, why));
        }
        for (keyword, place) in &contents.foreign {
            let is_ignored = config
                .ignore
                .iter()
                .any(|ignored| ignored.value == *keyword);
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
    ///
    /// # Errors
    /// Definitions that are of no message, and messages whose definition is not clear.
    pub(super) fn add_to(
        &self,
        mut sides: [(&FrameNames, &mut Value); 2],
    ) -> Result<(), Vec<Error>> {
        let targets = self.targets([sides[0].0, sides[1].0])?;
        for (side, targets) in targets.into_iter().enumerate() {
            let (names, document) = &mut sides[side];
            for (name, target) in targets {
                self.refer(document, names, &name, &target);
            }
            if let Some(document) = document.as_object_mut() {
                document.insert(PLACE.to_owned(), self.schema.clone());
            }
        }
        Ok(())
    }

    /// The definitions of the messages of each side.
    fn targets(
        &self,
        names: [&FrameNames; 2],
    ) -> Result<[BTreeMap<String, String>; 2], Vec<Error>> {
        let (explicit, mut errors) = self.explicit_targets(names);
        let mut targets = explicit.clone();
        let mut unclaimed = BTreeSet::new();
        let mut say = |message: String| {
            errors.push(self.root.error_at(file_span(self.config), message));
        };
        for (definition, part) in self.schema["$defs"].as_object().into_iter().flatten() {
            let method = self.config.method.as_ref();
            let Some(method) = method.and_then(|keyword| part[keyword].as_str()) else {
                continue;
            };
            let target = format!("#/$defs/{}", escape_step(definition));
            let ending = self.config.results.as_deref();
            let is_result = ending.is_some_and(|ending| definition.ends_with(ending));
            let receivers = self.receivers(part, names, method);
            if receivers.is_empty() && unclaimed.insert((method, 2)) {
                say(format!(
                    "no side receives `{method}`, the method of `{target}`: write it in `events` or `commands`, and the word for its side under `published: {{ side }}`"
                ));
            }
            for receiver in receivers {
                let sender = 1 - receiver;
                let (side, name) = if is_result {
                    (receiver, format!("{method}.result"))
                } else {
                    (sender, method.to_owned())
                };
                let known = names[sender].method(method);
                let list = ["events", "commands"][sender];
                if known.is_none() {
                    if unclaimed.insert((method, sender)) {
                        say(format!(
                            "`{method}`, the method of `{target}`, is not in `{list}`: write it there"
                        ));
                    }
                } else if known.is_some_and(|spec| is_result && spec.notification) {
                    say(format!(
                        "`{target}` is the result of `{method}`, which is a notification in `{list}`: remove `notification` there"
                    ));
                } else if !explicit[side].contains_key(&name)
                    && let Some(other) = targets[side].insert(name.clone(), target.clone())
                {
                    let label = ["", ">"][side];
                    say(format!(
                        "`{label}{name}` has the definitions `{other}` and `{target}`: write one of them under `published`, such as `definitions: {{ \"{label}{name}\": \"{target}\" }}`"
                    ));
                }
            }
        }
        errors.is_empty().then_some(targets).ok_or(errors)
    }

    /// The definitions that the dialect gives the messages of each side, and mistakes in them.
    fn explicit_targets(
        &self,
        names: [&FrameNames; 2],
    ) -> ([BTreeMap<String, String>; 2], Vec<Error>) {
        let (mut targets, mut errors) = ([BTreeMap::new(), BTreeMap::new()], Vec::new());
        for (label, target) in &self.config.definitions {
            let of_host = label.strip_prefix('>');
            let (side, name) = (usize::from(of_host.is_some()), of_host.unwrap_or(label));
            let known: Vec<_> = names[side].all().collect();
            let pointer = target.value.strip_prefix('#');
            let mistake = if !known.iter().any(|known| known == name) {
                unknown("message", name, known.iter().map(String::as_str))
            } else if pointer.is_none_or(|pointer| self.schema.pointer(pointer).is_none()) {
                let all = self.schema["$defs"].as_object().into_iter().flatten();
                let all: Vec<_> = all
                    .map(|(name, _)| format!("#/$defs/{}", escape_step(name)))
                    .collect();
                let near = suggestion(&target.value, all.iter().map(String::as_str));
                format!("`{}` is not in the published file{near}", target.value)
            } else {
                targets[side].insert(name.to_owned(), target.value.clone());
                continue;
            };
            errors.push(self.root.error_at(target.span, mistake));
        }
        (targets, errors)
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
            let method = name
                .rsplit_once('.')
                .and_then(|(method, _)| names.method(method));
            let mut place = method
                .and_then(|spec| spec.kind.as_deref())
                .map_or(Vec::new(), steps);
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
    config
        .file
        .as_ref()
        .map(|file| file.span)
        .unwrap_or_default()
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
