//! The members of a body, as the API reads JSON: <https://protobuf.dev/programming-guides/json/>. It accepts names in camel case and in snake
//! case, and one object for a list of it.

use serde_json::{Map, Value};

/// Members whose values are not of the API: arguments, results and schemas in JSON.
const OPAQUE: [&str; 6] = [
    "args",
    "response",
    "parametersJsonSchema",
    "responseJsonSchema",
    "default",
    "example",
];

/// Members whose values are maps with names of the client.
const MAPS: [&str; 2] = ["properties", "labels"];

/// Lists that one object may stand for.
const LISTS: [&str; 4] = ["contents", "parts", "tools", "functionDeclarations"];

/// A body with every name in camel case, and with lists where the API has lists.
pub(crate) fn normalized(body: Value) -> Value {
    match body {
        Value::Object(members) => {
            let renamed = members.into_iter().map(|(name, value)| {
                let name = camel_case(&name);
                let value = member(&name, value);
                (name, value)
            });
            Value::Object(renamed.collect())
        }
        Value::Array(items) => items.into_iter().map(normalized).collect(),
        other => other,
    }
}

fn member(name: &str, value: Value) -> Value {
    match value {
        value if OPAQUE.contains(&name) => value,
        Value::Object(map) if MAPS.contains(&name) => {
            let values = map.into_iter().map(|(key, value)| (key, normalized(value)));
            Value::Object(values.collect::<Map<_, _>>())
        }
        Value::Object(one) if LISTS.contains(&name) => vec![normalized(Value::Object(one))].into(),
        value => normalized(value),
    }
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    // A name that begins with an underscore is not one of the API.
    if first.is_empty() {
        return name.to_owned();
    }
    words.fold(first, |name, word| {
        let mut letters = word.chars();
        let initial = letters.next().map(|letter| letter.to_ascii_uppercase());
        name + &initial.into_iter().chain(letters).collect::<String>()
    })
}

/// A name as the API shows it in messages.
pub(in crate::wire) fn snake_case(name: &str) -> String {
    name.chars().fold(String::new(), |mut snake, letter| {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
        snake
    })
}
