//! The files of the repository, as their loaders read them: dialects, scenarios, faults, published reports, and pages for contributors.

mod accepted_interpretations;
#[path = "../common/faults.rs"]
mod dialect_faults;
mod dialects;
mod docs_scenarios;
mod editor_schemas;
mod embedded_scenarios;
mod fault_files;
mod loader_properties;
mod mistakes;
mod published_matrices;
mod published_reports;
mod quoted_figures;
mod repository;
