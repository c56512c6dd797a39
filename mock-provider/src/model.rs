//! The model itself: which reply a request gets.

use serde_json::Value;
use std::time::Duration;

use crate::answer::{Answer, HttpError};
use crate::answer_builder;
use crate::conversation::ConversationView;
use crate::expect::RequestMismatch;
use crate::failure::{FailureKind, ScriptFailure};
use crate::fallback;
use crate::history::{PastRequest, RequestHistory};
use crate::request::Request;
use crate::script::{Expect, Repeat, Script};
use crate::signatures::SignatureStore;
use crate::wire;

/// A scripted model. Pure: the same requests get the same answers.
#[derive(Debug, Clone)]
pub struct Model {
    script: Script,
    seed: u64,
    /// How often each reply was served.
    served: Vec<u64>,
    memory: SignatureStore,
    history: RequestHistory,
    /// How many requests in a row no reply was left for.
    unforeseen: u32,
}

/// So many requests in a row get a harmless answer; the next one is refused, so that an agent which takes any answer for a reason to ask
/// again comes to an end.
const PATIENCE: u32 = 8;

/// What a request came to.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelResponse {
    /// The number of the reply in the script; none where the request got no reply of the script.
    pub reply: Option<usize>,
    /// A gate to wait at before the first byte.
    pub gate: Option<String>,
    /// A time to wait before the first byte, after the gate.
    pub delay: Option<Duration>,
    /// The answer.
    pub answer: Answer,
    /// What was wrong with the request.
    pub failures: Vec<ScriptFailure>,
}

impl ModelResponse {
    fn without_reply(error: HttpError, failure: ScriptFailure) -> Self {
        ModelResponse {
            reply: None,
            gate: None,
            delay: None,
            answer: Answer::Error(error),
            failures: vec![failure],
        }
    }
}

impl Model {
    /// A model that has served nothing yet. The seed goes into every derived id.
    #[must_use]
    pub fn new(script: Script, seed: u64) -> Self {
        let (served, memory) = (vec![0; script.replies.len()], SignatureStore::of(&script));
        Model {
            script,
            seed,
            served,
            memory,
            history: RequestHistory::default(),
            unforeseen: 0,
        }
    }

    /// The script it plays.
    #[must_use]
    pub fn script(&self) -> &Script {
        &self.script
    }

    /// Answers a request: by the first reply left whose `when` it fits, else by the next of the main line.
    ///
    /// Strict: a request that the real API would refuse gets its error and takes no reply; one that no reply is for gets a short
    /// answer that does no harm. Either is a failure.
    pub fn next(&mut self, request: &Request) -> ModelResponse {
        if let Some(error) = wire::validation_error(request, &self.memory) {
            let failure = ScriptFailure::refused(request.n, &error);
            return ModelResponse::without_reply(error, failure);
        }
        match self.pick(request) {
            Ok(index) => self.serve(index, request),
            Err(failure) => self.fall_back(request, *failure),
        }
    }

    /// Answers a request that no reply is left for.
    fn fall_back(&mut self, request: &Request, mut failure: ScriptFailure) -> ModelResponse {
        let asked = PastRequest::of(request);
        failure.message += &format!(
            "; it is POST {}, and says last: {}",
            request.wire.path(),
            last_words(request)
        );
        let repeat = match self.history.repeated_by(&asked) {
            Some(earlier) => Some((request.n, earlier)),
            None => self.history.first_repeat(),
        };
        let fits = |expect: &Expect| expect.mismatches(request).is_empty();
        failure.earlier = self.history.taken_from(fits);
        self.unforeseen += 1;
        let answer = if self.unforeseen > PATIENCE {
            let message = format!("scripted model: {failure}");
            Answer::Error(HttpError::new(400, "invalid_request_error", message))
        } else {
            let path = format!("unforeseen.{}", request.n);
            answer_builder::answer(&fallback::reply(request), path, self.seed, request)
        };
        ModelResponse {
            reply: None,
            gate: None,
            delay: None,
            answer,
            failures: repeat.map(repeated).into_iter().chain([failure]).collect(),
        }
    }

    /// The host has said this to the agent: it tells the requests of the conversation from those beside it.
    pub fn note_host_message(&mut self, text: &str) {
        self.history.note_host_message(text);
    }

    /// The client went away before it had the whole answer to this request, so it may well ask again.
    pub(crate) fn unanswered(&mut self, request: u64) {
        self.history.unanswered(request);
    }

    /// Counts the tokens of a request, without taking a reply.
    ///
    /// # Errors
    /// The error that the real API would refuse it with.
    pub(crate) fn count_tokens(&self, request: &Request) -> Result<u64, HttpError> {
        match wire::token_count_error(request, &self.memory) {
            Some(error) => Err(error),
            None => Ok(wire::count_tokens(&request.body)),
        }
    }

    /// A failure for each reply that was not served as often as the script says.
    #[must_use]
    pub fn unused(&self) -> Vec<ScriptFailure> {
        let short = self
            .script
            .replies
            .iter()
            .zip(&self.served)
            .enumerate()
            .filter_map(|(i, (reply, &served))| match reply.repeat {
                Repeat::Times(times) if served < times => Some((i, times, served)),
                _ => None,
            });
        let failure = |(i, times, served)| ScriptFailure {
            kind: FailureKind::Unused,
            request: None,
            earlier: None,
            pointer: format!("/{i}"),
            message: format!("reply {i} of the model's script was not asked for"),
            expected: Some(count(times)),
            actual: Some(count(served)),
        };
        short.map(failure).collect()
    }

    fn serve(&mut self, index: usize, request: &Request) -> ModelResponse {
        let times = self.served[index];
        self.served[index] += 1;
        let reply = &self.script.replies[index];
        let path = if times == 0 {
            index.to_string()
        } else {
            format!("{index}.{times}")
        };
        let wrong = reply
            .expect_request
            .iter()
            .flat_map(|expect| expect.mismatches(request));
        let mut failures: Vec<ScriptFailure> = wrong
            .map(|mismatch| unexpected(index, request, mismatch))
            .collect();
        let answer = answer_builder::answer(reply, path, self.seed, request);
        self.memory.note(&answer);
        let asked = PastRequest::of(request);
        if let Some(expect) = reply
            .expect_request
            .as_ref()
            .filter(|_| !failures.is_empty())
        {
            self.history.note_missed(request.n, expect);
        }
        let names_it = |expect: &Expect| {
            let body = expect.body.as_ref();
            !expect.last_contains.0.is_empty() || body.is_some_and(names_messages)
        };
        let expected = reply
            .expect_request
            .as_ref()
            .filter(|_| failures.is_empty());
        // A reply that repeats is taken from nobody.
        let repeats = matches!(reply.repeat, Repeat::Forever) && failures.is_empty();
        let is_expected = repeats || reply.when.is_some() || expected.is_some_and(names_it);
        if let Some(n) = self.history.note(asked, &answer, is_expected) {
            failures.push(beside(request.n, n));
        }
        self.unforeseen = 0;
        ModelResponse {
            reply: Some(index),
            gate: reply.gate.clone(),
            delay: reply.delay.map(|span| span.0),
            answer,
            failures,
        }
    }

    /// The reply for a request.
    fn pick(&self, request: &Request) -> Result<usize, Box<ScriptFailure>> {
        let aside = self.history.is_aside(&PastRequest::of(request));
        let mut main = None;
        let mut nearest: Option<(usize, Vec<RequestMismatch>)> = None;
        for (i, reply) in self
            .script
            .replies
            .iter()
            .enumerate()
            .filter(|(i, reply)| reply.repeat.allows(self.served[*i]))
        {
            let Some(when) = &reply.when else {
                main = main.or(Some(i));
                continue;
            };
            let missing = when.mismatches(request);
            if missing.is_empty() {
                return Ok(i);
            }
            if nearest
                .as_ref()
                .is_none_or(|(_, least)| missing.len() < least.len())
            {
                nearest = Some((i, missing));
            }
        }
        let main = main.filter(|_| !aside);
        main.ok_or_else(|| Box::new(self.no_reply(request, nearest, aside)))
    }

    fn no_reply(
        &self,
        request: &Request,
        nearest: Option<(usize, Vec<RequestMismatch>)>,
        aside: bool,
    ) -> ScriptFailure {
        let (n, replies) = (request.n, self.script.replies.len());
        let blank = ScriptFailure {
            kind: FailureKind::Exhausted,
            request: Some(n),
            earlier: None,
            pointer: String::new(),
            message: format!(
                "request {n} came when the model's script had no reply left ({replies} in all)"
            ),
            expected: None,
            actual: None,
        };
        let Some((
            i,
            RequestMismatch {
                pointer,
                expected,
                actual,
            },
        )) = nearest.and_then(|(i, missing)| Some((i, missing.into_iter().next()?)))
        else {
            if aside {
                return ScriptFailure {
                    kind: FailureKind::Unmatched,
                    message: format!(
                        "request {n} stands beside the conversation, and the model's script has no reply for such a one"
                    ),
                    ..blank
                };
            }
            return blank;
        };
        ScriptFailure {
            kind: FailureKind::Unmatched,
            pointer: format!("/{i}/when{pointer}"),
            message: format!(
                "request {n} fits no reply that is left in the model's script; the nearest is reply {i}"
            ),
            expected: Some(expected),
            actual: Some(actual),
            ..blank
        }
    }
}

fn unexpected(
    index: usize,
    request: &Request,
    RequestMismatch {
        pointer,
        expected,
        actual,
    }: RequestMismatch,
) -> ScriptFailure {
    ScriptFailure {
        kind: FailureKind::Expectation,
        request: Some(request.n),
        earlier: None,
        pointer: format!("/{index}/expect_request{pointer}"),
        message: format!(
            "request {} is not what reply {index} of the model's script expects",
            request.n
        ),
        expected: Some(expected),
        actual: Some(actual),
    }
}

fn repeated((request, earlier): (u64, u64)) -> ScriptFailure {
    ScriptFailure {
        kind: FailureKind::Repeated,
        request: Some(request),
        earlier: Some(earlier),
        pointer: String::new(),
        message: format!(
            "request {request} brings nothing beyond request {earlier}, which had its answer"
        ),
        expected: None,
        actual: None,
    }
}

/// Whether what a reply demands of the body is about what was said, and not about the model or the tools alone.
fn names_messages(body: &Value) -> bool {
    ["messages", "input"]
        .iter()
        .any(|member| body.get(member).is_some())
}

fn beside(request: u64, n: u64) -> ScriptFailure {
    ScriptFailure {
        kind: FailureKind::SideRequest,
        request: Some(request),
        earlier: Some(n),
        pointer: String::new(),
        message: format!(
            "request {n} stands beside the conversation, and may have got a reply that is for another one"
        ),
        expected: None,
        actual: None,
    }
}

/// The longest text that is quoted of a request.
const QUOTED: usize = 120;

/// The begin of the last message of a request.
fn last_words(request: &Request) -> String {
    let conversation = ConversationView::of(request);
    let last = conversation.messages.last();
    let text = last.and_then(|said| said.texts.last()).copied();
    let text = text.unwrap_or_default().trim();
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

fn count(times: u64) -> String {
    format!("{times} request{}", if times == 1 { "" } else { "s" })
}
