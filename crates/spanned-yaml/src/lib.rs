//! YAML values that keep their location in the file, and errors that show it.
//!
//! The only package that names the YAML parser. [`load_yaml`] makes a [`Node`] tree; [`decode`] turns a node into any
//! serde type, with every error at the innermost value that is wrong; [`decode_all`] continues after a mistake and
//! reports each one.

mod builder;
mod decode;
mod decode_error;
mod error;
mod node;
mod parse;
mod pointer;
mod recover;
mod repeated;
mod scalar;
mod serde_access;
mod spanned;
mod suggest;
mod time_span;
mod verbs;

pub use decode::decode;
pub use error::{Error, SourceText, Span, all_or_mistakes, render_all};
pub use node::{Key, Kind, Node, describe_text};
pub use parse::{MAX_FILE_BYTES, load_file, load_yaml};
pub use pointer::{Pointer, escape_step, last_step, unescape_step};
pub use recover::decode_all;
pub use repeated::TextSchema;
pub use spanned::{Spanned, present};
pub use suggest::{did_you_mean, suggestion, unknown};
pub use time_span::TimeSpan;
pub use verbs::{Verbs, WithVerbs, decode_verb, former_keys, names_of, take_verbs, unknown_keys};
