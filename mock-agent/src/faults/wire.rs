//! Frames on their way out.

use super::fault::{Frames, Op};
use super::patch::{each, made, remove, set};
use serde_json::{Value, json};
use std::time::Duration;

/// What is handed to the writer of standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Out {
    /// Bytes to write.
    Bytes(Vec<u8>),
    /// A time to wait.
    Wait(Duration),
    /// The process ends with this status, once what came before is written.
    Exit(i32),
    /// The process is killed by this signal.
    Kill(Death),
}

/// A signal that ends a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Death {
    Abort,
    Kill,
}

/// What the wire remembers between frames.
#[derive(Debug, Default)]
pub(super) struct Wire {
    /// How many frames the fault was about.
    met: u32,
    silent: bool,
    held: Vec<Held>,
    /// The turn that speaks, and its text so far.
    said: (Value, String),
}

/// A line that is held back.
#[derive(Debug)]
struct Held {
    line: Vec<u8>,
    /// The type of the frame that frees it; any if empty.
    freed_by: &'static str,
    /// Whether it comes before that frame, or behind it.
    before: bool,
}

impl Wire {
    /// Lets a frame pass. If it was tampered with, gives how many lines came before anything was wrong.
    pub(super) fn pass(
        &mut self,
        frames: Option<&Frames>,
        frame: Value,
        write: &mut dyn FnMut(Out),
    ) -> Option<u64> {
        if self.silent {
            return Some(0);
        }
        let kind = frame["type"].as_str().unwrap_or_default().to_owned();
        let fits = frames.filter(|frames| frames.fit(&frame) && (frames.every || self.met == 0));
        if let Some(frames) = fits {
            self.met += 1;
            let plain = line(&frame);
            let outs = self.tamper(frames.op, frame);
            let spoilt = spoilt_behind(&outs, &plain);
            outs.into_iter().for_each(write);
            return spoilt;
        }
        self.free(&kind, true, write);
        write(Out::Bytes(line(&frame)));
        self.free(&kind, false, write);
        None
    }

    /// Lets go of the lines that such a frame frees.
    fn free(&mut self, kind: &str, before: bool, write: &mut dyn FnMut(Out)) {
        let (freed, held) = std::mem::take(&mut self.held)
            .into_iter()
            .partition(|held| {
                held.before == before && (held.freed_by.is_empty() || held.freed_by == kind)
            });
        self.held = held;
        for held in Vec::<Held>::into_iter(freed) {
            write(Out::Bytes(held.line));
        }
    }

    /// What goes out in the place of a frame.
    fn tamper(&mut self, op: Op, mut frame: Value) -> Vec<Out> {
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
            Op::Before(json) => vec![line(&made(json, &frame)), plain],
            Op::After(json) => vec![plain, line(&made(json, &frame))],
            Op::Behind(more) => {
                let more = more.iter().map(|json| line(&made(json, &frame)));
                std::iter::once(plain).chain(more).collect()
            }
            Op::RawBefore(raw) => vec![[raw, &plain].concat()],
            Op::RawAfter(raw) => vec![[&plain, raw].concat()],
            Op::Line(change) => {
                let mut bytes = plain;
                change(&mut bytes);
                vec![bytes]
            }
            Op::Cumulate(pointer) => {
                self.cumulate(&mut frame, pointer);
                vec![line(&frame)]
            }
            Op::Late(freed_by) => {
                self.hold(plain, freed_by, false);
                vec![]
            }
            Op::Until(freed_by) => {
                self.hold(plain, freed_by, true);
                vec![]
            }
            Op::AfterWhile(millis, json) => {
                let after = line(&made(json, &frame));
                let wait = Out::Wait(Duration::from_millis(millis));
                return vec![Out::Bytes(plain), wait, Out::Bytes(after)];
            }
            Op::Silence => {
                self.silent = true;
                vec![]
            }
            Op::Trickle => plain.chunks(1).map(<[u8]>::to_vec).collect(),
            Op::Exit(code) => return vec![Out::Exit(code)],
            Op::Kill(signal) => return vec![Out::Kill(signal)],
            Op::HalfAndExit(code) => {
                let half = plain[..plain.len() / 2].to_vec();
                return vec![Out::Bytes(half), Out::Exit(code)];
            }
            Op::Delay(millis) => {
                return vec![Out::Wait(Duration::from_millis(millis)), Out::Bytes(plain)];
            }
        };
        lines.into_iter().map(Out::Bytes).collect()
    }

    fn hold(&mut self, line: Vec<u8>, freed_by: &'static str, before: bool) {
        self.held.push(Held {
            line,
            freed_by,
            before,
        });
    }

    /// Puts all that was said in the turn in front of the frame's text.
    fn cumulate(&mut self, frame: &mut Value, pointer: &str) {
        let turn = frame["msg_id"].clone();
        if self.said.0 != turn {
            self.said = (turn, String::new());
        }
        if let Some(text) = frame.pointer_mut(pointer) {
            self.said.1.push_str(text.as_str().unwrap_or_default());
            *text = json!(self.said.1);
        }
    }
}

/// How many lines of what goes out are as they should be before the first that is not; `None` if nothing is wrong.
fn spoilt_behind(outs: &[Out], plain: &[u8]) -> Option<u64> {
    match outs {
        [Out::Bytes(only)] if only == plain => None,
        [Out::Bytes(first), ..] if first.starts_with(plain) => Some(1),
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
    use super::super::fault::{Play, frame};
    use super::*;

    fn passed(op: Op, every: bool, frames: &[Value]) -> String {
        let fault = frame("x", "", "a", op);
        let fault = if every { fault.every() } else { fault };
        let Play::Frames(play) = fault.play else {
            unreachable!()
        };
        let mut wire = Wire::default();
        let mut out = String::new();
        for frame in frames {
            wire.pass(Some(&play), frame.clone(), &mut |piece| match piece {
                Out::Bytes(bytes) => out.push_str(&String::from_utf8(bytes).unwrap()),
                other => out.push_str(&format!("<{other:?}>")),
            });
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
    fn only_the_first_frame_of_the_type_is_touched_unless_every_one_is() {
        let frames = [b(), a(1), a(2)];
        let plain = "{\"type\":\"b\"}\n";

        let once = passed(Op::Remove("/n"), false, &frames);
        assert_eq!(once, format!("{plain}{{\"type\":\"a\"}}\n{}\n", a(2)));
        let all = passed(Op::Drop, true, &frames);
        assert_eq!(all, plain);
    }

    #[test]
    fn a_late_frame_comes_behind_the_one_it_waits_for() {
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
    fn a_frame_may_wait_until_another_is_due() {
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
    fn silence_swallows_all_that_follows() {
        assert_eq!(
            passed(Op::Silence, false, &[b(), a(1), b()]),
            "{\"type\":\"b\"}\n"
        );
    }

    #[test]
    fn half_a_line_is_the_last_thing() {
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
            passed(Op::Cumulate("/text"), true, &frames),
            format!(
                "{}\n{}\n{}\n",
                said("m", "x"),
                said("m", "xy"),
                said("n", "z")
            )
        );
    }
}
