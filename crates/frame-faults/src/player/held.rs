//! Frames that are held back: until another frame comes, or to be merged with the next one.

use super::{FaultPlayer, Log, Output};
use crate::line::line;
use crate::operation::END;
use frame_language::Pointer;
use indexmap::IndexMap;
use serde_json::Value;

/// Where a line that is held back is written: before the frame that releases it, after it, or both in its own place and again after that
/// frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    Before,
    Behind,
    Again,
}

/// A line that is held back.
#[derive(Debug)]
pub(super) struct Held {
    line: Vec<u8>,
    /// The kind of frame that releases it; any if `None`.
    released_by: Option<String>,
    place: Move,
}

impl FaultPlayer {
    /// The held lines that a frame with these names releases.
    pub(super) fn released(&mut self, names: [&str; 2], before: bool) -> Vec<Output> {
        let is_released = |held: &mut Held| {
            let by = held.released_by.as_deref();
            (held.place == Move::Before) == before && by.is_none_or(|by| names.contains(&by))
        };
        let released = self.held.extract_if(.., is_released);
        released.map(|held| Output::Bytes(held.line)).collect()
    }

    /// The frame that waits to be merged, which nothing has been merged with.
    pub(super) fn unmerged(&mut self) -> Vec<Output> {
        let waiting = self.merging.take();
        waiting
            .map(|(_, frame)| Output::Bytes(line(&frame)))
            .into_iter()
            .collect()
    }

    /// Merges a frame with the one that waits, or lets it wait.
    pub(super) fn merge(
        &mut self,
        kind: &str,
        frame: &Value,
        texts: &IndexMap<Pointer, Vec<Pointer>>,
    ) -> Vec<Output> {
        let Some((waiting_kind, waiting)) = self.merging.take() else {
            self.merging = Some((kind.to_owned(), frame.clone()));
            return Vec::new();
        };
        let mut same = texts.values().flatten();
        if waiting_kind != kind || !same.all(|at| at.first(&waiting) == at.first(frame)) {
            self.merging = Some((kind.to_owned(), frame.clone()));
            return vec![Output::Bytes(line(&waiting))];
        }
        let mut merged = frame.clone();
        for at in texts.keys() {
            prepend(
                &mut merged,
                at,
                at.first(&waiting)
                    .and_then(Value::as_str)
                    .unwrap_or_default(),
            );
        }
        self.note_played();
        vec![Output::Bytes(line(&merged))]
    }

    pub(super) fn hold(&mut self, plain: &[u8], released_by: &str, place: Move) -> Vec<Output> {
        let line = plain.to_vec();
        let released_by = Some(released_by.to_owned()).filter(|kind| kind != "any");
        let is_written_anyway = released_by.as_deref().is_none_or(|by| by == END);
        self.held.push(Held {
            line: line.clone(),
            released_by,
            place,
        });
        if place == Move::Again {
            self.note_played_at(self.lines + 2);
            return vec![Output::Bytes(line)];
        }
        if is_written_anyway && place == Move::Behind && self.log == Log::NotPlayed {
            self.log = Log::Held(self.lines + 1);
        }
        Vec::new()
    }
}

/// Puts a text before the text of a frame.
fn prepend(frame: &mut Value, at: &Pointer, text: &str) {
    for place in at.places(frame) {
        if let Some(Value::String(part)) = frame.pointer_mut(&place) {
            part.insert_str(0, text);
        }
    }
}
