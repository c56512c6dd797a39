//! The model script: the types of the YAML under `model:`.
//!
//! Every type refuses unknown keys; mistakes that the types accept are found by [`Script::check`].

mod check;
mod content;
mod delivery;
mod expect;
mod load;
mod reply;
mod values;

pub use content::{ContentItem, Cut, ScriptedUsage, Stall, StreamError, Thinking, ToolCall};
pub use delivery::Delivery;
pub use expect::{Expect, ExpectedToolResult};
pub use reply::{HttpFault, RefusalDetails, Script, ScriptError, ScriptReply, Stop};
pub use values::{Repeat, TextOrNumber, Texts, True};
