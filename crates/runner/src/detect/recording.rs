//! Detects the dialect of a recorded session by its frames.

use conform_judge::dialect::{Dialect, FrameIdentity};
use conform_judge::frame::{Body, Frame};
use conform_judge::framing::parse;
use serde_json::Value;
use std::sync::Arc;

/// The index of the dialect that these frames are in. The version that the agent announces decides; then the number of frames that are
/// known to a dialect, then the number of those that are valid in it. Of versions that fit equally the first one is taken.
///
/// `None` if no dialect knows any of the frames, or if dialects of different names fit equally.
#[must_use]
pub fn dialect_of_frames<'f>(
    dialects: &[Arc<Dialect>],
    frames: impl IntoIterator<Item = &'f Frame>,
) -> Option<usize> {
    let values = frames.into_iter().filter_map(|frame| match &frame.body {
        Body::FromAgent(line) => Some((true, parse(line).value?)),
        Body::ToAgent(line) => Some((false, parse(line).value?)),
        _ => None,
    });
    let values: Vec<_> = values.collect();
    let scores: Vec<_> = dialects.iter().map(|d| score(d, &values)).collect();
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

/// The score by the values of lines, each with whether the agent wrote it.
fn score(dialect: &Dialect, values: &[(bool, Value)]) -> Score {
    let mut score = Score::default();
    for (is_event, value) in values {
        let (names, schemas) = dialect.frames(!is_event);
        let identity = names.identify(value);
        let FrameIdentity::Known(name, kind) = &identity else {
            continue;
        };
        score.known += 1;
        score.valid += usize::from(schemas.is_valid(kind.as_deref().unwrap_or(name), value));
        if let Some((event, at, versions)) = &dialect.session.version
            && *is_event
            && identity.is(event)
            && let Some(version) = value.pointer(at).and_then(Value::as_str)
        {
            score.version_announced |= versions.is_match(version);
        }
    }
    score
}
