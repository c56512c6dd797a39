//! The calls of the model that the host receives, compared with those that the model made.
//!
//! An agent may add arguments, and give a longer path of a file.

use super::memory::{Check, Compared};
use super::request::without_spaces;
use serde_json::Value;

/// Most calls that are remembered. What comes after them is unknown.
const MOST_CALLS: usize = 1024;

/// The calls of the model in a session.
#[derive(Debug, Clone, Default)]
pub struct Calls {
    /// Requests that have no answer yet.
    open: usize,
    /// The calls of the session, with their ids.
    made: Vec<(String, Value)>,
    /// Calls that the host received while answers were open.
    early: Vec<(String, Value)>,
}

impl Calls {
    /// Notes a request to the model.
    pub fn note_request(&mut self) {
        self.open += 1;
    }

    /// Notes the end of an answer, and its message if it came completely. Compares its calls that the host received.
    pub fn note_answer(&mut self, message: &Value) -> Compared {
        self.open = self.open.saturating_sub(1);
        for part in message.as_array().into_iter().flatten() {
            if let (Some(id), true) = (part["call"]["id"].as_str(), self.made.len() < MOST_CALLS) {
                let arguments = part["call"]["arguments"].clone();
                self.made.push((id.to_owned(), arguments));
            }
        }
        let mut all = Compared::new(Check::Called, 0, None);
        if self.open == 0 {
            for (id, input) in std::mem::take(&mut self.early) {
                let one = self.note_call(&id, &input);
                all.times += one.times;
                all.departure = one.departure;
                if all.departure.is_some() {
                    break;
                }
            }
        }
        all
    }

    /// Notes a call that the host received, and compares it with the model's.
    pub fn note_call(&mut self, id: &str, input: &Value) -> Compared {
        let of_id = || self.made.iter().rev().filter(|(one, _)| one == id);
        let is_told = of_id().any(|(_, said)| tells(input, said));
        if self.open > 0 && !is_told {
            self.early.push((id.to_owned(), input.clone()));
            return Compared::new(Check::Called, 0, None);
        }
        let Some((_, said)) = of_id().next() else {
            return Compared::new(Check::Called, 0, None);
        };
        let departure = (!is_told).then(|| {
            let (input, said) = (shortened(input), shortened(said));
            format!("the host received the call `{id}` with the arguments {input}; the model gave {said}")
        });
        Compared::new(Check::Called, 1, departure)
    }
}

/// The beginning of a value as JSON.
fn shortened(value: &Value) -> String {
    const MOST: usize = 160;
    value.to_string().chars().take(MOST).collect()
}

/// Whether arguments that the host received can be those of the model. More members, a longer path, another type with the same letters and
/// JSON in a text are allowed.
fn tells(told: &Value, said: &Value) -> bool {
    match (told, said) {
        (Value::Object(told), Value::Object(said)) => said.iter().all(|(name, said)| {
            let told = told.get(name);
            said.is_null() || told.is_some_and(|told| tells(told, said))
        }),
        (Value::Array(told), Value::Array(said)) => {
            told.len() == said.len() && told.iter().zip(said).all(|(told, said)| tells(told, said))
        }
        (Value::String(told), Value::String(said)) => {
            let (told, said) = (told.trim(), said.trim());
            let is_path =
                told.starts_with(['/', '~']) && told.ends_with(said.trim_start_matches("./"));
            told == said
                || is_path && !said.is_empty()
                || without_spaces(told) == without_spaces(said)
        }
        (Value::Number(told), Value::Number(said)) => {
            told == said || told.as_f64() == said.as_f64()
        }
        (Value::String(text), other) | (other, Value::String(text)) => {
            serde_json::from_str::<Value>(text).is_ok_and(|parsed| parsed == *other)
        }
        _ => told == said,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_may_be_told_with_more_and_not_with_others() {
        let said = json!({ "path": "a.txt", "limit": 5, "all": true, "note": null });
        for told in [
            said.clone(),
            json!({ "path": "/project/a.txt", "limit": 5.0, "all": "true", "offset": 0 }),
            json!({ "path": " a.txt\r\n", "limit": "5", "all": true, "note": "" }),
        ] {
            assert!(tells(&told, &said), "{told}");
        }
        for told in [
            json!({}),
            json!({ "path": "a.txtx", "limit": 5, "all": true }),
            json!({ "path": "b.txt", "limit": 5, "all": true }),
            json!({ "path": "a.txt", "limit": 6, "all": true }),
            json!({ "path": "a.txt", "limit": 5, "all": false }),
        ] {
            assert!(!tells(&told, &said), "{told}");
        }
        assert!(tells(&json!("[1]"), &json!([1])));
        assert!(!tells(&json!([1, 2]), &json!([1])));
    }

    #[test]
    fn a_call_is_compared_once_the_answer_is_whole_and_only_with_the_model_s_own_id() {
        let message =
            json!([{ "call": { "id": "t1", "name": "read", "arguments": { "path": "a" } } }]);
        let mut calls = Calls::default();
        calls.note_request();
        let nothing = Compared::new(Check::Called, 0, None);
        assert_eq!(calls.note_call("t1", &json!({ "path": "b" })), nothing);
        let found = calls.note_answer(&message);
        let expected = r#"the host received the call `t1` with the arguments {"path":"b"}; the model gave {"path":"a"}"#;
        assert_eq!(
            found,
            Compared::new(Check::Called, 1, Some(expected.to_owned()))
        );
        assert_eq!(calls.note_call("own", &json!({})), nothing);
        let same = Compared::new(Check::Called, 1, None);
        assert_eq!(calls.note_call("t1", &json!({ "path": "a" })), same);
    }
}
