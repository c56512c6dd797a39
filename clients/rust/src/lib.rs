#![doc = include_str!("../README.md")]

mod findings;
mod mock_agent;
mod prepared;

pub use findings::Finding;
pub use mock_agent::MockAgent;
pub use prepared::Prepared;
