//! Faults in turns, in every protocol: none has an effect before its turn, and each is played in it.

use crate::dialect_faults::faults_of;
use crate::{aionrs, pi, synaps};
use frame_faults::{Effect, Fault};
use serde_json::Value;

/// The events of a session, and the exit code.
pub(crate) type Session = (Vec<Value>, Option<i32>);

/// A protocol, and its sessions with a fault.
pub(crate) struct Protocol {
    pub(crate) dialect: (&'static str, &'static str),
    /// Plays a session of two turns with many kinds of events.
    pub(crate) session: fn(&str) -> Session,
    /// Plays a session of three turns.
    pub(crate) three_turns: fn(&str) -> Session,
    /// The fault that gives a turn two ends.
    pub(crate) two_ends: &'static str,
    /// The event that ends a turn, and one that comes once between the ends of two turns.
    pub(crate) end_and_border: [&'static str; 2],
}

const PROTOCOLS: [&Protocol; 3] = [
    &aionrs::faults::PROTOCOL,
    &pi::faults::PROTOCOL,
    &synaps::faults::PROTOCOL,
];

/// Some faults of a dialect that are behaviors of the reference agent. What holds for faults on frames is a property of their player.
fn some_behaviors((name, version): (&str, &str)) -> impl Iterator<Item = Fault> {
    let faults = faults_of(name, version).into_iter();
    let behaviors = faults.filter(|fault| matches!(fault.effect, Effect::Behavior(_)));
    behaviors.step_by(9)
}

#[test]
fn a_behavior_has_no_effect_before_its_turn() {
    for protocol in PROTOCOLS {
        let good = (protocol.session)("");
        assert_eq!(good.1, Some(0));
        assert_eq!(
            (protocol.session)("*"),
            good,
            "rehearsed faults change nothing"
        );

        for fault in some_behaviors(protocol.dialect) {
            let later = (protocol.session)(&format!("{}@turn=3", fault.id));
            assert_eq!(later, good, "{:?} {}", protocol.dialect, fault.id);
        }
    }
}

#[test]
fn a_fault_is_played_in_its_turn_and_once() {
    for protocol in PROTOCOLS {
        let fault = format!("{}@turn=2", protocol.two_ends);
        let (events, code) = (protocol.three_turns)(&fault);
        assert_eq!(code, Some(0), "{fault}");

        let [end, border] = protocol.end_and_border;
        let turns = events.split(|event| event["type"] == border);
        let ends = turns.map(|turn| turn.iter().filter(|event| event["type"] == end).count());
        let ends: Vec<_> = ends.filter(|ends| *ends > 0).collect();
        assert_eq!(ends, [1, 2, 1], "{fault}");
    }
}
