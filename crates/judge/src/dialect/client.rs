//! Compiles the section `client` of a dialect: what a client can declare, and its standing answers.

use super::types::Dialect;
use conform_dialect::FrameNames;
use conform_dialect::client::{AnswerKeys, AnswerVerb, ClientError, ClientFile, standing_answers};
use indexmap::IndexMap;
use json_matcher::{Captures, Matcher, compile_node, placeholders_in};
use serde_json::{Map, Value};
use spanned_yaml::{Error, Node, Spanned, unknown};

/// How a client of the protocol behaves.
#[derive(Debug, Clone)]
pub struct Client {
    /// The section as written.
    pub file: ClientFile,
    /// The standing answers by method.
    pub answers: IndexMap<String, Vec<StandingAnswer>>,
}

/// A standing answer to the requests of a method.
#[derive(Debug, Clone)]
pub struct StandingAnswer {
    /// Its keys.
    pub keys: AnswerKeys,
    /// What the client does.
    pub verb: Option<AnswerVerb>,
    when: Option<Matcher>,
}

impl StandingAnswer {
    /// Whether it is for this request.
    pub fn fits(&self, request: &Value) -> bool {
        let when = self.when.as_ref();
        when.is_none_or(|when| when.matches(request, &Captures::default()).is_ok())
    }

    /// The member of a request that has this name in the verb.
    pub fn member<'r>(&self, name: &str, request: &'r Value) -> Option<&'r Value> {
        let pointer = self.pointer(name)?;
        request.pointer(pointer).filter(|value| !value.is_null())
    }

    /// The JSON Pointer that has this name in the verb.
    pub fn pointer(&self, name: &str) -> Option<&str> {
        let mut members = self.verb.as_ref()?.members().iter();
        let found = members.find(|(own, _)| own.as_str() == name);
        found.map(|(_, pointer)| pointer.as_str())
    }

    /// The kinds of options that a word stands for, the first one preferred.
    pub fn kinds(&self, word: &str) -> Vec<&str> {
        let own = self.keys.kinds.iter().filter(|kind| *kind == word);
        let policy = self.keys.policies.get(word).into_iter().flatten();
        let policy = policy.map(|kind| kind.as_str());
        own.map(String::as_str).chain(policy).collect()
    }

    /// The words that a scenario can answer with.
    pub fn words(&self) -> Vec<&str> {
        let named = self.keys.policies.keys().chain(self.keys.replies.keys());
        self.keys
            .kinds
            .iter()
            .chain(named)
            .map(String::as_str)
            .collect()
    }
}

impl Client {
    /// The JSON that declares these abilities.
    pub fn declared(&self, abilities: &[String]) -> Value {
        let mut all = Value::Object(Map::new());
        for ability in abilities
            .iter()
            .filter_map(|name| self.file.abilities.get(name))
        {
            merge(&mut all, &ability.to_value());
        }
        all
    }

    /// The code of an error.
    pub fn code(&self, error: ClientError) -> i64 {
        let own = self.file.errors.get(&error).copied();
        own.unwrap_or_else(|| error.code())
    }

    /// The words that a scenario can answer a method with.
    pub fn words(&self, method: &str) -> Vec<&str> {
        let answers = self.answers.get(method).into_iter().flatten();
        answers.flat_map(StandingAnswer::words).collect()
    }
}

/// Merges the members of an object into another one, deeply. Any other value replaces what was there.
pub fn merge(into: &mut Value, more: &Value) {
    match (into, more) {
        (Value::Object(into), Value::Object(more)) => {
            for (key, value) in more {
                merge(into.entry(key.as_str()).or_insert(Value::Null), value);
            }
        }
        (into, more) => *into = more.clone(),
    }
}

/// The client of a dialect whose messages are named by their structure.
///
/// # Errors
/// Every mistake, at its place.
pub(super) fn client_of(
    file: ClientFile,
    root: &Node,
    events: &FrameNames,
    commands: &FrameNames,
) -> Result<Client, Vec<Error>> {
    let mut errors = Vec::new();
    let mut say = |at: &Spanned<String>, message| errors.push(root.error_at(at.span, message));
    if let Some(cancel) = &file.cancel {
        let names = events.names.iter().filter(|(_, spec)| spec.notification);
        let names: Vec<_> = names.map(|(name, _)| name.as_str()).collect();
        if !names.contains(&cancel.notification.as_str()) {
            let name = &cancel.notification;
            say(name, unknown("notification of the agent", name, names));
        }
        pointer_mistake(&cancel.id)
            .into_iter()
            .for_each(|message| say(&cancel.id, message));
    }
    let abilities: Vec<_> = file.abilities.keys().map(String::as_str).collect();
    let mut answers = IndexMap::new();
    for (method, node) in &file.answers {
        let mistake = method_mistake(events, method);
        errors.extend(mistake.map(|mistake| root.error_at(method.span, mistake)));
        let all = standing_answers(node).unwrap_or_else(|mistakes| {
            errors.extend(mistakes);
            Vec::new()
        });
        let compiled = all.into_iter().map(|(node, keys, verb)| {
            let when = keys.when.as_ref().map(compile_node).transpose();
            let when = when.unwrap_or_else(|mistakes| {
                errors.extend(mistakes);
                None
            });
            let answer = StandingAnswer { keys, verb, when };
            answer.check(&node, commands, &abilities, &mut errors);
            answer
        });
        answers.insert(method.value.clone(), compiled.collect());
    }
    errors
        .is_empty()
        .then(|| Client { file, answers })
        .ok_or(errors)
}

impl StandingAnswer {
    /// Reports the mistakes in an answer.
    fn check(
        &self,
        node: &Node,
        commands: &FrameNames,
        abilities: &[&str],
        errors: &mut Vec<Error>,
    ) {
        let StandingAnswer { keys, verb, .. } = self;
        let [needed, more, values] = verb.as_ref().map(AnswerVerb::names).unwrap_or_default();
        let mut say = |at: &Spanned<String>, message| errors.push(node.error_at(at.span, message));
        let mut known = |what: &str, name: &Spanned<String>, known: &[&str]| {
            if !known.contains(&name.as_str()) {
                say(name, unknown(what, name, known.iter().copied()));
            }
        };
        for ability in &keys.needs {
            known("ability", ability, abilities);
        }
        let kinds: Vec<_> = keys.kinds.iter().map(String::as_str).collect();
        for kind in keys.policies.values().flatten() {
            known("kind of option", kind, &kinds);
        }
        for word in keys.reply.iter().chain(keys.after.values()) {
            known("reply", word, &self.words());
        }
        let names = commands.names.keys().map(String::as_str);
        let names: Vec<_> = names
            .filter(|name| commands.method(name).is_some())
            .collect();
        for command in keys.after.keys() {
            known("command", command, &names);
        }
        let members = verb.iter().flat_map(AnswerVerb::members);
        for (name, _) in members.clone() {
            known("member", name, &[needed, more].concat());
        }
        for pointer in members.map(|(_, pointer)| pointer).chain(&keys.same) {
            pointer_mistake(pointer)
                .into_iter()
                .for_each(|message| say(pointer, message));
        }
        for name in needed.iter().filter(|name| self.pointer(name).is_none()) {
            errors.push(node.error(format!("the JSON Pointer `{name}` is missing")));
        }
        let exited: &[&str] = match verb {
            Some(AnswerVerb::TerminalOutput(_)) => &["code", "signal"],
            _ => &[],
        };
        let results = keys.replies.values().map(|reply| (reply, [].as_slice()));
        let results = results.chain([(&keys.result, values)]);
        for (result, values) in results.chain(keys.exited.iter().map(|node| (node, exited))) {
            for name in placeholders_in(result) {
                if !values.contains(&name.as_str()) {
                    let message = unknown("value", &name, values.iter().copied());
                    errors.push(result.error_at(name.span, message));
                }
            }
        }
        if matches!(verb, Some(AnswerVerb::Choose(_))) && keys.reply.is_none() {
            let words = self.words().join(", ");
            let message = format!("`choose` needs a `reply`, the standing policy: one of {words}");
            errors.push(node.error(message));
        }
    }
}

fn pointer_mistake(pointer: &str) -> Option<String> {
    let is_one = pointer.starts_with('/');
    (!is_one).then(|| format!("a JSON Pointer starts with `/`: write `/{pointer}`"))
}

/// Why a client cannot answer this method.
fn method_mistake(events: &FrameNames, method: &str) -> Option<String> {
    let is_request = |name: &str| events.method(name).is_some_and(|spec| !spec.notification);
    if events.method(method).is_some_and(|spec| spec.notification) {
        let message = "is a notification, and nobody answers one: remove it";
        return Some(format!("`{method}` {message}"));
    }
    let known = events
        .names
        .keys()
        .map(String::as_str)
        .filter(|name| is_request(name));
    (!is_request(method)).then(|| unknown("request of the agent", method, known))
}

impl Dialect {
    /// Why a scenario cannot answer this method; `None` if it can, also if agents may add it by themselves.
    pub fn answer_mistake(&self, method: &str) -> Option<String> {
        let own = self.json_rpc.as_ref();
        let is_extension = own.is_some_and(|own| own.is_extension(method));
        method_mistake(&self.events, method).filter(|_| !is_extension)
    }
}
