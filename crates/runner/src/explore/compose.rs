//! Composes a session into the scenario that plays it: the parts of its start and of its moves, in their order, with their data.

use super::file::MoveFile;
use super::fill::{Names, Place, fill, fill_key};
use super::moves::{Move, MoveTable};
use super::walk::{Part, PlannedMove, Session, State};
use crate::scenario::{Scenario, inherit, load, words, yaml_text};
use conform_judge::dialect::Dialect;
use indexmap::IndexSet;
use serde_json::{Map, Value, json};
use spanned_yaml::{Error, load_yaml};
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// The most moves in the name of a scenario.
const NAMED: usize = 6;

/// The verbs whose values are matchers on events.
const EVENT_VERBS: &[&str] = &["expect", "expect_next", "expect_none", "unordered"];
/// The verbs with which an exchange begins.
const SENDING_VERBS: &[&str] = &[
    "send",
    "send_raw",
    "send_bytes",
    "restart",
    "close_stdin",
    "signal",
    "part",
];
/// The keys of a reply other than its content, which a finding may not need.
const EXTRAS: &[&str] = &["expect_request", "usage"];
/// The verbs that can fail because of the agent.
const CHECKING_VERBS: &[&str] = &[
    "expect",
    "expect_next",
    "unordered",
    "expect_none",
    "expect_text",
    "expect_request",
    "expect_reply",
    "expect_file",
    "expect_exit",
];

/// A scenario under composition.
#[derive(Default)]
struct Draft {
    /// The keys that come before `model`.
    head: Map<String, Value>,
    clauses: IndexSet<String>,
    needs: IndexSet<String>,
    tags: IndexSet<String>,
    files: Map<String, Value>,
    mcp: Map<String, Value>,
    model: Vec<Value>,
    answers: Vec<Value>,
    steps: Vec<Value>,
    files_after: Map<String, Value>,
}

/// The parts of a scenario that a move adds, by the numbers of its exchanges and replies.
pub(super) struct MoveParts {
    pub(super) exchanges: RangeInclusive<usize>,
    pub(super) replies: RangeInclusive<usize>,
}

impl MoveTable {
    /// The scenario of a session, as YAML, with this name. It cites only these clauses; if there are none, those of all its steps.
    #[must_use]
    pub fn text(&self, session: &Session, title: &str, cited: &[String]) -> String {
        let mut draft = self.draft(session);
        draft.leave_out(&session.without);
        if !cited.is_empty() {
            draft.cite(cited);
        }
        let scenario = draft.finish(title);
        let text = yaml_text::document(&scenario);
        let wire = scenario["wire"].as_str().map(str::to_owned);
        let form = self.call_ids.get(&wire);
        let written = form.and_then(|names| Some(inherit(&load_yaml("", &text).ok()?, names)));
        written.map_or(text, |scenario| yaml_text::document(&scenario.to_value()))
    }

    /// The parts of the scenario of a session that the start and each move add.
    pub(super) fn parts(&self, session: &Session) -> Vec<MoveParts> {
        let (mut draft, mut state) = (Draft::default(), State::new(self));
        let mut before = draft.parts();
        let parts = self.planned(session).map(|(planned, one)| {
            draft.make(self, &mut state, planned, one);
            let now = draft.parts();
            let (exchanges, replies) = (before.0 + 1..=now.0, before.1 + 1..=now.1);
            before = now;
            MoveParts { exchanges, replies }
        });
        parts.collect()
    }

    /// The steps that check something before others of their exchange do: the exchange ends in the same way without them.
    pub(super) fn earlier_checks(&self, session: &Session) -> Vec<Part> {
        let steps = self.draft(session).steps;
        let exchanges = steps.chunk_by(|_, next| !begins(next));
        let mut first = 1;
        let mut found = Vec::new();
        for exchange in exchanges {
            let numbered = exchange.iter().zip(first..);
            let checks = numbered.filter(|(step, _)| has_verb(step, CHECKING_VERBS));
            let mut checks: Vec<Part> = checks.map(|(_, n)| Part::Step(n)).collect();
            checks.pop();
            found.append(&mut checks);
            first += exchange.len();
        }
        found
    }

    fn draft(&self, session: &Session) -> Draft {
        let (mut draft, mut state) = (Draft::default(), State::new(self));
        for (planned, one) in self.planned(session) {
            draft.make(self, &mut state, planned, one);
        }
        draft
    }

    /// The scenario of a session, loaded, with this id.
    ///
    /// # Errors
    /// The mistakes in it, with their places in its text.
    pub fn scenario(
        &self,
        session: &Session,
        id: &str,
        dialect: &Dialect,
    ) -> Result<Scenario, Vec<Error>> {
        let text = self.text(session, &session.title(), &[]);
        let node = load_yaml(format!("{id}.yaml"), &text).map_err(|error| vec![error])?;
        load(&node, id, Some(dialect))
    }

    /// Checks that a session with each move is a scenario of the dialect, with the simplest and with every other datum.
    ///
    /// # Errors
    /// For each move with which it is not, what is wrong, at the place of the move.
    pub fn check(&self, dialect: &Dialect) -> Result<(), Vec<Error>> {
        let mut errors = Vec::new();
        let mut try_session = |session: &Session, one: &Move| {
            if let Err(found) = self.scenario(session, "session", dialect) {
                let first = found.first().map(ToString::to_string).unwrap_or_default();
                errors
                    .push(one.error(format!("a session with it is not a good scenario: {first}")));
            }
        };
        let (sessions, mut unreachable) = (self.shortest_sessions(), Vec::new());
        for (name, one) in &self.starts {
            let start = self.tame(name, one);
            let first = self.moves.keys().find_map(|name| sessions.get(name));
            let first = first.cloned();
            if let Some(session) = first.and_then(|first| self.legal(&Session { start, ..first })) {
                try_session(&session, one);
            }
        }
        for (name, one) in &self.moves {
            match sessions.get(name) {
                Some(session) => try_session(session, one),
                None => unreachable.push(one.error("no session comes to this move")),
            }
        }
        errors.append(&mut unreachable);
        errors.is_empty().then_some(()).ok_or(errors)
    }
}

impl Session {
    /// What happens in it, in the names of its moves.
    #[must_use]
    pub fn title(&self) -> String {
        let mut names: Vec<String> = Vec::new();
        for PlannedMove { name, .. } in &self.moves {
            names.push(name.replace('-', " "));
        }
        let more = names.len().saturating_sub(NAMED);
        names.truncate(NAMED);
        let mut title = names.join(", then ");
        if more > 0 {
            title += &format!(", and {more} more");
        }
        match self.start.name.as_str() {
            "plain" if !title.is_empty() => title,
            start if title.is_empty() => start.replace('-', " "),
            start => format!("{}: {title}", start.replace('-', " ")),
        }
    }
}

impl Draft {
    /// Adds the parts of a start or a move, in a state that it changes.
    fn make(&mut self, table: &MoveTable, state: &mut State, planned: &PlannedMove, one: &Move) {
        let names = state.names_for(table, planned);
        if table.is_spliced {
            let (replies, answers) = (one.file.model.len(), one.file.answers.len());
            if !one.file.steps.is_empty() {
                self.steps
                    .push(json!({ "part": { "replies": replies, "answers": answers } }));
            }
            self.head.insert("rules_only".to_owned(), true.into());
        }
        self.add(&one.file, &names, state.number);
        state.make(table, planned, one);
    }

    /// How many exchanges and replies there are.
    fn parts(&self) -> (usize, usize) {
        let exchanges = self.steps.iter().filter(|step| begins(step));
        (exchanges.count(), self.model.len())
    }

    /// Adds the parts of a start or a move.
    fn add(&mut self, file: &MoveFile, names: &Names, number: usize) {
        let template = |value: &Value| fill(value, names, number, Place::Template);
        let clauses = words(&file.clauses);
        self.clauses.extend(clauses.iter().cloned());
        self.needs.extend(words(&file.needs));
        self.tags.extend(words(&file.tags));
        if let Some(wire) = &file.wire {
            self.head
                .insert("wire".to_owned(), wire.value.clone().into());
        }
        if let Some(agent) = &file.agent {
            self.head
                .insert("agent".to_owned(), template(&agent.to_value()));
        }
        for (key, value) in [("prelude", &file.prelude), ("client", &file.client)] {
            if let Some(value) = value {
                self.head.insert(key.to_owned(), value.to_value());
            }
        }
        if let Some(ending) = file.ending {
            self.head.insert("ending".to_owned(), ending.into());
        }
        for (path, text) in &file.files {
            self.files
                .insert(fill_key(path, names, number), template(&text.to_value()));
        }
        for (name, server) in &file.mcp {
            self.mcp
                .insert(fill_key(name, names, number), template(&server.to_value()));
        }
        for (path, wanted) in &file.files_after {
            let path = fill_key(path, names, number);
            self.files_after.shift_remove(&path);
            self.files_after.insert(path, template(&wanted.to_value()));
        }
        let replies = file
            .model
            .iter()
            .map(|one| reply(&one.to_value(), names, number));
        self.model.extend(replies);
        for one in &file.answers {
            let answer = filled(&one.to_value(), |key, value| match key {
                "on" => fill(value, names, number, Place::Matcher),
                _ => fill(value, names, number, Place::Template),
            });
            self.answers.push(answer.into());
        }
        for one in &file.steps {
            self.clauses.extend(words_of(&one.to_value()["clauses"]));
            self.steps
                .push(step(&one.to_value(), file, &clauses, names, number));
        }
    }

    /// Leaves parts out, with the clauses that nothing else checks.
    fn leave_out(&mut self, without: &BTreeSet<Part>) {
        if without.is_empty() {
            return;
        }
        let mut first = 1;
        for part in self
            .steps
            .iter_mut()
            .filter_map(|step| step.get_mut("part"))
        {
            let all = part["replies"]
                .as_u64()
                .and_then(|all| usize::try_from(all).ok());
            let next = first + all.unwrap_or_default();
            let kept = (first..next).filter(|n| !without.contains(&Part::Reply(*n)));
            part["replies"] = kept.count().into();
            first = next;
        }
        let (mut exchange, mut number, mut reply) = (0, 0, 0);
        self.steps.retain(|step| {
            exchange += usize::from(begins(step));
            number += 1;
            let is_out = |part| without.contains(&part);
            !is_out(Part::Exchange(exchange)) && !is_out(Part::Step(number))
        });
        self.model.retain_mut(|one| {
            reply += 1;
            if let (Some(keys), true) =
                (one.as_object_mut(), without.contains(&Part::Extras(reply)))
            {
                keys.retain(|key, _| !EXTRAS.contains(&key.as_str()));
            }
            !without.contains(&Part::Reply(reply))
        });
        if without.contains(&Part::Files) {
            self.files.clear();
        }
        if without.contains(&Part::FilesAfter) {
            self.files_after.clear();
        }
        let checks = |step: &Value, clause: &String| {
            step["clauses"]
                .as_array()
                .is_some_and(|all| all.contains(&json!(clause)))
        };
        let steps = &self.steps;
        self.clauses
            .retain(|clause| steps.iter().any(|step| checks(step, clause)));
    }

    /// Cites these clauses, in each step that cites any and has no level of its own: a weaker step cites none of them.
    fn cite(&mut self, cited: &[String]) {
        self.clauses = cited.iter().cloned().collect();
        for step in &mut self.steps {
            let of_step = if step.get("level").is_some() {
                json!([])
            } else {
                json!(cited)
            };
            if let Some(clauses) = step.get_mut("clauses") {
                *clauses = of_step;
            }
        }
    }

    /// The scenario.
    fn finish(mut self, title: &str) -> Value {
        let is_checking = |step: &Value| has_verb(step, CHECKING_VERBS);
        // Where every step checks all clauses of the scenario, none needs to say so.
        let all = json!(self.clauses);
        let mut checking = self.steps.iter_mut().filter(|step| is_checking(step));
        if checking.all(|step| step["clauses"] == all) {
            for step in self.steps.iter_mut().filter_map(Value::as_object_mut) {
                step.shift_remove("clauses");
            }
        }
        self.drop_unused_captures();
        let mut scenario = Map::from_iter([("name".to_owned(), title.into())]);
        let mut insert = |key: &str, value: Value| {
            let is_empty = match &value {
                Value::Array(items) => items.is_empty(),
                Value::Object(entries) => entries.is_empty(),
                _ => false,
            };
            if !is_empty {
                scenario.insert(key.to_owned(), value);
            }
        };
        insert("clauses", json!(self.clauses));
        insert("tags", json!(self.tags));
        insert("needs", json!(self.needs));
        for (key, value) in self.head {
            insert(&key, value);
        }
        insert("files", self.files.into());
        insert("mcp", self.mcp.into());
        insert("model", self.model.into());
        insert("answers", self.answers.into());
        insert("steps", self.steps.into());
        insert("files_after", self.files_after.into());
        scenario.into()
    }

    /// Leaves out what steps capture for moves that do not follow.
    fn drop_unused_captures(&mut self) {
        let used = |step: &Value| {
            let mut step = step.clone();
            step.as_object_mut()
                .and_then(|step| step.shift_remove("capture"));
            json_matcher::placeholders(&step)
        };
        let used: IndexSet<String> = self
            .steps
            .iter()
            .flat_map(used)
            .map(|one| one.name)
            .collect();
        for step in self.steps.iter_mut().filter_map(Value::as_object_mut) {
            let captures = step.get_mut("capture").and_then(Value::as_object_mut);
            if let Some(captures) = captures {
                captures.retain(|name, _| used.contains(name));
                if captures.is_empty() {
                    step.shift_remove("capture");
                }
            }
        }
    }
}

/// The texts of a list.
fn words_of(list: &Value) -> impl Iterator<Item = String> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned)
}

/// Whether a step has one of these verbs.
fn has_verb(step: &Value, verbs: &[&str]) -> bool {
    verbs.iter().any(|verb| step.get(verb).is_some())
}

/// Whether an exchange begins with a step.
fn begins(step: &Value) -> bool {
    has_verb(step, SENDING_VERBS)
}

/// A reply of the model: its expectation about a request is a matcher in `body`.
fn reply(value: &Value, names: &Names, number: usize) -> Value {
    let mut reply = filled(value, |key, value| match key {
        "when" | "expect_request" => request(value, names, number),
        _ => fill(value, names, number, Place::Template),
    });
    // Nothing is expected of a request in which every text would be empty.
    let is_request = |key: &str| key == "when" || key == "expect_request";
    reply.retain(|key, value| !(is_request(key) && *value == json!({})));
    reply.into()
}

/// A map whose values are filled by a function of their keys.
fn filled(map: &Value, fill: impl Fn(&str, &Value) -> Value) -> Map<String, Value> {
    let entries = map.as_object().into_iter().flatten();
    let filled = entries.map(|(key, value)| (key.clone(), fill(key, value)));
    filled.collect()
}

/// The expectation about a request, with the keys of model scripts or as a matcher on its body. Empty texts are left out: every request
/// contains them.
fn request(value: &Value, names: &Names, number: usize) -> Value {
    const WORDS: [&str; 4] = ["contains", "not_contains", "last_contains", "tool_result"];
    let mut request = Map::new();
    for (key, value) in value.as_object().into_iter().flatten() {
        let is_word = WORDS.contains(&key.as_str());
        let place = if is_word {
            Place::Template
        } else {
            Place::Matcher
        };
        let mut filled = fill(value, names, number, place);
        if is_word {
            let is_text = |text: &Value| text.as_str() != Some("");
            match &mut filled {
                Value::Array(texts) => {
                    texts.retain(is_text);
                    match texts.len() {
                        0 => continue,
                        1 => filled = texts.remove(0),
                        _ => {}
                    }
                }
                text if !is_text(text) => continue,
                _ => {}
            }
        }
        request.insert(key.clone(), filled);
    }
    request.into()
}

/// A step, with the clauses and the level of its move.
fn step(value: &Value, file: &MoveFile, clauses: &[String], names: &Names, number: usize) -> Value {
    let mut step = filled(value, |key, value| match key {
        verb if EVENT_VERBS.contains(&verb) => fill(value, names, number, Place::Matcher),
        "expect_text" => joined_text(value, names, number),
        "expect_request" => request(value, names, number),
        "send" | "send_raw" | "expect_file" | "restart" => {
            fill(value, names, number, Place::Template)
        }
        _ => fill(value, names, number, Place::Plain),
    });
    if CHECKING_VERBS.iter().any(|verb| step.contains_key(*verb)) {
        step.entry("clauses").or_insert_with(|| json!(clauses));
        if let Some(level) = file.level {
            step.entry("level").or_insert_with(|| level.word().into());
        }
    }
    step.into()
}

fn joined_text(value: &Value, names: &Names, number: usize) -> Value {
    let joined = filled(value, |key, value| match key {
        "of" | "until" => fill(value, names, number, Place::Matcher),
        _ => fill(value, names, number, Place::Plain),
    });
    joined.into()
}
