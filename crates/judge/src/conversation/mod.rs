//! What a model must see: the conversation of a session, kept while requests to the model come, and compared with each of them.

mod memory;
mod request;

pub use memory::{Check, Conversation};
