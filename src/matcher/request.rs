//! What a scenario may say about a request that the agent sends to its model.

use super::{Captures, Matcher, Mismatch, Template};
use crate::frame::LlmRequest;
use mock_provider::script::Expect;
use mock_provider::{Request, Wire};
use spanned_yaml::{Error, Node};

/// What a request to the model must be like.
#[derive(Debug, Clone)]
pub enum RequestMatcher {
    /// A matcher on the raw body.
    Body(Matcher),
    /// The script's own words: `contains`, `tool_result`, …, the same on every wire.
    Demand(Template),
}

/// The keys of the script's own words.
pub(crate) const DEMAND_KEYS: &[&str] = &[
    "contains",
    "not_contains",
    "last_contains",
    "tool_result",
    "body",
];

impl RequestMatcher {
    /// Compiles what is written: the script's own words if every key is one of them, else a matcher on the body.
    ///
    /// # Errors
    /// Every mistake, at its place.
    pub fn compile(node: &Node) -> Result<Self, Vec<Error>> {
        let is_demand = node.as_map().is_some_and(|entries| {
            !entries.is_empty()
                && entries
                    .iter()
                    .all(|(key, _)| DEMAND_KEYS.contains(&key.name.as_str()))
        });
        if !is_demand {
            return Matcher::compile(node).map(RequestMatcher::Body);
        }
        spanned_yaml::decode_all::<Expect>(node)?;
        if let Some(body) = node.get("body") {
            Matcher::compile(body)?;
        }
        Ok(RequestMatcher::Demand(Template::new(node.to_value())))
    }

    /// Whether a request is what is wanted.
    ///
    /// # Errors
    /// The first difference.
    pub fn matches(&self, request: &LlmRequest, captures: &Captures) -> Result<(), Mismatch> {
        match self {
            RequestMatcher::Body(matcher) => matcher.matches(&request.body, captures),
            RequestMatcher::Demand(template) => demand(template, request, captures),
        }
    }

    /// What is wanted as written, the places it can fill filled, on one line of JSON.
    #[must_use]
    pub fn describe(&self, captures: &Captures) -> String {
        match self {
            RequestMatcher::Body(matcher) => matcher.describe(captures),
            RequestMatcher::Demand(template) => template.show(captures).to_string(),
        }
    }
}

fn demand(template: &Template, request: &LlmRequest, captures: &Captures) -> Result<(), Mismatch> {
    let unfit = |error: String| Mismatch {
        pointer: String::new(),
        expected: error,
        actual: "nothing to compare".to_owned(),
    };
    let rendered = template
        .render(captures)
        .map_err(|error| unfit(error.to_string()))?;
    let expect: Expect =
        serde_json::from_value(rendered).map_err(|error| unfit(error.to_string()))?;
    let Some(wire) = Wire::ALL
        .iter()
        .copied()
        .find(|wire| request.path.ends_with(wire.path()))
    else {
        return Err(Mismatch {
            pointer: String::new(),
            expected: "a request for a message".to_owned(),
            actual: format!("one to {}", request.path),
        });
    };
    let request = Request::in_process(request.n, wire, request.body.clone());
    let first = mock_provider::mismatches(&expect, &request)
        .into_iter()
        .next();
    first.map_or(Ok(()), |found| {
        Err(Mismatch {
            pointer: found.pointer,
            expected: found.expected,
            actual: found.actual,
        })
    })
}
