//! Compiles steps: the action of each verb.

use super::chunk;
use super::context::LoadContext;
use super::file::{Does, ExpectNoneFile, ExpectTextFile, StepFile, StepVerb, texts, words};
use super::request_matcher::RequestMatcher;
use super::types::{Barrier, FileState, JoinedText, Step, StepAction};
use indexmap::IndexMap;
use json_matcher::{Matcher, Template};
use serde_json::Value;
use spanned_yaml::TimeSpan;
use spanned_yaml::{Error, Kind, Node, Spanned, all_or_mistakes};
use std::time::Duration;

/// Compiles a step; `None` if it has mistakes.
pub(super) fn build(step: &StepFile, context: &mut LoadContext<'_>) -> Option<Step> {
    let (keys, name, does) = (&step.keys, &step.name, step.verb.does());
    if !keys.capture.is_empty() && does < Does::Match {
        let message =
            format!("`{name}` does not match a single value, so there is nothing to capture");
        context.error(keys.capture.span, message);
    }
    if let Some(why) = keys.else_skip.as_ref().filter(|_| keys.capture.is_empty()) {
        let message = "`else_skip` goes with `capture`: write that too, or remove it";
        context.error(why.span, message);
    }
    if let Some(within) = keys.within.as_ref().filter(|_| does < Does::Wait) {
        let message = format!("`{name}` does not wait, so `within` has no effect");
        context.error(within.span, message);
    }
    if keys.unchecked && !matches!(step.verb, StepVerb::Send(_)) {
        let message = format!("`unchecked` belongs to `send`; it has no effect on `{name}`");
        context.error(step.span, message);
    }
    if matches!(step.verb, StepVerb::Rest) && context.dialect.is_some() {
        context.error(step.span, "the dialect has no `rest`");
    }
    Some(Step {
        span: step.span,
        action: context.value_or_report(action(&step.verb))?,
        capture: texts(&keys.capture),
        else_skip: keys.else_skip.as_ref().map(|why| why.value.clone()),
        again: keys.again.as_ref().map(|span| span.0),
        within: keys.within.as_ref().map(|span| span.0),
        clauses: keys.clauses.as_deref().map(words),
        level: keys.level,
    })
}

fn action(verb: &StepVerb) -> Result<StepAction, Vec<Error>> {
    Ok(match verb {
        StepVerb::Expect(node) => StepAction::Expect(event(node)?),
        StepVerb::ExpectNext(node) => StepAction::ExpectNext(event(node)?),
        StepVerb::Unordered(nodes) => {
            StepAction::Unordered(all_or_mistakes(nodes.iter().map(event))?)
        }
        StepVerb::ExpectNone(file) => expect_none(file)?,
        StepVerb::ExpectText(file) => expect_text(file)?,
        StepVerb::ExpectRequest(node) => {
            let (lane, node) = of_lane(node);
            let matcher = RequestMatcher::compile(&node)?;
            StepAction::ExpectRequest { lane, matcher }
        }
        StepVerb::ExpectReply(end) => StepAction::ExpectReply(*end),
        StepVerb::ExpectFile(files) => StepAction::ExpectFile(file_states(files)?),
        StepVerb::ExpectMcp(node) => StepAction::ExpectMcp(event(node)?),
        StepVerb::Send(node) => StepAction::Send(Template::new(command(node)?)),
        StepVerb::SendRaw(line) => StepAction::SendRaw(line.value.clone()),
        StepVerb::SendBytes(chunks) => {
            StepAction::SendBytes(all_or_mistakes(chunks.iter().map(chunk::bytes))?)
        }
        StepVerb::Release(gate) => StepAction::Release(gate.value.clone()),
        StepVerb::Signal(name) => StepAction::Signal(name.value.clone()),
        StepVerb::PauseReading(time) => StepAction::PauseReading(time.0),
        StepVerb::CloseStdin => StepAction::CloseStdin,
        StepVerb::Rest | StepVerb::Asks => StepAction::PauseReading(Duration::ZERO),
        StepVerb::ExpectExit(exit) => StepAction::ExpectExit(exit.value.clone()),
        StepVerb::Part(part) => StepAction::Part(*part),
        StepVerb::Restart(setup) => StepAction::Restart(setup.clone().unwrap_or_default()),
    })
}

/// The lane that the matcher of a request names, and the rest of the matcher.
pub(super) fn of_lane(node: &Node) -> (Option<String>, Node) {
    let lane = node.get("lane").and_then(Node::as_str);
    let (Some(lane), Some(entries)) = (lane, node.as_map()) else {
        return (None, node.clone());
    };
    let rest = entries.iter().filter(|(key, _)| key.name != "lane");
    let rest: Vec<_> = rest.cloned().collect();
    (Some(lane.to_owned()), node.with_kind(Kind::Map(rest)))
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
    match (
        event(&file.of),
        all_or_mistakes(file.until.iter().map(event)),
    ) {
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

/// The expected states of files, by path.
pub(super) fn file_states(
    files: &IndexMap<Spanned<String>, Node>,
) -> Result<IndexMap<String, FileState>, Vec<Error>> {
    let states = files
        .iter()
        .map(|(path, node)| Ok((path.value.clone(), file_state(node)?)));
    Ok(all_or_mistakes(states)?.into_iter().collect())
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
