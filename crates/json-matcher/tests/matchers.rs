//! What each form of a matcher accepts, refuses and reports. The matchers are written in YAML, as users do.

use json_matcher::{Captures, Closest, Matcher, Template};
use serde_json::{Value, json};

fn yaml(text: &str) -> Value {
    spanned_yaml::load_yaml("m.yaml", text)
        .expect("good YAML")
        .to_value()
}

fn compiled(text: &str) -> Matcher {
    Matcher::compile(&yaml(text)).expect("a good matcher")
}

#[test]
fn each_operator_accepts_and_refuses() {
    let mut captures = Captures::default();
    captures.set("seven", 7);
    captures.set("word", "a.c");
    let cases = yaml(include_str!("operators.yaml"));
    for case in cases.as_array().expect("a list") {
        let (written, good, bad) = (&case["matcher"], &case["good"], &case["bad"]);
        let matcher = Matcher::compile(written).expect("a good matcher");
        let found = matcher.matches(good, &captures);
        assert_eq!(found, Ok(()), "{written} on {good}");
        let found = matcher.matches(bad, &captures);
        assert!(found.is_err(), "{written} on {bad}");
    }
}

/// Matchers with a value that differs, each with the difference on the next line.
const DIFFERENCES: &str = r#"
{a: {b: 1}} on {"a": {"b": 2}}
    /a/b: expected 1, got 2
{a: '{id}'} on {"a": 2}
    /a: expected "t1", got 2
{a: '{other}'} on {"a": 2}
    /a: expected "{other}", which holds an unknown name, got 2
{a: 1} on {}
    /a: expected 1, got nothing
{a: {b: x, c: {}}} on {}
    /a: expected {b: "x", c: an object}, got nothing
[1, 2] on [1]
    the whole: expected a list of 2: [1, 2], got [1]
{a/b: {$type: [string, null]}} on {"a/b": 1}
    /a~1b: expected a string or null, got 1
{$one_of: [a, b, c]} on "d"
    the whole: expected "a", "b" or "c", got "d"
{$items: {n: {$gte: 1}}} on [{"n": 1}, {"n": 0}]
    /1/n: expected a number at least 1, got 0
{$regex: '^{id}$'} on "t2"
    the whole: expected a text matching /^t1$/, got "t2"
{a: {$not: {$absent: true}}} on {}
    /a: expected anything but nothing, got nothing
{a: {$length: {$gt: 2}}} on {"a": "x"}
    /a: expected a value whose length is a number more than 2, got "x"
"#;

#[test]
fn a_difference_has_its_pointer_the_expected_and_the_actual_value() {
    let mut captures = Captures::default();
    captures.set("id", "t1");
    let lines: Vec<&str> = DIFFERENCES.trim().lines().collect();
    for pair in lines.chunks(2) {
        let (written, value) = pair[0].split_once(" on ").expect("a value");
        let value = serde_json::from_str(value).expect("JSON");
        let difference = compiled(written)
            .matches(&value, &captures)
            .expect_err("differs");
        assert_eq!(difference.to_string(), pair[1].trim(), "{written}");
    }
}

#[test]
fn a_difference_points_to_the_part_of_the_matcher() {
    let value = json!({"a": {"$ref": 1, "list": [{"n": 1}, {"n": 0}], "text": "x"}});
    let cases = [
        ("{a: {$$ref: 2}}", "/a/$ref", "/a/$$ref"),
        (
            "{a: {text: {$length: 2, $regex: x}}}",
            "/a/text",
            "/a/text/$length",
        ),
        (
            "{a: {list: {$items: {n: 1}}}}",
            "/a/list/1/n",
            "/a/list/$items/n",
        ),
        (
            "{a: {$all: [{text: x}, {text: y}]}}",
            "/a/text",
            "/a/$all/1/text",
        ),
    ];
    for (written, pointer, matcher_pointer) in cases {
        let found = compiled(written).matches(&value, &Captures::default());
        let found = found.expect_err("a difference");
        assert_eq!(
            (found.pointer.as_str(), found.matcher_pointer.as_str()),
            (pointer, matcher_pointer),
            "{written}"
        );
    }
}

#[test]
fn braces_in_a_filled_matcher_are_text() {
    let written = yaml("{a: '{n}', b: {$regex: '^x{2}$'}, c: {$contains: '{n}'}}");
    let matcher = Matcher::compile_filled(&written).expect("a good matcher");
    let value = json!({"a": "{n}", "b": "xx", "c": "1{n}"});
    assert_eq!(matcher.differences(&value, &Captures::default()), []);
    assert!(Matcher::compile_filled(&yaml("{$gt: '{n}'}")).is_err());
}

#[test]
fn the_closest_event_is_the_one_of_the_right_type() {
    let matcher = compiled("{type: tool_request, msg_id: m1, tool: {name: Write}}");
    let events = [
        json!({"type": "tool_request", "msg_id": "m2", "tool": {"name": "Read"}}),
        json!({"type": "text_delta", "msg_id": "m1", "tool": {"name": "Write"}}),
    ];
    let mut closest = Closest::default();
    for (number, event) in events.iter().enumerate() {
        closest.offer(number, &matcher, event, &Captures::default());
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
    let pointers = |pairs: &[(&str, &str)]| {
        pairs
            .iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
            .collect()
    };
    captures
        .take(&pointers(&[("call", "/call_id"), ("n", "/n")]), &event)
        .expect("both are there");
    assert_eq!(
        Template::new(json!({"a": "{n}", "b": ["id {call}"]})).render(&captures),
        Ok(json!({"a": 3, "b": ["id t1"]}))
    );
    let error = captures
        .take(&pointers(&[("call", "/n"), ("x", "/none")]), &event)
        .expect_err("not there");
    assert_eq!(
        error.to_string(),
        "/none: expected a value to capture as `x`, got nothing"
    );
    assert_eq!(captures.get("call"), Some(&json!("t1")));
    captures
        .take(&pointers(&[("first", "/none | /n | /call_id")]), &event)
        .expect("one of them is there");
    assert_eq!(captures.get("first"), Some(&json!(3)));
}
