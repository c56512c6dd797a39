//! The newest request of a conversation: what of it the next request must hold, and what it lacks.

use super::memory::Check;
use super::request::{Content, Contents, Role, has_part};
use serde_json::Value;

/// The newest request.
#[derive(Debug, Clone)]
pub(super) struct Newest {
    pub(super) n: u64,
    pub(super) contents: Contents,
    /// For each content, the longest text of the host that it holds, by number.
    pub(super) said_in: Vec<Option<usize>>,
    /// How many texts the host had sent.
    pub(super) said_count: usize,
    /// The contents that the next request must hold, by number.
    pub(super) must: Vec<usize>,
    /// Those of them before its last turn.
    pub(super) before_turn: usize,
    /// What the model answered, if that is known and came whole.
    pub(super) answer: Vec<Content>,
    /// Whether its answer must be in the next request.
    pub(super) awaits_answer: bool,
}

impl Newest {
    /// The contents that a request to this model must hold.
    fn must<'a>(
        &'a self,
        said: &'a [String],
        model: &'a Value,
    ) -> impl Iterator<Item = Wanted<'a>> {
        let is_same_model = *model == self.contents.model;
        let numbers = self.must.iter().copied();
        let certain = numbers.filter(move |n| is_same_model || self.is_for_any_model(*n));
        certain.map(|n| match self.said_in[n] {
            Some(text) => Wanted::Said(&said[text]),
            None => Wanted::Content(&self.contents.list[n].1),
        })
    }

    /// Whether another model gets a content alike. A text that held the model's thinking is without it for the model that thought; the
    /// text of a result stands for an image only where the API takes no image there.
    fn is_for_any_model(&self, n: usize) -> bool {
        let next = self.contents.list.get(n + 1).map(|(_, next)| next);
        match &self.contents.list[n].1 {
            Content::Text(Role::Model, _) => self.said_in[n].is_some(),
            Content::Result(..) => !matches!(next, Some(Content::File(..))),
            _ => true,
        }
    }

    /// Whether there is something that a request must hold by this check, and what it lacks.
    pub(super) fn lost_in(
        &self,
        check: Check,
        contents: &Contents,
        said: &[String],
    ) -> (bool, Option<String>) {
        let mut rest = contents.list.as_slice();
        let mut is_kept = |wanted: &Wanted<'_>| {
            let at = rest.iter().position(|(_, next)| wanted.is_kept_by(next));
            // A longer text may hold the next content as well.
            at.inspect(|at| rest = &rest[at + usize::from(wanted.is(&rest[*at].1))..])
                .is_some()
        };
        let n = self.n;
        let mut must = self.must(said, &contents.model);
        let lost = must.find(|wanted| !is_kept(wanted));
        match (check, lost) {
            (Check::Answered, None) => {
                let mut answer = self.answer.iter();
                let lost = answer.find(|content| {
                    !is_kept(&Wanted::Content(content)) && !self.may_be_renamed(content, contents)
                });
                let message = lost.map(|content| {
                    let what = content.in_words();
                    format!("the request does not hold {what} from the answer to request {n}")
                });
                (!self.answer.is_empty(), message)
            }
            (Check::Answered, Some(_)) => (false, None),
            (_, lost) => {
                let message = lost.map(|wanted| {
                    let what = wanted.in_words();
                    format!(
                        "the request does not hold {what}, which request {n} held, at its place"
                    )
                });
                (!self.must.is_empty(), message)
            }
        }
    }

    /// Whether this is a call of a tool that was not offered, and that a request does not have by its name: agents give it to the model
    /// under another one, with what is wrong.
    fn may_be_renamed(&self, content: &Content, request: &Contents) -> bool {
        let Content::Call(name, _) = content else {
            return false;
        };
        let mut calls = request.list.iter();
        let is_in =
            calls.any(|(_, other)| matches!(other, Content::Call(other, _) if other == name));
        !self.contents.tools.contains(name) && !is_in
    }

    /// What of the answer, or of the results that follow it, a request holds more often than it was said.
    pub(super) fn answered_twice(&self, contents: &Contents) -> Option<String> {
        let all = |list: &[(usize, Content)], one: &Content| -> usize {
            list.iter().map(|(_, content)| content.times(one)).sum()
        };
        let of_answer = self.answer.iter().find_map(|one| {
            let said = self.answer.iter().map(|content| content.times(one));
            let most = all(&self.contents.list, one) + said.sum::<usize>();
            let times = all(&contents.list, one);
            let what = one.in_words();
            (times > most).then(|| {
                format!("the request holds {what} {times} times; the model said it {most} times")
            })
        });
        // Calls may have one id, and the same result: only more results than calls are too many.
        let of_results = || {
            let ends = contents.list.iter().rposition(|(_, one)| one.is_of_model());
            let (before, after) = contents.list.split_at(ends.map_or(0, |n| n + 1));
            let results = after.iter().map(|(_, one)| one);
            let results = results.filter(|one| matches!(one, Content::Result(..)));
            let results: Vec<&Content> = results.collect();
            let said = before.iter().rev().take_while(|(_, one)| one.is_of_model());
            let calls = said.filter(|(_, one)| matches!(one, Content::Call(..)));
            let calls = calls.count();
            let again = (1..results.len()).find(|n| results[..*n].contains(&results[*n]))?;
            let what = results[again].in_words();
            (results.len() > calls).then(|| format!("the request holds {what} twice for one call"))
        };
        of_answer.or_else(of_results)
    }

    pub(super) fn new(
        n: u64,
        contents: Contents,
        said_in: Vec<Option<usize>>,
        said_count: usize,
    ) -> Self {
        let (mut must, mut before_turn) = (Vec::new(), 0);
        let mut after_model = false;
        for (at, ((_, content), said)) in contents.list.iter().zip(&said_in).enumerate() {
            match content {
                Content::Text(Role::User, _) => {
                    if std::mem::take(&mut after_model) {
                        before_turn = must.len();
                    }
                    must.extend(said.map(|_| at));
                }
                Content::Text(Role::Model, _) | Content::Call(..) => {
                    after_model = true;
                    must.push(at);
                }
                Content::Result(..) | Content::File(..) => {
                    after_model = false;
                    must.push(at);
                }
            }
        }
        Newest {
            n,
            contents,
            said_in,
            said_count,
            must,
            before_turn,
            answer: Vec::new(),
            awaits_answer: true,
        }
    }
}

/// What a request must hold.
enum Wanted<'a> {
    /// A text of the host, in a text of the user's side.
    Said(&'a str),
    /// A content.
    Content(&'a Content),
}

impl Wanted<'_> {
    /// Whether a content keeps it.
    fn is_kept_by(&self, content: &Content) -> bool {
        match self {
            Wanted::Said(said) => content
                .user_text()
                .is_some_and(|text| has_part(text, said.trim())),
            Wanted::Content(wanted) => content.keeps(wanted),
        }
    }

    /// Whether a content is this and nothing else.
    fn is(&self, content: &Content) -> bool {
        match self {
            Wanted::Said(said) => content.user_text() == Some(*said),
            Wanted::Content(wanted) => content == *wanted,
        }
    }

    fn in_words(&self) -> String {
        match self {
            Wanted::Said(said) => Content::Text(Role::User, (*said).to_owned()).in_words(),
            Wanted::Content(wanted) => wanted.in_words(),
        }
    }
}
