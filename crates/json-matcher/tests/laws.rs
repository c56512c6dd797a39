//! Property tests: laws of every matcher.

use json_matcher::{Captures, Matcher, Template, escape};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn matcher(written: &Value) -> Matcher {
    Matcher::compile(written).expect("a good matcher")
}

/// A value with each key and each text changed.
fn changed(value: &Value, key: fn(&str) -> String, text: fn(&str) -> String) -> Value {
    match value {
        Value::String(one) => Value::from(text(one)),
        Value::Array(items) => items.iter().map(|item| changed(item, key, text)).collect(),
        Value::Object(entries) => {
            let entries = entries.iter();
            let entries = entries.map(|(name, one)| (key(name), changed(one, key, text)));
            entries.collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// The matcher that matches exactly a value.
fn literal(value: &Value) -> Value {
    changed(value, escaped, escape)
}

/// A key as written in a matcher: a doubled `$` is a plain one.
fn escaped(key: &str) -> String {
    let doubled = if key.starts_with('$') { "$" } else { "" };
    format!("{doubled}{key}")
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
    fn a_value_matches_itself_as_a_filled_matcher(value in any_value()) {
        let matcher = Matcher::compile_filled(&changed(&value, escaped, str::to_owned)).expect("a good matcher");
        prop_assert_eq!(matcher.differences(&value, &Captures::default()), []);
    }

    #[test]
    fn a_difference_points_to_a_part_of_the_matcher(written in any_matcher(), value in any_value()) {
        for difference in matcher(&written).differences(&value, &Captures::default()) {
            prop_assert!(written.pointer(&difference.matcher_pointer).is_some(), "{}", difference.matcher_pointer);
        }
    }

    #[test]
    fn a_template_without_placeholders_renders_to_itself(value in any_value()) {
        prop_assert_eq!(Template::new(changed(&value, str::to_owned, escape)).render(&Captures::default()), Ok(value));
    }
}
