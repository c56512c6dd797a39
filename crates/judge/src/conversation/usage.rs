//! The usage that the end of a turn reports, compared with what the answers of the model have used.
//!
//! An agent may count the turn or the session so far, and the input with or without cached tokens; in one way for the whole session.

use super::turn::Turn;
use serde_json::Value;

/// Counts of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counts {
    /// Input that came from no cache, was read from one, and was written to one.
    input: u64,
    cache_read: u64,
    cache_write: u64,
    /// Output with reasoning, and the reasoning alone.
    output: u64,
    reasoning: u64,
}

impl Counts {
    /// The `usage` of a message.
    pub(super) fn new(usage: &Value) -> Option<Counts> {
        let count = |name: &str| usage[name].as_u64();
        Some(Counts {
            input: count("input")?,
            output: count("output")?,
            cache_read: count("cache_read").unwrap_or_default(),
            cache_write: count("cache_write").unwrap_or_default(),
            reasoning: count("reasoning").unwrap_or_default(),
        })
    }

    fn plus(self, other: Counts) -> Counts {
        Counts {
            input: self.input.saturating_add(other.input),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            output: self.output.saturating_add(other.output),
            reasoning: self.reasoning.saturating_add(other.reasoning),
        }
    }

    /// Whether these counts can be reported so.
    fn fit(self, reported: Reported) -> bool {
        let Counts {
            input,
            cache_read,
            cache_write,
            output,
            reasoning,
        } = self;
        let inputs = [
            input,
            input.saturating_sub(cache_read),
            input.saturating_add(cache_read),
            input.saturating_add(cache_write),
            input.saturating_add(cache_read).saturating_add(cache_write),
        ];
        let outputs = [
            output,
            output.saturating_sub(reasoning),
            output.saturating_add(reasoning),
        ];
        inputs.contains(&reported.input) && outputs.contains(&reported.output)
    }
}

/// What the end of a turn reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reported {
    /// Input tokens.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Whether it may count the session so far.
    pub may_be_of_session: bool,
}

/// What the ends of turns count, as far as it is known.
#[derive(Debug, Clone, Default)]
pub(super) struct UsageReadings {
    /// The sum of the session so far, if it is known.
    session: Counts,
    is_session_lost: bool,
    /// An end has shown that it does not count the turn, or does not count the session.
    is_not_turn: bool,
    is_not_session: bool,
}

impl UsageReadings {
    /// From here on, the sum of the session is unknown.
    pub(super) fn lose_sum(&mut self) {
        self.is_session_lost = true;
    }

    /// Whether there was something to compare, and how the reported usage of a turn departs.
    pub(super) fn compare(&mut self, turn: &Turn) -> (u64, Option<String>) {
        let used = turn.answers.iter().map(|answer| answer.usage);
        let used = used.fold(Counts::default(), Counts::plus);
        self.session = self.session.plus(used);
        let is_uncertain = turn.is_usage_uncertain || turn.is_undone || turn.is_mixed;
        self.is_session_lost |= is_uncertain;
        let Some(reported) = turn.reported.filter(|_| !is_uncertain && turn.requests > 0) else {
            return (0, None);
        };
        let is_turn = used.fit(reported) && !self.is_not_turn;
        let may_be_session = reported.may_be_of_session && !self.is_not_session;
        let is_session = may_be_session && self.session.fit(reported);
        if !is_turn && may_be_session && self.is_session_lost {
            self.is_not_turn = true;
            return (0, None);
        }
        if is_turn || is_session {
            self.is_not_turn |= !is_turn;
            self.is_not_session |= !is_session && !self.is_session_lost;
            return (1, None);
        }
        let Reported { input, output, .. } = reported;
        let message = format!(
            "the usage is {input} tokens of input and {output} of output; the model used {} and {}",
            used.input, used.output
        );
        (1, Some(message))
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::Check;
    use super::super::turn::Turns;
    use super::Reported;
    use serde_json::{Value, json};

    /// How often the usage of turns departs: for each, what its answers have used, and what is reported.
    fn departures(may_be_of_session: bool, turns: &[(&[Value], (u64, u64))]) -> usize {
        let mut all = Turns::default();
        let mut n = 0;
        let found = turns.iter().map(|(answers, (input, output))| {
            for usage in *answers {
                all.note_request(n, true);
                all.note_answer(n, &json!([{ "text": "Yes." }, { "usage": usage }]), true);
                n += 1;
            }
            all.note_text(&"Yes. ".repeat(answers.len()));
            all.note_usage(Reported {
                input: *input,
                output: *output,
                may_be_of_session,
            });
            let compared = all.end();
            let departs = |one: &&_| {
                let one: &super::super::memory::Compared = one;
                one.check == Check::Used && one.departure.is_some()
            };
            compared.iter().filter(departs).count()
        });
        found.sum()
    }

    /// How often the usage of a second turn departs, whose request has this number.
    fn departures_after(n: u64) -> usize {
        let mut all = Turns::default();
        let mut found = Vec::new();
        for n in [0, n] {
            all.note_request(n, true);
            let usage = json!({ "input": 100, "output": 10 });
            let message = json!([{ "text": "Yes." }, { "usage": usage }]);
            all.note_answer(n, &message, true);
            all.note_text("Yes.");
            let input = 100 + 25 * n;
            all.note_usage(Reported {
                input,
                output: 10,
                may_be_of_session: false,
            });
            found.extend(all.end());
        }
        let used = found.iter().filter(|one| one.check == Check::Used);
        used.filter(|one| one.departure.is_some()).count()
    }

    #[test]
    fn beside_requests_outside_of_the_conversation_the_usage_is_unknown() {
        assert_eq!(departures_after(1), 1);
        assert_eq!(departures_after(2), 0);
    }

    #[test]
    fn usage_is_that_of_the_turn_or_of_the_session_in_one_way() {
        let one = || json!({ "input": 100, "output": 10 });
        let two = || json!({ "input": 200, "output": 20 });
        let (first, both, second) = ([one()], [one(), two()], [two()]);
        for (turns, expected) in [
            (vec![(&first[..], (100, 10)), (&second, (200, 20))], 0),
            (vec![(&first[..], (100, 10)), (&second, (300, 30))], 0),
            (vec![(&both[..], (300, 30))], 0),
            (vec![(&both[..], (200, 20))], 1),
            (vec![(&first[..], (10, 100))], 1),
            (vec![(&first[..], (100, 10)), (&second, (100, 10))], 1),
            (
                vec![
                    (&first[..], (100, 10)),
                    (&second, (200, 20)),
                    (&first, (400, 40)),
                ],
                1,
            ),
            (
                vec![
                    (&first[..], (100, 10)),
                    (&second, (300, 30)),
                    (&first, (100, 10)),
                ],
                1,
            ),
        ] {
            assert_eq!(departures(true, &turns), expected, "{turns:?}");
        }
        let turns = [(&first[..], (100, 10)), (&second, (300, 30))];
        assert_eq!(departures(false, &turns), 1);
    }

    #[test]
    fn input_may_be_counted_with_cached_tokens() {
        let cached = [json!({ "input": 100, "output": 10, "cache_read": 7, "cache_write": 3 })];
        for (input, expected) in [(100, 0), (107, 0), (103, 0), (110, 0), (111, 1), (7, 1)] {
            assert_eq!(
                departures(false, &[(&cached, (input, 10))]),
                expected,
                "{input}"
            );
        }
    }
}
