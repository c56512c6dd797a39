//! Plays the faults of the reference agent, and the bad hosts of a dialect.

use super::MutantsArgs;
use super::fault_player::{FaultPlayer, tested};
use super::proof::{Proof, Remark};
use super::suite_player::SuitePlayer;
use super::tested_agent::TestedAgent;
use crate::cli::catalogue::{self, KnownDialect};
use crate::cli::command_error::CommandError;
use conform_judge::dialect::{Dialect, DialectSource};
use conform_judge::finding::Blame;
use conform_runner::mutation::bad_hosts;
use conform_runner::mutation::coverage::provable_rules;
use conform_runner::mutation::matrix::Row;
use conform_runner::sandbox_root::SandboxRoot;
use conform_runner::scenario::Scenario;
use std::sync::Arc;

/// Plays the faults of the dialects that the command line asks for.
///
/// # Errors
/// A dialect cannot be loaded, or the harness failed.
pub(super) async fn proofs(args: &MutantsArgs) -> Result<Vec<Proof>, CommandError> {
    let source = DialectSource::new(args.dialect.dialect_dir.clone());
    let mut proofs = Vec::new();
    for known in catalogue::load(&args.dialect)? {
        let proof = proof(args, &source, known).await;
        proofs.extend(proof.map_err(CommandError::harness)?);
    }
    Ok(proofs)
}

/// Plays the faults of one dialect; `None` if there are none on the sides that are asked for.
async fn proof(
    args: &MutantsArgs,
    source: &DialectSource,
    known: KnownDialect,
) -> Result<Option<Proof>, String> {
    let dialect = known.dialect;
    let faults = known.faults.iter().filter(|one| !one.caught_by.is_empty());
    let faults: Vec<_> = faults.map(|fault| tested(fault, &dialect)).collect();
    let hosts = bad_hosts::load(source, &dialect).map_err(|e| e.to_string())?;
    let hosts = hosts.iter().filter(|host| !host.is_legal());
    let hosts: Vec<Row> = hosts.map(|host| host.row(&dialect)).collect();
    let counts = [(Blame::Agent, faults.len()), (Blame::Host, hosts.len())];
    let sides = counts.iter().filter(|(_, count)| *count > 0);
    let sides: Vec<Blame> = sides.map(|(side, _)| *side).collect();
    let only = args.side.map(Blame::from);
    let is_played = |side: &Blame| only.is_none_or(|only| only == *side);
    let played: Vec<Blame> = sides.iter().copied().filter(is_played).collect();
    if played.is_empty() {
        return Ok(None);
    }
    let all = faults.iter().map(|fault| fault.id.clone());
    let all = all.chain(hosts.iter().map(|row| row.fault.clone()));
    let all = all.collect();
    let mut faults = args.selected(faults, |fault| &fault.id);
    let mut hosts = args.selected(hosts, |row| &row.fault);
    if !is_played(&Blame::Agent) {
        faults.clear();
    }
    if !is_played(&Blame::Host) {
        hosts.clear();
    }
    let suite = player(source, &dialect, known.scenarios)?;
    let player = FaultPlayer::new(suite, None, args);
    let mut rows = player.rows(faults).await?;
    rows.append(&mut hosts);
    let mut proof = Proof {
        all,
        rules: provable_rules(&dialect, &sides),
        played_rules: provable_rules(&dialect, &played),
        rows,
        dialect: dialect.id(),
        ..Proof::default()
    };
    let complaints = proof.matrix().complaints(args.is_whole()).into_iter();
    proof.remarks = complaints.map(Remark::error).collect();
    Ok(Some(proof))
}

/// The suite of a dialect, played with the reference agent.
pub(in crate::cli) fn player(
    source: &DialectSource,
    dialect: &Arc<Dialect>,
    scenarios: Vec<Scenario>,
) -> Result<SuitePlayer, String> {
    let agent = TestedAgent::Reference {
        dialect_dir: source.folder(),
    };
    let sandboxes = SandboxRoot::new().map_err(|e| e.to_string())?;
    let dialect = Arc::clone(dialect);
    Ok(SuitePlayer::new(
        agent,
        dialect,
        scenarios,
        Arc::new(sandboxes),
    ))
}
