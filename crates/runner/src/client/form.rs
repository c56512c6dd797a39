//! Values that fit a form.

use regex::Regex;
use serde_json::{Map, Value, json};

/// Texts that are tried for a pattern.
const TEXTS: &[&str] = &[
    "text",
    "Text",
    "a",
    "A",
    "1",
    "12",
    "123",
    "1234",
    "12345",
    "a1",
    "a-b",
    "2026-01-01",
    "user@example.com",
    "https://example.com/",
];

/// Values for the members of a form by its JSON Schema, as far as they are found; `None` if a required one is not.
pub(crate) fn values_for(schema: &Value) -> Option<Value> {
    let required = schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let mut values = Map::new();
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        match value_for(member) {
            Some(value) => {
                values.insert(name.clone(), value);
            }
            None if is_required(name) => return None,
            None => {}
        }
    }
    let mut names = required.into_iter().flatten().filter_map(Value::as_str);
    names
        .all(|name| values.contains_key(name))
        .then(|| values.into())
}

fn value_for(schema: &Value) -> Option<Value> {
    let given = Some(&schema["default"]).filter(|value| !value.is_null());
    if let Some(value) = given
        .cloned()
        .or_else(|| choices(schema).into_iter().next())
    {
        return Some(value);
    }
    match schema["type"].as_str()? {
        "boolean" => Some(true.into()),
        "string" => text_for(schema).map(Value::from),
        kind @ ("integer" | "number") => number_for(schema, kind == "integer"),
        "array" => {
            let all = choices(&schema["items"]);
            let count = |name: &str| {
                schema[name]
                    .as_u64()
                    .and_then(|count| usize::try_from(count).ok())
            };
            let least = count("minItems").unwrap_or_default();
            let most = count("maxItems").unwrap_or(usize::MAX);
            let chosen: Vec<_> = all.into_iter().take(least.max(1).min(most)).collect();
            (chosen.len() >= least).then(|| chosen.into())
        }
        _ => None,
    }
}

/// The values that a schema lists.
fn choices(schema: &Value) -> Vec<Value> {
    let listed = schema["enum"].as_array().into_iter().flatten().cloned();
    let titled = ["oneOf", "anyOf"]
        .into_iter()
        .filter_map(|key| schema[key].as_array());
    let titled = titled.flatten().filter_map(|one| one.get("const").cloned());
    listed.chain(titled).collect()
}

fn number_for(schema: &Value, is_integer: bool) -> Option<Value> {
    let (least, most) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
    let number = 1.0_f64
        .max(least.unwrap_or(1.0))
        .min(most.unwrap_or(f64::INFINITY));
    let number = if is_integer { number.ceil() } else { number };
    let fits = least.is_none_or(|least| least <= number) && most.is_none_or(|most| number <= most);
    let whole = is_integer.then(|| schema_integer(schema, number));
    fits.then(|| whole.unwrap_or_else(|| json!(number)))
}

/// An integer as it stands in the schema, or this number.
fn schema_integer(schema: &Value, number: f64) -> Value {
    let bounds = ["minimum", "maximum"].into_iter().map(|key| &schema[key]);
    let mut exact = bounds.filter(|bound| bound.as_f64() == Some(number) && !bound.is_f64());
    #[expect(
        clippy::cast_possible_truncation,
        reason = "bounds of a form are integers of 64 bits"
    )]
    exact
        .next()
        .cloned()
        .unwrap_or_else(|| json!(number as i64))
}

fn text_for(schema: &Value) -> Option<String> {
    let count = |name: &str, default: u64| {
        let count = schema[name].as_u64().unwrap_or(default);
        usize::try_from(count).unwrap_or(usize::MAX)
    };
    let (least, most) = (count("minLength", 0), count("maxLength", u64::MAX));
    let of_format = match schema["format"].as_str() {
        Some("email") => Some("user@example.com"),
        Some("uri") => Some("https://example.com/"),
        Some("date") => Some("2026-01-01"),
        Some("date-time") => Some("2026-01-01T00:00:00Z"),
        _ => None,
    };
    let pattern = match schema["pattern"].as_str().map(Regex::new) {
        None => None,
        Some(Ok(pattern)) => Some(pattern),
        Some(Err(_)) => return None,
    };
    let sized = |text: &str| -> String {
        let filler = std::iter::repeat_n('x', least.min(1 << 16).saturating_sub(text.len()));
        text.chars().chain(filler).take(most).collect()
    };
    let texts = of_format.map_or(TEXTS.to_vec(), |text| vec![text]);
    let mut texts = texts.into_iter().map(|text| match of_format {
        Some(text) => text.to_owned(),
        None => sized(text),
    });
    texts.find(|text| {
        let length = text.chars().count();
        least <= length && length <= most && pattern.as_ref().is_none_or(|one| one.is_match(text))
    })
}
