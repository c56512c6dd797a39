//! What a session, a scenario or a whole run exercised: the input of coverage.

use indexmap::IndexMap;

/// What was exercised.
#[derive(Debug, Clone, Default)]
pub struct Exercised {
    /// How often each rule applied, by the rule's id.
    pub rules: IndexMap<String, u64>,
    /// How often each reading of an ambiguous clause was met, by the rule's id and the reading.
    pub readings: IndexMap<String, IndexMap<String, u64>>,
    /// Clauses that something other than a rule checked, such as a step of a scenario.
    pub clauses: Vec<String>,
}

impl Exercised {
    /// Adds what another part exercised.
    pub fn add(&mut self, part: Exercised) {
        add_counts(&mut self.rules, part.rules);
        for (rule, readings) in part.readings {
            add_counts(self.readings.entry(rule).or_default(), readings);
        }
        self.clauses.extend(part.clauses);
    }
}

fn add_counts(all: &mut IndexMap<String, u64>, part: IndexMap<String, u64>) {
    for (name, times) in part {
        *all.entry(name).or_default() += times;
    }
}
