//! The difference that a finding of a step stands for, without the values: which event did not come, or which place of it is wrong.

use super::player::ScenarioPlayer;
use super::step_finding::{BlamedFrame, StepFinding};
use crate::scenario::types::{Barrier, StepAction};
use crate::step_rules;
use conform_judge::dialect::FrameIdentity;
use conform_judge::finding::{Difference, DifferenceKind};
use json_matcher::Matcher;

/// The rules whose findings come while some other step waits.
const ABOUT_THE_MODEL: &[&str] = &[
    step_rules::REQUEST,
    step_rules::SCRIPT,
    step_rules::NEVER_ASKED,
    step_rules::REFUSED,
    step_rules::OUTPUT,
];

impl ScenarioPlayer {
    /// The difference of a finding of the current step.
    pub(super) fn step_difference(&self, found: &StepFinding) -> Difference {
        use DifferenceKind::{Absent, Ended, Unexpected, WrongValue};
        let has_ended = self.session.end.is_some() || self.session.stdout_end.is_some();
        let kind = match (found.rule, &found.frame) {
            (step_rules::SEND, _) if has_ended => Ended,
            (step_rules::EXPECT_NONE, BlamedFrame::Number(..)) => Unexpected,
            (step_rules::REQUEST | step_rules::EXPECT_TEXT, BlamedFrame::Number(..)) => WrongValue,
            (step_rules::REQUEST | step_rules::REFUSED, _) => WrongValue,
            (step_rules::EXPECT_EXIT, _) if has_ended => WrongValue,
            (step_rules::OUTPUT | step_rules::SCRIPT, _) => DifferenceKind::Condition,
            (_, BlamedFrame::Number(_, pointer)) if !self.is_discriminator(pointer) => WrongValue,
            (_, BlamedFrame::Newest) if has_ended => Ended,
            _ => Absent,
        };
        Difference::named(kind, self.awaited_event(found))
    }

    fn is_discriminator(&self, pointer: &str) -> bool {
        pointer == self.suite.dialect.events.discriminator
    }

    /// The name of the event that the step is about; empty if it is about none.
    fn awaited_event(&self, found: &StepFinding) -> String {
        if ABOUT_THE_MODEL.contains(&found.rule) {
            return String::new();
        }
        let step = self.scenario.steps.get(self.step);
        let of = |matcher: &Matcher| self.event_name(matcher);
        let name = match step.map(|step| &step.action) {
            Some(StepAction::Expect(matcher) | StepAction::ExpectNext(matcher)) => of(matcher),
            Some(StepAction::ExpectNone { not, until }) => match (&found.frame, until) {
                (BlamedFrame::Number(..), _) => of(not),
                (_, Barrier::Event(barrier)) => of(barrier),
                _ => None,
            },
            Some(StepAction::ExpectText(text)) => of(&text.of),
            _ => None,
        };
        name.unwrap_or_default()
    }

    /// The name of the event that a matcher expects; `None` if it expects no single name.
    pub(super) fn event_name(&self, matcher: &Matcher) -> Option<String> {
        let expected = matcher.shown(&self.captures);
        match self.suite.dialect.events.identify(&expected) {
            FrameIdentity::Known(_, Some(name)) | FrameIdentity::Known(name, None) => Some(name),
            FrameIdentity::Unknown(name) => Some(name),
            FrameIdentity::Missing => None,
        }
    }
}
