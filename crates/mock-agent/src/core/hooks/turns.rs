//! Hooks: how turns start, stop and end.

use crate::core::failure::Halt;

/// What happens when the host asks to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopEffect {
    StopTurn,
    Nothing,
    /// The turn goes on, and every call that waits for an approval is approved.
    ApproveCalls,
}

/// The decisions about turns.
pub(crate) trait TurnHooks {
    /// A turn starts.
    fn on_turn_start(&self) {}

    /// Whether a turn is stopped before it begins.
    fn stops_turn_at_start(&self) -> bool {
        false
    }

    /// What a request to stop does; `awaits_approval` if a call waits for one.
    fn stop_effect(&self, _halt: Halt, _awaits_approval: bool) -> StopEffect {
        StopEffect::StopTurn
    }

    /// Whether a rejected command stops the turn.
    fn stops_turn_on_rejected_command(&self) -> bool {
        false
    }

    /// The host asks to stop while nothing runs.
    fn on_idle_stop(&self) {}

    /// Whether the work of a stopped turn goes on in the background; `tool` if a tool is running.
    fn abandons_work(&self, _halt: Halt, _tool: bool) -> bool {
        false
    }

    /// Whether the calls of a stopped turn are reported as cancelled.
    fn reports_cancelled_calls(&self) -> bool {
        true
    }

    /// Whether a stop is reported as a failure.
    fn reports_stop_as_failure(&self) -> bool {
        false
    }

    /// Whether the conversation is saved after a turn.
    fn saves_turn(&self) -> bool {
        true
    }

    /// Whether the end of a stopped turn is reported.
    fn reports_turn_end(&self, _halt: Halt) -> bool {
        true
    }
}
