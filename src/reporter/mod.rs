//! Reporters: render a report as HTML, JSON, JUnit, Markdown or terminal text. They compute nothing.

mod formats;
mod html;
mod junit;
#[cfg(test)]
pub(crate) mod sample;
mod template;
pub mod terminal;
pub(crate) mod text;

pub use formats::{Compare, FORMATS, Format, Render, find};
