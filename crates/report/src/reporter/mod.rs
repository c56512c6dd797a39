//! Reporters: one file a format renders a report. They compute nothing.

mod cause_text;
mod formats;
mod github;
mod html;
mod junit;
mod sarif;
mod tap;
mod template;
pub mod terminal;
pub mod text;

pub use formats::{Compare, FORMATS, Format, Render, find};
