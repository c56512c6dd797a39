//! The ids of requests, as exact as their JSON text.

use serde_json::value::RawValue;
use serde_json::{Number, Value};
use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};

/// The id of a request. Ids of different types are different: `1`, `1.0` and `"1"`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MessageId {
    /// `null`.
    Null,
    /// A text.
    Text(String),
    /// A number without fraction and exponent, digit by digit.
    Integer(String),
    /// Any other number.
    Fraction(String),
}

impl MessageId {
    /// The id with this value, in a message with this text. `None` if a value of this type is not an id.
    pub fn read(id: &Value, text: &str) -> Option<Self> {
        match id {
            Value::Null => Some(MessageId::Null),
            Value::String(text) => Some(MessageId::Text(text.clone())),
            Value::Number(number) => Some(MessageId::of_number(number, text)),
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// An integer of more than 64 bits is only in the text of the message.
    fn of_number(number: &Number, text: &str) -> Self {
        if !number.is_f64() {
            return MessageId::Integer(number.to_string());
        }
        let is_integer = |digits: &String| {
            let digits = digits.strip_prefix('-').unwrap_or(digits);
            digits.bytes().all(|byte| byte.is_ascii_digit())
        };
        match written_id(text).filter(is_integer) {
            Some(digits) => MessageId::Integer(digits),
            None => MessageId::Fraction(number.to_string()),
        }
    }

    /// The ids of other types that a careless reader takes for this one.
    pub(super) fn lookalikes(&self) -> Vec<MessageId> {
        let others = |digits: &str| {
            vec![
                MessageId::Integer(digits.to_owned()),
                MessageId::Text(digits.to_owned()),
                MessageId::Fraction(format!("{digits}.0")),
                MessageId::Text(format!("{digits}.0")),
            ]
        };
        match self {
            MessageId::Null => Vec::new(),
            MessageId::Integer(digits) => others(digits),
            MessageId::Text(text) | MessageId::Fraction(text) => {
                let mut all = others(text.strip_suffix(".0").unwrap_or(text));
                all.push(MessageId::Fraction(text.clone()));
                all
            }
        }
    }

    /// Whether it is an integer of so many digits that 64 bits of floating point may not hold it.
    pub(super) fn is_large(&self) -> bool {
        matches!(self, MessageId::Integer(digits) if digits.len() > 15)
    }

    /// Whether it is another integer that becomes the same number in 64 bits of floating point.
    pub(super) fn is_rounded_as(&self, other: &MessageId) -> bool {
        let (MessageId::Integer(one), MessageId::Integer(other)) = (self, other) else {
            return false;
        };
        let rounded = |digits: &str| digits.parse::<f64>().ok();
        one != other && rounded(one) == rounded(other)
    }
}

/// The id as the text of a message writes it; of several the last one.
fn written_id(text: &str) -> Option<String> {
    let members: HashMap<String, &RawValue> = serde_json::from_str(text).ok()?;
    members.get("id").map(|id| id.get().to_owned())
}

/// As in JSON.
impl Display for MessageId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            MessageId::Null => f.write_str("null"),
            MessageId::Text(text) => write!(f, "{}", Value::from(text.as_str())),
            MessageId::Integer(number) | MessageId::Fraction(number) => f.write_str(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(written: &str) -> Option<MessageId> {
        let text = format!(r#"{{"id":0,"id":{written}}}"#);
        let value: Value = serde_json::from_str(written).unwrap();
        MessageId::read(&value, &text)
    }

    #[test]
    fn ids_are_told_apart_as_their_text_does() {
        let different = [
            "null",
            "1",
            "1.0",
            "\"1\"",
            "\"1.0\"",
            "9007199254740992",
            "9007199254740993",
            "100000000000000000000000000000000",
            "100000000000000000000000000000001",
            "-3",
        ];
        for (n, one) in different.iter().enumerate() {
            for (m, other) in different.iter().enumerate() {
                assert_eq!(id(one) == id(other), n == m, "{one} and {other}");
            }
        }
        assert_eq!(id("1e3"), id("1000.0"));
        assert_eq!((id("true"), id("[1]"), id("{}")), (None, None, None));
    }

    #[test]
    fn an_id_of_another_type_looks_like_it() {
        for (one, other) in [("1", "\"1\""), ("1", "1.0"), ("\"1\"", "1.0"), ("1.0", "1")] {
            let (one, other) = (id(one).unwrap(), id(other).unwrap());
            assert!(one.lookalikes().contains(&other), "{one} and {other}");
        }
        assert!(!id("1").unwrap().lookalikes().contains(&id("2").unwrap()));
        let rounded = |one: &str, other: &str| id(one).unwrap().is_rounded_as(&id(other).unwrap());
        assert!(rounded("9007199254740992", "9007199254740993"));
        assert!(!rounded("9007199254740992", "9007199254740994") && !rounded("1", "1"));
    }
}
