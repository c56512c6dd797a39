//! Detects the dialect of a recorded session by its frames.

use conform_judge::dialect::{Dialect, FrameIdentity};
use conform_judge::frame::{Body, Frame};
use conform_judge::framing::parse;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The index of the dialect that these frames are in. The version that the agent announces decides; then the number of frames that are
/// known to a dialect, then the number of those that are valid in it: first of the agent, since a mistake of the host may be legal in another
/// version; then the number of those whose members are all known to it. Of versions that fit equally the first one is taken.
///
/// `None` if no dialect knows any of the frames, or, if there are dialects of different names, if none has evidence or some fit equally.
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
    // Among versions of one protocol only the version is open.
    let is_open = dialects.iter().any(|one| one.name != dialects[0].name);
    let known = scores.iter().filter(|score| score.known > 0);
    let best = known.filter(|score| score.is_evidence || !is_open).max()?;
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
    known_events: usize,
    valid_events: usize,
    known: usize,
    valid: usize,
    complete: usize,
    is_evidence: bool,
}

/// So many names prove a dialect, even if each is a word that many protocols have, such as `error` or `ready`.
const PROVING_NAMES: usize = 3;

/// The score by the values of lines, each with whether the agent wrote it.
fn score(dialect: &Dialect, values: &[(bool, Value)]) -> Score {
    let mut score = Score::default();
    let (mut found, mut is_telling) = (BTreeSet::new(), false);
    for (is_event, value) in values {
        let (names, schemas) = dialect.frames(!is_event);
        let identity = names.identify(value);
        let FrameIdentity::Known(name, kind) = &identity else {
            continue;
        };
        score.known += 1;
        score.known_events += usize::from(*is_event);
        let is_valid = schemas.is_valid(kind.as_deref().unwrap_or(name), value);
        score.valid += usize::from(is_valid);
        score.valid_events += usize::from(is_valid && *is_event);
        let kinds = [&**name, kind.as_deref().unwrap_or(name)];
        score.complete += usize::from(schemas.unknown_members(&kinds, value).is_empty());
        is_telling |=
            is_valid && is_compound(name) && value.as_object().is_some_and(|it| it.len() > 1);
        found.insert(name.to_string());
        if let Some((event, at, versions)) = &dialect.session.version
            && *is_event
            && identity.is(event)
            && let Some(version) = value.pointer(at)
        {
            let text = version.as_str().map(str::to_owned);
            score.version_announced |=
                versions.is_match(&text.unwrap_or_else(|| version.to_string()));
        }
    }
    let is_pair = found.len() > 1 && found.iter().any(|name| is_compound(name));
    score.is_evidence =
        score.version_announced || is_telling || is_pair || found.len() >= PROVING_NAMES;
    score
}

/// Whether a name is made of several words, such as `stream_start`, `session/update` and `turnStart`.
fn is_compound(name: &str) -> bool {
    name.contains(['_', '-', '/', '.']) || name.chars().skip(1).any(char::is_uppercase)
}
