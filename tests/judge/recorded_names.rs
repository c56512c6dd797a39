//! The names of all messages in a recording of each of six agents of one protocol, as they were read by hand.

use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::{DialectSource, load};
use conform_judge::frame::Body;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// A recording, and its messages in their order; `>` before those of the host, and `U.` for a `session/update` of a kind.
const NAMES: [(&str, &str); 6] = [
    (
        "codex-tool-denied",
        ">initialize initialize.result >session/new _auth/status_update session/new.result U.available_commands_update
        >session/set_mode U.config_option_update session/set_mode.result >session/prompt U.agent_message_chunk U.session_info_update
        U.session_info_update U.tool_call session/request_permission >session/request_permission.result U.tool_call_update
        U.session_info_update U.usage_update U.session_info_update session/prompt.result",
    ),
    (
        "copilot-tool-denied",
        ">initialize initialize.result >session/new U.available_commands_update session/new.result >session/prompt
        U.available_commands_update U.config_option_update U.session_info_update U.usage_update U.tool_call session/request_permission
        >session/request_permission.result U.tool_call_update U.agent_message_chunk session/prompt.result",
    ),
    (
        "gemini-session-load",
        ">initialize initialize.result >session/new session/new.result U.available_commands_update >session/prompt U.agent_message_chunk
        U.agent_message_chunk session/prompt.result >session/prompt session/request_permission >session/request_permission.result
        U.tool_call_update U.agent_message_chunk session/prompt.result >session/load session/load.error",
    ),
    (
        "kimi-tool-approved",
        ">initialize initialize.result >session/new session/new.result U.available_commands_update >session/prompt U.session_info_update
        U.tool_call U.tool_call_update U.tool_call_update session/request_permission >session/request_permission.result
        U.tool_call_update U.tool_call_update U.agent_message_chunk session/prompt.result U.usage_update",
    ),
    (
        "opencode-tool-denied",
        ">initialize initialize.result >session/new session/new.result >session/prompt U.available_commands_update U.tool_call
        U.tool_call_update session/request_permission >session/request_permission.result U.tool_call_update U.usage_update
        session/prompt.result",
    ),
    (
        "vibe-tool-denied",
        ">initialize initialize.result >session/new U.usage_update session/new.result >session/set_mode session/set_mode.result
        >session/prompt U.available_commands_update U.session_info_update U.user_message_chunk U.usage_update U.usage_update U.tool_call
        session/request_permission >session/request_permission.result U.tool_call_update U.agent_message_chunk U.usage_update
        U.usage_update U.usage_update session/prompt.result U.session_info_update",
    ),
];

#[test]
fn the_messages_of_six_agents_are_named_as_a_reader_names_them() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let source = DialectSource::new(Some(tests.join("published/dialects")));
    let acp = load(&source, "acp@1").unwrap();
    let recordings = crate::recordings::of("../published/recordings");
    for (name, expected) in NAMES {
        let session = recordings.iter().find(|one| one.name == name).unwrap();
        let mut checker = Checker::new(Arc::clone(&acp), CheckOptions::default());
        let mut found = Vec::new();
        for frame in &session.frames {
            checker.push(frame);
            let (line, is_command) = match &frame.body {
                Body::ToAgent(line) => (line, true),
                Body::FromAgent(line) => (line, false),
                _ => continue,
            };
            let message: Value = serde_json::from_slice(&line.bytes).unwrap();
            let (names, _) = acp.frames(is_command);
            let message = names.named(&message, checker.newest_name());
            let side = if is_command { ">" } else { "" };
            let name = names.identify(&message).into_name().unwrap_or_default();
            found.push(format!("{side}{name}").replace("session/update.", "U."));
        }
        let expected: Vec<_> = expected.split_whitespace().collect();
        assert_eq!(found, expected, "{name}");
    }
}
