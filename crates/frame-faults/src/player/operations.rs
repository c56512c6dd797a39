//! What is done in place of a frame that the fault is played on.

use super::held::Move;
use super::{FaultPlayer, Output};
use crate::fault::EventFault;
use crate::line::{changed, line, spelled};
use crate::open_calls::FrameNaming;
use crate::operation::{END, Frames, Operation};
use frame_language::Pointer;
use serde_json::Value;
use std::time::Duration;

impl FaultPlayer {
    /// What is done in place of a frame that the fault is played on.
    pub(super) fn apply(
        &mut self,
        part: &EventFault,
        kind: &str,
        frame: &Value,
        plain: &[u8],
    ) -> Vec<Output> {
        let write = || Output::Bytes(plain.to_vec());
        let others = |frames: &Frames| self.others(frames, frame, Some(plain));
        match &part.operation {
            Operation::Edit(edits) => {
                let mut changed = frame.clone();
                edits.apply(&mut changed, &mut self.memory);
                if changed == *frame {
                    vec![write()]
                } else {
                    vec![Output::Bytes(line(&changed))]
                }
            }
            Operation::Drop => Vec::new(),
            Operation::Twice => vec![write(), write()],
            Operation::Before(frames) => {
                let mut outputs = others(frames);
                outputs.push(write());
                outputs
            }
            Operation::After(frames) => {
                let wait = (!part.wait.is_zero()).then_some(Output::Wait(part.wait));
                let outputs = [write()].into_iter().chain(wait);
                outputs.chain(others(frames)).collect()
            }
            Operation::Instead(frames) => others(frames),
            Operation::Late(kind) => self.hold(plain, kind, Move::Behind),
            Operation::Until(kind) => self.hold(plain, kind, Move::Before),
            Operation::Again => self.hold(plain, END, Move::Again),
            Operation::DelayMs(millis) => {
                vec![Output::Wait(Duration::from_millis(*millis)), write()]
            }
            Operation::Silence => {
                self.silent = true;
                Vec::new()
            }
            Operation::Exit(status) => vec![Output::Exit(*status)],
            Operation::Kill(signal) => vec![Output::Kill(*signal)],
            Operation::HalfThenExit(status) => {
                let half = plain[..plain.len() / 2].to_vec();
                vec![Output::Bytes(half), Output::Exit(*status)]
            }
            Operation::Split(at) => split(frame, at).unwrap_or_else(|| vec![write()]),
            Operation::Merge(texts) => self.merge(kind, frame, texts),
            Operation::Written(spelling) => {
                vec![Output::Bytes(spelled(frame, *spelling))]
            }
            Operation::ByteByByte => {
                let bytes = plain.chunks(1).map(<[u8]>::to_vec);
                bytes.map(Output::Bytes).collect()
            }
            operation => {
                let changed = changed(operation, part.text.as_ref(), frame, plain);
                vec![changed.map_or_else(write, Output::Bytes)]
            }
        }
    }

    /// Other frames as lines; `plain` is the line of the frame itself.
    pub(super) fn others(
        &self,
        Frames(templates): &Frames,
        frame: &Value,
        plain: Option<&[u8]>,
    ) -> Vec<Output> {
        let is_named = self.naming
            == FrameNaming::JsonRpc {
                is_version_optional: false,
            };
        let versioned = |mut frame: Value| {
            if let (true, Some(members)) = (is_named, frame.as_object_mut())
                && !members.contains_key("jsonrpc")
            {
                members.shift_insert(0, "jsonrpc".to_owned(), "2.0".into());
            }
            frame
        };
        let lines = templates
            .iter()
            .map(|template| match (template.as_str(), plain) {
                (Some(_), Some(plain)) => plain.to_vec(),
                _ => line(&match self.memory.references.filled(template, frame) {
                    Value::Array(batch) => batch.into_iter().map(versioned).collect(),
                    one => versioned(one),
                }),
            });
        lines.map(Output::Bytes).collect()
    }
}

/// Two frames with half of the text each; `None` if there are no two characters to split.
fn split(frame: &Value, at: &Pointer) -> Option<Vec<Output>> {
    let text = at.first(frame)?.as_str()?;
    let middle = text.char_indices().nth(text.chars().count() / 2)?.0;
    let (first, second) = text.split_at(middle);
    (middle > 0).then(|| {
        let half = |text: &str| {
            let mut frame = frame.clone();
            for place in at.places(&frame) {
                if let Some(part) = frame.pointer_mut(&place) {
                    *part = text.into();
                }
            }
            Output::Bytes(line(&frame))
        };
        vec![half(first), half(second)]
    })
}
