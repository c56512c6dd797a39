//! What a test can control in a running agent.

mod gates;

pub(crate) use gates::Gates;
