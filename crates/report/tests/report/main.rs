//! Tests of the crate by its public functions.

mod baseline_files;
mod baselines;
mod cause_ids;
mod causes;
mod clause_results;
mod comparison;
mod dates;
mod echoes;
mod formats;
mod github;
mod html;
mod id_pattern;
mod markdown;
mod merge;
mod sample;
mod tap;
mod terminal;
mod verdict_rules;
