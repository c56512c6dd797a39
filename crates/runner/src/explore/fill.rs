//! Fills names into the texts of moves. The inserted values are data, so they are escaped for their place in the scenario.

use indexmap::IndexMap;
use json_matcher::{Segment, escape, segments};
use serde_json::{Map, Value};

/// The values, by the names that texts use for them.
pub(super) type Names = IndexMap<String, Value>;

/// The name of the number of a move in its session.
pub(super) const NUMBER: &str = "{#}";

/// The same, which stays a number where it is all of a text.
pub(super) const TYPED_NUMBER: &str = "{#n}";

/// The syntax that the language of scenarios recognizes in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Nothing.
    Plain,
    /// `{name}` in texts.
    Template,
    /// `{name}` in texts, and keys that begin with `$`.
    Matcher,
}

/// A value with the names in its keys and texts filled in. Other placeholders stay as they are.
pub(super) fn fill(value: &Value, names: &Names, number: usize, place: Place) -> Value {
    let inner = |value: &Value| fill(value, names, number, place);
    match value {
        Value::String(text) => fill_text(text, names, number, place),
        Value::Array(items) => items.iter().map(inner).collect(),
        Value::Object(map) => {
            let entries = map.iter();
            let entries = entries.map(|(key, value)| (fill_key(key, names, number), inner(value)));
            Value::Object(entries.collect())
        }
        other => other.clone(),
    }
}

/// A key with the names in it filled in.
pub(super) fn fill_key(key: &str, names: &Names, number: usize) -> String {
    match fill_text(key, names, number, Place::Plain) {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

fn fill_text(text: &str, names: &Names, number: usize, place: Place) -> Value {
    if text == TYPED_NUMBER {
        return number.into();
    }
    if !text.contains('{') && place == Place::Plain {
        return text.into();
    }
    let text = text.replace(NUMBER, &number.to_string());
    let text = text.replace(TYPED_NUMBER, &number.to_string());
    let parts = segments(&text);
    if let [Segment::Placeholder(name)] = parts.as_slice()
        && let Some(value) = names.get(*name)
    {
        return escaped(value, place);
    }
    let written = |text: &str| match place {
        Place::Plain => text.to_owned(),
        Place::Template | Place::Matcher => escape(text),
    };
    let parts = parts.into_iter().map(|part| match part {
        Segment::Text(text) => written(text),
        Segment::Placeholder(name) => match names.get(name) {
            Some(Value::String(text)) => written(text),
            Some(other) => written(&other.to_string()),
            None => format!("{{{name}}}"),
        },
    });
    Value::String(parts.collect())
}

/// Data as it is written in a place, so that it is read as data.
fn escaped(value: &Value, place: Place) -> Value {
    match value {
        Value::String(text) if place != Place::Plain => escape(text).into(),
        Value::Array(items) => items.iter().map(|item| escaped(item, place)).collect(),
        Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| {
                let is_operator = place == Place::Matcher && key.starts_with('$');
                let key = if is_operator {
                    format!("${key}")
                } else {
                    key.clone()
                };
                (key, escaped(value, place))
            });
            Value::Object(entries.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use json_matcher::{Captures, Matcher, Template};
    use proptest::prelude::*;
    use serde_json::json;

    fn names(value: &Value) -> Names {
        Names::from([
            ("a".to_owned(), value.clone()),
            ("open".to_owned(), "3".into()),
        ])
    }

    #[test]
    fn names_numbers_and_other_placeholders() {
        let names = names(&json!("{x} and more"));
        let filled = |value, place| fill(&value, &names, 7, place);
        assert_eq!(
            filled(
                json!({ "m{#}": "{a}", "t": "({a})", "c": "{call{open}} {call{#}}" }),
                Place::Template
            ),
            json!({ "m7": "{{x}} and more", "t": "({{x}} and more)", "c": "{call3} {call7}" })
        );
        assert_eq!(
            filled(json!(["{#n}", "m{#n}"]), Place::Matcher),
            json!([7, "m7"])
        );
        assert_eq!(
            filled(json!("{a} {workspace}"), Place::Plain),
            json!("{x} and more {workspace}")
        );
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![any::<String>(), "[{}$a-c]{0,9}"];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::from),
            text.clone().prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 12, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((text.clone(), inner), 0..4)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_datum_is_read_as_it_was_drawn(value in any_value()) {
            let names = names(&value);
            let template = fill(&json!({ "x": "{a}" }), &names, 1, Place::Template);
            prop_assert_eq!(&Template::new(template).render(&Captures::default()).unwrap()["x"], &value);
            let matcher = fill(&json!({ "x": "{a}" }), &names, 1, Place::Matcher);
            let matcher = Matcher::compile(&matcher).unwrap();
            let event = json!({ "x": value });
            prop_assert!(matcher.matches(&event, &Captures::default()).is_ok());
            prop_assert_eq!(&fill(&json!(["{a}"]), &names, 1, Place::Plain)[0], &value);
        }

        #[test]
        fn any_text_is_read_as_it_was_drawn_between_others(text in any::<String>()) {
            let names = names(&Value::from(text.clone()));
            let template = fill(&json!("<{a}> {#}"), &names, 1, Place::Template);
            let read = Template::new(template).render(&Captures::default()).unwrap();
            prop_assert_eq!(read, Value::from(format!("<{text}> 1")));
        }
    }
}
