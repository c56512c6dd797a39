//! Lints of `{name}` placeholders and captures: names used before they are captured, never used, captured twice, or reserved.

use super::mcp;
use crate::scenario::client;
use crate::scenario::context::LoadContext;
use crate::scenario::file::{ScenarioFile, StepVerb, TextMap};
use crate::scenario::types::AgentSetup;
use indexmap::IndexMap;
use json_matcher::{Segment, is_name, segments};
use spanned_yaml::{Span, Spanned, suggestion};

/// Names that are always defined.
const BUILTINS: &[&str] = &["workspace", "home", "llm_url"];
/// The name that is defined where the dialect has a client.
const ABILITIES: &str = "abilities";
/// The name that scripts of MCP servers may use.
const MCP_BUILTINS: &[&str] = &["workspace"];
/// The names that model scripts may use.
const MODEL_BUILTINS: &[&str] = &["workspace", "home"];

/// The captured names, with their locations and whether they are used.
#[derive(Default)]
struct CaptureScope {
    names: IndexMap<String, (Span, bool)>,
}

pub(super) fn steps(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    let mut scope = CaptureScope::default();
    let is_captured = |used: &Spanned<String>| !mcp::is_server(file, used);
    for (n, step) in file.steps.iter().enumerate() {
        scope.uses(used_by(&step.verb).filter(is_captured), context);
        scope.captures(&step.keys.capture, context);
        if n < file.of_prelude {
            // Not each scenario needs them.
            scope.names.values_mut().for_each(|(_, used)| *used = true);
        }
    }
    for value in client::values(file) {
        let used = json_matcher::placeholders_in(value).into_iter();
        scope.uses(used.filter(is_captured), context);
    }
    scope.end(context);
}

pub(super) fn answers(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    for answer in &file.answers {
        let mut scope = CaptureScope::default();
        scope.uses(json_matcher::placeholders_in(&answer.on), context);
        scope.captures(&answer.capture, context);
        let sent = json_matcher::placeholders_in(&answer.send).into_iter();
        scope.uses(sent.filter(|used| !mcp::is_server(file, used)), context);
        scope.end(context);
    }
}

/// Texts that are filled in before the first step.
pub(super) fn fixed(file: &ScenarioFile, context: &mut LoadContext<'_>) {
    let states = file.files_after.values();
    let after = states.flat_map(json_matcher::placeholders_in);
    let used = file.files.values().flat_map(placeholders);
    let advice = "only these can be used here";
    for placeholder in used.chain(agent_texts(&file.agent)).chain(after) {
        known(&placeholder, BUILTINS, advice, context);
    }
    let scripts = context.root.get("mcp");
    for placeholder in scripts.into_iter().flat_map(json_matcher::placeholders_in) {
        known(&placeholder, MCP_BUILTINS, advice, context);
    }
    for placeholder in file.model.iter().flat_map(json_matcher::placeholders_in) {
        let advice = format!(
            "a script can use only these; write a literal `{{{0}}}` as `{{{{{0}}}}}`",
            placeholder.value
        );
        known(&placeholder, MODEL_BUILTINS, &advice, context);
    }
}

fn known(
    placeholder: &Spanned<String>,
    names: &[&str],
    advice: &str,
    context: &mut LoadContext<'_>,
) {
    if !names.contains(&placeholder.as_str()) {
        let (word, names) = (placeholder.as_str(), names.join(", "));
        let message = format!("unknown placeholder `{word}` (known: {names}): {advice}");
        context.error(placeholder.span, message);
    }
}

impl CaptureScope {
    fn uses(
        &mut self,
        placeholders: impl IntoIterator<Item = Spanned<String>>,
        context: &mut LoadContext<'_>,
    ) {
        for placeholder in placeholders {
            let has_client = context
                .dialect
                .is_some_and(|dialect| dialect.client.is_some());
            let is_declared = has_client && placeholder.as_str() == ABILITIES;
            if is_declared || BUILTINS.contains(&placeholder.as_str()) {
                continue;
            }
            match self.names.get_mut(&placeholder.value) {
                Some((_, used)) => *used = true,
                None => {
                    let captured = self.names.keys().map(String::as_str);
                    let name = &placeholder.value;
                    let mut hint = suggestion(name, captured.chain(BUILTINS.iter().copied()));
                    if hint.is_empty() {
                        hint = format!("; write a literal `{{{name}}}` as `{{{{{name}}}}}`");
                    }
                    let message = format!("no earlier step captures `{name}`{hint}");
                    context.error(placeholder.span, message);
                }
            }
        }
    }

    fn captures(&mut self, captures: &TextMap, context: &mut LoadContext<'_>) {
        for (name, pointer) in captures {
            let mut pointers = pointer.split(" | ");
            if let Some(wrong) = pointers.find(|one| !one.is_empty() && !one.starts_with('/')) {
                let message = format!("a JSON Pointer starts with `/`: write `/{wrong}`");
                context.error(pointer.span, message);
            }
            let word = name.as_str();
            let mistake = if !is_name(word) {
                format!("`{word}` is not a valid name: use letters, digits and `_`")
            } else if word == ABILITIES || BUILTINS.contains(&word) {
                format!("`{word}` is predefined and cannot be captured")
            } else if let Some((earlier, _)) = self.names.get(word) {
                format!("`{word}` is already captured in line {}", earlier.line)
            } else {
                self.names.insert(word.to_owned(), (name.span, false));
                continue;
            };
            context.error(name.span, mistake);
        }
    }

    fn end(self, context: &mut LoadContext<'_>) {
        for (name, (span, used)) in self.names {
            if !used {
                context.error(span, format!("`{name}` is captured and never used"));
            }
        }
    }
}

fn used_by(verb: &StepVerb) -> std::vec::IntoIter<Spanned<String>> {
    let values = match verb {
        StepVerb::SendRaw(text) => return placeholders(text).into_iter(),
        StepVerb::Restart(setup) => {
            let used: Vec<_> = setup.iter().flat_map(agent_texts).collect();
            return used.into_iter();
        }
        StepVerb::ExpectFile(files) => files.values().collect(),
        _ => verb.values(),
    };
    let used = values.into_iter().flat_map(json_matcher::placeholders_in);
    used.collect::<Vec<_>>().into_iter()
}

fn agent_texts(agent: &AgentSetup) -> impl Iterator<Item = Spanned<String>> {
    let texts = agent.args.iter().chain(agent.env.values().flatten());
    texts.flat_map(placeholders)
}

fn placeholders(text: &Spanned<String>) -> Vec<Spanned<String>> {
    let named = |segment| match segment {
        Segment::Placeholder(name) => Some(Spanned {
            value: str::to_owned(name),
            span: text.span,
        }),
        Segment::Text(_) => None,
    };
    segments(text).into_iter().filter_map(named).collect()
}
