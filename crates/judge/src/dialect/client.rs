//! Compiles the section `client` of a dialect: what a client can declare, and its standing answers.

use super::types::Dialect;
use conform_dialect::FrameNames;
use conform_dialect::client::{AnswerKeys, AnswerVerb, ClientError, ClientFile, standing_answers};
use indexmap::IndexMap;
use json_matcher::{Captures, Matcher, Template, compile_node, placeholders_in};
use serde_json::{Map, Value};
use spanned_yaml::{Error, Node, Spanned, unknown};

/// How a client of the protocol behaves.
#[derive(Debug, Clone, Default)]
pub struct Client {
    /// What it can declare: the JSON of each ability.
    pub abilities: IndexMap<String, Value>,
    /// The notification with which the agent takes back a request, and the JSON Pointer to the id of the request.
    pub cancel: Option<(String, String)>,
    /// The standing answers by method.
    pub answers: IndexMap<String, Vec<StandingAnswer>>,
    errors: IndexMap<ClientError, i64>,
}

/// A standing answer to the requests of a method.
#[derive(Debug, Clone)]
pub struct StandingAnswer {
    /// The requests that it is for; `None` for all.
    when: Option<Matcher>,
    /// The abilities of which the client must declare one.
    pub needs: Vec<String>,
    /// What the client does.
    pub verb: Option<AnswerVerb>,
    /// The result, with placeholders for the values of the verb.
    pub result: Template,
    /// What is merged into the result when the process has ended.
    pub exited: Option<Template>,
    /// Other results, by name.
    pub replies: IndexMap<String, Value>,
    /// Names for several kinds of options.
    pub policies: IndexMap<String, Vec<String>>,
    /// What is answered if the scenario says nothing.
    pub reply: Option<String>,
    /// The replies after commands of the host.
    pub after: IndexMap<String, String>,
    /// The JSON Pointer to the member that such a command and its requests share.
    pub same: Option<String>,
}

impl StandingAnswer {
    /// Whether it is for this request.
    pub fn fits(&self, request: &Value) -> bool {
        let when = self.when.as_ref();
        when.is_none_or(|when| when.matches(request, &Captures::default()).is_ok())
    }

    /// The kinds of options that a word stands for, the first one preferred. None if it is not a kind and not a policy.
    pub fn kinds(&self, word: &str) -> Option<Vec<String>> {
        let Some(AnswerVerb::Choose(choose)) = &self.verb else {
            return None;
        };
        let is_kind = choose.kinds.iter().any(|kind| kind == word);
        let policy = self.policies.get(word).cloned();
        policy.or_else(|| is_kind.then(|| vec![word.to_owned()]))
    }

    /// The words that a scenario can answer with.
    pub fn words(&self) -> Vec<&str> {
        let kinds = match &self.verb {
            Some(AnswerVerb::Choose(choose)) => choose.kinds.as_slice(),
            _ => &[],
        };
        let named = self.policies.keys().chain(self.replies.keys());
        kinds.iter().chain(named).map(String::as_str).collect()
    }
}

impl Client {
    /// The JSON that declares these abilities.
    pub fn declared<'a>(&self, abilities: impl IntoIterator<Item = &'a String>) -> Value {
        let mut all = Value::Object(Map::new());
        for ability in abilities {
            merge(
                &mut all,
                self.abilities.get(ability).unwrap_or(&Value::Null),
            );
        }
        all
    }

    /// The code of an error.
    pub fn code(&self, error: ClientError) -> i64 {
        let own = self.errors.get(&error).copied();
        own.unwrap_or_else(|| error.code())
    }

    /// The words that a scenario can answer a method with.
    pub fn words(&self, method: &str) -> Vec<&str> {
        let answers = self.answers.get(method).into_iter().flatten();
        answers.flat_map(StandingAnswer::words).collect()
    }
}

/// Merges the members of an object into another one, deeply. Any other value replaces what was there, but `null`, which says nothing.
pub fn merge(into: &mut Value, more: &Value) {
    match (into, more) {
        (_, Value::Null) => {}
        (Value::Object(into), Value::Object(more)) => {
            for (key, value) in more {
                merge(into.entry(key.as_str()).or_insert(Value::Null), value);
            }
        }
        (into, more) => *into = more.clone(),
    }
}

/// What the standing answers may name.
struct Known<'a> {
    root: &'a Node,
    events: &'a FrameNames,
    commands: &'a FrameNames,
    abilities: Vec<&'a str>,
    errors: Vec<Error>,
}

/// The client of a dialect whose messages are named by their structure.
///
/// # Errors
/// Every mistake, at its place.
pub(super) fn client_of(
    file: &ClientFile,
    root: &Node,
    events: &FrameNames,
    commands: &FrameNames,
) -> Result<Client, Vec<Error>> {
    let mut known = Known {
        root,
        events,
        commands,
        abilities: file.abilities.keys().map(String::as_str).collect(),
        errors: Vec::new(),
    };
    let mut answers = IndexMap::new();
    for (method, node) in &file.answers {
        known.check_method(method);
        match standing_answers(node) {
            Ok(all) => {
                let all = all.into_iter();
                let all = all.filter_map(|(node, keys, verb)| known.answer(&node, keys, verb));
                answers.insert(method.value.clone(), all.collect());
            }
            Err(mistakes) => known.errors.extend(mistakes),
        }
    }
    let cancel = file.cancel.as_ref().map(|cancel| {
        let is_one = |spec: &conform_dialect::file::FrameSpec| spec.notification;
        if !events.method(&cancel.notification).is_some_and(is_one) {
            let names = notifications(events);
            known.unknown("notification of the agent", &cancel.notification, names);
        }
        known.check_pointers([&cancel.id]);
        (cancel.notification.value.clone(), cancel.id.value.clone())
    });
    if !known.errors.is_empty() {
        return Err(known.errors);
    }
    let abilities = file.abilities.iter();
    Ok(Client {
        abilities: abilities
            .map(|(name, node)| (name.clone(), node.to_value()))
            .collect(),
        cancel,
        answers,
        errors: file.errors.clone(),
    })
}

fn notifications(names: &FrameNames) -> Vec<&str> {
    let all = names.names.iter().filter(|(_, spec)| spec.notification);
    all.map(|(name, _)| name.as_str()).collect()
}

impl Known<'_> {
    fn say(&mut self, at: &Spanned<String>, message: String) {
        self.errors.push(self.root.error_at(at.span, message));
    }

    fn unknown(&mut self, what: &str, name: &Spanned<String>, known: Vec<&str>) {
        let message = unknown(what, name, known);
        self.say(name, message);
    }

    fn check_method(&mut self, method: &Spanned<String>) {
        if let Some(mistake) = method_mistake(self.events, method) {
            self.say(method, mistake);
        }
    }

    fn check_pointers<'p>(&mut self, pointers: impl IntoIterator<Item = &'p Spanned<String>>) {
        for pointer in pointers.into_iter().filter(|one| !one.starts_with('/')) {
            let message = format!("a JSON Pointer starts with `/`: write `/{}`", pointer.value);
            self.say(pointer, message);
        }
    }

    /// Reports placeholders that the verb has no values for.
    fn check_values(&mut self, node: &Node, values: &[&str]) {
        for name in placeholders_in(node) {
            if !values.contains(&name.as_str()) {
                let all = values.iter().map(|value| format!("`{{{value}}}`"));
                let all: Vec<_> = all.collect();
                let known = if all.is_empty() {
                    "none".to_owned()
                } else {
                    all.join(", ")
                };
                let message = format!("there is no value `{{{}}}` here; there is {known}", *name);
                self.errors.push(node.error_at(name.span, message));
            }
        }
    }

    fn answer(
        &mut self,
        node: &Node,
        keys: AnswerKeys,
        verb: Option<AnswerVerb>,
    ) -> Option<StandingAnswer> {
        let abilities = self.abilities.clone();
        for ability in keys
            .needs
            .iter()
            .filter(|one| !abilities.contains(&one.as_str()))
        {
            self.unknown("ability", ability, abilities.clone());
        }
        let values = verb.as_ref().map(AnswerVerb::values).unwrap_or_default();
        self.check_pointers(verb.iter().flat_map(AnswerVerb::pointers).chain(&keys.same));
        self.check_values(&keys.result, values);
        for reply in keys.replies.values() {
            self.check_values(reply, &[]);
        }
        let reads_output = matches!(verb, Some(AnswerVerb::TerminalOutput(_)));
        if let Some(exited) = &keys.exited {
            self.check_values(exited, &["code", "signal"]);
            if !reads_output {
                self.errors
                    .push(exited.error("`exited` goes with `terminal_output`"));
            }
        }
        let kinds: Vec<String> = match &verb {
            Some(AnswerVerb::Choose(choose)) => choose.kinds.clone(),
            _ => Vec::new(),
        };
        for kind in keys.policies.values().flatten() {
            if !kinds.contains(&kind.value) {
                let kinds = kinds.iter().map(String::as_str).collect();
                self.unknown("kind of option", kind, kinds);
            }
        }
        let matcher = keys.when.as_ref().map(compile_node);
        let when = match matcher.transpose() {
            Ok(when) => when,
            Err(mistakes) => {
                self.errors.extend(mistakes);
                None
            }
        };
        let text = |one: &Spanned<String>| one.value.clone();
        let policies = keys.policies.iter();
        let answer = StandingAnswer {
            when,
            needs: keys.needs.iter().map(text).collect(),
            verb,
            result: Template::new(keys.result.to_value()),
            exited: keys.exited.map(|node| Template::new(node.to_value())),
            replies: keys
                .replies
                .iter()
                .map(|(name, node)| (name.clone(), node.to_value()))
                .collect(),
            policies: policies
                .map(|(name, all)| (name.clone(), all.iter().map(text).collect()))
                .collect(),
            reply: keys.reply.as_ref().map(text),
            same: keys.same.as_ref().map(text),
            after: keys
                .after
                .iter()
                .map(|(command, reply)| (text(command), text(reply)))
                .collect(),
        };
        for word in keys.reply.iter().chain(keys.after.values()) {
            if !answer.words().contains(&word.as_str()) {
                self.unknown("reply", word, answer.words());
            }
        }
        for command in keys.after.keys() {
            if self.commands.method(command).is_none() {
                let known = self.commands.names.keys().map(String::as_str).collect();
                self.unknown("command", command, known);
            }
        }
        if matches!(answer.verb, Some(AnswerVerb::Choose(_))) && answer.reply.is_none() {
            let message = format!(
                "`choose` needs a `reply`, the standing policy: one of {}",
                answer.words().join(", ")
            );
            self.errors.push(node.error(message));
        }
        Some(answer)
    }
}

/// Why a client cannot answer this method.
pub(super) fn method_mistake(events: &FrameNames, method: &str) -> Option<String> {
    match events.method(method) {
        Some(spec) if spec.notification => Some(format!(
            "`{method}` is a notification, and nobody answers one: remove it"
        )),
        Some(_) => None,
        None => {
            let is_request =
                |name: &&String| events.method(name).is_some_and(|spec| !spec.notification);
            let known = events.names.keys().filter(is_request).map(String::as_str);
            Some(unknown("request of the agent", method, known))
        }
    }
}

impl Dialect {
    /// Why a scenario cannot answer this method; `None` if it can, also if agents may add it by themselves.
    pub fn answer_mistake(&self, method: &str) -> Option<String> {
        let own = self.json_rpc.as_ref();
        let is_extension = own.is_some_and(|own| own.is_extension(method));
        method_mistake(&self.events, method).filter(|_| !is_extension)
    }
}
