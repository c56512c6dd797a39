//! Evidence from the lines that an agent writes: which dialects they show, and which they rule out.

use crate::dialect::{Dialect, FrameIdentity};
use crate::frame::Line;
use crate::framing::parse;
use crate::matcher::Captures;
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
    let FrameIdentity::Known(name, _) = dialect.events.identify(value) else {
        return false;
    };
    if dialect.session.ready.as_ref() != Some(&name)
        || !dialect.event_schemas.is_valid(&name, value)
    {
        return false;
    }
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
