//! (to come)

pub mod types;
