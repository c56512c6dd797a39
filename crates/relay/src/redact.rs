//! Redacts secrets in a recording: tokens by their prefix, values by the name or the place where they stand, and the values of secret
//! environment variables.
//!
//! Works on the text of a line, so that everything else in it stays byte for byte. Of the secrets that are split over several frames, only
//! tokens with a prefix are found.

mod evidence;
mod forms;
mod split;
mod tokens;

use aho_corasick::{AhoCorasick, MatchKind};
use conform_judge::frame::{Body, Frame, Line, LlmReply, LlmRequest, McpEvent};
use evidence::Evidence;
use forms::{Form, KEYWORDS, forms};
use regex::bytes::{Captures, Regex, RegexSet};
use serde_json::Value;
use split::SplitToken;
use std::borrow::Cow;
use tokens::Tokens;

/// The names of environment variables whose values are secret.
const VARIABLES: &str =
    r"(?i)(?:key|token|secret|passw(?:or)?d|passphrase|_pass|_pwd|credentials?)$";
/// Options of a command line whose values are secret.
const OPTIONS: &str = r"(?i)^--?[\w-]*(?:key|token|secret|passw(?:or)?d|passphrase)$";
/// A shorter value of an environment variable is not searched: it may be an ordinary word.
const SHORTEST_VALUE: usize = 8;
/// How the mark of a secret begins.
const MARK: &str = "[redacted:";

/// Replaces secrets by a mark such as `[redacted:api_key]`.
#[derive(Debug)]
pub struct Redactor {
    /// The values of secret environment variables, and their marks by number.
    values: AhoCorasick,
    value_marks: Vec<String>,
    tokens: Tokens,
    /// Finds out whether a text can have one of the forms.
    keywords: AhoCorasick,
    any_form: RegexSet,
    forms: Vec<Form>,
    option: Regex,
}

/// The token that each direction has begun.
#[derive(Debug, Default)]
pub(super) struct OpenTokens {
    from_agent: SplitToken,
    to_agent: SplitToken,
}

impl Redactor {
    /// A redactor that also knows the values of these environment variables if their names mark them as secret.
    ///
    /// # Panics
    /// Never: the forms are constants.
    #[must_use]
    pub fn new(environment: impl Iterator<Item = (String, String)>) -> Self {
        let compiled = |pattern: &str| Regex::new(pattern).expect("a constant pattern");
        let secret = compiled(VARIABLES);
        let (values, value_marks): (Vec<String>, Vec<String>) = environment
            .filter(|(name, value)| {
                secret.is_match(name.as_bytes())
                    && value.len() >= SHORTEST_VALUE
                    && Evidence::Named.accepts(name, value)
            })
            .flat_map(|(name, value)| {
                let mark = format!("{MARK}${name}]");
                let escaped = Value::from(value.as_str()).to_string();
                let escaped = escaped[1..escaped.len() - 1].to_owned();
                [(value, mark.clone()), (escaped, mark)]
            })
            .unzip();
        let forms = forms();
        let search = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(values);
        let keywords = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(KEYWORDS);
        Redactor {
            values: search.expect("an environment is small"),
            value_marks,
            tokens: Tokens::new(),
            keywords: keywords.expect("a small table"),
            any_form: RegexSet::new(forms.iter().map(|form| form.pattern.as_str()))
                .expect("constant patterns"),
            forms,
            option: compiled(OPTIONS),
        }
    }

    /// The text without its secrets; borrowed if there are none.
    #[must_use]
    pub fn text<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let mut redacted = Cow::Borrowed(text);
        // Values come first: they are whole secrets, of which a form may match a part.
        if self.values.is_match(text) {
            redacted = Cow::Owned(self.values.replace_all_bytes(text, &self.value_marks));
        }
        if let Cow::Owned(without) = self.tokens.redact(&redacted) {
            redacted = Cow::Owned(without);
        }
        if !self.keywords.is_match(redacted.as_ref()) {
            return redacted;
        }
        for form in self.any_form.matches(&redacted) {
            if let Some(without) = self.forms[form].redact(&redacted) {
                redacted = Cow::Owned(without);
            }
        }
        redacted
    }

    /// The arguments of a command line without their secrets.
    #[must_use]
    pub fn args(&self, args: &[String]) -> Vec<String> {
        let mut after_option = false;
        let redacted = args.iter().map(|arg| {
            let is_value =
                std::mem::replace(&mut after_option, self.option.is_match(arg.as_bytes()));
            match arg.split_once('=') {
                _ if is_value => "[redacted]".to_owned(),
                Some((name, _)) if self.option.is_match(name.as_bytes()) => {
                    format!("{name}=[redacted]")
                }
                _ => String::from_utf8_lossy(&self.text(arg.as_bytes())).into_owned(),
            }
        });
        redacted.collect()
    }

    /// The frame without its secrets; `None` if it has none.
    pub(super) fn frame(&self, frame: &Frame) -> Option<Frame> {
        let line = |line: &Line| match self.text(&line.bytes) {
            Cow::Borrowed(_) => None,
            Cow::Owned(bytes) => Some(Line {
                bytes,
                ..line.clone()
            }),
        };
        let body = match &frame.body {
            Body::ToAgent(text) => Body::ToAgent(line(text)?),
            Body::FromAgent(text) => Body::FromAgent(line(text)?),
            Body::Stderr(text) => Body::Stderr(line(text)?),
            Body::LlmRequest(request) => Body::LlmRequest(LlmRequest {
                body: self.document(&request.body)?,
                ..request.clone()
            }),
            Body::LaneRequest { lane, request } => Body::LaneRequest {
                lane: lane.clone(),
                request: LlmRequest {
                    body: self.document(&request.body)?,
                    ..request.clone()
                },
            },
            Body::Mcp(event) => Body::Mcp(McpEvent {
                body: self.document(&event.body)?,
                ..event.clone()
            }),
            Body::LlmReply(reply) => {
                let redacted = |part: &Option<Value>| self.document(part.as_ref()?);
                let (body, message) = (redacted(&reply.body), redacted(&reply.message));
                if body.is_none() && message.is_none() {
                    return None;
                }
                Body::LlmReply(LlmReply {
                    body: body.or_else(|| reply.body.clone()),
                    message: message.or_else(|| reply.message.clone()),
                    ..reply.clone()
                })
            }
            _ => return None,
        };
        Some(Frame { at: frame.at, body })
    }

    /// The frame without the piece of a token that the frames before it began; `None` if it has none.
    pub(super) fn piece(&self, frame: &Frame, open: &mut OpenTokens) -> Option<Frame> {
        let body: fn(Line) -> Body = match &frame.body {
            Body::FromAgent(_) => Body::FromAgent,
            Body::ToAgent(_) => Body::ToAgent,
            _ => return None,
        };
        let (Body::FromAgent(line) | Body::ToAgent(line)) = &frame.body else {
            return None;
        };
        let open = match &frame.body {
            Body::FromAgent(_) => &mut open.from_agent,
            _ => &mut open.to_agent,
        };
        let bytes = open.line(&self.tokens, &line.bytes)?;
        let line = Line {
            bytes,
            ..line.clone()
        };
        Some(Frame {
            at: frame.at,
            body: body(line),
        })
    }

    /// The body of a request or an answer without its secrets; `None` if it has none.
    fn document(&self, body: &Value) -> Option<Value> {
        let text = body.to_string();
        let Cow::Owned(redacted) = self.text(text.as_bytes()) else {
            return None;
        };
        let read = json_matcher::read_json(&redacted);
        Some(read.unwrap_or_else(|_| String::from_utf8_lossy(&redacted).into()))
    }
}

impl Form {
    /// The text without the secrets in this place; `None` if it has none.
    fn redact(&self, text: &[u8]) -> Option<Vec<u8>> {
        let mut found = false;
        let redacted = self.pattern.replace_all(text, |captures: &Captures<'_>| {
            let replaced = self.replacement(captures);
            found |= replaced.is_some();
            replaced.unwrap_or_else(|| captures[0].to_vec())
        });
        found.then(|| redacted.into_owned())
    }

    /// The match with its secret replaced by a mark; `None` if it is none.
    fn replacement(&self, captures: &Captures<'_>) -> Option<Vec<u8>> {
        let (all, secret) = (captures.get(0)?, captures.name("secret")?);
        let value = String::from_utf8_lossy(secret.as_bytes());
        let name = captures
            .name("name")
            .map(|name| String::from_utf8_lossy(name.as_bytes()));
        let name = name.as_deref().map(|name| name.trim_start_matches('-'));
        if value.contains(MARK) || !self.evidence.accepts(name.unwrap_or_default(), &value) {
            return None;
        }
        let mark = format!("{MARK}{}]", name.unwrap_or(&self.mark));
        let (from, to) = (secret.start() - all.start(), secret.end() - all.start());
        let whole = all.as_bytes();
        Some([&whole[..from], mark.as_bytes(), &whole[to..]].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts that the agent streams, as they are recorded.
    fn streamed(texts: &[&str]) -> Vec<String> {
        let (redactor, mut open) = (Redactor::new(std::iter::empty()), OpenTokens::default());
        let recorded = texts.iter().map(|text| {
            let line = serde_json::json!({ "type": "text", "text": text, "id": "m1" });
            let body = Body::FromAgent(Line::new(line.to_string()));
            let frame = Frame { at: 0, body };
            let frame = redactor.frame(&frame).unwrap_or(frame);
            let frame = redactor.piece(&frame, &mut open).unwrap_or(frame);
            let Body::FromAgent(line) = frame.body else {
                panic!("another frame");
            };
            let line: Value = serde_json::from_slice(&line.bytes).expect("JSON");
            line["text"].as_str().expect("a text").to_owned()
        });
        recorded.collect()
    }

    #[test]
    fn the_pieces_of_a_token_are_redacted_and_words_stay() {
        for (texts, recorded) in [
            (
                ["the key is ghp_", "q7Zr", "4Tn9Vb2X and", "q7Zr"],
                [
                    "the key is ghp_",
                    "[redacted:piece]",
                    "[redacted:piece] and",
                    "q7Zr",
                ],
            ),
            (
                ["ghp_q7Zr", "abc.", "def", ""],
                ["ghp_…[redacted:github]", "[redacted:piece].", "def", ""],
            ),
            (
                ["the prefix ghp_", "is", " key-", "value"],
                ["the prefix ghp_", "is", " key-", "value"],
            ),
            (
                ["secret_name", "other_name", "sk-", "learn"],
                ["secret_name", "other_name", "sk-", "learn"],
            ),
        ] {
            assert_eq!(streamed(&texts), recorded);
        }
    }

    #[test]
    fn a_secret_that_the_stream_splits_is_redacted_in_the_message() {
        let reply = LlmReply {
            n: 0,
            status: 200,
            end: conform_judge::frame::ReplyEnd::Complete,
            message: Some(
                serde_json::json!([{ "text": format!("the key is sk-ant-{}", "api03-q7Zr4Tn9Vb2Xk8Lm5Wd1") }]),
            ),
            body: Some("data: sk-ant-a\n\ndata: pi03-abcdefghijklmnop\n\n".into()),
        };
        let (at, body) = (0, Body::LlmReply(reply.clone()));
        let redactor = Redactor::new(std::iter::empty());
        let redacted = redactor.frame(&Frame { at, body }).unwrap();
        let Body::LlmReply(LlmReply { message, body, .. }) = redacted.body else {
            panic!("not a reply");
        };
        let expected = serde_json::json!([{ "text": "the key is sk-…[redacted:key]" }]);
        assert_eq!((message, body), (Some(expected), reply.body));
    }
}
