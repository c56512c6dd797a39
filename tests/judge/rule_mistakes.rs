//! Mistakes in `ordering.yaml`: each is one error with its place, which says what is wrong or what to write instead.

use crate::toy_dialect::{SEPARATOR, try_load};

/// Rules with one mistake, its line, and a part of the message.
type Mistake = (&'static str, usize, &'static str);

fn assert_one_error(mistakes: &[Mistake]) {
    for (rules, line, part) in mistakes {
        let message = try_load(rules).map(|_| ()).expect_err(rules);
        assert_eq!(message.split(SEPARATOR).count(), 1, "{rules}\n{message}");
        assert!(message.contains(part), "{rules}\n{message}");
        let at = format!("{line}:");
        assert!(message.starts_with(&at), "{rules}\n{message}");
    }
}

#[test]
fn what_is_owed_and_what_is_set_have_their_keys() {
    assert_one_error(&[
        (
            "state:\n  a: { flag: { set: begin }, on: { end: clear } }",
            2,
            "its changes under one of `flag`, `owed`, `setting` and `on`",
        ),
        (
            "state:\n  a: { owed: { from: begin, to: end, by: [/a, /b, /c] } }",
            2,
            "a list of the key in `from` and that in `to`",
        ),
        (
            "state:\n  a: { setting: { ask: \">go\" } }",
            2,
            "`ask` needs `by`",
        ),
        (
            "state:\n  open: { owed: { from: begin, to: end } }\n  b: { setting: { ask: \">go\", by: /id, alone: opne } }",
            3,
            "unknown variable with `owed` `opne`; did you mean `open`?",
        ),
    ]);
}

#[test]
fn the_error_for_a_former_key_names_its_new_name() {
    assert_one_error(&[
        (
            "rules:\n  r:\n    doc: d\n    order: begin end\n    excuse: oops",
            5,
            "`excuse` is now `unless`, under `order`",
        ),
        (
            "rules:\n  r: { doc: d, order: { expression: begin end, void: oops } }",
            2,
            "`void` is now `disable_on`",
        ),
        (
            "rules:\n  r: { doc: d, order: begin end, also: oops }",
            2,
            "`also` is now `alphabet`, under `order`",
        ),
        (
            "rules:\n  r: { doc: d, order: begin end, in_time: /a present }",
            2,
            "`in_time` is now `timeout_if`",
        ),
        (
            "rules:\n  r: { doc: d, response: { from: begin, to: end, patience: response } }",
            2,
            "`patience` is now `unless_within`, under `response`",
        ),
        (
            "rules:\n  r: { doc: d, response: { from: begin, to: end, within: response } }",
            2,
            "`within` no longer exists",
        ),
        (
            "state:\n  a: { settles: begin }",
            2,
            "`settles` is now `acknowledged_by`",
        ),
        (
            "state:\n  a: { kind: value, on: { begin: { set: /id } } }",
            2,
            "leave `kind` out",
        ),
        (
            "state:\n  a: { on: { begin: { set: /id }, end: increment } }",
            2,
            "`increment` does not go with the other changes, which make the variable a value",
        ),
        (
            "state:\n  a: { on: { begin: { sett: /id } } }",
            2,
            "unknown change `sett`; did you mean `set`?",
        ),
        (
            "state:\n  a: { flag: { clear: begin } }",
            2,
            "a flag was expected",
        ),
        (
            "answers:\n  - { event: begin, to: \">go\", key: /id }",
            1,
            "`answers` is now `acknowledgements`",
        ),
        (
            "rules:\n  r: { doc: d, wire: [nul] }",
            2,
            "`wire` is now `framing`",
        ),
        (
            "acknowledgements:\n  - { event: begin, to: \">go\", key: /id, command_key: /x }",
            2,
            "`command_key` no longer exists",
        ),
        (
            "rules:\n  r: { doc: d, require: { on: end, that: /a = $fold, fold: { on: word, list: /text } } }",
            2,
            "a fold has no `list`",
        ),
        (
            "rules:\n  r:\n    doc: d\n    on: end\n    require: /a present",
            4,
            "`on` stands under `require`: write `require: { on: … }`",
        ),
        (
            "rules:\n  r:\n    doc: d\n    from: begin\n    to: end",
            4,
            "`from` and `to` stand under `response`: write `response: { from: …, to: … }`",
        ),
    ]);
}

#[test]
fn a_key_in_the_wrong_form_says_where_it_belongs() {
    assert_one_error(&[
        (
            "rules:\n  r: { doc: d, order: { expression: begin end, before: oops } }",
            2,
            "`before` is a key of `response`; `order` has expression, alphabet, unless, disable_on",
        ),
        (
            "rules:\n  r: { doc: d, require: { on: end, that: /a present, when: /b present } }",
            2,
            "`when` belongs to the rule: write it beside `require`",
        ),
        (
            "rules:\n  r: { doc: d, require: /a present }",
            2,
            "write `require: { on: PATTERN, that: CONDITION }`",
        ),
        (
            "rules:\n  r: { doc: d, order: { expression: begin end, unles: oops } }",
            2,
            "did you mean `unless`?",
        ),
        (
            "rules:\n  r: { doc: d, response: { from: begin } }",
            2,
            "`to`",
        ),
        (
            "rules:\n  r: { doc: d, order: begin end, exit: /code = 0 }",
            2,
            "a rule has exactly one of order, response, require, exit, framing, readings, conversation; this one has `order` and `exit`",
        ),
        (
            "rules:\n  r: { doc: d, each: /id, framing: [nul] }",
            2,
            "`each` has no effect on `framing`",
        ),
        (
            "rules:\n  r: { doc: d, when: { seen: hello }, order: begin end }",
            2,
            "`seen` is a condition of `require` and `exit` only",
        ),
        (
            "conditions:\n  greeted: { seen: hello }\nrules:\n  r: { doc: d, order: 'begin{greeted} end' }",
            4,
            "`greeted` uses `seen`",
        ),
        (
            "conditions:\n  busy: $t present\nstate:\n  t: {}\nrules:\n  r: { doc: d, when: bussy, order: begin end }",
            6,
            "`bussy` is not declared under `conditions`; did you mean `busy`?",
        ),
        (
            "conditions:\n  a: b\n  b: a",
            3,
            "`a` is not declared under `conditions`",
        ),
        (
            "rules:\n  r: { doc: d, order: begin end }\ngroups:\n  g: { rules: { r: { doc: d, order: begin oops } } }",
            4,
            "the rule `r` is defined twice",
        ),
        (
            "rules:\n  r: { doc: d, require: { on: end, that: { any: /a present } } }",
            2,
            "a list of conditions was expected",
        ),
        (
            "rules:\n  r: { doc: d, response: { from: begin, to: end, at_end: never } }",
            2,
            "can never be missing",
        ),
        (
            "rules:\n  r: { doc: d, require: { on: end, that: lower(/a) = b } }",
            2,
            "unknown function `lower` (one of length, bytes, json",
        ),
    ]);
}

#[test]
fn unsound_and_ineffective_rules_and_unknown_names_are_rejected() {
    assert_one_error(&[
        (
            "rules:\n  r: { doc: d, order: word* >halt end }",
            2,
            "may already be in the pipe",
        ),
        (
            "rules:\n  r: { doc: d, require: { on: run, that: { not: { seen: \">halt\" } } } }",
            2,
            "may already be in the pipe",
        ),
        (
            "state:\n  no: { on: { \">halt\": { add: /id } } }\nrules:\n  r: { doc: d, require: { on: run, that: /id not in $no } }",
            4,
            "may already be in the pipe",
        ),
        (
            "rules:\n  r: { doc: d, order: (begin | word)* }",
            2,
            "can never fail",
        ),
        ("rules:\n  r: { order: begin end }", 2, "needs a `doc`"),
        (
            "rules:\n  r: { doc: d }",
            2,
            "a rule has exactly one of order",
        ),
        (
            "rules:\n  r: { doc: d, order: begin ned }",
            2,
            "`ned` is not an event or class of this dialect; did you mean `end`?",
        ),
        (
            "rules:\n  r: { doc: d, order: begin (end }",
            2,
            "`)` was expected here",
        ),
        (
            "rules:\n  r: { doc: d, clauses: [toy.x], order: begin end }",
            2,
            "the clause `toy.x` is not in clauses.yaml",
        ),
        (
            "rules:\n  r: { doc: d, response: { from: begin, to: end, unless_within: forever } }",
            2,
            "forever",
        ),
        (
            "rules:\n  r: { doc: d, require: { on: begin, that: /a in $x } }",
            2,
            "`$x` is not declared",
        ),
        (
            "rules:\n  r: { doc: d, require: { on: begin, that: '/a matches \"(\"' } }",
            2,
            "not a regular expression",
        ),
        (
            "rules:\n  r: { doc: d, odrer: begin }",
            2,
            "did you mean `order`",
        ),
    ]);
}

#[test]
fn a_guard_that_never_holds_again_is_a_mistake() {
    let rules = |state: &str, when: &str| {
        format!("state:\n  s: {state}\nrules:\n  r: {{ doc: d, when: {when}, order: begin end }}")
    };
    for (state, when) in [
        ("{ on: { oops: increment } }", "$s = 0"),
        (
            "{ on: { oops: { append: /id } } }",
            "[/id present, $s empty]",
        ),
    ] {
        let message = try_load(&rules(state, when)).map(|_| ()).unwrap_err();
        assert!(message.starts_with("4:`$s` only ever grows"), "{message}");
    }
    for (state, when) in [
        ("{ on: { oops: increment, hello: clear } }", "$s = 0"),
        (
            "{ on: { oops: { add: /id }, done: { remove: /id } } }",
            "$s empty",
        ),
        ("{ flag: { set: oops } }", "$s absent"),
    ] {
        assert!(try_load(&rules(state, when)).is_ok(), "{state}");
    }
}

/// A reader of YAML 1.1 takes a bare `on` for true; in quotes it is the same key to every reader.
#[test]
fn the_key_on_may_be_quoted() {
    let rules = "rules:\n  r: { doc: d, require: { \"on\": begin, that: /id present } }";
    assert!(try_load(rules).is_ok());
}
