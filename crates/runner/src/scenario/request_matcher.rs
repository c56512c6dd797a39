//! Request matchers: the expectations of a scenario about a request to the model, on the raw body or in the keys of a model script.

use conform_judge::frame::LlmRequest;
use json_matcher::{Captures, Matcher, Mismatch, Template, compile_node};
use mock_provider::script::Expect;
use mock_provider::{Request, Wire};
use spanned_yaml::{Error, Node};

/// A matcher on a request to the model.
#[derive(Debug, Clone)]
pub enum RequestMatcher {
    /// A matcher on the raw body.
    Body(Matcher),
    /// The keys of a model script (`contains`, `tool_result`, …), the same on every wire.
    Expect(Template),
}

/// The keys of a model script's `expect_request`, and the expectation of each about a request, in words.
const EXPECT_WORDS: &[(&str, &str)] = &[
    ("contains", "that contains"),
    ("not_contains", "that does not contain"),
    ("last_contains", "whose last message contains"),
    ("tool_result", "with the tool result"),
    ("body", "with the body"),
];

impl RequestMatcher {
    /// Compiles the matcher in a node: the keys of a model script if all keys are such keys, else a matcher on the body.
    ///
    /// # Errors
    /// Every mistake, at its location.
    pub fn compile(node: &Node) -> Result<Self, Vec<Error>> {
        let entries = node.as_map().unwrap_or_default();
        let is_known = |key: &str| EXPECT_WORDS.iter().any(|(name, _)| *name == key);
        if entries.is_empty() || !entries.iter().all(|(key, _)| is_known(&key.name)) {
            return compile_node(node).map(RequestMatcher::Body);
        }
        spanned_yaml::decode_all::<Expect>(node)?;
        if let Some(body) = node.get("body") {
            compile_node(body)?;
        }
        Ok(RequestMatcher::Expect(Template::new(node.to_value())))
    }

    /// Compares a request.
    ///
    /// # Errors
    /// The first difference.
    pub fn matches(&self, request: &LlmRequest, captures: &Captures) -> Result<(), Mismatch> {
        match self {
            RequestMatcher::Body(matcher) => matcher.matches(&request.body, captures),
            RequestMatcher::Expect(template) => compare(template, request, captures),
        }
    }

    /// What the matcher expects, in words, with the known placeholders filled.
    #[must_use]
    pub fn in_words(&self, captures: &Captures) -> String {
        match self {
            RequestMatcher::Body(matcher) => matcher.in_words(captures),
            RequestMatcher::Expect(template) => {
                let shown = template.show(captures);
                let entries = shown.as_object().into_iter().flatten();
                let words = entries.map(|(key, value)| {
                    let key = EXPECT_WORDS.iter().find(|(name, _)| name == key);
                    format!("{} {value}", key.map_or("with", |(_, words)| *words))
                });
                format!("a request {}", words.collect::<Vec<_>>().join(", and "))
            }
        }
    }
}

fn compare(template: &Template, request: &LlmRequest, captures: &Captures) -> Result<(), Mismatch> {
    let mismatch = |pointer: String, expected: String, actual: String| Mismatch {
        matcher_pointer: pointer.clone(),
        pointer,
        expected,
        actual,
    };
    let unusable = |error: String| mismatch(String::new(), error, "nothing to compare".to_owned());
    let rendered = template.render(captures);
    let rendered = rendered.map_err(|error| unusable(error.to_string()))?;
    let expect: Expect =
        serde_json::from_value(rendered).map_err(|error| unusable(error.to_string()))?;
    let Some(wire) = Wire::of_path(&request.path) else {
        let actual = format!("one to {}", request.path);
        let expected = "a request for a message".to_owned();
        return Err(mismatch(String::new(), expected, actual));
    };
    let body = request.body.clone();
    let request = Request::to_path(request.n, wire, &request.path, "", body);
    match expect.mismatches(&request).into_iter().next() {
        None => Ok(()),
        Some(found) => Err(mismatch(found.pointer, found.expected, found.actual)),
    }
}
