//! `set_config`: the settings of the session, their valid values, and the report of a change.

use serde_json::{Map, Value, json};

/// The settings of the session.
#[derive(Debug, Clone)]
pub(super) struct SessionConfig {
    pub(super) model: String,
    pub(super) image_input: &'static str,
    pub(super) mode: &'static str,
    pub(super) mcp: bool,
    /// The levels of effort of the provider.
    pub(super) efforts: &'static [&'static str],
    thinking: bool,
    budget: u64,
    effort: Option<&'static str>,
    compaction: &'static str,
}

const IMAGE_INPUTS: &[&str] = &["unknown", "supported", "unsupported"];
const COMPACTIONS: &[&str] = &["off", "safe", "full"];
const BUDGET: u64 = 10_000;

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
            budget: BUDGET,
            effort: None,
            compaction: "safe",
        }
    }
}

/// Applies a member of `set_config`. Returns its part of the report.
type Setting = fn(&mut SessionConfig, &Value) -> String;

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
    pub(super) fn set(&mut self, changes: &Map<String, Value>) -> String {
        let given = SETTINGS.iter().filter_map(|(name, set)| {
            let value = changes.get(*name).filter(|value| !value.is_null())?;
            Some(set(self, value))
        });
        let report: Vec<_> = given.collect();
        if report.is_empty() {
            return "set_config: no changes".into();
        }
        format!("config updated: {}", report.join(", "))
    }
}

fn ignored(name: &str, value: &Value) -> String {
    format!("{name}: ignored invalid value {value}")
}

/// The word that equals the value.
fn one_of(words: &[&'static str], value: &Value) -> Option<&'static str> {
    words.iter().find(|word| value == **word).copied()
}

fn model(config: &mut SessionConfig, value: &Value) -> String {
    let Some(model) = value.as_str().filter(|model| !model.is_empty()) else {
        return ignored("model", value);
    };
    let before = std::mem::replace(&mut config.model, model.to_owned());
    config.image_input = IMAGE_INPUTS[0];
    format!("model: {before} → {model}")
}

fn image_input(config: &mut SessionConfig, value: &Value) -> String {
    let Some(word) = one_of(IMAGE_INPUTS, value) else {
        return ignored("image input", value);
    };
    let before = std::mem::replace(&mut config.image_input, word);
    format!("image input: {before} → {word}")
}

fn thinking(config: &mut SessionConfig, value: &Value) -> String {
    match one_of(&["enabled", "disabled"], value) {
        Some(word) => {
            config.thinking = word == "enabled";
            format!("thinking: {word}")
        }
        None => ignored("thinking", value),
    }
}

fn thinking_budget(config: &mut SessionConfig, value: &Value) -> String {
    match value.as_u64() {
        Some(budget) if config.thinking => {
            config.budget = budget;
            format!("thinking budget: {budget}")
        }
        Some(_) => "thinking budget: ignored, thinking is disabled".into(),
        None => ignored("thinking budget", value),
    }
}

fn effort(config: &mut SessionConfig, value: &Value) -> String {
    if config.efforts.is_empty() {
        return "effort: not supported by current provider".into();
    }
    match one_of(config.efforts, value) {
        Some(level) => {
            let before = config.effort.replace(level).unwrap_or("unset");
            format!("effort: {before} → {level}")
        }
        None => ignored("effort", value),
    }
}

fn compaction(config: &mut SessionConfig, value: &Value) -> String {
    let Some(word) = one_of(COMPACTIONS, value) else {
        let known = COMPACTIONS.join(", ");
        return format!("compaction: invalid (unknown level {value}, expected: {known})");
    };
    let before = std::mem::replace(&mut config.compaction, word);
    format!("compaction: {before} → {word}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report_of(config: &mut SessionConfig, changes: Value) -> String {
        config.set(changes.as_object().unwrap())
    }

    #[test]
    fn a_change_is_reported_in_one_line() {
        let mut config = SessionConfig::default();
        let all = json!({ "compaction": "full", "image_input": "supported", "model": "m2", "thinking": "enabled", "thinking_budget": 9 });

        assert_eq!(
            report_of(&mut config, all),
            "config updated: model:  → m2, image input: unknown → supported, thinking: enabled, thinking budget: 9, compaction: safe → full"
        );
        assert_eq!(
            report_of(&mut config, json!({ "model": null, "x": 1 })),
            "set_config: no changes"
        );
        assert_eq!(config.capabilities()["image_input"], "supported");
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
            assert!(report_of(&mut config, json!({ name: value })).starts_with("config updated: "));
            assert_eq!(format!("{config:?}"), before);
        }
    }

    #[test]
    fn a_new_model_resets_the_image_input() {
        let mut config = SessionConfig::default();
        report_of(&mut config, json!({ "image_input": "supported" }));
        report_of(&mut config, json!({ "model": "m2" }));
        assert_eq!(config.image_input, "unknown");
    }
}
