//! Detects the dialect of a recorded session by its frames.

use conform_judge::dialect::{Dialect, FrameIdentity, FrameNames};
use conform_judge::frame::{Body, Frame, Line};
use conform_judge::framing::parse;
use conform_judge::schema::Schemas;
use std::sync::Arc;

/// The index of the dialect that these frames are in. The version that the agent announces decides; then the number of frames that are
/// known to a dialect, then the number of those that are valid in it. Of versions that fit equally the first one is taken.
///
/// `None` if no dialect knows any of the frames, or if dialects of different names fit equally.
#[must_use]
pub fn dialect_of_frames(dialects: &[Arc<Dialect>], frames: &[Frame]) -> Option<usize> {
    let scores: Vec<_> = dialects.iter().map(|d| score(d, frames)).collect();
    let best = scores.iter().filter(|score| score.known > 0).max()?;
    let mut alike = (0..dialects.len()).filter(|n| scores[*n] == *best);
    let first = alike.next()?;
    alike
        .all(|other| dialects[other].name == dialects[first].name)
        .then_some(first)
}

/// How well a dialect fits, the strongest criterion first.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Score {
    version_announced: bool,
    known: usize,
    valid: usize,
}

fn score(dialect: &Dialect, frames: &[Frame]) -> Score {
    let mut score = Score::default();
    for frame in frames {
        let (line, names, schemas) = match &frame.body {
            Body::FromAgent(line) => (line, &dialect.events, &dialect.event_schemas),
            Body::ToAgent(line) => (line, &dialect.commands, &dialect.command_schemas),
            _ => continue,
        };
        count(&mut score, line, names, schemas);
        if matches!(frame.body, Body::FromAgent(_)) {
            score.version_announced |= announces_version(dialect, line);
        }
    }
    score
}

fn count(score: &mut Score, line: &Line, names: &FrameNames, schemas: &Schemas) {
    let Some(value) = parse(line).value else {
        return;
    };
    if let FrameIdentity::Known(name, kind) = names.identify(&value) {
        score.known += 1;
        score.valid += usize::from(schemas.is_valid(kind.as_deref().unwrap_or(&name), &value));
    }
}

/// Whether the agent announces a version of the dialect in this line.
fn announces_version(dialect: &Dialect, line: &Line) -> bool {
    let (Some((event, at, versions)), Some(value)) = (&dialect.session.version, parse(line).value)
    else {
        return false;
    };
    let is_event =
        matches!(dialect.events.identify(&value), FrameIdentity::Known(name, _) if name == *event);
    let version = value.pointer(at).and_then(serde_json::Value::as_str);
    is_event && version.is_some_and(|version| versions.is_match(version))
}
