//! Mistakes in fault files: each is one error, at its place, that states what to write instead.

use frame_faults::{FaultTable, KnownNames, NestedKinds};

/// The errors of one file, each with its place.
fn errors(text: &str) -> Vec<String> {
    match FaultTable::load(&[("f.yaml".into(), text.into())], NestedKinds::new()) {
        Ok(table) => table.check(&known()).iter().map(|e| e.headline()).collect(),
        Err(errors) => errors.iter().map(|e| e.headline()).collect(),
    }
}

fn known() -> KnownNames {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    KnownNames {
        rules: names(&["turn-ends", "word-in-turn"]),
        scenarios: names(&["turn/plain"]),
        events: names(&["word", "end"]),
        commands: names(&["say"]),
        behaviors: names(&["ignores-stop"]),
    }
}

/// The errors of a file with this one fault.
fn of_fault(fault: &str) -> Vec<String> {
    errors(&format!("faults:\n  x: {{ summary: x, {fault} }}\n"))
}

#[test]
fn each_mistake_in_a_fault_is_one_error() {
    let cases = [
        (
            "on: word, drp: ",
            "f.yaml:2:30: unknown key `drp`; did you mean `drop`?",
        ),
        (
            "on: word",
            "f.yaml:2:3: nothing goes wrong: add an operation such as `drop:`, `twice:` or `set: { /member: value }`",
        ),
        (
            "on: word, drop: , twice: ",
            "f.yaml:2:38: `drop` and `twice` are two operations: a fault has one; make two faults of them",
        ),
        ("on: word, drop: 1", "f.yaml:2:36: `drop` takes no value"),
        ("drop: ", "f.yaml:2:3: `on` is missing: name the event"),
        (
            "on: word, where: { a: 1 }",
            "f.yaml:2:30: `where` does nothing alone: add an operation such as `set: { /member: value }` or `after`",
        ),
        (
            "on: word, set: { text: 1 }",
            "f.yaml:2:37: a place is a JSON Pointer: write `/text`",
        ),
        (
            "on: 'word{/n = $count}', drop: ",
            "f.yaml:2:24: `$count` is state of a session: a condition here is about one frame, such as `/a = b` (at `$count}`, character 11)",
        ),
        (
            "on: 'word{/n > }', drop: ",
            "f.yaml:2:24: a value was expected here",
        ),
        (
            "on: word | >say, drop: ",
            "f.yaml:2:24: a fault is played on events or on commands: make two faults of them",
        ),
        (
            "on: word, replace: { /t: { '(': x } }",
            "f.yaml:2:47: not a regular expression: unclosed group",
        ),
        (
            "on: word, retype: { /t: txt }",
            "f.yaml:2:44: unknown word `txt`",
        ),
        (
            "on: word, drop: , also: [{ on: end, nest: 7 }]",
            "f.yaml:2:56: unknown key `nest`",
        ),
        (
            "on: word, raw_in_brace: { repeat: x, times: 99999999999 }",
            "f.yaml:2:44: the repeated texts of a file have at most 67108864 bytes",
        ),
        (
            "on: word, before: word",
            "f.yaml:2:38: expected a frame, which is a map, or a list of frames",
        ),
        (
            "on: word, raw_before: { hex: zz }",
            "f.yaml:2:42: \"zz\" is not bytes such as `f0 9f`",
        ),
        (
            "on: word, raw_in_text: x",
            "f.yaml:2:6: `text` is missing: the place of a text in the frame, such as `text: /message`",
        ),
        (
            "on: '>say', twice: ",
            "f.yaml:2:32: `twice` is for events: a command can be edited, as with `set` or `remove`, dropped, or answered with `reply` or `instead`",
        ),
        (
            "on: '#options', drop: ",
            "f.yaml:2:36: `drop` is for events: an option or a request can only be edited, as with `set` or `remove`",
        ),
        (
            "on: word, reply: { type: word }",
            "f.yaml:2:30: `reply` is for commands: use `before` or `after` for a frame that comes with an event",
        ),
        (
            "on: word, after: [[word]]",
            "f.yaml:2:37: expected a frame, which is a map, or a list of frames",
        ),
        (
            "on: word, after: { id: '$[wrd]/id' }",
            "f.yaml:2:6: unknown event `wrd`",
        ),
        (
            "on: word, common: nul-bite",
            "f.yaml:2:38: unknown common fault `nul-bite`; did you mean `nul-byte`?",
        ),
        ("on: word | wrd, drop: ", "f.yaml:2:24: unknown event `wrd`"),
        (
            "on: word, behavior: ignores-stop",
            "f.yaml:2:24: a behavior is played by the agent itself: leave out `on`",
        ),
        (
            "on: wrod, drop: ",
            "f.yaml:2:24: unknown event `wrod`; did you mean `word`?",
        ),
        (
            "on: '>sya', set: { /a: 1 }",
            "f.yaml:2:24: unknown command `sya`; did you mean `say`? (only `say` is known)",
        ),
        (
            "on: word, late: ned",
            "f.yaml:2:36: unknown event `ned`; did you mean `end`? (one of word, end)",
        ),
        (
            "on: word, drop: , caught_by: [turn-end]",
            "f.yaml:2:50: unknown rule `turn-end`; did you mean `turn-ends`?",
        ),
        (
            "on: word, drop: , caught_by: ['scenario:turn/plan']",
            "f.yaml:2:50: unknown scenario `turn/plan`; did you mean `turn/plain`?",
        ),
        (
            "on: word, drop: , caught_by: [$ends]",
            "f.yaml:2:50: unknown list of rules `ends`",
        ),
        (
            "behavior: ignores-stops",
            "f.yaml:2:30: unknown behavior `ignores-stops`; did you mean `ignores-stop`?",
        ),
    ];
    for (fault, expected) in cases {
        let errors = of_fault(fault);
        assert_eq!(errors.len(), 1, "{fault}: {errors:?}");
        assert!(errors[0].starts_with(expected), "{fault}:\n{}", errors[0]);
    }
}

#[test]
fn each_mistake_in_a_file_is_one_error() {
    let cases = [
        (
            "faults:\n  x: { on: word, drop: }\n",
            "f.yaml:2:3: `summary` is missing: say in one line what goes wrong",
        ),
        (
            "faults:\n  x: { summary: x, on: word, drop: }\n  x: { summary: x, on: word, twice: }\n",
            "f.yaml:3:3: the key `x` is here twice: keep one of them, or rename one",
        ),
        (
            "rules: { ends: [turn-ends] }\nfaults: {}\n",
            "f.yaml:1:10: no fault uses `$ends`: remove it",
        ),
        (
            "frames: { end: { on: end } }\nfaults: {}\n",
            "f.yaml:1:11: no fault uses `end`: remove it",
        ),
        (
            "frames: { a: { on: wrod } }\nfaults: { x: { summary: x, on: a, drop: } }\n",
            "f.yaml:1:20: unknown event `wrod`",
        ),
        (
            "remove: [y]\nfaults: {}\n",
            "f.yaml:1:10: unknown inherited fault `y`",
        ),
        (
            "caught_by: { y: [turn-ends] }\nfaults: {}\n",
            "f.yaml:1:14: unknown inherited fault `y`",
        ),
        (
            "rules: { a: [$a] }\nfaults: { x: { summary: x, on: word, drop: , caught_by: [$a] } }\n",
            "f.yaml:1:14: the list `a` contains itself",
        ),
        (
            "fault: {}\n",
            "f.yaml:1:1: unknown key `fault`; did you mean `faults`?",
        ),
    ];
    for (text, expected) in cases {
        let errors = errors(text);
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        assert!(errors[0].starts_with(expected), "{text}:\n{}", errors[0]);
    }
}

#[test]
fn a_newer_version_replaces_what_it_names() {
    let base = "rules: { ends: [turn-ends] }
frames: { w: { on: 'word{/n = 1}' } }
faults:
  a: { summary: a, on: w, drop: , caught_by: [$ends] }
  b: { summary: b, on: end, drop: , caught_by: [turn-ends] }
  c: { summary: c, on: end, drop: , caught_by: [turn-ends] }
  d: { summary: d, on: end, drop: }
";
    let delta = "rules: { ends: [word-in-turn] }
remove: [d]
caught_by: { b: [word-in-turn, turn-ends] }
faults:
  e: { summary: e, on: word, twice: }
  c: { summary: new, on: word, twice: , caught_by: [turn-ends] }
";
    let files = [
        ("1/a.yaml".into(), base.into()),
        ("2/b.yaml".into(), delta.into()),
    ];
    let table = FaultTable::load(&files, NestedKinds::new()).unwrap();
    let shown = table.faults();
    let shown: Vec<_> = shown
        .map(|fault| {
            format!(
                "{} {} {}",
                fault.id,
                fault.summary,
                fault.caught_by.join(",")
            )
        })
        .collect();

    assert_eq!(
        shown,
        [
            "e e ",
            "c new turn-ends",
            "a a word-in-turn",
            "b b word-in-turn,turn-ends"
        ]
    );
}

#[test]
fn the_two_files_of_a_version_share_the_names_of_frames() {
    let frames = "frames:\n  ends: { on: end }\n";
    let fault = "faults:\n  x: { summary: x, on: ends, drop: }\n";
    let load = |faults: &str, variants: &str| {
        let faults = (faults.into(), format!("{frames}{fault}"));
        FaultTable::load(
            &[faults, (variants.into(), frames.into())],
            NestedKinds::new(),
        )
    };
    let errors = load("1/faults.yaml", "1/variants.yaml").unwrap_err();
    let told: Vec<_> = errors.iter().map(|error| error.headline()).collect();
    assert_eq!(
        told,
        ["1/variants.yaml:2:3: 1/faults.yaml already defines `ends`"]
    );
    assert!(load("1/faults.yaml", "2/faults.yaml").is_ok());
}
