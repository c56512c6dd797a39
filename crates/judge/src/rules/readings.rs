//! Readings rules: they record which reading of an ambiguous clause the agent follows. They never give a finding.

use super::frame_pattern::FramePattern;
use super::monitor::{Moment, Monitor};
use super::slices::SliceKey;
use frame_language::{Condition, Truth};
use std::sync::Arc;

/// A readings rule.
#[derive(Debug, Clone)]
pub struct ReadingsRule {
    /// The frames it looks at.
    pub on: FramePattern,
    /// The readings, by name; the first that certainly holds is counted.
    pub readings: Vec<(String, Condition)>,
}

impl ReadingsRule {
    /// A monitor.
    pub fn monitor(self: &Arc<Self>) -> Box<dyn Monitor> {
        Box::new(ReadingsMonitor {
            rule: Arc::clone(self),
            counts: vec![0; self.readings.len()],
        })
    }
}

#[derive(Clone)]
struct ReadingsMonitor {
    rule: Arc<ReadingsRule>,
    counts: Vec<u64>,
}

impl Monitor for ReadingsMonitor {
    fn on_frame(&mut self, _: Option<&SliceKey>, at: &mut Moment<'_>) {
        let (config, context) = (at.config, at.context);
        if context.matches(&self.rule.on) == Truth::True
            && context.certainly_holds(config.when.as_ref())
        {
            let met = self
                .rule
                .readings
                .iter()
                .position(|(_, condition)| context.certainly_holds(Some(condition)));
            if let Some(n) = met {
                self.counts[n] += 1;
            }
        }
    }

    fn exercised(&self) -> u64 {
        self.counts.iter().sum()
    }

    fn readings(&self) -> Vec<(String, u64)> {
        let names = self.rule.readings.iter().map(|(name, _)| name.clone());
        let met = names.zip(self.counts.iter().copied());
        met.filter(|(_, count)| *count > 0).collect()
    }
}
