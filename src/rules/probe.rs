//! The form `probe`: which reading of an ambiguous clause the agent follows. Never a finding.

use super::cond::Cond;
use super::moment::Moment;
use super::parse::Pattern;
use super::rule::{Ending, Form, Monitor, Rule, Violation};
use super::slices::Key;
use super::tri::Tri;

/// A probe.
#[derive(Debug, Clone)]
pub struct Probe {
    /// The frames it looks at.
    pub on: Pattern,
    /// The readings, by name; the first that certainly holds is noted.
    pub readings: Vec<(String, Cond)>,
}

impl Probe {
    /// A monitor.
    #[must_use]
    pub fn monitor(&self) -> Box<dyn Monitor> {
        Box::new(ProbeMonitor {
            counts: vec![0; self.readings.len()],
            names: self.readings.iter().map(|(name, _)| name.clone()).collect(),
        })
    }
}

#[derive(Clone)]
struct ProbeMonitor {
    names: Vec<String>,
    counts: Vec<u64>,
}

impl Monitor for ProbeMonitor {
    fn fork(&self) -> Box<dyn Monitor> {
        Box::new(self.clone())
    }

    fn frame(&mut self, rule: &Rule, _: Option<&Key>, moment: &Moment<'_>, _: &mut Vec<Violation>) {
        let Form::Probe(probe) = &rule.form else {
            return;
        };
        if moment.is(&probe.on) == Tri::True {
            let met = probe
                .readings
                .iter()
                .position(|(_, cond)| moment.certain(Some(cond)));
            if let Some(n) = met {
                self.counts[n] += 1;
            }
        }
    }

    fn scope_closed(&mut self, _: &Rule, _: &Moment<'_>, _: bool, _: &mut Vec<Violation>) {}

    fn end(&mut self, _: &Rule, _: &Moment<'_>, _: Ending, _: &mut Vec<Violation>) {}

    fn exercised(&self) -> u64 {
        self.counts.iter().sum()
    }

    fn readings(&self) -> Vec<(String, u64)> {
        let met = self.names.iter().cloned().zip(self.counts.iter().copied());
        met.filter(|(_, count)| *count > 0).collect()
    }
}
