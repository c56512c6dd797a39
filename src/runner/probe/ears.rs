//! Which dialects the lines of an agent fit so far.

use crate::dialect::{Dialect, Named};
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

    /// The dialect that the agent speaks, if this line shows it.
    pub(super) fn hear(&mut self, line: &Line, shown: impl Fn() -> String) -> Option<usize> {
        let value = parse(line).value?;
        let nothing = Captures::default();
        for (dialect, barred) in self.dialects.iter().zip(&mut self.barred) {
            let unless = dialect
                .session
                .probe
                .as_ref()
                .and_then(|p| p.unless.as_ref());
            if unless.is_some_and(|unless| unless.matches(&value, &nothing).is_ok()) {
                barred.get_or_insert_with(&shown);
            }
        }
        let speaks =
            |index: usize| self.barred[index].is_none() && shows(&self.dialects[index], &value);
        let first = self.named.into_iter().chain(0..self.dialects.len());
        if let Some(index) = first.clone().find(|index| speaks(*index)) {
            return Some(index);
        }
        let named = self.named?;
        let Named::Known(name, _) = self.dialects[named].events.name(&value) else {
            return None;
        };
        match &self.dialects[named].session.ready {
            Some(ready) => (*ready == name).then_some(named),
            None => {
                self.sign.get_or_insert_with(shown);
                None
            }
        }
    }
}

/// Whether a line is what an agent of a dialect says when it is up, or what it answers to the dialect's probe.
fn shows(dialect: &Dialect, value: &Value) -> bool {
    if let Some(probe) = &dialect.session.probe {
        return probe.shows.matches(value, &Captures::default()).is_ok();
    }
    let Named::Known(name, _) = dialect.events.name(value) else {
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
