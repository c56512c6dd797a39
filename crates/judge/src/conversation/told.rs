//! What the host receives of the model's answers in a turn: their texts, and their thinking.
//!
//! The answers of the conversation come completely, in order and once; others, such as titles, may be left out. An agent may add texts of
//! its own. Where an agent reports any thinking of a turn, it reports all of it.

use super::memory::{Check, Compared};
use super::request::{LONG, quoted, without_spaces};
use super::turn::Turn;

/// The number of characters at an end of an answer that do not occur in another text by chance.
const PROBE: usize = 12;

/// Compares the texts that the host received in a turn with the model's.
pub(super) fn compare_texts(turn: &Turn) -> Compared {
    let told = turn.text.as_str();
    let parts = |of_conversation: bool| {
        let answers = turn.answers.iter();
        let answers = answers.filter(move |one| one.is_of_conversation == of_conversation);
        answers.flat_map(|one| &one.texts).map(String::as_str)
    };
    let is_certain = !turn.is_mixed && !turn.is_too_long;
    if turn.is_undone || told.trim().is_empty() && (!is_certain || parts(true).next().is_none()) {
        return Compared::new(Check::Told, 0, None);
    }
    if turn.answers.iter().all(|one| one.texts.is_empty()) {
        return Compared::new(Check::Told, 0, None);
    }
    let mut departure = None;
    if is_certain {
        departure = not_as_served(told, parts(true));
    }
    let is_only = turn.requests == 1;
    let received = without_spaces(told);
    let mut others = parts(false).chain(parts(true).filter(|_| !is_certain));
    let changed = others.find(|answer| is_changed(&received, answer, is_only));
    let departure = departure.or_else(|| changed.map(not_told));
    Compared::new(Check::Told, 1, departure)
}

/// Compares the thinking that the host received in a turn with the model's.
pub(super) fn compare_thoughts(turn: &Turn) -> Compared {
    let told = turn.thoughts.as_str();
    let mut of_conversation = turn.answers.iter().filter(|one| one.is_of_conversation);
    let is_uncertain = turn.is_undone || turn.is_mixed || turn.is_too_long;
    if is_uncertain || told.trim().is_empty() || of_conversation.all(|one| one.thoughts.is_empty())
    {
        return Compared::new(Check::Thought, 0, None);
    }
    let answers = turn.answers.iter().filter(|one| one.is_of_conversation);
    let parts = answers.flat_map(|one| &one.thoughts).map(String::as_str);
    Compared::new(Check::Thought, 1, not_as_served(told, parts))
}

fn not_told(said: &str) -> String {
    format!(
        "the model said {}, and the host received something else",
        quoted(said)
    )
}

/// How a text departs from the parts that it must hold unchanged, in order and once.
fn not_as_served<'a>(told: &str, parts: impl Iterator<Item = &'a str> + Clone) -> Option<String> {
    let mut rest = told;
    let mut between = Vec::new();
    for part in parts.clone() {
        let part = part.trim();
        let Some(at) = rest.find(part) else {
            return Some(not_told(part));
        };
        between.push(&rest[..at]);
        rest = &rest[at + part.len()..];
    }
    between.push(rest);
    let again = between
        .into_iter()
        .map(str::trim)
        .find(|text| text.len() >= LONG && parts.clone().any(|part| part.contains(text)))?;
    Some(format!(
        "the host received {} once more than the model said it",
        quoted(again)
    ))
}

/// Whether a text that may be left out came in another form. Neither has white space.
fn is_changed(told: &str, answer: &str, is_only: bool) -> bool {
    let answer = without_spaces(answer);
    !told.is_empty()
        && !told.contains(&answer)
        && (has_an_end(told, &answer) || is_only && is_alike(told, &answer))
}

/// Whether a text has the beginning or the end of an answer, and so contains a part of it.
fn has_an_end(told: &str, answer: &str) -> bool {
    let start = answer.char_indices().nth(PROBE);
    let end = answer.char_indices().rev().nth(PROBE - 1);
    let (Some((start, _)), Some((end, _))) = (start, end) else {
        return false;
    };
    told.contains(&answer[..start]) || told.contains(&answer[end..])
}

/// Whether at least half of two texts is the same, at their beginning and their end. (What comes at the end of a turn may be the answer to
/// the next one, which the host has not received yet.)
fn is_alike(told: &str, answer: &str) -> bool {
    let same = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| {
        a.zip(b).take_while(|(a, b)| a == b).count()
    };
    let starts = same(&mut told.chars(), &mut answer.chars());
    let ends = same(&mut told.chars().rev(), &mut answer.chars().rev());
    let longest = told.chars().count().max(answer.chars().count());
    2 * (starts + ends) >= longest
}

#[cfg(test)]
mod tests {
    use super::super::turn::Turns;
    use serde_json::json;

    /// Whether the text of a turn departs from the model's answers: those of the conversation, and others.
    fn departs(conversation: &[&str], others: &[&str], told: &str) -> bool {
        let mut turns = Turns::default();
        let answers = conversation.iter().map(|text| (text, true));
        let answers = answers.chain(others.iter().map(|text| (text, false)));
        for (n, (text, is_of_conversation)) in answers.enumerate() {
            turns.note_request(n as u64, is_of_conversation);
            turns.note_answer(n as u64, &json!([{ "text": text }]), true);
        }
        turns.note_text(told);
        turns.end().iter().any(|one| one.departure.is_some())
    }

    #[test]
    fn the_answers_of_the_conversation_are_told_as_they_are_in_order_and_once() {
        let (long, more) = ("Seven herons stand in the reeds.", "An eighth one flies.");
        for (answers, told, expected) in [
            (&[long][..], long, false),
            (&[long], "Seven herons stand in the reeds.\n", false),
            (
                &[long, more],
                "Seven herons stand in the reeds.\n\nAn eighth one flies.",
                false,
            ),
            (
                &[long],
                "[hint] Seven herons stand in the reeds. [cost: 3]",
                false,
            ),
            (&["Yes."], "Yes. Yes.", false),
            (&[], "No.", false),
            (&[long], "Seven herons  stand in the reeds.", true),
            (&[long], "Sevenheronsstandinthereeds.", true),
            (&[long], "Seven herons stand in the weeds.", true),
            (
                &[long],
                "Seven herons stand in the reeds.Seven herons stand in the reeds.",
                true,
            ),
            (
                &[long, more],
                "An eighth one flies. Seven herons stand in the reeds.",
                true,
            ),
            (&[long, more], long, true),
            (&["Done."], "Don", true),
            (&["Yes."], "", true),
        ] {
            assert_eq!(departs(answers, &[], told), expected, "{answers:?} {told}");
        }
    }

    #[test]
    fn other_answers_are_told_as_they_are_or_not_at_all() {
        let (long, title) = ("Seven herons stand in the reeds.", "About birds");
        for (answers, told, expected) in [
            (&[long][..], long, false),
            (&[long], "Seven herons  stand\nin the reeds.", false),
            (&[long, title], long, false),
            (&[long], "Seven herons stand in the weeds.", true),
            (&[long, title], "Seven herons stand in the", true),
            (&["Done."], "Dome.", true),
            (&["Yes."], "I look first", false),
            (&["Done.", title], "Don", false),
            (&["Yes."], "", false),
        ] {
            assert_eq!(departs(&[], answers, told), expected, "{answers:?} {told}");
        }
        assert!(!departs(&[long], &[title], long));
        assert!(!departs(
            &[long],
            &[title],
            "About birds. Seven herons stand in the reeds."
        ));
    }

    #[test]
    fn thinking_is_told_as_it_is_or_not_at_all() {
        let departs = |told: &[&str]| {
            let mut turns = Turns::default();
            turns.note_request(0, true);
            let message = json!([{ "thinking": "Let me see. " }, { "text": "Yes." }]);
            turns.note_answer(0, &message, true);
            turns.note_text("Yes.");
            told.iter().for_each(|text| turns.note_thought(text));
            turns.end().iter().any(|one| one.departure.is_some())
        };
        assert!(!departs(&[]));
        assert!(!departs(&["Let me", " see. "]));
        assert!(departs(&["Let me", "see."]));
        assert!(departs(&["Let me "]));
    }
}
