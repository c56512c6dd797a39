//! Proof that a green means something: the kill matrix (each fault of the mock agent, and what caught it) and the coverage (each
//! clause, what checks it, and what proves that the check can fail). Pure.

pub mod coverage;
pub mod hosts;
pub mod matrix;
pub mod page;
pub mod provable;
pub mod trace;
pub mod witness;
