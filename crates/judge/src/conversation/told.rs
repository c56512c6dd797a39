//! What the host receives of the model's answers: its texts, and the arguments of its calls.
//!
//! An agent may leave answers out, such as titles, add texts of its own and more arguments, and give a longer path of a file. The part of
//! an answer that it sends must be unchanged.

use super::memory::{Check, Compared};
use super::request::{BETWEEN_PARTS, Content, Contents, Role, quoted, without_spaces};
use serde_json::Value;

/// Most bytes of the texts of a turn that are remembered. A longer turn is unknown.
const MOST_BYTES: usize = 16 << 20;

/// Most calls that are remembered. What comes after them is unknown.
const MOST_CALLS: usize = 1024;

/// The number of characters at an end of an answer that do not occur in another text by chance.
const PROBE: usize = 12;

/// The answers of the model, and what the host received of them.
#[derive(Debug, Clone, Default)]
pub struct Told {
    /// Requests that have no answer yet.
    open: usize,
    /// The requests of the turn.
    requests: usize,
    /// The texts of its answers, in parts.
    answers: Vec<String>,
    /// The text that the host received in it.
    text: String,
    /// Whether it was stopped or has failed, so that the host may receive only a part of answers.
    is_undone: bool,
    /// The calls of the session, with their ids.
    calls: Vec<(String, Value)>,
    /// Calls that the host received while answers were open.
    early: Vec<(String, Value)>,
}

impl Told {
    /// Notes a request to the model.
    pub fn note_request(&mut self) {
        self.open += 1;
        self.requests += 1;
    }

    /// Notes a text that the host received.
    pub fn note_text(&mut self, text: &str) {
        self.text.push_str(text);
        self.is_undone |= self.text.len() > MOST_BYTES;
    }

    /// From here to the end of the turn, the host may receive only a part of answers.
    pub fn undo_turn(&mut self) {
        self.is_undone = true;
    }

    /// Notes the end of an answer, and its message if it came completely. Compares its calls that the host received.
    pub fn note_answer(&mut self, message: &Value) -> Compared {
        self.open = self.open.saturating_sub(1);
        for part in message.as_array().into_iter().flatten() {
            if let (Some(id), true) = (part["call"]["id"].as_str(), self.calls.len() < MOST_CALLS) {
                let arguments = part["call"]["arguments"].clone();
                self.calls.push((id.to_owned(), arguments));
            }
        }
        for content in Contents::of_reply(message) {
            if let Content::Text(Role::Model, text) = content {
                let parts = text.split(BETWEEN_PARTS).map(str::to_owned);
                self.answers.extend(parts);
            }
        }
        let mut all = compared(Check::Called, 0, None);
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
        let of_id = || self.calls.iter().rev().filter(|(one, _)| one == id);
        let is_told = of_id().any(|(_, said)| tells(input, said));
        if self.open > 0 && !is_told {
            self.early.push((id.to_owned(), input.clone()));
            return compared(Check::Called, 0, None);
        }
        let Some((_, said)) = of_id().next() else {
            return compared(Check::Called, 0, None);
        };
        let departure = (!is_told).then(|| {
            let (input, said) = (shortened(input), shortened(said));
            format!("the call `{id}` is told with the arguments {input}; the model gave {said}")
        });
        compared(Check::Called, 1, departure)
    }

    /// Notes the end of a turn, and compares the text that the host received in it with the model's.
    pub fn end_turn(&mut self) -> Compared {
        let text = std::mem::take(&mut self.text);
        let answers = std::mem::take(&mut self.answers);
        let is_only = std::mem::take(&mut self.requests) == 1;
        if std::mem::take(&mut self.is_undone) || answers.is_empty() {
            return compared(Check::Told, 0, None);
        }
        let told = without_spaces(&text);
        if told.is_empty() {
            return compared(Check::Told, 0, None);
        }
        let changed = answers.iter().find(|answer| {
            let answer = without_spaces(answer);
            !told.contains(&answer)
                && (has_an_end(&told, &answer) || is_only && is_alike(&told, &answer))
        });
        let departure = changed.map(|changed| {
            let said = quoted(changed);
            format!("the model said {said}, and the host was told something else")
        });
        compared(Check::Told, 1, departure)
    }
}

fn compared(check: Check, times: u64, departure: Option<String>) -> Compared {
    Compared {
        check,
        times,
        departure,
    }
}

/// The beginning of a value as JSON.
fn shortened(value: &Value) -> String {
    const MOST: usize = 160;
    value.to_string().chars().take(MOST).collect()
}

/// Whether a text has the beginning or the end of an answer, and so contains a part of it.
fn has_an_end(told: &str, answer: &str) -> bool {
    let start = answer.char_indices().nth(PROBE);
    let end = answer.char_indices().rev().nth(PROBE - 1);
    let (Some((start, _)), Some((end, _))) = (start, end) else {
        return false;
    };
    told.contains(&answer[..start]) || told.contains(&answer[end..])
}

/// Whether at least half of two texts is the same, at their beginning and their end. (What comes at the end of a turn may be the answer to
/// the next one, which the host has not received yet.)
fn is_alike(told: &str, answer: &str) -> bool {
    let same = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| {
        a.zip(b).take_while(|(a, b)| a == b).count()
    };
    let starts = same(&mut told.chars(), &mut answer.chars());
    let ends = same(&mut told.chars().rev(), &mut answer.chars().rev());
    let longest = told.chars().count().max(answer.chars().count());
    2 * (starts + ends) >= longest
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
        let mut told = Told::default();
        told.note_request();
        let nothing = compared(Check::Called, 0, None);
        assert_eq!(told.note_call("t1", &json!({ "path": "b" })), nothing);
        let found = told.note_answer(&message);
        let expected =
            r#"the call `t1` is told with the arguments {"path":"b"}; the model gave {"path":"a"}"#;
        assert_eq!(found, compared(Check::Called, 1, Some(expected.to_owned())));
        assert_eq!(told.note_call("own", &json!({})), nothing);
        let same = compared(Check::Called, 1, None);
        assert_eq!(told.note_call("t1", &json!({ "path": "a" })), same);
    }

    #[test]
    fn the_text_of_an_answer_is_told_as_it_is_or_not_at_all() {
        let turn = |answers: &[&str], told: &str| {
            let mut all = Told::default();
            for answer in answers {
                all.note_request();
                let compared = all.note_answer(&json!([{ "text": answer }]));
                assert_eq!(compared.departure, None);
            }
            all.note_text(told);
            all.end_turn().departure.is_some()
        };
        let (long, title) = ("Seven herons stand in the reeds.", "About birds");
        for (answers, told, changed) in [
            (&[long][..], long, false),
            (&[long], "Seven herons  stand\nin the reeds.", false),
            (&[long, title], long, false),
            (&[long], "Seven herons stand in the weeds.", true),
            (&[long, title], "Seven herons stand in the", true),
            (&["Done."], "Dome.", true),
            (&["Done."], "Don", true),
            (&["Yes."], "I look first", false),
            (&["Done.", title], "Don", false),
            (&["Yes."], "", false),
            (&[], "No.", false),
        ] {
            assert_eq!(turn(answers, told), changed, "{answers:?} {told}");
        }
    }
}
