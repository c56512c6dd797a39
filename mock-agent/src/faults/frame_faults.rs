//! Applies a fault to the frames that are sent, and turns frames into lines.

use super::frame_op::{FrameFault, Op};
use super::patch::{each, from_template, remove, set};
use crate::os::stdout::OutboxItem;
use serde_json::{Value, json};
use std::time::Duration;

/// The state that frame faults keep between frames.
#[derive(Debug, Default)]
pub(super) struct FrameChanger {
    /// How many frames have matched.
    matched: u32,
    silent: bool,
    held: Vec<Held>,
    /// The texts so far, and the value for which they were collected.
    text: (Option<Value>, String),
}

/// A line that is held back.
#[derive(Debug)]
struct Held {
    line: Vec<u8>,
    /// The kind of frame that releases it; any if empty.
    released_by: &'static str,
    /// Whether it is written before that frame, or after it.
    before: bool,
}

impl FrameChanger {
    /// Writes a frame. If the fault changes it, returns how many of the lines come before the first wrong one.
    pub(super) fn write(
        &mut self,
        fault: Option<&FrameFault>,
        kind_pointer: &str,
        frame: Value,
        write: &mut dyn FnMut(OutboxItem),
    ) -> Option<u64> {
        if self.silent {
            return Some(0);
        }
        let kind = frame.pointer(kind_pointer).and_then(Value::as_str);
        let kind = kind.unwrap_or_default().to_owned();
        let matching = fault
            .filter(|fault| fault.matches(&kind, &frame) && (fault.every || self.matched == 0));
        if let Some(fault) = matching {
            self.matched += 1;
            let plain = line(&frame);
            let items = self.apply(fault.op, frame);
            let unchanged = unchanged_lines(&items, &plain);
            items.into_iter().for_each(write);
            return unchanged;
        }
        self.release(&kind, true, write);
        write(OutboxItem::Bytes(line(&frame)));
        self.release(&kind, false, write);
        None
    }

    /// Writes the held lines that a frame of this kind releases.
    fn release(&mut self, kind: &str, before: bool, write: &mut dyn FnMut(OutboxItem)) {
        let (released, held) = std::mem::take(&mut self.held)
            .into_iter()
            .partition(|held| {
                held.before == before && (held.released_by.is_empty() || held.released_by == kind)
            });
        self.held = held;
        for held in Vec::<Held>::into_iter(released) {
            write(OutboxItem::Bytes(held.line));
        }
    }

    /// What is written instead of a frame.
    fn apply(&mut self, op: Op, mut frame: Value) -> Vec<OutboxItem> {
        let plain = line(&frame);
        let lines = match op {
            Op::Drop => vec![],
            Op::Twice => vec![plain.clone(), plain],
            Op::Set(pointer, json) => {
                set(&mut frame, pointer, json);
                vec![line(&frame)]
            }
            Op::Remove(pointer) => {
                remove(&mut frame, pointer);
                vec![line(&frame)]
            }
            Op::SetIn(of, pointer, json) => {
                each(&mut frame, of, &mut |object| set(object, pointer, json));
                vec![line(&frame)]
            }
            Op::RemoveIn(of, pointer) => {
                each(&mut frame, of, &mut |object| remove(object, pointer));
                vec![line(&frame)]
            }
            Op::Change(change) => {
                change(&mut frame);
                vec![line(&frame)]
            }
            Op::Before(json) => vec![line(&from_template(json, &frame)), plain],
            Op::After(json) => vec![plain, line(&from_template(json, &frame))],
            Op::FramesAfter(more) => {
                let more = more.iter().map(|json| line(&from_template(json, &frame)));
                std::iter::once(plain).chain(more).collect()
            }
            Op::RawBefore(raw) => vec![[raw, &plain].concat()],
            Op::RawAfter(raw) => vec![[&plain, raw].concat()],
            Op::Line(change) => {
                let mut bytes = plain;
                change(&mut bytes);
                vec![bytes]
            }
            Op::Cumulate(group, pointer) => {
                self.cumulate(&mut frame, group, pointer);
                vec![line(&frame)]
            }
            Op::Late(released_by) => {
                self.hold(plain, released_by, false);
                vec![]
            }
            Op::Until(released_by) => {
                self.hold(plain, released_by, true);
                vec![]
            }
            Op::AfterWhile(millis, json) => {
                let after = line(&from_template(json, &frame));
                let wait = OutboxItem::Wait(Duration::from_millis(millis));
                return vec![OutboxItem::Bytes(plain), wait, OutboxItem::Bytes(after)];
            }
            Op::Silence => {
                self.silent = true;
                vec![]
            }
            Op::Trickle => plain.chunks(1).map(<[u8]>::to_vec).collect(),
            Op::Exit(code) => return vec![OutboxItem::Exit(code)],
            Op::Kill(signal) => return vec![OutboxItem::Kill(signal)],
            Op::HalfAndExit(code) => {
                let half = plain[..plain.len() / 2].to_vec();
                return vec![OutboxItem::Bytes(half), OutboxItem::Exit(code)];
            }
            Op::Delay(millis) => {
                return vec![
                    OutboxItem::Wait(Duration::from_millis(millis)),
                    OutboxItem::Bytes(plain),
                ];
            }
        };
        lines.into_iter().map(OutboxItem::Bytes).collect()
    }

    fn hold(&mut self, line: Vec<u8>, released_by: &'static str, before: bool) {
        self.held.push(Held {
            line,
            released_by,
            before,
        });
    }

    /// Puts all earlier texts of the group before the frame's text.
    fn cumulate(&mut self, frame: &mut Value, group: Option<&str>, pointer: &str) {
        let group = group.and_then(|group| frame.pointer(group)).cloned();
        if self.text.0 != group {
            self.text = (group, String::new());
        }
        if let Some(text) = frame.pointer_mut(pointer) {
            self.text.1.push_str(text.as_str().unwrap_or_default());
            *text = json!(self.text.1);
        }
    }
}

/// How many lines come before the first wrong one; `None` if all are right.
fn unchanged_lines(items: &[OutboxItem], plain: &[u8]) -> Option<u64> {
    match items {
        [OutboxItem::Bytes(only)] if only == plain => None,
        [OutboxItem::Bytes(first), ..] if first.starts_with(plain) => Some(1),
        _ => Some(0),
    }
}

/// A frame as a line. U+2028 and U+2029 are escaped: some readers take them for the end of a line.
fn line(frame: &Value) -> Vec<u8> {
    let mut text = frame.to_string();
    for (raw, escaped) in [('\u{2028}', "\\u2028"), ('\u{2029}', "\\u2029")] {
        if text.contains(raw) {
            text = text.replace(raw, escaped);
        }
    }
    text.push('\n');
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::super::fault::{FaultEffect, frame};
    use super::*;

    fn passed(op: Op, every: bool, frames: &[Value]) -> String {
        let fault = frame("x", "", "a", op);
        let fault = if every { fault.every() } else { fault };
        let FaultEffect::Frames(fault) = fault.effect else {
            unreachable!()
        };
        let mut changer = FrameChanger::default();
        let mut out = String::new();
        for frame in frames {
            changer.write(
                Some(&fault),
                "/type",
                frame.clone(),
                &mut |piece| match piece {
                    OutboxItem::Bytes(bytes) => out.push_str(&String::from_utf8(bytes).unwrap()),
                    other => out.push_str(&format!("<{other:?}>")),
                },
            );
        }
        out
    }

    fn a(n: u32) -> Value {
        json!({ "type": "a", "n": n })
    }

    fn b() -> Value {
        json!({ "type": "b" })
    }

    #[test]
    fn only_the_first_frame_of_the_kind_is_changed_unless_all_are() {
        let frames = [b(), a(1), a(2)];
        let plain = "{\"type\":\"b\"}\n";

        let once = passed(Op::Remove("/n"), false, &frames);
        assert_eq!(once, format!("{plain}{{\"type\":\"a\"}}\n{}\n", a(2)));
        let all = passed(Op::Drop, true, &frames);
        assert_eq!(all, plain);
    }

    #[test]
    fn a_late_frame_is_written_after_the_one_that_releases_it() {
        let frames = [a(1), a(2), b(), a(3)];

        assert_eq!(
            passed(Op::Late("b"), false, &frames),
            format!("{}\n{}\n{}\n{}\n", a(2), b(), a(1), a(3))
        );
        assert_eq!(
            passed(Op::Late(""), false, &frames[..2]),
            format!("{}\n{}\n", a(2), a(1))
        );
    }

    #[test]
    fn a_frame_can_wait_until_another_is_written() {
        let frames = [a(1), json!({ "type": "c" }), a(2), b()];

        assert_eq!(
            passed(Op::Until("b"), true, &frames),
            format!("{{\"type\":\"c\"}}\n{}\n{}\n{}\n", a(1), a(2), b())
        );
    }

    #[test]
    fn line_separators_are_escaped() {
        let text = json!({ "type": "t", "text": "a\u{2028}b\u{2029}" });

        assert_eq!(
            passed(Op::Drop, false, &[text]),
            "{\"type\":\"t\",\"text\":\"a\\u2028b\\u2029\"}\n"
        );
    }

    #[test]
    fn silence_drops_all_later_frames() {
        assert_eq!(
            passed(Op::Silence, false, &[b(), a(1), b()]),
            "{\"type\":\"b\"}\n"
        );
    }

    #[test]
    fn the_process_exits_after_half_a_line() {
        assert_eq!(
            passed(Op::HalfAndExit(3), false, &[json!({ "type": "a" })]),
            "{\"type<Exit(3)>"
        );
    }

    #[test]
    fn texts_add_up_within_a_turn() {
        let said = |turn: &str, text: &str| json!({ "type": "a", "msg_id": turn, "text": text });
        let frames = [said("m", "x"), said("m", "y"), said("n", "z")];

        assert_eq!(
            passed(Op::Cumulate(Some("/msg_id"), "/text"), true, &frames),
            format!(
                "{}\n{}\n{}\n",
                said("m", "x"),
                said("m", "xy"),
                said("n", "z")
            )
        );
    }
}
