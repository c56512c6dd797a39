//! The turns of a session: the answers of the model, and what the host received of them, compared once a turn and its answers have ended.

use super::memory::{Check, Compared};
use super::told::{compare_texts, compare_thoughts};
use super::usage::{Counts, Reported, UsageReadings};
use serde_json::Value;

/// Most bytes of the texts of a turn that are remembered. A longer turn is unknown.
const MOST_BYTES: usize = 16 << 20;

/// A turn of the session.
#[derive(Debug, Clone, Default)]
pub(super) struct Turn {
    /// How many requests to the model it has, and the number of the last one.
    pub(super) requests: usize,
    last: u64,
    /// Its complete answers.
    pub(super) answers: Vec<Answer>,
    /// The text that the host received in it, and the thinking.
    pub(super) text: String,
    pub(super) thoughts: String,
    /// The usage that its end reports.
    pub(super) reported: Option<Reported>,
    /// How many texts the host sent in it.
    said: usize,
    /// It was stopped or has failed, so that the host may receive only a part of answers.
    pub(super) is_undone: bool,
    /// Its answers may be those of the next turn too, because the host sent another text before its end.
    pub(super) is_mixed: bool,
    /// Its texts are longer than what is remembered.
    pub(super) is_too_long: bool,
    /// Some of its answers are no part of the conversation, or the usage of one is not known.
    pub(super) is_usage_uncertain: bool,
}

/// A complete answer of the model.
#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    /// Its texts and its thinking that are not blank, which the APIs refuse.
    pub(super) texts: Vec<String>,
    pub(super) thoughts: Vec<String>,
    /// The tokens that it used.
    pub(super) usage: Counts,
    /// Whether its request continues the conversation.
    pub(super) is_of_conversation: bool,
}

/// The turns of a session.
#[derive(Debug, Clone, Default)]
pub struct Turns {
    /// The requests that have no answer yet, and whether they continue the conversation.
    open: Vec<(u64, bool)>,
    turn: Turn,
    /// The host has stopped the turn that runs, so that its later requests may be missing as well.
    pub is_stopped: bool,
    /// The turn before, while answers of it are open.
    ended: Option<Turn>,
    /// The newest request.
    newest: Option<u64>,
    usage: UsageReadings,
}

impl Turns {
    /// Notes a text of the host to the model.
    pub fn note_said(&mut self) {
        self.turn.said += 1;
        self.turn.is_mixed |= self.turn.said > 1 || self.turn.requests > 0;
    }

    /// Notes a request to the model. Those with the numbers that are left out were outside of the conversation, such as one for a title
    /// or of a subagent, and may have been counted.
    pub fn note_request(&mut self, n: u64, is_of_conversation: bool) {
        let newest = self.newest.replace(n);
        self.turn.is_usage_uncertain |= newest.is_some_and(|newest| n > newest + 1);
        self.open.push((n, is_of_conversation));
        self.turn.requests += 1;
        self.turn.last = n;
    }

    /// Notes a text that the host received.
    pub fn note_text(&mut self, text: &str) {
        self.turn.text.push_str(text);
        self.turn.is_too_long |= self.turn.text.len() > MOST_BYTES;
    }

    /// Notes thinking that the host received.
    pub fn note_thought(&mut self, text: &str) {
        self.turn.thoughts.push_str(text);
        self.turn.is_too_long |= self.turn.thoughts.len() > MOST_BYTES;
    }

    /// Whether a turn has begun and not ended, or an answer is open.
    pub fn is_open(&self) -> bool {
        let Turn { said, requests, .. } = self.turn;
        said > 0 || requests > 0 || self.ended.is_some() || !self.open.is_empty()
    }

    /// From here to the end of the turn, the host may receive only a part of answers.
    pub fn undo_turn(&mut self) {
        self.turn.is_undone = true;
    }

    /// Notes the usage that the end of the turn reports.
    pub fn note_usage(&mut self, reported: Reported) {
        self.turn.reported = Some(reported);
    }

    /// Notes the end of an answer, and its message if it came completely. Compares the turn before, if this was its last answer.
    pub fn note_answer(&mut self, n: u64, message: &Value, is_success: bool) -> Vec<Compared> {
        let Some(at) = self.open.iter().position(|(open, _)| *open == n) else {
            return Vec::new();
        };
        let (_, is_of_conversation) = self.open.swap_remove(at);
        let turn = match &mut self.ended {
            Some(ended) if n <= ended.last => ended,
            _ => &mut self.turn,
        };
        match Answer::of_message(message, is_of_conversation) {
            Some((answer, is_usage_known)) => {
                turn.is_usage_uncertain |= !is_of_conversation || !is_usage_known;
                turn.answers.push(answer);
            }
            // A request that was refused has used nothing.
            None => turn.is_usage_uncertain |= is_success,
        }
        let ended = self.ended.take_if(|ended| {
            let is_of_turn = |(n, _): &(u64, bool)| *n <= ended.last;
            !self.open.iter().any(is_of_turn)
        });
        ended.map_or_else(Vec::new, |turn| self.compare(&turn))
    }

    /// Notes the end of a turn, and compares it, if all of its answers have ended.
    pub fn end(&mut self) -> Vec<Compared> {
        self.is_stopped = false;
        let mut turn = std::mem::take(&mut self.turn);
        if let Some(before) = self.ended.take() {
            turn.join(before);
        }
        if self.open.iter().any(|(n, _)| *n <= turn.last) {
            self.usage.lose_sum();
            self.ended = Some(turn);
            return Vec::new();
        }
        self.compare(&turn)
    }

    fn compare(&mut self, turn: &Turn) -> Vec<Compared> {
        let used = self.usage.compare(turn);
        vec![
            compare_texts(turn),
            compare_thoughts(turn),
            Compared::new(Check::Used, used.0, used.1),
        ]
    }
}

impl Turn {
    /// Adds the turn before, of which an answer is still open: it may be an answer to either.
    fn join(&mut self, before: Turn) {
        self.is_mixed = true;
        self.is_usage_uncertain = true;
        self.is_undone |= before.is_undone;
        self.is_too_long |= before.is_too_long;
        self.requests += before.requests;
        self.said += before.said;
        self.last = self.last.max(before.last);
        self.answers.splice(0..0, before.answers);
        self.text.insert_str(0, &before.text);
        self.thoughts.insert_str(0, &before.thoughts);
    }
}

impl Answer {
    /// The answer of a message, and whether its usage is known.
    fn of_message(message: &Value, is_of_conversation: bool) -> Option<(Answer, bool)> {
        let parts = message.as_array()?;
        let texts = |kind: &str| {
            let all = parts.iter().filter_map(|part| part[kind].as_str());
            let seen = all.filter(|text| !text.trim().is_empty());
            seen.map(str::to_owned).collect()
        };
        let usage = parts
            .iter()
            .find_map(|part| Counts::new(part.get("usage")?));
        let answer = Answer {
            texts: texts("text"),
            thoughts: texts("thinking"),
            usage: usage.unwrap_or_default(),
            is_of_conversation,
        };
        Some((answer, usage.is_some()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_that_outlasts_two_turns_may_belong_to_either() {
        let departs = |long: &str| {
            let mut turns = Turns::default();
            turns.note_request(0, true);
            turns.note_text(long);
            let mut compared = turns.end();
            turns.note_said();
            turns.note_request(1, true);
            turns.note_text("Beside it.");
            compared.extend(turns.note_answer(1, &json!([{ "text": "Beside it." }]), true));
            compared.extend(turns.end());
            let answer = json!([{ "text": "Seven herons stand in the reeds." }]);
            compared.extend(turns.note_answer(0, &answer, true));
            compared.iter().any(|one| one.departure.is_some())
        };
        assert!(!departs("Seven herons stand in the reeds."));
        assert!(departs("Seven herons stand in the weeds."));
    }
}
