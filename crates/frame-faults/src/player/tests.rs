//! What a fault makes of a sequence of frames.

use super::*;
use crate::condition::FrameSelector;
use crate::edit::{Edit, Edits, Places};
use crate::file::ShownAt;
use crate::pointer::Pointer;
use serde_json::json;
use spanned_yaml::Spanned;

fn player(operation: Operation, every: bool) -> FaultPlayer {
    let fault = Fault {
        id: "x".into(),
        summary: "x".into(),
        caught_by: Vec::new(),
        shown_at: ShownAt::Line,
        active_from: ActiveFrom::Start,
        effect: Effect::Events(vec![EventFault {
            on: on("a"),
            every,
            operation,
            text: None,
            wait: Duration::ZERO,
        }]),
    };
    FaultPlayer::new(fault, kinds(), None)
}

fn on(kind: &str) -> FrameSelector {
    FrameSelector {
        kind: Some(kind.to_owned()),
        conditions: Vec::new(),
    }
}

fn kinds() -> KindPointers {
    KindPointers {
        events: "/type".into(),
        commands: "/type".into(),
    }
}

fn shown(outputs: Vec<Output>) -> String {
    let shown = outputs.into_iter().map(|output| match output {
        Output::Bytes(bytes) => String::from_utf8(bytes).unwrap(),
        other => format!("<{other:?}>"),
    });
    shown.collect()
}

fn passed(operation: Operation, every: bool, frames: &[Value]) -> String {
    let mut player = player(operation, every);
    frames
        .iter()
        .map(|frame| shown(player.event_line(&line(frame))))
        .collect()
}

fn a(n: u32) -> Value {
    json!({ "type": "a", "n": n })
}

fn b() -> Value {
    json!({ "type": "b" })
}

fn pointer(text: &str) -> Pointer {
    Pointer::parse(text).unwrap()
}

fn kind(kind: &str) -> Spanned<String> {
    Spanned {
        value: kind.to_owned(),
        ..Spanned::default()
    }
}

fn late(after: &str) -> Operation {
    Operation::Late(kind(after))
}

fn remove(at: &str) -> Edits {
    Edit::Remove(vec![pointer(at)]).into()
}

#[test]
fn only_the_first_frame_of_the_kind_is_changed_unless_all_are() {
    let frames = [b(), a(1), a(2)];
    let plain = "{\"type\":\"b\"}\n";

    let once = passed(Operation::Edit(remove("/n")), false, &frames);
    assert_eq!(once, format!("{plain}{{\"type\":\"a\"}}\n{}\n", a(2)));
    let all = passed(Operation::Drop, true, &frames);
    assert_eq!(all, plain);
}

#[test]
fn a_late_frame_is_written_after_the_one_that_releases_it() {
    let frames = [a(1), a(2), b(), a(3)];

    assert_eq!(
        passed(late("b"), false, &frames),
        format!("{}\n{}\n{}\n{}\n", a(2), b(), a(1), a(3))
    );
    assert_eq!(
        passed(late("*"), false, &frames[..2]),
        format!("{}\n{}\n", a(2), a(1))
    );
}

#[test]
fn a_frame_can_wait_until_another_is_written() {
    let frames = [a(1), json!({ "type": "c" }), a(2), b()];

    assert_eq!(
        passed(Operation::Until(kind("b")), true, &frames),
        format!("{{\"type\":\"c\"}}\n{}\n{}\n{}\n", a(1), a(2), b())
    );
}

#[test]
fn silence_drops_all_later_frames() {
    let frames = [b(), a(1), b()];

    assert_eq!(
        passed(Operation::Silence, false, &frames),
        "{\"type\":\"b\"}\n"
    );
}

#[test]
fn the_process_exits_after_half_a_line() {
    assert_eq!(
        passed(Operation::HalfThenExit(3), false, &[json!({ "type": "a" })]),
        "{\"type<Exit(3)>"
    );
}

#[test]
fn texts_add_up_within_a_turn() {
    let said = |turn: &str, text: &str| json!({ "type": "a", "msg_id": turn, "text": text });
    let frames = [said("m", "x"), said("m", "y"), said("n", "z")];
    let places = Places::from_iter([(pointer("/text"), Some(pointer("/msg_id")))]);
    let cumulate = Edit::Cumulate(places);

    assert_eq!(
        passed(Operation::Edit(cumulate.into()), true, &frames),
        format!(
            "{}\n{}\n{}\n",
            said("m", "x"),
            said("m", "xy"),
            said("n", "z")
        )
    );
}

#[test]
fn the_log_names_the_first_line_that_is_affected() {
    let mut player = player(Operation::Twice, false);

    player.event_line(&line(&b()));
    assert_eq!(player.take_log_entry(), None);
    player.event_line(&line(&a(1)));
    assert_eq!(
        player.take_log_entry().as_deref(),
        Some("fault x played at line 3")
    );
    player.event_line(&line(&a(2)));
    assert_eq!(player.take_log_entry(), None);
}

#[test]
fn a_fault_is_active_from_its_turn_on() {
    let mut player = player(Operation::Drop, true);
    player.from = 2;

    player.start_turn();
    assert_eq!(player.event_line(&line(&a(1))).len(), 1);
    player.start_turn();
    assert_eq!(player.event_line(&line(&a(2))), []);
}

#[test]
fn lines_that_the_fault_leaves_alone_stay_as_they_are() {
    let mut player = player(Operation::Edit(remove("/n")), true);
    let lines: [&[u8]; 4] = [
        b"{ \"type\" : \"b\" }\r\n",
        b"no json\n",
        b"\xff\n",
        b"{\"type\":\"a\"}",
    ];

    for line in lines {
        assert_eq!(player.event_line(line), [Output::Bytes(line.to_vec())]);
    }
    assert_eq!(
        player.event_line(b"{ \"type\": \"a\", \"n\": 1 }\n"),
        [Output::Bytes(b"{\"type\":\"a\"}\n".to_vec())]
    );
}

#[test]
fn commands_are_changed_from_the_start() {
    let fault = Fault {
        effect: Effect::Commands(on("go"), remove("/n")),
        ..player(Operation::Drop, true).fault.unwrap()
    };
    let mut player = FaultPlayer::new(fault, kinds(), None);

    assert_eq!(player.command_line(b"{\"type\":\"stop\",\"n\":1}\n"), None);
    assert_eq!(
        player.command_line(b"{\"type\":\"go\",\"n\":1}\n"),
        Some(b"{\"type\":\"go\"}\n".to_vec())
    );
    assert_eq!(
        player.take_log_entry().as_deref(),
        Some("fault x played at line 1")
    );
}
