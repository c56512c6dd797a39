//! The scripted model: chooses the reply for each request, and reports requests that do not match the script.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

use crate::answer::{Answer, AnswerMessage, BlockStart, HttpError};
use crate::answer_builder;
use crate::conversation::ConversationView;
use crate::conversations::{ConversationCall, ConversationPath, Conversations};
use crate::expect::RequestMismatch;
use crate::failure::{Rejection, ScriptFailure};
use crate::fallback;
use crate::held_turns::HeldTurns;
use crate::history::{NextReply, PastRequest, RequestHistory};
use crate::input_items;
use crate::lanes::{Lane, Lanes};
use crate::request::{AskedModel, Request, Wire};
use crate::script::{Expect, Repeat, Script, ScriptReply};
use crate::signatures::SignatureStore;
use crate::wire::{self, CallIds, WireContext};

/// A scripted model. Pure: the same requests get the same answers.
#[derive(Debug, Clone)]
pub struct Model {
    script: Script,
    seed: u64,
    /// How often each reply was served.
    served: Vec<u64>,
    /// The replies that requests can get.
    open: Range<usize>,
    /// The message of each reply that was served, if its next ones differ only in their path.
    messages: BTreeMap<usize, AnswerMessage>,
    signatures: SignatureStore,
    call_ids: CallIds,
    lanes: Lanes,
    history: RequestHistory,
    /// Whether a request of a conversation has come.
    has_begun: bool,
    pub(crate) held: HeldTurns,
    conversations: Conversations,
    /// The members without effect that a request had, each of them once.
    ignored: BTreeSet<String>,
    /// The number of requests in a row for which no reply was left.
    unscripted_in_a_row: u32,
    /// The number of side requests in a row.
    side_requests_in_a_row: u32,
    /// Whether it answers requests that the real API refuses.
    is_lenient: bool,
}

/// Most requests in a row that get a fallback answer. The next one is refused: this ends an agent that sends another request after any
/// answer.
const MAX_FALLBACKS: u32 = 8;

/// The response of the model to a request.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelResponse {
    /// The number of the reply in the script; none if the request got no reply of the script.
    pub reply: Option<usize>,
    /// The gate before the first byte.
    pub gate: Option<String>,
    /// The wait before the first byte, after the gate.
    pub delay: Option<Duration>,
    /// The answer.
    pub answer: Answer,
    /// The failures of the request.
    pub failures: Vec<ScriptFailure>,
    /// Whether the request is outside of the conversation, such as one for a title or a summary. It got a short default answer.
    pub is_side_request: bool,
    /// The name of the lane that the request belongs to.
    pub lane: Option<String>,
}

impl ModelResponse {
    fn rejected(rejection: Rejection, request: u64) -> Self {
        let (error, failure) = rejection.of_request(request);
        Self::without_reply(Answer::Error(error), [failure])
    }

    fn without_reply(answer: Answer, failures: impl IntoIterator<Item = ScriptFailure>) -> Self {
        ModelResponse {
            reply: None,
            gate: None,
            delay: None,
            answer,
            failures: failures.into_iter().collect(),
            is_side_request: false,
            lane: None,
        }
    }
}

impl Model {
    /// A model that has served nothing yet. The seed goes into every generated id.
    #[must_use]
    pub fn new(script: Script, seed: u64) -> Self {
        let replies = script.replies.len();
        let signatures = SignatureStore::new(&script);
        Model {
            script,
            seed,
            served: vec![0; replies],
            open: 0..replies,
            messages: BTreeMap::new(),
            signatures,
            call_ids: CallIds::default(),
            lanes: Lanes::default(),
            history: RequestHistory::default(),
            has_begun: false,
            held: HeldTurns::default(),
            conversations: Conversations::default(),
            ignored: BTreeSet::new(),
            unscripted_in_a_row: 0,
            side_requests_in_a_row: 0,
            is_lenient: false,
        }
    }

    /// The same model, which answers any request if it is lenient, also one that the real API refuses.
    #[must_use]
    pub fn lenient(mut self, is_lenient: bool) -> Self {
        self.is_lenient = is_lenient;
        self
    }

    /// The same model, which answers the requests of these lanes apart from its script.
    #[must_use]
    pub fn with_lanes(mut self, lanes: Vec<Lane>) -> Self {
        self.lanes = Lanes::new(lanes);
        self
    }

    /// Serves only these replies of the script from now on, as often as they are left.
    pub fn limit(&mut self, open: Range<usize>) {
        self.open = open;
    }

    /// The script it plays.
    #[must_use]
    pub fn script(&self) -> &Script {
        &self.script
    }

    /// Answers a request: with the first remaining reply whose `when` matches, else with the next reply without a `when`.
    ///
    /// A request that the real API would refuse gets the API's error and takes no reply. A request for which no reply is left gets a
    /// short fallback answer. Both are failures. A request without output tokens only fills the cache: it takes no reply. A side request, such as one for a title, also gets it unless a reply is for it, and is
    /// not a failure.
    pub fn next(&mut self, request: &Request) -> ModelResponse {
        let continued = match self.whole(request) {
            Ok(continued) => continued,
            Err(rejection) => return ModelResponse::rejected(rejection, request.n),
        };
        let (sent, whole) = (request, continued.as_ref().unwrap_or(request));
        if !self.is_lenient
            && let Some(error) = wire::validation_error(whole, &self.signatures)
        {
            return ModelResponse::rejected(error.into(), request.n);
        }
        let mut response = self.answer(AskedModel { sent, whole });
        let ignored = wire::ignored_members(sent).into_iter();
        let new = ignored.filter(|(member, _)| self.ignored.insert(member.clone()));
        let failures = new
            .map(|(member, value)| ScriptFailure::ignored_member(request.n, &member, &value))
            .chain(std::mem::take(&mut response.failures));
        response.failures = failures.collect();
        if let Answer::Message(message) = &response.answer {
            let gate = response.gate.clone();
            if message.stop().is_some() {
                let context = WireContext {
                    request: sent,
                    seed: self.seed,
                };
                let output = || wire::document(&context, message)["output"].take();
                self.conversations.add_turn(sent, output, self.seed);
            }
            self.held.add(sent, continued, message, gate, self.seed);
        }
        response
    }

    /// A request with all that the server holds for it: the items that its references stand for, the conversation that it continues,
    /// the ids of its calls. None if it has everything.
    fn whole(&self, request: &Request) -> Result<Option<Request>, Rejection> {
        let resolved = input_items::resolved(request, |ids| {
            let mut items = self.held.find_items(ids);
            items.extend(self.conversations.find_items(ids));
            items
        })?;
        let sent = resolved.as_ref().unwrap_or(request);
        let continued = match self.held.continued(sent)? {
            Some(continued) => Some(continued),
            None => self.conversations.continued(sent)?,
        };
        Ok(continued
            .or(resolved)
            .or_else(|| self.call_ids.completed(request)))
    }

    /// Answers a valid request.
    fn answer(&mut self, request: AskedModel) -> ModelResponse {
        let AskedModel { sent, whole } = request;
        if sent.only_fills_cache() {
            let path = format!("cache.{}", sent.n);
            return ModelResponse {
                is_side_request: true,
                ..ModelResponse::without_reply(answer_builder::empty_answer(path), [])
            };
        }
        let conversation = ConversationView::new(whole);
        if let Some(at) = self.lanes.find(whole, &conversation) {
            return self.serve_lane(at, sent);
        }
        let past = PastRequest::new(whole, &conversation);
        if !std::mem::replace(&mut self.has_begun, true) {
            self.note_resumed(&conversation);
        }
        match self.choose(request, &conversation, &past) {
            Ok(Some(index)) => self.serve(index, request, past),
            Ok(None) => self.serve_side_request(sent, &past),
            Err(failure) => self.fall_back(request, &past, *failure),
        }
    }

    /// Answers a request of a lane with a reply of it: the last one for all that follow.
    fn serve_lane(&mut self, (lane, reply): (usize, usize), request: &Request) -> ModelResponse {
        let Lane { name, replies, .. } = &self.lanes.lanes[lane];
        let name = name.clone();
        let number = reply.min(replies.len().saturating_sub(1));
        let usual = || fallback::reply(request);
        let reply = replies.get(number).cloned().unwrap_or_else(usual);
        let path = format!("{name}.{}", request.n);
        let answer = answer_builder::answer(&reply, path, self.seed, request);
        if let Answer::Message(message) = &answer {
            let ids = message.starts().filter_map(|start| match start {
                BlockStart::Call { id, .. } => Some(id.clone()),
                _ => None,
            });
            self.lanes.note_calls((lane, number), ids);
        }
        ModelResponse {
            gate: reply.gate,
            delay: reply.delay.map(|span| span.0),
            is_side_request: true,
            lane: Some(name),
            ..ModelResponse::without_reply(answer, [])
        }
    }

    /// A conversation that was begun elsewhere, such as a session that the agent resumes, had the replies for its earlier texts.
    fn note_resumed(&mut self, conversation: &ConversationView<'_>) {
        let earlier = conversation.earlier_texts();
        for (reply, served) in self.script.replies.iter().zip(&mut self.served) {
            if let (Some(when), Repeat::Times(times)) = (&reply.when, reply.repeat)
                && when.was_met_by(&earlier)
            {
                *served = times.get();
            }
        }
    }

    /// Answers a side request.
    ///
    /// One that offers tools may continue the conversation in the agent's own words, so it is a failure that makes later results doubtful.
    fn serve_side_request(&mut self, request: &Request, past: &PastRequest) -> ModelResponse {
        self.side_requests_in_a_row += 1;
        self.history.note_side_request(request.n);
        let doubt = past
            .has_tools()
            .then(|| ScriptFailure::own_words(request.n));
        ModelResponse {
            is_side_request: true,
            ..ModelResponse::without_reply(self.fallback_answer("side", request), doubt)
        }
    }

    /// Answers a request for which no reply is left.
    fn fall_back(
        &mut self,
        asked: AskedModel,
        past: &PastRequest,
        mut failure: ScriptFailure,
    ) -> ModelResponse {
        let request = asked.sent;
        failure.message += &format!(
            "; it is POST {}, and its last message is {}",
            request.wire.path(),
            last_message(asked.whole)
        );
        failure.brings = self.history.news(past);
        let repeat = match self.history.repeated_by(past) {
            Some(earlier) => Some((request.n, earlier)),
            None => self.history.first_repeat(),
        };
        let replies = &self.script.replies;
        failure.earlier = self.history.reply_taken_by(|reply| {
            let expect = replies[reply].expect_request.as_ref();
            expect.is_some_and(|expect| expect.differences(asked, false).is_empty())
        });
        self.unscripted_in_a_row += 1;
        let answer = if self.unscripted_in_a_row > MAX_FALLBACKS {
            let message = format!("scripted model: {failure}");
            Answer::Error(HttpError::invalid(message))
        } else {
            self.fallback_answer("unforeseen", request)
        };
        let repeated = repeat.map(|(request, earlier)| ScriptFailure::repeated(request, earlier));
        ModelResponse::without_reply(answer, repeated.into_iter().chain([failure]))
    }

    /// A short answer to a request that no reply is for.
    fn fallback_answer(&self, kind: &str, request: &Request) -> Answer {
        let path = format!("{kind}.{}", request.n);
        answer_builder::answer(&fallback::reply(request), path, self.seed, request)
    }

    /// Notes the texts of a command that the host sent to the agent, and whether it is a prompt. The model uses them to
    /// distinguish requests of the conversation from side requests, such as one for a title.
    pub fn note_command(&mut self, texts: Vec<String>, is_prompt: bool) {
        self.history.note_command(texts, is_prompt);
    }

    /// Notes that the client did not get the complete answer to a request, so that it may send the request again.
    pub(crate) fn mark_unanswered(&mut self, request: u64) {
        self.history.mark_unanswered(request);
        self.held.forget_request(request);
        self.conversations.forget_request(request);
    }

    /// Counts the tokens of a request, without taking a reply.
    ///
    /// # Errors
    /// The error of the real API for a request that is not valid.
    pub(crate) fn count_tokens(&self, request: &Request) -> Result<u64, HttpError> {
        match wire::token_count_error(request, &self.signatures) {
            Some(error) if !self.is_lenient => Err(error),
            _ => Ok(wire::count_tokens(&request.body)),
        }
    }

    /// A shorter input for the next response, without taking a reply.
    ///
    /// # Errors
    /// Why the request is rejected.
    pub(crate) fn compact(&self, request: &Request) -> Result<Value, Rejection> {
        let continued = self.whole(request)?;
        let whole = continued.as_ref().unwrap_or(request);
        match wire::validation_error(whole, &self.signatures) {
            Some(error) => Err(error.into()),
            None => Ok(wire::compacted(whole, self.seed)),
        }
    }

    /// The stream of a stored response, after an event that the client has.
    pub(crate) fn resume(&self, id: &str, last: Option<u64>) -> Option<(Request, ModelResponse)> {
        let (request, message, gate) = self.held.stream(id, last)?;
        let answer = Answer::Message(message);
        let response = ModelResponse {
            gate,
            ..ModelResponse::without_reply(answer, [])
        };
        Some((request, response))
    }

    /// Answers a request to a path of conversations.
    ///
    /// # Errors
    /// Why the request is rejected.
    pub(crate) fn answer_conversation(
        &mut self,
        path: &ConversationPath,
        call: &ConversationCall<'_>,
    ) -> Result<Value, Rejection> {
        self.conversations.answer(path, call, self.seed)
    }

    /// A failure for each reply that was not served as often as the script requires.
    #[must_use]
    pub fn unused(&self) -> Vec<ScriptFailure> {
        if let Some(request) = self.history.only_side_request() {
            return vec![ScriptFailure::no_side_reply(request)];
        }
        let replies = self.script.replies.iter().zip(&self.served).enumerate();
        let unused = replies.filter_map(|(i, (reply, &served))| match reply.repeat {
            Repeat::Times(times) if served < times.get() => {
                Some(ScriptFailure::unused(i, times.get(), served))
            }
            _ => None,
        });
        unused.collect()
    }

    /// Answers a request with a reply of the script.
    fn serve(&mut self, index: usize, asked: AskedModel, past: PastRequest) -> ModelResponse {
        let request = asked.sent;
        let times = self.served[index];
        self.served[index] += 1;
        self.side_requests_in_a_row = 0;
        let reply = &self.script.replies[index];
        let path = if times == 0 {
            index.to_string()
        } else {
            format!("{index}.{times}")
        };
        let expect = reply.expect_request.as_ref();
        let mismatches = expect.map(|expect| expect.differences(asked, false));
        let mut failures: Vec<ScriptFailure> = mismatches
            .into_iter()
            .flatten()
            .map(|mismatch| ScriptFailure::expectation(request.n, index, mismatch))
            .collect();
        let is_met = failures.is_empty();
        let answer = match self.messages.get(&index) {
            Some(known) => Answer::Message(AnswerMessage {
                path,
                ..known.clone()
            }),
            None => answer_builder::answer(reply, path, self.seed, request),
        };
        // The ids of tool calls are other ones each time.
        if let Answer::Message(message) = &answer
            && times == 0
            && reply.repeat != Repeat::ONCE
            && reply.calls().next().is_none()
        {
            self.messages.insert(index, message.clone());
        }
        self.signatures.add(&answer);
        if request.wire == Wire::Gemini {
            self.call_ids.add(&answer);
        }
        if !is_met {
            self.history.add_missed_expectation(request.n, index);
        }
        // A reply that repeats forever cannot be taken from another request.
        let repeats = matches!(reply.repeat, Repeat::Forever) && is_met;
        let is_expected = repeats
            || reply.when.is_some()
            || expect.is_some_and(|expect| is_met && names_messages(expect));
        if let Some(side_request) = self.history.add(past, &answer, is_expected) {
            failures.push(ScriptFailure::side_request(request.n, side_request));
        }
        self.unscripted_in_a_row = 0;
        ModelResponse {
            reply: Some(index),
            gate: reply.gate.clone(),
            delay: reply.delay.map(|span| span.0),
            answer,
            failures,
            is_side_request: false,
            lane: None,
        }
    }

    /// Chooses the reply for a request.
    ///
    /// None for a side request that no reply is for.
    fn choose(
        &self,
        asked: AskedModel,
        conversation: &ConversationView<'_>,
        past: &PastRequest,
    ) -> Result<Option<usize>, Box<ScriptFailure>> {
        let may_be_side_request = self.side_requests_in_a_row < MAX_FALLBACKS;
        if may_be_side_request && self.history.is_about_prompt(past, conversation) {
            return Ok(None);
        }
        let (mut conditions, mut next, mut nearest) =
            (vec![], None, None::<(usize, Vec<RequestMismatch>)>);
        let replies = self.script.replies.iter().zip(&self.served).enumerate();
        let is_open = |i: &usize, reply: &ScriptReply, served: u64| {
            self.open.contains(i) && reply.repeat.allows(served)
        };
        for (i, (reply, _)) in replies.filter(|(i, (reply, served))| is_open(i, reply, **served)) {
            let Some(when) = &reply.when else {
                next = next.or(Some(i));
                continue;
            };
            let mismatches = when.unmet_conditions(asked);
            if mismatches.is_empty() {
                return Ok(Some(i));
            }
            conditions.push(when);
            let is_nearer = |(_, least): &(_, Vec<_>)| mismatches.len() < least.len();
            if nearest.as_ref().is_none_or(is_nearer) {
                nearest = Some((i, mismatches));
            }
        }
        let reply = next.map(|i: usize| self.script.replies[i].expect_request.as_ref());
        let next_reply = match reply.map(|expect| expect.filter(|expect| names_messages(expect))) {
            None => NextReply::None,
            Some(None) => NextReply::Open,
            Some(Some(expect)) if expect.differences(asked, false).is_empty() => {
                NextReply::Expected
            }
            Some(Some(_)) => NextReply::ForAnother,
        };
        if may_be_side_request && self.history.is_side_request(past, &conditions, next_reply) {
            return Ok(None);
        }
        next.map(Some).ok_or_else(|| {
            let nearest = nearest.and_then(|(i, found)| Some((i, found.into_iter().next()?)));
            Box::new(match nearest {
                Some((i, mismatch)) => ScriptFailure::no_match(asked.sent.n, i, mismatch),
                None => ScriptFailure::exhausted(asked.sent.n, self.script.replies.len()),
            })
        })
    }
}

/// Whether an expectation is about the content of the messages, not only about the model or the tools.
fn names_messages(expect: &Expect) -> bool {
    let has_messages = |body: &Value| {
        let mut members = ["messages", "input", "contents"].iter();
        members.any(|member| body.get(member).is_some())
    };
    !expect.last_contains.0.is_empty() || expect.body.as_ref().is_some_and(has_messages)
}

/// Longest text that is quoted of a request, in characters.
const MAX_QUOTED: usize = 120;

/// The start of the last message of a request, quoted.
fn last_message(request: &Request) -> String {
    let conversation = ConversationView::new(request);
    let last = conversation.messages.last();
    let text = last
        .and_then(|message| message.texts.last())
        .map_or("", |text| text.trim());
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}
