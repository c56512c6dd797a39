//! The schema file that a protocol publishes: finds the definition of each message in it, and adds a reference to it to our own definition.

use conform_dialect::FrameNames;
use conform_dialect::file::PublishedFile;
use serde_json::{Map, Value, json};
use spanned_yaml::{Error, Node, escape_step, suggestion, unescape_step, unknown};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The draft of JSON Schema that validators implement.
const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The place of the file in the documents of definitions.
const PLACE: &str = "published";

/// The keywords of JSON Schema: those with schemas by name, those with a schema or a list of them, and those with other values.
const BY_NAME: &str = "$defs definitions properties patternProperties dependentSchemas";
const NESTED: &str = "allOf anyOf oneOf not if then else items prefixItems contains additionalProperties propertyNames unevaluatedItems \
    unevaluatedProperties contentSchema";
const PLAIN: &str = "$schema $id $anchor $comment $ref type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength \
    minLength pattern maxItems minItems uniqueItems maxContains minContains maxProperties minProperties required dependentRequired format \
    contentEncoding contentMediaType title description default deprecated readOnly writeOnly examples";

fn has(keywords: &str, keyword: &str) -> bool {
    keywords.split_whitespace().any(|known| known == keyword)
}

/// A published schema file, and how messages refer to it.
pub(super) struct Published<'a> {
    schema: Value,
    config: &'a PublishedFile,
    root: &'a Node,
}

/// The definitions of the messages of each side, events first.
type Targets = [BTreeMap<String, String>; 2];

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
        let of_file = |message: String| Error::of_file(path, message);
        if let Some(draft) = schema.get("$schema").filter(|draft| **draft != DRAFT) {
            let message = format!("`$schema` is {draft}: only \"{DRAFT}\" is supported");
            return Err(vec![of_file(message)]);
        }
        jsonschema::draft202012::meta::validate(&schema)
            .map_err(|error| vec![of_file(format!("{error} (at {})", error.instance_path()))])?;
        let (mut foreign, mut errors) = (BTreeMap::new(), Vec::new());
        let original = schema.clone();
        adopt(&mut schema, "", &mut |keyword, value, place| {
            if keyword == "$ref" && original.pointer(value.trim_start_matches('#')).is_none() {
                errors.push(of_file(format!(
                    "`$ref: {value}` leads to nothing in this file"
                )));
            } else if keyword == "pattern"
                && let Err(error) = jsonschema::draft202012::new(&json!({ "pattern": value }))
            {
                errors.push(of_file(error.to_string()));
            } else if ![BY_NAME, NESTED, PLAIN]
                .iter()
                .any(|known| has(known, keyword))
            {
                let first = foreign.entry(keyword.to_owned());
                first.or_insert_with(|| place.to_owned());
            }
        });
        for keyword in &config.ignore {
            let name = &keyword.value;
            let why = if [BY_NAME, NESTED, PLAIN]
                .iter()
                .any(|known| has(known, name))
            {
                format!(
                    "`{name}` is a keyword of JSON Schema, which messages must obey: remove it from `ignore`"
                )
            } else if !foreign.contains_key(name) {
                unknown("keyword", name, foreign.keys().map(String::as_str))
            } else {
                continue;
            };
            errors.push(root.error_at(keyword.span, why));
        }
        let published = Published {
            schema,
            config,
            root,
        };
        let side = config.side.as_ref().map(|side| &side.keyword);
        let own = [config.method.as_ref(), side];
        for (keyword, place) in &foreign {
            let is_ignored = config
                .ignore
                .iter()
                .any(|ignored| ignored.value == *keyword);
            if !is_ignored && !own.contains(&Some(keyword)) {
                errors.push(published.error(format!(
                    "{place} has the keyword `{keyword}`, which is not one of JSON Schema: if it requires nothing of messages, write it under `published: {{ ignore }}`"
                )));
            }
        }
        errors.is_empty().then_some(published).ok_or(errors)
    }

    /// Adds the file to the documents of both sides, and references to the definitions of their messages. Events come first.
    ///
    /// # Errors
    /// Definitions that are of no message, and messages whose definition is not clear.
    pub(super) fn add_to(&self, sides: [(&FrameNames, &mut Value); 2]) -> Result<(), Vec<Error>> {
        let targets = self.targets([sides[0].0, sides[1].0])?;
        self.check_nullable(&targets)?;
        for (side, ((names, document), targets)) in sides.into_iter().zip(targets).enumerate() {
            for (name, target) in targets {
                let label = format!("{}{name}", ["", ">"][side]);
                self.refer(document, names, &label, target.trim_start_matches('#'));
            }
            document[PLACE] = self.schema.clone();
        }
        Ok(())
    }

    /// Checks that the results that may be null are results with a definition.
    fn check_nullable(&self, targets: &Targets) -> Result<(), Vec<Error>> {
        let known = |side: usize| {
            let results = targets[side]
                .keys()
                .filter(|name| name.ends_with(".result"));
            results.map(move |name| format!("{}{name}", ["", ">"][side]))
        };
        let known: Vec<_> = known(0).chain(known(1)).collect();
        let nullable = self.config.nullable.iter();
        let unknown = nullable
            .filter(|one| !known.contains(&one.value))
            .map(|one| {
                let message = unknown("result", &one.value, known.iter().map(String::as_str));
                self.root.error_at(one.span, message)
            });
        let errors: Vec<_> = unknown.collect();
        errors.is_empty().then_some(()).ok_or(errors)
    }

    /// A mistake at the name of the file.
    fn error(&self, message: String) -> Error {
        let file = self.config.file.as_ref();
        self.root
            .error_at(file.map(|file| file.span).unwrap_or_default(), message)
    }

    /// The definitions in the file, with the references to them.
    fn definitions(&self) -> impl Iterator<Item = (String, &String, &Value)> {
        let all = self.schema["$defs"].as_object().into_iter().flatten();
        all.map(|(name, part)| (format!("#/$defs/{}", escape_step(name)), name, part))
    }

    fn targets(&self, names: [&FrameNames; 2]) -> Result<Targets, Vec<Error>> {
        let (explicit, mut errors) = self.explicit_targets(names);
        let (mut targets, mut unclaimed) = (explicit.clone(), BTreeSet::new());
        for (target, definition, part) in self.definitions() {
            let method = self.config.method.as_ref();
            let Some(method) = method.and_then(|keyword| part[keyword].as_str()) else {
                continue;
            };
            let ending = self.config.results.as_deref();
            let is_result = ending.is_some_and(|ending| definition.ends_with(ending));
            let receivers = self.receivers(part, names, method);
            if receivers.is_empty() && unclaimed.insert((method, 2)) {
                errors.push(self.error(format!("no side receives `{method}`, the method of `{target}`: write it in `events` or `commands`, and the word for its side under `published: {{ side }}`")));
            }
            for receiver in receivers {
                let sender = 1 - receiver;
                let list = ["events", "commands"][sender];
                let result = format!("{method}.result");
                let (side, name) = if is_result {
                    (receiver, result.as_str())
                } else {
                    (sender, method)
                };
                let mistake = match names[sender].method(method) {
                    None if unclaimed.insert((method, sender)) => format!(
                        "`{method}`, the method of `{target}`, is not in `{list}`: write it there"
                    ),
                    Some(spec) if is_result && spec.notification => format!(
                        "`{target}` is the result of `{method}`, which is a notification in `{list}`: remove `notification` there"
                    ),
                    Some(_) if !explicit[side].contains_key(name) => {
                        let Some(other) = targets[side].insert(name.to_owned(), target.clone())
                        else {
                            continue;
                        };
                        let label = format!("{}{name}", ["", ">"][side]);
                        format!(
                            "`{label}` has the definitions `{other}` and `{target}`: write one of them under `published`, such as `definitions: {{ \"{label}\": \"{target}\" }}`"
                        )
                    }
                    _ => continue,
                };
                errors.push(self.error(mistake));
            }
        }
        errors.is_empty().then_some(targets).ok_or(errors)
    }

    /// The definitions that the dialect gives the messages of each side, and mistakes in them.
    fn explicit_targets(&self, names: [&FrameNames; 2]) -> (Targets, Vec<Error>) {
        let (mut targets, mut errors) = (Targets::default(), Vec::new());
        for (label, target) in &self.config.definitions {
            let of_host = label.strip_prefix('>');
            let (side, name) = (usize::from(of_host.is_some()), of_host.unwrap_or(label));
            let known: Vec<_> = names[side].all().collect();
            let pointer = target.value.strip_prefix('#');
            let mistake = if !known.iter().any(|known| known == name) {
                unknown("message", name, known.iter().map(String::as_str))
            } else if pointer.is_none_or(|pointer| self.schema.pointer(pointer).is_none()) {
                let all: Vec<_> = self.definitions().map(|(target, ..)| target).collect();
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
        let is_of = |receiver: &usize| match &self.config.side {
            Some(side) => [&side.agent, &side.host][*receiver]
                .iter()
                .any(|word| part[&side.keyword] == word.as_str()),
            None => names[1 - receiver].method(method).is_some(),
        };
        [0, 1].into_iter().filter(is_of).collect()
    }

    /// Adds a reference to the definition of a message. A message with a nested kind is only checked under the name of its kind, so that
    /// each mistake is found once.
    fn refer(&self, document: &mut Value, names: &FrameNames, label: &str, target: &str) {
        let name = label.trim_start_matches('>');
        let mut nullable = self.config.nullable.iter();
        let is_nullable = nullable.any(|one| one.value == label);
        let required = self
            .schema
            .pointer(target)
            .map(|target| &target["required"]);
        let is_required = required.is_some_and(|required| *required != Value::Null);
        let nested = |place: &[String], inner: Value, is_required: bool| {
            place.iter().rev().fold(inner, |inner, step| {
                let required = if is_required {
                    json!([step])
                } else {
                    json!([])
                };
                json!({ "required": required, "properties": { step: inner } })
            })
        };
        let steps = |at: &str| at.split('/').skip(1).map(unescape_step).collect::<Vec<_>>();
        let (outer, last) = name.rsplit_once('.').unwrap_or_default();
        let outer = names.method(outer).and_then(|spec| spec.kind.as_deref());
        let (place, kinds) = match (names.method(name), outer) {
            _ if names.is_answer(name) => (vec![last.to_owned()], None),
            (None, Some(at)) => (steps(&at[..at.rfind('/').unwrap_or_default()]), None),
            (spec, _) => (
                vec!["params".to_owned()],
                spec.filter(|spec| !spec.kinds.is_empty()),
            ),
        };
        let mut reference = json!({ "$ref": format!("#/{PLACE}{target}") });
        if is_nullable {
            reference = json!({ "anyOf": [{ "type": "null" }, reference] });
        }
        let reference = nested(&place, reference, is_required);
        let Some((spec, at)) = kinds.and_then(|spec| Some((spec, spec.kind.as_deref()?))) else {
            return add(document, name, reference);
        };
        let known_kind = nested(&steps(at), json!({ "enum": spec.kinds }), true);
        for kind in &spec.kinds {
            add(document, &format!("{name}.{kind}"), reference.clone());
        }
        add(
            document,
            name,
            json!({ "if": known_kind, "else": reference }),
        );
    }
}

/// Adds a requirement to our own definition of a message.
fn add(document: &mut Value, name: &str, requirement: Value) {
    let definitions = document["$defs"].as_object_mut();
    let own = definitions.map(|all| all.entry(name).or_insert_with(|| Map::new().into()));
    if let Some(Value::Object(own)) = own
        && let Value::Array(all) = own.entry("allOf").or_insert_with(|| json!([]))
    {
        all.push(requirement);
    }
}

/// Makes the references in a schema ones of our documents. `see` gets each keyword, its value if that is a text, and the place of its schema.
fn adopt(schema: &mut Value, at: &str, see: &mut impl FnMut(&str, &str, &str)) {
    let (items, members) = match schema {
        Value::Array(items) => (Some(items), None),
        Value::Object(members) => (None, Some(members)),
        _ => return,
    };
    for (n, item) in items.into_iter().flatten().enumerate() {
        adopt(item, &format!("{at}/{n}"), see);
    }
    for (keyword, value) in members.into_iter().flatten() {
        see(keyword, value.as_str().unwrap_or_default(), at);
        let place = format!("{at}/{}", escape_step(keyword));
        match value {
            Value::String(target) if keyword == "$ref" => {
                *target = format!("#/{PLACE}{}", target.trim_start_matches('#'));
            }
            Value::Object(parts) if has(BY_NAME, keyword) => {
                for (name, part) in parts {
                    if keyword == "patternProperties" {
                        see("pattern", name, at);
                    }
                    adopt(part, &format!("{place}/{}", escape_step(name)), see);
                }
            }
            value if has(NESTED, keyword) => adopt(value, &place, see),
            _ => {}
        }
    }
}
