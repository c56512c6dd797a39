//! What each form of a matcher accepts, refuses and says.

use super::{Captures, Closest, Matcher, Template};
use serde_json::json;
use spanned_yaml::load_yaml;

fn yaml(text: &str) -> Matcher {
    let node = load_yaml("m.yaml", text).expect("good YAML");
    Matcher::compile(&node).unwrap_or_else(|errors| panic!("{}", spanned_yaml::render_all(&errors)))
}

fn refusals(text: &str) -> Vec<String> {
    let node = load_yaml("m.yaml", text).expect("good YAML");
    let errors = Matcher::compile(&node).expect_err("refused");
    errors
        .iter()
        .map(|error| {
            format!(
                "{}:{} {}",
                error.span.line, error.span.column, error.message
            )
        })
        .collect()
}

#[test]
fn each_operator_accepts_and_refuses() {
    let cases = [
        ("{$regex: '^a.c$'}", json!("abc"), json!("abcd")),
        ("{$regex: '^\\p{Lu}{2}$'}", json!("ÄB"), json!("ab")),
        ("{$regex: '^{word}\\d'}", json!("a.c1"), json!("abc1")),
        ("{$contains: b}", json!("abc"), json!("acd")),
        (
            "{$contains: {id: 1}}",
            json!([{"id": 2}, {"id": 1, "x": 0}]),
            json!([{"id": 2}]),
        ),
        ("{$type: integer}", json!(2.0), json!(2.5)),
        ("{$type: [string, null]}", json!(null), json!(0)),
        ("{$one_of: [once, always]}", json!("once"), json!("never")),
        ("{$length: 3}", json!("äbc"), json!([1, 2])),
        ("{$length: {$gte: 1, $lt: 3}}", json!({"a": 1}), json!({})),
        ("{$items: {$type: string}}", json!(["a"]), json!(["a", 1])),
        ("{$in_order: [1, 3]}", json!([0, 1, 2, 3]), json!([3, 1])),
        ("{$in_order: [1, 1]}", json!([1, 2, 1]), json!([1, 2])),
        ("{$gte: 1}", json!(1.0), json!(0.5)),
        ("{$gt: '{seven}'}", json!(8), json!(7)),
        (
            "{$lte: 18446744073709551614}",
            json!(18446744073709551614_u64),
            json!(18446744073709551615_u64),
        ),
        ("{$lt: -1}", json!(-2), json!("-2")),
        ("{$ne: a}", json!("b"), json!("a")),
        ("{$not: {a: 1}}", json!({"a": 2}), json!({"a": 1, "b": 2})),
        ("{$all: [{$gt: 1}, {$lt: 3}]}", json!(2), json!(3)),
        ("{$any: [1, {a: 2}]}", json!({"a": 2}), json!(2)),
        ("{a: {$absent: true}}", json!({"b": 1}), json!({"a": null})),
        ("{a: {$present: true}}", json!({"a": null}), json!({})),
        ("{a: '{seven}'}", json!({"a": 7}), json!({"a": "7"})),
        ("{a: 'n{seven}'}", json!({"a": "n7"}), json!({"a": "n"})),
        ("[1, {}]", json!([1, {"b": 2}]), json!([1, {}, 3])),
        ("{$$ref: x}", json!({"$ref": "x"}), json!({"$$ref": "x"})),
        ("1", json!(1.0), json!(true)),
    ];
    let mut captures = Captures::default();
    captures.set("seven", 7);
    captures.set("word", "a.c");
    for (written, good, bad) in cases {
        let matcher = yaml(written);
        assert_eq!(
            matcher.matches(&good, &captures),
            Ok(()),
            "{written} on {good}"
        );
        assert!(
            matcher.matches(&bad, &captures).is_err(),
            "{written} on {bad}"
        );
    }
}

#[test]
fn a_difference_says_where_what_was_wanted_and_what_is_there() {
    let cases = [
        (
            "{a: {b: 1}}",
            json!({"a": {"b": 2}}),
            "/a/b: expected 1, got 2",
        ),
        ("{a: '{id}'}", json!({"a": 2}), "/a: expected \"t1\", got 2"),
        (
            "{a: '{other}'}",
            json!({"a": 2}),
            "/a: expected \"{other}\", which holds an unknown name, got 2",
        ),
        ("{a: 1}", json!({}), "/a: expected 1, got nothing"),
        (
            "{a: {b: x, c: {}}}",
            json!({}),
            "/a: expected an object with {b: \"x\", c: an object}, got nothing",
        ),
        (
            "[1, 2]",
            json!([1]),
            "the whole: expected a list of 2: [1, 2], got [1]",
        ),
        (
            "{a/b: {$type: [string, null]}}",
            json!({"a/b": 1}),
            "/a~1b: expected a string or null, got 1",
        ),
        (
            "{$one_of: [a, b, c]}",
            json!("d"),
            "the whole: expected \"a\", \"b\" or \"c\", got \"d\"",
        ),
        (
            "{$items: {n: {$gte: 1}}}",
            json!([{"n": 1}, {"n": 0}]),
            "/1/n: expected a number at least 1, got 0",
        ),
        (
            "{$regex: '^{id}$'}",
            json!("t2"),
            "the whole: expected a text matching /^t1$/, got \"t2\"",
        ),
        (
            "{a: {$not: {$absent: true}}}",
            json!({}),
            "/a: expected anything but nothing, got nothing",
        ),
        (
            "{a: {$length: {$gt: 2}}}",
            json!({"a": "x"}),
            "/a: expected a value whose length is a number more than 2, got \"x\"",
        ),
    ];
    let mut captures = Captures::default();
    captures.set("id", "t1");
    for (written, value, expected) in cases {
        let difference = yaml(written)
            .matches(&value, &captures)
            .expect_err("differs");
        assert_eq!(difference.to_string(), expected, "{written}");
    }
}

#[test]
fn a_bad_matcher_is_refused_at_its_place() {
    let cases: &[(&str, &[&str])] = &[
        (
            "{a: {$regx: x}}",
            &[
                "1:6 unknown operator `$regx`; did you mean `$regex`? (one of $regex, $contains, $type, $one_of, $absent, $present, $length, $items, $in_order, $gte, $gt, $lte, $lt, $ne, $not, $all, $any)",
            ],
        ),
        (
            "{a: {$regex: '('}, b: {$type: strng}}",
            &[
                "1:14 not a regular expression: unclosed group",
                "1:31 unknown type `strng`; did you mean `string`? (one of string, number, integer, boolean, object, array, null)",
            ],
        ),
        (
            "{$gte: 1, b: 2}",
            &["1:11 the key `b` beside operators; a map holds the one or the other"],
        ),
        ("{$absent: false}", &["1:11 expected `true`, found `false`"]),
        (
            "{$gte: x}",
            &["1:8 expected a number, or a captured one as \"{name}\", found the text \"x\""],
        ),
        (
            "{$one_of: []}",
            &["1:11 expected a list with at least one element, found a list"],
        ),
        (
            "{$one_of: [{a: 1}]}",
            &["1:12 expected a plain value ($any takes matchers), found a map"],
        ),
        (
            "{$any: [{$all: 1}]}",
            &["1:16 expected a list with at least one element, found the number 1"],
        ),
        (
            "{$length: '3'}",
            &[
                "1:11 expected a number, or operators on one such as { $gte: 1 }, found the text \"3\"",
            ],
        ),
        (
            "{$regex: 3}",
            &["1:10 expected a regular expression, found the number 3"],
        ),
    ];
    for (written, expected) in cases {
        assert_eq!(refusals(written), *expected, "{written}");
    }
}

#[test]
fn the_closest_event_is_the_one_of_the_right_type() {
    let wanted = yaml("{type: tool_request, msg_id: m1, tool: {name: Write}}");
    let events = [
        json!({"type": "tool_request", "msg_id": "m2", "tool": {"name": "Read"}}),
        json!({"type": "text_delta", "msg_id": "m1", "tool": {"name": "Write"}}),
    ];
    let mut closest = Closest::default();
    for (number, event) in events.iter().enumerate() {
        closest.offer(number, &wanted, event, &Captures::default());
    }
    let (number, differences) = closest.get().expect("one was offered");
    let pointers: Vec<_> = differences
        .iter()
        .map(|difference| difference.pointer.as_str())
        .collect();
    assert_eq!((*number, pointers), (0, vec!["/msg_id", "/tool/name"]));
}

#[test]
fn captures_are_taken_with_their_types_or_not_at_all() {
    let event = json!({"call_id": "t1", "n": 3});
    let mut captures = Captures::default();
    let wanted = |pairs: &[(&str, &str)]| {
        pairs
            .iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
            .collect()
    };
    captures
        .take(&wanted(&[("call", "/call_id"), ("n", "/n")]), &event)
        .expect("both are there");
    assert_eq!(
        Template::new(json!({"a": "{n}", "b": ["id {call}"]})).render(&captures),
        Ok(json!({"a": 3, "b": ["id t1"]}))
    );
    let error = captures
        .take(&wanted(&[("call", "/n"), ("x", "/none")]), &event)
        .expect_err("not there");
    assert_eq!(
        error.to_string(),
        "/none: expected a value to capture as `x`, got nothing"
    );
    assert_eq!(captures.get("call"), Some(&json!("t1")));
}
