//! The memory of a conversation: what the next request to the model must hold, according to the requests, replies and commands so far.
//!
//! Only what is certain is remembered: texts of the host that an earlier request held word for word, the texts and calls of the model in
//! answers that came completely, tool results and files. What an agent adds by itself, such as reminders, may change. Where the history
//! leaves open what the model must see, the next request is taken as it is.

use super::newest_request::Newest;
use super::request::{Content, Contents, LONG, Role, hash, holds, quoted};
use super::shown_results::not_given;
use serde_json::Value;
use std::collections::HashSet;

/// The requirement of a rule on a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// What an earlier request held is in the next one, unchanged and in order.
    Kept,
    /// The answer of the model is in the next request.
    Answered,
    /// A text that the host, the model or a tool sent once is in the conversation once.
    Once,
    /// No text of another conversation is in this one.
    Apart,
    /// The model gets the same tool result that the host was shown.
    Shown,
    /// The host receives the texts of the model's answers unchanged.
    Told,
    /// The host receives the thinking of the model's answers unchanged.
    Thought,
    /// The host receives the arguments of the model's calls unchanged.
    Called,
    /// The end of a turn reports the tokens that the model's answers have used.
    Used,
}

/// Most bytes of a request, and of all texts of the host, that are remembered. A longer conversation is unknown.
const MOST_BYTES: usize = 16 << 20;

/// Most tool results that are remembered until the next request.
const MOST_SHOWN: usize = 256;

/// What one check of a frame compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// The check.
    pub check: Check,
    /// How often there was something to compare.
    pub times: u64,
    /// A sentence about how the frame departs from the conversation.
    pub departure: Option<String>,
}

impl Compared {
    /// The result of a check.
    pub fn new(check: Check, times: u64, departure: Option<String>) -> Self {
        Compared {
            check,
            times,
            departure,
        }
    }
}

/// A conversation between two requests.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    /// The newest request of the conversation.
    newest: Option<Newest>,
    /// The newest request, if it certainly continues the conversation with the host.
    continued_by: Option<u64>,
    /// Whether it is known which content of the newest request the next one must have.
    is_known: bool,
    /// The texts of the host, and how many of them came before the newest request.
    said: Vec<String>,
    said_before: usize,
    /// How many of them came before the newest turn that may be missing had ended; 0 once a turn after it has ended.
    said_undone: usize,
    /// The commands that brought attachments, and how many of them came before the newest request.
    attached: usize,
    attached_before: usize,
    /// Hashes of the agent's texts that came with attachments.
    attachments: Vec<u64>,
    /// The tool results that the host was shown since the newest request: the ids of their calls, and their texts.
    shown: Vec<(String, String)>,
    /// The bytes of the texts of the host.
    said_bytes: usize,
    /// The texts of users in the first request, which may be of an earlier process, and how many texts the host had sent by then.
    first_texts: Vec<String>,
    first_said: usize,
}

impl Conversation {
    /// Notes a text of the host to the model.
    pub fn note_said(&mut self, text: &str) {
        self.said_bytes += text.len();
        if !text.trim().is_empty() && self.said_bytes <= MOST_BYTES {
            self.said.push(text.to_owned());
        }
    }

    /// Notes a command that brings attachments.
    pub fn note_attachments(&mut self) {
        self.attached += 1;
    }

    /// Notes the result of a tool that the host was shown.
    pub fn note_shown(&mut self, call: &str, text: String) {
        if self.shown.len() < MOST_SHOWN {
            self.shown.push((call.to_owned(), text));
        }
    }

    /// From here on, the newest turn may be missing.
    pub fn undo_turn(&mut self) {
        self.said_undone = self.said.len();
        if let Some(newest) = &mut self.newest {
            newest.must.truncate(newest.before_turn);
            newest.answer.clear();
            newest.awaits_answer = false;
        }
    }

    /// A turn has ended: requests of a turn that was stopped before it are no longer expected.
    pub fn end_turn(&mut self) {
        if self.said.len() > self.said_undone {
            self.said_undone = 0;
        }
    }

    /// From here on, it is unknown what the model must see.
    pub fn forget(&mut self) {
        self.is_known = false;
    }

    /// Notes the whole answer to a request.
    pub fn note_answer(&mut self, n: u64, message: &Value) {
        let newest = self.newest.as_mut().filter(|_| self.is_known);
        if let Some(newest) = newest.filter(|newest| newest.n == n && newest.awaits_answer) {
            newest.answer = Contents::of_reply(message);
        }
    }

    /// Whether this was the newest request, and certainly continues the conversation with the host.
    pub fn is_continued_by(&self, n: u64) -> bool {
        self.continued_by == Some(n)
    }

    /// The contents of the newest request, if it is this one.
    pub(super) fn newest_contents(&self, n: u64) -> Option<&Contents> {
        let newest = self.newest.as_ref().filter(|newest| newest.n == n);
        newest.map(|newest| &newest.contents)
    }

    /// Compares a request with the conversation, which it then continues.
    pub fn on_request(&mut self, checks: &[Check], n: u64, body: &Value) -> Vec<Compared> {
        let shown = std::mem::take(&mut self.shown);
        let contents = Contents::of_request(body);
        let is_small = |one: &Contents| one.bytes() + self.said_bytes <= MOST_BYTES;
        let Some(contents) = contents.filter(is_small) else {
            self.forget();
            return Vec::new();
        };
        let newest = self.newest.as_ref().filter(|_| self.is_known);
        // A request for a summary asks in the agent's own words, where others end in the host's or in a result.
        let ends_in_own = |one: &Contents| one.ends_in_own_text(&self.said);
        if newest.is_some_and(|one| !ends_in_own(&one.contents)) && ends_in_own(&contents) {
            self.forget();
            return Vec::new();
        }
        let earlier = match newest {
            // The same request again.
            Some(newest) if newest.contents == contents => return Vec::new(),
            Some(newest) if newest.contents.tools == contents.tools => Some(newest),
            // A request for a title or a summary, one of a subagent, or the last one of a turn.
            Some(newest) if contents.tools.len() < newest.contents.tools.len() => {
                self.forget();
                return Vec::new();
            }
            _ => None,
        };
        let said_in = self.said_in(&contents);
        if self.is_late(&contents, &said_in) {
            return Vec::new();
        }
        // A request for a summary quotes the conversation, and offers no tools.
        let is_quote = contents.tools.is_empty();
        let mut pairs = contents.list.iter().zip(&said_in);
        let holds_said = pairs.any(|((_, content), said)| match (content, said) {
            (Content::Text(Role::User, text), Some(said)) => {
                !is_quote || text.trim() == self.said[*said].trim()
            }
            _ => false,
        });
        if earlier.is_none() && !holds_said {
            return Vec::new();
        }
        let compared = checks.iter().map(|check| {
            let (is_exercised, departure) = self.compare(*check, earlier, &shown, &contents);
            Compared::new(*check, u64::from(is_exercised), departure)
        });
        let compared = compared.collect();
        let is_first = earlier.is_none();
        if !is_first && self.attached_before == 0 && self.attached > 0 {
            self.note_texts_with_attachments(&contents);
        }
        if is_first {
            self.first_texts = contents.user_texts().map(str::to_owned).collect();
            self.first_said = self.said.len();
        }
        self.said_before = self.said.len();
        self.attached_before = self.attached;
        let newest = Newest::new(n, contents, said_in, self.said.len());
        // Without tools it may be one for a title.
        let is_certain = holds_said && !newest.contents.tools.is_empty();
        self.continued_by = is_certain.then_some(n);
        self.newest = Some(newest);
        self.is_known = true;
        compared
    }

    /// Whether a request is one of a turn that was stopped, and came when the host had already begun the next one: it holds no text that the
    /// host has sent since, and ends in an earlier one, or where the newest request goes on.
    fn is_late(&self, contents: &Contents, said_in: &[Option<usize>]) -> bool {
        let since = &self.said[self.said_undone..];
        let holds_new = || {
            let mut texts = contents.user_texts();
            texts.any(|text| since.iter().any(|new| holds(text, new)))
        };
        let is_beginning = |newest: &Newest| {
            let (list, longer) = (&contents.list, &newest.contents.list);
            list.len() < longer.len() && longer.starts_with(list)
        };
        let ends_in_old = matches!(said_in.last(), Some(Some(said)) if *said < self.said_undone);
        self.said_undone > 0
            && !since.is_empty()
            && (ends_in_old || self.newest.as_ref().is_some_and(is_beginning))
            && !holds_new()
    }

    /// Whether there was something to compare in a request, and how it departs.
    fn compare(
        &self,
        check: Check,
        earlier: Option<&Newest>,
        shown: &[(String, String)],
        contents: &Contents,
    ) -> (bool, Option<String>) {
        match (check, earlier) {
            (Check::Shown, _) => not_given(shown, contents),
            (Check::Told | Check::Thought | Check::Called | Check::Used | Check::Apart, _)
            | (_, None) => (false, None),
            (Check::Once, Some(newest)) => {
                let (is_exercised, departure) = self.repeated(newest, contents);
                let departure = departure.or_else(|| newest.answered_twice(contents));
                (is_exercised || !newest.answer.is_empty(), departure)
            }
            (Check::Kept | Check::Answered, Some(newest)) => {
                newest.lost_in(check, contents, &self.said)
            }
        }
    }

    /// For each content of a request, the text of the host that it holds, by number: the same text, or else the longest one. For the contents
    /// that the newest request had too, only the texts since then are searched.
    fn said_in(&self, contents: &Contents) -> Vec<Option<usize>> {
        let known = self.newest.iter().flat_map(|newest| {
            let both = newest.contents.list.iter().zip(&contents.list);
            let same = both.take_while(|((_, old), (_, new))| old == new);
            let found = same.zip(&newest.said_in);
            found.map(|(_, said)| (*said, newest.said_count))
        });
        let unknown = std::iter::repeat((None, 0));
        let each = contents.list.iter().zip(known.chain(unknown));
        each.map(|((_, content), (known, searched))| match content {
            Content::Text(Role::User, text) => self.longest_said(text, known, searched),
            _ => None,
        })
        .collect()
    }

    /// The text of the host that a text holds, given the one among the first ones that were searched already.
    fn longest_said(&self, text: &str, known: Option<usize>, searched: usize) -> Option<usize> {
        let is_exact = |n: &usize| self.said[*n].trim() == text.trim();
        if known.as_ref().is_some_and(is_exact) {
            return known;
        }
        let new = || searched..self.said.len();
        let parts = || new().filter(|n| holds(text, &self.said[*n]));
        let longest = || {
            known
                .into_iter()
                .chain(parts())
                .max_by_key(|n| self.said[*n].len())
        };
        new().find(is_exact).or_else(longest)
    }

    /// Whether the host had sent a text before that could be repeated, and a text that is in more messages than the host has sent it with.
    fn repeated(&self, newest: &Newest, contents: &Contents) -> (bool, Option<String>) {
        let again = |what: String, times: usize, most: usize| {
            format!("the request holds {what} in {times} messages; the host sent it {most} times")
        };
        let (before, since) = self.said.split_at(self.said_before);
        let new = contents.list.get(newest.contents.list.len()..);
        let new_texts: Vec<&str> = new
            .into_iter()
            .flatten()
            .filter_map(|(_, content)| content.user_text())
            .collect();
        let is_in = |content: &Content, part: &str| matches!(content, Content::Text(Role::User, whole) if whole.contains(part));
        let long = before.iter().map(|text| text.trim());
        let mut long = long.filter(|text| text.len() >= LONG).peekable();
        let is_exercised = long.peek().is_some() || self.attached_before > 0;
        let mut searched = HashSet::new();
        let mut came = long.filter(|text| {
            searched.insert(*text) && new_texts.iter().any(|whole| whole.contains(text))
        });
        let text = came.find_map(|text| {
            let sent = |list: &[String]| list.iter().filter(|one| one.contains(text)).count();
            let times = contents.messages_with(|one| is_in(one, text));
            let had = newest.contents.messages_with(|one| is_in(one, text));
            let resumed =
                sent(&self.first_texts).saturating_sub(sent(&self.said[..self.first_said]));
            let most = (resumed + sent(before) + sent(since)).max(had + sent(since));
            (times > most).then(|| again(format!("the text {}", quoted(text)), times, most))
        });
        let file = || {
            let list = newest.contents.list.iter().map(|(_, content)| content);
            let mut files = list.filter(|one| self.is_attachment(one));
            files.find_map(|file| {
                let times = contents.messages_with(|one| one == file);
                let had = newest.contents.messages_with(|one| one == file);
                let since = self.attached - self.attached_before;
                // A tool may have read the same file.
                let calls = |all: &Contents| {
                    let contents = all.list.iter().map(|(_, content)| content);
                    contents
                        .filter(|one| matches!(one, Content::Call(..)))
                        .count()
                };
                let read = calls(contents).saturating_sub(calls(&newest.contents));
                let most = self.attached.max(had + since + read);
                (times > most).then(|| again(file.in_words(), times, most))
            })
        };
        (is_exercised, text.or_else(file))
    }

    fn is_attachment(&self, content: &Content) -> bool {
        match content {
            Content::File(..) => self.attached > 0,
            Content::Text(Role::User, text) => self.attachments.contains(&hash(text)),
            _ => false,
        }
    }

    /// Notes the texts that are new with the first attachments: they are those of the attachments, if those have not come as files.
    fn note_texts_with_attachments(&mut self, contents: &Contents) {
        let Some(newest) = &self.newest else {
            return;
        };
        let files = |all: &Contents| all.messages_with(|one| matches!(one, Content::File(..)));
        if files(contents) > files(&newest.contents) {
            return;
        }
        let had: Vec<&str> = newest.contents.user_texts().collect();
        let is_new =
            |text: &&str| !had.contains(text) && !self.said.iter().any(|one| holds(text, one));
        let texts = contents.user_texts().filter(is_new);
        self.attachments = texts.map(hash).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const HELLO: &str = "what do you see here";
    const MORE: &str = "and what is behind it";

    fn user(text: &str) -> Value {
        json!({ "role": "user", "content": [{ "type": "text", "text": text }] })
    }

    fn request(messages: &[Value]) -> Value {
        json!({ "messages": messages, "tools": [{ "name": "bash" }] })
    }

    fn call(text: &str, command: &str) -> Value {
        json!({ "role": "assistant", "content": [
            { "type": "text", "text": text },
            { "type": "tool_use", "id": "t1", "name": "bash", "input": { "command": command } },
        ] })
    }

    fn result(text: &str) -> Value {
        json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "t1", "content": text }] })
    }

    /// A conversation after one request and its answer: a text and a call.
    fn after_a_call() -> Conversation {
        let mut conversation = Conversation::default();
        conversation.note_said(HELLO);
        conversation.on_request(&CHECKS, 0, &request(&[user(HELLO)]));
        let answer = json!([{ "text": "I look." }, { "call": { "name": "bash", "arguments": { "command": "ls" } } }]);
        conversation.note_answer(0, &answer);
        conversation
    }

    const CHECKS: [Check; 4] = [Check::Kept, Check::Answered, Check::Once, Check::Shown];

    fn broken(conversation: &Conversation, messages: &[Value]) -> Vec<Check> {
        let mut conversation = conversation.clone();
        let compared = conversation.on_request(&CHECKS, 1, &request(messages));
        let broken = compared.iter().filter(|one| one.departure.is_some());
        broken.map(|one| one.check).collect()
    }

    /// How a request departs from a conversation by one check.
    fn departure(
        conversation: &mut Conversation,
        check: Check,
        n: u64,
        body: &Value,
    ) -> Option<String> {
        let compared = conversation.on_request(&[check], n, body);
        compared.into_iter().find_map(|one| one.departure)
    }

    #[test]
    fn another_model_gets_an_image_of_a_result_in_its_place() {
        let image = |model: &str, text: &str, file: Value| {
            json!({ "model": model, "messages": [
                user(HELLO), call("", "show"), result(text), { "role": "user", "content": [file] }, user(MORE),
            ] })
        };
        let aside = json!({ "type": "image_url", "image_url": { "url": "data:image/png;base64,iVBORw0KGgo=" } });
        let source = json!({ "type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo=" });
        let inside = json!({ "type": "tool_result", "tool_use_id": "t1", "content": [{ "type": "image", "source": source }] });
        let next = |model: &str| {
            let messages = [
                user(HELLO),
                call("", "show"),
                json!({ "role": "user", "content": [inside] }),
                user(MORE),
            ];
            json!({ "model": model, "messages": messages })
        };
        for (model, is_found) in [("b", false), ("a", true)] {
            let mut conversation = Conversation::default();
            conversation.note_said(HELLO);
            conversation.note_said(MORE);
            conversation.on_request(&CHECKS, 0, &image("a", "The image follows.", aside.clone()));
            let found = departure(&mut conversation, Check::Kept, 1, &next(model));
            assert_eq!(found.is_some(), is_found, "{model}: {found:?}");
        }
    }

    #[test]
    fn a_text_of_a_resumed_conversation_may_come_again_in_the_middle_of_a_turn() {
        let resumed = [
            user(MORE),
            call("I look.", "ls"),
            result("a.txt"),
            user(HELLO),
        ];
        let mut conversation = Conversation::default();
        conversation.note_said(HELLO);
        conversation.on_request(&CHECKS, 0, &request(&resumed));
        let answer = json!([{ "call": { "name": "bash", "arguments": { "command": "ls" } } }]);
        conversation.note_answer(0, &answer);
        conversation.note_said(MORE);
        let in_turn = [&resumed[..], &[call("", "ls"), result("b.txt")]].concat();
        assert_eq!(
            conversation
                .on_request(&CHECKS, 1, &request(&in_turn))
                .iter()
                .find_map(|one| one.departure.clone()),
            None
        );
        let next = [&in_turn[..], &[user(MORE)]].concat();
        let once = |messages: &[Value]| {
            departure(
                &mut conversation.clone(),
                Check::Once,
                2,
                &request(messages),
            )
        };
        assert_eq!(once(&next), None);
        assert!(once(&[&next[..], &[user(MORE)]].concat()).is_some());
    }

    #[test]
    fn what_was_said_and_answered_is_in_the_next_request_on_every_api() {
        let conversation = after_a_call();
        let whole = [user(HELLO), call("I look.", "ls"), result("a.txt")];
        assert_eq!(broken(&conversation, &whole), []);
        let reminded = json!({ "role": "user", "content": [
            { "type": "text", "text": "<reminder>be brief</reminder>" },
            { "type": "text", "text": format!("{HELLO}\n") },
        ] });
        assert_eq!(
            broken(
                &conversation,
                &[reminded, call("I look.", "ls"), result("a")]
            ),
            []
        );
        for (messages, check) in [
            (vec![call("I look.", "ls"), result("a.txt")], Check::Kept),
            (
                vec![user("what do you see"), call("I look.", "ls")],
                Check::Kept,
            ),
            (
                vec![user(HELLO), call("", "ls"), result("a.txt")],
                Check::Answered,
            ),
            (
                vec![user(HELLO), call("I look.", "ls -a"), result("a")],
                Check::Answered,
            ),
            (vec![call("I look.", "ls"), user(HELLO)], Check::Answered),
            (
                vec![user(HELLO), call("I look.", "ls"), user(HELLO)],
                Check::Once,
            ),
            (
                vec![user(HELLO), call("I look.", "ls"), call("", "ls")],
                Check::Once,
            ),
            (
                vec![user(HELLO), call("I look.", "ls"), result("a"), result("a")],
                Check::Once,
            ),
        ] {
            assert_eq!(broken(&conversation, &messages), [check], "{messages:?}");
        }
        let chat = json!({ "tools": [{ "function": { "name": "bash" } }], "messages": [
            { "role": "system", "content": "be brief" },
            { "role": "user", "content": HELLO },
            { "role": "assistant", "content": "I look.", "tool_calls": [
                { "id": "t1", "function": { "name": "bash", "arguments": "{\"command\": \"ls\"}" } }] },
            { "role": "tool", "tool_call_id": "t1", "content": "a.txt" },
        ] });
        let responses = json!({ "tools": [{ "name": "bash" }], "input": [
            { "role": "user", "content": [{ "type": "input_text", "text": HELLO }] },
            { "type": "reasoning", "summary": [] },
            { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "I look." }] },
            { "type": "function_call", "call_id": "t1", "name": "bash", "arguments": "{\"command\": \"ls\"}" },
            { "type": "function_call_output", "call_id": "t1", "output": "a.txt" },
        ] });
        for body in [chat, responses] {
            let mut conversation = after_a_call();
            let compared = conversation.on_request(&[Check::Kept], 1, &body);
            assert_eq!((compared[0].times, &compared[0].departure), (1, &None));
            conversation.note_said(MORE);
            let lacks_result = request(&[user(HELLO), call("I look.", "ls"), user(MORE)]);
            let found = departure(&mut conversation, Check::Kept, 2, &lacks_result);
            assert_eq!(
                found.as_deref(),
                Some(
                    "the request does not hold the tool result \"a.txt\", which request 1 held, at its place"
                )
            );
        }
    }

    #[test]
    fn a_request_of_a_stopped_turn_may_come_after_the_next_one() {
        const STOPPED: &str = "look into every folder";
        let mut conversation = Conversation::default();
        conversation.note_said(HELLO);
        conversation.on_request(&CHECKS, 0, &request(&[user(HELLO)]));
        conversation.note_answer(0, &json!([{ "text": "Hi." }]));
        conversation.note_said(STOPPED);
        conversation.undo_turn();
        conversation.note_said(MORE);
        let answered = [
            user(HELLO),
            json!({ "role": "assistant", "content": "Hi." }),
        ];
        let next = [&answered[..], &[user(MORE)]].concat();
        let late = [&answered[..], &[user(STOPPED)]].concat();
        let ran = [&late[..], &[call("", "ls"), result("a.txt")]].concat();
        let after_it = [&ran[..], &[user(MORE)]].concat();
        for requests in [[&next, &late], [&late, &next], [&after_it, &ran]] {
            let mut conversation = conversation.clone();
            for (n, messages) in (1..).zip(requests) {
                let compared = conversation.on_request(&CHECKS, n, &request(messages));
                assert!(
                    compared.iter().all(|one| one.departure.is_none()),
                    "{requests:?}"
                );
            }
            let lost = [user(MORE), call("", "ls")];
            assert!(!broken(&conversation, &lost).is_empty());
        }
        conversation.on_request(&CHECKS, 1, &request(&next));
        assert_eq!(broken(&conversation, &late), []);
        conversation.end_turn();
        assert!(!broken(&conversation, &late).is_empty());
    }

    #[test]
    fn the_parts_of_an_answer_are_joined_in_any_way_and_keep_their_blanks() {
        let said = |parts: &[&str], own: &str| {
            let mut conversation = Conversation::default();
            conversation.note_said(HELLO);
            conversation.on_request(&CHECKS, 0, &request(&[user(HELLO)]));
            let answer = parts.iter().map(|part| json!({ "text": part }));
            conversation.note_answer(0, &answer.collect());
            conversation.note_said(MORE);
            let own = json!({ "role": "assistant", "content": own });
            broken(&conversation, &[user(HELLO), own, user(MORE)]).is_empty()
        };
        let one = ["if x:\n  go\n"];
        assert!(said(&one, "if x:\n  go"));
        assert!(!said(&one, "if x: go"));
        let two = ["if x:\n  go", "now"];
        assert!(said(&two, "if x:\n  gonow"));
        assert!(said(&two, "if x:\n  go\n\nnow"));
        assert!(!said(&two, "if x:\n  go"));
        let long = ["a text of some length"];
        assert!(said(&long, "a text of some length."));
        assert!(!said(&long, "a text of some length, a text of some length"));
    }

    #[test]
    fn a_turn_that_was_undone_may_be_missing_and_what_was_before_it_may_not() {
        let mut conversation = after_a_call();
        conversation.undo_turn();
        conversation.note_said(MORE);
        assert_eq!(broken(&conversation, &[user(MORE)]), []);

        let mut conversation = after_a_call();
        let answered =
            json!({ "role": "assistant", "content": [{ "type": "text", "text": "A file." }] });
        let first = [
            user(HELLO),
            call("I look.", "ls"),
            result("a.txt"),
            answered,
        ];
        conversation.on_request(&CHECKS, 1, &request(&first[..3]));
        conversation.note_answer(1, &json!([{ "text": "A file." }]));
        conversation.note_said(MORE);
        let second: Vec<Value> = first.iter().cloned().chain([user(MORE)]).collect();
        let found = departure(&mut conversation, Check::Kept, 2, &request(&second));
        assert_eq!(found, None);
        conversation.undo_turn();
        assert_eq!(broken(&conversation, &first), []);
        assert_eq!(broken(&conversation, &first[1..]), [Check::Kept]);
    }

    #[test]
    fn what_cannot_be_known_is_not_judged() {
        let mut forgotten = after_a_call();
        forgotten.forget();
        assert_eq!(broken(&forgotten, &[user(HELLO)]), []);

        // A call of a tool that the agent does not have.
        let mut unknown = Conversation::default();
        unknown.note_said(HELLO);
        unknown.on_request(&CHECKS, 0, &request(&[user(HELLO)]));
        let call = json!({ "call": { "name": "fly", "arguments": {} } });
        unknown.note_answer(0, &json!([{ "text": "I look." }, call]));
        assert_eq!(
            broken(&unknown, &[user(HELLO), self::call("I look.", "ls")]),
            []
        );
        assert_eq!(
            broken(&unknown, &[user(HELLO), self::call("", "ls")]),
            [Check::Answered]
        );

        // A title, with no tools, and the request after it.
        let mut titled = after_a_call();
        let title = json!({ "messages": [user(HELLO)] });
        assert_eq!(titled.on_request(&CHECKS, 1, &title), []);
        assert_eq!(broken(&titled, &[user(HELLO)]), []);

        // A request for a summary, and the request after it.
        let mut summed_up = after_a_call();
        let asked = [user(HELLO), user("Sum it up.")];
        assert_eq!(summed_up.on_request(&CHECKS, 1, &request(&asked)), []);
        assert_eq!(broken(&summed_up, &[user(HELLO)]), []);

        // An answer that was not recorded, and more texts than are remembered.
        let mut unrecorded = Conversation::default();
        unrecorded.note_said(HELLO);
        let answered = [Check::Answered];
        for (n, messages) in [vec![user(HELLO)], vec![user(HELLO), user(HELLO)]]
            .iter()
            .enumerate()
        {
            let compared = unrecorded.on_request(&answered, n as u64, &request(messages));
            assert!(compared.iter().all(|one| one.times == 0));
        }
        let mut long = after_a_call();
        long.note_said(&"x".repeat(MOST_BYTES));
        assert_eq!(broken(&long, &[user(MORE)]), []);

        let mut part = after_a_call();
        let rest = json!({ "previous_response_id": "r", "input": MORE });
        assert_eq!(part.on_request(&CHECKS, 1, &rest), []);
    }

    #[test]
    fn the_model_gets_what_the_host_was_shown() {
        let shown = "error: cannot read a.txt\nno such file";
        let given = |text: &str| [user(HELLO), call("I look.", "ls"), result(text)];
        for (text, is_given) in [
            (shown, true),
            ("error: cannot read a.txt", true),
            (
                "{\"output\":\"error: cannot read a.txt\\nno such file\"}",
                true,
            ),
            ("", true),
            ("(no output)", false),
        ] {
            let mut conversation = after_a_call();
            conversation.note_shown("t1", shown.to_owned());
            let expected: &[Check] = if is_given { &[] } else { &[Check::Shown] };
            assert_eq!(broken(&conversation, &given(text)), expected, "{text:?}");
        }
        let mut conversation = after_a_call();
        conversation.note_shown("t1", "ok".to_owned());
        conversation.note_shown("an id of the agent", shown.to_owned());
        assert_eq!(broken(&conversation, &given("a.txt")), []);
    }

    #[test]
    fn an_attachment_comes_with_its_message_only() {
        let image = json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AAAA" } });
        let notes = json!({ "type": "text", "text": "<notes>\nthe word is heron\n</notes>" });
        for file in [image, notes] {
            let with_file = |text: &str| json!({ "role": "user", "content": [file.clone(), { "type": "text", "text": text }] });
            let mut conversation = Conversation::default();
            conversation.note_said("first of all");
            let first = user("first of all");
            conversation.on_request(&CHECKS, 0, &request(std::slice::from_ref(&first)));
            conversation.note_said(HELLO);
            conversation.note_attachments();
            let second = [first, with_file(HELLO)];
            let found = departure(&mut conversation, Check::Kept, 1, &request(&second));
            assert_eq!(found, None);
            conversation.note_said(MORE);
            let third = |last: Value| second.iter().cloned().chain([last]).collect::<Vec<_>>();
            assert_eq!(broken(&conversation, &third(user(MORE))), []);
            assert_eq!(
                broken(&conversation, &third(with_file(MORE))),
                [Check::Once]
            );
            let read = json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "t1", "content": [file.clone()] }] });
            let mut reading = second.to_vec();
            reading.extend([call("", "cat it"), read]);
            assert_eq!(broken(&conversation, &reading), []);
            conversation.note_attachments();
            assert_eq!(broken(&conversation, &third(with_file(MORE))), []);
        }
    }
}
