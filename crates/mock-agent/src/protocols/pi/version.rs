//! The features in which pi@0.73 and pi@0.87 differ, by name. pi@0.14 has a smaller protocol, in files of its own
//! (`*_v0_14.rs`).

/// A version of the protocol with commands, responses and sessions; the oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum PiVersion {
    #[default]
    V0_73,
    V0_87,
}

impl PiVersion {
    /// The session is a tree of entries that the host can read (`get_entries`, `get_tree`, `entry_appended`).
    pub(super) fn has_entries(self) -> bool {
        self >= PiVersion::V0_87
    }

    /// The first run of a session begins with a `system` message that declares the prompt and the tools.
    pub(super) fn has_system_message(self) -> bool {
        self >= PiVersion::V0_87
    }

    /// `agent_settled` ends a run with all of its retries and queued messages, and aborts are answered then.
    pub(super) fn has_settled_event(self) -> bool {
        self >= PiVersion::V0_87
    }

    /// `agent_end` says whether a retry follows.
    pub(super) fn has_will_retry(self) -> bool {
        self >= PiVersion::V0_87
    }

    /// A `message_update` holds what is new and the usage, not the message so far.
    pub(super) fn streams_deltas(self) -> bool {
        self >= PiVersion::V0_87
    }

    /// The output of `bash` comes in `bash_execution_update` events while the command runs.
    pub(super) fn streams_shell_output(self) -> bool {
        self >= PiVersion::V0_87
    }

    /// A request for a summary that failed is repeated, with events for each attempt.
    pub(super) fn retries_summaries(self) -> bool {
        self >= PiVersion::V0_87
    }

    /// The result of a compaction has its usage, and the statistics count the messages that it replaced.
    pub(super) fn counts_compactions(self) -> bool {
        self >= PiVersion::V0_87
    }

    /// A member without a value is left out where 0.73 sends null: the state's model, the result of a failed compaction.
    pub(super) fn omits_nulls(self) -> bool {
        self >= PiVersion::V0_87
    }

    /// `fork` answers with the message's text although an extension cancelled it.
    pub(super) fn cancelled_fork_has_text(self) -> bool {
        self < PiVersion::V0_87
    }

    /// A new session begins with the thinking level of the start.
    pub(super) fn resets_level(self) -> bool {
        self >= PiVersion::V0_87
    }

    /// Changes of the session's name and of the thinking level are events.
    pub(super) fn has_change_events(self) -> bool {
        self >= PiVersion::V0_87
    }

    /// The list of commands says where each comes from in `sourceInfo`, not in `location` and `path`.
    pub(super) fn has_source_info(self) -> bool {
        self >= PiVersion::V0_87
    }

    /// `clear_queue` takes queued messages back.
    pub(super) fn has_clear_queue(self) -> bool {
        self >= PiVersion::V0_87
    }

    /// `get_available_thinking_levels` lists the levels of a model.
    pub(super) fn lists_levels(self) -> bool {
        self >= PiVersion::V0_87
    }

    /// Queued messages survive an abort.
    pub(super) fn keeps_queue_after_abort(self) -> bool {
        self >= PiVersion::V0_87
    }
}
