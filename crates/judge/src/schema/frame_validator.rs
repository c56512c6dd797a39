//! The validator of one definition.

use super::plain_integer::{PLAIN_INTEGER, plain_integer};
use jsonschema::{Draft, Registry, ValidationError, Validator};
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};

/// The validator of a definition, which is compiled when it is first needed: a session uses few of the definitions of a large file.
#[derive(Debug)]
pub struct FrameValidator {
    /// A schema that refers to the definition.
    reference: Value,
    registry: Arc<Registry<'static>>,
    compiled: OnceLock<Validator>,
}

impl FrameValidator {
    pub(super) fn new(reference: Value, registry: &Arc<Registry<'static>>) -> Self {
        FrameValidator {
            reference,
            registry: Arc::clone(registry),
            compiled: OnceLock::new(),
        }
    }

    /// Compiles the definition.
    ///
    /// # Errors
    /// It is no valid schema.
    pub(super) fn compile(&self) -> Result<&Validator, ValidationError<'static>> {
        if let Some(compiled) = self.compiled.get() {
            return Ok(compiled);
        }
        let compiled = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .should_validate_formats(true)
            .with_keyword(PLAIN_INTEGER, plain_integer)
            .with_registry(&self.registry)
            .build(&self.reference)?;
        Ok(self.compiled.get_or_init(|| compiled))
    }

    /// The compiled validator. A definition that does not compile, which the loader prevents, accepts nothing.
    ///
    /// # Panics
    /// Never: `false` is a valid schema.
    pub fn get(&self) -> &Validator {
        self.compile().unwrap_or_else(|_| {
            self.compiled.get_or_init(|| {
                jsonschema::draft202012::new(&json!(false)).expect("`false` is a valid schema")
            })
        })
    }
}
