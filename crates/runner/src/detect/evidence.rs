//! Evidence from the lines that an agent writes: which dialects they show, and which they rule out.

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
    /// For each dialect the line that rules it out.
    ruled_out: Vec<Option<String>>,
    /// For each dialect the line that shows it.
    shown: Vec<Option<String>>,
    /// For each dialect the line that is its ready event, but for members that are missing or wrong.
    resembled: Vec<Option<String>>,
    /// A line that is an event of the named dialect, where that one has no ready event.
    known_event: Option<String>,
}

/// Evidence about the named dialect that proves nothing alone.
#[derive(Debug, Default)]
pub(super) struct WeakEvidence {
    /// A line that is an event of it.
    pub(super) for_it: Option<String>,
    /// A line that agents of it never write.
    pub(super) against: Option<String>,
}

impl<'a> DialectEvidence<'a> {
    pub(super) fn new(dialects: &'a [Arc<Dialect>], named: Option<usize>) -> Self {
        DialectEvidence {
            dialects,
            named,
            ruled_out: vec![None; dialects.len()],
            shown: vec![None; dialects.len()],
            resembled: vec![None; dialects.len()],
            known_event: None,
        }
    }

    /// The evidence about the named dialect, short of proof.
    pub(super) fn weak(&self) -> WeakEvidence {
        let against = self.named.and_then(|named| self.ruled_out[named].clone());
        WeakEvidence {
            for_it: self.known_event.clone(),
            against,
        }
    }

    /// Adds a line of the agent.
    pub(super) fn add_line(&mut self, line: &Line, shown: impl Fn() -> String) {
        let Some(value) = parse(line).value else {
            return;
        };
        let nothing = Captures::default();
        for (index, dialect) in self.dialects.iter().enumerate() {
            let probe = dialect.session.probe.as_ref();
            let unless = probe.and_then(|probe| probe.unless.as_ref());
            if unless.is_some_and(|unless| unless.matches(&value, &nothing).is_ok()) {
                self.ruled_out[index].get_or_insert_with(&shown);
            }
            if shows(dialect, &value) {
                self.shown[index].get_or_insert_with(&shown);
            } else if resembles(dialect, &value) {
                self.resembled[index].get_or_insert_with(&shown);
            }
        }
        let Some(named) = self.named else {
            return;
        };
        let FrameIdentity::Known(name, _) = self.dialects[named].events.identify(&value) else {
            return;
        };
        match &self.dialects[named].session.ready {
            Some(ready) if *ready == name && self.likeliest().is_none() => {
                self.shown[named].get_or_insert_with(shown);
            }
            Some(_) => {}
            None => {
                self.known_event.get_or_insert_with(shown);
            }
        }
    }

    /// The dialects in their order of preference: the named one, then the others as they are known.
    fn order(&self) -> impl Iterator<Item = usize> {
        let named = self.named;
        let rest = (0..self.dialects.len()).filter(move |index| Some(*index) != named);
        named.into_iter().chain(rest)
    }

    /// The first dialect that a line shows and no line rules out, with that line.
    pub(super) fn likeliest(&self) -> Option<(usize, String)> {
        self.order()
            .filter(|index| self.ruled_out[*index].is_none())
            .find_map(|index| Some((index, self.shown[index].clone()?)))
    }

    /// The first dialect whose ready event a line means to be, with that line, if the line fits one protocol only.
    pub(super) fn resembled(&self) -> Option<(usize, String)> {
        let mut found = self
            .order()
            .filter(|index| self.resembled[*index].is_some());
        let first = found.next()?;
        let protocol = &self.dialects[first].name;
        let is_only = found.all(|other| self.dialects[other].name == *protocol);
        let line = self.resembled[first].clone().filter(|_| is_only)?;
        Some((first, line))
    }

    /// The dialect that the agent speaks, once no later answer can change it. Agents answer in any order, so a version is not final while
    /// an answer may still show a version that is preferred to it.
    pub(super) fn verdict(&self) -> Option<(usize, String)> {
        let (likeliest, by) = self.likeliest()?;
        let name = &self.dialects[likeliest].name;
        let is_open = |index: usize| {
            let dialect = &self.dialects[index];
            dialect.session.probe.is_some()
                && dialect.name == *name
                && self.ruled_out[index].is_none()
        };
        let mut before = self.order().take_while(|index| *index != likeliest);
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

/// Whether a line is meant to be the ready event of a dialect: it has members of it besides its name, and no others.
fn resembles(dialect: &Dialect, value: &Value) -> bool {
    let members = value.as_object().map_or(0, serde_json::Map::len);
    ready_event(dialect, value).is_some_and(|name| {
        members > 1
            && dialect
                .event_schemas
                .unknown_members(name, value)
                .is_empty()
            && is_of_version(dialect, value)
    })
}

/// The name of the ready event of a dialect, if a line has it.
fn ready_event<'a>(dialect: &'a Dialect, value: &Value) -> Option<&'a str> {
    let ready = dialect.session.ready.as_deref()?;
    matches!(dialect.events.identify(value), FrameIdentity::Known(name, _) if name == ready)
        .then_some(ready)
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
