//! A fault that is not active, and one that is played on other frames, changes no byte.

use frame_faults::{FaultPlayer, FaultTable, KindPointers, Output};
use proptest::prelude::*;

fn player(on: &str, from: u32) -> FaultPlayer {
    let file = format!("faults:\n  x: {{ summary: x, on: {on:?}, drop: , every: true }}\n");
    let table = FaultTable::load(&[("faults.yaml".into(), file)]).unwrap();
    let kinds = KindPointers {
        events: "/type".into(),
        commands: "/type".into(),
    };
    FaultPlayer::new(table.find("x").unwrap().clone(), kinds, Some(from))
}

proptest! {
    #[test]
    fn lines_pass_byte_for_byte(lines in prop::collection::vec(any::<Vec<u8>>(), 0..8)) {
        for mut player in [player("*", 2), player("no_such_event", 0)] {
            player.start_turn();
            for line in &lines {
                prop_assert_eq!(player.event_line(line), [Output::Bytes(line.clone())]);
                prop_assert_eq!(player.command_line(line), None);
            }
            prop_assert_eq!(player.take_log_entry(), None);
        }
    }

    #[test]
    fn frames_pass_as_they_are_written(text in ".*", number in any::<i64>()) {
        let line = format!("{{ \"type\" : \"a\", \"t\": {}, \"n\": {number}.50 }}\n", serde_json::json!(text));
        let mut player = player("b", 0);
        prop_assert_eq!(player.event_line(line.as_bytes()), [Output::Bytes(line.clone().into_bytes())]);
    }
}
