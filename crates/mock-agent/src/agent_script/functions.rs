//! The functions of agent scripts: a map with one `$` key.

use serde_json::{Number, Value};

/// A function on a value.
pub(super) struct Function {
    /// Its key, such as `$upper`.
    pub(super) name: &'static str,
    pub(super) apply: fn(Value) -> Result<Value, String>,
}

/// Every function.
pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "$upper",
        apply: |value| Ok(text(value)?.to_uppercase().into()),
    },
    Function {
        name: "$lower",
        apply: |value| Ok(text(value)?.to_lowercase().into()),
    },
    Function {
        name: "$words",
        apply: |value| Ok(text(value)?.split_whitespace().collect()),
    },
    Function {
        name: "$lines",
        apply: |value| Ok(text(value)?.lines().collect()),
    },
    Function {
        name: "$characters",
        apply: |value| Ok(text(value)?.chars().map(String::from).collect()),
    },
    Function {
        name: "$join",
        apply: join,
    },
    Function {
        name: "$length",
        apply: |value| match value {
            Value::Array(items) => Ok(items.len().into()),
            Value::Object(entries) => Ok(entries.len().into()),
            other => Ok(text(other)?.chars().count().into()),
        },
    },
    Function {
        name: "$sum",
        apply: |value| {
            let numbers = list(value)?.into_iter().map(number);
            let numbers = numbers.collect::<Result<Vec<_>, _>>()?;
            Ok(sum(&numbers))
        },
    },
    Function {
        name: "$range",
        apply: range,
    },
    Function {
        name: "$first_of",
        apply: |value| {
            let mut items = list(value)?.into_iter();
            Ok(items.find(|item| !item.is_null()).unwrap_or_default())
        },
    },
];

/// Most elements of a range: a script cannot use up the memory by accident.
const MAX_RANGE: u64 = 10_000_000;

/// `{ list: LIST, with: TEXT }`, or the list alone.
fn join(value: Value) -> Result<Value, String> {
    let (items, with) = match value {
        Value::Object(mut entries) => {
            let with = entries.remove("with").unwrap_or_default();
            let items = entries.remove("list").unwrap_or_default();
            let with = if with.is_null() { "".into() } else { with };
            (list(items)?, text(with)?)
        }
        other => (list(other)?, String::new()),
    };
    let texts = items.into_iter().map(|item| match item {
        Value::String(text) => text,
        other => other.to_string(),
    });
    Ok(texts.collect::<Vec<_>>().join(&with).into())
}

/// The numbers from 1 to this one.
fn range(value: Value) -> Result<Value, String> {
    let count = value.as_u64().filter(|count| *count <= MAX_RANGE);
    let count = count
        .ok_or_else(|| format!("expected a whole number from 0 to {MAX_RANGE}, got {value}"))?;
    Ok((1..=count).collect())
}

fn sum(numbers: &[Number]) -> Value {
    let whole = numbers
        .iter()
        .map(Number::as_i64)
        .try_fold(0_i64, |sum, number| sum.checked_add(number?));
    let parts = || numbers.iter().filter_map(Number::as_f64).sum::<f64>();
    whole.map_or_else(|| parts().into(), Value::from)
}

fn text(value: Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(format!("expected a text, got {other}")),
    }
}

fn list(value: Value) -> Result<Vec<Value>, String> {
    match value {
        Value::Array(items) => Ok(items),
        other => Err(format!("expected a list, got {other}")),
    }
}

fn number(value: Value) -> Result<Number, String> {
    match value {
        Value::Number(number) => Ok(number),
        other => Err(format!("expected a number, got {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn applied(name: &str, value: Value) -> Result<Value, String> {
        let function = FUNCTIONS.iter().find(|function| function.name == name);
        (function.expect("a known function").apply)(value)
    }

    #[test]
    fn each_function_has_its_result() {
        for (name, value, expected) in [
            ("$upper", json!("aß"), json!("ASS")),
            ("$lower", json!("AB"), json!("ab")),
            ("$words", json!(" a  b "), json!(["a", "b"])),
            ("$lines", json!("a\nb\n"), json!(["a", "b"])),
            ("$characters", json!("aé"), json!(["a", "é"])),
            ("$join", json!(["a", 1]), json!("a1")),
            (
                "$join",
                json!({"list": ["a", "b"], "with": ", "}),
                json!("a, b"),
            ),
            ("$length", json!("aé"), json!(2)),
            ("$length", json!([1, 2, 3]), json!(3)),
            ("$sum", json!([1, 2]), json!(3)),
            ("$sum", json!([1, 0.5]), json!(1.5)),
            ("$range", json!(3), json!([1, 2, 3])),
            ("$first_of", json!([null, 2, 3]), json!(2)),
        ] {
            assert_eq!(applied(name, value), Ok(expected), "{name}");
        }
    }

    #[test]
    fn a_value_of_the_wrong_type_is_an_error() {
        for (name, value) in [
            ("$upper", json!(1)),
            ("$words", json!(null)),
            ("$join", json!("a")),
            ("$sum", json!(["1"])),
            ("$range", json!(-1)),
            ("$range", json!(u64::MAX)),
        ] {
            let why = applied(name, value).unwrap_err();
            assert!(why.starts_with("expected a"), "{name}: {why}");
        }
    }
}
