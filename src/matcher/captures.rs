//! Values remembered under names.

use super::Mismatch;
use indexmap::IndexMap;
use serde_json::Value;

/// Values remembered under names: captures of earlier steps, and the builtins of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Captures {
    values: IndexMap<String, Value>,
}

impl Captures {
    /// Remembers a value, in place of an earlier one of that name.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        self.values.insert(name.into(), value.into());
    }

    /// The value under a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name)
    }

    /// Remembers parts of an event: name to JSON Pointer, as a step's `capture` says.
    ///
    /// # Errors
    /// The event has nothing at one of the pointers; then nothing is remembered.
    pub fn take(
        &mut self,
        wanted: &IndexMap<String, String>,
        event: &Value,
    ) -> Result<(), Mismatch> {
        let mut taken = Vec::with_capacity(wanted.len());
        for (name, pointer) in wanted {
            let value = event.pointer(pointer).ok_or_else(|| Mismatch {
                pointer: pointer.clone(),
                expected: format!("a value to capture as `{name}`"),
                actual: "nothing".to_owned(),
            })?;
            taken.push((name.clone(), value.clone()));
        }
        self.values.extend(taken);
        Ok(())
    }
}
