//! Stories: the built-in scripts, by name. Each is a file of `crates/mock-agent/scripts/`: one for all protocols, or one of the same name for
//! each protocol or version whose tools have names of their own.

mod catalog;

pub use catalog::is_name;
pub(crate) use catalog::{find, listing, names, unknown_name};
