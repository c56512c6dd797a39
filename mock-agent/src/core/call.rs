//! A tool call as it is reported to the host.

use crate::tools::Category;
use serde_json::Value;

/// A tool call as the host sees it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    /// Unique in the process.
    pub(crate) id: String,
    /// The tool's name.
    pub(crate) tool: String,
    /// What kind of tool it is.
    pub(crate) category: Category,
    /// The arguments, an object.
    pub(crate) args: Value,
    /// What the call would do, in one line.
    pub(crate) description: String,
}
