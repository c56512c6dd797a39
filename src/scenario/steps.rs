//! A written step to what it does.

use super::chunk;
use super::context::Context;
use super::file::{ExitFile, ExpectNoneFile, ExpectTextFile, StepFile};
use super::load::{files, setup, texts, words};
use super::types::{Action, Barrier, ExitExpectation, JoinedText, Step};
use super::verbs::{VERBS, Verb};
use crate::matcher::{Matcher, RequestMatcher, Template};
use mock_provider::script::Span;
use serde_json::Value;
use spanned_yaml::{Error, Kind, Node, Spanned};

/// Makes a step; `None` if there were mistakes.
pub(super) fn build(step: &Spanned<StepFile>, context: &mut Context<'_>) -> Option<Step> {
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
                    "this step does nothing: give it one of {}",
                    names(&VERBS.iter().collect::<Vec<_>>())
                ),
                several => format!("a step does one thing, and this one has {}", names(several)),
            },
        );
        return None;
    };
    if !step.capture.is_empty() && !verb.captures {
        context.error(
            step.capture.span,
            format!("`{}` meets no single value to capture parts of", verb.name),
        );
    }
    if let Some(within) = step.within.as_ref().filter(|_| !verb.waits) {
        context.error(
            within.span,
            format!("`{}` does not wait, so `within` has no meaning", verb.name),
        );
    }
    if step.unchecked && step.send.is_none() {
        let message = format!(
            "`unchecked` is for `send`; `{}` has no use for it",
            verb.name
        );
        context.error(step.span, message);
    }
    let action = context.take(action(step))?;
    Some(Step {
        span: step.span,
        action,
        capture: texts(&step.capture),
        within: step.within.as_ref().map(|span| span.0),
        clauses: step.clauses.as_deref().map(words),
        level: step.level,
    })
}

fn action(step: &Spanned<StepFile>) -> Result<Action, Vec<Error>> {
    let file = &step.value;
    if let Some(node) = &file.expect {
        return event(node).map(Action::Expect);
    }
    if let Some(node) = &file.expect_next {
        return event(node).map(Action::ExpectNext);
    }
    if let Some(nodes) = &file.unordered {
        return each(nodes.iter().map(event)).map(Action::Unordered);
    }
    if let Some(none) = &file.expect_none {
        return expect_none(none);
    }
    if let Some(text) = &file.expect_text {
        return expect_text(text);
    }
    if let Some(node) = &file.expect_request {
        return RequestMatcher::compile(node).map(Action::ExpectRequest);
    }
    if let Some(word) = file.expect_reply {
        return Ok(Action::ExpectReply(word.into()));
    }
    if let Some(wanted) = &file.expect_file {
        return files(wanted).map(Action::ExpectFile);
    }
    if let Some(node) = &file.send {
        return command(node).map(|value| Action::Send(Template::new(value)));
    }
    if let Some(chunks) = &file.send_bytes {
        return each(chunks.iter().map(chunk::bytes)).map(Action::SendBytes);
    }
    if let Some(node) = file.close_stdin.as_ref().filter(|node| !node.is_null()) {
        return Err(vec![node.error("`close_stdin` takes no value")]);
    }
    Ok(match file {
        StepFile {
            send_raw: Some(text),
            ..
        } => Action::SendRaw(text.value.clone()),
        StepFile {
            release: Some(gate),
            ..
        } => Action::Release(gate.value.clone()),
        StepFile {
            signal: Some(name), ..
        } => Action::Signal(name.value.clone()),
        StepFile {
            pause_reading: Some(span),
            ..
        } => Action::PauseReading(span.0),
        StepFile {
            expect_exit: Some(exit),
            ..
        } => Action::ExpectExit(expectation(exit)),
        StepFile {
            restart: Some(agent),
            ..
        } => Action::Restart(setup(&agent.clone().unwrap_or_default())),
        _ => Action::CloseStdin,
    })
}

/// A matcher on an event, which is an object.
pub(super) fn event(node: &Node) -> Result<Matcher, Vec<Error>> {
    match node.kind() {
        Kind::Map(_) => Matcher::compile(node),
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

fn expect_none(file: &ExpectNoneFile) -> Result<Action, Vec<Error>> {
    let until = match file.until.as_str() {
        Some("end") => Ok(Barrier::End),
        Some(text) => text
            .parse::<Span>()
            .map(|span| Barrier::Quiet(span.0))
            .map_err(|()| {
                vec![file.until.error(format!(
                    "expected a matcher, `end` or a quiet window such as `200ms`, found {}",
                    file.until.describe()
                ))]
            }),
        None => event(&file.until).map(Barrier::Event),
    };
    match (event(&file.not), until) {
        (Ok(not), Ok(until)) => Ok(Action::ExpectNone { not, until }),
        (not, until) => Err(not.err().into_iter().chain(until.err()).flatten().collect()),
    }
}

fn expect_text(file: &ExpectTextFile) -> Result<Action, Vec<Error>> {
    if !file.at.starts_with('/') {
        let message = format!("`{}` is no JSON Pointer: it begins with `/`", *file.at);
        return Err(vec![file.of.error_at(file.at.span, message)]);
    }
    match (event(&file.of), each(file.until.iter().map(event))) {
        (Ok(of), Ok(until)) => Ok(Action::ExpectText(JoinedText {
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
