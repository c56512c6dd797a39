//! The lanes of the agent that a dialect is loaded for, with their replies.

use conform_judge::dialect::{Dialect, KnownAgent};
use mock_provider::{Lane, Script};
use spanned_yaml::{Error, Kind, all_or_mistakes};

/// The lanes of the agent of a dialect; none without an agent file.
///
/// # Errors
/// The mistakes in their replies.
pub fn lanes(dialect: &Dialect) -> Result<Vec<Lane>, Vec<Error>> {
    dialect
        .agent
        .as_ref()
        .map_or(Ok(Vec::new()), |agent| of_agent(agent))
}

fn of_agent(agent: &KnownAgent) -> Result<Vec<Lane>, Vec<Error>> {
    let lanes = agent.file.lanes.iter().map(|(name, file)| {
        let conditions = file.conditions();
        let replies = file.reply.iter().chain(&file.replies).cloned().collect();
        let script = Script::of_node(&agent.root.with_kind(Kind::List(replies)))?;
        Ok(Lane {
            name: name.value.clone(),
            system: conditions.system,
            last: conditions.last,
            model: conditions.model,
            no_tools: conditions.no_tools,
            replies: script.replies,
        })
    });
    all_or_mistakes(lanes)
}
