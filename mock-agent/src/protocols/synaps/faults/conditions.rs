//! Conditions: the frames that a fault changes.

type When = &'static [(&'static str, &'static str)];

pub(super) const TEXT: When = &[("/event/type", "text_delta")];
pub(super) const THINKING: When = &[("/event/type", "thinking_delta")];
pub(super) const CALL: When = &[("/event/type", "toolcall_start")];
pub(super) const PIECE: When = &[("/event/type", "toolcall_input_delta")];
pub(super) const INPUT: When = &[("/event/type", "toolcall_input")];
pub(super) const RESULT: When = &[("/event/type", "toolcall_result")];

pub(super) const PROMPT: When = &[("/command", "prompt")];
pub(super) const FOLLOW_UP: When = &[("/command", "follow_up")];
pub(super) const NEW_SESSION: When = &[("/command", "new_session")];
pub(super) const MESSAGES: When = &[("/command", "get_messages")];
pub(super) const SET_MODEL: When = &[("/command", "set_model")];
pub(super) const MODELS: When = &[("/command", "get_available_models")];
pub(super) const ABORT: When = &[("/command", "abort")];
pub(super) const STATS: When = &[("/command", "get_session_stats")];
pub(super) const STATE: When = &[("/command", "get_state")];
