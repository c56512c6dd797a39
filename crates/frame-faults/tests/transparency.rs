//! A fault that is not active, and one that is played on other frames, changes no byte.

use frame_faults::{FaultPlayer, FaultTable, KindPointers, NestedKinds, Output};
use proptest::prelude::*;

/// A fault with each operation on frames.
const OPERATIONS: &[&str] = &[
    "drop: ",
    "twice: ",
    "again: ",
    "before: { type: b }",
    "after: { type: b }",
    "late: any",
    "until: any",
    "delay_ms: 1",
    "silence: ",
    "exit: 1",
    "kill: kill",
    "half_then_exit: 1",
    "byte_by_byte: ",
    "raw_before: x",
    "raw_in_text: x, text: /text",
    "raw_in_brace: ' '",
    "raw_in_middle: x",
    "line_end: ''",
    "set: { /text: c }",
    "remove: [/text]",
    "cumulate: { /text: null }",
];

fn player(on: &str, operation: &str, from: u32) -> FaultPlayer {
    let fault = format!("{{ summary: x, on: {on:?}, {operation}, every: true }}");
    let file = format!("faults:\n  x: {fault}\n");
    let table = FaultTable::load(&[("faults.yaml".into(), file)], NestedKinds::new()).unwrap();
    let kinds = KindPointers {
        events: "/type".into(),
        commands: "/type".into(),
    };
    FaultPlayer::new(table.find("x").unwrap().clone(), kinds, Some(from))
}

#[test]
fn a_fault_has_no_effect_before_its_turn() {
    let line = b"{\"type\":\"a\",\"text\":\"b\"}\n".as_slice();
    let unchanged = [Output::Bytes(line.to_vec())];
    for operation in OPERATIONS {
        let mut player = player("any", operation, 2);
        for _ in 0..2 {
            assert_eq!(player.event_line(line), unchanged, "{operation}");
            assert_eq!(player.event_line(line), unchanged, "{operation}");
            player.start_turn();
        }
        assert_eq!(player.take_log_entry(), None, "{operation}");
        let both = [player.event_line(line), player.event_line(line)].concat();
        let is_as_before = both == [unchanged.clone(), unchanged.clone()].concat();
        assert!(!is_as_before || !player.end().is_empty(), "{operation}");
    }
}

#[test]
fn a_fault_of_commands_and_options_has_no_effect_before_its_turn() {
    let line = b"{\"type\":\"a\",\"text\":\"b\"}\n".as_slice();
    let mut commands = player(">any", "remove: [/text]", 1);
    assert_eq!(
        commands.command_line(line),
        (Some(line.to_vec()), Vec::new())
    );
    commands.start_turn();
    assert_ne!(commands.command_line(line).0, Some(line.to_vec()));

    let mut options = player("#options", "remove: [/text]", 1);
    let mut map = serde_json::json!({ "text": "b" });
    assert!(!options.internal("#options", &mut map));
    options.start_turn();
    assert!(options.internal("#options", &mut map));
    assert!(!options.internal("@request", &mut map));
}

proptest! {
    #[test]
    fn lines_pass_byte_for_byte(lines in prop::collection::vec(any::<Vec<u8>>(), 0..8)) {
        let inactive = player("any", "drop: ", 2);
        let others = player("no_such_event", "drop: ", 0);
        let edits = player("a", "remove: [/n]", 0);
        for mut player in [inactive, others, edits] {
            player.start_turn();
            for line in &lines {
                prop_assert_eq!(player.event_line(line), [Output::Bytes(line.clone())]);
                prop_assert_eq!(player.command_line(line).0, Some(line.to_vec()));
            }
            prop_assert_eq!(player.take_log_entry(), None);
        }
    }

    #[test]
    fn frames_pass_as_they_are_written(text in ".*", number in any::<i64>()) {
        let line = format!("{{ \"type\" : \"a\", \"t\": {}, \"n\": {number}.50 }}\n", serde_json::json!(text));
        let mut player = player("b", "drop: ", 0);
        prop_assert_eq!(player.event_line(line.as_bytes()), [Output::Bytes(line.clone().into_bytes())]);
    }
}
