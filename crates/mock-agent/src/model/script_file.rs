//! Loads a script file for the scripted model: a list of replies, or a scenario, whose `model` part is used.

use json_matcher::Segment;
use mock_provider::Script;
use serde_json::Value;
use spanned_yaml::Node;
use std::path::Path;

/// The values of placeholders `{name}` in a script.
pub(crate) type Placeholders<'a> = &'a [(&'a str, String)];

/// Loads a script file and replaces the placeholders in it.
///
/// # Errors
/// What is wrong with the file, and where.
pub(crate) fn load(path: &Path, placeholders: Placeholders<'_>) -> Result<Script, String> {
    let node = spanned_yaml::load_file(path).map_err(|error| error.headline())?;
    script(path, node, placeholders)
}

/// The script of a file that is loaded, with its placeholders replaced.
///
/// # Errors
/// What is wrong with the file, and where.
pub(crate) fn script(
    path: &Path,
    node: Node,
    placeholders: Placeholders<'_>,
) -> Result<Script, String> {
    let node = node.get("model").cloned().unwrap_or(node);
    let script: Script = spanned_yaml::decode(&node).map_err(|error| error.headline())?;
    if let Some(problem) = script.check().first() {
        return Err(format!("{}: {problem}", path.display()));
    }
    let mut value = node.to_value();
    replace(&mut value, placeholders);
    Script::from_value(value).map_err(|problem| format!("{}: {problem}", path.display()))
}

/// Replaces the known placeholders in a value; unknown ones stay.
fn replace(value: &mut Value, placeholders: Placeholders<'_>) {
    match value {
        Value::String(text) => *text = replaced(text, placeholders),
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| replace(item, placeholders)),
        Value::Object(map) => map
            .values_mut()
            .for_each(|value| replace(value, placeholders)),
        _ => {}
    }
}

fn replaced(text: &str, placeholders: Placeholders<'_>) -> String {
    let known = |name: &str| placeholders.iter().find(|(known, _)| *known == name);
    let parts = json_matcher::segments(text)
        .into_iter()
        .map(|segment| match segment {
            Segment::Text(text) => text.to_owned(),
            Segment::Placeholder(name) => {
                known(name).map_or_else(|| format!("{{{name}}}"), |(_, value)| value.clone())
            }
        });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(text: &str) -> Result<Script, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.yaml");
        std::fs::write(&path, text).unwrap();
        load(&path, &[("workspace", "/w".into())])
    }

    #[test]
    fn a_list_of_replies_and_a_scenario_are_both_scripts() {
        let list = loaded("- text: Hi in {workspace}, {call}").unwrap();
        let scenario =
            loaded("name: x\nmodel:\n  - text: Hi in {workspace}, {call}\nsteps: []").unwrap();

        assert_eq!(list, scenario);
        let text = list.replies[0].text.as_ref().unwrap().joined();
        assert_eq!(text, "Hi in /w, {call}");
    }

    #[test]
    fn a_mistake_is_reported_with_its_location() {
        let unknown = loaded("- txt: Hi").unwrap_err();
        assert!(unknown.contains("s.yaml:1:"), "{unknown}");

        let empty = loaded("- usage: {input: 1}").unwrap_err();
        assert!(empty.contains("/0: the reply says nothing"), "{empty}");
    }
}
