//! Reporters: render a report as HTML, JSON, JUnit, Markdown or terminal text. They compute nothing.

mod formats;
mod junit;
#[cfg(test)]
pub(crate) mod sample;
mod template;
pub mod terminal;
pub(crate) mod text;

pub use formats::{FORMATS, Format, find};
pub use template::comparison;
