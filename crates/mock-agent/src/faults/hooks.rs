//! Faults at the hooks of the core: the decisions that an agent gets wrong, by subject.

mod approvals;
mod calls;
mod consequences;
mod conversation;
mod queues;
mod requests;
mod shell;
mod turns;

use super::active::Faults;
use crate::core::hooks::Hooks;

impl Hooks for Faults {}
