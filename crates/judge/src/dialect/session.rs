//! Compiles the session part of a dialect: its patterns, regular expressions and the probe that detects it.

use super::lint::unknown_clause;
use super::types::{DetectionProbe, Refusal, SessionSpec, WorkSpec};
use crate::rules::frame_pattern::FramePattern;
use crate::rules::parse::{Names, pattern};
use crate::rules::symbol::Symbols;
use conform_dialect::Clause;
use conform_dialect::file::{ProbeFile, RefusalFile, SessionFile};
use indexmap::IndexMap;
use spanned_yaml::{Error, Node, Spanned, unknown};

/// The session part of a dialect, with its patterns and regular expressions compiled.
pub(super) fn session_of(
    file: Option<SessionFile>,
    root: &Node,
    symbols: &Symbols,
    clauses: &IndexMap<String, Clause>,
    errors: &mut Vec<Error>,
) -> SessionSpec {
    let file = file.unwrap_or_default();
    let names = Names::new(symbols);
    let mut read = |node: Option<&Node>| -> FramePattern {
        let Some(node) = node else {
            return FramePattern::default();
        };
        match pattern(node.as_str().unwrap_or_default(), &names) {
            Ok(pattern) => pattern,
            Err(mistake) => {
                errors.push(node.error(mistake.message));
                FramePattern::default()
            }
        }
    };
    let (turn, quit) = (read(file.turn.as_ref()), read(file.quit.as_ref()));
    let work = file.work.iter().map(|work| WorkSpec {
        from: read(Some(&work.from)),
        to: read(Some(&work.to)),
        is_turn: false,
    });
    let mut work: Vec<WorkSpec> = work.collect();
    let version = file
        .version
        .and_then(|version| match regex::Regex::new(&version.matches) {
            Ok(regex) => Some((version.event, version.at, regex)),
            Err(e) => {
                errors.push(root.error(format!(
                    "`session.version.matches` is not a regular expression: {e}"
                )));
                None
            }
        });
    for event in file.ready.iter().chain(&file.text) {
        if symbols.id(&event.value).is_none() {
            errors.push(root.error_at(event.span, unknown("event", &event.value, symbols.names())));
        }
    }
    for (command, clause) in &file.no_request {
        if command != "#invalid" && symbols.id(&format!(">{command}")).is_none() {
            errors.push(root.error_at(clause.span, unknown("command", command, symbols.names())));
        }
        if !clauses.contains_key(&clause.value) {
            errors.push(root.error_at(clause.span, unknown_clause(&clause.value, clauses)));
        }
    }
    let no_request = file.no_request.into_iter();
    let mut commands = |names: Vec<Spanned<String>>| {
        let check = |command: Spanned<String>| {
            if symbols.id(&format!(">{}", command.value)).is_none() {
                let message = unknown("command", &command.value, symbols.names());
                errors.push(root.error_at(command.span, message));
            }
            command.value
        };
        names.into_iter().map(check).collect()
    };
    let prompts: Vec<String> = commands(file.prompts);
    for work in &mut work {
        let is_prompt = |source: &String| prompts.iter().any(|name| *source == format!(">{name}"));
        work.is_turn = work.from.sources().iter().all(is_prompt);
    }
    SessionSpec {
        no_request: no_request.map(|(name, id)| (name, id.value)).collect(),
        interrupts: commands(file.interrupts),
        prompts,
        ready: file.ready.map(|event| event.value),
        text: file.text.map(|event| event.value),
        turn,
        quit,
        work,
        version,
        probe: file.probe.and_then(|probe| probe_of(&probe, errors)),
    }
}

fn probe_of(file: &ProbeFile, errors: &mut Vec<Error>) -> Option<DetectionProbe> {
    let mut matcher = |node: &Node| {
        let compiled = json_matcher::compile_node(node);
        compiled.map_err(|e| errors.extend(e)).ok()
    };
    let (shows, unless) = (matcher(&file.shows), file.unless.as_ref().map(matcher));
    Some(DetectionProbe {
        send: file.send.iter().map(Node::to_value).collect(),
        shows: shows?,
        unless: unless.flatten(),
        version: file.version.clone(),
    })
}

/// The events by which an agent refuses to be played.
pub(super) fn refusals_of(files: Vec<RefusalFile>, errors: &mut Vec<Error>) -> Vec<Refusal> {
    let refusal = |file: RefusalFile| {
        let when = json_matcher::compile_node(&file.when);
        Some(Refusal {
            when: when.map_err(|e| errors.extend(e)).ok()?,
            before: file.before,
            reason: file.reason,
            names: file.names,
        })
    };
    files.into_iter().filter_map(refusal).collect()
}
