//! Compiles the session part of a dialect: its patterns, regular expressions and the probe that detects it.

use super::types::{DetectionProbe, SessionSpec, WorkSpec};
use crate::rules::frame_pattern::FramePattern;
use crate::rules::parse::{Names, pattern};
use crate::rules::symbol::Symbols;
use conform_dialect::file::{ProbeFile, SessionFile};
use spanned_yaml::{Error, Node, Spanned, unknown};

/// The session part of a dialect, with its patterns and regular expressions compiled.
pub(super) fn session_of(
    file: Option<SessionFile>,
    root: &Node,
    symbols: &Symbols,
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
    })
}
