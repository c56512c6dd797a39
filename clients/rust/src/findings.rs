//! What the host did wrong, as the judge in each agent has written it.

/// How a finding begins: in a session that goes on, or in one that has ended, where the last ones of many have one line each.
const STARTS: [&str; 5] = ["CAUSE ", "must ", "should ", "MUST ", "SHOULD "];

/// A mistake of the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// All that the judge says of it: the level, the rule, its clauses, the frames.
    pub text: String,
}

impl Finding {
    /// Whether it is of this rule or clause.
    #[must_use]
    pub fn is(&self, id: &str) -> bool {
        self.text.split_whitespace().any(|word| word == id)
    }
}

/// The findings in the file of a judge.
pub(crate) fn parse(file: &str) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for line in file.lines() {
        let text = line.to_owned();
        match found.last_mut() {
            _ if STARTS.iter().any(|start| line.starts_with(start)) => found.push(Finding { text }),
            Some(finding) => finding.text += &format!("\n{line}"),
            None => {}
        }
    }
    found
}
