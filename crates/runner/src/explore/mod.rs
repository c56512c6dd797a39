//! Exploration: generated sessions. A dialect lists as data the moves that a host and a model can make, and at which moments; walks
//! over them are composed into ordinary scenarios, so that everything else (lint, play, findings, reports) works as for those.
//!
//! ```text
//!  explore.yaml ─► file, moves (merged, checked) ─► walk (seed) ─► Session ─► compose ─► scenario, as text and loaded
//!                        └── pools.yaml (data)                        ▲
//!                                                                   shrink ◄── whether the finding is still there
//! ```
//!
//! Walks do not use `proptest-state-machine`: its initial state and its transitions are static functions without data, and it expects
//! tests that are cheap and repeat themselves.

mod bodies;
mod compose;
mod coverage;
pub mod file;
mod fill;
mod moves;
mod sessions;
mod shrink;
mod situations;
mod splice;
mod walk;

pub use coverage::SituationCounts;
pub use moves::{LeftOut, MoveTable};
pub use sessions::{SessionMaker, SessionTables};
pub use shrink::shrink;
pub use situations::{Situation, Situations, TAKEN};
pub use splice::Splicer;
pub use walk::{Drawn, Part, PlannedMove, Session, Walker};
