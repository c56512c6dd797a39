//! Generic faults: what they change, and how they are named.

use frame_faults::{
    FaultPlayer, KindPointers, NestedKinds, Output, SampleFrames, generic_fault, generic_faults,
    parse_entry,
};
use serde_json::json;

const LINES: [&str; 3] = [
    "{\"type\":\"begin\",\"id\":\"a\"}\n",
    "{\"type\":\"word\",\"id\":\"a\",\"text\":\"x\"}\n",
    "{\"type\":\"end\",\"id\":\"a\"}\n",
];

/// What comes out, and the entry of the log.
fn played(id: &str) -> (String, String) {
    let kinds = KindPointers {
        events: "/type".into(),
        commands: "/type".into(),
    };
    let mut player = FaultPlayer::new(generic_fault(id, NestedKinds::new()).unwrap(), kinds, None);
    let (mut outputs, mut log) = (Vec::new(), String::new());
    for line in LINES {
        outputs.extend(player.event_line(line.as_bytes()));
        let entry = player.take_log_entry();
        log.extend(entry.filter(|entry| parse_entry(entry).is_some()));
    }
    outputs.extend(player.end());
    let bytes = outputs.into_iter().flat_map(|output| match output {
        Output::Bytes(bytes) => bytes,
        other => panic!("{other:?}"),
    });
    (String::from_utf8(bytes.collect()).unwrap(), log)
}

#[test]
fn each_operation_changes_the_first_frame_of_its_kind() {
    let [begin, word, end] = LINES;
    for (id, expected, line) in [
        ("drop:word", format!("{begin}{end}"), 2),
        ("double:word", format!("{begin}{word}{word}{end}"), 3),
        ("swap:word", format!("{begin}{end}{word}"), 2),
        ("swap:end", format!("{begin}{word}{end}"), 0),
        ("late:end", format!("{begin}{word}{end}"), 0),
        ("late:begin", format!("{word}{end}{begin}"), 1),
        ("after-end:begin", format!("{begin}{word}{end}{begin}"), 2),
        (
            "retype:word:/text",
            format!("{begin}{}{end}", word.replace("\"x\"", "7")),
            2,
        ),
        (
            "changed:word:/text",
            format!("{begin}{}{end}", word.replace("\"x\"", "\"xx\"")),
            2,
        ),
        (
            "emptied:word:/text",
            format!("{begin}{}{end}", word.replace("\"x\"", "\"\"")),
            2,
        ),
        (
            "elsewhere:end:/id",
            format!("{begin}{word}{}", end.replace("\"a\"", "\"a-elsewhere\"")),
            3,
        ),
        ("drop:none", LINES.concat(), 0),
        ("retype:word:/none", LINES.concat(), 0),
    ] {
        let log = match line {
            0 => String::new(),
            line => format!("fault {id} played at line {line}"),
        };
        assert_eq!(played(id), (expected, log), "{id}");
    }
}

#[test]
fn a_torn_line_has_all_its_bytes_and_a_newline_more() {
    let (torn, _) = played("torn:word");

    assert_eq!(torn.replace('\n', ""), LINES.concat().replace('\n', ""));
    assert_eq!(torn.lines().count(), 4);
}

#[test]
fn the_faults_of_a_frame_are_named_by_what_they_change() {
    let mut samples = SampleFrames::default();
    samples.add("end", &json!({ "type": "end", "id": "a" }));
    samples.add(
        "end",
        &json!({ "type": "end", "usage": [{ "n": 1 }], "good": true }),
    );
    let faults = generic_faults(&samples);
    let ids: Vec<&str> = faults.iter().map(|fault| &*fault.id).collect();

    assert_eq!(
        ids,
        [
            "drop:end",
            "double:end",
            "swap:end",
            "late:end",
            "after-end:end",
            "torn:end",
            "elsewhere:end:/id",
            "retype:end:/type",
            "retype:end:/id",
            "retype:end:/usage",
            "retype:end:/usage/0/n",
            "retype:end:/good",
            "changed:end:/type",
            "changed:end:/id",
            "changed:end:/usage/0/n",
            "emptied:end:/type",
            "emptied:end:/id",
            "emptied:end:/usage",
            "cleared:end:/good",
        ]
    );
    for fault in faults {
        let again = generic_fault(&fault.id, NestedKinds::new()).unwrap();
        assert_eq!(again.summary, fault.summary);
    }
}

/// A frame with a nested kind is a kind of its own: its members are not expected in the others.
#[test]
fn the_samples_of_nested_kinds_stay_apart() {
    let mut samples = SampleFrames::default();
    let success = json!({ "type": "result", "subtype": "success", "text": "x" });
    samples.add("result.success", &success);
    let failure = json!({ "type": "result", "subtype": "failure", "errors": [] });
    samples.add("result.failure", &failure);
    let faults = generic_faults(&samples);
    let ids: Vec<&str> = faults.iter().map(|fault| &*fault.id).collect();
    assert!(ids.contains(&"retype:result.success:/text"), "{ids:?}");
    assert!(!ids.contains(&"retype:result.failure:/text"), "{ids:?}");
    let nested = NestedKinds::from([(
        "result".to_owned(),
        frame_language::Pointer::parse("/subtype").unwrap(),
    )]);
    let fault = generic_fault("drop:result.failure", nested).unwrap();
    assert!(fault.is_played_on("result", &failure));
    assert!(!fault.is_played_on("result", &success));
    assert!(samples.has("result") && samples.has("result.failure") && !samples.has("res"));
}
