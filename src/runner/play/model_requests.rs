//! ModelRequests to the model that the script does not foresee. The model gives them a harmless answer, and what follows from that accuses
//! nobody: a title, a summary or a continuation is the agent's good right.

use crate::finding::Finding;
use crate::frame::{LlmReply, ReplyEnd};
use mock_provider::{Failure, FailureKind};
use std::collections::{HashMap, HashSet};

/// A place in the history: the session, from 0, and the frame.
pub(super) type FramePosition = (usize, u64);

/// The first request that the script does not foresee.
#[derive(Debug, Clone)]
pub(super) struct UnscriptedRequest {
    /// Where it came.
    at: FramePosition,
    /// What it is, as a sentence.
    pub(super) why: String,
}

/// What is held against a request, by the place of the finding.
#[derive(Debug)]
struct RequestFinding {
    finding: usize,
    request: u64,
    repeats: Option<u64>,
}

/// The requests of a scenario.
#[derive(Debug, Default)]
pub(super) struct ModelRequests {
    came: HashMap<u64, FramePosition>,
    /// Those whose answer did not reach the agent whole.
    cut_short: HashSet<u64>,
    /// Where the host wrote.
    host: Vec<FramePosition>,
    accusations: Vec<RequestFinding>,
    unforeseen: Option<UnscriptedRequest>,
    /// The first request beside the conversation that got a reply of the script.
    beside: Option<UnscriptedRequest>,
}

impl ModelRequests {
    pub(super) fn came(&mut self, n: u64, at: FramePosition) {
        self.came.insert(n, at);
    }

    pub(super) fn answered(&mut self, reply: &LlmReply) {
        if reply.end != ReplyEnd::Complete {
            self.cut_short.insert(reply.n);
        }
    }

    pub(super) fn host_wrote(&mut self, at: FramePosition) {
        self.host.push(at);
    }

    /// The next finding will be about this request.
    pub(super) fn accuse(&mut self, failure: &Failure, finding: usize) {
        if let Some(request) = failure.request {
            let repeats = failure
                .earlier
                .filter(|_| failure.kind == FailureKind::Repeated);
            self.accusations.push(RequestFinding {
                finding,
                request,
                repeats,
            });
        }
    }

    /// Whether a request that repeats an answered one of its session came without a reason: nothing was left for it, or the host said
    /// nothing meanwhile.
    pub(super) fn is_spontaneous(&self, failure: &Failure) -> bool {
        let (Some(request), Some(earlier)) = (failure.request, failure.earlier) else {
            return false;
        };
        let newest = self.came.keys().max();
        let (Some(from), Some(to)) = (self.came.get(&earlier), self.came.get(&request)) else {
            return false;
        };
        if from.0 != to.0 {
            return false;
        }
        let asked_to = self.host.iter().any(|at| from < at && at < to);
        newest == Some(&request) || !asked_to
    }

    /// A request came that the script has no reply for, or an earlier one has taken its reply.
    pub(super) fn not_foreseen(&mut self, failure: &Failure) {
        if self.unforeseen.is_none() {
            self.unforeseen = self.since(failure);
        }
    }

    /// A request beside the conversation got a reply of the script, which may have been for another one.
    pub(super) fn beside(&mut self, failure: &Failure) {
        let mut since = self.since(failure);
        // Where nothing comes after it, the request itself is the newest frame.
        if let Some(new) = &mut since {
            new.at.1 = new.at.1.saturating_sub(1);
        }
        let is_first =
            |new: &UnscriptedRequest| self.beside.as_ref().is_none_or(|old| new.at < old.at);
        self.beside = since.filter(is_first).or(self.beside.take());
    }

    fn since(&self, failure: &Failure) -> Option<UnscriptedRequest> {
        let at = self.came.get(&failure.earlier.or(failure.request)?)?;
        Some(UnscriptedRequest {
            at: *at,
            why: format!("{failure}; what came of its answer is not judged"),
        })
    }

    /// The scenario is over, and this was found. What was found behind a request beside the conversation may follow from the reply that
    /// it took; where nothing was, the reply was for it.
    pub(super) fn settle(&mut self, mut found: impl Iterator<Item = FramePosition>) {
        let Some(beside) = &self.beside else {
            return;
        };
        if self.unforeseen.is_some() || found.any(|at| at > beside.at) {
            let first = [self.unforeseen.take(), self.beside.take()];
            self.unforeseen = first.into_iter().flatten().min_by_key(|one| one.at);
        }
    }

    pub(super) fn unforeseen(&self) -> Option<&UnscriptedRequest> {
        self.unforeseen.as_ref()
    }

    /// The findings of steps that stand: none about a request that took the reply of another or came behind it, and no repetition of a
    /// request whose answer was cut short.
    pub(super) fn standing(&self, findings: Vec<(usize, Finding)>) -> Vec<(usize, Finding)> {
        let is_refuted = |accusation: &&RequestFinding| {
            let cut_short = accusation
                .repeats
                .is_some_and(|n| self.cut_short.contains(&n));
            let came = self.came.get(&accusation.request);
            let displaced = self
                .unforeseen
                .as_ref()
                .is_some_and(|unforeseen| came.is_some_and(|came| *came >= unforeseen.at));
            cut_short || displaced && accusation.repeats.is_none()
        };
        let refuted: HashSet<usize> = self
            .accusations
            .iter()
            .filter(is_refuted)
            .map(|accusation| accusation.finding)
            .collect();
        let indexed = findings.into_iter().enumerate();
        let standing = indexed.filter(|(index, (session, finding))| {
            let is_about_a_request = self.accusations.iter().any(|one| one.finding == *index);
            !refuted.contains(index) && (is_about_a_request || self.stands(*session, finding.at))
        });
        standing.map(|(_, finding)| finding).collect()
    }

    /// Whether a frame came before the answer to a request that was not foreseen.
    pub(super) fn stands(&self, session: usize, frame: u64) -> bool {
        let unforeseen = self.unforeseen.as_ref();
        unforeseen.is_none_or(|unforeseen| (session, frame) <= unforeseen.at)
    }
}
