//! What a fault makes of a sequence of frames.

use frame_faults::{FaultPlayer, FaultTable, KindPointers, NestedKinds, Output};
use frame_language::Pointer;
use serde_json::Value;

fn player(fault: &str, from: Option<u32>) -> FaultPlayer {
    let frames = "frames: { some: { on: 'a{/id absent}' } }";
    let file = format!("{frames}\nfaults: {{ u: {{ summary: u, on: some, drop: }}, x: {fault} }}");
    let nested = NestedKinds::from([("a".to_owned(), Pointer::parse("/data/kind").unwrap())]);
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
    let cases = spanned_yaml::load_yaml("player.yaml", include_str!("player.yaml")).unwrap();
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
fn commands_are_changed_from_the_start() {
    let mut player = player("{ summary: x, on: '>go', remove: [/n] }", None);

    let mut passed = |line: &[u8]| player.command_line(line).0.unwrap_or_default();
    let stop = b"{\"type\":\"stop\",\"n\":1}\n";
    assert_eq!(passed(stop), stop);
    assert_eq!(
        passed(b"{\"type\":\"go\",\"n\":1}\n"),
        b"{\"type\":\"go\"}\n"
    );
    assert_eq!(
        player.take_log_entry().as_deref(),
        Some("fault x played at line 1")
    );
}
