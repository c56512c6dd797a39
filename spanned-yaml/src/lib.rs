//! YAML values that remember their place, and errors that show it.
//!
//! The only module that names the YAML crate. [`load_yaml`] makes a [`Node`] tree; [`decode`] turns a node into any
//! serde type, with every error placed on the innermost value it is about; [`decode_all`] goes on after a mistake
//! and reports each one.

mod access;
mod builder;
mod carry;
mod decode;
mod error;
mod kinds;
mod node;
mod parse;
mod places;
mod recover;
mod refusal;
mod scalar;
mod source;
mod suggest;

pub use carry::{Located, present};
pub use decode::decode;
pub use error::{Error, render_all};
pub use node::{Key, Kind, Node};
pub use parse::{load_file, load_yaml};
pub use places::{Piece, UnknownPlace, fill, pieces};
pub use recover::decode_all;
pub use source::{Source, Span};
pub use suggest::{did_you_mean, unknown};
