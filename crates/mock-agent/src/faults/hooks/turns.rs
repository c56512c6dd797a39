//! Faults in how turns start, stop and end.

use crate::core::failure::Halt;
use crate::core::hooks::{StopEffect, TurnHooks};
use crate::faults::Faults;
use crate::faults::bug::Bug;

impl TurnHooks for Faults {
    fn on_turn_start(&self) {
        self.count_turn();
    }

    fn stops_turn_at_start(&self) -> bool {
        self.poisoned.take()
    }

    fn stop_effect(&self, halt: Halt, awaits_approval: bool) -> StopEffect {
        if halt == Halt::Exit {
            return StopEffect::StopTurn;
        }
        if self.triggers(Bug::IgnoresStop) || self.ignores_second_stop() {
            return StopEffect::Nothing;
        }
        if awaits_approval && self.triggers(Bug::StopRunsTools) {
            return StopEffect::ApproveCalls;
        }
        StopEffect::StopTurn
    }

    fn stops_turn_on_rejected_command(&self) -> bool {
        self.triggers(Bug::BadCommandEndsTurn)
    }

    fn on_idle_stop(&self) {
        if self.triggers(Bug::IdleStopStopsNextTurn) {
            self.poisoned.set(true);
        }
    }

    fn abandons_work(&self, halt: Halt, tool: bool) -> bool {
        match halt {
            Halt::Stop if tool => {
                // The tool spares its children when it starts; the effect shows here.
                let _ = self.triggers(Bug::StopKeepsChildren);
                self.triggers(Bug::StopKeepsTool)
            }
            Halt::Stop => self.triggers(Bug::StopKeepsRequest),
            Halt::Exit => tool && self.triggers(Bug::ToolOutlivesAgent),
        }
    }

    fn reports_cancelled_calls(&self) -> bool {
        !self.triggers(Bug::StopCancelsNothing)
    }

    fn reports_stop_as_failure(&self) -> bool {
        self.triggers(Bug::ReportsStopAsFailure)
    }

    fn saves_turn(&self) -> bool {
        !(self.resumed.get() && self.triggers(Bug::ResumedStaysUnsaved))
    }

    fn reports_turn_end(&self, halt: Halt) -> bool {
        !self.triggers(match halt {
            Halt::Stop => Bug::StopHasNoEnd,
            Halt::Exit => Bug::ExitHasNoEnd,
        })
    }
}
