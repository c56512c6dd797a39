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

    /// Captures parts of a value: `pointers` has a JSON Pointer for each name, or several between ` | `, of which the first that has a value counts.
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
            let mut parts = pointer.split(" | ").map(|pointer| value.pointer(pointer));
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
