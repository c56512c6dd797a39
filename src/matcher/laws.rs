//! What must hold of every matcher.

use super::{Captures, Closest, Matcher, Template};
use crate::located::load_yaml;
use proptest::prelude::*;
use regex::Regex;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

fn matcher(written: &Value) -> Matcher {
    yaml(&written.to_string())
}

fn yaml(text: &str) -> Matcher {
    let node = load_yaml("m.yaml", text).expect("good YAML");
    Matcher::compile(&node)
        .unwrap_or_else(|errors| panic!("{}", crate::located::render_all(&errors)))
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

static PLACE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\{([A-Za-z_][A-Za-z0-9_]*)\}").expect("a good expression"));

/// The matcher that says exactly what a value is.
fn literal(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::from(PLACE.replace_all(text, "{{$1}}").as_ref()),
        Value::Array(items) => items.iter().map(literal).collect(),
        Value::Object(entries) => {
            let escape = |key: &str| {
                if key.starts_with('$') {
                    format!("${key}")
                } else {
                    key.to_owned()
                }
            };
            entries
                .iter()
                .map(|(key, value)| (escape(key), literal(value)))
                .collect::<Map<_, _>>()
                .into()
        }
        other => other.clone(),
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(|number: f64| Value::from(number)),
        "[a-z{}n$ ü\\\\\"]{0,6}".prop_map(Value::from),
        Just(json!("{n}")),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[$]?[a-c/~]{1,2}", inner), 0..4)
                .prop_map(|entries| Value::from(entries.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// A matcher of some shape, always a good one.
fn any_matcher() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any_value().prop_map(|value| literal(&value)),
        Just(json!({"$absent": true})),
        Just(json!({"$type": ["string", "null"]})),
        Just(json!({"$length": {"$gte": 1}})),
        Just(json!({"$gte": 0, "$lt": 1000})),
        Just(json!({"$regex": "^[a-m]"})),
        Just(json!({"$ne": 0})),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|one| json!({"$not": one})),
            inner.clone().prop_map(|one| json!({"$items": one})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|some| json!({"$any": some})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|some| json!({"$all": some})),
            inner.prop_map(|one| json!({"a": one})),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_value_matches_its_own_literal(value in any_value()) {
        prop_assert_eq!(matcher(&literal(&value)).differences(&value, &Captures::default()), []);
    }

    #[test]
    fn an_object_matches_every_part_of_itself_and_nothing_more(value in any_value(), keep in any::<u8>()) {
        if let Value::Object(entries) = literal(&value) {
            let some = entries.iter().enumerate().filter(|(index, _)| keep >> (index % 8) & 1 == 1);
            let part: Map<_, _> = some.map(|(_, (key, value))| (key.clone(), value.clone())).collect();
            prop_assert_eq!(matcher(&part.into()).matches(&value, &Captures::default()), Ok(()));
            let mut more = entries;
            more.insert("other".into(), Value::Null);
            prop_assert!(matcher(&more.into()).matches(&value, &Captures::default()).is_err());
        }
    }

    #[test]
    fn not_is_the_opposite(written in any_matcher(), value in any_value()) {
        let captures = Captures::default();
        let holds = |written: &Value| matcher(written).matches(&value, &captures).is_ok();
        prop_assert_ne!(holds(&written), holds(&json!({"$not": written})));
        prop_assert_eq!(holds(&written), holds(&json!({"$all": [written]})));
        prop_assert_eq!(holds(&written), holds(&json!({"$any": [written]})));
    }

    #[test]
    fn the_first_difference_is_the_first_of_all(written in any_matcher(), value in any_value()) {
        let (matcher, captures) = (matcher(&written), Captures::default());
        let first = matcher.matches(&value, &captures).err();
        prop_assert_eq!(first, matcher.differences(&value, &captures).into_iter().next());
    }

    #[test]
    fn a_difference_points_at_a_value_that_is_there_or_lacks_only_its_last_step(
        written in any_matcher(), value in any_value()
    ) {
        for difference in matcher(&written).differences(&value, &Captures::default()) {
            let parent = difference.pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
            prop_assert!(value.pointer(parent).is_some(), "{}", difference);
        }
    }

    #[test]
    fn the_model_script_s_matcher_says_the_same(written in any_matcher(), value in any_value()) {
        // Places are filled before a script is read.
        prop_assume!(!PLACE.is_match(&written.to_string()));
        let expect = mock_provider::script::Expect { body: Some(written.clone()), ..Default::default() };
        let request = mock_provider::Request::in_process(0, mock_provider::Wire::AnthropicMessages, value.clone());
        let theirs = mock_provider::mismatches(&expect, &request);
        let ours = matcher(&written).differences(&value, &Captures::default());
        prop_assert_eq!(ours.is_empty(), theirs.is_empty(), "{:?} {:?}", ours, theirs);
    }

    #[test]
    fn a_template_without_places_renders_to_itself(value in any_value()) {
        prop_assert_eq!(Template::new(literal_texts(&value)).render(&Captures::default()), Ok(value));
    }
}

fn literal_texts(value: &Value) -> Value {
    match value {
        Value::Object(entries) => entries
            .iter()
            .map(|(key, value)| (key.clone(), literal_texts(value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.iter().map(literal_texts).collect(),
        other => literal(other),
    }
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
                "1:6 unknown operator `$regx`; did you mean `$regex`? (one of $regex, $contains, $type, $one_of, $absent, $present, $length, $items, $gte, $gt, $lte, $lt, $ne, $not, $all, $any)",
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
