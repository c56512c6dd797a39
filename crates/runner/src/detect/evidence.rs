//! Evidence from the lines that an agent writes: which dialects they show, and which they rule out.

use super::probe::ShownLine;
use conform_judge::dialect::{Dialect, FrameIdentity};
use conform_judge::frame::Line;
use conform_judge::framing::parse;
use json_matcher::Captures;
use serde_json::Value;
use std::sync::Arc;

/// The evidence so far for and against every known dialect.
#[derive(Debug)]
pub(super) struct DialectEvidence<'a> {
    dialects: &'a [Arc<Dialect>],
    /// The one that the user names: weak evidence is enough for it.
    named: Option<usize>,
    /// The lines about each dialect.
    lines: Vec<Lines>,
    /// A line that is an event of the named dialect, if that dialect has no ready event.
    known_event: Option<ShownLine>,
}

/// The first lines of each kind about a dialect.
#[derive(Debug, Clone, Default)]
struct Lines {
    /// A line that its agents never write.
    ruled_out: Option<ShownLine>,
    /// A line that shows it.
    shown: Option<ShownLine>,
    /// The version of the protocol that it has, if a line shows that this is another one.
    other_version: Option<String>,
    /// A line that is its ready event, except for missing or wrong members.
    resembled: Option<ShownLine>,
}

impl<'a> DialectEvidence<'a> {
    pub(super) fn new(dialects: &'a [Arc<Dialect>], named: Option<usize>) -> Self {
        DialectEvidence {
            dialects,
            named,
            lines: vec![Lines::default(); dialects.len()],
            known_event: None,
        }
    }

    /// A line that agents of the named dialect never write.
    pub(super) fn against_named(&self) -> Option<&ShownLine> {
        self.lines[self.named?].ruled_out.as_ref()
    }

    /// The named dialect, with a line that is an event of it, which alone proves nothing.
    pub(super) fn for_named(&self) -> Option<(usize, ShownLine)> {
        self.named.zip(self.known_event.clone())
    }

    /// A sentence about the protocol that the agent speaks, if it speaks it in a version that cannot be judged.
    pub(super) fn other_version(&self) -> Option<String> {
        let mut order = self.order();
        order.find_map(|(index, lines)| {
            let (dialect, version) = (&self.dialects[index], lines.other_version.as_ref()?);
            Some(format!(
                "the agent speaks version {version} of {}, which cannot be judged: conform has {}",
                dialect.name,
                dialect.id()
            ))
        })
    }

    /// Adds a line of the agent.
    pub(super) fn add_line(&mut self, line: &Line, shown: impl Fn() -> String) {
        let Some(value) = parse(line).value else {
            return;
        };
        let nothing = Captures::default();
        let shown = || ShownLine {
            text: shown(),
            event: value.clone(),
        };
        for (dialect, lines) in self.dialects.iter().zip(&mut self.lines) {
            let probe = dialect.session.probe.as_ref();
            let unless = probe.and_then(|probe| probe.unless.as_ref());
            if unless.is_some_and(|unless| unless.matches(&value, &nothing).is_ok()) {
                lines.ruled_out.get_or_insert_with(shown);
            }
            let version = probe.and_then(|probe| value.pointer(probe.version.as_ref()?));
            if shows(dialect, &value) {
                lines.shown.get_or_insert_with(shown);
            } else if let Some(version) = version {
                lines
                    .other_version
                    .get_or_insert_with(|| version.to_string());
            } else if resembles(dialect, &value) {
                lines.resembled.get_or_insert_with(shown);
            }
        }
        let Some(named) = self.named else {
            return;
        };
        let identity = self.dialects[named].events.identify(&value);
        if !matches!(identity, FrameIdentity::Known(..)) {
            return;
        }
        match &self.dialects[named].session.ready {
            Some(ready) if identity.is(ready) && self.likeliest().is_none() => {
                self.lines[named].shown.get_or_insert_with(shown);
            }
            Some(_) => {}
            None => {
                self.known_event.get_or_insert_with(shown);
            }
        }
    }

    /// The dialects in their order of preference: the named one, then the others as they are known.
    fn order(&self) -> impl Iterator<Item = (usize, &Lines)> {
        let rest = (0..self.dialects.len()).filter(|index| Some(*index) != self.named);
        let order = self.named.into_iter().chain(rest);
        order.map(|index| (index, &self.lines[index]))
    }

    /// The first dialect that a line shows and no line rules out, with that line.
    pub(super) fn likeliest(&self) -> Option<(usize, ShownLine)> {
        self.order()
            .filter(|(_, lines)| lines.ruled_out.is_none())
            .find_map(|(index, lines)| Some((index, lines.shown.clone()?)))
    }

    /// The first dialect for which a line is a ready event with mistakes, with that line, if the line fits one protocol only.
    pub(super) fn resembled(&self) -> Option<(usize, ShownLine)> {
        let order = self.order();
        let mut found = order.filter_map(|(index, lines)| Some((index, lines.resembled.clone()?)));
        let first = found.next()?;
        let protocol = &self.dialects[first.0].name;
        let is_only = found.all(|(other, _)| self.dialects[other].name == *protocol);
        is_only.then_some(first)
    }

    /// The dialect that the agent speaks, once no later answer can change it. Agents answer in any order, so a version is not final while
    /// an answer may still show a version that is preferred to it.
    pub(super) fn verdict(&self) -> Option<(usize, ShownLine)> {
        let (likeliest, by) = self.likeliest()?;
        let name = &self.dialects[likeliest].name;
        let is_open = |(index, lines): (usize, &Lines)| {
            let dialect = &self.dialects[index];
            dialect.session.probe.is_some() && dialect.name == *name && lines.ruled_out.is_none()
        };
        let mut before = self.order().take_while(|(index, _)| *index != likeliest);
        (!before.any(is_open)).then_some((likeliest, by))
    }
}

/// Whether a line is the ready event of a dialect, or the answer to its probe.
fn shows(dialect: &Dialect, value: &Value) -> bool {
    if let Some(probe) = &dialect.session.probe {
        return probe.shows.matches(value, &Captures::default()).is_ok();
    }
    ready_event(dialect, value).is_some_and(|name| {
        dialect.event_schemas.is_valid(name, value) && is_of_version(dialect, value)
    })
}

/// Whether a line is meant to be the ready event of a dialect: besides the name, it has only members of that event.
fn resembles(dialect: &Dialect, value: &Value) -> bool {
    let members = value.as_object().map_or(0, serde_json::Map::len);
    ready_event(dialect, value).is_some_and(|name| {
        let shapes = [name, name.split('.').next().unwrap_or(name)];
        let unknown = dialect.event_schemas.unknown_members(&shapes, value);
        members > 1 && unknown.is_empty() && is_of_version(dialect, value)
    })
}

/// The name of the ready event of a dialect, if a line has it.
fn ready_event<'a>(dialect: &'a Dialect, value: &Value) -> Option<&'a str> {
    let ready = dialect.session.ready.as_deref()?;
    dialect.events.identify(value).is(ready).then_some(ready)
}

/// Whether the version that a ready event reports, if any, is one of the dialect.
fn is_of_version(dialect: &Dialect, value: &Value) -> bool {
    let Some((_, at, versions)) = &dialect.session.version else {
        return true;
    };
    value
        .pointer(at)
        .is_none_or(|version| match version.as_str() {
            Some(text) => versions.is_match(text),
            None => versions.is_match(&version.to_string()),
        })
}
