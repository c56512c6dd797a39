//! The request history: detects requests that repeat an answered one, and side requests outside the conversation, such as one for a
//! title.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::hash::{BuildHasher, Hash};

use foldhash::fast::FixedState;
use serde_json::Value;

use crate::answer::{Answer, Block, BlockStart, Chunk, Piece};
use crate::conversation::{ConversationView, offered_tools};
use crate::failure::News;
use crate::request::Request;
use crate::script::{Expect, Stop};

/// A text that was sent to the model, or a tool result, without the text itself: a history of texts would grow with every request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct TextId {
    is_result: bool,
    hash: u64,
}

impl TextId {
    /// Space around a text does not count.
    fn of_text(text: &str) -> Self {
        TextId {
            is_result: false,
            hash: hash(&text.trim()),
        }
    }

    fn of_result(call: &str) -> Self {
        TextId {
            is_result: true,
            hash: hash(&call),
        }
    }
}

fn hash(value: &impl Hash) -> u64 {
    FixedState::default().hash_one(value)
}

/// A request in the history: its parts that a later request can repeat.
#[derive(Debug, Clone)]
pub(crate) struct PastRequest {
    /// Its number.
    n: u64,
    /// The instructions and the names of the tools, hashed. A request for a title or a summary has others than the conversation.
    instructions: u64,
    /// The texts and tool results sent to the model, without the model's own messages.
    texts: BTreeSet<TextId>,
    /// The texts of tool results among them.
    outputs: BTreeSet<TextId>,
    /// The texts after the model's last message.
    new_texts: Vec<TextId>,
    /// The newest text sent to the model.
    newest: Option<TextId>,
    /// Whether its new texts are all the agent's own: neither the host's nor tool results.
    brings_agent_text: bool,
    /// Whether its reply has an expectation of its new texts or its form, which it meets.
    is_expected: bool,
    /// The number of host messages before it.
    host_messages_before: usize,
    /// The number of commands of the host before it.
    commands_before: usize,
    /// Whether its answer calls tools, so that another request follows it.
    calls_tools: bool,
    /// Whether it offers tools.
    has_tools: bool,
    /// Whether its answer was complete and valid: there is no reason to send it again.
    answered: bool,
}

/// The history of requests that got a reply of the script: the newest of them, see [`MAX_REQUESTS`] and [`MAX_TEXTS`].
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestHistory {
    requests: VecDeque<PastRequest>,
    /// The number of texts in the requests.
    texts: usize,
    /// The first request that got a reply although it repeats an answered one, and the answered one.
    first_repeat: Option<(u64, u64)>,
    /// The first request that got a reply without meeting its expectation, by the number of the reply.
    missed: BTreeMap<usize, u64>,
    /// The known messages of the host to the agent.
    host_messages: Vec<TextId>,
    /// The number of commands of the host.
    commands: usize,
    /// The texts of each prompt of the host that no request of the conversation has brought yet.
    owed_prompts: Vec<Vec<String>>,
    /// The first request outside of the conversation that took no reply.
    first_side_request: Option<u64>,
}

/// How the next reply without a condition relates to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextReply {
    /// No reply is left.
    None,
    /// It expects messages that the request has.
    Expected,
    /// It expects messages that the request lacks.
    ForAnother,
    /// It expects no messages.
    Open,
}

/// The shortest prompt that is searched for in the agent's own texts, in bytes.
const MIN_QUOTED: usize = 3;

/// Most requests in the history.
const MAX_REQUESTS: usize = 512;

/// Most texts of all requests in the history.
const MAX_TEXTS: usize = 1 << 16;

impl PastRequest {
    pub(crate) fn new(request: &Request, conversation: &ConversationView<'_>) -> Self {
        let tools: Vec<&Value> = offered_tools(&request.body).collect();
        let named = |tool: &Value| {
            let name = tool
                .get("name")
                .or_else(|| tool.pointer("/function/name"))?;
            name.as_str().map(|text| hash(&text))
        };
        let (mut instructions, mut texts) = (Vec::new(), BTreeSet::new());
        let outputs = conversation
            .results()
            .into_iter()
            .flat_map(|result| &result.texts)
            .map(|text| TextId::of_text(text))
            .collect();
        instructions.extend(conversation.system.iter().copied().map(|text| hash(&text)));
        for message in &conversation.messages {
            let own = message.texts.iter().copied();
            if message.is_instruction {
                instructions.extend(own.map(|text| hash(&text)));
            } else if !message.is_from_model {
                texts.extend(own.map(TextId::of_text));
                let results = message.results.iter();
                texts.extend(results.map(|result| TextId::of_result(result.call)));
            }
        }
        instructions.extend(tools.iter().copied().filter_map(named));
        let from_newest = || conversation.messages.iter().rev();
        let new_texts = from_newest()
            .take_while(|message| !message.is_from_model)
            .filter(|message| !message.is_instruction)
            .flat_map(|message| message.texts.iter().copied());
        let newest = from_newest()
            .find(|message| !message.is_from_model && !message.is_instruction)
            .and_then(|message| message.texts.last().copied());
        PastRequest {
            n: request.n,
            new_texts: new_texts.map(TextId::of_text).collect(),
            instructions: hash(&instructions),
            texts,
            outputs,
            newest: newest.map(TextId::of_text),
            brings_agent_text: false,
            is_expected: false,
            host_messages_before: 0,
            commands_before: 0,
            calls_tools: false,
            has_tools: !tools.is_empty(),
            answered: false,
        }
    }

    /// Whether it offers tools.
    pub(crate) fn has_tools(&self) -> bool {
        self.has_tools
    }

    /// Whether all its texts are in the other request, the newest text of the other one included.
    fn repeats(&self, other: &PastRequest) -> bool {
        !self.texts.is_empty()
            && self.instructions == other.instructions
            && other
                .newest
                .is_none_or(|newest| self.texts.contains(&newest))
            && self.texts.is_subset(&other.texts)
    }
}

impl RequestHistory {
    /// Adds a command of the host to the agent, by its texts. A request of the conversation brings those of a prompt.
    pub(crate) fn note_command(&mut self, mut texts: Vec<String>, is_prompt: bool) {
        self.commands += 1;
        texts.retain(|text| !text.trim().is_empty());
        let ids = texts.iter().map(|text| TextId::of_text(text));
        self.host_messages.extend(ids);
        self.owed_prompts.extend(is_prompt.then_some(texts));
    }

    /// Whether a request is for a title of a prompt that no request of the conversation has brought: it offers no tools, and quotes the
    /// prompt in a text of the agent's own.
    pub(crate) fn is_about_prompt(
        &self,
        request: &PastRequest,
        conversation: &ConversationView<'_>,
    ) -> bool {
        let mut prompts = self.owed_prompts.iter().filter_map(|texts| {
            let longest = texts.iter().max_by_key(|text| text.len());
            longest.filter(|text| text.len() >= MIN_QUOTED)
        });
        let quotes = |prompt: &String| {
            let mut texts = conversation.new_texts();
            texts.any(|text| text.contains(prompt.as_str()))
        };
        !request.has_tools && self.brings_agent_text(request) && prompts.any(quotes)
    }

    /// Whether a request is a side request, such as one for a title, and the next reply of the script is for another request: for the
    /// request of a prompt that this one does not contain, or for the next prompt, because the turn is over and the host has sent
    /// nothing since. A request to compact the conversation is not a side request if the host asked for it, if the next reply expects
    /// it, or if the script has replies with conditions on texts.
    pub(crate) fn is_side_request(
        &self,
        request: &PastRequest,
        when: &[&Expect],
        next: NextReply,
    ) -> bool {
        if self.host_messages.is_empty() {
            return false;
        }
        let Some(last) = self.requests.back() else {
            return self.brings_agent_text(request) && !request.has_tools;
        };
        if self.is_of_old_texts(request, last) {
            return next != NextReply::Expected;
        }
        if !self.brings_agent_text(request) {
            return false;
        }
        let has_condition = |text: &String| when.iter().any(|when| when.is_about(text));
        let mut prompts = self.owed_prompts.iter();
        let owed = prompts.any(|texts| !texts.iter().any(has_condition));
        let is_of_other_form = !request.has_tools && last.has_tools;
        let is_silent = last.commands_before == self.commands;
        let for_other = match next {
            NextReply::None => true,
            NextReply::Expected => false,
            NextReply::ForAnother => is_silent,
            NextReply::Open => is_silent && !when.iter().any(|when| when.names_text()),
        };
        owed && is_of_other_form || !last.calls_tools && for_other
    }

    /// Whether a request has new texts, and they are the agent's own: neither the host's nor results of tools.
    fn brings_agent_text(&self, request: &PastRequest) -> bool {
        let mut new = request
            .texts
            .iter()
            .filter(|text| self.is_new(text))
            .peekable();
        new.peek().is_some()
            && new.all(|text| !text.is_result && !self.host_messages.contains(text))
    }

    /// Whether a request has no tools, unlike the last one, and only texts that were sent before, such as one for a title of the first prompt.
    fn is_of_old_texts(&self, request: &PastRequest, last: &PastRequest) -> bool {
        !request.has_tools
            && last.has_tools
            && !request.texts.is_empty()
            && !request.texts.iter().any(|text| self.is_new(text))
    }

    fn is_new(&self, text: &TextId) -> bool {
        let mut requests = self.requests.iter();
        !requests.any(|request| request.texts.contains(text))
    }

    /// Notes a side request that took no reply.
    pub(crate) fn note_side_request(&mut self, n: u64) {
        self.first_side_request.get_or_insert(n);
    }

    /// The first side request, if the conversation has no request.
    pub(crate) fn only_side_request(&self) -> Option<u64> {
        self.first_side_request.filter(|_| self.requests.is_empty())
    }

    fn has_host_text(&self, request: &PastRequest) -> bool {
        self.host_messages
            .iter()
            .any(|text| request.new_texts.contains(text))
    }

    /// The texts that a request adds to the conversation; none for a request outside of it, such as one for a title, and for the agent's
    /// own texts, such as one that asks for a summary.
    pub(crate) fn news(&self, request: &PastRequest) -> Option<News> {
        if self.requests.is_empty() {
            return (request.has_tools || self.has_host_text(request)).then_some(News::Prompt);
        }
        let alike = |one: &&PastRequest| one.instructions == request.instructions;
        let is_output = |text: &TextId| text.is_result || request.outputs.contains(text);
        let mut new = request
            .texts
            .iter()
            .filter(|text| self.is_new(text) && !is_output(text))
            .peekable();
        self.requests.iter().find(alike)?;
        if new.peek().is_none() {
            return Some(News::Results);
        }
        new.any(|text| self.host_messages.contains(text))
            .then_some(News::Prompt)
    }

    /// Whether the request has a host message that is newer than an earlier request: the same text again is another message.
    fn has_newer_host_message(&self, request: &PastRequest, earlier: &PastRequest) -> bool {
        let mut since = self.host_messages[earlier.host_messages_before..].iter();
        since.any(|message| request.texts.contains(message))
    }

    /// The answered request that this one repeats.
    pub(crate) fn repeated_by(&self, request: &PastRequest) -> Option<u64> {
        let answered = self.requests.iter().filter(|earlier| earlier.answered);
        answered
            .filter(|earlier| request.repeats(earlier))
            .filter(|earlier| !self.has_newer_host_message(request, earlier))
            .map(|earlier| earlier.n)
            .next_back()
    }

    /// The first request that got a reply although it repeats an answered one.
    pub(crate) fn first_repeat(&self) -> Option<(u64, u64)> {
        self.first_repeat
    }

    /// An earlier request that took a reply without meeting its expectation, while this request meets it.
    pub(crate) fn reply_taken_by(&self, fits: impl Fn(usize) -> bool) -> Option<u64> {
        let missed = self.missed.iter().filter(|(reply, _)| fits(**reply));
        missed.map(|(_, n)| *n).min()
    }

    /// Adds a request that got a reply of the script.
    ///
    /// Returns the side request that it reveals: itself, or an earlier one.
    pub(crate) fn add(
        &mut self,
        mut request: PastRequest,
        answer: &Answer,
        is_expected: bool,
    ) -> Option<u64> {
        let repeats = self.repeated_by(&request);
        self.first_repeat = self
            .first_repeat
            .or(repeats.map(|earlier| (request.n, earlier)));
        request.answered = is_complete(answer);
        request.calls_tools = calls_tools(answer);
        request.is_expected = is_expected;
        request.host_messages_before = self.host_messages.len();
        request.commands_before = self.commands;
        let side_request = (!self.host_messages.is_empty())
            .then(|| self.side_request(&mut request))
            .flatten();
        self.settle_prompts(&request);
        self.keep(request);
        side_request
    }

    /// Removes the prompts that a request contains from those that no request has brought yet. An agent may rewrite a prompt in its own
    /// words.
    fn settle_prompts(&mut self, request: &PastRequest) {
        let brings = |text: &String| request.texts.contains(&TextId::of_text(text));
        let owed = self.owed_prompts.len();
        self.owed_prompts.retain(|texts| !texts.iter().any(brings));
        let is_rewritten = self.owed_prompts.len() == owed && request.brings_agent_text;
        if is_rewritten && request.has_tools {
            self.owed_prompts.clear();
        }
    }

    /// Adds a request, and drops the oldest ones.
    fn keep(&mut self, request: PastRequest) {
        self.texts += request.texts.len();
        self.requests.push_back(request);
        while (self.requests.len() > MAX_REQUESTS || self.texts > MAX_TEXTS)
            && self.requests.len() > 1
            && let Some(oldest) = self.requests.pop_front()
        {
            self.texts -= oldest.texts.len();
        }
    }

    /// The side request that a new request reveals. Notes in it whether it has only text of the agent.
    fn side_request(&self, request: &mut PastRequest) -> Option<u64> {
        let of_host = |text: &TextId| {
            let mut messages = self.host_messages.iter();
            messages.position(|message| message == text)
        };
        let new = request.texts.iter().filter(|text| self.is_new(text));
        let first_of_host = new.filter_map(of_host).min();
        request.brings_agent_text = self.brings_agent_text(request);
        let last = self.requests.back()?;
        let follows_turn =
            last.answered && !last.calls_tools && last.commands_before == request.commands_before;
        if follows_turn && request.brings_agent_text && !request.is_expected {
            return Some(request.n);
        }
        let first = first_of_host?;
        let mut earlier = self.requests.iter();
        let found = earlier.find(|one| {
            one.brings_agent_text && !one.is_expected && first < one.host_messages_before
        });
        found.map(|one| one.n)
    }

    /// Adds a request that got a reply without meeting its expectation.
    pub(crate) fn add_missed_expectation(&mut self, n: u64, reply: usize) {
        self.missed.entry(reply).or_insert(n);
    }

    /// Marks a request whose answer did not reach the client completely.
    pub(crate) fn mark_unanswered(&mut self, n: u64) {
        for request in self.requests.iter_mut().filter(|request| request.n == n) {
            request.answered = false;
        }
    }
}

fn calls_tools(answer: &Answer) -> bool {
    matches!(answer, Answer::Message(message) if message.stop() == Some(Stop::ToolUse))
}

/// Whether an answer is complete and valid and has content, so that there is no reason to send the request again.
fn is_complete(answer: &Answer) -> bool {
    let Answer::Message(message) = answer else {
        return false;
    };
    let breaks = |piece: &Piece| {
        matches!(
            piece,
            Piece::Raw(_) | Piece::Error(_) | Piece::Cut(_) | Piece::Stall { .. }
        )
    };
    let is_whole = matches!(message.stop(), Some(Stop::EndTurn | Stop::ToolUse));
    if !is_whole || message.pieces.iter().any(breaks) {
        return false;
    }
    let says = |chunk: &Chunk| match chunk {
        Chunk::Text { text, .. } => !text.trim().is_empty(),
        Chunk::Args { fragment, .. } => !fragment.is_empty(),
        _ => false,
    };
    let is_call = |block: &BlockStart| matches!(block, BlockStart::Call { .. });
    let is_valid =
        |call: &Block| call.text().is_empty() || serde_json::from_str::<Value>(call.text()).is_ok();
    message.chunks().any(says)
        && (!message.starts().any(is_call)
            || message
                .blocks()
                .iter()
                .filter(|block| is_call(&block.start))
                .all(is_valid))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;
    use crate::request::Wire;
    use crate::script::Script;
    use serde_json::json;

    fn request(n: u64, texts: &[String]) -> Request {
        let messages = texts
            .iter()
            .map(|text| json!({ "role": "user", "content": text }));
        let body = json!({ "model": "m", "messages": messages.collect::<Vec<_>>() });
        Request::in_process(n, Wire::OpenAiChat, body)
    }

    fn past(request: &Request) -> PastRequest {
        PastRequest::new(request, &ConversationView::new(request))
    }

    #[test]
    fn titles_and_summaries_take_no_reply() {
        let script = json!([{ "text": "one" }, { "text": "two" }]);
        let mut model = Model::new(Script::from_value(script).unwrap(), 0);
        let ask = |model: &mut Model, n, texts: &[&str], has_tools| {
            let texts: Vec<_> = texts.iter().map(|&text| text.to_owned()).collect();
            let mut request = request(n, &texts);
            if has_tools {
                request.body["tools"] =
                    json!([{ "type": "function", "function": { "name": "read" } }]);
            }
            let response = model.next(&request);
            (
                response.reply,
                response.is_side_request,
                response.failures.len(),
            )
        };
        model.note_command(vec!["a first question".into()], true);
        let title = ask(&mut model, 0, &["Title of: a first question"], false);
        assert_eq!(title, (None, true, 0));
        assert_eq!(model.unused()[0].request, Some(0));
        let prompt = ask(&mut model, 1, &["a first question"], true);
        assert_eq!(prompt, (Some(0), false, 0));
        let title = ask(&mut model, 2, &["a first question"], false);
        assert_eq!(title, (None, true, 0));
        let summary = ["a first question", "Summarize."];
        assert_eq!(ask(&mut model, 2, &summary, true), (None, true, 1));
        assert_eq!(ask(&mut model, 3, &summary, false), (None, true, 0));
        model.note_command(vec!["a second question".into()], true);
        let title = ask(&mut model, 4, &["Title of: a second question"], false);
        assert_eq!(title, (None, true, 0));
        let prompt = ["a first question", "a second question"];
        assert_eq!(ask(&mut model, 5, &prompt, true), (Some(1), false, 0));
        assert!(model.unused().is_empty());
    }

    #[test]
    fn the_history_keeps_the_newest_requests_however_many_there_are() {
        let script = json!([{ "text": "x", "repeat": "forever" }]);
        let mut model = Model::new(Script::from_value(script).unwrap(), 0);
        let mut history = RequestHistory::default();
        for n in 0..2 * MAX_REQUESTS as u64 {
            let asked = request(n, &[format!("question {n}"), "x".repeat(1000)]);
            let answer = model.next(&asked).answer;
            history.add(past(&asked), &answer, true);
            assert!(history.requests.len() <= MAX_REQUESTS);
        }
        let long: Vec<_> = (0..MAX_TEXTS / 2).map(|n| format!("text {n}")).collect();
        let again = request(9999, &["question 1023".to_owned(), "x".repeat(1000)]);
        assert_eq!(history.repeated_by(&past(&again)), Some(1023));
        for n in 10_000..10_004 {
            let asked = request(n, &long);
            let answer = model.next(&asked).answer;
            history.add(past(&asked), &answer, true);
            let texts = history.requests.iter().map(|one| one.texts.len());
            assert_eq!(history.texts, texts.sum::<usize>());
            assert!(history.texts <= MAX_TEXTS);
        }
        assert_eq!(history.first_repeat(), Some((10_001, 10_000)));
    }
}
