//! What a dialect says of its sessions: how one begins, what a turn is, how to recognize the version.

use crate::dialect::Session;
use crate::dialect::file::{ProbeFile, SessionFile};
use crate::dialect::types::Probe;
use crate::matcher::Matcher;
use crate::rules::parse::{FramePattern, Names, pattern};
use crate::rules::symbol::Symbols;
use spanned_yaml::{Error, Node, unknown};

pub(super) fn session_of(
    file: Option<SessionFile>,
    root: &Node,
    symbols: &Symbols,
    errors: &mut Vec<Error>,
) -> Session {
    let file = file.unwrap_or_default();
    let names = Names {
        symbols: Some(symbols),
        ..Names::default()
    };
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
    if let Some(ready) = &file.ready
        && symbols.id(&ready.value).is_none()
    {
        errors.push(root.error_at(ready.span, unknown("event", &ready.value, symbols.names())));
    }
    let mut interrupts = Vec::new();
    for command in file.interrupts {
        if symbols.id(&format!(">{}", command.value)).is_none() {
            let message = unknown("command", &command.value, symbols.names());
            errors.push(root.error_at(command.span, message));
        }
        interrupts.push(command.value);
    }
    Session {
        interrupts,
        ready: file.ready.map(|r| r.value),
        turn,
        quit,
        version,
        probe: file.probe.and_then(|probe| probe_of(&probe, errors)),
    }
}

fn probe_of(file: &ProbeFile, errors: &mut Vec<Error>) -> Option<Probe> {
    let mut matcher = |node: &Node| {
        let compiled = Matcher::compile(node);
        compiled.map_err(|e| errors.extend(e)).ok()
    };
    let (shows, unless) = (matcher(&file.shows), file.unless.as_ref().map(matcher));
    Some(Probe {
        send: file.send.iter().map(Node::to_value).collect(),
        shows: shows?,
        unless: unless.flatten(),
    })
}
