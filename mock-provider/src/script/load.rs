//! Loads scripts from YAML files.

use std::path::Path;

use json_matcher::{Captures, Template, placeholders_in};
use spanned_yaml::{Error, Node, Spanned, decode_all, unknown};

use super::Script;

impl Script {
    /// Decodes and checks the script in a file: a list of replies, or a scenario, whose `model` part is used.
    ///
    /// # Errors
    /// Every mistake, with its location.
    pub fn of_file(file: &Node) -> Result<Self, Vec<Error>> {
        Self::of_node(replies(file)?)
    }

    /// Decodes and checks a list of replies.
    ///
    /// # Errors
    /// Every mistake, with its location.
    pub fn of_node(replies: &Node) -> Result<Self, Vec<Error>> {
        let script: Script = decode_all(replies)?;
        let problems = script.check().into_iter();
        let errors: Vec<_> = problems
            .map(|problem| replies.nearest(&problem.pointer).error(problem.message))
            .collect();
        errors.is_empty().then_some(script).ok_or(errors)
    }

    /// The script in a file, as [`of_file`](Self::of_file), with `{workspace}` and `{home}` filled.
    ///
    /// # Errors
    /// Every mistake, with its location; an unknown placeholder.
    pub fn load(file: &Node, workspace: &Path) -> Result<Self, Vec<Error>> {
        Self::of_file(file)?;
        let replies = replies(file)?;
        let home = std::env::var("HOME").unwrap_or_default();
        let known = [
            ("workspace", workspace.to_string_lossy()),
            ("home", home.into()),
        ];
        let mut values = Captures::default();
        known
            .iter()
            .for_each(|(name, value)| values.set(*name, value.as_ref()));
        let mut errors = Vec::new();
        for Spanned { value: name, span } in placeholders_in(replies) {
            if values.get(&name).is_none() {
                let unknown = unknown("name", &name, known.iter().map(|(name, _)| *name));
                let message =
                    format!("{unknown}; braces as text are written twice: `{{{{{name}}}}}`");
                errors.push(replies.error_at(span, message));
            }
        }
        match Template::new(replies.to_value()).render(&values) {
            Ok(filled) => Script::from_value(filled).map_err(|problem| {
                let at = replies.nearest(&problem.pointer);
                vec![at.error(problem.message)]
            }),
            Err(_) => Err(errors),
        }
    }
}

/// The list of replies in a file.
fn replies(file: &Node) -> Result<&Node, Vec<Error>> {
    match (file.as_list(), file.get("model")) {
        (Some(_), _) => Ok(file),
        (None, Some(model)) => Ok(model),
        _ => Err(vec![file.error(format!(
            "expected a model script: a list of replies, or a scenario with a `model` part; found {}",
            if file.as_map().is_some() { "a map without `model`".to_owned() } else { file.describe() }
        ))]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(text: &str) -> Result<Script, String> {
        let node = spanned_yaml::load_yaml("s.yaml", text).unwrap();
        Script::load(&node, Path::new("/w")).map_err(|errors| errors[0].headline())
    }

    #[test]
    fn a_list_of_replies_and_a_scenario_are_both_scripts() {
        let list = loaded("- text: Hi in {workspace}, {{call}}").unwrap();
        let scenario =
            loaded("name: x\nmodel:\n  - text: Hi in {workspace}, {{call}}\nsteps: []").unwrap();

        assert_eq!(list, scenario);
        let text = list.replies[0].text.as_ref().unwrap().joined();
        assert_eq!(text, "Hi in /w, {call}");
    }

    #[test]
    fn a_mistake_is_reported_with_its_location() {
        for (text, mistake) in [
            ("- txt: Hi", "s.yaml:1:3: unknown key `txt`"),
            (
                "- usage: { input: 1 }",
                "s.yaml:1:3: the reply says nothing",
            ),
            ("- text: '{cal}'", "s.yaml:1:9: unknown name `cal`"),
            ("steps: []", "s.yaml:1:1: expected a model script"),
        ] {
            let found = loaded(text).unwrap_err();
            assert!(found.starts_with(mistake), "{found}");
        }
    }
}
