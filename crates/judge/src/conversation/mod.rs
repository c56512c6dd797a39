//! What a model must see, and what a host receives of its answers: the conversation of a session, kept while requests to the model come,
//! and compared with each of them.

mod apart;
mod calls;
mod memory;
mod newest_request;
mod request;
mod shown_results;
mod told;
mod turn;
mod usage;

pub use apart::Apart;
pub use calls::Calls;
pub use memory::{Check, Compared, Conversation};
pub use turn::Turns;
pub use usage::Reported;
