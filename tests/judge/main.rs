//! The judge: rules, schemas and the checker on histories, recordings and mutated recordings.

mod acp_rules;
#[path = "../common/agent_findings.rs"]
mod agent_findings;
mod aionrs_rules;
mod checker_properties;
mod dialect_guards;
#[path = "../common/history.rs"]
mod history;
mod host_rules;
mod json_rpc;
mod mutations;
mod pairs;
mod pi_rules;
mod pi_sessions;
mod process_ends;
mod published_schemas;
mod real_sessions;
mod recorded_names;
#[path = "../common/recordings.rs"]
mod recordings;
mod rule_mistakes;
mod rules_engine;
mod rules_page;
mod schema_members;
mod synaps_rules;
#[path = "../common/toy_dialect.rs"]
mod toy_dialect;
