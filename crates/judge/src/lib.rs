//! The judge: frames in, findings out. It reads no clock, environment or file and knows no async runtime, so the findings depend on the
//! history alone.

pub mod check;
pub mod conversation;
pub mod dialect;
pub mod finding;
pub mod frame;
pub mod framing;
pub mod history;
pub mod profile;
pub mod rules;
pub mod schema;
pub mod signals;
pub mod transcript;
