//! What a fault makes of a sequence of frames.

use super::*;
use crate::{FaultTable, NestedKinds};
use frame_language::JsonPointer;

fn player(fault: &str, from: Option<u32>) -> FaultPlayer {
    let frames = "frames: { some: { on: 'a{/id absent}' } }";
    let file = format!("{frames}\nfaults: {{ u: {{ summary: u, on: some, drop: }}, x: {fault} }}");
    let nested = NestedKinds::from([("a".to_owned(), JsonPointer::new("/data/kind"))]);
    let table = FaultTable::load(&[("faults.yaml".into(), file)], nested).unwrap();
    let kinds = KindPointers {
        events: "/type".into(),
        commands: "/type".into(),
    };
    FaultPlayer::new(table.find("x").unwrap().clone(), kinds, from)
}

fn shown(output: Output) -> String {
    match output {
        Output::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        other => format!("<{other:?}>"),
    }
}

#[test]
fn each_fault_changes_what_it_says() {
    let cases = spanned_yaml::load_yaml("cases.yaml", include_str!("cases.yaml")).unwrap();
    for case in cases.to_value().as_array().unwrap() {
        let mut fault = case["fault"].clone();
        fault["summary"] = case["what"].clone();
        let lines = |list: &Value| -> Vec<String> {
            let lines = list.as_array().into_iter().flatten();
            lines
                .map(|line| line.as_str().unwrap().to_owned())
                .collect()
        };
        let (given, expected) = (lines(&case["in"]), case.get("out").unwrap_or(&case["in"]));
        let mut player = player(&fault.to_string(), Some(0));
        let mut outputs = Vec::new();
        for line in given {
            outputs.extend(player.event_line(format!("{line}\n").as_bytes()));
        }
        let written: String = outputs.into_iter().map(shown).collect();
        let written = written.strip_suffix('\n').unwrap_or(&written);
        let written: Vec<_> = written.split('\n').collect();
        assert_eq!(written, lines(expected), "{}", case["what"]);
    }
}

#[test]
fn bytes_that_are_not_a_frame_stay_as_they_are() {
    let mut player = player("{ summary: x, on: a, remove: [/n], every: true }", Some(0));
    for line in [b"\xff\n".as_slice(), b"{\"type\":\"a\"}"] {
        assert_eq!(player.event_line(line), [Output::Bytes(line.to_vec())]);
    }
}

#[test]
fn the_log_names_the_first_line_that_is_affected() {
    let mut player = player("{ summary: x, on: a, twice: }", Some(0));

    player.event_line(b"{\"type\":\"b\"}\n");
    assert_eq!(player.take_log_entry(), None);
    player.event_line(b"{\"type\":\"a\"}\n");
    let played = Some("fault x played at line 3");
    assert_eq!(player.take_log_entry().as_deref(), played);
    player.event_line(b"{\"type\":\"a\"}\n");
    assert_eq!(player.take_log_entry(), None);
}

#[test]
fn a_fault_is_active_from_its_turn_on() {
    let mut player = player("{ summary: x, on: a, drop: , every: true }", Some(2));

    for outputs in [1, 0] {
        player.start_turn();
        assert_eq!(player.event_line(b"{\"type\":\"a\"}\n").len(), outputs);
    }
}

#[test]
fn commands_are_changed_from_the_start() {
    let mut player = player("{ summary: x, on: '>go', remove: [/n] }", None);

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
