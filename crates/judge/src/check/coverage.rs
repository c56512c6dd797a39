//! Coverage: what a session, a scenario or a whole run exercised.

use indexmap::{IndexMap, IndexSet};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// What a run exercised.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    /// Testable clauses that a rule or a scenario checked.
    pub clauses_exercised: IndexSet<String>,
    /// Testable clauses that nothing checked.
    pub clauses_not_exercised: IndexSet<String>,
    /// In how many entries each clause was checked, by clause id.
    #[serde(default)]
    pub entries_by_clause: IndexMap<String, u32>,
    /// How often each rule was evaluated; 0 means "not exercised", which is not a pass.
    pub rules: IndexMap<String, u64>,
    /// Which reading of an ambiguous clause the agent follows: rule id, then reading, then how often.
    #[serde(default)]
    pub readings: IndexMap<String, IndexMap<String, u64>>,
}

impl Coverage {
    /// Whether a clause is among the testable ones.
    pub fn has(&self, clause: &str) -> bool {
        self.clauses_exercised.contains(clause) || self.clauses_not_exercised.contains(clause)
    }

    /// Adds what another part of the same run exercised.
    pub fn add(&mut self, part: Coverage) {
        let exercised = self.clauses_exercised.len();
        self.clauses_exercised.extend(part.clauses_exercised);
        let open = &mut self.clauses_not_exercised;
        if self.clauses_exercised.len() > exercised || !part.clauses_not_exercised.is_empty() {
            open.extend(part.clauses_not_exercised);
            open.retain(|id| !self.clauses_exercised.contains(id));
        }
        add_counts(&mut self.entries_by_clause, part.entries_by_clause);
        add_counts(&mut self.rules, part.rules);
        for (rule, readings) in part.readings {
            add_counts(self.readings.entry(rule).or_default(), readings);
        }
    }
}

fn add_counts<N: Default + AddAssign>(all: &mut IndexMap<String, N>, part: IndexMap<String, N>) {
    for (name, times) in part {
        *all.entry(name).or_default() += times;
    }
}
