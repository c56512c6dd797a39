//! Detects which dialect an agent speaks, and which optional features it lacks.
//!
//! The evidence, in the order of its cost: the name and the package of the program ([`candidates`]), what its `--help` prints
//! (`program_output`), and what it writes when it is started ([`probe`]). The [`detector`] decides from these. [`recording`] detects the
//! dialect of a recorded session, where no process is started.

pub mod advice;
pub mod candidates;
pub mod detector;
mod evidence;
mod first_lines;
pub mod known_agents;
pub mod missing_features;
pub mod package;
pub mod probe;
mod program_output;
pub mod recording;
