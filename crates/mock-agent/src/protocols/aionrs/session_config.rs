//! `set_config`: the settings of the session, their valid values, and the report of a change.

use serde_json::{Value, json};

#[derive(Debug, Clone)]
pub(super) struct SessionConfig {
    pub(super) model: String,
    pub(super) image_input: &'static str,
    pub(super) mode: &'static str,
    pub(super) mcp: bool,
    pub(super) efforts: &'static [&'static str],
    thinking: bool,
    effort: Option<&'static str>,
    compaction: &'static str,
}

const IMAGE_INPUTS: &[&str] = &["unknown", "supported", "unsupported"];
const COMPACTIONS: &[&str] = &["off", "safe", "full"];

/// The levels of effort of an OpenAI-like provider.
pub(super) const EFFORTS: &[&str] = &["low", "medium", "high"];

impl Default for SessionConfig {
    fn default() -> Self {
        SessionConfig {
            model: String::new(),
            image_input: IMAGE_INPUTS[0],
            mode: "default",
            mcp: false,
            efforts: &[],
            thinking: false,
            effort: None,
            compaction: "safe",
        }
    }
}

/// Applies a member of `set_config`. Returns its part of the report; None if the value is invalid.
type Setting = fn(&mut SessionConfig, &Value) -> Option<String>;

/// In the order of the report.
const SETTINGS: &[(&str, Setting)] = &[
    ("model", model),
    ("image_input", image_input),
    ("thinking", thinking),
    ("thinking_budget", thinking_budget),
    ("effort", effort),
    ("compaction", compaction),
];

impl SessionConfig {
    pub(super) fn capabilities(&self) -> Value {
        json!({
            "tool_approval": true,
            "image_input": self.image_input,
            "thinking": true,
            "effort": !self.efforts.is_empty(),
            "effort_levels": self.efforts,
            "modes": ["default", "auto_edit", "yolo"],
            "current_mode": self.mode,
            "mcp": self.mcp,
        })
    }

    /// Applies the valid members. Returns a report on each member.
    pub(super) fn set(&mut self, changes: &Value) -> String {
        let given = SETTINGS.iter().filter_map(|(name, set)| {
            let value = changes.get(*name).filter(|value| !value.is_null())?;
            let ignored = || format!("{}: ignored invalid value {value}", name.replace('_', " "));
            Some(set(self, value).unwrap_or_else(ignored))
        });
        let report: Vec<_> = given.collect();
        if report.is_empty() {
            return "set_config: no changes".into();
        }
        format!("config updated: {}", report.join(", "))
    }
}

fn one_of(words: &[&'static str], value: &Value) -> Option<&'static str> {
    words.iter().find(|word| value == **word).copied()
}

fn model(config: &mut SessionConfig, value: &Value) -> Option<String> {
    let model = value.as_str().filter(|model| !model.is_empty())?;
    let before = std::mem::replace(&mut config.model, model.to_owned());
    config.image_input = IMAGE_INPUTS[0];
    Some(format!("model: {before} → {model}"))
}

fn image_input(config: &mut SessionConfig, value: &Value) -> Option<String> {
    let word = one_of(IMAGE_INPUTS, value)?;
    let before = std::mem::replace(&mut config.image_input, word);
    Some(format!("image input: {before} → {word}"))
}

fn thinking(config: &mut SessionConfig, value: &Value) -> Option<String> {
    let word = one_of(&["enabled", "disabled"], value)?;
    config.thinking = word == "enabled";
    Some(format!("thinking: {word}"))
}

fn thinking_budget(config: &mut SessionConfig, value: &Value) -> Option<String> {
    let budget = value.as_u64()?;
    Some(if config.thinking {
        format!("thinking budget: {budget}")
    } else {
        "thinking budget: ignored, thinking is disabled".into()
    })
}

fn effort(config: &mut SessionConfig, value: &Value) -> Option<String> {
    if config.efforts.is_empty() {
        return Some("effort: not supported by current provider".into());
    }
    let level = one_of(config.efforts, value)?;
    let before = config.effort.replace(level).unwrap_or("unset");
    Some(format!("effort: {before} → {level}"))
}

fn compaction(config: &mut SessionConfig, value: &Value) -> Option<String> {
    let Some(word) = one_of(COMPACTIONS, value) else {
        let known = COMPACTIONS.join(", ");
        return Some(format!(
            "compaction: invalid (unknown level {value}, expected: {known})"
        ));
    };
    let before = std::mem::replace(&mut config.compaction, word);
    Some(format!("compaction: {before} → {word}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_reported_in_one_line() {
        let mut config = SessionConfig::default();
        let all = json!({ "compaction": "full", "image_input": "supported", "model": "m2", "thinking": "enabled", "thinking_budget": 9 });
        let report = "config updated: model:  → m2, image input: unknown → supported, thinking: enabled, thinking budget: 9, compaction: safe → full";

        assert_eq!(config.set(&all), report);
        let none = json!({ "model": null, "x": 1 });
        assert_eq!(config.set(&none), "set_config: no changes");
        assert_eq!(config.capabilities()["image_input"], "supported");
        config.set(&json!({ "model": "m3" }));
        assert_eq!(config.image_input, "unknown", "a new model resets it");
    }

    #[test]
    fn an_invalid_value_is_reported_and_changes_nothing() {
        for (name, value) in [
            ("model", json!(7)),
            ("image_input", json!("perhaps")),
            ("thinking", json!("maybe")),
            ("thinking_budget", json!("x")),
            ("effort", json!("high")),
            ("compaction", json!("wild")),
        ] {
            let mut config = SessionConfig::default();
            let before = format!("{config:?}");
            assert!(
                config
                    .set(&json!({ name: value }))
                    .starts_with("config updated: ")
            );
            assert_eq!(format!("{config:?}"), before);
        }
    }
}
