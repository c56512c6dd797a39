//! Which dialects the lines of an agent fit so far.

use crate::dialect::{Dialect, FrameIdentity};
use crate::frame::Line;
use crate::framing::parse;
use crate::matcher::Captures;
use serde_json::Value;
use std::sync::Arc;

/// What was heard, held against every dialect that is known.
#[derive(Debug)]
pub(super) struct Ears<'a> {
    dialects: &'a [Arc<Dialect>],
    /// The one that the agent is said to speak: what only it could mean is enough.
    named: Option<usize>,
    /// The lines by which the agent has shown not to speak a dialect.
    barred: Vec<Option<String>>,
    /// The lines by which it has shown to speak a dialect.
    shown: Vec<Option<String>>,
    /// A line that is an event of the dialect that is named, where that one begins in silence.
    sign: Option<String>,
}

/// What lines say of the dialect that is named, none of which is proof that the agent speaks it.
#[derive(Debug, Default)]
pub(super) struct Signs {
    /// One that is an event of it.
    pub(super) of: Option<String>,
    /// One that agents of it never write.
    pub(super) against: Option<String>,
}

impl<'a> Ears<'a> {
    pub(super) fn new(dialects: &'a [Arc<Dialect>], named: Option<usize>) -> Self {
        Ears {
            dialects,
            named,
            barred: vec![None; dialects.len()],
            shown: vec![None; dialects.len()],
            sign: None,
        }
    }

    /// What was heard, short of proof.
    pub(super) fn signs(&self) -> Signs {
        let against = self.named.and_then(|named| self.barred[named].clone());
        Signs {
            of: self.sign.clone(),
            against,
        }
    }

    /// Takes a line.
    pub(super) fn hear(&mut self, line: &Line, shown: impl Fn() -> String) {
        let Some(value) = parse(line).value else {
            return;
        };
        let nothing = Captures::default();
        for (index, dialect) in self.dialects.iter().enumerate() {
            let probe = dialect.session.probe.as_ref();
            let unless = probe.and_then(|probe| probe.unless.as_ref());
            if unless.is_some_and(|unless| unless.matches(&value, &nothing).is_ok()) {
                self.barred[index].get_or_insert_with(&shown);
            }
            if shows(dialect, &value) {
                self.shown[index].get_or_insert_with(&shown);
            }
        }
        let Some(named) = self.named else {
            return;
        };
        let FrameIdentity::Known(name, _) = self.dialects[named].events.name(&value) else {
            return;
        };
        match &self.dialects[named].session.ready {
            Some(ready) if *ready == name && self.likeliest().is_none() => {
                self.shown[named].get_or_insert_with(shown);
            }
            Some(_) => {}
            None => {
                self.sign.get_or_insert_with(shown);
            }
        }
    }

    /// The dialects by how much is to be said for them before anything is heard: the one that is named, then as they are known.
    fn order(&self) -> impl Iterator<Item = usize> {
        let named = self.named;
        let rest = (0..self.dialects.len()).filter(move |index| Some(*index) != named);
        named.into_iter().chain(rest)
    }

    /// The first dialect that a line has shown and none has ruled out, and that line.
    pub(super) fn likeliest(&self) -> Option<(usize, String)> {
        self.order()
            .filter(|index| self.barred[*index].is_none())
            .find_map(|index| Some((index, self.shown[index].clone()?)))
    }

    /// The dialect that the agent speaks, if no answer that is still to come can change it. Agents answer in any order, so one version
    /// is not taken for shown while an answer may show a version that comes before it.
    pub(super) fn verdict(&self) -> Option<(usize, String)> {
        let (likeliest, by) = self.likeliest()?;
        let name = &self.dialects[likeliest].name;
        let is_open = |index: usize| {
            let dialect = &self.dialects[index];
            dialect.session.probe.is_some() && dialect.name == *name && self.barred[index].is_none()
        };
        let mut before = self.order().take_while(|index| *index != likeliest);
        (!before.any(is_open)).then_some((likeliest, by))
    }
}

/// Whether a line is what an agent of a dialect says when it is up, or what it answers to the dialect's probe.
fn shows(dialect: &Dialect, value: &Value) -> bool {
    if let Some(probe) = &dialect.session.probe {
        return probe.shows.matches(value, &Captures::default()).is_ok();
    }
    let FrameIdentity::Known(name, _) = dialect.events.name(value) else {
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
