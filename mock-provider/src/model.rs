//! The model itself: which reply a request gets.

use std::time::Duration;

use crate::answer::{Answer, HttpError};
use crate::compose;
use crate::expect::{Mismatch, mismatches};
use crate::failure::{Failure, FailureKind};
use crate::memory::Memory;
use crate::request::Request;
use crate::script::{Expect, Repeat, Script};
use crate::wire;

/// A scripted model. Pure: the same requests get the same answers.
#[derive(Debug, Clone)]
pub struct Model {
    script: Script,
    seed: u64,
    /// How often each reply was served.
    served: Vec<u64>,
    memory: Memory,
}

/// What a request came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Served {
    /// The number of the reply in the script; none where the request got no reply of the script.
    pub reply: Option<usize>,
    /// A gate to wait at before the first byte.
    pub gate: Option<String>,
    /// A time to wait before the first byte, after the gate.
    pub delay: Option<Duration>,
    /// The answer.
    pub answer: Answer,
    /// What was wrong with the request.
    pub failures: Vec<Failure>,
}

impl Served {
    fn without_reply(error: HttpError, failure: Failure) -> Self {
        Served {
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
        let (served, memory) = (vec![0; script.replies.len()], Memory::of(&script));
        Model {
            script,
            seed,
            served,
            memory,
        }
    }

    /// The script it plays.
    #[must_use]
    pub fn script(&self) -> &Script {
        &self.script
    }

    /// Answers a request: by the first reply left whose `when` it fits, else by the next of the main line.
    ///
    /// Strict: a request that the real API would refuse gets its error and takes no reply; one that no reply is for gets
    /// an HTTP 400 that clients do not retry. Either is a failure.
    pub fn next(&mut self, request: &Request) -> Served {
        if let Some(error) = wire::refusal(request, &self.memory) {
            let failure = Failure::refused(request.n, &error);
            return Served::without_reply(error, failure);
        }
        match self.pick(request) {
            Ok(index) => self.serve(index, request),
            Err(failure) => {
                let message = format!("scripted model: {failure}");
                let error = HttpError::new(400, "invalid_request_error", message);
                Served::without_reply(error, failure)
            }
        }
    }

    /// Counts the tokens of a request, without taking a reply.
    ///
    /// # Errors
    /// The error that the real API would refuse it with.
    pub(crate) fn count_tokens(&self, request: &Request) -> Result<u64, HttpError> {
        match wire::count_refusal(request, &self.memory) {
            Some(error) => Err(error),
            None => Ok(wire::count_tokens(&request.body)),
        }
    }

    /// A failure for each reply that was not served as often as the script says.
    #[must_use]
    pub fn unused(&self) -> Vec<Failure> {
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
        let failure = |(i, times, served)| Failure {
            kind: FailureKind::Unused,
            request: None,
            pointer: format!("/{i}"),
            message: format!("reply {i} of the model's script was not asked for"),
            expected: Some(count(times)),
            actual: Some(count(served)),
        };
        short.map(failure).collect()
    }

    fn serve(&mut self, index: usize, request: &Request) -> Served {
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
            .flat_map(|expect| mismatches(expect, request));
        let failures = wrong
            .map(|mismatch| unexpected(index, request, mismatch))
            .collect();
        let answer = compose::answer(reply, path, self.seed, request);
        self.memory.note(&answer);
        Served {
            reply: Some(index),
            gate: reply.gate.clone(),
            delay: reply.delay.map(|span| span.0),
            answer,
            failures,
        }
    }

    /// The reply for a request.
    fn pick(&self, request: &Request) -> Result<usize, Failure> {
        let mut main = None;
        let mut nearest: Option<(usize, Vec<Mismatch>)> = None;
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
            let missing = mismatches(when, request);
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
        main.ok_or_else(|| self.no_reply(request, nearest))
    }

    fn no_reply(&self, request: &Request, nearest: Option<(usize, Vec<Mismatch>)>) -> Failure {
        let (n, replies) = (request.n, self.script.replies.len());
        let blank = Failure {
            kind: FailureKind::RanDry,
            request: Some(n),
            pointer: String::new(),
            message: format!(
                "request {n} came when the model's script had no reply left ({replies} in all)"
            ),
            expected: None,
            actual: None,
        };
        let Some((
            i,
            Mismatch {
                pointer,
                expected,
                actual,
            },
        )) = nearest.and_then(|(i, missing)| Some((i, missing.into_iter().next()?)))
        else {
            return blank;
        };
        Failure {
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
    Mismatch {
        pointer,
        expected,
        actual,
    }: Mismatch,
) -> Failure {
    Failure {
        kind: FailureKind::Expectation,
        request: Some(request.n),
        pointer: format!("/{index}/expect_request{pointer}"),
        message: format!(
            "request {} is not what reply {index} of the model's script expects",
            request.n
        ),
        expected: Some(expected),
        actual: Some(actual),
    }
}

fn count(times: u64) -> String {
    format!("{times} request{}", if times == 1 { "" } else { "s" })
}

impl Expect {
    /// Every way in which the request is not what is demanded; empty if it is.
    #[must_use]
    pub fn mismatches(&self, request: &Request) -> Vec<Mismatch> {
        mismatches(self, request)
    }
}
