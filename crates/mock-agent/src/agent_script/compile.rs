//! Compiles an agent script, and collects every mistake in it with its location.

use super::file::{ActionFile, AgentScriptFile, EntryFile, ExpectFile, TextMap, WhileBusy};
use super::vocabulary::Vocabulary;
use super::{Action, Actions, AgentScript, COMMAND, Capture, Entry, Expected, Pattern};
use conform_dialect::FrameNames;
use indexmap::IndexSet;
use json_matcher::{Matcher, Segment, Template, compile_node, placeholders_in, segments};
use serde_json::Value;
use spanned_yaml::{Error, Kind, Node, Span, Spanned, unknown};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The name of the line that is not a JSON object.
const LINE: &str = "line";

/// Compiles the file; `root` is the file as a node.
///
/// # Errors
/// Every mistake, at its location.
pub(super) fn compile(
    file: &AgentScriptFile,
    root: &Node,
    vocabulary: &Vocabulary,
) -> Result<AgentScript, Vec<Error>> {
    let entries = file.commands.iter().flatten();
    let replies = entries.flat_map(|entry| {
        let expected = entry.actions.iter().filter_map(|action| match action {
            ActionFile::Expect(expected) => Some(&expected.capture),
            _ => None,
        });
        expected.chain([&entry.capture]).flat_map(TextMap::keys)
    });
    let mut compiler = Compiler {
        root,
        vocabulary,
        gates: gates(file),
        reply_names: replies.map(|name| name.value.clone()).collect(),
        names: IndexSet::new(),
        errors: Vec::new(),
    };
    let script = compiler.script(file);
    if compiler.errors.is_empty() {
        Ok(script)
    } else {
        Err(compiler.errors)
    }
}

/// The names of all gates.
fn gates(file: &AgentScriptFile) -> BTreeSet<String> {
    let entries = file.commands.iter().flatten();
    let replies = entries.map(|entry| &entry.actions);
    let others = [
        &file.start,
        &file.session,
        &file.unknown,
        &file.malformed,
        &file.end_of_input,
        &file.terminate,
    ];
    let actions = replies.chain(others).flatten();
    let names = actions.filter_map(|action| match action {
        ActionFile::Gate(name) => Some(name.value.clone()),
        _ => None,
    });
    names.collect()
}

/// The name of the message that a matcher or a template shows.
fn name_at<'n>(node: &'n Node, names: &FrameNames) -> Option<&'n Node> {
    let method = || node.at("/method").filter(|_| names.structure.is_some());
    node.at(&names.discriminator).or_else(method)
}

struct Compiler<'a> {
    root: &'a Node,
    vocabulary: &'a Vocabulary,
    gates: BTreeSet<String>,
    /// Every name that a reply to a command can have.
    reply_names: BTreeSet<String>,
    /// The names of the actions that are being compiled.
    names: IndexSet<String>,
    errors: Vec<Error>,
}

impl Compiler<'_> {
    fn script(&mut self, file: &AgentScriptFile) -> AgentScript {
        if let Some(dialect) = &file.dialect
            && dialect.value != self.vocabulary.dialect
        {
            let message = format!(
                "this is a script of {}, and the agent speaks {}",
                dialect.value, self.vocabulary.dialect
            );
            self.error(dialect.span, message);
        }
        if file.commands.is_none() && file.session.is_empty() {
            self.errors.push(
                self.root
                    .error("the key `commands` or `session` is missing"),
            );
        }
        if !file.start.is_empty() && !file.session.is_empty() {
            let message = "a session begins at the start: put what is in `start` there";
            self.errors.push(self.root.error(message));
        }
        AgentScript {
            gates: self.gates.clone(),
            start: self.reply(&[], &file.start),
            session: self.reply(&[], &file.session),
            entries: file
                .commands
                .iter()
                .flatten()
                .filter_map(|entry| self.entry(entry))
                .collect(),
            unknown: self.reply(&[COMMAND], &file.unknown),
            malformed: self.reply(&[LINE], &file.malformed),
            end_of_input: self.reply(&[], &file.end_of_input),
            terminate: self.reply(&[], &file.terminate),
            gate_timeout: file.gate_timeout.map(|timeout| timeout.0),
        }
    }

    fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(self.root.error_at(span, message));
    }

    /// Compiles the actions of a reply that begins with these names.
    fn reply(&mut self, names: &[&str], actions: &[ActionFile]) -> Rc<Actions> {
        self.names = names.iter().map(|name| (*name).to_owned()).collect();
        self.actions(actions)
    }

    fn expected(&mut self, file: &Spanned<ExpectFile>) -> Option<Expected> {
        let (pattern, written) = match (&file.on, &file.line) {
            (Some(on), None) => {
                let matcher = self.command_matcher(on)?;
                (Pattern::Command(matcher), on.to_value().to_string())
            }
            (None, Some(line)) => (
                Pattern::Line(line.value.clone()),
                format!("{:?}", line.value),
            ),
            _ => {
                let message = "an `expect` has either `on` or `line`";
                self.error(file.span, message);
                return None;
            }
        };
        Some(Expected {
            pattern,
            capture: self.capture(&file.capture),
            written,
        })
    }

    fn entry(&mut self, entry: &EntryFile) -> Option<Entry> {
        self.names = IndexSet::new();
        let on = self.command_matcher(&entry.on);
        let capture = self.capture(&entry.capture);
        self.names.insert(COMMAND.to_owned());
        if entry.while_busy == WhileBusy::Only {
            self.names.extend(self.reply_names.iter().cloned());
        }
        let actions = self.actions(&entry.actions);
        Some(Entry {
            on: on?,
            capture,
            while_busy: entry.while_busy,
            actions,
        })
    }

    fn actions(&mut self, actions: &[ActionFile]) -> Rc<Actions> {
        let mut expected = Vec::new();
        let mut list = Vec::new();
        for action in actions {
            list.extend(self.action(action, &mut expected));
        }
        Rc::new(Actions {
            list,
            expected: expected.into(),
        })
    }

    /// `None` if it has a mistake.
    fn action(&mut self, action: &ActionFile, expected: &mut Vec<Expected>) -> Option<Action> {
        Some(match action {
            ActionFile::Send(frame) => Action::Send(self.frame(frame)?),
            ActionFile::SendRaw(text) => Action::Write(self.text(text, "\n")),
            ActionFile::SendBytes(text) => Action::Write(self.text(text, "")),
            ActionFile::Pause(length) => Action::Pause(length.0),
            ActionFile::Gate(name) => Action::Gate(name.value.clone()),
            ActionFile::Release(name) => {
                if !self.gates.contains(&name.value) {
                    let known = self.gates.iter().map(String::as_str);
                    let message = unknown("gate", name, known);
                    self.error(name.span, message);
                }
                Action::Release(name.value.clone())
            }
            ActionFile::Expect(file) => {
                expected.push(self.expected(file)?);
                Action::Expect(expected.len() - 1)
            }
            ActionFile::EndOfInput => Action::EndOfInput,
            ActionFile::Stop => Action::Stop,
            ActionFile::Exit(status) => Action::Exit(*status),
        })
    }

    /// An event to send.
    fn frame(&mut self, frame: &Node) -> Option<Template> {
        if frame.as_map().is_none() {
            let found = frame.describe();
            self.error(
                frame.span(),
                format!("expected an event, which is a map, found {found}"),
            );
            return None;
        }
        let vocabulary = self.vocabulary;
        let is_answer = ["result", "error"]
            .iter()
            .any(|key| frame.get(key).is_some());
        match name_at(frame, &vocabulary.events) {
            None if is_answer && vocabulary.events.structure.is_some() => {}
            None => {
                let message = format!(
                    "this event has no name at {}; send a line that is not an event of {} with `send_raw`",
                    vocabulary.events.discriminator, vocabulary.dialect
                );
                self.error(frame.span(), message);
            }
            Some(name) => self.known_name("event", name, &vocabulary.events),
        }
        self.check_placeholders(frame);
        self.plain(frame).map(Template::new)
    }

    fn command_matcher(&mut self, node: &Node) -> Option<Matcher> {
        let vocabulary = self.vocabulary;
        if let Some(name) = name_at(node, &vocabulary.commands) {
            self.known_name("command", name, &vocabulary.commands);
        }
        self.matcher(node)
    }

    /// Checks a name that is written out.
    fn known_name(&mut self, what: &str, name: &Node, known: &FrameNames) {
        let Some(text) = name.as_str() else { return };
        let is_written_out = matches!(segments(text).as_slice(), [Segment::Text(_)]);
        let mut extensions = self.vocabulary.extensions.iter();
        let is_extension = extensions.any(|prefix| text.starts_with(prefix));
        if is_written_out && !is_extension && !known.names.contains_key(text) {
            let what = format!("{what} of {}", self.vocabulary.dialect);
            let message = unknown(&what, text, known.names.keys().map(String::as_str));
            self.error(name.span(), message);
        }
    }

    fn matcher(&mut self, node: &Node) -> Option<Matcher> {
        self.check_placeholders(node);
        compile_node(node)
            .map_err(|errors| self.errors.extend(errors))
            .ok()
    }

    /// The value of a node in which `$$` begins the key `$`.
    fn plain(&mut self, node: &Node) -> Option<Value> {
        Some(match node.kind() {
            Kind::List(items) => {
                let plain = items.iter().map(|item| self.plain(item));
                plain.collect::<Option<_>>()?
            }
            Kind::Map(entries) => {
                let mut members = serde_json::Map::new();
                for (key, value) in entries {
                    let name = match key.name.strip_prefix('$') {
                        Some(plain) if plain.starts_with('$') => plain,
                        Some(_) => {
                            let message = format!(
                                "`{0}` cannot be a key of an event: write `${0}` for the plain key",
                                key.name
                            );
                            self.error(key.span, message);
                            return None;
                        }
                        None => &key.name,
                    };
                    members.insert(name.to_owned(), self.plain(value)?);
                }
                members.into()
            }
            _ => node.to_value(),
        })
    }

    fn text(&mut self, text: &Spanned<String>, end: &str) -> String {
        for segment in segments(text) {
            if let Segment::Placeholder(name) = segment {
                self.check_name(name, text.span);
            }
        }
        format!("{}{end}", text.value)
    }

    fn check_placeholders(&mut self, node: &Node) {
        for placeholder in placeholders_in(node) {
            self.check_name(&placeholder.value, placeholder.span);
        }
    }

    fn check_name(&mut self, name: &str, span: Span) {
        if !self.names.contains(name) {
            let known = self.names.iter().map(String::as_str);
            self.error(span, unknown("name", name, known));
        }
    }

    /// The captures; their names are known from here on.
    fn capture(&mut self, capture: &TextMap) -> Capture {
        for pointer in capture.values() {
            if !pointer.is_empty() && !pointer.starts_with('/') {
                let message = format!(
                    "expected a JSON Pointer such as `/id`, found `{}`",
                    pointer.value
                );
                self.error(pointer.span, message);
            }
        }
        let names = capture.keys().map(|key| key.value.clone());
        self.names.extend(names);
        capture
            .iter()
            .map(|(name, pointer)| (name.value.clone(), pointer.value.clone()))
            .collect()
    }
}
