//! Captures: values by name, which fill placeholders.

use crate::mismatch::Mismatch;
use indexmap::IndexMap;
use serde_json::Value;

/// Values by name: captures of earlier steps, and the builtins of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Captures {
    values: IndexMap<String, Value>,
}

impl Captures {
    /// Sets a value, and replaces an earlier one of that name.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        self.values.insert(name.into(), value.into());
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// Captures parts of a value: `pointers` has a JSON Pointer for each name, or several between ` | `, of which the first that has a value
    /// counts. In a list, the step `NAME=TEXT` is the first element whose member NAME is this text.
    ///
    /// # Errors
    /// The value has nothing at one of the pointers; then nothing is captured.
    pub fn take(
        &mut self,
        pointers: &IndexMap<String, String>,
        value: &Value,
    ) -> Result<(), Mismatch> {
        let mut taken = Vec::with_capacity(pointers.len());
        for (name, pointer) in pointers {
            let mut parts = pointer.split(" | ").map(|pointer| part_at(value, pointer));
            let part = parts.find_map(|part| part).ok_or_else(|| Mismatch {
                pointer: pointer.clone(),
                matcher_pointer: String::new(),
                expected: format!("a value to capture as `{name}`"),
                actual: "nothing".to_owned(),
            })?;
            taken.push((name.clone(), part.clone()));
        }
        self.values.extend(taken);
        Ok(())
    }
}

/// The part of a value at a JSON Pointer with steps that choose an element by a member of it.
fn part_at<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    let mut steps = pointer.split('/').skip(1);
    steps.try_fold(value, |part, step| {
        let chosen = |list: &'v Vec<Value>| {
            let (name, text) = step.split_once('=')?;
            list.iter().find(|one| one[name] == text)
        };
        let by_member = part.as_array().and_then(chosen);
        by_member.or_else(|| part.pointer(&format!("/{step}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_element_of_a_list_is_chosen_by_its_place_or_by_a_member() {
        let value =
            json!({ "a/b": [{ "kind": "x", "of": [1] }, { "kind": "y", "of": [2, 3] }], "k=v": 4 });
        let at = |pointer| part_at(&value, pointer).cloned();
        assert_eq!(at(""), Some(value.clone()));
        assert_eq!(at("/a~1b/0/of/0"), Some(json!(1)));
        assert_eq!(at("/a~1b/kind=y/of/1"), Some(json!(3)));
        assert_eq!(at("/a~1b/kind=z"), None);
        assert_eq!(at("/k=v"), Some(json!(4)));
        assert_eq!(at("/"), None);
    }
}
