//! The model script of a scenario, or alone in a file.

use mock_provider::Script;
use spanned_yaml::{Error, Node, decode_all};

/// The script's node: a file that is a list of replies, or the `model` part of a whole scenario.
///
/// # Errors
/// The file is neither.
pub fn model_of(file: &Node) -> Result<&Node, Error> {
    match (file.as_list(), file.get("model")) {
        (Some(_), _) => Ok(file),
        (None, Some(model)) => Ok(model),
        _ => Err(file.error(format!(
            "expected a model script: a list of replies, or a scenario with a `model` part; found {}",
            if file.as_map().is_some() { "a map without `model`".to_owned() } else { file.describe() }
        ))),
    }
}

/// The script in a file of either kind, checked.
///
/// # Errors
/// Every mistake in it, at its place.
pub fn script_of(file: &Node) -> Result<Script, Vec<Error>> {
    check(model_of(file).map_err(|error| vec![error])?)
}

/// Decodes and checks a script's node.
pub(super) fn check(node: &Node) -> Result<Script, Vec<Error>> {
    let script: Script = decode_all(node)?;
    let problems = script.check();
    if problems.is_empty() {
        return Ok(script);
    }
    Err(problems
        .into_iter()
        .map(|problem| node.nearest(&problem.pointer).error(problem.message))
        .collect())
}
