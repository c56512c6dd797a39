//! Compiles steps: the table of verbs, and the action of each.

use super::chunk;
use super::context::LoadContext;
use super::file::{ExitFile, ExpectNoneFile, ExpectTextFile, StepFile, texts, words};
use super::request_matcher::RequestMatcher;
use super::types::{Barrier, ExitExpectation, FileState, JoinedText, Step, StepAction};
use indexmap::IndexMap;
use json_matcher::{Matcher, Template};
use serde_json::Value;
use spanned_yaml::TimeSpan;
use spanned_yaml::{Error, Kind, Node, Spanned};

/// A verb of a step, and what may stand beside it.
struct Verb {
    name: &'static str,
    is_given: fn(&StepFile) -> bool,
    /// It matches one value, so `capture` can take parts of it.
    captures: bool,
    /// It waits, so `within` limits it.
    waits: bool,
}

impl Verb {
    const fn new(name: &'static str, is_given: fn(&StepFile) -> bool) -> Self {
        Verb {
            name,
            is_given,
            captures: false,
            waits: false,
        }
    }

    const fn captures(self) -> Self {
        Verb {
            captures: true,
            ..self
        }
    }

    const fn waits(self) -> Self {
        Verb {
            waits: true,
            ..self
        }
    }
}

/// Every verb.
const VERBS: &[Verb] = &[
    Verb::new("expect", |step| step.expect.is_some())
        .captures()
        .waits(),
    Verb::new("expect_next", |step| step.expect_next.is_some())
        .captures()
        .waits(),
    Verb::new("unordered", |step| step.unordered.is_some()).waits(),
    Verb::new("expect_none", |step| step.expect_none.is_some()).waits(),
    Verb::new("expect_text", |step| step.expect_text.is_some()).waits(),
    Verb::new("expect_request", |step| step.expect_request.is_some())
        .captures()
        .waits(),
    Verb::new("expect_reply", |step| step.expect_reply.is_some()).waits(),
    Verb::new("expect_file", |step| step.expect_file.is_some()).waits(),
    Verb::new("send", |step| step.send.is_some()),
    Verb::new("send_raw", |step| step.send_raw.is_some()),
    Verb::new("send_bytes", |step| step.send_bytes.is_some()),
    Verb::new("release", |step| step.release.is_some()),
    Verb::new("signal", |step| step.signal.is_some()),
    Verb::new("pause_reading", |step| step.pause_reading.is_some()),
    Verb::new("close_stdin", |step| step.close_stdin.is_some()),
    Verb::new("expect_exit", |step| step.expect_exit.is_some()).waits(),
    Verb::new("restart", |step| step.restart.is_some()).waits(),
];

/// Compiles a step; `None` if it has mistakes.
pub(super) fn build(step: &Spanned<StepFile>, context: &mut LoadContext<'_>) -> Option<Step> {
    let given: Vec<&Verb> = VERBS.iter().filter(|verb| (verb.is_given)(step)).collect();
    let [verb] = given.as_slice() else {
        let names = |verbs: &[&Verb]| {
            verbs
                .iter()
                .map(|verb| format!("`{}`", verb.name))
                .collect::<Vec<_>>()
                .join(", ")
        };
        context.error(
            step.span,
            match given.as_slice() {
                [] => format!(
                    "this step has no verb: give it one of {}",
                    names(&VERBS.iter().collect::<Vec<_>>())
                ),
                several => format!(
                    "a step has exactly one verb, and this one has {}",
                    names(several)
                ),
            },
        );
        return None;
    };
    if !step.capture.is_empty() && !verb.captures {
        context.error(
            step.capture.span,
            format!(
                "`{}` does not match a single value, so there is nothing to capture",
                verb.name
            ),
        );
    }
    if let Some(within) = step.within.as_ref().filter(|_| !verb.waits) {
        context.error(
            within.span,
            format!("`{}` does not wait, so `within` has no effect", verb.name),
        );
    }
    if step.unchecked && step.send.is_none() {
        let message = format!(
            "`unchecked` belongs to `send`; it has no effect on `{}`",
            verb.name
        );
        context.error(step.span, message);
    }
    let action = context.value_or_report(action(step))?;
    Some(Step {
        span: step.span,
        action,
        capture: texts(&step.capture),
        within: step.within.as_ref().map(|span| span.0),
        clauses: step.clauses.as_deref().map(words),
        level: step.level,
    })
}

fn action(step: &Spanned<StepFile>) -> Result<StepAction, Vec<Error>> {
    let file = &step.value;
    if let Some(node) = &file.expect {
        return event(node).map(StepAction::Expect);
    }
    if let Some(node) = &file.expect_next {
        return event(node).map(StepAction::ExpectNext);
    }
    if let Some(nodes) = &file.unordered {
        return each(nodes.iter().map(event)).map(StepAction::Unordered);
    }
    if let Some(none) = &file.expect_none {
        return expect_none(none);
    }
    if let Some(text) = &file.expect_text {
        return expect_text(text);
    }
    if let Some(node) = &file.expect_request {
        return RequestMatcher::compile(node).map(StepAction::ExpectRequest);
    }
    if let Some(word) = file.expect_reply {
        return Ok(StepAction::ExpectReply(word.into()));
    }
    if let Some(wanted) = &file.expect_file {
        return file_states(wanted).map(StepAction::ExpectFile);
    }
    if let Some(node) = &file.send {
        return command(node).map(|value| StepAction::Send(Template::new(value)));
    }
    if let Some(chunks) = &file.send_bytes {
        return each(chunks.iter().map(chunk::bytes)).map(StepAction::SendBytes);
    }
    if let Some(node) = file.close_stdin.as_ref().filter(|node| !node.is_null()) {
        return Err(vec![node.error("`close_stdin` has no value")]);
    }
    Ok(match file {
        StepFile {
            send_raw: Some(text),
            ..
        } => StepAction::SendRaw(text.value.clone()),
        StepFile {
            release: Some(gate),
            ..
        } => StepAction::Release(gate.value.clone()),
        StepFile {
            signal: Some(name), ..
        } => StepAction::Signal(name.value.clone()),
        StepFile {
            pause_reading: Some(span),
            ..
        } => StepAction::PauseReading(span.0),
        StepFile {
            expect_exit: Some(exit),
            ..
        } => StepAction::ExpectExit(expectation(exit)),
        StepFile {
            restart: Some(agent),
            ..
        } => StepAction::Restart(agent.clone().unwrap_or_default().setup()),
        _ => StepAction::CloseStdin,
    })
}

/// A matcher on an event, which is an object.
pub(super) fn event(node: &Node) -> Result<Matcher, Vec<Error>> {
    match node.kind() {
        Kind::Map(_) => json_matcher::compile_node(node),
        _ => Err(vec![node.error(format!(
            "expected a matcher on an event, which is a map, found {}",
            node.describe()
        ))]),
    }
}

/// A command, which is an object.
pub(super) fn command(node: &Node) -> Result<Value, Vec<Error>> {
    match node.kind() {
        Kind::Map(_) => Ok(node.to_value()),
        _ => Err(vec![node.error(format!(
            "expected a command, which is a map, found {}; `send_raw` sends any line",
            node.describe()
        ))]),
    }
}

fn each<T>(results: impl Iterator<Item = Result<T, Vec<Error>>>) -> Result<Vec<T>, Vec<Error>> {
    let (mut values, mut errors) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(found) => errors.extend(found),
        }
    }
    if errors.is_empty() {
        Ok(values)
    } else {
        Err(errors)
    }
}

fn expect_none(file: &ExpectNoneFile) -> Result<StepAction, Vec<Error>> {
    let until = match file.until.as_str() {
        Some("end") => Ok(Barrier::End),
        Some(text) => text
            .parse::<TimeSpan>()
            .map(|span| Barrier::Quiet(span.0))
            .map_err(|()| {
                vec![file.until.error(format!(
                    "expected a matcher, `end` or a time without events such as `200ms`, found {}",
                    file.until.describe()
                ))]
            }),
        None => event(&file.until).map(Barrier::Event),
    };
    match (event(&file.not), until) {
        (Ok(not), Ok(until)) => Ok(StepAction::ExpectNone { not, until }),
        (not, until) => Err(not.err().into_iter().chain(until.err()).flatten().collect()),
    }
}

fn expect_text(file: &ExpectTextFile) -> Result<StepAction, Vec<Error>> {
    if !file.at.starts_with('/') {
        let message = format!(
            "`{}` is not a JSON Pointer: it must start with `/`",
            *file.at
        );
        return Err(vec![file.of.error_at(file.at.span, message)]);
    }
    match (event(&file.of), each(file.until.iter().map(event))) {
        (Ok(of), Ok(until)) => Ok(StepAction::ExpectText(JoinedText {
            of,
            at: file.at.value.clone(),
            is: file.is.clone(),
            or_nothing: file.or_nothing,
            until,
        })),
        (of, until) => Err(of.err().into_iter().chain(until.err()).flatten().collect()),
    }
}

fn expectation(file: &ExitFile) -> ExitExpectation {
    let or_signal = file.or_signal.as_ref().map(|name| name.value.clone());
    ExitExpectation {
        code: file.code,
        nonzero: file.nonzero,
        or_signal,
    }
}

/// The expected states of files, by path.
pub(super) fn file_states(
    files: &IndexMap<Spanned<String>, Node>,
) -> Result<IndexMap<String, FileState>, Vec<Error>> {
    let (mut states, mut errors) = (IndexMap::new(), Vec::new());
    for (path, node) in files {
        match file_state(node) {
            Ok(state) => {
                states.insert(path.value.clone(), state);
            }
            Err(found) => errors.extend(found),
        }
    }
    if errors.is_empty() {
        Ok(states)
    } else {
        Err(errors)
    }
}

fn file_state(node: &Node) -> Result<FileState, Vec<Error>> {
    let text_under = |key: &str| node.get(key).and_then(Node::as_str).map(str::to_owned);
    let entries = node.as_map().map_or(0, <[_]>::len);
    let state = match node.kind() {
        Kind::Text(word) if word == "absent" => Some(FileState::Absent),
        Kind::Text(word) if word == "present" => Some(FileState::Present),
        Kind::Text(text) => Some(FileState::Equals(text.clone())),
        Kind::Map(_) if entries == 1 => text_under("contains")
            .map(FileState::Contains)
            .or_else(|| text_under("equals").map(FileState::Equals))
            .or_else(|| text_under("holds").map(FileState::Holds)),
        _ => None,
    };
    let expected = "expected `absent`, `present`, the file's text, `{ contains: text }`, `{ holds: text }` or `{ equals: text }`";
    state.ok_or_else(|| vec![node.error(format!("{expected}, found {}", node.describe()))])
}
