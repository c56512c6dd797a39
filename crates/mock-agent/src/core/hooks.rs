//! Hooks: the decisions of the core that deliberate faults can override. Each default is the correct behavior.
//!
//! A hook is called only where it can make a difference, so that an override can log when it takes effect.

mod approvals;
mod calls;
mod consequences;
mod conversation;
mod queues;
mod requests;
mod shell;
mod turns;

pub(crate) use approvals::{ApprovalHooks, LateAnswer};
pub(crate) use calls::CallHooks;
pub(crate) use consequences::{After, ConsequenceHooks};
pub(crate) use conversation::ConversationHooks;
pub(crate) use queues::QueueHooks;
pub(crate) use requests::{ExtraRequest, RequestHooks};
pub(crate) use shell::ShellHooks;
pub(crate) use turns::{StopEffect, TurnHooks};

use crate::tools::ToolHooks;
use std::any::Any;

/// The decisions of the core, by subject. Those of the tools are in [`ToolHooks`].
pub(crate) trait Hooks:
    ConsequenceHooks
    + ApprovalHooks
    + CallHooks
    + ConversationHooks
    + QueueHooks
    + RequestHooks
    + TurnHooks
    + ShellHooks
    + ToolHooks
    + Any
{
}
