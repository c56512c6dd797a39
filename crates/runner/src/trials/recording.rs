//! Recorded sessions without a fault, and the same sessions with one. What a rule finds at a frame that a fault changes, before the host
//! acts again, it finds in a played session too: until then the host and the model do the same.

use super::scenario_run::{RecordedSession, ScenarioRun};
use crate::mutation::fault_trace::FaultTrace;
use crate::mutation::frame_names::{SessionNames, frame_naming, nested_kinds};
use crate::mutation::kill_analysis::PlayedScenario;
use crate::scenario::Scenario;
use crate::scenario::types::StepAction;
use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::Dialect;
use conform_judge::finding::{Blame, Finding};
use conform_judge::frame::{Body, Eol, Frame, Line};
use conform_judge::framing::{Framer, LINE_LIMIT, Parsed, ParsedFrame};
use frame_faults::{Fault, FaultPlayer, FrameSelector, Output};
use std::collections::HashMap;
use std::sync::Arc;

/// The frames that begin a turn, as far as a filter process can know: it has no state that a guard may ask for.
#[must_use]
pub fn turns_without_guards(dialect: &Dialect) -> Vec<String> {
    let sources = dialect.session.turn.sources().into_iter();
    let names = sources.map(|source| {
        let name = source.split('{').next().unwrap_or_default();
        name.trim().to_owned()
    });
    names.filter(|name| !name.is_empty()).collect()
}

/// Scenarios of a dialect as they were played without a fault, by their full ids.
pub(super) struct Recording {
    dialect: Arc<Dialect>,
    /// The frames that begin a turn.
    turns: Vec<FrameSelector>,
    scenarios: HashMap<String, RecordedScenario>,
}

struct RecordedScenario {
    sessions: Vec<RecordedSession>,
    /// Whether steps let the model continue, which no frame shows.
    has_gates: bool,
}

impl Recording {
    /// A recording without scenarios.
    pub(super) fn new(dialect: Arc<Dialect>) -> Self {
        let nested = nested_kinds(&dialect);
        let turns = turns_without_guards(&dialect).into_iter();
        let turns = turns.filter_map(|turn| FrameSelector::parse(&turn, nested.clone()).ok());
        Recording {
            turns: turns.collect(),
            dialect,
            scenarios: HashMap::new(),
        }
    }

    /// Adds a scenario in which nothing was found.
    pub(super) fn add(&mut self, scenario: &Scenario, run: ScenarioRun) {
        let is_gate = |action: &StepAction| matches!(action, StepAction::Release(_));
        let recorded = RecordedScenario {
            sessions: run.sessions,
            has_gates: scenario.steps.iter().any(|step| is_gate(&step.action)),
        };
        self.scenarios.insert(run.report.id, recorded);
    }

    /// Plays a fault on the recorded frames of a scenario. `None` if the frames do not determine those of a played session.
    pub(super) fn play(&self, fault: &Fault, id: &str) -> Option<PlayedScenario> {
        let scenario = self.scenarios.get(id)?;
        let mut played = PlayedScenario {
            id: id.to_owned(),
            ..PlayedScenario::default()
        };
        for (n, session) in scenario.sessions.iter().enumerate() {
            if !self.is_reached(fault, session) {
                played.traces.push(FaultTrace::default());
                continue;
            }
            let changed = ChangedSession::new(self, fault, session);
            let (trace, mut findings) = changed.judge(session, scenario.has_gates)?;
            if scenario.sessions.len() > 1 {
                let number = u32::try_from(n + 1).unwrap_or(u32::MAX);
                findings
                    .iter_mut()
                    .for_each(|one| one.origin.session = number);
            }
            played.findings.append(&mut findings);
            played.traces.push(trace);
        }
        Some(played)
    }

    /// The scenarios in which the agent sends a frame that the fault changes.
    pub(super) fn scenarios_with(&self, fault: &Fault) -> impl Iterator<Item = &String> {
        let scenarios = self.scenarios.iter();
        let reached = scenarios.filter(|(_, scenario)| {
            let mut sessions = scenario.sessions.iter();
            sessions.any(|session| self.is_reached(fault, session))
        });
        reached.map(|(id, _)| id)
    }

    /// Whether the agent sends a frame that the fault changes.
    fn is_reached(&self, fault: &Fault, session: &RecordedSession) -> bool {
        let mut names = SessionNames::new(&self.dialect);
        let mut frames = session.frames.iter();
        frames.any(|one| {
            let is_command = matches!(one.frame.body, Body::ToAgent(_));
            let is_line = is_command || matches!(one.frame.body, Body::FromAgent(_));
            let value = one.parsed.value.as_ref().filter(|_| is_line);
            value.is_some_and(|value| {
                let (name, _) = names.next(&self.dialect, value, is_command);
                !is_command && fault.is_played_on(&name, value)
            })
        })
    }
}

/// A recorded session while a fault is played on it.
struct ChangedSession<'r> {
    recording: &'r Recording,
    fault: &'r str,
    player: FaultPlayer,
    framer: Framer,
    checker: Checker,
    trace: FaultTrace,
    /// The frame at which the fault took effect.
    effect: Option<u64>,
    /// The next frame of the host.
    next_act: Option<u64>,
}

impl<'r> ChangedSession<'r> {
    fn new(recording: &'r Recording, fault: &'r Fault, session: &RecordedSession) -> Self {
        let dialect = &recording.dialect;
        let options = CheckOptions {
            argv: Some(session.argv.clone()),
            ..CheckOptions::default()
        };
        ChangedSession {
            recording,
            fault: &fault.id,
            player: FaultPlayer::new(fault.clone(), frame_naming(dialect), None)
                .with_turns(recording.turns.clone()),
            framer: Framer::new(LINE_LIMIT),
            checker: Checker::new(Arc::clone(dialect), options),
            trace: FaultTrace::default(),
            effect: None,
            next_act: None,
        }
    }

    /// The findings against the agent, and the place where the fault took effect.
    fn judge(
        mut self,
        session: &RecordedSession,
        has_gates: bool,
    ) -> Option<(FaultTrace, Vec<Finding>)> {
        for one in &session.frames {
            match &one.frame.body {
                Body::FromAgent(line) if line.dropped == 0 => self.event(one, line)?,
                Body::ToAgent(line) => {
                    let (passed, replies) = self.player.command_line(&line.bytes);
                    self.act(one);
                    if passed.as_ref() != Some(&line.bytes) || !replies.is_empty() {
                        return None;
                    }
                }
                Body::StdinClosed | Body::Signal(_) => self.act(one),
                Body::End(_) => {
                    let outputs = self.player.end();
                    self.write(outputs, one)?;
                    let mut last = None;
                    let framer = std::mem::replace(&mut self.framer, Framer::new(LINE_LIMIT));
                    framer.finish(&mut |line| last = Some(line));
                    if let Some(line) = last {
                        self.add(Body::FromAgent(line), one);
                    }
                    self.push(&one.frame, &one.parsed);
                }
                _ => self.push(&one.frame, &one.parsed),
            }
        }
        if let Some(effect) = self.effect {
            let affected = self.trace.affected_frame()?;
            let is_early = self.next_act.is_none_or(|act| affected < act);
            if !is_early || has_gates && affected > effect + 1 {
                return None;
            }
        }
        let mut findings = self.checker.finish().findings;
        findings.retain(|one| one.blame == Blame::Agent);
        Some((self.trace, findings))
    }

    /// A line of the agent, as the fault changes it.
    fn event(&mut self, one: &ParsedFrame, line: &Line) -> Option<()> {
        let end: &[u8] = match line.eol {
            Eol::Lf => b"\n",
            Eol::CrLf => b"\r\n",
            Eol::None => b"",
        };
        let bytes = [&line.bytes, end].concat();
        let outputs = self.player.event_line(&bytes);
        while let Some(entry) = self.player.take_log_entry() {
            self.add(Body::Stderr(Line::new(entry)), one);
            self.effect.get_or_insert(self.checker.frames());
        }
        let is_plain = matches!(&outputs[..], [Output::Bytes(same)] if *same == bytes);
        if is_plain && self.framer.pending() == 0 {
            self.push(&one.frame, &one.parsed);
            return Some(());
        }
        self.write(outputs, one)
    }

    /// Adds the output in place of a line; `None` if the fault does more than write.
    fn write(&mut self, outputs: Vec<Output>, at: &ParsedFrame) -> Option<()> {
        let mut lines = Vec::new();
        for output in outputs {
            let Output::Bytes(bytes) = output else {
                return None;
            };
            self.framer.push(&bytes, &mut |line| lines.push(line));
        }
        for line in lines {
            self.add(Body::FromAgent(line), at);
        }
        Some(())
    }

    /// A frame of the host.
    fn act(&mut self, one: &ParsedFrame) {
        self.push(&one.frame, &one.parsed);
        if self.effect.is_some() {
            self.next_act.get_or_insert(self.checker.frames());
        }
    }

    fn add(&mut self, body: Body, at: &ParsedFrame) {
        let frame = Frame {
            at: at.frame.at,
            body,
        };
        let parsed = Parsed::new(&frame);
        self.push(&frame, &parsed);
    }

    fn push(&mut self, frame: &Frame, parsed: &Parsed) {
        self.checker.push_parsed(frame, parsed);
        let dialect = &self.recording.dialect;
        self.trace.push(frame, parsed, dialect, Some(self.fault));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use conform_judge::dialect::{DialectSource, load};
    use conform_judge::history;
    use frame_faults::{NestedKinds, generic_fault};

    const SESSION: &str = r#"
        < {"type":"ready","version":"0.1.0","session_id":"s1","capabilities":{"tool_approval":true,"thinking":true,"mcp":true}}
        > {"type":"message","msg_id":"m1","input":"hi","content":"hi"}
        < {"type":"stream_start","msg_id":"m1"}
        < {"type":"text_delta","msg_id":"m1","text":"Hello"}
        < {"type":"stream_end","msg_id":"m1","usage":{"input_tokens":1,"output_tokens":1}}
        stdin_closed
        end 0"#;

    /// The rules that report something in the session with a fault, each with its frame.
    fn found(fault: &str) -> Option<Vec<(String, u64)>> {
        let dialect = load(&DialectSource::new(None), "aionrs@0.1").unwrap();
        let mut recording = Recording::new(dialect);
        let frames = history::frames(SESSION).unwrap();
        let session = RecordedSession {
            argv: vec!["agent".into()],
            frames: frames.into_iter().map(ParsedFrame::from).collect(),
        };
        let recorded = RecordedScenario {
            sessions: vec![session],
            has_gates: false,
        };
        recording.scenarios.insert("s".into(), recorded);
        let fault = generic_fault(fault, NestedKinds::new()).unwrap();
        let played = recording.play(&fault, "s")?;
        let findings = played.findings.into_iter();
        Some(findings.map(|one| (one.rule, one.at)).collect())
    }

    #[test]
    fn a_rule_reports_a_fault_at_the_recorded_frame_that_it_changes() {
        // The entry of the fault log comes before the frame.
        let wrong_type = ("aionrs/schema/text_delta".to_owned(), 5);
        assert_eq!(found("retype:text_delta:/text"), Some(vec![wrong_type]));
        let twice = found("double:stream_start").unwrap();
        assert!(
            twice.contains(&("aionrs/turn-envelope".into(), 5)),
            "{twice:?}"
        );
    }

    #[test]
    fn a_fault_that_changes_no_recorded_frame_shows_nothing() {
        assert_eq!(found("drop:tool_request"), Some(Vec::new()));
    }

    #[test]
    fn nothing_is_said_of_what_comes_after_the_host_could_react() {
        assert_eq!(found("drop:ready"), None);
        assert_eq!(found("late:stream_end"), None);
    }
}
