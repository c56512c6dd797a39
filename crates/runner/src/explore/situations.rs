//! Situations: a command at a moment with its outcome, and a moment after another. Moves and scenarios are treated alike, because the
//! signs of moments and outcomes are steps.

use super::file::Words;
use super::fill::{Place, fill};
use super::moves::{MoveTable, Sign};
use super::walk::{Session, State};
use crate::mutation::frame_names::SessionNames;
use conform_judge::dialect::{Dialect, FrameIdentity};
use conform_judge::finding::Finding;
use conform_judge::frame::{Body, Frame, Line};
use conform_judge::transcript::TranscriptReader;
use json_matcher::Captures;
use serde_json::{Value, json};
use spanned_yaml::Node;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// The outcome of a command if no sign shows another one.
pub const TAKEN: &str = "taken";

/// A command at a moment, with its outcome.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Situation {
    /// The moment.
    pub moment: String,
    /// The name of the command; `#malformed` or `#unknown` for a line that is not a command; for anything but a single line, the verb of
    /// the step.
    pub command: String,
    /// One of the outcomes of the dialect, or [`TAKEN`].
    pub outcome: String,
}

/// How often situations came.
#[derive(Debug, Clone, Default)]
pub struct Situations {
    /// Commands at moments.
    pub commands: BTreeMap<Situation, u32>,
    /// A moment, and the one after it.
    pub moments: BTreeMap<(String, String), u32>,
    /// The classes of data that came, by place: a command, `model` or `files`, with the names of the members that lead there.
    pub data: BTreeMap<String, BTreeSet<String>>,
}

/// Reads steps one after the other.
struct StepReader<'t> {
    table: &'t MoveTable,
    dialect: &'t Dialect,
    found: &'t mut Situations,
    moment: String,
    /// The last command, with the moment at which it was sent, until its outcome is known.
    open: Option<(String, String)>,
    /// The last command and its moment in words, with any outcome: `abort at tool`.
    last: String,
    /// The same at a moment other than the first: in the middle of something.
    last_in_work: String,
    /// The open requests of both sides, in a dialect that names messages by their structure.
    requests: BTreeSet<String>,
}

/// The step for a frame; none if no step shows it.
fn step_of(frame: &Frame, dialect: &Dialect, session: &mut SessionNames) -> Option<Value> {
    let is_command = matches!(frame.body, Body::ToAgent(_));
    let mut value = |line: &Line| {
        let value = serde_json::from_slice::<Value>(&line.bytes).ok()?;
        let (name, _) = session.next(dialect, &value, is_command);
        let (names, _) = dialect.frames(is_command);
        Some(names.named(&value, Some(&name)).into_owned())
    };
    Some(match &frame.body {
        Body::ToAgent(line) => match value(line) {
            Some(command) => json!({ "send": command }),
            None => json!({ "send_raw": line.text() }),
        },
        Body::FromAgent(line) => json!({ "expect": value(line)? }),
        Body::StdinClosed => json!({ "close_stdin": null }),
        Body::Signal(name) => json!({ "signal": name }),
        Body::LlmRequest(_) => json!({ "expect_request": {} }),
        Body::End(_) => json!({ "expect_exit": {} }),
        Body::Stderr(_)
        | Body::StdoutClosed
        | Body::LaneRequest { .. }
        | Body::LlmReply(_)
        | Body::Mcp(_) => return None,
    })
}

impl MoveTable {
    /// Notes the situations of a scenario as it is written.
    pub fn note_scenario(&self, dialect: &Dialect, scenario: &Value, found: &mut Situations) {
        let mut reader = StepReader::new(self, dialect, found);
        let steps = scenario["steps"].as_array();
        steps.into_iter().flatten().for_each(|one| reader.read(one));
        reader.close(TAKEN);
        let files = scenario["files"].as_object();
        let files = files
            .into_iter()
            .flatten()
            .map(|(_, content)| content.clone());
        self.note_model_and_files(&scenario["model"], &files.collect(), found);
    }

    fn note_model_and_files(&self, model: &Value, files: &Value, found: &mut Situations) {
        let replies = model.as_array().into_iter().flatten();
        for (key, value) in replies.filter_map(Value::as_object).flatten() {
            if !matches!(key.as_str(), "expect_request" | "when") {
                self.note_data(&format!("model {key}"), value, found);
            }
        }
        self.note_data("files", files, found);
    }

    /// Notes the classes of the data in a value.
    fn note_data(&self, place: &str, value: &Value, found: &mut Situations) {
        match value {
            Value::Array(items) => {
                let items = items.iter();
                items.for_each(|item| self.note_data(place, item, found));
            }
            Value::Object(members) => members.iter().for_each(|(key, value)| {
                self.note_data(&format!("{place} {key}"), value, found);
            }),
            _ => {
                let classes = self.classes.iter();
                let fitting =
                    classes.filter(|(_, sign)| sign.matches(value, &Captures::default()).is_ok());
                let names: Vec<_> = fitting.map(|(name, _)| name.clone()).collect();
                if !names.is_empty() {
                    found
                        .data
                        .entry(place.to_owned())
                        .or_default()
                        .extend(names);
                }
            }
        }
    }

    /// Notes the situations of a session: between its moves, the moments are those of the moves.
    pub fn note_session(&self, dialect: &Dialect, session: &Session, found: &mut Situations) {
        let mut reader = StepReader::new(self, dialect, found);
        let mut state = State::new(self);
        for (planned, one) in self.planned(session) {
            reader.go_to(&state.moment);
            let names = state.names_for(self, planned);
            let filled = |value: Value| fill(&value, &names, state.number, Place::Plain);
            for step in &one.file.steps {
                reader.read(&filled(step.to_value()));
            }
            reader.close(TAKEN);
            let model = one.file.model.iter().map(Node::to_value).collect();
            let files = one.file.files.values().map(Node::to_value).collect();
            self.note_model_and_files(&filled(model), &filled(files), reader.found);
            state.make(self, planned, one);
        }
        reader.go_to(&state.moment);
    }

    /// Gives the findings of a session their situations, read from its transcript.
    pub(crate) fn note_findings<'f>(
        &self,
        dialect: &Dialect,
        transcript: &Path,
        findings: impl Iterator<Item = &'f mut Finding>,
    ) {
        let mut findings = findings.peekable();
        if findings.peek().is_none() {
            return;
        }
        let Ok(frames) = File::open(transcript)
            .map(BufReader::new)
            .map(TranscriptReader::new)
        else {
            return;
        };
        let mut ignored = Situations::default();
        let mut reader = StepReader::new(self, dialect, &mut ignored);
        let frames = frames.into_iter().flatten().flatten();
        let mut names = SessionNames::new(dialect);
        for (n, frame) in frames.enumerate() {
            if let Some(step) = step_of(&frame, dialect, &mut names) {
                reader.read(&step);
            }
            while let Some(finding) = findings.next_if(|one| one.at <= n as u64 + 1) {
                finding.situation.clone_from(reader.situation(&frame));
            }
        }
    }

    /// Every possible situation: each command at each moment that is not final, with each outcome that these situations show it to
    /// have anywhere. Bytes that are not one command are not a kind of their own.
    #[must_use]
    pub fn situations(&self, dialect: &Dialect, seen: &[&Situations]) -> BTreeSet<Situation> {
        let came = || seen.iter().flat_map(|one| one.commands.keys());
        let mut outcomes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for one in came() {
            outcomes
                .entry(&one.command)
                .or_default()
                .insert(&one.outcome);
        }
        for name in dialect.commands.names.keys() {
            outcomes
                .entry(name)
                .or_insert_with(|| BTreeSet::from([TAKEN]));
        }
        outcomes.retain(|command, _| *command != "send_bytes");
        let each = self.open_moments().flat_map(|moment| {
            let fitting = outcomes.iter();
            let fitting =
                fitting.filter(move |(command, _)| self.can_be_sent(dialect, command, moment));
            fitting.flat_map(move |(command, outcomes)| {
                outcomes.iter().map(move |outcome| Situation {
                    moment: moment.to_owned(),
                    command: (*command).to_owned(),
                    outcome: (*outcome).to_owned(),
                })
            })
        });
        each.chain(came().cloned()).collect()
    }

    /// Whether a command can be sent at a moment: a response only while its request is open.
    fn can_be_sent(&self, dialect: &Dialect, command: &str, moment: &str) -> bool {
        let open = self.moments.get(moment).and_then(|one| one.open.as_ref());
        let is_open = |method| open.is_some_and(|open| open.all().iter().any(|one| one == method));
        let method = command.rsplit_once('.').map(|(method, _)| method);
        !dialect.commands.is_answer(command) || method.is_some_and(is_open)
    }

    /// Each outcome at each moment that is not final.
    pub fn outcomes_at_moments(&self) -> impl Iterator<Item = (&str, &str)> {
        let outcomes: BTreeSet<&str> = self
            .outcomes
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        self.open_moments().flat_map(move |moment| {
            let outcomes = outcomes.clone().into_iter().chain([TAKEN]);
            outcomes.map(move |outcome| (outcome, moment))
        })
    }

    /// The moments at which the session continues, each once.
    fn open_moments(&self) -> impl Iterator<Item = &str> {
        let moments = self.moments.iter();
        let moments = moments.filter(|(_, moment)| !moment.is_final && moment.same_as.is_none());
        moments.map(|(name, _)| name.as_str())
    }

    /// Why a situation is impossible, if the dialect gives a reason.
    #[must_use]
    pub fn why_impossible(&self, one: &Situation) -> Option<&str> {
        let holds = |words: &Option<Words>, word: &String| {
            words
                .as_ref()
                .is_none_or(|words| words.all().contains(word))
        };
        let fitting = self.impossible.iter().find(|entry| {
            holds(&entry.at, &one.moment)
                && holds(&entry.command, &one.command)
                && holds(&entry.outcome, &one.outcome)
        });
        fitting.map(|entry| entry.why.as_str())
    }
}

impl<'t> StepReader<'t> {
    fn new(table: &'t MoveTable, dialect: &'t Dialect, found: &'t mut Situations) -> Self {
        StepReader {
            table,
            dialect,
            found,
            moment: table.first_moment().to_owned(),
            open: None,
            last: String::new(),
            last_in_work: String::new(),
            requests: BTreeSet::new(),
        }
    }

    fn read(&mut self, step: &Value) {
        for shown in shown(step) {
            if shown.get("restart").is_some() {
                self.close(TAKEN);
                self.go_to(self.table.first_moment());
            }
            if let Some(command) = self.command(&shown) {
                self.close(TAKEN);
                self.last = format!("{command} at {}", self.moment);
                if let Some(frame) = shown.get("send") {
                    self.table.note_data(&command, frame, self.found);
                }
                if self.moment != self.table.first_moment() {
                    self.last_in_work.clone_from(&self.last);
                }
                self.open = Some((self.moment.clone(), command));
            }
            let matches = |sign: &Sign| {
                let is_from = sign.from.is_empty() || sign.from.contains(&self.moment);
                let command = self.open.as_ref().map(|(_, command)| command);
                let is_of = sign.of.is_empty() || command.is_some_and(|one| sign.of.contains(one));
                is_from && is_of && sign.step.matches(&shown, &Captures::default()).is_ok()
            };
            let first = |signs: &[(String, Sign)]| {
                let found = signs.iter().find(|(_, sign)| matches(sign));
                found.map(|(name, _)| name.clone())
            };
            let (outcome, moment) = (first(&self.table.outcomes), first(&self.table.signs));
            let moment = moment.or_else(|| self.moment_by_requests(&shown));
            if let Some(outcome) = outcome {
                self.close(&outcome);
            }
            if let Some(moment) = moment {
                self.go_to(&moment);
            }
        }
    }

    /// The moment that the requests show which are open after a step, if a moment names any.
    fn moment_by_requests(&mut self, step: &Value) -> Option<String> {
        let is_command = step.get("send").is_some();
        let (names, _) = self.dialect.frames(is_command);
        let message = step.get("send").or(step.get("expect"))?;
        names.structure.as_ref()?;
        let name = names.name_in_step(message)?;
        let (own, other) = if is_command { (">", "") } else { ("", ">") };
        if names.method(name).is_some_and(|spec| !spec.notification) {
            self.requests.insert(format!("{own}{name}"));
        } else if let Some((method, _)) = name.rsplit_once('.') {
            self.requests.remove(&format!("{other}{method}"));
        }
        let moments = self.table.moments.iter();
        let with_requests =
            moments.filter_map(|(name, moment)| Some((name, moment.open.as_ref()?)));
        let open = with_requests.map(|(name, words)| (name, words.all()));
        let is_open = |words: &[String]| words.iter().all(|one| self.requests.contains(one));
        let mut came: Vec<_> = open.collect();
        let any = came.first().map(|_| self.table.first_moment().to_owned());
        came.retain(|(_, words)| is_open(words));
        let most = came.iter().rev().max_by_key(|(_, words)| words.len());
        most.map(|(name, _)| (*name).clone()).or(any)
    }

    /// The situation at this frame. A finding at the end of the process is a consequence of the last action of the host in the middle of
    /// something, if there was one.
    fn situation(&self, frame: &Frame) -> &String {
        let is_of_work = matches!(frame.body, Body::End(_)) && !self.last_in_work.is_empty();
        if is_of_work {
            &self.last_in_work
        } else {
            &self.last
        }
    }

    /// The name of the host's action in a step.
    fn command(&self, step: &Value) -> Option<String> {
        let (verb, value) = step.as_object()?.iter().next()?;
        let named = |frame: &Value| match self.dialect.commands.identify(frame) {
            FrameIdentity::Known(name, _) => name,
            FrameIdentity::Unknown(_) | FrameIdentity::Missing => "#unknown".to_owned(),
        };
        match verb.as_str() {
            "send" => Some(named(value)),
            "send_raw" => Some(match serde_json::from_str(value.as_str()?) {
                Ok(frame) => named(&frame),
                Err(_) => "#malformed".to_owned(),
            }),
            "send_bytes" | "signal" | "close_stdin" => Some(verb.clone()),
            _ => None,
        }
    }

    /// The outcome of the last command is known.
    fn close(&mut self, outcome: &str) {
        if let Some((moment, command)) = self.open.take() {
            let outcome = outcome.to_owned();
            let one = Situation {
                moment,
                command,
                outcome,
            };
            *self.found.commands.entry(one).or_default() += 1;
        }
    }

    fn go_to(&mut self, moment: &str) {
        let same = self
            .table
            .moments
            .get(moment)
            .and_then(|one| one.same_as.as_ref());
        let moment = same.map_or(moment, |same| same.as_str());
        if self.moment != moment {
            let before = std::mem::replace(&mut self.moment, moment.to_owned());
            let pair = (before, moment.to_owned());
            *self.found.moments.entry(pair).or_default() += 1;
        }
    }
}

/// A step in the form in which signs describe it: one verb, and one event.
fn shown(step: &Value) -> Vec<Value> {
    let expected = |event: &Value| json!({ "expect": event });
    let each = |events: &Value| {
        events
            .as_array()
            .into_iter()
            .flatten()
            .map(expected)
            .collect()
    };
    let verbs = step.as_object().into_iter().flatten();
    let shown = verbs.map(|(verb, value)| match verb.as_str() {
        "expect_next" => vec![expected(value)],
        "unordered" => each(value),
        "expect_none" => vec![expected(&value["until"])],
        "expect_text" => {
            let mut events = vec![expected(&value["of"])];
            events.extend::<Vec<_>>(each(&value["until"]));
            events
        }
        "capture" | "clauses" | "level" | "within" | "again" => Vec::new(),
        _ => vec![json!({ verb: value })],
    });
    shown.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use conform_judge::dialect::{self, DialectSource};
    use spanned_yaml::load_yaml;

    const MOVES: &str = "
moments:
  rest: { signs: [{ step: { expect: { type: stream_end } } }] }
  quiet: { same_as: rest }
  streaming: { signs: [{ step: { expect: { type: text_delta } } }] }
  pair: { signs: [{ from: streaming, step: { expect: { type: tool_request } } }] }
  gone: { final: true, signs: [{ step: { expect_exit: {} } }] }
outcomes:
  refused: [{ of: '#malformed', step: { expect: { type: error } } }, { from: streaming, step: { expect: { type: error } } }]
  failed: [{ step: { expect: { type: error } } }]
impossible: [{ at: streaming, command: [set_mode, ping], why: it is too late }]
starts: { plain: {} }
moves:
  go_on: { from: [quiet, pair], to: rest }
  begin: { from: rest, to: streaming, steps: [{ send: { type: message } }, { expect: { type: text_delta } }] }
  stop: { from: streaming, to: quiet, steps: [{ send: { type: stop } }, { unordered: [{ type: error }, { type: stream_end }] }] }
";

    fn situation(moment: &str, command: &str, outcome: &str) -> Situation {
        let [moment, command, outcome] = [moment, command, outcome].map(str::to_owned);
        Situation {
            moment,
            command,
            outcome,
        }
    }

    #[test]
    fn findings_get_the_last_thing_that_the_host_did() {
        let dialect = dialect::load(&DialectSource::default(), "aionrs@0.1").unwrap();
        let table = MoveTable::merge(&[load_yaml("explore.yaml", MOVES).unwrap()]).unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        let lines = r#"{"conform_transcript":1,"dialect":"aionrs@0.1","agent":[]}
{"at":1,"dir":"to_agent","line":"{\"type\":\"message\"}"}
{"at":2,"dir":"from_agent","line":"{\"type\":\"text_delta\"}"}
{"at":3,"dir":"to_agent","line":"{\"type\":\"stop\"}"}
{"at":4,"dir":"from_agent","line":"{\"type\":\"stream_end\"}"}
{"at":5,"dir":"to_agent","line":"{oops"}
{"at":6,"dir":"from_agent","line":"{\"type\":\"error\"}"}
{"at":7,"dir":"end","end":"exited","code":0}
"#;
        std::fs::write(file.path(), lines).unwrap();
        let at = |at| Finding {
            at,
            ..Finding::default()
        };
        let mut findings = [at(0), at(2), at(4), at(6), at(7)];
        table.note_findings(&dialect, file.path(), findings.iter_mut());
        let situations = findings.map(|one| one.situation);
        assert_eq!(
            situations,
            [
                "message at rest",
                "message at rest",
                "stop at streaming",
                "#malformed at rest",
                "stop at streaming"
            ]
        );
    }

    #[test]
    fn steps_of_scenarios_and_of_moves_show_commands_at_moments() {
        let dialect = dialect::load(&DialectSource::default(), "aionrs@0.1").unwrap();
        let table = MoveTable::merge(&[load_yaml("explore.yaml", MOVES).unwrap()]).unwrap();
        let steps = json!({ "steps": [
            { "expect": { "type": "tool_request" } },
            { "send": { "type": "message", "files": ["a\r\nb"] } },
            { "expect_text": { "of": { "type": "text_delta" }, "until": [{ "type": "stream_end" }] } },
            { "send_raw": "{oops" },
            { "expect_next": { "type": "error" }, "within": "1s" },
            { "send_raw": "{\"type\":\"levitate\"}" },
            { "unordered": [{ "type": "info" }, { "type": "error" }] },
            { "close_stdin": null },
            { "expect_exit": { "code": 0 } },
        ], "model": [{ "text": "今日は", "expect_request": { "contains": "a\r\nb" } }], "files": { "n": "a\r\nb" } });
        let mut written = Situations::default();
        table.note_scenario(&dialect, &steps, &mut written);
        let expected = [
            situation("rest", "#malformed", "refused"),
            situation("rest", "#unknown", "failed"),
            situation("rest", "close_stdin", TAKEN),
            situation("rest", "message", TAKEN),
        ];
        assert_eq!(
            written.commands.keys().collect::<Vec<_>>(),
            expected.iter().collect::<Vec<_>>()
        );
        let names = |pair: &(String, String)| format!("{} {}", pair.0, pair.1);
        let pairs: Vec<_> = written.moments.keys().map(names).collect();
        assert_eq!(pairs, ["rest gone", "rest streaming", "streaming rest"]);

        let classes = |place: &str, classes: &[&str]| {
            let classes = classes.iter().map(|class| (*class).to_owned());
            (place.to_owned(), classes.collect::<BTreeSet<_>>())
        };
        let data = [
            classes("files", &["CR LF"]),
            classes("message files", &["CR LF"]),
            classes("model text", &["Han"]),
        ];
        assert_eq!(written.data, BTreeMap::from(data));

        let mut walked = Situations::default();
        let sessions = table.shortest_sessions();
        table.note_session(&dialect, &sessions["stop"], &mut walked);
        let stopped = situation("streaming", "stop", "refused");
        assert_eq!(walked.commands.get(&stopped), Some(&1));

        let all = table.situations(&dialect, &[&written, &walked]);
        assert!(all.contains(&situation("pair", "stop", "refused")));
        assert!(all.contains(&situation("pair", "init_history", TAKEN)));
        assert!(!all.contains(&situation("rest", "init_history", "refused")));
        let why = |one| table.why_impossible(&one).map(str::to_owned);
        assert_eq!(
            why(situation("streaming", "set_mode", TAKEN)).as_deref(),
            Some("it is too late")
        );
        assert_eq!(why(situation("rest", "set_mode", TAKEN)), None);
    }
}
