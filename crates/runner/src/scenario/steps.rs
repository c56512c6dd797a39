//! Compiles steps: the table of verbs, and the action of each.

use super::chunk;
use super::context::LoadContext;
use super::file::{ExpectNoneFile, ExpectTextFile, StepFile, texts, words};
use super::request_matcher::RequestMatcher;
use super::types::{Barrier, FileState, JoinedText, Step, StepAction};
use indexmap::IndexMap;
use json_matcher::{Matcher, Template};
use serde_json::Value;
use spanned_yaml::TimeSpan;
use spanned_yaml::{Error, Kind, Node, Spanned, all_or_mistakes};

/// What a verb does. Each that follows does what those before it do.
#[derive(PartialEq, PartialOrd)]
enum Does {
    /// It acts at once.
    Act,
    /// It waits, so `within` limits it.
    Wait,
    /// It matches one value, so `capture` can take parts of it.
    Match,
}

/// Compiles the action of a step; `None` if the step does not have the verb.
type Compile = fn(&StepFile) -> Option<Result<StepAction, Vec<Error>>>;

/// Every verb.
const VERBS: &[(&str, Does, Compile)] = &[
    ("expect", Does::Match, |step| {
        Some(event(step.expect.as_ref()?).map(StepAction::Expect))
    }),
    ("expect_next", Does::Match, |step| {
        Some(event(step.expect_next.as_ref()?).map(StepAction::ExpectNext))
    }),
    ("unordered", Does::Wait, |step| {
        Some(all_or_mistakes(step.unordered.as_ref()?.iter().map(event)).map(StepAction::Unordered))
    }),
    ("expect_none", Does::Wait, |step| {
        step.expect_none.as_ref().map(expect_none)
    }),
    ("expect_text", Does::Wait, |step| {
        step.expect_text.as_ref().map(expect_text)
    }),
    ("expect_request", Does::Match, |step| {
        let node = step.expect_request.as_ref()?;
        Some(RequestMatcher::compile(node).map(StepAction::ExpectRequest))
    }),
    ("expect_reply", Does::Wait, |step| {
        Some(Ok(StepAction::ExpectReply(step.expect_reply?)))
    }),
    ("expect_file", Does::Wait, |step| {
        Some(file_states(step.expect_file.as_ref()?).map(StepAction::ExpectFile))
    }),
    ("send", Does::Act, |step| {
        let value = command(step.send.as_ref()?);
        Some(value.map(|value| StepAction::Send(Template::new(value))))
    }),
    ("send_raw", Does::Act, |step| {
        Some(Ok(StepAction::SendRaw(step.send_raw.clone()?.value)))
    }),
    ("send_bytes", Does::Act, |step| {
        let chunks = step.send_bytes.as_ref()?.iter();
        Some(all_or_mistakes(chunks.map(chunk::bytes)).map(StepAction::SendBytes))
    }),
    ("release", Does::Act, |step| {
        Some(Ok(StepAction::Release(step.release.clone()?.value)))
    }),
    ("signal", Does::Act, |step| {
        Some(Ok(StepAction::Signal(step.signal.clone()?.value)))
    }),
    ("pause_reading", Does::Act, |step| {
        Some(Ok(StepAction::PauseReading(step.pause_reading?.0)))
    }),
    ("close_stdin", Does::Act, |step| {
        let node = step.close_stdin.as_ref()?;
        Some(match node.is_null() {
            true => Ok(StepAction::CloseStdin),
            false => Err(vec![node.error("`close_stdin` has no value")]),
        })
    }),
    ("expect_exit", Does::Wait, |step| {
        Some(Ok(StepAction::ExpectExit(step.expect_exit.clone()?.value)))
    }),
    ("restart", Does::Wait, |step| {
        let setup = step.restart.clone()?.unwrap_or_default();
        Some(Ok(StepAction::Restart(setup)))
    }),
];

/// Compiles a step; `None` if it has mistakes.
pub(super) fn build(step: &Spanned<StepFile>, context: &mut LoadContext<'_>) -> Option<Step> {
    let given = VERBS.iter();
    let given = given.filter_map(|(name, does, compile)| Some((*name, does, compile(step)?)));
    let given: Vec<_> = given.collect();
    if given.len() != 1 {
        let list = |names: Vec<&str>| format!("`{}`", names.join("`, `"));
        let all = VERBS.iter().map(|(name, ..)| *name).collect();
        let names: Vec<_> = given.iter().map(|(name, ..)| *name).collect();
        let message = match names.is_empty() {
            true => format!("this step has no verb: give it one of {}", list(all)),
            false => format!(
                "a step has exactly one verb, and this one has {}",
                list(names)
            ),
        };
        context.error(step.span, message);
    }
    let [(name, does, action)] = <[_; 1]>::try_from(given).ok()?;
    if !step.capture.is_empty() && *does < Does::Match {
        let message =
            format!("`{name}` does not match a single value, so there is nothing to capture");
        context.error(step.capture.span, message);
    }
    if let Some(within) = step.within.as_ref().filter(|_| *does < Does::Wait) {
        let message = format!("`{name}` does not wait, so `within` has no effect");
        context.error(within.span, message);
    }
    if step.unchecked && step.send.is_none() {
        let message = format!("`unchecked` belongs to `send`; it has no effect on `{name}`");
        context.error(step.span, message);
    }
    Some(Step {
        span: step.span,
        action: context.value_or_report(action)?,
        capture: texts(&step.capture),
        within: step.within.as_ref().map(|span| span.0),
        clauses: step.clauses.as_deref().map(words),
        level: step.level,
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
