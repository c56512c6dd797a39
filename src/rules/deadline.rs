//! The form `deadline`: after this frame, that one comes: before another, within a budget, or before the process ends.

use super::cond::Cond;
use super::moment::Moment;
use super::order::list;
use super::parse::Pattern;
use super::rule::{AtEnd, Ending, Form, Monitor, Rule, Violation};
use super::slices::{Key, Slices};
use super::symbol::SymSet;
use super::tri::Tri;
use crate::finding::Blame;

/// A deadline.
#[derive(Debug, Clone)]
pub struct Deadline {
    /// The frame from which something is owed.
    pub from: Pattern,
    /// Owed only where this certainly holds.
    pub when: Option<Cond>,
    /// What is owed.
    pub to: Pattern,
    /// Too late once this has come.
    pub before: Pattern,
    /// No longer owed once this has come.
    pub unless: Pattern,
    /// The dialect's budget, by name, and its microseconds.
    pub within: Option<(String, u64)>,
    /// What comes under `unless` excuses nothing once this budget, by name, and its microseconds are over.
    pub patience: Option<(String, u64)>,
    /// Which endings of the session are too late.
    pub at_end: AtEnd,
    /// A budget that ran out counts only where this certainly holds.
    pub in_time: Option<Cond>,
}

impl Deadline {
    /// The symbols of the frames that matter: all, where time counts.
    #[must_use]
    pub fn symbols(&self) -> SymSet {
        let mut all = self.from.symbols();
        for pattern in [&self.to, &self.before, &self.unless] {
            all.extend(&pattern.symbols());
        }
        all
    }

    /// A monitor; none if the history cannot hold what is owed.
    #[must_use]
    pub fn monitor(&self, blind: &SymSet) -> Option<Box<dyn Monitor>> {
        if self.to.symbols().meets(blind) || self.from.symbols().meets(blind) {
            return None;
        }
        Some(Box::new(DeadlineMonitor::default()))
    }
}

#[derive(Debug, Clone, Copy)]
struct Owed {
    since: u64,
    at: u64,
}

#[derive(Clone, Default)]
struct DeadlineMonitor {
    owed: Slices<Owed>,
    exercised: u64,
}

impl DeadlineMonitor {
    fn take(&mut self, key: Option<&Key>) -> Vec<(Key, Owed)> {
        match key {
            Some(key) => self
                .owed
                .remove(key)
                .map(|o| (key.clone(), o))
                .into_iter()
                .collect(),
            None => self.owed.drain(),
        }
    }

    fn broken(
        &mut self,
        rule: &Rule,
        moment: &Moment<'_>,
        late: Vec<(Key, Owed)>,
        how: impl Fn() -> String,
        out: &mut Vec<Violation>,
    ) {
        let Form::Deadline(deadline) = &rule.form else {
            return;
        };
        for (key, owed) in late {
            self.exercised += 1;
            let expected = deadline.to.sources();
            let message = || {
                format!(
                    "{}, and {} owed since frame {} had not come",
                    how(),
                    list(&expected),
                    owed.since
                )
            };
            out.push(Violation {
                blame: rule.blame.unwrap_or(Blame::Agent),
                key: key.text().to_owned(),
                message: rule.say(moment, message),
                expected,
                pointer: String::new(),
            });
        }
    }
}

impl Monitor for DeadlineMonitor {
    fn fork(&self) -> Box<dyn Monitor> {
        Box::new(self.clone())
    }

    fn frame(
        &mut self,
        rule: &Rule,
        key: Option<&Key>,
        moment: &Moment<'_>,
        out: &mut Vec<Violation>,
    ) {
        let Form::Deadline(deadline) = &rule.form else {
            return;
        };
        if moment.is(&deadline.to) != Tri::False {
            let met = self.take(key);
            self.exercised += met.len() as u64;
            if let Some((name, budget)) = &deadline.within {
                let late = met
                    .into_iter()
                    .filter(|(_, o)| moment.at > o.at.saturating_add(*budget))
                    .collect();
                let how = || {
                    format!(
                        "`{}` came later than the budget `{name}` ({} ms) allows",
                        moment.name(),
                        budget / 1000
                    )
                };
                self.broken(rule, moment, late, how, out);
            }
        }
        if moment.is(&deadline.unless) != Tri::False {
            let excused = self.take(key);
            if let Some((name, budget)) = &deadline.patience
                && moment.is(&deadline.unless) == Tri::True
                && moment.certain(deadline.in_time.as_ref())
            {
                let late = excused
                    .into_iter()
                    .filter(|(_, o)| moment.at > o.at.saturating_add(*budget))
                    .collect();
                let how = || {
                    format!(
                        "`{}` came when the budget `{name}` ({} ms) was over",
                        moment.name(),
                        budget / 1000
                    )
                };
                self.broken(rule, moment, late, how, out);
            }
        }
        if moment.is(&deadline.before) == Tri::True {
            let late = self.take(key);
            let how = || format!("`{}` came", moment.name());
            self.broken(rule, moment, late, how, out);
        }
        if let Some(key) = key
            && moment.is(&deadline.from) == Tri::True
            && moment.certain(deadline.when.as_ref())
        {
            self.owed.entry(key, || Owed {
                since: moment.n,
                at: moment.at,
            });
        }
    }

    fn scope_closed(
        &mut self,
        rule: &Rule,
        moment: &Moment<'_>,
        judge: bool,
        out: &mut Vec<Violation>,
    ) {
        let late = self.owed.drain();
        if judge {
            let how = || format!("`{}` came", moment.name());
            self.broken(rule, moment, late, how, out);
        }
    }

    fn end(&mut self, rule: &Rule, moment: &Moment<'_>, ending: Ending, out: &mut Vec<Violation>) {
        if let Form::Deadline(deadline) = &rule.form
            && deadline.at_end.is_due(ending)
            && (!ending.out_of_time || moment.certain(deadline.in_time.as_ref()))
        {
            let late = self.owed.drain();
            let how = || "the session ended".to_owned();
            self.broken(rule, moment, late, how, out);
        }
    }

    fn exercised(&self) -> u64 {
        self.exercised
    }
}
