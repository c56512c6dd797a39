//! Redacts secrets in a recording: members with the name of a secret, texts with the form of a key, and the values of secret environment variables.
//!
//! Works on the text of a line, so that everything else in it stays byte for byte. A secret that is split over several frames is not found.

use conform_judge::frame::{Body, Frame, Line, LlmReply, LlmRequest};
use regex::bytes::{Captures, Regex, RegexSet};
use serde_json::Value;
use std::borrow::Cow;

/// The forms of secrets. The match of the group `secret` is replaced by a mark with the match of `name`, or else with this word.
const FORMS: &[(&str, &str)] = &[
    (
        "secret",
        r#"(?i)"(?P<name>[\w.-]*(?:api[_-]?key|secret|passw(?:or)?d|passphrase|authorization|private[_-]?key|credentials?|cookie))"\s*:\s*"(?P<secret>(?:[^"\\]|\\.)+)""#,
    ),
    (
        "secret",
        r#"(?i)\\+"(?P<name>[\w.-]*(?:api[_-]?key|secret|passw(?:or)?d|passphrase|authorization|private[_-]?key|credentials?|cookie))\\+"\s*:\s*\\+"(?P<secret>[^"\\]+)"#,
    ),
    // A token of a text is a word; a token that is a secret is long and has no blank.
    (
        "token",
        r#"(?i)\\*"(?P<name>[\w.-]*token)\\*"\s*:\s*\\*"(?P<secret>[^"\\\s]{12,})"#,
    ),
    (
        "secret",
        r#"(?P<name>\b[A-Z][A-Z0-9_]*(?:API_KEY|TOKEN|SECRET|PASSWORD))=(?P<secret>[^\s"'\\]+)"#,
    ),
    (
        "authorization",
        r#"(?i)\b(?P<name>authorization|x-api-key)\s*[:=]\s*(?:(?:bearer|basic)\s+)?(?P<secret>[^\s"'\\,;]{6,})"#,
    ),
    (
        "bearer",
        r"(?i)\b(?:bearer|basic)\s+(?P<secret>[A-Za-z0-9._~+/=-]{12,})",
    ),
    ("key", r"\b(?P<secret>sk-[A-Za-z0-9_-]{12,})"),
    (
        "github",
        r"\b(?P<secret>gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,})",
    ),
    ("gitlab", r"\b(?P<secret>glpat-[A-Za-z0-9_-]{16,})"),
    ("aws", r"\b(?P<secret>(?:AKIA|ASIA)[0-9A-Z]{16})\b"),
    ("google", r"\b(?P<secret>AIza[0-9A-Za-z_-]{30,})"),
    ("slack", r"\b(?P<secret>xox[abeoprs]-[A-Za-z0-9-]{10,})"),
    ("huggingface", r"\b(?P<secret>hf_[A-Za-z0-9]{20,})"),
    (
        "jwt",
        r"\b(?P<secret>eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,})",
    ),
    (
        "private-key",
        r"(?P<secret>-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)-----END [A-Z ]*PRIVATE KEY-----)",
    ),
];

/// The names of environment variables whose values are secret.
const VARIABLES: &str = r"(?i)(?:key|token|secret|passw(?:or)?d)$";
/// Options of a command line whose values are secret.
const OPTIONS: &str = r"(?i)^--?[\w-]*(?:key|token|secret|passw(?:or)?d)$";
/// A shorter value of an environment variable is not searched: it may be an ordinary word.
const SHORTEST_VALUE: usize = 8;

/// Replaces secrets by a mark such as `[redacted:api_key]`.
#[derive(Debug)]
pub struct Redactor {
    any: RegexSet,
    forms: Vec<(String, Regex)>,
    option: Regex,
}

impl Redactor {
    /// A redactor that also knows the values of these environment variables if their names mark them as secret.
    ///
    /// # Panics
    /// Never: the forms are constants, and values are escaped.
    #[must_use]
    pub fn new(environment: impl Iterator<Item = (String, String)>) -> Self {
        let compiled = |pattern: &str| Regex::new(pattern).expect("a constant pattern");
        let secret = compiled(VARIABLES);
        let values = environment
            .filter(|(name, value)| {
                secret.is_match(name.as_bytes()) && value.len() >= SHORTEST_VALUE
            })
            .map(|(name, value)| {
                (
                    format!("${name}"),
                    format!("(?P<secret>{})", regex::escape(&value)),
                )
            });
        // Values come first: they are whole secrets, of which a form may match a part.
        let forms = FORMS
            .iter()
            .map(|(mark, pattern)| ((*mark).to_owned(), (*pattern).to_owned()));
        let forms: Vec<(String, String)> = values.chain(forms).collect();
        Redactor {
            any: RegexSet::new(forms.iter().map(|(_, pattern)| pattern))
                .expect("constant patterns"),
            forms: forms
                .iter()
                .map(|(mark, pattern)| (mark.clone(), compiled(pattern)))
                .collect(),
            option: compiled(OPTIONS),
        }
    }

    /// The text without its secrets; borrowed if there are none.
    #[must_use]
    pub fn text<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let mut redacted = Cow::Borrowed(text);
        for form in self.any.matches(text) {
            let (mark, pattern) = &self.forms[form];
            let replaced =
                pattern.replace_all(&redacted, |found: &Captures<'_>| replacement(found, mark));
            redacted = Cow::Owned(replaced.into_owned());
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

/// The match with its secret replaced by a mark.
fn replacement(found: &Captures<'_>, mark: &str) -> Vec<u8> {
    let whole = &found[0];
    let (Some(all), Some(secret)) = (found.get(0), found.name("secret")) else {
        return whole.to_vec();
    };
    if secret.as_bytes().starts_with(b"[redacted") {
        return whole.to_vec();
    }
    let name = found
        .name("name")
        .map(|name| String::from_utf8_lossy(name.as_bytes()).into_owned());
    let mark = format!("[redacted:{}]", name.as_deref().unwrap_or(mark));
    let (from, to) = (secret.start() - all.start(), secret.end() - all.start());
    [&whole[..from], mark.as_bytes(), &whole[to..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted(text: &str) -> String {
        let environment = [
            ("MY_SERVICE_KEY", "correct horse battery"),
            ("EDITOR_KEY", "vim"),
            ("PATH", "/usr/local/bin"),
        ];
        let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let redactor = Redactor::new(environment.into_iter());
        String::from_utf8(redactor.text(text.as_bytes()).into_owned()).unwrap()
    }

    /// Texts, each followed by its redacted form.
    const SECRETS: &str = r#"
{"type":"init", "api_key" : "a\"b c","n":1}
{"type":"init", "api_key" : "[redacted:api_key]","n":1}
{"args":"{\"clientSecret\":\"hush\",\"x\":\"y\"}"}
{"args":"{\"clientSecret\":\"[redacted:clientSecret]\",\"x\":\"y\"}"}
{"token":"0123456789abcdef"}
{"token":"[redacted:token]"}
{"text":"the key is sk-ant-REDACTED."}
{"text":"the key is [redacted:key]."}
curl -H 'Authorization: Bearer abc.def-ghi_jkl'
curl -H 'Authorization: Bearer [redacted:Authorization]'
{"text":"export OPENAI_API_KEY=abc123\nok"}
{"text":"export OPENAI_API_KEY=[redacted:OPENAI_API_KEY]\nok"}
say correct horse battery, please
say [redacted:$MY_SERVICE_KEY], please
"#;

    #[test]
    fn secrets_are_replaced_by_name_and_by_form_and_the_rest_stays() {
        let lines: Vec<&str> = SECRETS.trim().lines().collect();
        for pair in lines.chunks(2) {
            assert_eq!(redacted(pair[0]), pair[1]);
        }
    }

    #[test]
    fn ordinary_text_is_not_a_secret() {
        for text in [
            r#"{"max_tokens":100,"token":"Hello","text":"risk-averse task-list vim"}"#,
            r#"{"usage":{"input_tokens":10},"next":"a basic idea"}"#,
            r#"{"api_key":null}"#,
        ] {
            assert_eq!(redacted(text), text);
        }
    }

    #[test]
    fn a_redacted_text_is_not_redacted_again() {
        let once = redacted(r#"{"api_key":"sk-ant-REDACTED"}"#);

        assert_eq!(redacted(&once), once);
    }

    #[test]
    fn a_secret_that_the_stream_splits_is_redacted_in_the_message() {
        let reply = LlmReply {
            n: 0,
            status: 200,
            end: conform_judge::frame::ReplyEnd::Complete,
            message: Some(serde_json::json!([{ "text": "the key is sk-ant-REDACTED" }])),
            body: Some("data: sk-ant-a\n\ndata: pi03-abcdefghijklmnop\n\n".into()),
        };
        let (at, body) = (0, Body::LlmReply(reply.clone()));
        let redactor = Redactor::new(std::iter::empty());
        let redacted = redactor.frame(&Frame { at, body }).unwrap();
        let Body::LlmReply(LlmReply { message, body, .. }) = redacted.body else {
            panic!("not a reply");
        };
        let expected = serde_json::json!([{ "text": "the key is [redacted:key]" }]);
        assert_eq!((message, body), (Some(expected), reply.body));
    }

    #[test]
    fn secret_arguments_are_redacted() {
        let redactor = Redactor::new(std::iter::empty());
        let args = ["agent", "--api-key", "k1", "--token=k2", "--model", "m"].map(str::to_owned);

        assert_eq!(
            redactor.args(&args),
            [
                "agent",
                "--api-key",
                "[redacted]",
                "--token=[redacted]",
                "--model",
                "m"
            ]
        );
    }
}
