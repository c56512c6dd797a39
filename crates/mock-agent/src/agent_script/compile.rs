//! Compiles an agent script, and collects every mistake in it with its location.

use super::conversation::{Expected, Pattern};
use super::expression::Expression;
use super::file::{
    ActionFile, AgentScriptFile, AwaitedFile, EntryFile, ExpectFile, ForEachFile, IfFile, TextMap,
    WaitForFile, WhileBusy,
};
use super::script::{Action, AgentScript, Awaited, Capture, Entry};
use super::vocabulary::Vocabulary;
use super::walk::{gates, names_set};
use indexmap::IndexSet;
use json_matcher::{Matcher, Segment, compile_node, placeholders_in, segments};
use spanned_yaml::{Error, Node, Span, Spanned, unknown};
use std::collections::HashSet;

/// Names that every reply to a command has.
const COMMAND: &str = "command";

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
    let variables: IndexSet<String> = file.variables.keys().map(|key| key.value.clone()).collect();
    let replies = file.commands.iter().flatten().flat_map(|entry| {
        let captures = entry.capture.keys().map(|key| key.value.clone());
        captures.chain(names_set(&entry.actions))
    });
    let mut compiler = Compiler {
        root,
        vocabulary,
        gates: gates(file),
        reply_names: replies.collect(),
        variables,
        names: IndexSet::new(),
        errors: Vec::new(),
    };
    let script = compiler.script(file);
    match compiler.errors.is_empty() {
        true => Ok(script),
        false => Err(compiler.errors),
    }
}

struct Compiler<'a> {
    root: &'a Node,
    vocabulary: &'a Vocabulary,
    gates: HashSet<String>,
    /// Every name that a reply to a command can have.
    reply_names: HashSet<String>,
    variables: IndexSet<String>,
    /// The names of the actions that are being compiled, besides the variables.
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
        let variables = file.variables.iter();
        let variables = variables.map(|(key, value)| (key.value.clone(), value.to_value()));
        let (session, expected) = self.session(&file.session);
        AgentScript {
            variables: variables.collect(),
            start: self.reply(&[], &file.start),
            session,
            expected: expected.into(),
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
    fn reply(&mut self, names: &[&str], actions: &[ActionFile]) -> Vec<Action> {
        self.names = names.iter().map(|name| (*name).to_owned()).collect();
        self.actions(actions)
    }

    /// The actions of the session, and the commands that they expect.
    fn session(&mut self, actions: &[ActionFile]) -> (Vec<Action>, Vec<Expected>) {
        self.names = IndexSet::new();
        let (mut compiled, mut expected) = (Vec::new(), Vec::new());
        for action in actions {
            match action {
                ActionFile::Expect(file) => {
                    compiled.push(Action::Expect(expected.len()));
                    expected.extend(self.expected(file));
                }
                ActionFile::EndOfInput => compiled.push(Action::EndOfInput),
                other => compiled.extend(self.action(other)),
            }
        }
        (compiled, expected)
    }

    fn expected(&mut self, file: &ExpectFile) -> Option<Expected> {
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
                self.errors.push(self.root.error(message));
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
        let condition = entry.condition.as_ref().map(|node| self.name_matcher(node));
        let capture = self.capture(&entry.capture);
        self.names.insert(COMMAND.to_owned());
        if entry.while_busy == WhileBusy::Only {
            self.names.extend(self.reply_names.iter().cloned());
        }
        let actions = self.actions(&entry.actions);
        Some(Entry {
            on: on?,
            condition: match condition {
                Some(condition) => Some(condition?),
                None => None,
            },
            capture,
            while_busy: entry.while_busy,
            actions,
        })
    }

    fn actions(&mut self, actions: &[ActionFile]) -> Vec<Action> {
        let compiled = actions.iter().map(|action| self.action(action));
        compiled.collect::<Vec<_>>().into_iter().flatten().collect()
    }

    /// `None` if it has a mistake.
    fn action(&mut self, action: &ActionFile) -> Option<Action> {
        Some(match action {
            ActionFile::Send(frame) => Action::Send(self.frame(frame)?),
            ActionFile::SendRaw(text) => Action::Write(self.text(text, "\n")),
            ActionFile::SendBytes(text) => Action::Write(self.text(text, "")),
            ActionFile::Set(values) => {
                let values = values.iter().map(|(name, node)| {
                    let value = self.expression(node);
                    self.names.insert(name.value.clone());
                    Some((name.value.clone(), value?))
                });
                Action::Set(values.collect::<Option<_>>()?)
            }
            ActionFile::Count(name) => {
                self.names.insert(name.value.clone());
                Action::Count(name.value.clone())
            }
            ActionFile::ForEach(each) => self.for_each(each)?,
            ActionFile::If(choice) => self.choice(choice)?,
            ActionFile::Pause(length) => Action::Pause(length.0),
            ActionFile::Gate(name) => Action::Gate(name.value.clone()),
            ActionFile::Release(name) => {
                if !self.gates.contains(&name.value) {
                    let known = self.gates.iter().map(String::as_str);
                    let message = unknown(
                        "gate",
                        name,
                        known.collect::<std::collections::BTreeSet<_>>(),
                    );
                    self.error(name.span, message);
                }
                Action::Release(name.value.clone())
            }
            ActionFile::WaitFor(wait) => self.wait_for(wait)?,
            ActionFile::Expect(_) | ActionFile::EndOfInput => {
                let message = "`expect` and `end_of_input` are actions of `session` itself";
                self.errors.push(self.root.error(message));
                return None;
            }
            ActionFile::Stop => Action::Stop,
            ActionFile::Exit(status) => Action::Exit(*status),
        })
    }

    fn for_each(&mut self, each: &ForEachFile) -> Option<Action> {
        let list = self.expression(&each.list);
        self.names.insert(each.name.value.clone());
        self.names
            .extend(each.index.iter().map(|name| name.value.clone()));
        let actions = self.actions(&each.actions);
        Some(Action::ForEach {
            name: each.name.value.clone(),
            index: each.index.as_ref().map(|name| name.value.clone()),
            list: list?,
            actions,
        })
    }

    fn choice(&mut self, choice: &IfFile) -> Option<Action> {
        let names = self.name_matcher(&choice.names);
        let actions = self.actions(&choice.actions);
        let otherwise = self.actions(&choice.otherwise);
        Some(Action::If {
            names: names?,
            actions,
            otherwise,
        })
    }

    fn wait_for(&mut self, wait: &WaitForFile) -> Option<Action> {
        let commands = wait.commands.iter().map(|one| self.awaited(one));
        let commands: Vec<_> = commands.collect();
        let on_timeout = self.actions(&wait.on_timeout);
        Some(Action::WaitFor {
            commands: commands.into_iter().collect::<Option<_>>()?,
            timeout: wait.timeout.map(|timeout| timeout.0),
            on_timeout,
        })
    }

    fn awaited(&mut self, awaited: &AwaitedFile) -> Option<Awaited> {
        let on = self.command_matcher(&awaited.on);
        let capture = self.capture(&awaited.capture);
        let actions = self.actions(&awaited.actions);
        Some(Awaited {
            on: on?,
            capture,
            actions,
        })
    }

    /// An event to send.
    fn frame(&mut self, frame: &Node) -> Option<Expression> {
        if frame.as_map().is_none() {
            let found = frame.describe();
            self.error(
                frame.span(),
                format!("expected an event, which is a map, found {found}"),
            );
            return None;
        }
        let vocabulary = self.vocabulary;
        let pointer = &vocabulary.event_pointer;
        match frame.at(pointer) {
            None => {
                let message = format!(
                    "this event has no name at {pointer}; send a line that is no event of {} with `send_raw`",
                    vocabulary.dialect
                );
                self.error(frame.span(), message);
            }
            Some(name) => self.known_name("event", name, &vocabulary.events),
        }
        self.expression(frame)
    }

    fn command_matcher(&mut self, node: &Node) -> Option<Matcher> {
        let vocabulary = self.vocabulary;
        if let Some(name) = node.at(&vocabulary.command_pointer) {
            self.known_name("command", name, &vocabulary.commands);
        }
        self.matcher(node)
    }

    /// Checks a name that is written out.
    fn known_name(&mut self, what: &str, name: &Node, known: &[String]) {
        let Some(text) = name.as_str() else { return };
        let is_written_out = matches!(segments(text).as_slice(), [Segment::Text(_)]);
        if is_written_out && !known.iter().any(|name| name == text) {
            let what = format!("{what} of {}", self.vocabulary.dialect);
            let message = unknown(&what, text, known.iter().map(String::as_str));
            self.error(name.span(), message);
        }
    }

    /// A matcher for an object of names.
    fn name_matcher(&mut self, node: &Node) -> Option<Matcher> {
        for (key, _) in node.as_map().unwrap_or_default() {
            if !key.name.starts_with('$') {
                self.check_name(&key.name, key.span);
            }
        }
        self.matcher(node)
    }

    fn matcher(&mut self, node: &Node) -> Option<Matcher> {
        self.check_placeholders(node);
        compile_node(node)
            .map_err(|errors| self.errors.extend(errors))
            .ok()
    }

    fn expression(&mut self, node: &Node) -> Option<Expression> {
        self.check_placeholders(node);
        Expression::compile(node)
            .map_err(|error| self.errors.push(error))
            .ok()
    }

    fn text(&mut self, text: &Spanned<String>, end: &str) -> Expression {
        for segment in segments(text) {
            if let Segment::Placeholder(name) = segment {
                self.check_name(name, text.span);
            }
        }
        Expression::text(&format!("{}{end}", text.value), self.root, text.span)
    }

    fn check_placeholders(&mut self, node: &Node) {
        for placeholder in placeholders_in(node) {
            self.check_name(&placeholder.value, placeholder.span);
        }
    }

    fn check_name(&mut self, name: &str, span: Span) {
        if !self.names.contains(name) && !self.variables.contains(name) {
            let known = self.names.iter().chain(&self.variables).map(String::as_str);
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
        let capture = capture.iter();
        capture
            .map(|(name, pointer)| (name.value.clone(), pointer.value.clone()))
            .collect()
    }
}
