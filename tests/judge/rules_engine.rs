//! The rule engine with a small test dialect: every rule form, every principle.

use crate::history::frames;
use crate::toy_dialect::try_load;
use conform_judge::check::{CheckOptions, CheckOutcome, Checker};

fn check_with(ordering: &str, script: &str, context: CheckOptions) -> CheckOutcome {
    let dialect = try_load(ordering).unwrap();
    let mut checker = Checker::new(dialect, context);
    for frame in frames(script) {
        checker.push(&frame);
    }
    checker.finish()
}

/// `rule@frame` of every finding, for an agent started without flags.
fn check(ordering: &str, script: &str) -> Vec<String> {
    let context = CheckOptions {
        argv: Some(Vec::new()),
        ..CheckOptions::default()
    };
    let outcome = check_with(ordering, script, context);
    let short = outcome
        .findings
        .iter()
        .map(|f| format!("{}@{}", f.rule.trim_start_matches("toy/"), f.at));
    short.collect()
}

const TURN: &str = r#"
rules:
  turn: { doc: d, each: /id, order: begin word* end }
"#;

#[test]
fn an_order_is_checked_per_slice() {
    let good = r#"
< {"type":"begin","id":1}
< {"type":"begin","id":2}
< {"type":"word","id":1}
< {"type":"end","id":2}
< {"type":"end","id":1}
end 0
"#;
    assert!(check(TURN, good).is_empty());
    let bad = r#"
< {"type":"begin","id":1}
< {"type":"end","id":1}
< {"type":"word","id":1}
< {"type":"word","id":1}
< {"type":"word","id":2}
"#;
    assert_eq!(
        check(TURN, bad),
        ["turn@3", "turn@5"],
        "one finding per slice, no follow-ups"
    );
}

#[test]
fn an_incomplete_slice_counts_only_if_the_agent_had_the_chance_to_complete_it() {
    let started = r#"< {"type":"begin","id":1}"#;
    assert_eq!(check(TURN, &format!("{started}\nend 0")), ["turn@2"]);
    assert_eq!(
        check(TURN, &format!("{started}\nend killed budget:response")),
        ["turn@2"]
    );
    assert!(check(TURN, &format!("{started}\nend killed interrupted")).is_empty());
    assert!(check(TURN, &format!("{started}\nsignal SIGTERM\nend 0")).is_empty());
    assert!(check(TURN, &format!("{started}\nend open")).is_empty());
    assert!(check(TURN, started).is_empty());
}

#[test]
fn an_agent_that_exits_in_order_after_a_request_had_the_chance_to_finish() {
    let rule = |more: &str| {
        format!(
            "rules: {{ turn: {{ doc: d, each: /id, order: {{ expression: begin word* end{more} }} }} }}"
        )
    };
    let begin = r#"< {"type":"begin","id":1}"#;
    for request in ["stdin_closed", r#"> {"type":"quit"}"#] {
        let ends = |end: &str| format!("{begin}\n{request}\nend {end}");
        assert_eq!(check(&rule(""), &ends("0")), ["turn@3"], "{request}");
        assert!(check(&rule(""), &ends("1")).is_empty(), "{request}");
        let excused = [
            r##", unless: "#stdin_closed | >quit""##,
            ", at_end: never",
            ", timeout_if: /a present",
        ];
        for more in excused {
            assert!(check(&rule(more), &ends("0")).is_empty(), "{more}");
        }
    }
}

#[test]
fn a_broken_order_says_what_was_allowed_and_who_is_to_blame() {
    let rules = "rules: { r: { doc: d, order: \">go begin end\" } }";
    let outcome = check_with(
        rules,
        "> {\"type\":\"go\"}\n> {\"type\":\"go\"}",
        CheckOptions::default(),
    );
    let finding = &outcome.findings[0];
    assert_eq!(finding.blame, conform_judge::finding::Blame::Host);
    assert_eq!(finding.expected.len(), 1);
    assert_eq!(finding.expected[0].to_string(), "begin");
    assert_eq!(
        finding.message,
        "`>go` came after frame 1, where only `begin` may come"
    );
}

const MODE: &str = r#"
state:
  mode: { start: ask, argv: { --yolo: { value: yolo } }, on: { ">mode": { set: /mode } }, acknowledged_by: begin }
acknowledgements:
  - { event: begin, to: ">go", key: /id }
rules:
  asks: { doc: d, require: { on: ask, that: $mode != yolo } }
"#;

#[test]
fn a_state_is_uncertain_until_the_agent_shows_that_it_processed_the_command() {
    let before = r#"
> {"type":"go","id":1}
> {"type":"mode","mode":"yolo"}
< {"type":"begin","id":1}
< {"type":"ask"}
"#;
    assert!(
        check(MODE, before).is_empty(),
        "the turn began for a command before the mode"
    );
    let after = r#"
> {"type":"mode","mode":"yolo"}
> {"type":"go","id":1}
< {"type":"ask"}
< {"type":"begin","id":1}
< {"type":"ask"}
"#;
    assert_eq!(check(MODE, after), ["asks@5"]);
}

#[test]
fn the_command_line_sets_the_initial_state() {
    let argv = |words: &[&str]| CheckOptions {
        argv: Some(words.iter().map(|w| (*w).to_owned()).collect()),
        ..CheckOptions::default()
    };
    let ask = "< {\"type\":\"ask\"}";
    assert_eq!(
        check_with(MODE, ask, argv(&["agent", "--yolo"]))
            .findings
            .len(),
        1
    );
    assert!(check_with(MODE, ask, argv(&["agent"])).findings.is_empty());
    assert!(
        check_with(MODE, ask, CheckOptions::default())
            .findings
            .is_empty(),
        "an unknown command line causes no finding"
    );
}

#[test]
fn a_plain_capture_has_no_findings_about_frames_that_it_cannot_contain() {
    let rules = r#"
rules:
  approved: { doc: d, each: /id, require: { on: run, that: { seen: ">yes" } } }
  answered: { doc: d, each: /id, order: ">go begin" }
"#;
    let run = "< {\"type\":\"run\",\"id\":1}\n< {\"type\":\"begin\",\"id\":1}";
    assert_eq!(check(rules, run), ["approved@1", "answered@2"]);
    let capture = CheckOptions {
        capture: true,
        ..CheckOptions::default()
    };
    assert!(check_with(rules, run, capture).findings.is_empty());
}

#[test]
fn a_response_comes_is_missing_or_not_needed() {
    let rules = r##"
rules:
  owed: { doc: d, each: /id, response: { from: ">go", to: begin, before: end, unless: "#signal" } }
"##;
    assert!(
        check(
            rules,
            "> {\"type\":\"go\",\"id\":1}\n< {\"type\":\"begin\",\"id\":1}"
        )
        .is_empty()
    );
    assert_eq!(
        check(
            rules,
            "> {\"type\":\"go\",\"id\":1}\n< {\"type\":\"end\",\"id\":1}"
        ),
        ["owed@2"]
    );
    assert_eq!(
        check(rules, "> {\"type\":\"go\",\"id\":1}\nend 0"),
        ["owed@2"]
    );
    assert!(check(rules, "> {\"type\":\"go\",\"id\":1}\nsignal SIGTERM\nend 0").is_empty());
}

#[test]
fn a_response_that_the_end_of_stdin_excuses_is_not_owed_after_it_either() {
    let rules = |unless: &str| {
        format!(
            "rules:\n  owed: {{ doc: d, response: {{ from: begin, to: end, unless: {unless} }} }}\n"
        )
    };
    let session = "stdin_closed\n< {\"type\":\"begin\",\"id\":1}\nend 0";
    assert!(check(&rules(r##""#stdin_closed""##), session).is_empty());
    assert_eq!(check(&rules("oops"), session), ["owed@3"]);
}

#[test]
fn unless_has_no_effect_after_its_budget() {
    let rules = r##"
rules:
  owed: { doc: d, response: { from: ">go", to: begin, unless: "#signal", unless_within: response } }
"##;
    assert!(
        check(
            rules,
            "> {\"type\":\"go\",\"id\":1}\n1000000 signal SIGTERM\nend 0"
        )
        .is_empty()
    );
    assert_eq!(
        check(
            rules,
            "> {\"type\":\"go\",\"id\":1}\n3000000 signal SIGTERM\nend 0"
        ),
        ["owed@2"]
    );
    assert!(
        check(
            rules,
            "> {\"type\":\"go\",\"id\":1}\n3000000 < {\"type\":\"begin\",\"id\":1}"
        )
        .is_empty()
    );
}

#[test]
fn sum_takes_several_operands() {
    let rules = r#"
rules:
  adds-up: { doc: d, require: { on: word, that: /id = sum(/a /b 1) } }
"#;
    let word = |id: u8| format!(r#"< {{"type":"word","id":{id},"text":"","a":2,"b":3}}"#);
    assert!(check(rules, &word(6)).is_empty());
    assert_eq!(check(rules, &word(5)), ["adds-up@1"]);
    assert!(check(rules, r#"< {"type":"word","id":5,"text":"","a":2}"#).is_empty());
}

#[test]
fn a_fold_contains_the_values_of_its_slice() {
    let rules = r#"
scopes: { turn: { open: begin, close: end } }
rules:
  joined:
    doc: d
    each: [turn, /id]
    require:
      on: done
      fold: { on: word, concat: /text }
      that: json($fold) = /input
"#;
    let script = |input: &str| {
        format!(
            r#"
< {{"type":"begin"}}
< {{"type":"word","id":1,"text":"{{\"a\":"}}
< {{"type":"word","id":2,"text":"7"}}
< {{"type":"word","id":1,"text":"1}}"}}
< {{"type":"done","id":1,"input":{input}}}
< {{"type":"end"}}
"#
        )
    };
    assert!(check(rules, &script(r#"{"a":1.0}"#)).is_empty());
    assert_eq!(check(rules, &script(r#"{"a":2}"#)), ["joined@5"]);
}

#[test]
fn a_fold_over_no_frames_is_empty() {
    let rules = r#"
rules:
  all: { doc: d, require: { on: end, fold: { on: word, concat: /text }, that: /text = $fold } }
  count: { doc: d, require: { on: end, fold: { on: word, sum: /n }, that: /n = $fold } }
"#;
    let end = |text: &str, n: u8| format!(r#"< {{"type":"end","text":"{text}","n":{n}}}"#);
    assert!(check(rules, &end("", 0)).is_empty());
    assert_eq!(check(rules, &end("a", 1)), ["all@1", "count@1"]);
    let partly_unknown = format!("< {{\"type\":\"word\"}}\n{}", end("a", 1));
    assert!(check(rules, &partly_unknown).is_empty());
}

#[test]
fn a_named_condition_can_be_used_wherever_a_condition_can() {
    let rules = r#"
conditions:
  busy: $turn present
  loud: [/loud = true, busy]
  greeted: { seen: hello }
classes:
  shout: ["word{loud}"]
state:
  turn: { on: { begin: { set: /id }, end: clear } }
  shouts: { on: { shout: increment } }
rules:
  in-turn: { doc: d, require: { on: word, that: busy } }
  quiet: { doc: d, require: { on: "end{busy}", that: $shouts = 0 } }
  polite: { doc: d, when: { not: loud }, require: { on: word, that: { any: [greeted, /loud present] } } }
"#;
    let shout = r#"< {"type":"word","loud":true}"#;
    let (begin, end) = (r#"< {"type":"begin","id":1}"#, r#"< {"type":"end"}"#);
    assert_eq!(check(rules, shout), ["in-turn@1"]);
    assert_eq!(
        check(rules, &format!("{begin}\n{shout}\n{end}")),
        ["quiet@3"]
    );
    assert!(
        check(rules, &format!("{shout}\n{end}")).len() == 1,
        "no shout outside a turn counts"
    );
    let word = r#"< {"type":"word","loud":false}"#;
    assert!(check(rules, &format!("< {{\"type\":\"hello\"}}\n{begin}\n{word}")).is_empty());
    let rude = r#"< {"type":"word"}"#;
    let calm = rules.replace("/loud = true", "{ all: [/loud present, /loud = true] }");
    assert_eq!(check(&calm, &format!("{begin}\n{rude}")), ["polite@2"]);
}

#[test]
fn a_group_shares_a_guard_and_what_its_rules_leave_out() {
    let rules = r#"
groups:
  counted:
    when: /n present
    level: should
    rules:
      small: { doc: d, require: { on: word, that: /n < 9 } }
      positive: { doc: d, level: must, when: /m present, require: { on: word, that: /n > 0 } }
"#;
    let word = |rest: &str| format!(r#"< {{"type":"word"{rest}}}"#);
    assert!(check(rules, &word("")).is_empty());
    assert_eq!(check(rules, &word(r#","n":9"#)), ["small@1"]);
    assert!(
        check(rules, &word(r#","n":0"#)).is_empty(),
        "both guards count"
    );
    assert_eq!(check(rules, &word(r#","n":0,"m":1"#)), ["positive@1"]);
    let outcome = check_with(rules, &word(r#","n":9"#), CheckOptions::default());
    assert_eq!(
        outcome.findings[0].level,
        conform_judge::finding::Level::Should
    );
}

#[test]
fn an_order_sees_only_the_frames_of_its_guard() {
    let rules = "rules: { turn: { doc: d, when: /real = true, order: begin end } }";
    let frame = |name: &str, real: bool| format!("< {{\"type\":\"{name}\",\"real\":{real}}}\n");
    let ghost = frame("end", false);
    let good = frame("begin", true) + &ghost + &frame("end", true);
    assert!(check(rules, &good).is_empty());
    assert_eq!(check(rules, &(ghost + &frame("end", true))), ["turn@2"]);
}

#[test]
fn a_slice_of_a_scope_must_be_complete_when_the_scope_closes() {
    let rules = r#"
scopes: { turn: { open: begin, close: end } }
rules:
  call: { doc: d, each: [turn, /id], order: { expression: run done, unless: ">halt" } }
"#;
    let open = "< {\"type\":\"begin\"}\n< {\"type\":\"run\",\"id\":1}\n";
    let end = "< {\"type\":\"end\"}";
    assert_eq!(check(rules, &format!("{open}{end}")), ["call@3"]);
    assert!(check(rules, &format!("{open}> {{\"type\":\"halt\"}}\n{end}")).is_empty());
    let again = format!("{open}> {{\"type\":\"halt\"}}\n{end}\n{open}{end}");
    assert_eq!(
        check(rules, &again),
        ["call@7"],
        "`unless` applies to its own scope only"
    );
}

#[test]
fn a_list_is_appended_to_and_cleared() {
    let rules = r#"
state:
  words: { on: { begin: clear, word: { append: /text } } }
rules:
  told: { doc: d, require: { on: end, that: /words = $words } }
"#;
    let script = |words: &str| {
        format!(
            "< {{\"type\":\"word\",\"text\":\"z\"}}\n< {{\"type\":\"begin\"}}\n< {{\"type\":\"word\",\"text\":\"a\"}}\n< {{\"type\":\"end\",\"words\":{words}}}"
        )
    };
    assert!(check(rules, &script(r#"["a"]"#)).is_empty());
    assert_eq!(check(rules, &script(r#"["z","a"]"#)), ["told@4"]);
}

#[test]
fn requests_to_the_model_are_frames_too() {
    let rules = "rules: { fed: { doc: d, response: { from: \">go\", to: '@request{/body contains \"REASON\"}', before: end } } }";
    let go = "> {\"type\":\"go\"}\n";
    let end = "\n< {\"type\":\"end\"}";
    assert!(
        check(
            rules,
            &format!("{go}request {{\"messages\":[{{\"text\":\"the REASON is\"}}]}}{end}")
        )
        .is_empty()
    );
    assert_eq!(check(rules, &format!("{go}request {{}}{end}")), ["fed@3"]);
}

#[test]
fn invalid_frames_have_patterns() {
    let rules = r##"
rules:
  answered: { doc: d, response: { from: ">#malformed | >#unknown", to: oops, at_end: any } }
  note: { doc: d, level: may, require: { on: "#unknown", that: { any: [] } }, message: "what is {/type}?" }
  lines: { doc: d, framing: [not-json, no-discriminator] }
"##;
    assert_eq!(check(rules, "> {nonsense\nend 0"), ["answered@2"]);
    assert_eq!(
        check(rules, "> {\"type\":\"nonsense\"}\nstdin_closed\nend 0"),
        ["answered@3"]
    );
    assert_eq!(check(rules, "< {\"type\":\"new\"}"), ["note@1"]);
    assert_eq!(
        check(rules, "< nonsense\n< {\"a\":1}"),
        ["lines@1", "lines@2"]
    );
}

#[test]
fn a_probe_records_a_reading_and_has_no_finding() {
    let rules = "rules: { reading: { doc: d, readings: { on: end, of: { plain: /n absent, counted: /n present } } } }";
    let outcome = check_with(
        rules,
        "< {\"type\":\"end\"}\n< {\"type\":\"end\",\"n\":1}\n< {\"type\":\"end\"}",
        CheckOptions::default(),
    );
    assert!(outcome.findings.is_empty());
    assert_eq!(outcome.coverage.readings["toy/reading"]["plain"], 2);
    assert_eq!(outcome.coverage.readings["toy/reading"]["counted"], 1);
}

#[test]
fn a_rule_without_a_matching_frame_is_not_exercised() {
    let outcome = check_with(TURN, "< {\"type\":\"hello\"}", CheckOptions::default());
    assert!(!outcome.coverage.rules.contains_key("toy/turn"));
    assert_eq!(outcome.coverage.rules["toy/schema/hello"], 1);
}

#[test]
fn a_variable_without_a_value_equals_no_literal() {
    let rules = r#"
state:
  flag: { flag: { set: begin, clear: end } }
  many: { on: { "word{$flag = true}": increment } }
  few: { on: { "word{$flag != true}": increment } }
rules:
  many: { doc: d, require: { on: done, that: $many = 2 } }
  few: { doc: d, require: { on: done, that: $few = 2 } }
  running: { doc: d, require: { on: oops, that: $flag = true } }
"#;
    let frames = |names: &[&str]| {
        let lines = names
            .iter()
            .map(|name| format!("< {{\"type\":\"{name}\"}}"));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(
        check(rules, &frames(&["word", "begin", "word", "done"])),
        ["many@4", "few@4"],
        "both counts are 1, although the flag had no value at first"
    );
    assert_eq!(check(rules, &frames(&["oops"])), ["running@1"]);
}

#[test]
fn a_guard_applies_to_a_count_as_to_a_value() {
    let rules = |guard: &str| {
        format!(
            r#"
state:
  flag: {{ flag: {{ set: begin, clear: ">go" }} }}
  seen: {{ flag: {{ set: ">go{{$flag {guard}}}", clear: end }} }}
  many: {{ on: {{ ">go{{$flag {guard}}}": increment }} }}
  lost: {{ flag: {{ set: "word{{$seen {guard}}}" }} }}
  gone: {{ on: {{ "word{{$seen {guard}}}": increment }} }}
rules:
  seen: {{ doc: d, require: {{ on: done, that: "$seen absent" }} }}
  many: {{ doc: d, require: {{ on: done, that: "$many = 0" }} }}
  lost: {{ doc: d, require: {{ on: done, that: "$lost absent" }} }}
  gone: {{ doc: d, require: {{ on: done, that: "$gone = 0" }} }}
"#
        )
    };
    let script = r#"
< {"type":"begin"}
> {"type":"go"}
< {"type":"word"}
< {"type":"done"}
end 0
"#;
    for guard in ["= true", "present"] {
        assert_eq!(
            check(&rules(guard), script),
            ["seen@4", "many@4", "lost@4", "gone@4"],
            "{guard}"
        );
    }
}

#[test]
fn a_message_may_hold_state_functions_and_the_fold() {
    let rules = r#"
state:
  ids: { on: { word: { append: /id } } }
rules:
  all:
    doc: d
    require: { on: end, fold: { on: word, concat: /text }, that: /text = $fold }
    message: "{$fold}, {length($ids)}, {/text}, {/none}"
"#;
    let word = r#"< {"type":"word","id":"a","text":"x"}"#;
    let script = format!("{word}\n< {{\"type\":\"end\",\"text\":\"y\"}}");
    let outcome = check_with(rules, &script, CheckOptions::default());
    assert_eq!(outcome.findings[0].message, "x, 1, y, ?");
}

#[test]
fn a_finding_without_a_message_says_what_its_doc_requires() {
    let rules = r#"
rules:
  named:
    doc: |
      A word
      has a name. Hosts show it.
    require: { on: word, that: { any: [$none present, /name present] } }
state:
  none: { on: { end: { set: /id } } }
"#;
    let outcome = check_with(rules, r#"< {"type":"word"}"#, CheckOptions::default());
    assert_eq!(
        outcome.findings[0].message,
        "`word` breaks this: A word has a name"
    );
    let expected = outcome.findings[0].expected.iter();
    assert_eq!(
        expected.map(ToString::to_string).collect::<Vec<_>>(),
        ["/name present"]
    );
}

/// Blocks without the member make no slice of their own, so the next source of the key is asked.
#[test]
fn an_empty_list_is_not_a_key() {
    let rules = "rules: { r: { doc: d, each: '/blocks/*/of | /id', order: begin end } }";
    let session = |end: &str| {
        format!(
            "< {{\"type\":\"begin\",\"blocks\":[{{}}],\"id\":\"a\"}}\n< {{\"type\":\"end\",\"id\":\"{end}\"}}"
        )
    };
    assert!(check(rules, &session("a")).is_empty());
    assert_eq!(check(rules, &session("b")), ["r@2"]);
}

/// What is put into a map after something unknown was removed from it is known again; the rest is not.
#[test]
fn an_entry_of_an_unknown_map_is_known_once_it_is_put() {
    let rules = r#"
state:
  of: { on: { begin: { put: [/id, /tool] }, oops: { remove: /id } } }
rules:
  same: { doc: d, require: { on: run, that: "/tool = $of[/id]" } }
  there: { doc: d, require: { on: end, that: "$of[/id] present" } }
"#;
    let session = r#"
< {"type":"begin","id":"a","tool":"t"}
< {"type":"oops"}
< {"type":"run","id":"a","tool":"u"}
< {"type":"end","id":"a"}
< {"type":"begin","id":"b","tool":"t"}
< {"type":"run","id":"b","tool":"u"}
< {"type":"oops","id":"b"}
< {"type":"end","id":"b"}
"#;
    assert_eq!(check(rules, session), ["same@6", "there@8"]);
}

/// The values of a map are a list; `in` asks its keys.
#[test]
fn the_values_of_a_map_can_be_asked() {
    let rules = r#"
state:
  of: { on: { begin: { put: [/id, /tool] } } }
rules:
  value: { doc: d, require: { on: run, that: "$of contains /tool" } }
  key: { doc: d, require: { on: end, that: /id in $of } }
"#;
    let session = r#"
< {"type":"begin","id":"a","tool":"t"}
< {"type":"run","tool":"t"}
< {"type":"run","tool":"a"}
< {"type":"end","id":"a"}
< {"type":"end","id":"t"}
"#;
    assert_eq!(check(rules, session), ["value@3", "key@5"]);
}
