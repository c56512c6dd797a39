//! The agent's requests to the model, and those among them that the script has no reply for (unscripted requests).
//!
//! An agent may ask the model for a title, a summary or a continuation. The model gives an unscripted request a neutral answer, and findings
//! that may follow from that answer are dropped: the scenario is inconclusive instead.

use conform_judge::finding::{Finding, Level};
use conform_judge::frame::{LlmReply, ReplyEnd};
use mock_provider::{FailureKind, ScriptFailure};
use std::collections::{HashMap, HashSet};

/// A position in the transcripts: the number of the session, from 0, and of the frame.
pub(super) type FramePosition = (usize, u64);

/// The position of a finding whose session is numbered.
fn position(finding: &Finding) -> FramePosition {
    (finding.origin.session_index(), finding.at)
}

/// A request that the script has no reply for.
#[derive(Debug, Clone)]
pub(super) struct UnscriptedRequest {
    /// Its position.
    at: FramePosition,
    /// A sentence about it.
    pub(super) why: String,
    /// The note about it, unless a finding reports it.
    pub(super) note: Option<Finding>,
}

/// The finding about a request.
#[derive(Debug)]
struct RequestFinding {
    /// The index of the finding.
    finding: usize,
    request: u64,
    /// The earlier request that it repeats.
    repeats: Option<u64>,
}

/// The requests of a scenario.
#[derive(Debug, Default)]
pub(super) struct ModelRequests {
    positions: HashMap<u64, FramePosition>,
    /// Requests whose reply did not reach the agent completely.
    cut_short: HashSet<u64>,
    /// The positions of the host's commands.
    commands: Vec<FramePosition>,
    findings: Vec<RequestFinding>,
    unscripted: Option<UnscriptedRequest>,
    /// The first request outside of the conversation that got a reply of the script.
    aside: Option<UnscriptedRequest>,
}

impl ModelRequests {
    pub(super) fn add(&mut self, n: u64, at: FramePosition) {
        self.positions.insert(n, at);
    }

    /// The number of the frame of a request.
    pub(super) fn frame(&self, request: u64) -> Option<u64> {
        self.positions.get(&request).map(|at| at.1)
    }

    /// Whether the agent sent no request.
    pub(super) fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    pub(super) fn add_reply(&mut self, reply: &LlmReply) {
        if reply.end != ReplyEnd::Complete {
            self.cut_short.insert(reply.n);
        }
    }

    pub(super) fn add_command(&mut self, at: FramePosition) {
        self.commands.push(at);
    }

    /// Links the finding of this index to the request of a failure.
    pub(super) fn link_finding(&mut self, failure: &ScriptFailure, finding: usize) {
        if let Some(request) = failure.request {
            let repeats = failure
                .earlier
                .filter(|_| failure.kind == FailureKind::Repeated);
            self.findings.push(RequestFinding {
                finding,
                request,
                repeats,
            });
        }
    }

    /// Whether a request that repeats an answered one of its session has no cause: it is the last request, or the host sent no command in
    /// between.
    pub(super) fn is_spontaneous(&self, failure: &ScriptFailure) -> bool {
        let (Some(request), Some(earlier)) = (failure.request, failure.earlier) else {
            return false;
        };
        let newest = self.positions.keys().max();
        let (Some(from), Some(to)) = (self.positions.get(&earlier), self.positions.get(&request))
        else {
            return false;
        };
        if from.0 != to.0 {
            return false;
        }
        let has_command = self.commands.iter().any(|at| from < at && at < to);
        newest == Some(&request) || !has_command
    }

    /// Adds a request that the script has no reply for, or whose reply an earlier request has taken.
    pub(super) fn add_unscripted(&mut self, failure: &ScriptFailure, note: Option<Finding>) {
        if self.unscripted.is_none() {
            self.unscripted = self.since(failure, note);
        }
    }

    /// Adds a request outside of the conversation that got a reply of the script, which may have been for another request.
    pub(super) fn add_aside(&mut self, failure: &ScriptFailure, note: Option<Finding>) {
        let mut since = self.since(failure, note);
        // If nothing follows, the request itself is the newest frame.
        if let Some(new) = &mut since {
            new.at.1 = new.at.1.saturating_sub(1);
        }
        let is_first =
            |new: &UnscriptedRequest| self.aside.as_ref().is_none_or(|old| new.at < old.at);
        self.aside = since.filter(is_first).or(self.aside.take());
    }

    fn since(&self, failure: &ScriptFailure, note: Option<Finding>) -> Option<UnscriptedRequest> {
        let at = self.positions.get(&failure.earlier.or(failure.request)?)?;
        Some(UnscriptedRequest {
            at: *at,
            why: format!("{failure}; what follows from its answer is not judged"),
            note: note.map(|note| Finding { at: at.1, ..note }),
        })
    }

    /// Decides at the end of a scenario, by its findings, whether a request outside of the conversation took the reply of another request: that
    /// is assumed if more than a note was found after it.
    pub(super) fn resolve<'f>(&mut self, mut found: impl Iterator<Item = &'f Finding>) {
        let Some(aside) = &self.aside else {
            return;
        };
        let counts = |one: &Finding| one.level >= Level::Should && position(one) > aside.at;
        if self.unscripted.is_some() || found.any(counts) {
            let first = [self.unscripted.take(), self.aside.take()];
            self.unscripted = first.into_iter().flatten().min_by_key(|one| one.at);
        }
    }

    pub(super) fn unscripted(&self) -> Option<&UnscriptedRequest> {
        self.unscripted.as_ref()
    }

    /// The findings of steps without those about a request that took the reply of another request or came after it, and without repetitions
    /// of a request whose reply was cut short.
    pub(super) fn unrefuted(&self, findings: Vec<Finding>) -> Vec<Finding> {
        let is_refuted = |linked: &&RequestFinding| {
            let cut_short = linked.repeats.is_some_and(|n| self.cut_short.contains(&n));
            let position = self.positions.get(&linked.request);
            let displaced = self.unscripted.as_ref().is_some_and(|unscripted| {
                position.is_some_and(|position| *position >= unscripted.at)
            });
            cut_short || displaced && linked.repeats.is_none()
        };
        let refuted = self.findings.iter().filter(is_refuted);
        let refuted: HashSet<usize> = refuted.map(|linked| linked.finding).collect();
        let indexed = findings.into_iter().enumerate();
        let unrefuted = indexed.filter(|(index, finding)| {
            let is_about_a_request = self.findings.iter().any(|one| one.finding == *index);
            !refuted.contains(index) && (is_about_a_request || self.is_before_unscripted(finding))
        });
        unrefuted.map(|(_, finding)| finding).collect()
    }

    /// Whether a finding is at a frame before the answer to the first unscripted request.
    pub(super) fn is_before_unscripted(&self, finding: &Finding) -> bool {
        let unscripted = self.unscripted.as_ref();
        unscripted.is_none_or(|unscripted| position(finding) <= unscripted.at)
    }
}
